//! The event queue, totally ordered by (time, insertion).
//!
//! A source with at most one pending event has its own *slot*. Most events of a kind come in order of time and queue up
//! in *lanes*: an event goes to the first lane that ends before it. The rest is sorted into a [`SortedList`].

mod sorted;

use std::cmp::Ordering;

use crate::engine::events::sorted::SortedList;
use crate::engine::fifo::Fifo;
use crate::engine::time::Time;

#[derive(Clone, Copy)]
struct Entry<E> {
    key: Key,
    event: E,
}

/// Time, insertion and, in the lowest bits, the source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    const NEVER: Key = Key(u128::MAX);
    const SOURCE_BITS: u32 = 3;

    #[inline]
    fn new(time: Time, insertion: u64, source: usize) -> Key {
        Key((u128::from(time.0) << 64) | u128::from(insertion << Self::SOURCE_BITS | source as u64))
    }

    #[inline]
    fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    #[inline]
    fn source(self) -> usize {
        self.0 as usize & ((1 << Self::SOURCE_BITS) - 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due<E> {
    Single(usize),
    Event(E),
}

/// The first sources.
const SLOTS: usize = 2;

/// This many kinds of events, each with its own delay, never need the list.
const LANES: usize = 4;

const LIST: usize = SLOTS + LANES;

pub struct EventQueue<E> {
    /// [`Key::NEVER`] without event.
    slot_keys: [Key; SLOTS],
    /// Of each lane and of the list.
    heads: [Key; LANES + 1],
    front: Key,
    lanes: [Fifo<Entry<E>>; LANES],
    /// Of the last event of each lane, latest first.
    ends: [Time; LANES],
    list: SortedList<E>,
    pushed: u64,
    reserved: u64,
    now: Time,
}

impl<E: Copy> EventQueue<E> {
    pub fn new() -> Self {
        EventQueue {
            slot_keys: [Key::NEVER; SLOTS],
            heads: [Key::NEVER; LANES + 1],
            front: Key::NEVER,
            lanes: std::array::from_fn(|_| Fifo::new()),
            ends: [Time::ZERO; LANES],
            list: SortedList::new(),
            pushed: 0,
            reserved: 0,
            now: Time::ZERO,
        }
    }

    #[inline]
    pub fn now(&self) -> Time {
        self.now
    }

    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    pub fn is_empty(&self) -> bool {
        self.front == Key::NEVER && self.slot_keys == [Key::NEVER; SLOTS]
    }

    /// Times are added unchecked: a sum past the end of the clock comes after everything.
    #[inline]
    fn time_of(&self, time: Time) -> Time {
        let is_past = time < self.now;
        debug_assert!(!is_past || self.now - time > Time(1 << 62), "an event was scheduled in the past");
        if is_past { Time::MAX } else { time }
    }

    #[inline]
    fn next_key(&mut self, time: Time, source: usize) -> Key {
        let key = Key::new(time, self.pushed, source);
        self.pushed += 1;
        key
    }

    #[inline]
    pub fn push(&mut self, time: Time, event: E) {
        let time = self.time_of(time);
        let place: usize = self.ends.iter().map(|&end| usize::from(end > time)).sum();
        let key = self.next_key(time, SLOTS + place);
        let Some(lane) = self.lanes.get_mut(place) else {
            return self.push_to_list(key, event);
        };
        self.ends[place] = time;
        if lane.is_empty() {
            self.heads[place] = key;
            self.front = self.front.min(key);
        }
        lane.push(Entry { key, event });
    }

    /// For an event that is not known yet, as if it were pushed now.
    #[inline]
    pub fn reserve(&mut self) {
        self.reserved = self.pushed;
        self.pushed += 1;
    }

    pub fn push_reserved(&mut self, time: Time, event: E) {
        let key = Key::new(self.time_of(time), self.reserved, LIST);
        self.push_to_list(key, event);
    }

    #[inline(never)]
    fn push_to_list(&mut self, key: Key, event: E) {
        self.list.push(Entry { key, event });
        self.heads[LIST - SLOTS] = self.list.first();
        self.front = self.front.min(key);
    }

    /// The source has no other event pending.
    #[inline]
    pub fn push_single(&mut self, slot: usize, time: Time) {
        debug_assert!(self.slot_keys[slot] == Key::NEVER, "a slot holds one event");
        self.slot_keys[slot] = self.next_key(self.time_of(time), slot);
    }

    /// Later than anything if there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.slot_keys.iter().fold(self.front.time(), |first, key| first.min(key.time()))
    }

    pub fn pop(&mut self) -> Option<(Time, Due<E>)> {
        let (now, slot) = self.advance()?;
        Some((now, slot.map_or_else(|| Due::Event(self.take()), Due::Single)))
    }

    /// Moves the clock to the next event. Returns the slot whose event it is; none if it is to be [taken](EventQueue::take).
    #[inline(always)]
    pub fn advance(&mut self) -> Option<(Time, Option<usize>)> {
        // Not by `map`, whose parts are calls where the linker does not optimise.
        let (first, second) = (self.slot_keys[0].time(), self.slot_keys[1].time());
        let (slot, time) = if second < first { (1, second) } else { (0, first) };
        let front = self.front.time();
        let is_slot = match time.cmp(&front) {
            Ordering::Less if first != second => Some(slot),
            Ordering::Greater => None,
            _ => self.slot_of_equals(),
        };
        if let Some(slot) = is_slot {
            self.now = time;
            self.slot_keys[slot] = Key::NEVER;
            return Some((time, is_slot));
        }
        self.now = if self.front == Key::NEVER { return None } else { front };
        Some((front, None))
    }

    #[inline(never)]
    fn slot_of_equals(&self) -> Option<usize> {
        let key = self.slot_keys[0].min(self.slot_keys[1]);
        (key < self.front).then_some(key.source() % SLOTS)
    }

    /// The event to which [`EventQueue::advance`] has moved the clock.
    #[inline(never)]
    pub fn take(&mut self) -> E {
        let event;
        let place = self.front.source() - SLOTS;
        if let Some(lane) = self.lanes.get_mut(place) {
            event = lane.pop().expect("a lane with a head has an event").event;
            self.heads[place] = lane.first().map_or(Key::NEVER, |next| next.key);
        } else {
            (event, self.heads[LIST - SLOTS]) = self.list.pop();
        }
        self.front = self.heads.iter().fold(Key::NEVER, |first, key| first.min(*key));
        event
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
