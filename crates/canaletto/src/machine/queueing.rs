//! Transactions come to their units, with what a fair scheduler must know of them: how long they can be expected to take.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::UnitId;
use crate::measure::probe::Probe;
use crate::scheduler::flin::Arrival;
use crate::scheduler::transaction::TransactionId;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Queues a transaction on its unit.
    pub(super) fn enqueue(&mut self, id: TransactionId, now: Time) {
        self.line_up(id, false, now);
    }

    /// Queues a transaction on its unit, before others of its kind.
    pub(super) fn enqueue_first(&mut self, id: TransactionId, now: Time) {
        self.line_up(id, true, now);
    }

    #[inline]
    fn line_up(&mut self, id: TransactionId, is_first: bool, now: Time) {
        let unit = self.layout.unit_of(self.transactions[id].ppa.plane);
        self.mark_wait(id, unit, now);
        let transaction = self.transactions[id];
        self.count_in(&transaction, unit);
        match is_first {
            _ if self.queues.are_fair() => self.line_up_fairly(id, unit, is_first, now),
            true => self.queues.push_first(unit, id, &mut self.transactions),
            false => self.queues.push(unit, id, &mut self.transactions),
        }
        self.refresh_ready(unit);
    }

    /// Likewise where flows are scheduled fairly. Kept out of the way of those who schedule plainly.
    #[inline(never)]
    fn line_up_fairly(&mut self, id: TransactionId, unit: UnitId, is_first: bool, now: Time) {
        let arrival = self.expected(id, unit, now);
        if is_first {
            self.queues.push_first_fairly(unit, id, &arrival, &mut self.transactions);
        } else {
            self.queues.push_fairly(unit, id, &arrival, &mut self.transactions);
        }
    }

    /// What is known of a transaction when it comes to its unit.
    fn expected(&self, id: TransactionId, unit: UnitId, now: Time) -> Arrival {
        let at_work = &self.array.units[unit.index()];
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
        let t = &self.transactions[id];
        let array = if t.ppa.is_bound() {
            self.timing.get(t.operation, self.layout.flash_page(t.ppa))
        } else {
            self.timing.mean(t.operation)
        };
        let data = self.fabric.data_time(t.operation, u64::from(t.bytes));
        self.fabric.command_time(t.operation, 1) + array + data
    }
}
