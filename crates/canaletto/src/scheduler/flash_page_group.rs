//! Transactions of one flash page: a chain through the transactions themselves.

use crate::scheduler::transaction::TransactionId;
use crate::scheduler::transaction::Transactions;

/// Each transaction may be removed once it was given.
pub struct FlashPageGroup {
    next: TransactionId,
}

impl FlashPageGroup {
    #[inline]
    pub fn of(first: TransactionId) -> Self {
        FlashPageGroup { next: first }
    }

    #[inline(always)]
    pub fn next(&mut self, transactions: &Transactions) -> Option<TransactionId> {
        let id = self.next;
        if !id.is_some() {
            return None;
        }
        self.next = transactions[id].next_in_flash_page;
        Some(id)
    }

    #[inline(always)]
    pub fn part(&mut self, transactions: &mut Transactions) -> Option<TransactionId> {
        let id = self.next(transactions)?;
        transactions[id].next_in_flash_page = TransactionId::NONE;
        Some(id)
    }
}

#[inline]
pub fn bytes_of(first: TransactionId, transactions: &Transactions) -> u64 {
    let (mut group, mut bytes) = (FlashPageGroup::of(first), 0);
    while let Some(id) = group.next(transactions) {
        bytes += u64::from(transactions[id].bytes);
    }
    bytes
}
