//! Writes of one request on their way to the chips: those that a flash page has room for go together.
//!
//! Sent one by one, the first to pass the controller would find its chip idle and be programmed alone.

use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};

/// Writes that set out at one moment.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct Outbound {
    /// How many want writes gathered: a part of the drive may do so on behalf of another.
    gathers: u32,
    writes: Vec<TransactionId>,
}

impl Outbound {
    /// Keeps a write until all that set out with it are known. Returns whether it does.
    pub fn keeps(&mut self, id: TransactionId) -> bool {
        if self.gathers > 0 {
            self.writes.push(id);
        }
        self.gathers > 0
    }
}

impl Ftl {
    /// Writes that follow set out together, until [`Ftl::send_gathered`].
    #[inline]
    pub fn gather(&mut self) {
        self.outbound.gathers += u32::from(self.layout.pages_per_flash_page() > 1);
    }

    /// Sends the gathered writes.
    #[inline]
    pub fn send_gathered<P: Probe>(&mut self, work: &mut InFlight<'_, P>) {
        if self.outbound.gathers == 0 {
            return;
        }
        self.outbound.gathers -= 1;
        if self.outbound.gathers > 0 {
            return;
        }
        let mut writes = std::mem::take(&mut self.outbound.writes);
        let most = self.layout.pages_per_flash_page() as usize;
        let together = |a: &Transaction, b: &Transaction| {
            (a.ppa.plane, a.request, a.origin, a.stage) == (b.ppa.plane, b.request, b.origin, b.stage)
        };
        let mut from = 0;
        while from < writes.len() {
            let first = writes[from];
            let mut until = from + 1;
            while until < writes.len()
                && until - from < most
                && together(&work.transactions[first], &work.transactions[writes[until]])
            {
                work.transactions[writes[until - 1]].next_in_flash_page = writes[until];
                until += 1;
            }
            self.tell(Outcome::Outbound(first));
            from = until;
        }
        writes.clear();
        self.outbound.writes = writes;
    }

    /// Sends a write's data towards the chip.
    pub fn send_data_out(&mut self, id: TransactionId) {
        if !self.outbound.keeps(id) {
            self.tell(Outcome::Outbound(id));
        }
    }
}
