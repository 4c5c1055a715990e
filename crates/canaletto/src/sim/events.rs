//! The event queue: totally ordered by (time, insertion), so that a run never depends on anything else.
//!
//! Nothing is sorted where the order is known. A source that never has more than one event pending, such as a direction of
//! the host link, has a *slot* of its own. Most other events come a fixed time after something, so that those of one kind
//! come in the order of their times: they queue up in *lanes*, each of which is in order. An event goes to the first lane
//! that ends before it; what fits none, of a few lanes, is sorted into a list ([`SortedList`]).

mod lane;
mod sorted;

use crate::sim::events::lane::Lane;
use crate::sim::events::sorted::SortedList;
use crate::sim::time::Time;

/// An event and its place in the order.
#[derive(Clone, Copy)]
struct Entry<E> {
    key: Key,
    event: E,
}

/// Place in the order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    /// Later than any event.
    const NEVER: Key = Key(u128::MAX);

    fn new(time: Time, insertion: u64) -> Key {
        Key((u128::from(time.0) << 64) | u128::from(insertion))
    }

    fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }
}

/// Number of slots for sources with at most one event pending.
const SLOTS: usize = 2;

/// Number of lanes. The pending events of as many kinds, each with a delay of its own, never need the list.
const LANES: usize = 4;

/// The list, counted behind the lanes.
const LIST: usize = LANES;

/// A priority queue of events with first-in first-out order among equal times.
pub struct EventQueue<E> {
    /// Key of each slot's event, [`Key::NEVER`] if it has none.
    slot_keys: [Key; SLOTS],
    /// Event of each slot, or its last one.
    slot_events: [Option<E>; SLOTS],
    /// Key of the first event of each lane and of the list.
    heads: [Key; LANES + 1],
    /// The least of them, and whose it is.
    front: Key,
    front_of: usize,
    lanes: [Lane<E>; LANES],
    /// Time of the event last added to each lane. Each is later than the next lane's, or as late.
    ends: [Time; LANES],
    list: SortedList<E>,
    pushed: u64,
    now: Time,
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        EventQueue {
            slot_keys: [Key::NEVER; SLOTS],
            slot_events: [None; SLOTS],
            heads: [Key::NEVER; LANES + 1],
            front: Key::NEVER,
            front_of: LIST,
            lanes: std::array::from_fn(|_| Lane::new()),
            ends: [Time::ZERO; LANES],
            list: SortedList::new(),
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
        self.front == Key::NEVER && self.slot_keys == [Key::NEVER; SLOTS]
    }

    /// The place in the order of an event that is added now.
    ///
    /// Times are added without a check. Only here is it seen that a sum has gone round the end of the clock, to before the
    /// present: what is due then comes after everything, when the run has long passed [`Time::LATEST`].
    #[inline]
    fn next_key(&mut self, time: Time) -> Key {
        let is_past = time < self.now;
        debug_assert!(!is_past || self.now - time > Time(1 << 62), "an event was scheduled in the past");
        let key = Key::new(if is_past { Time::MAX } else { time }, self.pushed);
        self.pushed += 1;
        key
    }

    /// Adds `event` at `time`, which must not lie in the past.
    pub fn push(&mut self, time: Time, event: E) {
        let key = self.next_key(time);
        let time = key.time();
        // Ends fall from lane to lane.
        let place: usize = self.ends.iter().map(|&end| usize::from(end > time)).sum();
        let Some(lane) = self.lanes.get_mut(place) else {
            return self.push_to_list(key, event);
        };
        self.ends[place] = time;
        if self.heads[place] == Key::NEVER {
            self.heads[place] = key;
            if key < self.front {
                (self.front, self.front_of) = (key, place);
            }
        }
        lane.push(Entry { key, event });
    }

    #[inline(never)]
    fn push_to_list(&mut self, key: Key, event: E) {
        self.list.push(Entry { key, event });
        self.heads[LIST] = self.list.first();
        if key < self.front {
            (self.front, self.front_of) = (key, LIST);
        }
    }

    /// Adds `event` of the source that owns `slot` and has no other event pending.
    #[inline]
    pub fn push_single(&mut self, slot: usize, time: Time, event: E) {
        debug_assert!(self.slot_keys[slot] == Key::NEVER, "a slot holds one event");
        self.slot_keys[slot] = self.next_key(time);
        self.slot_events[slot] = Some(event);
    }

    /// The time of the earliest event; later than anything if there is none.
    pub fn next_time(&self) -> Time {
        self.slot_keys.iter().fold(self.front, |first, key| first.min(*key)).time()
    }

    /// Takes the earliest event and moves the clock to it.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let slot = usize::from(self.slot_keys[1] < self.slot_keys[0]);
        let key = self.slot_keys[slot];
        if key < self.front {
            self.slot_keys[slot] = Key::NEVER;
            self.now = key.time();
            return Some((self.now, self.slot_events[slot]?));
        }
        if self.front == Key::NEVER {
            return None;
        }
        self.now = self.front.time();
        Some((self.now, self.pop_front()?))
    }

    /// Takes the earliest event that is in no slot.
    #[inline(never)]
    fn pop_front(&mut self) -> Option<E> {
        let source = self.front_of;
        let Some(lane) = self.lanes.get_mut(source) else {
            return self.pop_list();
        };
        let event;
        (event, self.heads[source]) = lane.pop();
        self.find_front();
        Some(event)
    }

    #[inline(never)]
    fn pop_list(&mut self) -> Option<E> {
        let event = self.list.pop();
        self.heads[LIST] = self.list.first();
        self.find_front();
        event
    }

    fn find_front(&mut self) {
        let first = (self.heads[0], 0);
        let earlier = |first: (Key, usize), source| {
            if self.heads[source] < first.0 { (self.heads[source], source) } else { first }
        };
        (self.front, self.front_of) = (1..=LANES).fold(first, earlier);
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
