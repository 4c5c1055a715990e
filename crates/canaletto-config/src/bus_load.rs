//! Keys of the load on a bus: pads of dies slow it down, and buffer chips divide it.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::check::{Checked, require};
use crate::fabric::{Fabric, FabricKind};
use crate::units::{Duration, Rate};

/// Load on the buses of `bus`, `packetized` and `ideal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BusLoad {
    /// Number of dies up to which a bus has `fabric.link_rate`. With more, each die's pads slow it down, and the rate falls as
    /// one over the number of dies. 0 (default): the number does not matter. No table is public. A range follows from pads of
    /// 1.1 to 3 pF, 20.6 ohms (a driver of 35 with a termination of 50), and edges (2.2 RC) of at most 0.7 bits. It is 10 to 26
    /// dies at 533 MT/s (NV-DDR2), 4 to 12 at 1,200 MT/s (NV-DDR3), and 2 to 6 at 2,400 MT/s (NV-LPDDR4). Published packages
    /// are within it (docs/explanation/fabrics.md).
    #[schemars(range(min = 0, max = 4096))]
    pub full_rate_dies: u32,
    /// Number of dies behind a buffer chip. The bus carries the pads of buffers then, and each buffer the pads of its dies. 0
    /// (default): no buffers.
    #[schemars(range(min = 0, max = 4096))]
    pub dies_per_buffer: u32,
    /// Time that commands and data of reads take through a buffer. Assumed: 2 ns; 1 ns to 10 ns. A buffer drives the wires behind it, so
    /// that a transfer takes the energy of two channels.
    pub buffer_delay: Duration,
}

impl Default for BusLoad {
    fn default() -> Self {
        BusLoad { full_rate_dies: 0, dies_per_buffer: 0, buffer_delay: Duration(2_000) }
    }
}

impl BusLoad {
    /// Whether there are buffers.
    pub fn is_buffered(&self) -> bool {
        self.full_rate_dies > 0 && self.dies_per_buffer > 0
    }

    fn pads(&self, dies: u32) -> u32 {
        match self.dies_per_buffer {
            0 => dies,
            each => dies.div_ceil(each).max(each.min(dies)),
        }
    }
}

impl Fabric {
    fn loaded_rate(&self, dies: u32) -> Rate {
        let full = self.load.full_rate_dies;
        let pads = self.load.pads(dies).max(full);
        if full == 0 {
            self.link_rate
        } else {
            Rate((u128::from(self.link_rate.0) * u128::from(full) / u128::from(pads)) as u64)
        }
    }

    /// Whether pads count on its buses.
    pub fn carries_pads(&self) -> bool {
        matches!(self.kind, FabricKind::Bus | FabricKind::Packetized | FabricKind::Ideal)
    }

    /// The interconnect with the rate of its buses in an array.
    #[must_use]
    pub fn loaded(&self, chips_per_channel: u32, dies_per_chip: u32) -> Fabric {
        let chips = if self.kind == FabricKind::Ideal { 1 } else { chips_per_channel };
        let link_rate = if self.carries_pads() { self.loaded_rate(chips * dies_per_chip) } else { self.link_rate };
        Fabric { link_rate, ..self.clone() }
    }
}

pub(super) fn check(fabric: &Fabric) -> Checked {
    require(fabric.load.full_rate_dies == 0 || fabric.burst_bytes == 0, "fabric.load.full_rate_dies", || {
        format!(
            "got {} with fabric.burst_bytes = {}, expected 0: bursts have one rate",
            fabric.load.full_rate_dies, fabric.burst_bytes
        )
    })
}
