//! Transactions of one flash page, which go together: a chain through the transactions themselves.

use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::TransactionId;

/// A walk over a transaction and its mates. Each may be removed once it has been given.
pub struct Mates(TransactionId);

impl Mates {
    /// From the first one on.
    pub fn of(first: TransactionId) -> Mates {
        Mates(first)
    }

    /// The next one.
    pub fn next(&mut self, transactions: &Transactions) -> Option<TransactionId> {
        let id = self.0;
        if !id.is_some() {
            return None;
        }
        self.0 = transactions[id].mate;
        Some(id)
    }

    /// The next one, which goes its own way from now on.
    pub fn part(&mut self, transactions: &mut Transactions) -> Option<TransactionId> {
        let id = self.0;
        if !id.is_some() {
            return None;
        }
        self.0 = std::mem::replace(&mut transactions[id].mate, TransactionId::NONE);
        Some(id)
    }
}

/// Bytes of a transaction and its mates.
pub fn bytes_of(first: TransactionId, transactions: &Transactions) -> u64 {
    let (mut mates, mut bytes) = (Mates::of(first), 0);
    while let Some(id) = mates.next(transactions) {
        bytes += u64::from(transactions[id].bytes);
    }
    bytes
}
