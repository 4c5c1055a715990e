//! Free paths are offered to what waits for one: read data, and LUNs with something to do.

use super::{Route, fabric_events};
use crate::config::design::TransferOrder;
use crate::engine::features::Features;
use crate::engine::time::Time;
use crate::fabric::paths::Payload;
use crate::fabric::{Direction, DomainId, Fabric, Transfer};
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::classes::CLASSES;
use crate::scheduler::flash_page_group::{FlashPageGroup, bytes_of};
use crate::scheduler::queues::IssueContext;
use crate::scheduler::transaction::TransactionId;

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Offers free paths to what waits for them, in every domain where something has changed.
    #[inline(always)]
    pub(super) fn offer_paths(&mut self, now: Time) {
        if self.ftl.wants_collection() {
            self.run_collections(now);
        }
        let mut from = 0;
        while self.scheduler.is_touched() {
            let Some(domain) = self.scheduler.next_touched(from) else { break };
            if self.paths.fabric.may_start(domain) {
                self.offer(domain, now);
            }
            self.scheduler.offered(domain);
            from = domain.0 + 1;
        }
    }

    /// Offers the free paths of a domain that has some.
    #[inline(never)]
    fn offer(&mut self, domain: DomainId, now: Time) {
        loop {
            let commands_first = self.scheduler.order == TransferOrder::CommandsFirst;
            let started = commands_first && self.start_commands_first(domain, now)
                || self.start_data(domain, now)
                || !commands_first && self.start_commands(domain, now);
            if !started || !self.paths.fabric.may_start(domain) {
                break;
            }
        }
    }

    /// [`Route::start_commands`], kept apart so that the usual order has it in line.
    #[inline(never)]
    fn start_commands_first(&mut self, domain: DomainId, now: Time) -> bool {
        self.start_commands(domain, now)
    }

    /// Starts a command: of a LUN that waits in the middle of a copy, or else a new one.
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

    /// Sends read data over a free path, or over the one that their LUN holds.
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
        let mut group = FlashPageGroup::<X>::of(id);
        while let Some(id) = group.next(&self.work.transactions) {
            self.charge_path_wait(id, port_free_at, now);
        }
        let transfer = Transfer { chip, direction: Direction::FromChip, command: Time::ZERO, data };
        let events = &mut self.events;
        let lun = self.layout.lun_of(plane);
        self.paths.start_data(lun, transfer, Payload::Data(id), now, fabric_events!(events));
        self.watch_wires();
    }

    /// Charges what data have waited for between array and wires: their own chip's port, then a path.
    #[inline(always)]
    pub(super) fn charge_path_wait(&mut self, id: TransactionId, port_free_at: Time, now: Time) {
        let own = port_free_at.saturating_sub(self.work.transactions[id].account.since);
        self.work.charge_page_up_to(id, Cause::ChipBusyUser, own, now);
        self.work.charge_path_conflict(id, now);
    }

    /// Starts the next command in round robin order among the domain's LUNs.
    #[inline(always)]
    fn start_command(&mut self, domain: DomainId, now: Time) -> bool {
        if self.scheduler.queues.must_poll() {
            return self.poll_all(domain, now);
        }
        let mut walk = self.scheduler.walk(domain);
        while let Some(lun) = self.scheduler.next_ready(domain, &mut walk) {
            if self.try_command(domain, lun, now) {
                return true;
            }
        }
        false
    }

    /// Visits every LUN whether it has work or not, for the round robin that notices.
    #[inline(never)]
    fn poll_all(&mut self, domain: DomainId, now: Time) -> bool {
        for lun in self.scheduler.all_luns(domain) {
            if self.free_planes(lun) == 0 && !self.can_act(lun) {
                self.scheduler.queues.poll(lun);
            } else if self.try_command(domain, lun, now) {
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

    /// Forms a command for a LUN and sends it, if a path is free and there is one.
    #[inline(always)]
    fn try_command(&mut self, domain: DomainId, lun: LunId, now: Time) -> bool {
        if !self.paths.fabric.is_free(self.layout.chip_of(lun), Direction::ToChip) {
            return false;
        }
        let Some(command) = self.next_command(lun, now) else {
            self.scheduler.set_blocked(lun);
            self.settle_suspension(lun, now);
            return false;
        };
        self.scheduler.pass_turn(domain, lun);
        self.send_command(lun, command, now);
        true
    }

    /// Forms the LUN's next command. A LUN at work may put that aside instead.
    #[inline(always)]
    fn next_command(&mut self, lun: LunId, now: Time) -> Option<Command> {
        if X::SUSPENSION && self.flash.suspensions.is_on() && !self.takes_commands(lun, now) {
            return None;
        }
        let look = IssueContext {
            served: self.served(lun),
            free: self.free_planes(lun),
            gc_urgent: self.ftl.is_urgent(lun),
            now,
        };
        self.scheduler.queues.next_command(lun, &look, &mut self.work.transactions, &self.ftl.readiness())
    }

    #[inline(always)]
    fn send_command(&mut self, lun: LunId, command: Command, now: Time) {
        let chip = self.layout.chip_of(lun);
        let port_free_at = self.paths.fabric.port_free_at(chip, Direction::ToChip);
        let mut data = Time::ZERO;
        for &first in command.transactions() {
            let (mut waited, mut placed) = (FlashPageGroup::<X>::of(first), FlashPageGroup::<X>::of(first));
            while let Some(id) = waited.next(&self.work.transactions) {
                self.ftl.charge_stall(&mut self.work, id, now);
                self.flash.charge_wait(id, lun, port_free_at, &mut self.work, now);
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
        self.flash.begin(lun, command, &self.work, now);
        if X::SUSPENSION {
            self.refresh(lun);
        } else {
            self.scheduler.set_blocked(lun);
        }
        let transfer = Transfer { chip, direction: Direction::ToChip, command: wires, data };
        let events = &mut self.events;
        self.paths.start(transfer, Payload::Command(lun), now, fabric_events!(events));
        self.watch_wires();
    }
}
