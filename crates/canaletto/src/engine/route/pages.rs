//! Pages between the flash translation layer and the chips: what the layer tells, and the stages of the controller.

use super::{Event, Route};
use crate::controller::{FROM_CACHE, stage_cause};
use crate::engine::features::Features;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::interface::Operation;
use crate::ftl::Outcome;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::flash_page_group::{FlashPageGroup, bytes_of};
use crate::scheduler::transaction::{OldPage, Origin, TransactionId};

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Carries out what the flash translation layer has told since this was last done, and what follows from it: depth first.
    #[inline]
    pub(super) fn carry_out(&mut self, now: Time) {
        while self.ftl.outcomes().are_new() {
            // Most often there is one, and all it says is to queue a page.
            match self.ftl.outcomes().take_only() {
                Some(Outcome::Issue(id)) => self.issue(id, now),
                Some(outcome) => self.carry_out_one(outcome, now),
                None => self.carry_out_several(now),
            }
        }
    }

    #[inline(never)]
    fn carry_out_several(&mut self, now: Time) {
        let outer = self.ftl.outcomes().begin();
        while let Some(outcome) = self.ftl.outcomes().next(outer) {
            self.carry_out_one(outcome, now);
        }
        self.ftl.outcomes().end(outer);
    }

    #[inline(never)]
    fn carry_out_one(&mut self, outcome: Outcome, now: Time) {
        match outcome {
            Outcome::Issue(id) => self.issue(id, now),
            Outcome::IssueFirst(id) => self.issue_first(id, now),
            Outcome::Outbound(id) => self.send_out(id, now),
            Outcome::PageDone(id) => self.page_finished(id, now),
            Outcome::Destaged(id) => self.destage_landed(id, now),
            Outcome::DestageLost(id) => self.destage_lost(id, now),
            Outcome::StartSuccessor(id) => self.ftl.start_successor(&mut self.work, id, now),
            Outcome::Translated(id) => self.ftl.translated(&mut self.work, id, now),
            Outcome::MappingRead(lpa) => {
                self.ftl.end_translation_read(&mut self.work, lpa, now);
                self.scheduler.touch_all_if_noticed();
            }
            Outcome::SeatStalled(table) => self.ftl.seat_stalled(&mut self.work, table, now),
            Outcome::LunChanged(lun) => self.refresh(lun),
            Outcome::RegisterFreed(chip) => self.paths.fabric.release_register(chip),
        }
    }

    /// Sends the data of a write, and of those of its flash page, to the chip; those of a cached page come out of the cache's
    /// DRAM.
    fn send_out(&mut self, id: TransactionId, now: Time) {
        let t = &self.work.transactions[id];
        if X::DATA_CACHE && t.origin == Origin::Destage && t.stage < FROM_CACHE {
            self.read_destaged(id, now);
        } else {
            self.pass_stages(id, now);
        }
    }

    /// Sends a page on through the controller's inside: towards the host after a read, towards the chip before a write.
    #[inline(always)]
    pub(super) fn pass_stages(&mut self, id: TransactionId, now: Time) {
        let t = &self.work.transactions[id];
        let inbound = t.operation == Operation::Read;
        if X::FAILURES && t.ecc_failed && t.stage > 0 {
            return self.read_again(id, now);
        }
        if self.controller.takes_time() {
            let channel = self.layout.channel_of_plane(t.ppa.plane);
            let bytes = bytes_of::<X>(id, &self.work.transactions);
            if let Some((stage, _, time)) = self.controller.pass(inbound, t.stage, channel, bytes, now) {
                self.work.transactions[id].stage = stage;
                return self.events.push(time, Event::StageDone(id));
            }
        }
        if inbound {
            return self.read_arrived(id, now);
        }
        let mut group = FlashPageGroup::<X>::of(id);
        while let Some(id) = group.part(&mut self.work.transactions) {
            self.ftl.lines_up(&self.work.transactions[id]);
            self.issue(id, now);
        }
    }

    #[inline(never)]
    pub(super) fn stage_done(&mut self, id: TransactionId, now: Time) {
        let t = &self.work.transactions[id];
        let cause = stage_cause(t.operation == Operation::Read, t.stage);
        let mut group = FlashPageGroup::<X>::of(id);
        while let Some(id) = group.next(&self.work.transactions) {
            self.work.charge_page(id, cause, now);
            let t = &mut self.work.transactions[id];
            t.stage += 1;
            // What follows the ECC engine is as it would have been without retries.
            t.retrying &= t.ecc_failed;
        }
        self.pass_stages(id, now);
    }

    /// A page's data are in the controller's memory.
    #[inline(always)]
    fn read_arrived(&mut self, id: TransactionId, now: Time) {
        match (self.work.transactions[id].origin, self.work.transactions[id].old_page) {
            (Origin::OldPage | Origin::Mapping, OldPage::For(write)) => self.old_page_read(id, write, now),
            (Origin::Gc, _) => {
                self.ftl.copy_read(&mut self.work, id);
                self.carry_out(now);
            }
            (Origin::Mapping, _) => {
                self.ftl.translation_read(&mut self.work, id);
                self.carry_out(now);
            }
            _ => self.page_finished(id, now),
        }
    }

    /// The old page that a write needs is there: the write can be issued.
    fn old_page_read(&mut self, read: TransactionId, write: TransactionId, now: Time) {
        self.work.transactions.remove(read);
        self.work.transactions[write].old_page = OldPage::None;
        self.work.charge_page(write, Cause::ReadModifyWrite, now);
        let plane = self.work.transactions[write].ppa.plane;
        if plane.is_some() {
            let lun = self.layout.lun_of(plane);
            self.mark_wait(write, lun, now);
            self.refresh(lun);
        }
    }

    /// Reads a page once more, before whatever else its LUN has to read.
    pub(super) fn read_again(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.work.transactions[id];
        (t.ecc_failed, t.retrying, t.stage) = (false, true, 0);
        t.attempt += 1;
        self.flash.count_retry();
        self.ftl.count_in(&self.work.transactions[id]);
        self.issue_first(id, now);
    }
}
