//! Histories of resources: what kept each busy, moment by moment.

use std::collections::VecDeque;
use std::ops::Range;

use crate::engine::time::Time;
use crate::measure::blame::{CAUSES, Cause, Ledger};

/// Spans kept before old ones are looked for.
pub const ROOM: usize = 512;

/// Spans from one sum to the next.
const STRIDE: usize = 64;

const _: () = assert!(Cause::ALL.len() <= u64::BITS as usize, "a bit for each cause");

const FEW: usize = 4;

/// In nine bytes: there are several per command in flight.
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Span {
    end: Time,
    cause: Cause,
}

#[derive(Clone, Copy)]
pub struct SpanNumber(u32);

impl SpanNumber {
    pub const FIRST: SpanNumber = SpanNumber(0);
}

/// Sums let any stretch add up in a few steps.
pub struct History {
    begins: Time,
    since: Time,
    open: Option<Cause>,
    spans: Vec<Span>,
    forgotten: usize,
    /// Before the spans whose numbers [`STRIDE`] divides. Only differences mean anything.
    sums: VecDeque<Ledger>,
    room: usize,
}

impl History {
    pub const NEW: History = History {
        begins: Time::ZERO,
        since: Time::ZERO,
        open: None,
        spans: Vec::new(),
        forgotten: 0,
        sums: VecDeque::new(),
        room: ROOM,
    };

    pub fn since(&self) -> Time {
        self.since
    }

    #[inline(always)]
    pub fn add(&mut self, cause: Cause, until: Time) {
        if until <= self.since {
            return;
        }
        if self.open != Some(cause) {
            self.begin_span(cause);
        }
        self.since = until;
    }

    #[inline(always)]
    fn begin_span(&mut self, cause: Cause) {
        if let Some(closed) = self.open.replace(cause) {
            if self.spans.len() == self.spans.capacity() {
                self.grow();
            }
            self.spans.push(Span { end: self.since, cause: closed });
        }
        if (self.forgotten + self.spans.len()) % STRIDE == 0 {
            self.add_sum();
        }
    }

    /// Less than twice as much: of a drive with a million requests outstanding these are as large as all of its queues.
    #[cold]
    fn grow(&mut self) {
        self.spans.reserve_exact(self.spans.len() / 4 + FEW);
    }

    #[cold]
    fn add_sum(&mut self) {
        if self.forgotten + self.spans.len() > 0 {
            let mut sum = self.sums.back().copied().unwrap_or(Ledger::EMPTY);
            self.sum_up(self.spans.len().saturating_sub(STRIDE)..self.spans.len(), &mut sum);
            self.sums.push_back(sum);
        }
    }

    #[inline(always)]
    fn span(&self, place: usize) -> Option<Span> {
        match self.spans.get(place) {
            Some(&span) => Some(span),
            None if place == self.spans.len() => self.open.map(|cause| Span { end: self.since, cause }),
            None => None,
        }
    }

    fn spans_in(&self, places: Range<usize>) -> impl Iterator<Item = Span> + '_ {
        let closed = places.start.min(self.spans.len())..places.end.min(self.spans.len());
        let open = self.span(self.spans.len()).filter(|_| places.contains(&self.spans.len()));
        self.spans[closed].iter().copied().chain(open)
    }

    #[inline(always)]
    fn begin_of(&self, place: usize) -> Time {
        place.checked_sub(1).and_then(|before| self.span(before)).map_or(self.begins, |span| span.end)
    }

    #[inline(always)]
    fn sum_up(&self, places: Range<usize>, ledger: &mut Ledger) -> u64 {
        let (mut begin, mut met) = (self.begin_of(places.start), 0);
        let mut add = |Span { end, cause }| {
            ledger.charge(cause, end - begin);
            met |= 1 << cause as u64;
            begin = end;
        };
        let closed = self.spans.len();
        self.spans[places.start.min(closed)..places.end.min(closed)].iter().copied().for_each(&mut add);
        if let Some(cause) = self.open.filter(|_| places.end > closed) {
            add(Span { end: self.since, cause });
        }
        met
    }

    pub fn next(&self) -> SpanNumber {
        SpanNumber((self.forgotten + self.len()) as u32)
    }

    /// Returns the causes as bits, if the first moment is still known.
    #[inline(never)]
    pub fn charge(&self, from: Time, until: Time, ledger: &mut Ledger) -> Option<u64> {
        (from >= self.begins).then(|| {
            let first = self.spans.partition_point(|span| { span.end } <= from);
            self.charge_from(first, from, until, ledger)
        })
    }

    /// [`History::charge`] from a moment at which `next` was the [next span](History::next). Returns the causes as
    /// bits.
    #[inline(always)]
    pub fn charge_since(&self, next: SpanNumber, from: Time, until: Time, ledger: &mut Ledger) -> u64 {
        debug_assert!(from >= self.begins, "what somebody waits for is kept");
        // The span before may have grown since.
        let place = next.0.wrapping_sub(self.forgotten as u32).wrapping_sub(1) as i32;
        let mut first = place.max(0) as usize;
        while self.span(first).is_some_and(|span| { span.end } <= from) {
            first += 1;
        }
        self.charge_from(first, from, until, ledger)
    }

    #[inline(always)]
    fn charge_from(&self, first: usize, from: Time, until: Time, ledger: &mut Ledger) -> u64 {
        let until = until.min(self.since);
        if from >= until {
            return 0;
        }
        let mut last = self.len() - 1;
        while last > first && self.begin_of(last) >= until {
            last -= 1;
        }
        let met = self.sum_quickly(first..last + 1, ledger);
        // Only a part of the first and the last span is inside.
        let (Some(first_span), Some(last_span)) = (self.span(first), self.span(last)) else { return met };
        ledger.discharge(first_span.cause, from - self.begin_of(first));
        ledger.discharge(last_span.cause, last_span.end - until);
        met
    }

    #[inline(always)]
    fn sum_quickly(&self, places: Range<usize>, ledger: &mut Ledger) -> u64 {
        // Numbers of the first and the last sum inside.
        let first = (places.start + self.forgotten).div_ceil(STRIDE).max(1);
        let last = (places.end - 1 + self.forgotten) / STRIDE;
        if first >= last {
            return self.sum_up(places, ledger);
        }
        self.sum_by_strides(places, first..last, ledger)
    }

    #[inline(never)]
    fn sum_by_strides(
        &self,
        places: Range<usize>,
        Range { start: first, end: last }: Range<usize>,
        ledger: &mut Ledger,
    ) -> u64 {
        let (begin, end) = (first * STRIDE - self.forgotten, last * STRIDE - self.forgotten);
        let oldest = self.oldest_sum();
        self.sum_up(places.start..begin, ledger);
        ledger.add_difference(&self.sums[last - oldest], &self.sums[first - oldest]);
        self.sum_up(end..places.end, ledger);
        (1 << CAUSES) - 1
    }

    fn oldest_sum(&self) -> usize {
        self.forgotten.div_ceil(STRIDE).max(1)
    }

    /// Oldest first, with their ends. Older time belongs to the first.
    pub fn between(&self, from: Time, until: Time) -> impl Iterator<Item = (Time, Cause)> + '_ {
        let closed = self.spans.iter().rev().take_while(|span| { span.end } > from).count();
        let places = self.spans.len() - closed..if self.since > from { self.len() } else { self.spans.len() };
        let mut is_over = false;
        self.spans_in(places).map_while(move |Span { end, cause }| {
            let is_inside = !is_over;
            is_over = end >= until;
            is_inside.then_some((end.min(until), cause))
        })
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.room
    }

    pub fn len(&self) -> usize {
        self.spans.len() + usize::from(self.open.is_some())
    }

    /// Forgets the older half, needed or not.
    pub fn forget_half(&mut self) {
        if let Some(Span { end, .. }) = self.span(self.len() / 2) {
            self.forget(end, ROOM.max(self.len() / 2));
        }
    }

    /// It [is full](History::is_full) again after `room` further spans.
    pub fn forget(&mut self, horizon: Time, room: usize) {
        let closed = self.spans.partition_point(|span| { span.end } <= horizon);
        let open = usize::from(self.open.is_some() && self.since <= horizon);
        self.begins = self.begin_of(closed + open);
        let oldest = self.oldest_sum();
        self.forgotten += closed + open;
        self.spans.drain(..closed);
        if open > 0 {
            self.open = None;
        }
        self.sums.drain(..(self.oldest_sum() - oldest).min(self.sums.len()));
        self.room = self.len() + room;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ns(n: u64) -> Time {
        Time::from_ns(n)
    }

    fn example() -> History {
        let mut history = History::NEW;
        history.add(Cause::ArrayRead, ns(10));
        history.add(Cause::PathConflict, ns(15));
        history.add(Cause::PathConflict, ns(20));
        history.add(Cause::ArrayRead, ns(30));
        history
    }

    #[test]
    fn spans_are_cut_at_both_ends() {
        let history = example();
        let spans: Vec<_> = history.between(ns(5), ns(25)).collect();
        assert_eq!(spans, [(ns(10), Cause::ArrayRead), (ns(20), Cause::PathConflict), (ns(25), Cause::ArrayRead)]);
        assert_eq!(history.between(ns(10), ns(20)).collect::<Vec<_>>(), [(ns(20), Cause::PathConflict)]);
    }

    #[test]
    fn parts_of_spans_are_charged() {
        let history = example();
        for (from, until, read, conflict) in
            [(0, 4, 4, 0), (0, 10, 10, 0), (2, 12, 8, 2), (12, 18, 0, 6), (25, 99, 5, 0), (30, 40, 0, 0)]
        {
            let mut ledger = Ledger::EMPTY;
            assert!(history.charge(ns(from), ns(until), &mut ledger).is_some());
            assert_eq!((ledger.get(Cause::ArrayRead), ledger.get(Cause::PathConflict)), (ns(read), ns(conflict)));
        }
    }

    #[test]
    fn what_is_forgotten_is_not_charged() {
        let mut history = example();
        history.forget(ns(15), ROOM);
        assert_eq!(history.len(), 2);
        history.forget_half();
        let mut ledger = Ledger::EMPTY;
        assert!(history.charge(ns(29), ns(30), &mut ledger).is_none() && ledger == Ledger::EMPTY);
        history.forget_half();
        history.add(Cause::ArrayRead, ns(40));
        assert!(history.charge(ns(35), ns(50), &mut ledger).is_some());
        assert_eq!(ledger.get(Cause::ArrayRead), ns(5));
    }

    proptest! {
        #[test]
        fn sums_are_those_of_spans(
            told in prop::collection::vec((0..Cause::ALL.len(), 0u64..5), 0..400),
            horizons in prop::collection::vec(0u64..800, 0..4),
            asked in prop::collection::vec((0u64..900, 0u64..900), 1..20),
        ) {
            let mut history = History::NEW;
            for (place, &(cause, span)) in told.iter().enumerate() {
                history.add(Cause::ALL[cause], history.since() + Time(span));
                if let Some(&horizon) = horizons.get(place / 100).filter(|_| place % 100 == 99) {
                    history.forget(Time(horizon).min(history.since()), ROOM);
                }
            }
            for (from, until) in asked {
                let (mut charged, mut expected, mut begin) = (Ledger::EMPTY, Ledger::EMPTY, Time(from));
                let is_known = history.charge(Time(from), Time(until), &mut charged).is_some();
                prop_assert_eq!(is_known, Time(from) >= history.begins);
                for (end, cause) in history.between(Time(from), Time(until)).filter(|_| is_known && from < until) {
                    expected.charge(cause, end - begin);
                    begin = end;
                }
                prop_assert_eq!(charged, expected);
            }
        }
    }
}
