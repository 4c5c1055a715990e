//! Copies that never leave their plane: read into the page register, programmed from there.
//!
//! The unit stays busy from the read's command to the end of the last program. In between, each program command needs a
//! path, but carries no data (ONFI 5.1 §5.20 and §5.21, Copyback Read and Copyback Program).

use crate::config::design::Gc;
use crate::flash::address::UnitId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::scheduler::transaction::TransactionId;

/// Pages in registers that are to be programmed from there.
pub struct Copybacks {
    /// Pages in each unit's registers that have yet to be programmed; empty if copyback is off.
    pending: Vec<Command>,
    /// Pages programmed so far.
    pub count: u64,
}

impl Copybacks {
    /// No copy under way in `units` units.
    pub fn new(config: &Gc, units: u32) -> Copybacks {
        let none = Command::new(Operation::Program);
        let units = if config.copyback { units as usize } else { 0 };
        Copybacks { pending: vec![none; units], count: 0 }
    }

    /// The unit's registers hold these pages to be programmed.
    pub fn hold(&mut self, unit: UnitId, pages: Command) {
        self.pending[unit.index()] = pages;
    }

    /// Pages in the unit's registers that have yet to be programmed.
    pub fn pending(&self, unit: UnitId) -> Option<&Command> {
        self.pending.get(unit.index()).filter(|pages| !pages.transactions().is_empty())
    }

    /// Takes the pages that share the next program command of a unit: the first one's, and those of further planes for which
    /// `joins` holds.
    pub fn take(&mut self, unit: UnitId, joins: impl Fn(TransactionId, TransactionId) -> bool) -> Command {
        let pages = &mut self.pending[unit.index()];
        let (mut command, mut rest) = (Command::new(Operation::Program), Command::new(Operation::Program));
        let first = pages.transactions()[0];
        for &id in pages.transactions() {
            let joined = id == first || joins(first, id);
            if joined { command.push(id) } else { rest.push(id) }
        }
        *pages = rest;
        self.count += command.transactions().len() as u64;
        command
    }
}
