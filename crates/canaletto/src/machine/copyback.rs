//! Copies that never leave their plane: read into the page register, programmed from there.
//!
//! The unit stays busy from the read's command to the end of the last program. In between, each program command needs a
//! path, but carries no data (ONFI 5.1 §5.20 and §5.21, Copyback Read and Copyback Program).

use super::{Machine, Payload};
use crate::config::design::Gc;
use crate::fabric::{self, Direction, DomainId, Fabric};
use crate::flash::address::{Ppa, UnitId};
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::probe::Probe;
use crate::scheduler::mates::Mates;
use crate::scheduler::transaction::{Transaction, TransactionId};
use crate::sim::time::Time;

/// Whether collection copies by copyback, and what waits to be programmed.
pub struct Copybacks {
    is_on: bool,
    /// Every so many copies of a page one passes the controller; 0 is never.
    check_every: u32,
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
        Copybacks {
            is_on: config.copyback,
            check_every: config.copyback_check_every,
            pending: vec![none; units],
            count: 0,
        }
    }

    /// Whether copies are counted, because some of them must pass the controller.
    pub fn counts_copies(config: &Gc) -> bool {
        config.copyback && config.copyback_check_every > 0
    }

    /// The unit's registers hold these pages to be programmed.
    pub fn hold(&mut self, unit: UnitId, pages: Command) {
        self.pending[unit.index()] = pages;
    }

    /// Pages in the unit's registers that have yet to be programmed.
    pub fn pending(&self, unit: UnitId) -> Option<&Command> {
        self.pending.get(unit.index()).filter(|pages| !pages.transactions().is_empty())
    }
}

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Whether the page at `from` may be copied without passing the controller, whose ECC would correct it.
    pub(super) fn may_copy_back(&self, from: Ppa) -> bool {
        let every = self.copybacks.check_every;
        self.copybacks.is_on && (every == 0 || self.wear.copies(from) + 1 < every)
    }

    /// A flash page to be copied back is in its register: it is bound to the one it goes to. Returns its first page unless
    /// there is nothing left to copy, or no place to copy it to, or only a part of it is still valid: what is goes through
    /// the controller then.
    pub(super) fn bind_copyback(&mut self, first: TransactionId, unit: UnitId, now: Time) -> Option<TransactionId> {
        let Transaction { ppa: from, frontier, .. } = self.transactions[first];
        let (left, valid) = self.drop_overwritten_copies(first, unit);
        let Some(left) = left else {
            // The register's content is not needed.
            self.array.use_register(unit, 1 << self.layout.plane_in_unit(from.plane));
            self.probe.register_drained(from.plane, self.owner(first), now);
            return None;
        };
        let whole = valid == self.layout.pages_per_flash_page();
        let mut mates = Mates::of(left);
        if !whole || !self.blocks.has_page(from.plane, frontier) {
            while let Some(id) = mates.next(&self.transactions) {
                self.transactions[id].copyback = false;
            }
            self.line_up_data(left, unit);
            return None;
        }
        while let Some(id) = mates.next(&self.transactions) {
            self.bind_copy(id, now);
        }
        Some(left)
    }

    /// Ends those copies of a flash page whose data were overwritten meanwhile. Returns the first of the others, and how many
    /// they are.
    fn drop_overwritten_copies(&mut self, first: TransactionId, unit: UnitId) -> (Option<TransactionId>, u32) {
        let (mut left, mut last, mut valid) = (None, TransactionId::NONE, 0);
        let mut mates = Mates::of(first);
        while let Some(id) = mates.part(&mut self.transactions) {
            let Transaction { ppa: from, lpa, .. } = self.transactions[id];
            if self.blocks.valid_lpa(from) != Some(lpa) {
                self.end_read_of(from);
                self.count_out(unit);
                self.end_copy(id, from.plane, false);
                continue;
            }
            if last.is_some() {
                self.transactions[last].mate = id;
            }
            left.get_or_insert(id);
            (last, valid) = (id, valid + 1);
        }
        (left, valid)
    }

    /// Binds a page of a flash page that is copied back.
    fn bind_copy(&mut self, id: TransactionId, now: Time) {
        let Transaction { ppa: from, frontier, lpa, sectors, .. } = self.transactions[id];
        let at = self.allocate(from.plane, frontier, lpa, sectors).expect("the frontier has a page");
        self.end_read_of(from);
        self.blocks.program_begins(at);
        self.collector.copy_is_read(from.plane);
        self.collector.copy_settles(from.plane);
        self.blocks.note_stall(at.plane, frontier, now);
        let t = &mut self.transactions[id];
        (t.operation, t.old, t.ppa) = (Operation::Program, from, at);
    }

    /// The next program command of the unit's copies lines up for a path.
    pub(super) fn line_up_copyback(&mut self, unit: UnitId) {
        let domain = self.domain_of(unit);
        self.domains[domain.index()].copybacks.push_back(unit);
    }

    /// Sends the first waiting program command of a copy that a path is free for.
    pub(super) fn start_copyback(&mut self, domain: DomainId, now: Time) -> bool {
        let waiting = &self.domains[domain.index()].copybacks;
        let free = |&unit: &UnitId| self.fabric.is_free(self.layout.chip_of(unit), Direction::ToChip);
        let Some(place) = waiting.iter().position(free) else { return false };
        if let Some(unit) = self.domains[domain.index()].copybacks.remove(place) {
            self.send_copyback(unit, now);
        }
        true
    }

    /// Sends the program command of the unit's pages that share one: the first one's, and those of further planes with it.
    fn send_copyback(&mut self, unit: UnitId, now: Time) {
        let pages = self.copybacks.pending[unit.index()];
        let (mut command, mut rest) = (Command::new(Operation::Program), Command::new(Operation::Program));
        let mut planes = 0;
        let first = self.layout.flash_page(self.transactions[pages.transactions()[0]].ppa);
        for &id in pages.transactions() {
            let at = self.transactions[id].ppa;
            if command.transactions().is_empty() || self.queues.pages_share_command(first, self.layout.flash_page(at)) {
                command.push(id);
                planes |= 1 << self.layout.plane_in_unit(at.plane);
                self.probe.register_drained(at.plane, self.owner(id), now);
            } else {
                rest.push(id);
            }
        }
        self.copybacks.pending[unit.index()] = rest;
        self.copybacks.count += command.transactions().len() as u64;
        let chip = self.layout.chip_of(unit);
        let port_free_at = self.fabric.port_free_at(chip, Direction::ToChip);
        for &first in command.transactions() {
            let mut mates = Mates::of(first);
            while let Some(id) = mates.next(&self.transactions) {
                self.charge_path_wait(id, port_free_at, now);
            }
        }
        let charge = self.charge_of(&command);
        self.array.use_register(unit, planes);
        self.array.go_on(unit, command, charge, now);
        let wires = self.fabric.command_time(Operation::Program, command.transactions().len());
        let transfer = fabric::Transfer { chip, direction: Direction::ToChip, command: wires, data: Time::ZERO };
        self.start_transfer(transfer, Payload::Command(unit), now);
    }
}
