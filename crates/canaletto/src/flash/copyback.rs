//! Copies that never leave their plane: read into the page register, programmed from there.
//!
//! The LUN stays busy throughout. Each program command needs a path, but carries no data (ONFI 5.1 §5.20 and §5.21).

use crate::config::design::Gc;
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::scheduler::transaction::TransactionId;

pub struct Copybacks {
    pending: Vec<Command>,
    pub count: u64,
}

impl Copybacks {
    pub fn new(config: &Gc, luns: u32) -> Copybacks {
        let none = Command::new(Operation::Program);
        let luns = if config.copyback { luns as usize } else { 0 };
        Copybacks { pending: vec![none; luns], count: 0 }
    }

    pub fn hold(&mut self, lun: LunId, pages: Command) {
        self.pending[lun.index()] = pages;
    }

    #[inline]
    pub fn pending(&self, lun: LunId) -> Option<&Command> {
        let pages = self.pending.get(lun.index())?;
        if pages.is_empty() { None } else { Some(pages) }
    }

    /// The first, and pages of further planes for which `joins` holds.
    pub fn take(&mut self, lun: LunId, joins: impl Fn(TransactionId, TransactionId) -> bool) -> Command {
        let pages = &mut self.pending[lun.index()];
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
