//! Trails: what one page or request has spent its time on, in order.

use crate::engine::time::Time;
use crate::flash::address::LunId;
use crate::measure::blame::{Cause, Ledger};
use crate::measure::probe::Work;
use crate::measure::root_cause::history::History;
use crate::measure::root_cause::{NO_SLOT, Slots};

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

/// Account of one page or request: its root causes so far, and its spans in order for those that come to wait for it.
#[derive(Clone)]
pub struct Trail {
    /// Kind of work it is done for.
    pub work: Work,
    /// Sum by root cause.
    pub ledger: Ledger,
    /// The wait for a LUN that it is in, and since when.
    pub waits: Option<(LunId, Time)>,
    /// The LUN's ledger at that time, once it is known.
    pub mark: Ledger,
    began: Time,
    /// Ends of its spans with what each went to.
    steps: Vec<(Time, Step)>,
    /// Whether it may yet wait for something whose past counts.
    pub looks_back: bool,
    /// Slots that it has, by kind.
    pub slots: [u32; Slots::KINDS],
}

impl Trail {
    /// The trail of nothing.
    pub const NONE: Trail = Trail {
        work: Work::Host,
        ledger: Ledger::EMPTY,
        waits: None,
        mark: Ledger::EMPTY,
        began: Time::ZERO,
        steps: Vec::new(),
        looks_back: false,
        slots: [NO_SLOT; Slots::KINDS],
    };

    /// Begins anew, for something else. The room for its steps is used again.
    pub fn begin(&mut self, work: Work, now: Time) {
        self.steps.clear();
        self.ledger = Ledger::EMPTY;
        (self.work, self.waits, self.began, self.looks_back) = (work, None, now, false);
    }

    /// Becomes a copy of another trail.
    pub fn copy(&mut self, other: &Trail) {
        self.begin(other.work, other.began);
        self.steps.extend_from_slice(&other.steps);
    }

    /// When it began.
    pub fn began(&self) -> Time {
        self.began
    }

    /// Time up to which it is filled.
    pub fn since(&self) -> Time {
        self.steps.last().map_or(self.began, |&(until, _)| until)
    }

    /// Charges the time up to `until` to a cause. What is charged already stays.
    pub fn charge(&mut self, cause: Cause, until: Time) {
        let since = self.since();
        if until > since {
            self.ledger.charge(cause, until - since);
            self.step(until, Step::Cause(cause));
        }
    }

    /// Ends a wait: a resource's causes from the ledger `before` to the ledger `after` become this trail's.
    pub fn waited(&mut self, before: &Ledger, after: &Ledger, step: Step, now: Time) {
        self.ledger.add_difference(after, before);
        self.step(now, step);
    }

    /// Ends the wait for a LUN: its causes become this trail's up to `ready_at`, the rest is a wait for a path.
    pub fn waited_for_lun(&mut self, lun: LunId, history: &History, ready_at: Time, now: Time) {
        let since = self.since();
        self.ledger.add_difference(history.ledger(), &self.mark);
        // Copies from chip to chip have no blame, whose account may lag behind.
        let ready_at = ready_at.max(since);
        let mut from = ready_at;
        for (until, cause) in history.between(ready_at, now) {
            self.ledger.discharge(cause, until - from);
            from = until;
        }
        if since < ready_at {
            self.step(ready_at, Step::Lun(lun));
        }
        self.charge(Cause::PathConflict, now);
    }

    /// Goes on with all of another trail, which began where this one has come to.
    pub fn append(&mut self, other: &Trail) {
        debug_assert_eq!(self.since(), other.began, "a part begins where the whole has come to");
        self.ledger.add(&other.ledger);
        self.steps.extend_from_slice(&other.steps);
    }

    fn step(&mut self, until: Time, step: Step) {
        match self.steps.last_mut() {
            Some(last) if last.1 == step => last.0 = until,
            _ => self.steps.push((until, step)),
        }
    }

    /// The steps that reach beyond `from`, oldest first, with their ends; the first may have begun before it.
    pub fn after(&self, from: Time) -> &[(Time, Step)] {
        let later = self.steps.iter().rev().take_while(|(until, _)| *until > from).count();
        &self.steps[self.steps.len() - later..]
    }
}
