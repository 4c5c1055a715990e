//! Trails: what one page or request has spent its time on, in order.
//!
//! A million may wait at a time, so each is small: spans in order, and the sums of each wait for something with a
//! history.

use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::flash::address::LunId;
use crate::measure::blame::{CAUSES, Cause, Ledger};
use crate::measure::probe::Work;
use crate::measure::root_cause::history::{History, SpanNumber};
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Own work, or a wait that is not passed on.
    Cause(Cause),
    /// A part of the last wait for a LUN or a slot, without a place in time.
    Part(Cause),
    /// A wait for a LUN, whose history has the causes.
    Lun(LunId),
    Slot(u32),
    Page(TransactionId),
}

impl Step {
    /// Parts are numbered from [`Step::PARTS`] on, names from [`Step::OTHERS`] on.
    #[inline(always)]
    fn number(self) -> u64 {
        match self {
            Step::Cause(cause) => cause as u64,
            Step::Part(cause) => Step::PARTS + cause as u64,
            Step::Lun(lun) => Step::OTHERS + 3 * u64::from(lun.0),
            Step::Slot(slot) => Step::OTHERS + 3 * u64::from(slot) + 1,
            Step::Page(page) => Step::OTHERS + 3 * u64::from(page.0) + 2,
        }
    }

    const PARTS: u64 = 64;
    const OTHERS: u64 = 2 * Step::PARTS;
}

/// Eight bytes: number of the step, unit of the length ([`Span::LONG`] or ps), length.
#[derive(Clone, Copy)]
struct Span(u64);

impl Span {
    const LENGTH_BITS: u32 = 40;
    /// A longer span takes two, one of which counts these units.
    const LONG: u64 = 1 << Span::LENGTH_BITS;
    const NUMBER: u32 = Span::LENGTH_BITS + 1;

    #[inline(always)]
    fn new(length: u64, is_long: bool, number: u64) -> Span {
        debug_assert!(number < 1 << (u64::BITS - Span::NUMBER) && length < Span::LONG);
        Span(number << Span::NUMBER | u64::from(is_long) << Span::LENGTH_BITS | length)
    }

    #[inline(always)]
    fn length(self) -> Time {
        let length = self.0 & (Span::LONG - 1);
        Time(if rarely(self.is_long()) { length << Span::LENGTH_BITS } else { length })
    }

    #[inline(always)]
    fn is_long(self) -> bool {
        self.0 & Span::LONG != 0
    }

    #[inline(always)]
    fn number(self) -> u64 {
        self.0 >> Span::NUMBER
    }

    fn is_part(self) -> bool {
        (Step::PARTS..Step::OTHERS).contains(&self.number())
    }

    fn ends_a_step(self) -> bool {
        !self.is_long() && !self.is_part()
    }

    #[inline(always)]
    fn goes_on(&mut self, length: u64, number: u64) -> bool {
        // The length alone, if the bits above it are the same.
        let before = self.0 ^ number << Span::NUMBER;
        let goes_on = before < Span::LONG && before + length < Span::LONG;
        if goes_on {
            self.0 += length;
        }
        goes_on
    }

    /// Returns whether it has a root cause: other steps name something.
    #[inline(always)]
    fn add_to(self, ledger: &mut Ledger) -> bool {
        let number = self.number();
        let has_cause = number < Step::OTHERS;
        if has_cause {
            ledger.0[(number % Step::PARTS) as usize] += self.length();
        }
        has_cause
    }

    fn length_in_time(self) -> Time {
        if self.is_part() { Time::ZERO } else { self.length() }
    }

    fn step(self) -> Step {
        let cause = |number: u64| Cause::ALL[number as usize];
        let number = self.number();
        let named = number.wrapping_sub(Step::OTHERS);
        match (number, named % 3, (named / 3) as u32) {
            (..Step::PARTS, ..) => Step::Cause(cause(number)),
            (Step::PARTS..Step::OTHERS, ..) => Step::Part(cause(number - Step::PARTS)),
            (_, 0, lun) => Step::Lun(LunId(lun)),
            (_, 1, slot) => Step::Slot(slot),
            (_, _, page) => Step::Page(TransactionId(page)),
        }
    }
}

/// Slots and pages that a trail can name: 2.8 million each.
pub const MOST: u32 = ((1 << (u64::BITS - Span::NUMBER)) - Step::OTHERS) as u32 / 3;

const _: () = assert!(CAUSES as u64 <= Step::PARTS);

/// `SHORT` need no separate memory.
struct Spans<const SHORT: usize> {
    count: u32,
    first: [Span; SHORT],
    #[allow(clippy::box_collection, reason = "a million of these wait, and most have no others")]
    others: Option<Box<Vec<Span>>>,
}

impl<const SHORT: usize> Spans<SHORT> {
    const NONE: Self = Spans { count: 0, first: [Span(0); SHORT], others: None };

    #[inline(always)]
    fn clear(&mut self) {
        self.count = 0;
        if let Some(others) = &mut self.others {
            others.clear();
        }
    }

    #[inline(always)]
    fn add(&mut self, length: u64, number: u64) {
        let count = self.count as usize;
        if let Some(last) = self.first[..].get_mut(count.wrapping_sub(1)) {
            if last.goes_on(length, number) {
                return;
            }
        }
        match self.first[..].get_mut(count) {
            Some(next) if length < Span::LONG => {
                *next = Span::new(length, false, number);
                self.count += 1;
            }
            _ => self.add_other(length, number),
        }
    }

    #[inline(never)]
    fn add_other(&mut self, length: u64, number: u64) {
        let last = self.others.as_mut().and_then(|others| others.last_mut());
        if last.is_none_or(|last| !last.goes_on(length, number)) {
            if length >= Span::LONG {
                self.push(Span::new(length / Span::LONG, true, number));
            }
            self.push(Span::new(length % Span::LONG, false, number));
        }
    }

    #[inline]
    fn push(&mut self, span: Span) {
        match self.first[..].get_mut(self.count as usize) {
            Some(next) => *next = span,
            None => self.others.get_or_insert_default().push(span),
        }
        self.count += 1;
    }

    fn extend<const OTHER: usize>(&mut self, other: &Spans<OTHER>) {
        other.from(0).for_each(|span| self.push(span));
    }

    #[inline(always)]
    fn from(&self, place: usize) -> impl Iterator<Item = Span> + '_ {
        let inside = SHORT.min(self.count as usize);
        let others = self.others.as_ref().map_or(&[][..], |others| &others[..]);
        self.first[place.min(inside)..inside].iter().chain(&others[place.saturating_sub(SHORT)..]).copied()
    }

    #[inline(always)]
    fn inside(&self) -> &[Span] {
        &self.first[..SHORT.min(self.count as usize)]
    }

    #[inline(always)]
    fn add_to(&self, ledger: &mut Ledger) {
        for span in self.inside() {
            span.add_to(ledger);
        }
        for span in self.others.iter().flat_map(|others| others.iter()) {
            span.add_to(ledger);
        }
    }

    fn at(&self, place: usize) -> Span {
        match self.first.get(place) {
            Some(&span) => span,
            None => self.others.as_ref().expect("there is a span in each place")[place - SHORT],
        }
    }
}

/// For a request's root causes, and for those that wait for it. `SHORT` spans need no separate memory.
pub struct Trail<const SHORT: usize> {
    pub work: Work,
    pub lun: LunId,
    pub lun_was_at: SpanNumber,
    began: Time,
    since: Time,
    spans: Spans<SHORT>,
}

impl<const SHORT: usize> Trail<SHORT> {
    pub const NONE: Trail<SHORT> = Trail {
        work: Work::Host,
        lun: LunId::NONE,
        lun_was_at: SpanNumber::FIRST,
        began: Time::ZERO,
        since: Time::ZERO,
        spans: Spans::NONE,
    };

    #[inline]
    pub fn begin(&mut self, work: Work, now: Time) {
        self.spans.clear();
        (self.work, self.lun, self.began, self.since) = (work, LunId::NONE, now, now);
    }

    pub fn copy<const OTHER: usize>(&mut self, other: &Trail<OTHER>) {
        self.begin(other.work, other.began);
        self.since = other.since;
        self.spans.extend(&other.spans);
    }

    pub fn began(&self) -> Time {
        self.began
    }

    pub fn since(&self) -> Time {
        self.since
    }

    #[inline(always)]
    pub fn charge(&mut self, cause: Cause, until: Time) {
        if until > self.since() {
            self.step(until, Step::Cause(cause));
        }
    }

    /// With what the slot's holders did.
    pub fn waited_for_slot(&mut self, slot: u32, history: &History, now: Time) {
        let mut causes = Ledger::EMPTY;
        if let Some(met) = history.charge(self.since, now, &mut causes) {
            self.step(now, Step::Slot(slot));
            self.note_parts(&causes, met);
        }
    }

    /// With what the LUN did up to `ready_at`; the rest is a wait for a path.
    pub fn waited_for_lun(&mut self, lun: LunId, history: &History, ready_at: Time, now: Time) {
        // Copies from chip to chip have no blame and may lag behind.
        if self.since < ready_at {
            let mut causes = Ledger::EMPTY;
            let met = history.charge_since(self.lun_was_at, self.since, ready_at, &mut causes);
            self.step(ready_at, Step::Lun(lun));
            self.note_parts(&causes, met);
        }
        self.charge(Cause::PathConflict, now);
    }

    fn note_parts(&mut self, causes: &Ledger, mut met: u64) {
        while met != 0 {
            let cause = met.trailing_zeros();
            met &= met - 1;
            let span = causes.0.get(cause as usize).map_or(0, |span| span.0);
            if span > 0 {
                self.spans.add(span, Step::PARTS + u64::from(cause));
            }
        }
    }

    #[inline(always)]
    pub fn go_through<const OTHER: usize>(&mut self, id: TransactionId, page: &Trail<OTHER>) {
        debug_assert_eq!(self.since, page.began, "a part begins where the whole has come to");
        if id.0 < MOST {
            self.step(page.since, Step::Page(id));
        } else {
            self.since = page.since;
            self.spans.extend(&page.spans);
        }
    }

    #[inline]
    pub fn end(&mut self) {
        if rarely(self.spans.others.is_some()) {
            self.spans = Spans::NONE;
        }
    }

    pub fn add_to<const PAGE: usize>(&self, ledger: &mut Ledger, pages: &[Trail<PAGE>]) {
        for span in self.spans.inside() {
            if !span.add_to(ledger) {
                Self::add_named_to(*span, ledger, pages);
            }
        }
        for span in self.spans.others.iter().flat_map(|others| others.iter()) {
            if !span.add_to(ledger) {
                Self::add_named_to(*span, ledger, pages);
            }
        }
    }

    #[inline(always)]
    fn add_named_to<const PAGE: usize>(span: Span, ledger: &mut Ledger, pages: &[Trail<PAGE>]) {
        if let (Step::Page(page), true) = (span.step(), span.ends_a_step()) {
            pages[page.index()].spans.add_to(ledger);
        }
    }

    #[inline(always)]
    fn step(&mut self, until: Time, step: Step) {
        let length = (until - self.since).0;
        self.since = until;
        self.spans.add(length, step.number());
    }

    pub fn after(&self, from: Time) -> impl Iterator<Item = (Time, Step)> + '_ {
        let (mut first, mut until) = (self.spans.count as usize, self.since);
        while first > 0 && until > from {
            first -= 1;
            until = until - self.spans.at(first).length_in_time();
        }
        self.spans.from(first).filter_map(move |span| {
            until += span.length_in_time();
            span.ends_a_step().then(|| (until, span.step()))
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
            2 => Step::Slot(number),
            _ => Step::Page(TransactionId(number % 4)),
        }
    }

    #[test]
    fn a_span_grows_until_it_would_be_long() {
        let mut span = Span::new(Span::LONG - 3, false, 7);
        assert!(!span.goes_on(1, 6), "another step");
        assert!(span.goes_on(2, 7) && !span.goes_on(1, 7));
        assert_eq!((span.length(), span.number()), (Time(Span::LONG - 1), 7));
    }

    proptest! {
        #[test]
        fn trails_are_told_in_full(
            told in prop::collection::vec((0u32..4, 0..MOST, 1u64..1 << 50, 0u64..1 << 50), 0..20),
            from in 0u64..1 << 54,
        ) {
            let (mut trail, mut expected) = (Trail::<4>::NONE, vec![]);
            let (mut ledger, mut sum) = (Ledger::EMPTY, Ledger::EMPTY);
            let mut pages = [const { Trail::<4>::NONE }; 4];
            pages.iter_mut().for_each(|page| page.charge(Cause::Firmware, Time(3)));
            trail.begin(Work::Host, Time(7));
            for (kind, number, length, part) in told {
                let step = step(kind, number);
                prop_assume!(!matches!(step, Step::Page(_)) || expected.last().is_none_or(|last: &(_, Step)| last.1 != step));
                trail.step(trail.since() + Time(length), step);
                expected.push((trail.since(), step));
                match step {
                    Step::Cause(cause) => sum.charge(cause, Time(length)),
                    Step::Lun(_) | Step::Slot(_) => {
                        let mut parts = Ledger::EMPTY;
                        parts.charge(Cause::ArrayRead, Time(part));
                        trail.note_parts(&parts, (1 << CAUSES) - 1);
                        sum.add(&parts);
                    }
                    Step::Page(_) => sum.charge(Cause::Firmware, Time(3)),
                    Step::Part(_) => {}
                }
            }
            trail.add_to(&mut ledger, &pages);
            prop_assert_eq!(ledger, sum);
            expected.retain(|&(until, _)| until > Time(from));
            // Steps of one kind that follow each other are one unless they are long.
            let mut found: Vec<_> = trail.after(Time(from)).collect();
            found.dedup_by(|next, last| next.1 == last.1 && { last.0 = next.0; true });
            expected.dedup_by(|next, last| next.1 == last.1 && { last.0 = next.0; true });
            prop_assert_eq!(found, expected);
        }
    }
}
