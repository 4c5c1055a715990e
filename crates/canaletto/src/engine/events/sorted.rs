use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Entry, Key, NEVER};

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
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
        self.key.cmp(&other.key)
    }
}

/// Half of the list moves to the heap at this length.
const NEAR: usize = 32;

/// The soonest are in a short sorted list, later ones in a binary heap.
pub struct SortedList<E> {
    /// Soonest last; empty only if there are none.
    near: Vec<Entry<E>>,
    /// None is sooner than any in `near`.
    far: BinaryHeap<Reverse<Entry<E>>>,
}

impl<E: Copy> SortedList<E> {
    pub fn new() -> Self {
        SortedList { near: Vec::with_capacity(NEAR), far: BinaryHeap::new() }
    }

    pub fn first(&self) -> Key {
        self.near.last().map_or((NEVER, 0), |entry| entry.key)
    }

    pub fn push(&mut self, entry: Entry<E>) {
        if self.far.peek().is_some_and(|Reverse(first)| first.key <= entry.key) {
            self.far.push(Reverse(entry));
            return;
        }
        // Insertion sort from the soon end: finding the place and making it are one loop.
        self.near.push(entry);
        let mut place = self.near.len() - 1;
        while place > 0 && self.near[place - 1].key <= entry.key {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = entry;
        if self.near.len() == NEAR {
            self.far.extend(self.near.drain(..NEAR / 2).map(Reverse));
        }
    }

    #[inline(never)]
    pub fn pop(&mut self) -> (E, Key) {
        let first = self.near.pop().expect("the list has an event");
        if self.near.is_empty() {
            self.refill();
        }
        (first.event, self.first())
    }

    #[cold]
    fn refill(&mut self) {
        let count = self.far.len().min(NEAR / 4);
        self.near.extend((0..count).filter_map(|_| self.far.pop()).map(|Reverse(entry)| entry));
        self.near.reverse();
    }
}
