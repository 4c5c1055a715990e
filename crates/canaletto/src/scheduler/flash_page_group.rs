//! Transactions of one flash page, which go together: a chain through the transactions themselves.

use std::marker::PhantomData;

use crate::engine::features::Features;
use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::TransactionId;

/// A walk over a transaction and the others of its flash page. Each may be removed once it has been given. Without flash pages
/// of several pages, a transaction is alone.
pub struct FlashPageGroup<X> {
    next: Option<TransactionId>,
    features: PhantomData<X>,
}

impl<X: Features> FlashPageGroup<X> {
    /// From the first one on.
    #[inline]
    pub fn of(first: TransactionId) -> Self {
        FlashPageGroup { next: Some(first), features: PhantomData }
    }

    /// The next one.
    #[inline]
    pub fn next(&mut self, transactions: &Transactions) -> Option<TransactionId> {
        let id = self.next.take()?;
        if X::SHARED_FLASH_PAGES {
            self.next = Some(transactions[id].next_in_flash_page).filter(|next| next.is_some());
        }
        Some(id)
    }

    /// The next one, which goes its own way from now on.
    #[inline]
    pub fn part(&mut self, transactions: &mut Transactions) -> Option<TransactionId> {
        let id = self.next(transactions)?;
        if X::SHARED_FLASH_PAGES {
            transactions[id].next_in_flash_page = TransactionId::NONE;
        }
        Some(id)
    }
}

/// Bytes of a transaction and the others of its flash page.
#[inline]
pub fn bytes_of<X: Features>(first: TransactionId, transactions: &Transactions) -> u64 {
    let (mut group, mut bytes) = (FlashPageGroup::<X>::of(first), 0);
    while let Some(id) = group.next(transactions) {
        bytes += u64::from(transactions[id].bytes);
    }
    bytes
}
