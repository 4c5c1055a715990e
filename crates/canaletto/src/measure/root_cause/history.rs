//! Histories of resources: what kept each busy, moment by moment.

use std::collections::VecDeque;

use crate::engine::time::Time;
use crate::measure::blame::{Cause, Ledger};

/// Spans kept before it is looked for those that nobody can ask for any more.
const ROOM: usize = 512;

/// Sum by cause of what a resource was busy with, and its recent spans in order.
pub struct History {
    since: Time,
    ledger: Ledger,
    spans: VecDeque<(Time, Cause)>,
    room: usize,
    /// The first span that [`History::ledger_at`] has not passed, and the sum by cause of all before it.
    cursor: usize,
    behind: Ledger,
    behind_until: Time,
}

impl History {
    /// A resource that has done nothing yet.
    pub const NEW: History = History {
        since: Time::ZERO,
        ledger: Ledger::EMPTY,
        spans: VecDeque::new(),
        room: ROOM,
        cursor: 0,
        behind: Ledger::EMPTY,
        behind_until: Time::ZERO,
    };

    /// Time up to which it is told.
    pub fn since(&self) -> Time {
        self.since
    }

    /// Sum by cause of all that is told.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Tells that the time up to `until` went to `cause`.
    pub fn add(&mut self, cause: Cause, until: Time) {
        if until <= self.since {
            return;
        }
        self.ledger.charge(cause, until - self.since);
        let goes_on = self.cursor < self.spans.len();
        match self.spans.back_mut() {
            Some(last) if goes_on && last.1 == cause => last.0 = until,
            _ => self.spans.push_back((until, cause)),
        }
        self.since = until;
    }

    /// The sum by cause up to a moment of the past that is no earlier than that of any call before; none if it is earlier.
    pub fn ledger_at(&mut self, moment: Time) -> Option<Ledger> {
        if moment < self.behind_until {
            return None;
        }
        while let Some(&(end, cause)) = self.spans.get(self.cursor).filter(|(end, _)| *end <= moment) {
            self.behind.charge(cause, end - self.behind_until);
            self.behind_until = end;
            self.cursor += 1;
        }
        let mut ledger = self.behind;
        if let Some(&(_, cause)) = self.spans.get(self.cursor) {
            ledger.charge(cause, moment - self.behind_until);
        }
        Some(ledger)
    }

    /// The spans between two moments, oldest first, each with its end. What is older than all that is kept belongs to the first.
    pub fn between(&self, from: Time, until: Time) -> impl Iterator<Item = (Time, Cause)> + '_ {
        let later = self.spans.iter().rev().take_while(|(end, _)| *end > from).count();
        let mut is_over = false;
        self.spans.range(self.spans.len() - later..).map_while(move |&(end, cause)| {
            let is_inside = !is_over;
            is_over = end >= until;
            is_inside.then_some((end.min(until), cause))
        })
    }

    /// Whether it is time to [forget](History::forget).
    pub fn is_full(&self) -> bool {
        self.spans.len() >= self.room
    }

    /// Spans that are kept.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Forgets the older half of the spans, whether anybody may ask for them or not.
    pub fn forget_half(&mut self) {
        if let Some(&(moment, _)) = self.spans.get(self.spans.len() / 2) {
            self.ledger_at(moment);
            self.forget(moment, true);
        }
    }

    /// Forgets what ended before `horizon`, and is behind the cursor if that is `kept`.
    pub fn forget(&mut self, horizon: Time, kept: bool) {
        let mut old = self.spans.partition_point(|&(end, _)| end <= horizon);
        if kept {
            old = old.min(self.cursor);
        }
        self.spans.drain(..old);
        self.cursor = self.cursor.saturating_sub(old);
        self.room = ROOM.max(2 * self.spans.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn ledgers_of_the_past_are_sums_of_spans() {
        let mut history = example();
        for (moment, read, conflict) in [(0, 0, 0), (4, 4, 0), (10, 10, 0), (12, 10, 2), (25, 15, 10), (30, 20, 10)] {
            let ledger = history.ledger_at(ns(moment)).unwrap();
            assert_eq!((ledger.get(Cause::ArrayRead), ledger.get(Cause::PathConflict)), (ns(read), ns(conflict)));
        }
        assert_eq!(history.ledger_at(ns(3)), None);
        history.add(Cause::ArrayRead, ns(40));
        assert_eq!(history.ledger_at(ns(35)).unwrap().get(Cause::ArrayRead), ns(25));
    }

    #[test]
    fn what_is_forgotten_is_not_needed() {
        let mut history = example();
        history.ledger_at(ns(20));
        history.forget(ns(15), true);
        assert_eq!(history.between(ns(16), ns(30)).count(), 2);
        assert_eq!(history.ledger_at(ns(22)).unwrap().get(Cause::ArrayRead), ns(12));
        history.forget(ns(30), true);
        assert_eq!(history.ledger_at(ns(30)).unwrap().get(Cause::ArrayRead), ns(20));
    }

    #[test]
    fn half_can_be_forgotten_at_any_time() {
        let mut history = example();
        history.forget_half();
        assert_eq!((history.len(), history.ledger_at(ns(15))), (1, None));
        assert_eq!(history.ledger_at(ns(25)).unwrap().get(Cause::ArrayRead), ns(15));
        history.forget_half();
        assert_eq!(history.len(), 0);
        history.forget_half();
        assert_eq!(history.ledger_at(ns(30)).unwrap().get(Cause::ArrayRead), ns(20));
    }
}
