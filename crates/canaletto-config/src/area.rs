//! Keys of the area model: wires, board area and silicon of interconnects.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::energy::RouterSource;
use crate::units::Area;

/// Areas of interconnect parts. "Venice" is "Venice: Improving SSD Parallelism at Low Cost via Conflict-Free Accesses",
/// ISCA 2023.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Footprint {
    /// Origin of the area of a router's logic: the key `area.router_logic`, or the synthesis of the hardware in `rtl/`.
    pub router: RouterSource,
    /// Area of a router's logic. Source: Venice §6.6 (614 um2, HDL synthesized for UMC 65 nm).
    pub router_logic: Area,
    /// Area that a controller on the flash die adds to it, as a share of the die. It counts for fabrics that send
    /// packets to chips. Source: "Networked SSD", MICRO 2022, §VIII (about 20 % of a 100 mm2 die, less where logic lies
    /// under the cells).
    #[schemars(range(min = 0.0, max = 10.0))]
    pub on_die_controller: f64,
    /// Pins of a bus that is timed by itself, next to the data pins: strobes both ways. Source: ONFI 4.0 (NV-DDR3: DQS and RE,
    /// each a pair). They count for fabrics with switches and for `scheduled-mesh`.
    #[schemars(range(min = 0, max = 16))]
    pub strobe_pins: u32,
}

impl Footprint {
    /// Area of a cell of the arbiter of `scheduled-mesh`, one per router, in the chip of the controllers. Assumed: a tenth of a
    /// router's logic, because a cell has the states of five ports and no data path.
    pub fn arbiter_cell(&self) -> Area {
        Area(self.router_logic.0 / 10)
    }
}

impl Default for Footprint {
    fn default() -> Self {
        Footprint { router: RouterSource::Paper, router_logic: Area(614), on_die_controller: 0.2, strobe_pins: 4 }
    }
}
