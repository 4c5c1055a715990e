//! Least distances between the wires and a chip's work.
//!
//! Figures of ONFI, written down here anew, not from the engine's tables.

use crate::config::design::{Fabric, Interface};
use crate::engine::time::Time;
use crate::flash::interface::Operation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distances {
    pub t_cs: u64,
    pub t_cad: u64,
    pub t_wb: u64,
    pub t_rr: u64,
    pub t_adl: u64,
    pub t_whr: u64,
    pub t_ccs: u64,
    pub t_dbsy: u64,
}

/// NV-DDR2: ONFI 3.1 §4.19.2 (tCS and tCAD in timing mode 0, tWB, tRR, tADL, tWHR) and §5.1 (tDBSY). tCCS is a parameter of the chip;
/// 300 ns are assumed.
const NV_DDR2: Distances =
    Distances { t_cs: 20, t_cad: 25, t_wb: 100, t_rr: 20, t_adl: 70, t_whr: 80, t_ccs: 300, t_dbsy: 500 };

/// NV-DDR3: ONFI 4.0 §4.20.2; tADL became 150 ns.
const NV_DDR3: Distances = Distances { t_adl: 150, ..NV_DDR2 };

/// Toggle-mode DDR, from data sheets of such chips: tADL and tWHR2 (a change of column) 300 ns, tWHR 120 ns.
const TOGGLE: Distances = Distances { t_adl: 300, t_whr: 120, ..NV_DDR2 };

/// Stated as a whole, or by the design's own steps.
const STATED: Distances = Distances { t_cs: 0, t_cad: 0, t_wb: 0, t_rr: 0, t_adl: 0, t_whr: 0, t_ccs: 0, t_dbsy: 0 };

impl Distances {
    pub fn of(fabric: &Fabric) -> Distances {
        match fabric.interface {
            _ if fabric.command_time.is_some() || fabric.steps.is_some() => STATED,
            Interface::NvDdr2 => NV_DDR2,
            Interface::NvDdr3 | Interface::NvLpddr4 => NV_DDR3,
            Interface::Toggle => TOGGLE,
        }
    }

    /// Without the cycles and the data.
    pub fn before_array(&self, operation: Operation, planes: u64, has_data: bool) -> Time {
        let data = if operation == Operation::Program && has_data { planes * self.t_adl } else { 0 };
        Time::from_ns(planes.saturating_sub(1) * self.t_dbsy + data + self.t_wb)
    }
}
