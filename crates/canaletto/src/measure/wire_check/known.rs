//! Facts that rules know: the design, and the transfers under way.

use crate::config::design::{Design, FabricKind, PageTimes};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::flash::address::ChipId;
use crate::flash::interface::Operation;
use crate::measure::probe::Load;
use crate::measure::wire_check::lengths::Lengths;
use crate::measure::wire_check::recording::Cycles;
use crate::measure::wire_check::shape::Shape;

/// Everything that rules know of a design.
pub struct Known {
    /// Kind of interconnect.
    pub kind: FabricKind,
    /// Its wires.
    pub shape: Shape,
    /// Least times on them.
    pub lengths: Lengths,
    /// The configuration.
    pub design: Design,
    /// LUNs a chip.
    pub luns_per_chip: u32,
    /// Planes a LUN.
    pub planes_per_lun: u32,
}

impl Known {
    /// Facts of a validated design.
    pub fn new(design: &Design) -> Known {
        let geometry = &design.geometry;
        let luns_per_chip = if design.flash.die_interleaving { geometry.dies_per_chip } else { 1 };
        Known {
            kind: design.fabric.kind,
            shape: Shape::new(design),
            lengths: Lengths::new(design),
            luns_per_chip,
            planes_per_lun: geometry.planes_per_die * geometry.dies_per_chip / luns_per_chip,
            design: design.clone(),
        }
    }

    /// Whether the end of a page may take another bus than its beginning.
    pub fn splits_late(&self) -> bool {
        self.kind == FabricKind::Omnibus && self.design.fabric.omnibus.late_split.0 > 0
    }

    /// LUNs in all.
    pub fn luns(&self) -> usize {
        (self.shape.rows * self.shape.columns * self.luns_per_chip) as usize
    }

    /// Whether the chip of a LUN is cut off once parts have failed.
    pub fn will_be_cut_off(&self, lun: u32) -> bool {
        self.shape.cut_off.contains(&ChipId(lun / self.luns_per_chip))
    }

    /// Name of a LUN.
    pub fn lun_name(&self, lun: u32) -> String {
        let (row, column) = self.shape.place(lun / self.luns_per_chip);
        format!("chip {row},{column} LUN {}", lun % self.luns_per_chip)
    }

    /// Numbers of the planes of a LUN that a mask names.
    pub fn planes(&self, lun: u32, mask: u64) -> impl Iterator<Item = usize> + use<> {
        let first = (lun * self.planes_per_lun) as usize;
        (0..self.planes_per_lun as usize).filter(move |plane| mask >> plane & 1 == 1).map(move |plane| first + plane)
    }

    /// Name of a plane.
    pub fn plane_name(&self, plane: usize) -> String {
        let (lun, plane) = (plane as u32 / self.planes_per_lun, plane as u32 % self.planes_per_lun);
        format!("{} plane {plane}", self.lun_name(lun))
    }

    /// Shortest and longest time of an array operation: pages of several kinds may differ.
    pub fn array_times(&self, operation: Operation) -> (Time, Time) {
        let (flash, pslc) = (&self.design.flash, &self.design.flash.pslc);
        let listed = |times: &PageTimes| match times {
            PageTimes::Same(one) => vec![one.time()],
            PageTimes::PerKind(each) => each.iter().map(|time| time.time()).collect(),
        };
        let (mut each, with_one_bit, more) = match operation {
            Operation::Read => (listed(&flash.read), pslc.read, flash.ready_delay.time()),
            Operation::Program => (listed(&flash.program), pslc.program, Time::ZERO),
            Operation::Erase => (vec![flash.erase.time()], pslc.erase, Time::ZERO),
        };
        // An erase time of nothing is that of the native cell.
        if pslc.is_on() && with_one_bit.0 > 0 {
            each.push(with_one_bit.time());
        }
        (each.iter().copied().min().unwrap_or_default() + more, each.iter().copied().max().unwrap_or_default() + more)
    }
}

/// A transfer under way.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// Its number.
    pub transfer: u32,
    /// Its load.
    pub load: Load,
    /// When it was given its path.
    pub began: Time,
}

/// Transfers under way, by path.
#[derive(Default)]
pub struct Transfers(Vec<Option<Open>>);

impl Transfers {
    /// The transfer on a path.
    pub fn on(&self, path: PathId) -> Option<&Open> {
        self.0.get(path.index())?.as_ref()
    }

    /// The transfer of a number, if it is on a path.
    pub fn get(&self, path: PathId, transfer: u32) -> Option<&Open> {
        self.on(path).filter(|open| open.transfer == transfer)
    }

    /// The transfer that cycles belong to.
    pub fn of(&self, cycles: &Cycles) -> Option<&Open> {
        self.get(cycles.path, cycles.transfer)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = (PathId, &Open)> {
        (0..).map(PathId).zip(&self.0).filter_map(|(path, open)| Some((path, open.as_ref()?)))
    }

    /// The transfer on a path, to be changed.
    pub fn place(&mut self, path: PathId) -> &mut Option<Open> {
        if self.0.len() <= path.index() {
            self.0.resize(path.index() + 1, None);
        }
        &mut self.0[path.index()]
    }
}
