//! Commands side by side in a LUN.

use super::{Event, Route};
use crate::engine::time::Time;
use crate::fabric::{Fabric, TransferDone};
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::queues::{FreePlanes, IssueContext};

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline(never)]
    pub(super) fn next_beside(&mut self, lun: LunId, look: &IssueContext) -> Option<Command> {
        // Even if it brings data, for which there may be no path now.
        let all = IssueContext { served: self.served(lun), ..*look };
        if self.flash.lanes.drains(lun) {
            if let Some(command) = self.first_command(lun, &IssueContext { free: look.free.but_reads(), ..*look }) {
                return Some(command);
            }
            // It may wait for a register, or be gone.
            let every = FreePlanes::all(u64::MAX).but_reads();
            let (queues, transactions) = (&self.scheduler.queues, &self.pages.transactions);
            if queues.waits(lun, all.served, every, transactions, &self.ftl.readiness()) {
                return None;
            }
            self.flash.lanes.set_drains(lun, false);
        }
        if look.free.is_for_programs_alone() && self.first_operation(lun, &all) != Some(Operation::Program) {
            return None;
        }
        if !self.flash.lanes.is_reading(lun) {
            return self.first_command(lun, look);
        }
        let command = self.first_command(lun, look);
        if command.is_none() {
            let takes_all = self.first_operation(lun, &all).is_some_and(|operation| operation != Operation::Read);
            self.flash.lanes.set_drains(lun, takes_all);
        }
        command
    }

    fn first_command(&mut self, lun: LunId, look: &IssueContext) -> Option<Command> {
        self.scheduler.queues.next_command(lun, look, &mut self.pages.transactions, &self.ftl.readiness())
    }

    fn first_operation(&self, lun: LunId, look: &IssueContext) -> Option<Operation> {
        self.scheduler.queues.first_operation(lun, look, &self.pages.transactions, &self.ftl.readiness())
    }

    #[inline(never)]
    pub(super) fn lane_rests(&mut self, lane: LunId, now: Time) {
        let Some((next, begins)) = self.flash.lane_rests(lane, now) else { return };
        let command = *self.flash.command(next);
        self.pages.charge_flash_pages(command.transactions(), Cause::ChipBusyUser, now);
        let ends = self.flash.work_from(next, begins, &mut self.pages);
        self.events.push(ends, Event::ArrayDone(next));
        self.schedule_polls(next);
    }

    #[inline(always)]
    pub(super) fn tell_sent(&mut self, lane: LunId, port_free_at: Time, now: Time) {
        if self.pages.probe.follows_waits() {
            let lun = self.flash.lun_of(lane);
            match self.flash.works_beside(lane) {
                true => self.pages.root_causes.command_sent_beside(lun, now),
                false => self.pages.root_causes.command_sent(lun, port_free_at, now),
            }
        }
    }

    #[inline(always)]
    pub(super) fn tell_crossed(&mut self, lane: LunId, crossed: &TransferDone, now: Time) {
        if self.pages.probe.follows_waits() && !self.flash.works_beside(lane) {
            let seen_as = self.flash.seen_as(lane, &self.pages);
            self.pages.root_causes.command_crossed(self.flash.lun_of(lane), crossed, seen_as, now);
        }
    }

    #[inline(always)]
    pub(super) fn tell_ended(&mut self, lane: LunId, goes_on: bool, now: Time) {
        if self.pages.probe.follows_waits() && !self.flash.works_beside(lane) {
            self.pages.root_causes.array_ended(self.flash.lun_of(lane), goes_on, now);
        }
    }
}
