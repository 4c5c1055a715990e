//! How long transactions can be expected to occupy their units: what the scheduler's estimates go by.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::UnitId;
use crate::measure::probe::Probe;
use crate::scheduler::flin::Arrival;
use crate::scheduler::transaction::TransactionId;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// What is known of a transaction when it comes to its unit.
    pub(super) fn expected(&self, id: TransactionId, unit: UnitId, now: Time) -> Arrival {
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
