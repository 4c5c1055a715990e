//! Where time went, in few words: most pages and requests are charged a handful of times before they are done, and a million of
//! them may wait.

use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::measure::blame::{Cause, Ledger};
use crate::typed_id;

typed_id!(
    /// A ledger in full.
    LedgerId
);

/// The ledgers of those that were charged more often than is noted in short.
pub type Ledgers = Slab<LedgerId, Ledger>;

/// Charges that are noted in short.
const SHORT: usize = 8;

/// Bits of a charge's span; the cause is above them.
const SPAN_BITS: u32 = 56;

/// The longest span that is noted in short.
const SPAN: u64 = (1 << SPAN_BITS) - 1;

/// Charges in the order in which they were made. What does not fit goes into a ledger.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Charges {
    short: [u64; SHORT],
    length: u32,
    /// Holds the charges that are no longer noted in short, if there are any.
    pub ledger: LedgerId,
}

impl Charges {
    /// No charges.
    pub const NONE: Charges = Charges { short: [0; SHORT], length: 0, ledger: LedgerId::NONE };

    /// Enters a charge.
    #[inline(always)]
    pub fn enter(&mut self, cause: Cause, span: Time, ledgers: &mut Ledgers) {
        match self.short.get_mut(self.length as usize) {
            Some(next) if span.0 <= SPAN => {
                *next = (cause as u64) << SPAN_BITS | span.0;
                self.length += 1;
            }
            _ => self.enter_merged(cause, span, ledgers),
        }
    }

    /// Enters a charge where there is no room: with one of the same cause, or where making one of such ones makes room, or else into
    /// the ledger.
    #[inline(never)]
    fn enter_merged(&mut self, cause: Cause, span: Time, ledgers: &mut Ledgers) {
        let same = self.short[..self.length as usize].iter_mut().find(|sum| **sum >> SPAN_BITS == cause as u64);
        if let Some(sum) = same.filter(|sum| (**sum & SPAN) + span.0 <= SPAN) {
            *sum += span.0;
            return;
        }
        let mut merged = 0;
        for next in 0..self.length as usize {
            let charge = self.short[next];
            let same = self.short[..merged].iter_mut().find(|sum| **sum >> SPAN_BITS == charge >> SPAN_BITS);
            match same {
                Some(sum) if (*sum & SPAN) + (charge & SPAN) <= SPAN => *sum += charge & SPAN,
                _ => {
                    self.short[merged] = charge;
                    merged += 1;
                }
            }
        }
        self.length = merged as u32;
        if merged < SHORT && span.0 <= SPAN {
            self.enter(cause, span, ledgers);
        } else {
            self.enter_in_full(cause, span, ledgers);
        }
    }

    /// Moves everything into the ledger, and a charge with it.
    fn enter_in_full(&mut self, cause: Cause, span: Time, ledgers: &mut Ledgers) {
        if !self.ledger.is_some() {
            self.ledger = ledgers.insert(Ledger::EMPTY);
        }
        let ledger = &mut ledgers[self.ledger];
        self.noted().for_each(|(cause, span)| ledger.0[cause] += span);
        ledger.charge(cause, span);
        self.length = 0;
    }

    /// Charges noted in short: causes by number, with spans.
    #[inline(always)]
    fn noted(&self) -> impl Iterator<Item = (usize, Time)> + '_ {
        let short = &self.short[..self.length as usize];
        short.iter().map(|&charge| ((charge >> SPAN_BITS) as usize, Time(charge & SPAN)))
    }

    /// The time charged to a cause.
    #[inline(always)]
    pub fn get(&self, cause: Cause, ledgers: &Ledgers) -> Time {
        let mut sum = if self.ledger.is_some() { ledgers[self.ledger].get(cause) } else { Time::ZERO };
        self.noted().filter(|&(of, _)| of == cause as usize).for_each(|(_, span)| sum += span);
        sum
    }

    /// Adds all charges to another ledger.
    #[inline(always)]
    pub fn add_to(&self, ledger: &mut Ledger, ledgers: &Ledgers) {
        self.noted().for_each(|(cause, span)| ledger.0[cause] += span);
        if self.ledger.is_some() {
            ledger.add(&ledgers[self.ledger]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// However many and however long, the charges are those of a ledger.
        #[test]
        fn charges_add_up(charges in prop::collection::vec((0..Cause::ALL.len(), 0u64..1 << 58), 0..40)) {
            let (mut short, mut ledgers, mut expected) = (Charges::NONE, Ledgers::new(), Ledger::EMPTY);
            for (cause, span) in charges {
                short.enter(Cause::ALL[cause], Time(span), &mut ledgers);
                expected.charge(Cause::ALL[cause], Time(span));
            }
            for cause in Cause::ALL {
                let mut sum = Ledger::EMPTY;
                short.add_to(&mut sum, &ledgers);
                prop_assert_eq!(&sum, &expected);
                prop_assert_eq!(short.get(cause, &ledgers), expected.get(cause));
            }
        }
    }
}
