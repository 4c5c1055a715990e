//! In the arrays: commands begin when they have crossed and end when their time is up.

use super::Machine;
use crate::fabric::{Fabric, TransferDone};
use crate::flash::address::UnitId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::flash::suspend::Phase;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::mates::Mates;
use crate::scheduler::transaction::{Origin, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// A unit's command has crossed: its array begins.
    pub(super) fn command_crossed(&mut self, unit: UnitId, crossed: &TransferDone, now: Time) {
        let command = self.array.units[unit.index()].command;
        let planes = command.transactions().len();
        let wires = self.fabric.command_time(command.operation, planes);
        let with_data = command.operation == Operation::Program;
        for &first in command.transactions() {
            let mut mates = Mates::of(first);
            while let Some(id) = mates.next(&self.transactions) {
                self.charge_crossing(id, crossed, now);
                if with_data {
                    self.charge_page_up_to(id, Cause::CommandTransfer, wires, now);
                    self.charge_page(id, Cause::DataTransfer, now);
                } else {
                    self.charge_page(id, Cause::CommandTransfer, now);
                }
            }
        }
        let begins = now + self.commands.get(command.operation, planes).chip;
        let ends = begins + self.array_time(&command);
        let charge = self.charge_of(&command);
        if self.suspensions.is_on() && self.suspensions.works(unit, command, charge, begins) {
            self.refresh_ready(unit);
        } else {
            for &id in command.transactions() {
                self.probe.array_works(
                    self.transactions[id].ppa.plane,
                    command.operation,
                    self.owner(id),
                    begins,
                    ends,
                );
            }
        }
        self.array_until(unit, ends);
    }

    /// Planes work side by side: the slowest page decides. MQSim's pages of one command are all of one kind.
    fn array_time(&self, command: &Command) -> Time {
        let time = |&id: &TransactionId| {
            let page = self.layout.flash_page(self.transactions[id].ppa);
            self.timing.get(command.operation, page)
        };
        command.transactions().iter().map(time).max().expect("a command has a transaction")
    }

    /// A unit's array has finished its command, unless that has been suspended meanwhile.
    pub(super) fn array_done(&mut self, unit: UnitId, now: Time) {
        if self.array.units[unit.index()].due != now || self.suspension_moves(unit, now) {
            return;
        }
        let command = self.array.units[unit.index()].command;
        let worked = self.array_time(&command);
        match command.operation {
            Operation::Read => self.reads_done(unit, &command, worked, now),
            Operation::Program => {
                self.release_held(unit, now);
                let pages = command.transactions().len() as u64;
                self.operations.programs += pages;
                self.operations.program_time += worked * pages;
                for &first in command.transactions() {
                    self.flash_page_programmed(first, unit, now);
                }
                self.array_is_free(unit, worked, now);
            }
            Operation::Erase => {
                self.release_held(unit, now);
                let blocks = command.transactions().len() as u64;
                self.operations.erases += blocks;
                self.operations.erase_time += worked * blocks;
                for &id in command.transactions() {
                    self.count_out(unit);
                    self.erased(id, now);
                }
                self.array.array_done(unit, worked, now);
            }
        }
        self.settle_suspension(unit, now);
        self.refresh_ready(unit);
        self.touch(self.domain_of(unit));
    }

    /// A flash page is programmed, or failed to be.
    fn flash_page_programmed(&mut self, first: TransactionId, unit: UnitId, now: Time) {
        self.wear.programmed(self.transactions[first].ppa, now);
        let again = self.failures.program_fails().then(|| self.retire_failed(first));
        let mut mates = Mates::of(first);
        while let Some(id) = mates.part(&mut self.transactions) {
            self.count_out(unit);
            self.charge_page(id, Cause::ArrayProgram, now);
            match (again, self.transactions[id].origin) {
                (Some(again), _) => self.program_failed(id, again, now),
                (None, Origin::Gc) => self.copy_programmed(id, now),
                (None, Origin::Mapping) => self.translation_programmed(id, now),
                (None, _) => self.write_programmed(id, now),
            }
        }
    }

    fn reads_done(&mut self, unit: UnitId, command: &Command, worked: Time, now: Time) {
        let pages = command.transactions().len() as u64;
        self.operations.reads += pages;
        self.operations.read_time += worked * pages;
        let mut copies = Command::new(Operation::Program);
        for &id in command.transactions() {
            self.flash_page_read(id, now);
            self.page_disturbs(self.transactions[id].ppa);
            let t = &self.transactions[id];
            self.array.fill_register(unit, self.layout.plane_in_unit(t.ppa.plane));
            self.probe.register_filled(t.ppa.plane, now);
            if t.copyback {
                self.bind_copyback(id, unit, now).into_iter().for_each(|id| copies.push(id));
                continue;
            }
            self.draw_damage(id);
            if self.choices.hold_path {
                self.held.add_page(unit, id);
            } else {
                self.line_up_data(id, unit);
            }
        }
        if !copies.transactions().is_empty() {
            self.copybacks.hold(unit, copies);
        }
        self.array_is_free(unit, worked, now);
        if let Some(first) = self.held.next_page(unit) {
            self.send_data(first, now);
        }
    }

    fn flash_page_read(&mut self, first: TransactionId, now: Time) {
        let mut mates = Mates::of(first);
        while let Some(id) = mates.next(&self.transactions) {
            self.charge_page(id, Cause::ArrayRead, now);
        }
    }

    /// Whether what was just read for the first time is illegible. That befalls the whole flash page.
    fn draw_damage(&mut self, first: TransactionId) {
        let (mut mates, mut drawn) = (Mates::of(first), None);
        while let Some(id) = mates.next(&self.transactions) {
            if self.transactions[id].attempt == 0 {
                let failures = &mut self.failures;
                self.transactions[id].damaged = *drawn.get_or_insert_with(|| failures.read_fails());
            }
        }
    }

    /// The unit's array has worked for `worked`: it is free, unless its registers hold copies to be programmed.
    fn array_is_free(&mut self, unit: UnitId, worked: Time, now: Time) {
        if self.copybacks.pending(unit).is_some() && self.suspensions.phase(unit) == Phase::Idle {
            self.array.pause(unit, worked);
            self.line_up_copyback(unit);
        } else {
            self.array.array_done(unit, worked, now);
        }
    }

    /// Read data in a register wait for a path.
    pub(super) fn line_up_data(&mut self, id: TransactionId, unit: UnitId) {
        let class = match self.transactions[id].origin {
            Origin::Mapping => 0,
            Origin::User | Origin::OldPage | Origin::Trim | Origin::Cached | Origin::Destage => 1,
            Origin::Gc => 2,
        };
        let domain = self.domain_of(unit);
        self.domains[domain.index()].data[class].push_back(id);
    }
}
