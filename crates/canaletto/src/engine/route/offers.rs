//! Free paths are offered to what waits for one: read data, and units with something to do.

use super::{Route, fabric_events};
use crate::config::design::TransferOrder;
use crate::engine::features::Features;
use crate::fabric::paths::Payload;
use crate::fabric::{Direction, DomainId, Fabric, Transfer};
use crate::flash::address::UnitId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::classes::CLASSES;
use crate::scheduler::mates::{Mates, bytes_of};
use crate::scheduler::queues::Look;
use crate::scheduler::transaction::TransactionId;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Offers paths if anything has changed that they may be offered for.
    #[inline(always)]
    pub(super) fn offer_paths_where_changed(&mut self, now: Time) {
        if self.scheduler.is_touched() || self.ftl.wants_collection() {
            self.offer_paths(now);
        }
    }

    /// Offers free paths to what waits for them, in every domain where something has changed.
    #[inline(never)]
    pub(super) fn offer_paths(&mut self, now: Time) {
        self.run_collections(now);
        let mut from = 0;
        while let Some(domain) = self.scheduler.next_touched(from) {
            self.offer(domain, now);
            self.scheduler.offered(domain);
            from = domain.0 + 1;
        }
    }

    #[inline(always)]
    fn offer(&mut self, domain: DomainId, now: Time) {
        while self.paths.fabric.may_start(domain) {
            let commands_first = self.scheduler.order == TransferOrder::CommandsFirst;
            let started = commands_first && self.start_commands_first(domain, now)
                || self.start_data(domain, now)
                || !commands_first && self.start_commands(domain, now);
            if !started {
                break;
            }
        }
    }

    /// [`Route::start_commands`], kept apart so that the usual order has it in line.
    #[inline(never)]
    fn start_commands_first(&mut self, domain: DomainId, now: Time) -> bool {
        self.start_commands(domain, now)
    }

    /// Starts a command: of a unit that waits in the middle of a copy, or else a new one.
    #[inline(always)]
    fn start_commands(&mut self, domain: DomainId, now: Time) -> bool {
        X::COPYBACK && self.start_copyback(domain, now) || self.start_command(domain, now)
    }

    /// Starts the oldest waiting data that a path is free for, by classes.
    #[inline(always)]
    fn start_data(&mut self, domain: DomainId, now: Time) -> bool {
        let (fabric, layout) = (&self.paths.fabric, &self.layout);
        let next = self.scheduler.next_data(domain, &self.work.transactions, |t| {
            let chip = layout.chip_of_plane(t.ppa.plane);
            if t.direct {
                return fabric.copy_is_free(chip, layout.chip_of_plane(t.to));
            }
            fabric.is_free(chip, Direction::FromChip)
        });
        let started = next.is_some();
        if let Some(id) = next {
            self.send_data(id, now);
        }
        started
    }

    /// Sends read data over a free path, or over the one that their unit holds.
    #[inline(always)]
    pub(super) fn send_data(&mut self, id: TransactionId, now: Time) {
        if self.work.transactions[id].direct {
            return self.send_to_chip(id, now);
        }
        let plane = self.work.transactions[id].ppa.plane;
        let chip = self.layout.chip_of_plane(plane);
        let fabric = &self.paths.fabric;
        let data = fabric.data_time(Operation::Read, bytes_of::<X>(id, &self.work.transactions));
        let port_free_at = fabric.port_free_at(chip, Direction::FromChip);
        let mut group = Mates::<X>::of(id);
        while let Some(id) = group.next(&self.work.transactions) {
            self.charge_path_wait(id, port_free_at, now);
        }
        let transfer = Transfer { chip, direction: Direction::FromChip, command: Time::ZERO, data };
        let events = &mut self.events;
        let unit = self.layout.unit_of(plane);
        self.paths.start_data(unit, transfer, Payload::Data(id), now, fabric_events!(events));
        self.watch_wires();
    }

    /// Charges what data have waited for between array and wires: their own chip's port, then a path.
    #[inline(always)]
    pub(super) fn charge_path_wait(&mut self, id: TransactionId, port_free_at: Time, now: Time) {
        let own = port_free_at.saturating_sub(self.work.transactions[id].account.since);
        self.work.charge_page_up_to(id, Cause::ChipBusyUser, own, now);
        self.work.charge_path_conflict(id, now);
    }

    /// Starts the next command in round robin order among the domain's units.
    #[inline(always)]
    fn start_command(&mut self, domain: DomainId, now: Time) -> bool {
        if self.scheduler.queues.must_poll() {
            return self.poll_all(domain, now);
        }
        let mut walk = self.scheduler.walk(domain);
        while let Some(unit) = self.scheduler.next_ready(domain, &mut walk) {
            if self.try_command(domain, unit, now) {
                return true;
            }
        }
        false
    }

    /// Visits every unit whether it has work or not, for the round robin that notices.
    #[inline(never)]
    fn poll_all(&mut self, domain: DomainId, now: Time) -> bool {
        for unit in self.scheduler.all_units(domain) {
            if self.free_planes(unit) == 0 && !self.can_act(unit) {
                self.scheduler.queues.poll(unit);
            } else if self.try_command(domain, unit, now) {
                return true;
            }
        }
        false
    }

    /// Where the round robin notices each look, one may end just before the only class that waits, with nothing left to happen
    /// that would lead to another: looks again until something starts, for as many looks as the classes' turns go round.
    /// Returns whether something has.
    pub(super) fn poll_until_something_starts(&mut self) -> bool {
        let now = self.events.now();
        let looks = if self.scheduler.queues.must_poll() { CLASSES } else { 0 };
        (0..looks).any(|_| {
            self.scheduler.touch_all_if_noticed();
            self.offer_paths(now);
            !self.events.is_empty()
        })
    }

    /// Forms a command for a unit and sends it, if a path is free and there is one.
    #[inline(always)]
    fn try_command(&mut self, domain: DomainId, unit: UnitId, now: Time) -> bool {
        if !self.paths.fabric.is_free(self.layout.chip_of(unit), Direction::ToChip) {
            return false;
        }
        let Some(command) = self.next_command(unit, now) else {
            self.scheduler.set_blocked(unit);
            self.settle_suspension(unit, now);
            return false;
        };
        self.scheduler.pass_turn(domain, unit);
        self.send_command(unit, command, now);
        true
    }

    /// Forms the unit's next command. A unit at work may put that aside instead.
    #[inline(always)]
    fn next_command(&mut self, unit: UnitId, now: Time) -> Option<Command> {
        if X::SUSPENSION && self.flash.suspensions.is_on() && !self.takes_commands(unit, now) {
            return None;
        }
        let look =
            Look { served: self.served(unit), free: self.free_planes(unit), gc_urgent: self.ftl.is_urgent(unit), now };
        self.scheduler.queues.next_command(unit, &look, &mut self.work.transactions, &self.ftl.readiness())
    }

    #[inline(always)]
    fn send_command(&mut self, unit: UnitId, command: Command, now: Time) {
        let chip = self.layout.chip_of(unit);
        let port_free_at = self.paths.fabric.port_free_at(chip, Direction::ToChip);
        let mut data = Time::ZERO;
        for &first in command.transactions() {
            let (mut waited, mut placed) = (Mates::<X>::of(first), Mates::<X>::of(first));
            while let Some(id) = waited.next(&self.work.transactions) {
                self.ftl.charge_stall(&mut self.work, id, now);
                self.flash.charge_wait(id, unit, port_free_at, &mut self.work, now);
            }
            while let Some(id) = placed.next(&self.work.transactions) {
                self.ftl.bind(&mut self.work, id, now);
            }
            if command.operation == Operation::Program {
                self.ftl.end_flash_page(self.work.transactions[first].ppa);
                data += self.paths.fabric.data_time(command.operation, bytes_of::<X>(first, &self.work.transactions));
            }
        }
        let wires = self.paths.fabric.command_time(command.operation, command.transactions().len());
        self.flash.begin(unit, command, &self.work, now);
        if X::SUSPENSION {
            self.refresh(unit);
        } else {
            self.scheduler.set_blocked(unit);
        }
        let transfer = Transfer { chip, direction: Direction::ToChip, command: wires, data };
        let events = &mut self.events;
        self.paths.start(transfer, Payload::Command(unit), now, fabric_events!(events));
        self.watch_wires();
    }
}
