//! Arrays finish what they were told to do.

use super::Route;
use crate::engine::features::Features;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::LunId;
use crate::flash::array::Command;
use crate::flash::interface::Operation;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Origin, TransactionId};

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// A LUN's array has finished its command, unless that has been suspended meanwhile.
    #[inline(always)]
    pub(super) fn array_done(&mut self, lun: LunId, now: Time) {
        if !self.flash.has_ended(lun, now) || X::SUSPENSION && self.suspension_moves(lun, now) {
            return;
        }
        let worked = self.flash.count_ended(lun, &self.work);
        match self.flash.command(lun).operation {
            Operation::Read => self.reads_done(lun, worked, now),
            Operation::Program => self.programs_done(lun, worked, now),
            Operation::Erase => self.erases_done(lun, worked, now),
        }
        self.settle_suspension(lun, now);
        self.refresh(lun);
        let domain = self.scheduler.domain_of(lun);
        self.scheduler.touch(domain);
    }

    /// Pages are in their registers: they wait for a path.
    #[inline(always)]
    fn reads_done(&mut self, lun: LunId, worked: Time, now: Time) {
        let mut copies = Command::new(Operation::Program);
        for place in 0..self.flash.command(lun).transactions().len() {
            let first = self.flash.command(lun).transactions()[place];
            self.work.charge_flash_pages::<X>(&[first], Cause::ArrayRead, now);
            let t = &self.work.transactions[first];
            let (at, origin, copyback) = (t.ppa, t.origin, t.copyback);
            self.ftl.flash_page_read(at);
            self.flash.fill_register(lun, at.plane, &mut self.work, now);
            if X::COPYBACK && copyback {
                self.bind_copyback(first, lun, now).into_iter().for_each(|first| copies.push(first));
                continue;
            }
            self.flash.draw_read_failure(first, &mut self.work);
            if !self.paths.add_page(lun, first) {
                self.scheduler.line_up_data(first, origin, lun);
            }
        }
        if X::COPYBACK && !copies.transactions().is_empty() {
            self.flash.copybacks.hold(lun, copies);
        }
        self.array_is_free(lun, worked, now);
        if let Some(first) = self.paths.next_page(lun) {
            self.send_data(first, now);
        }
    }

    /// Flash pages are programmed, or failed to be.
    #[inline(never)]
    fn programs_done(&mut self, lun: LunId, worked: Time, now: Time) {
        self.release_held(lun, now);
        let command = *self.flash.command(lun);
        for &first in command.transactions() {
            self.flash_page_programmed(first, lun, now);
        }
        self.array_is_free(lun, worked, now);
    }

    /// Blocks are erased, or failed to be.
    #[inline(never)]
    fn erases_done(&mut self, lun: LunId, worked: Time, now: Time) {
        self.release_held(lun, now);
        let command = *self.flash.command(lun);
        for &id in command.transactions() {
            let failed = self.flash.erase_fails();
            self.ftl.count_out(lun);
            self.ftl.erased(&mut self.work, id, failed, now);
            self.carry_out(now);
        }
        self.flash.array.array_done(lun, worked, now);
    }

    /// A flash page is programmed, or failed to be.
    #[inline]
    fn flash_page_programmed(&mut self, first: TransactionId, lun: LunId, now: Time) {
        self.ftl.flash_page_programmed(self.work.transactions[first].ppa, now);
        let again = self.flash.program_fails().then(|| self.ftl.retire_failed(&self.work, first));
        let mut group = FlashPageGroup::<X>::of(first);
        while let Some(id) = group.part(&mut self.work.transactions) {
            self.ftl.count_out(lun);
            self.work.charge_page(id, Cause::ArrayProgram, now);
            match (again, self.work.transactions[id].origin) {
                (Some(again), _) => self.ftl.program_failed(&mut self.work, id, again, now),
                (None, Origin::Gc) => self.ftl.copy_programmed(&mut self.work, id, now),
                (None, Origin::Mapping) => self.ftl.translation_programmed(&mut self.work, id, now),
                (None, _) => self.ftl.host_page_programmed(&mut self.work, id, now),
            }
            self.carry_out(now);
        }
    }

    /// The LUN's array has worked for `worked`: it is free, unless its registers hold copies to be programmed.
    #[inline(always)]
    pub(super) fn array_is_free(&mut self, lun: LunId, worked: Time, now: Time) {
        if self.flash.end(lun, worked, now) {
            self.scheduler.line_up_copyback(lun);
        }
    }
}
