use super::{Event, Route};
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::{LunId, PlaneId};
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::{ArrayStep, Probe};
use crate::measure::root_cause::Ended;
use crate::scheduler::Midway;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Flag, Origin, TransactionId};

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline(always)]
    pub(super) fn array_done(&mut self, lun: LunId, now: Time) {
        // A suspended operation's end may have been due at the same time.
        let is_known = self.flash.statuses.is_done(lun);
        if !self.flash.has_ended(lun, now) || is_known || self.suspension_moves(lun, now) {
            return;
        }
        if self.pages.probe.watches_wires() {
            let command = *self.flash.command(lun);
            self.flash.tell_of_step(lun, &command, ArrayStep::Ends, (now, now), &mut self.pages);
        }
        if self.flash.lanes.are_on() && !self.flash.is_plain_read(lun) {
            self.lane_rests(lun, now);
        }
        if self.flash.statuses.concern(self.flash.command(lun).operation) {
            return self.array_awaits_status(lun, now);
        }
        self.command_done(lun, now);
    }

    #[inline(always)]
    pub(super) fn command_done(&mut self, lane: LunId, now: Time) {
        let command = *self.flash.command(lane);
        let worked = self.flash.count_ended(&command, &self.pages);
        let lun = self.flash.lun_of(lane);
        match command.operation {
            Operation::Read => self.reads_done(lun, lane, &command, worked, now),
            Operation::Program => self.programs_done(lun, lane, &command, worked, now),
            Operation::Erase => self.erases_done(lun, &command, worked, now),
        }
        self.settle_suspension(lun, now);
        self.refresh_and_offer(lun, true);
    }

    #[inline(always)]
    fn reads_done(&mut self, lun: LunId, lane: LunId, command: &Command, worked: Time, now: Time) {
        let mut copies: Option<Command> = None;
        let origin = self.pages.transactions[command.transactions()[0]].origin;
        for &first in command.transactions() {
            self.pages.charge_flash_pages(&[first], Cause::ArrayRead, now);
            let t = &self.pages.transactions[first];
            let (at, special, computes) = (t.ppa, t.is_any(Flag::Copyback, Flag::Computes), t.is(Flag::Computes));
            self.ftl.flash_page_read(at);
            if self.flash.cache_reads.is_on() && self.flash.is_read_behind(lun, first, at.plane) {
                self.flash.draw_read_failure(first, &mut self.pages);
                self.move_up(lun, at.plane, now);
                continue;
            }
            self.flash.fill_register(lun, at.plane, &mut self.pages, now);
            if special {
                if !computes {
                    if let Some(first) = self.bind_copyback(first, lun, now) {
                        copies.get_or_insert(Command::new(Operation::Program)).push(first);
                    }
                    continue;
                }
                if !self.operand_read(first, now) {
                    self.flash.draw_read_failure(first, &mut self.pages);
                    continue;
                }
            }
            self.flash.draw_read_failure(first, &mut self.pages);
            if !self.paths.add_page(lun, first) {
                self.scheduler.line_up_data(first, origin, lun);
            }
        }
        if let Some(copies) = copies {
            self.flash.copybacks.hold(lun, copies);
        }
        self.array_is_free(lane, worked, now);
        match self.paths.next_page(lun) {
            Some(first) => self.send_data(first, now),
            // Operands that stay, or wait for a unit, give a held path back.
            None if origin == Origin::Operand => self.release_held(lun, now),
            None => {}
        }
    }

    pub(super) fn move_up(&mut self, lun: LunId, plane: PlaneId, now: Time) {
        if let Some(time) = self.flash.move_up(lun, plane, &mut self.pages, now) {
            self.events.push(time, Event::MovedUp(plane));
        }
    }

    #[inline(never)]
    pub(super) fn moved_up(&mut self, plane: PlaneId, now: Time) {
        let lun = self.layout.lun_of(plane);
        let first = self.flash.moved_up(lun, plane, &mut self.pages, now);
        if !self.pages.transactions[first].is(Flag::Computes) || self.operand_read(first, now) {
            self.scheduler.line_up_data(first, self.pages.transactions[first].origin, lun);
        }
        self.refresh_and_offer(lun, true);
    }

    #[inline(never)]
    fn programs_done(&mut self, lun: LunId, lane: LunId, command: &Command, worked: Time, now: Time) {
        self.release_held(lun, now);
        for &first in command.transactions() {
            self.flash_page_programmed(first, lun, now);
        }
        self.array_is_free(lane, worked, now);
    }

    #[inline(never)]
    fn erases_done(&mut self, lun: LunId, command: &Command, worked: Time, now: Time) {
        self.release_held(lun, now);
        for &id in command.transactions() {
            if self.pages.probe.follows_waits() {
                self.pages.root_causes.charge_page(id, Cause::ChipBusyErase, now);
                self.pages.root_causes.ends(Ended::Erase, id);
            }
            let failed = self.flash.erase_fails(self.pages.transactions[id].ppa.plane);
            self.ftl.room.count_out(lun);
            self.ftl.erased(&mut self.pages, id, failed, now);
            self.carry_out(now);
        }
        self.flash.array.array_done(lun, worked, now);
        self.tell_ended(lun, false, now);
    }

    #[inline]
    fn flash_page_programmed(&mut self, first: TransactionId, lun: LunId, now: Time) {
        self.ftl.upkeep.wear.programmed(self.pages.transactions[first].ppa, now);
        let plane = self.pages.transactions[first].ppa.plane;
        // A copy, as it is removed before its parity is due.
        let write = self.ftl.has_parity().then(|| self.pages.transactions[first]);
        let again = self.flash.program_fails(plane).then(|| self.ftl.retire_failed(&self.pages, first));
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.part(&mut self.pages.transactions) {
            self.ftl.room.count_out(lun);
            self.pages.charge_page(id, Cause::ArrayProgram, now);
            match (again, self.pages.transactions[id].origin) {
                (failed, Origin::Parity) => self.ftl.parity_programmed(&mut self.pages, id, failed.is_some(), now),
                (Some(again), _) => self.ftl.program_failed(&mut self.pages, id, again, now),
                (None, Origin::Gc) => self.ftl.copy_programmed(&mut self.pages, id, now),
                (None, Origin::Mapping) => self.ftl.translation_programmed(&mut self.pages, id, now),
                (None, _) => self.ftl.host_page_programmed(&mut self.pages, id, now),
            }
            self.carry_out(now);
        }
        if let Some(write) = write {
            self.ftl.send_due_parity(&mut self.pages, &write, now);
            self.carry_out(now);
        }
    }

    #[inline(always)]
    pub(super) fn array_is_free(&mut self, lun: LunId, worked: Time, now: Time) {
        let goes_on = self.flash.end(lun, worked, now);
        self.tell_ended(lun, goes_on, now);
        if goes_on {
            self.line_up_midway(lun, Midway::Copyback);
        }
    }
}
