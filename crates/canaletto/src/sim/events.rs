//! The event queue: totally ordered by (time, insertion), so that a run never depends on anything else.
//!
//! Most events lie in the near future and few are pending at a time, so the soonest are kept in a short sorted list, whose
//! end is popped and near whose end most insertions fall; later ones wait in a binary heap. Sources that never have more
//! than one event pending, such as a direction of the host link, have a slot of their own: they make two thirds of all
//! events and need no sorting.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::sim::time::Time;

/// An event and its place in the order.
#[derive(Clone, Copy)]
struct Entry<E> {
    time: Time,
    sequence: u64,
    event: E,
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<E> Eq for Entry<E> {}
impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.sequence).cmp(&(other.time, other.sequence))
    }
}

/// Longest sorted list; half of it moves to the heap when it is reached.
const NEAR: usize = 32;

/// Number of slots for sources with at most one event pending.
const SLOTS: usize = 2;

/// Later than any event.
const NEVER: u128 = u128::MAX;

/// Time and insertion as one number to compare.
fn key(time: Time, sequence: u64) -> u128 {
    (u128::from(time.0) << 64) | u128::from(sequence)
}

/// A priority queue of events with first-in first-out order among equal times.
pub struct EventQueue<E> {
    /// Key of each slot's event, [`NEVER`] if it has none.
    slot_keys: [u128; SLOTS],
    /// Each slot's event, or its last one.
    slot_events: [Option<E>; SLOTS],
    /// The soonest events, soonest last.
    near: Vec<Entry<E>>,
    /// All others; none of them is sooner than any in `near`.
    far: BinaryHeap<Reverse<Entry<E>>>,
    pushed: u64,
    now: Time,
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        EventQueue {
            slot_keys: [NEVER; SLOTS],
            slot_events: [None; SLOTS],
            near: Vec::with_capacity(NEAR),
            far: BinaryHeap::new(),
            pushed: 0,
            now: Time::ZERO,
        }
    }

    /// The time of the event last popped.
    pub fn now(&self) -> Time {
        self.now
    }

    /// How many events were ever pushed.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// Whether nothing is left to happen.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.far.is_empty() && self.slot_keys == [NEVER; SLOTS]
    }

    /// Adds `event` at `time`, which must not lie in the past.
    pub fn push(&mut self, time: Time, event: E) {
        debug_assert!(time >= self.now, "an event was scheduled in the past");
        let entry = Entry { time, sequence: self.pushed, event };
        self.pushed += 1;
        // The new event is the youngest, so that times alone tell its place.
        if self.far.peek().is_some_and(|Reverse(first)| first.time <= time) {
            self.far.push(Reverse(entry));
            return;
        }
        // Insertion sort from the soon end: finding the place and making it are one loop.
        self.near.push(entry);
        let mut place = self.near.len() - 1;
        while place > 0 && self.near[place - 1].time <= time {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = entry;
        if self.near.len() == NEAR {
            self.far.extend(self.near.drain(..NEAR / 2).map(Reverse));
        }
    }

    /// Adds `event` of the source that owns `slot` and has no other event pending.
    pub fn push_single(&mut self, slot: usize, time: Time, event: E) {
        debug_assert!(time >= self.now && self.slot_keys[slot] == NEVER);
        self.slot_keys[slot] = key(time, self.pushed);
        self.slot_events[slot] = Some(event);
        self.pushed += 1;
    }

    /// The time of the earliest event; later than anything if there is none.
    pub fn next_time(&self) -> Time {
        let near = self.near.last().map(|entry| entry.time);
        // The heap is only sooner where the list is empty.
        let listed = near.or_else(|| self.far.peek().map(|Reverse(first)| first.time)).unwrap_or(Time::MAX);
        listed.min(Time((self.slot_keys[0].min(self.slot_keys[1]) >> 64) as u64))
    }

    /// Takes the earliest event and moves the clock to it.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        if self.near.is_empty() {
            self.refill();
        }
        let near = self.near.last().map_or(NEVER, |entry| key(entry.time, entry.sequence));
        let slot = usize::from(self.slot_keys[1] < self.slot_keys[0]);
        let event = if self.slot_keys[slot] < near {
            self.now = Time((self.slot_keys[slot] >> 64) as u64);
            self.slot_keys[slot] = NEVER;
            self.slot_events[slot]?
        } else {
            let first = self.near.pop()?;
            self.now = first.time;
            first.event
        };
        Some((self.now, event))
    }

    /// Moves the soonest events of the heap to the empty list.
    #[cold]
    fn refill(&mut self) {
        let count = self.far.len().min(NEAR / 4);
        self.near.extend((0..count).filter_map(|_| self.far.pop()).map(|Reverse(entry)| entry));
        self.near.reverse();
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the obvious model, with pushes and pops mixed: the earliest, and among equals the oldest, comes first.
        #[test]
        fn pops_in_time_then_insertion_order(steps in prop::collection::vec(prop::option::weighted(0.6, 0u64..50), 0..600)) {
            let mut slot_busy = [false; SLOTS];
            let mut queue = EventQueue::new();
            let mut model: Vec<(u64, usize)> = Vec::new();
            let mut now = 0;
            for (i, step) in steps.into_iter().chain(std::iter::repeat_n(None, 600)).enumerate() {
                match step {
                    Some(delay) => {
                        model.push((now + delay, i));
                        // Two of three go to a slot if that is free.
                        let slot = i % 3;
                        if slot < SLOTS && !slot_busy[slot] {
                            slot_busy[slot] = true;
                            queue.push_single(slot, Time(now + delay), i + 1_000_000 * (slot + 1));
                        } else {
                            queue.push(Time(now + delay), i);
                        }
                    }
                    None => {
                        model.sort_unstable();
                        prop_assert_eq!(queue.next_time().0, model.first().map_or(u64::MAX, |first| first.0));
                        let expected = (!model.is_empty()).then(|| model.remove(0));
                        let popped = queue.pop();
                        if let Some((_, e @ 1_000_000..)) = popped {
                            slot_busy[e / 1_000_000 - 1] = false;
                        }
                        prop_assert_eq!(popped.map(|(t, e)| (t.0, e % 1_000_000)), expected);
                        now = expected.map_or(now, |(t, _)| t);
                    }
                }
            }
            prop_assert!(queue.is_empty());
        }
    }
}
