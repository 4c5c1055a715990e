//! The event queue: totally ordered by (time, insertion), so that a run never depends on anything else.

use crate::sim::time::Time;

/// A heap entry; ordered by `(time, sequence)`.
#[derive(Clone, Copy)]
struct Entry<E> {
    time: Time,
    sequence: u64,
    event: E,
}

impl<E> Entry<E> {
    fn before(&self, other: &Entry<E>) -> bool {
        (self.time, self.sequence) < (other.time, other.sequence)
    }
}

/// Children of a heap node. Four keeps a node's children in two cache lines and the heap half as deep as two would.
const ARITY: usize = 4;

/// A priority queue of events with first-in first-out order among equal times.
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    pushed: u64,
    now: Time,
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        EventQueue { heap: Vec::with_capacity(256), pushed: 0, now: Time::ZERO }
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
        self.heap.is_empty()
    }

    /// Adds `event` at `time`, which must not lie in the past.
    pub fn push(&mut self, time: Time, event: E) {
        debug_assert!(time >= self.now, "an event was scheduled in the past");
        let entry = Entry { time, sequence: self.pushed, event };
        self.pushed += 1;
        self.heap.push(entry);
        self.sift_up(entry);
    }

    /// Takes the earliest event and moves the clock to it.
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let last = self.heap.pop()?;
        let first = match self.heap.first() {
            None => last,
            Some(&first) => {
                self.sift_down(last);
                first
            }
        };
        self.now = first.time;
        Some((first.time, first.event))
    }

    /// Moves the hole at the end of the heap up to where `entry` belongs.
    fn sift_up(&mut self, entry: Entry<E>) {
        let mut hole = self.heap.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = entry;
    }

    /// Moves the hole at the root down to where `entry` belongs.
    fn sift_down(&mut self, entry: Entry<E>) {
        let mut hole = 0;
        loop {
            let first_child = hole * ARITY + 1;
            let Some(children) = self.heap.get(first_child..self.heap.len().min(first_child + ARITY)) else { break };
            let mut smallest = 0;
            for (i, child) in children.iter().enumerate() {
                if child.before(&children[smallest]) {
                    smallest = i;
                }
            }
            let Some(child) = children.get(smallest).copied() else { break };
            if !child.before(&entry) {
                break;
            }
            self.heap[hole] = child;
            hole = first_child + smallest;
        }
        self.heap[hole] = entry;
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
        /// Against the obvious model: a stable sort by time.
        #[test]
        fn pops_in_time_then_insertion_order(times in prop::collection::vec(0u64..50, 0..200)) {
            let mut queue = EventQueue::new();
            for (i, &t) in times.iter().enumerate() {
                queue.push(Time(t), i);
            }
            let mut expected: Vec<(u64, usize)> = times.iter().copied().zip(0..).collect();
            expected.sort();
            let mut popped = Vec::new();
            while let Some((t, i)) = queue.pop() {
                popped.push((t.0, i));
            }
            prop_assert_eq!(popped, expected);
        }
    }
}
