//! Transactions come to their LUNs' queues.

use super::Route;
use crate::engine::features::Features;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::address::LunId;
use crate::measure::probe::Probe;
use crate::scheduler::flin::Arrival;
use crate::scheduler::queues::Served;
use crate::scheduler::transaction::TransactionId;

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Queues a transaction on its LUN.
    #[inline(never)]
    pub(super) fn issue(&mut self, id: TransactionId, now: Time) {
        let lun = self.comes_to_lun(id, now);
        if X::FAIR_SCHEDULING && self.scheduler.queues.are_fair() {
            let arrival = self.expected(id, lun, now);
            self.scheduler.queues.push_fairly(lun, id, &arrival, &mut self.work.transactions);
        } else {
            self.scheduler.queues.push(lun, id, &mut self.work.transactions);
        }
        self.refresh(lun);
    }

    /// Queues a transaction on its LUN, before others of its kind.
    pub(super) fn issue_first(&mut self, id: TransactionId, now: Time) {
        let lun = self.comes_to_lun(id, now);
        if X::FAIR_SCHEDULING && self.scheduler.queues.are_fair() {
            let arrival = self.expected(id, lun, now);
            self.scheduler.queues.push_first_fairly(lun, id, &arrival, &mut self.work.transactions);
        } else {
            self.scheduler.queues.push_first(lun, id, &mut self.work.transactions);
        }
        self.refresh(lun);
    }

    #[inline(always)]
    fn comes_to_lun(&mut self, id: TransactionId, now: Time) -> LunId {
        let lun = self.layout.lun_of(self.work.transactions[id].ppa.plane);
        self.mark_wait(id, lun, now);
        lun
    }

    /// Notes the clocks from which a waiting transaction is charged when it is issued.
    #[inline(always)]
    pub(super) fn mark_wait(&mut self, id: TransactionId, lun: LunId, now: Time) {
        self.flash.mark_wait(id, lun, &mut self.work, now);
        self.ftl.mark_stall(&mut self.work, id, now);
    }

    /// Returns the expected times of a transaction that comes to its LUN.
    fn expected(&self, id: TransactionId, lun: LunId, now: Time) -> Arrival {
        let at_work = &self.flash.array.luns[lun.index()];
        let busy = match at_work.due {
            _ if !at_work.busy => Time::ZERO,
            // Still on the wires.
            Time::MAX => self.expected_service(at_work.command.transactions()[0]),
            due => due.saturating_sub(now),
        };
        Arrival { now, service: self.expected_service(id), busy }
    }

    /// Command, array and transfer of one page; the mean of all kinds of page for a write that has no page yet.
    fn expected_service(&self, id: TransactionId) -> Time {
        let t = &self.work.transactions[id];
        let data = self.paths.fabric.data_time(t.operation, u64::from(t.bytes));
        self.paths.fabric.command_time(t.operation, 1) + self.flash.expected_time(id, &self.work) + data
    }

    /// Puts a LUN in or out of its domain's round robin, as something about it has changed.
    #[inline(always)]
    pub(super) fn refresh(&mut self, lun: LunId) {
        let ready = self.can_act(lun);
        self.scheduler.set_ready(lun, ready);
    }

    /// Planes of the LUN that can take a command now: none while it holds a path, whose data come first.
    #[inline]
    pub(super) fn free_planes(&self, lun: LunId) -> u64 {
        if self.paths.is_holding(lun) { 0 } else { self.flash.array.free_planes(lun) }
    }

    /// Transactions that the LUN may be given now.
    #[inline]
    pub(super) fn served(&self, lun: LunId) -> Served {
        if X::SUSPENSION { self.flash.suspensions.served(lun) } else { Served::All }
    }
}
