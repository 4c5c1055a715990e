//! Transactions come to their units' queues.

use super::Route;
use crate::engine::features::Features;
use crate::fabric::Fabric;
use crate::flash::address::UnitId;
use crate::measure::probe::Probe;
use crate::scheduler::flin::Arrival;
use crate::scheduler::queues::Served;
use crate::scheduler::transaction::TransactionId;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Queues a transaction on its unit.
    #[inline(never)]
    pub(super) fn issue(&mut self, id: TransactionId, now: Time) {
        let unit = self.comes_to_unit(id, now);
        if X::FAIR_SCHEDULING && self.scheduler.queues.are_fair() {
            let arrival = self.expected(id, unit, now);
            self.scheduler.queues.push_fairly(unit, id, &arrival, &mut self.work.transactions);
        } else {
            self.scheduler.queues.push(unit, id, &mut self.work.transactions);
        }
        self.refresh(unit);
    }

    /// Queues a transaction on its unit, before others of its kind.
    pub(super) fn issue_first(&mut self, id: TransactionId, now: Time) {
        let unit = self.comes_to_unit(id, now);
        if X::FAIR_SCHEDULING && self.scheduler.queues.are_fair() {
            let arrival = self.expected(id, unit, now);
            self.scheduler.queues.push_first_fairly(unit, id, &arrival, &mut self.work.transactions);
        } else {
            self.scheduler.queues.push_first(unit, id, &mut self.work.transactions);
        }
        self.refresh(unit);
    }

    #[inline(always)]
    fn comes_to_unit(&mut self, id: TransactionId, now: Time) -> UnitId {
        let unit = self.layout.unit_of(self.work.transactions[id].ppa.plane);
        self.mark_wait(id, unit, now);
        unit
    }

    /// Notes the clocks from which a waiting transaction is charged when it is issued.
    #[inline(always)]
    pub(super) fn mark_wait(&mut self, id: TransactionId, unit: UnitId, now: Time) {
        self.flash.mark_wait(id, unit, &mut self.work, now);
        self.ftl.mark_stall(&mut self.work, id, now);
    }

    /// What is known of a transaction when it comes to its unit.
    fn expected(&self, id: TransactionId, unit: UnitId, now: Time) -> Arrival {
        let at_work = &self.flash.array.units[unit.index()];
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

    /// Puts a unit in or out of its domain's round robin, as something about it has changed.
    #[inline(always)]
    pub(super) fn refresh(&mut self, unit: UnitId) {
        let ready = self.can_act(unit);
        self.scheduler.set_ready(unit, ready);
    }

    /// Planes of the unit that can take a command now: none while it holds a path, whose data come first.
    #[inline]
    pub(super) fn free_planes(&self, unit: UnitId) -> u64 {
        if self.paths.is_holding(unit) { 0 } else { self.flash.array.free_planes(unit) }
    }

    /// Transactions that the unit may be given now.
    #[inline]
    pub(super) fn served(&self, unit: UnitId) -> Served {
        if X::SUSPENSION { self.flash.suspensions.served(unit) } else { Served::All }
    }
}
