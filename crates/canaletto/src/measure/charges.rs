//! Time by cause, in few words: a million pages may wait, and most have few causes.

use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::measure::blame::{CAUSES, Cause, Ledger};
use crate::typed_id;

typed_id!(LedgerId);

/// For causes that few requests meet.
pub type Ledgers = Slab<LedgerId, Ledger>;

const COMMON: usize = 5;

pub const OF_REQUEST: [Cause; COMMON] =
    [Cause::HostQueue, Cause::HostLink, Cause::DeviceQueue, Cause::Completion, Cause::Cache];

pub const OF_READ: [Cause; COMMON] =
    [Cause::ChipBusyUser, Cause::PathConflict, Cause::CommandTransfer, Cause::ArrayRead, Cause::DataTransfer];

/// No page is both read and programmed.
pub const OF_PROGRAM: [Cause; COMMON] =
    [Cause::ChipBusyUser, Cause::PathConflict, Cause::CommandTransfer, Cause::ArrayProgram, Cause::DataTransfer];

const PATH_CONFLICT: usize = 1;

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

/// Above are the number of another cause plus one, or [`IN_LEDGER`].
const SPAN_BITS: u32 = 56;

/// Without a ledger.
const SPAN: u64 = (1 << SPAN_BITS) - 1;

const IN_LEDGER: u64 = 0xff;

#[derive(Clone, Copy, Debug)]
pub struct Charges<const OF_PAGE: bool> {
    sums: [Time; COMMON],
    other: u64,
}

pub type PageCharges = Charges<true>;
pub type RequestCharges = Charges<false>;

impl<const OF_PAGE: bool> Charges<OF_PAGE> {
    pub const NONE: Self = Charges { sums: [Time::ZERO; COMMON], other: 0 };

    #[inline(always)]
    pub fn enter(&mut self, cause: Cause, span: Time, ledgers: &mut Ledgers) {
        let places = if OF_PAGE { &PLACES_OF_PAGE } else { &PLACES_OF_REQUEST };
        match self.sums.get_mut(usize::from(places[cause as usize])) {
            Some(sum) => *sum += span,
            None if span == Time::ZERO => {}
            None => self.enter_other(cause, span, ledgers),
        }
    }

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

    #[inline(always)]
    pub fn ledger(&self) -> Option<LedgerId> {
        (self.other >> SPAN_BITS == IN_LEDGER).then_some(LedgerId(self.other as u32))
    }

    /// `common`: the causes of the sums.
    #[inline(always)]
    pub fn add_to(&self, ledger: &mut Ledger, common: &[Cause; COMMON], ledgers: &Ledgers) {
        // Not by `for_each`, which is a call where the linker does not optimise.
        for (place, &cause) in common.iter().enumerate() {
            ledger.charge(cause, self.sums[place]);
        }
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
