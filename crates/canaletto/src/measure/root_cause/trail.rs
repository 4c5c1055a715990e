//! Trails: what one page or request has spent its time on, in order.
//!
//! A million of them may wait at a time, so each is small: its spans in order, from which its causes can be added up, and sums of
//! their own only once it has waited for something with a history.

use smallvec::SmallVec;

use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::flash::address::LunId;
use crate::measure::blame::{CAUSES, Cause, Ledger};
use crate::measure::charges::{Charges, Ledgers};
use crate::measure::probe::Work;
use crate::measure::root_cause::history::{History, SpanNumber};
use crate::typed_id;

typed_id!(
    /// The sums of a trail.
    WaitedId
);

/// Sums by root cause of waits for LUNs and slots.
pub struct Waited {
    each: Slab<WaitedId, Charges>,
    ledgers: Ledgers,
}

impl Waited {
    /// None yet.
    pub fn new() -> Waited {
        Waited { each: Slab::new(), ledgers: Slab::new() }
    }

    /// Adds the causes of a wait to one's sums.
    fn add(&mut self, to: &mut WaitedId, causes: &Ledger) {
        if !to.is_some() {
            *to = self.each.insert(Charges::NONE);
        }
        for (cause, span) in Cause::ALL.into_iter().zip(causes.0).filter(|(_, span)| *span > Time::ZERO) {
            self.each[*to].enter(cause, span, &mut self.ledgers);
        }
    }

    /// The sums of one.
    fn of(&self, id: WaitedId) -> Ledger {
        let mut sum = Ledger::EMPTY;
        if id.is_some() {
            self.each[id].add_to(&mut sum, &self.ledgers);
        }
        sum
    }

    fn remove(&mut self, id: &mut WaitedId) {
        if id.is_some() {
            let ledger = self.each[*id].ledger;
            if ledger.is_some() {
                self.ledgers.remove(ledger);
            }
            self.each.remove(*id);
            *id = WaitedId::NONE;
        }
    }
}

/// Reason of a span of a trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Own work, or a wait that ends there: nobody else's work is behind it.
    Cause(Cause),
    /// A wait for a LUN, whose history tells what it did meanwhile.
    Lun(LunId),
    /// A wait for one of several slots, by their number.
    Slot(u32),
}

/// A span of a trail in eight bytes: its step, whether its length counts in [`Span::LONG`], its length in picoseconds or those.
#[derive(Clone, Copy)]
struct Span(u64);

impl Span {
    const LENGTH_BITS: u32 = 39;
    /// Half a second: a span as long takes two, of which one tells how often this fits.
    const LONG: u64 = 1 << Span::LENGTH_BITS;
    /// Numbers of steps from which LUNs and slots are numbered in turn.
    const OTHERS: u64 = 32;

    fn new(length: u64, is_long: bool, step: Step) -> Span {
        let step = match step {
            Step::Cause(cause) => cause as u64,
            Step::Lun(lun) => Span::OTHERS + 2 * u64::from(lun.0),
            Step::Slot(slot) => Span::OTHERS + 2 * u64::from(slot) + 1,
        };
        debug_assert!(step < 1 << (63 - Span::LENGTH_BITS) && length < Span::LONG);
        Span(step << (Span::LENGTH_BITS + 1) | u64::from(is_long) << Span::LENGTH_BITS | length)
    }

    fn length(self) -> Time {
        let is_long = self.0 & Span::LONG != 0;
        Time((self.0 & (Span::LONG - 1)) << if is_long { Span::LENGTH_BITS } else { 0 })
    }

    fn step(self) -> Step {
        let step = self.0 >> (Span::LENGTH_BITS + 1);
        match step.checked_sub(Span::OTHERS) {
            None => Step::Cause(Cause::ALL[step as usize]),
            Some(other) if other % 2 == 0 => Step::Lun(LunId((other / 2) as u32)),
            Some(other) => Step::Slot((other / 2) as u32),
        }
    }
}

/// Slots, the first ones, whose pasts a trail can name.
pub const MOST_SLOTS: u32 = (1 << 23) - 17;

const _: () = assert!(CAUSES as u64 <= Span::OTHERS);

/// Account of one page or request: its root causes so far, and its spans in order for those that come to wait for it, of which
/// `SHORT` need no memory of their own.
pub struct Trail<const SHORT: usize> {
    /// Kind of work it is done for.
    pub work: Work,
    /// The LUN that it waits for since its last span ended.
    pub lun: LunId,
    /// The span that the LUN had come to then.
    pub lun_was_at: SpanNumber,
    /// Sums of its waits for LUNs and slots, if there were any.
    waited: WaitedId,
    began: Time,
    /// Time up to which it is filled.
    since: Time,
    spans: SmallVec<[Span; SHORT]>,
}

impl<const SHORT: usize> Trail<SHORT> {
    /// The trail of nothing.
    pub const NONE: Trail<SHORT> = Trail {
        work: Work::Host,
        lun: LunId::NONE,
        lun_was_at: SpanNumber::FIRST,
        waited: WaitedId::NONE,
        began: Time::ZERO,
        since: Time::ZERO,
        spans: SmallVec::new_const(),
    };

    /// Begins anew, for something else.
    pub fn begin(&mut self, work: Work, now: Time) {
        debug_assert!(!self.waited.is_some(), "an ended trail has given its sums back");
        self.spans.clear();
        (self.work, self.lun, self.began, self.since) = (work, LunId::NONE, now, now);
    }

    /// Takes on another trail's spans.
    pub fn copy<const OTHER: usize>(&mut self, other: &Trail<OTHER>) {
        self.begin(other.work, other.began);
        self.since = other.since;
        self.spans.extend_from_slice(&other.spans);
    }

    /// When it began.
    pub fn began(&self) -> Time {
        self.began
    }

    /// Time up to which it is filled.
    pub fn since(&self) -> Time {
        self.since
    }

    /// Charges the time up to `until` to a cause. What is charged already stays.
    pub fn charge(&mut self, cause: Cause, until: Time) {
        if until > self.since() {
            self.step(until, Step::Cause(cause));
        }
    }

    /// Ends the wait for a slot: what that was held for becomes this trail's, as far as it is known.
    pub fn waited_for_slot(&mut self, slot: u32, history: &History, now: Time, sums: &mut Waited) {
        let mut causes = Ledger::EMPTY;
        if history.charge(self.since(), now, &mut causes) {
            sums.add(&mut self.waited, &causes);
            self.step(now, Step::Slot(slot));
        }
    }

    /// Ends the wait for a LUN: what that did becomes this trail's up to `ready_at`, the rest is a wait for a path.
    pub fn waited_for_lun(&mut self, lun: LunId, history: &History, ready_at: Time, now: Time, sums: &mut Waited) {
        // Copies from chip to chip have no blame, whose account may lag behind.
        if self.since() < ready_at {
            let mut causes = Ledger::EMPTY;
            history.charge_since(self.lun_was_at, self.since(), ready_at, &mut causes);
            sums.add(&mut self.waited, &causes);
            self.step(ready_at, Step::Lun(lun));
        }
        self.charge(Cause::PathConflict, now);
    }

    /// Goes on with all of another trail, which began where this one has come to. That one's sums become this one's.
    pub fn append<const OTHER: usize>(&mut self, other: &mut Trail<OTHER>, sums: &mut Waited) {
        debug_assert_eq!(self.since, other.began, "a part begins where the whole has come to");
        if !self.waited.is_some() {
            std::mem::swap(&mut self.waited, &mut other.waited);
        } else if other.waited.is_some() {
            sums.add(&mut self.waited, &sums.of(other.waited));
        }
        self.since = other.since;
        self.spans.extend_from_slice(&other.spans);
    }

    /// Ends it, and gives back all memory of its own.
    pub fn end(&mut self, sums: &mut Waited) {
        sums.remove(&mut self.waited);
        if self.spans.spilled() {
            self.spans = SmallVec::new_const();
        }
    }

    /// Sum by root cause.
    pub fn ledger(&self, sums: &Waited) -> Ledger {
        let mut ledger = sums.of(self.waited);
        for span in &self.spans {
            if let Step::Cause(cause) = span.step() {
                ledger.charge(cause, span.length());
            }
        }
        ledger
    }

    fn step(&mut self, until: Time, step: Step) {
        let length = (until - self.since).0;
        self.since = until;
        if let Some(last) = self.spans.last_mut() {
            let merged = last.length().0 + length;
            if merged < Span::LONG && last.step() == step {
                *last = Span::new(merged, false, step);
                return;
            }
        }
        if length >= Span::LONG {
            self.spans.push(Span::new(length / Span::LONG, true, step));
        }
        self.spans.push(Span::new(length % Span::LONG, false, step));
    }

    /// The steps that reach beyond `from`, oldest first, with their ends; the first may have begun before it.
    pub fn after(&self, from: Time) -> impl Iterator<Item = (Time, Step)> + '_ {
        let (mut first, mut until) = (self.spans.len(), self.since);
        while first > 0 && until > from {
            first -= 1;
            until = until - self.spans[first].length();
        }
        self.spans[first..].iter().map(move |span| {
            until += span.length();
            (until, span.step())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(kind: u32, number: u32) -> Step {
        match kind {
            0 => Step::Cause(Cause::ALL[number as usize % CAUSES]),
            1 => Step::Lun(LunId(number)),
            _ => Step::Slot(number),
        }
    }

    proptest! {
        /// However long its spans and whatever they name, a trail tells what it was told.
        #[test]
        fn trails_are_told_in_full(
            told in prop::collection::vec((0u32..3, 0..MOST_SLOTS, 1u64..1 << 50), 0..20),
            from in 0u64..1 << 54,
        ) {
            let (mut trail, mut expected) = (Trail::<4>::NONE, vec![]);
            trail.begin(Work::Host, Time(7));
            for (kind, number, length) in told {
                trail.step(trail.since() + Time(length), step(kind, number));
                expected.push((trail.since(), step(kind, number)));
            }
            expected.retain(|&(until, _)| until > Time(from));
            // A long span comes in two parts; the ends are those of the last.
            let mut found: Vec<_> = trail.after(Time(from)).collect();
            found.dedup_by(|next, last| next.1 == last.1 && { last.0 = next.0; true });
            expected.dedup_by(|next, last| next.1 == last.1 && { last.0 = next.0; true });
            prop_assert_eq!(found, expected);
        }
    }
}
