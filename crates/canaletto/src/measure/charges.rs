//! Where time went, in few words: a million pages and requests may wait, and most are charged for a handful of causes.

use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::measure::blame::{CAUSES, Cause, Ledger};
use crate::typed_id;

typed_id!(
    /// A ledger in full.
    LedgerId
);

/// The ledgers of what was charged for several causes that few meet.
pub type Ledgers = Slab<LedgerId, Ledger>;

/// Causes with their own sum.
const COMMON: usize = 5;

/// Causes that most requests meet outside their pages.
pub const OF_REQUEST: [Cause; COMMON] =
    [Cause::HostQueue, Cause::HostLink, Cause::DeviceQueue, Cause::Completion, Cause::Cache];

/// Causes that most pages meet which are read.
pub const OF_READ: [Cause; COMMON] =
    [Cause::ChipBusyUser, Cause::PathConflict, Cause::CommandTransfer, Cause::ArrayRead, Cause::DataTransfer];

/// Causes that most pages meet which are programmed. No page of a request is both, so that one sum serves both operations.
pub const OF_PROGRAM: [Cause; COMMON] =
    [Cause::ChipBusyUser, Cause::PathConflict, Cause::CommandTransfer, Cause::ArrayProgram, Cause::DataTransfer];

const PATH_CONFLICT: usize = 1;

/// Place of each cause among the sums, [`COMMON`] for those that have none.
const fn places(tables: &[[Cause; COMMON]]) -> [u8; CAUSES] {
    let mut places = [COMMON as u8; CAUSES];
    let mut table = 0;
    while table < tables.len() {
        let mut place = 0;
        while place < COMMON {
            places[tables[table][place] as usize] = place as u8;
            place += 1;
        }
        table += 1;
    }
    places
}

const PLACES_OF_PAGE: [u8; CAUSES] = places(&[OF_READ, OF_PROGRAM]);
const PLACES_OF_REQUEST: [u8; CAUSES] = places(&[OF_REQUEST]);

/// Bits of the span of another cause. Its number plus one is above them, or [`IN_LEDGER`].
const SPAN_BITS: u32 = 56;

/// The longest span that is noted without a ledger.
const SPAN: u64 = (1 << SPAN_BITS) - 1;

/// Says that the bits of the span hold the number of a ledger.
const IN_LEDGER: u64 = 0xff;

/// Charges of a page or of a request.
#[derive(Clone, Copy, Debug)]
pub struct Charges<const OF_PAGE: bool> {
    sums: [Time; COMMON],
    /// One other cause with its span, or the number of the ledger that has all others; 0 if there is none.
    other: u64,
}

/// Charges of a page.
pub type PageCharges = Charges<true>;
/// Charges of a request outside its pages.
pub type RequestCharges = Charges<false>;

impl<const OF_PAGE: bool> Charges<OF_PAGE> {
    /// No charges.
    pub const NONE: Self = Charges { sums: [Time::ZERO; COMMON], other: 0 };

    /// Enters a charge.
    #[inline(always)]
    pub fn enter(&mut self, cause: Cause, span: Time, ledgers: &mut Ledgers) {
        let places = if OF_PAGE { &PLACES_OF_PAGE } else { &PLACES_OF_REQUEST };
        match self.sums.get_mut(usize::from(places[cause as usize])) {
            Some(sum) => *sum += span,
            None if span == Time::ZERO => {}
            None => self.enter_other(cause, span, ledgers),
        }
    }

    /// Enters a charge for a cause without its own sum.
    #[inline(never)]
    fn enter_other(&mut self, cause: Cause, span: Time, ledgers: &mut Ledgers) {
        if let Some(ledger) = self.ledger() {
            return ledgers[ledger].charge(cause, span);
        }
        let (tag, before) = (self.other >> SPAN_BITS, self.other & SPAN);
        let sum = before.saturating_add(span.0);
        let own_tag = cause as u64 + 1;
        if sum <= SPAN && (tag == 0 || tag == own_tag) {
            self.other = own_tag << SPAN_BITS | sum;
            return;
        }
        let mut ledger = Ledger::EMPTY;
        if tag != 0 {
            ledger.charge(Cause::ALL[tag as usize - 1], Time(before));
        }
        ledger.charge(cause, span);
        self.other = IN_LEDGER << SPAN_BITS | u64::from(ledgers.insert(ledger).0);
    }

    /// The ledger of other causes, if there is one.
    #[inline(always)]
    pub fn ledger(&self) -> Option<LedgerId> {
        (self.other >> SPAN_BITS == IN_LEDGER).then_some(LedgerId(self.other as u32))
    }

    /// Adds all charges to another ledger; `common` names the causes of the sums.
    #[inline(always)]
    pub fn add_to(&self, ledger: &mut Ledger, common: &[Cause; COMMON], ledgers: &Ledgers) {
        (0..COMMON).for_each(|place| ledger.charge(common[place], self.sums[place]));
        if self.other != 0 {
            self.add_other_to(ledger, ledgers);
        }
    }

    #[inline(never)]
    fn add_other_to(&self, ledger: &mut Ledger, ledgers: &Ledgers) {
        match self.ledger() {
            Some(others) => ledger.add(&ledgers[others]),
            None => ledger.0[(self.other >> SPAN_BITS) as usize - 1] += Time(self.other & SPAN),
        }
    }
}

impl PageCharges {
    /// The time charged to conflicts for paths.
    #[inline(always)]
    pub fn path_conflict(&self) -> Time {
        self.sums[PATH_CONFLICT]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const OF_PAGE: bool>(charges: &[(Cause, u64)], common: &[Cause; COMMON]) -> Result<(), TestCaseError> {
        let (mut short, mut ledgers, mut expected) = (Charges::<OF_PAGE>::NONE, Ledgers::new(), Ledger::EMPTY);
        for &(cause, span) in charges {
            short.enter(cause, Time(span), &mut ledgers);
            expected.charge(cause, Time(span));
        }
        let mut sum = Ledger::EMPTY;
        short.add_to(&mut sum, common, &ledgers);
        prop_assert_eq!(&sum, &expected);
        Ok(())
    }

    proptest! {
        /// However many and however long, the charges are those of a ledger.
        #[test]
        fn charges_add_up(charges in prop::collection::vec((0..CAUSES, 0u64..1 << 58), 0..12), program: bool) {
            let charges: Vec<_> = charges.into_iter().map(|(cause, span)| (Cause::ALL[cause], span)).collect();
            check::<false>(&charges, &OF_REQUEST)?;
            let not = if program { Cause::ArrayRead } else { Cause::ArrayProgram };
            let of_page: Vec<_> = charges.into_iter().filter(|&(cause, _)| cause != not).collect();
            check::<true>(&of_page, if program { &OF_PROGRAM } else { &OF_READ })?;
        }
    }
}
