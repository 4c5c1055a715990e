//! Paths held from a command to its data (`fabric.hold_path`), and the pages that follow on them.

use crate::fabric::PathId;
use crate::flash::address::UnitId;
use crate::flash::array::MAX_PLANES;
use crate::scheduler::transaction::TransactionId;

/// What each unit holds; empty where paths are not held.
pub struct HeldPaths {
    units: Vec<Unit>,
}

#[derive(Clone, Copy)]
struct Unit {
    /// From the end of the command's transfer until the path is given back.
    holding: bool,
    path: Option<PathId>,
    /// Pages read together that have yet to cross, the next one last.
    pages: [TransactionId; MAX_PLANES],
    length: u8,
}

impl HeldPaths {
    /// Room for `units` units if paths are held at all.
    pub fn new(hold_path: bool, units: u32) -> HeldPaths {
        let none = Unit { holding: false, path: None, pages: [TransactionId::NONE; MAX_PLANES], length: 0 };
        HeldPaths { units: if hold_path { vec![none; units as usize] } else { Vec::new() } }
    }

    /// Keeps a path for the unit.
    pub fn hold(&mut self, unit: UnitId, path: PathId) {
        let unit = &mut self.units[unit.index()];
        unit.holding = true;
        unit.path = Some(path);
    }

    /// Whether the unit holds a path, or sends its data over one that it held.
    pub fn is_holding(&self, unit: UnitId) -> bool {
        self.units.get(unit.index()).is_some_and(|unit| unit.holding)
    }

    /// The unit's path is given back. Returns whether it held one.
    pub fn let_go(&mut self, unit: UnitId) -> bool {
        self.units.get_mut(unit.index()).is_some_and(|unit| std::mem::take(&mut unit.holding))
    }

    /// Takes the path kept for the unit.
    pub fn take(&mut self, unit: UnitId) -> Option<PathId> {
        self.units.get_mut(unit.index())?.path.take()
    }

    /// Adds a page that crosses on the unit's path, after those added before.
    pub fn add_page(&mut self, unit: UnitId, page: TransactionId) {
        let unit = &mut self.units[unit.index()];
        let length = unit.length as usize;
        unit.pages.copy_within(0..length, 1);
        unit.pages[0] = page;
        unit.length += 1;
    }

    /// The next page that crosses on the unit's path.
    pub fn next_page(&mut self, unit: UnitId) -> Option<TransactionId> {
        let unit = self.units.get_mut(unit.index()).filter(|unit| unit.length > 0)?;
        unit.length -= 1;
        Some(unit.pages[unit.length as usize])
    }
}
