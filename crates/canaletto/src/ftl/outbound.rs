//! Writes of one request, flash page by flash page: sent one by one, the first would be programmed alone.

use super::{Outcome, Outcomes};
use crate::flash::address::Layout;
use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::{Transaction, TransactionId};

pub struct Outbound {
    pages_per_flash_page: usize,
    /// Pages that may be programmed together.
    most: usize,
    gathers: u32,
    writes: Vec<TransactionId>,
}

impl Outbound {
    pub fn new(layout: &Layout) -> Outbound {
        let pages_per_flash_page = layout.pages_per_flash_page() as usize;
        Outbound { pages_per_flash_page, most: pages_per_flash_page, gathers: 0, writes: Vec::new() }
    }

    #[inline]
    pub fn gather(&mut self) {
        self.gathers += u32::from(self.pages_per_flash_page > 1);
    }

    /// Gathers pages of which that many are programmed together.
    pub fn gather_row(&mut self, most: usize) {
        (self.gathers, self.most) = (self.gathers + 1, most);
    }

    /// Or keeps it until all that set out with it are known.
    #[inline(always)]
    pub fn send(&mut self, id: TransactionId, outcomes: &mut Outcomes) {
        if self.gathers > 0 { self.writes.push(id) } else { outcomes.tell(Outcome::Outbound(id)) }
    }

    #[inline(always)]
    pub fn send_gathered(&mut self, transactions: &mut Transactions, outcomes: &mut Outcomes) {
        if self.gathers > 0 {
            self.end_gathering(transactions, outcomes);
        }
    }

    #[inline(never)]
    fn end_gathering(&mut self, transactions: &mut Transactions, outcomes: &mut Outcomes) {
        self.gathers -= 1;
        if self.gathers > 0 {
            return;
        }
        let together = |a: &Transaction, b: &Transaction| {
            (a.ppa.plane, a.request, a.origin, a.state.stage) == (b.ppa.plane, b.request, b.origin, b.state.stage)
        };
        let mut from = 0;
        while from < self.writes.len() {
            let first = self.writes[from];
            let mut until = from + 1;
            while until < self.writes.len()
                && until - from < self.most
                && together(&transactions[first], &transactions[self.writes[until]])
            {
                transactions[self.writes[until - 1]].next_in_flash_page = self.writes[until];
                until += 1;
            }
            outcomes.tell(Outcome::Outbound(first));
            from = until;
        }
        self.writes.clear();
        self.most = self.pages_per_flash_page;
    }
}
