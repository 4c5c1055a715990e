//! The ideal drive: no two chips ever share a path.
//!
//! ```text
//! controller ── chip 0 0      a bus of its own for each chip, with the signalling and rate of the conventional bus
//! controller ── chip 0 1
//! controller ── chip 1 0
//! ```
//! Venice (ISCA 2023) §3.1, the "path-conflict-free" SSD. A transaction may still wait for its own chip's port.

use crate::config::design::Fabric as FabricConfig;
use crate::fabric::buses::{Buses, Kind, SharedBuses};
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing::{Failing, Parts, without};
use crate::fabric::lines::Line;
use crate::fabric::signals::Signals;
use crate::fabric::wires::WireKind;
use crate::flash::address::Layout;

pub const FACTS: Facts = Facts {
    is_usual: true,
    holds_paths: true,
    routers: None,
    interconnect: |_, _, _| Interconnect::CHANNELS,
    failing: Failing {
        parts: |_, rows, columns| Parts { buses: rows * columns, ..Parts::default() },
        cut_off: |_, rows, columns, failed| without(rows * columns, |chip| !failed.buses.contains(&chip)),
    },
    lines: |_, rows, columns| Line::rows("row", rows, columns, |_| columns),
};

pub enum Paths {}

impl Kind for Paths {
    type Times = Signals;

    fn new(config: &FabricConfig, layout: &Layout) -> (Buses, Signals) {
        (Buses::new(layout, WireKind::Path), Signals::new(config, layout))
    }

    fn rate(times: &Signals) -> f64 {
        times.rate()
    }
}

pub type Ideal = SharedBuses<Paths>;
