//! The event queue, totally ordered by (time, insertion).
//!
//! A source with at most one pending event has its own *slot*. Most events of a kind come in order of time and queue up
//! in *lanes*: an event goes to the first lane that ends before it. The rest is sorted into a [`SortedList`].

mod sorted;

use crate::engine::events::sorted::SortedList;
use crate::engine::fifo::Fifo;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;

#[derive(Clone, Copy)]
struct Entry<E> {
    key: Key,
    event: E,
}

/// Time and insertion.
type Key = (Time, u64);

/// The time of what has no event.
const NEVER: Time = Time::MAX;

/// Of sums past the end of the clock, which come after everything.
const END: Time = Time(NEVER.0 - 1);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due<E> {
    Single(usize),
    Event(E),
}

const SLOTS: usize = 2;

/// This many kinds of events, each with its own delay, never need the list.
const LANES: usize = 4;

/// The list's place among the heads.
const LIST: usize = LANES;

pub struct EventQueue<E> {
    slot_times: [Time; SLOTS],
    /// Of the last event of each slot.
    slot_insertions: [u64; SLOTS],
    /// Of each lane and of the list.
    head_times: [Time; LANES + 1],
    head_insertions: [u64; LANES + 1],
    /// The place of the first head.
    front: usize,
    front_time: Time,
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
            slot_times: [NEVER; SLOTS],
            slot_insertions: [0; SLOTS],
            head_times: [NEVER; LANES + 1],
            head_insertions: [0; LANES + 1],
            front: 0,
            front_time: NEVER,
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
        self.next_time() == NEVER
    }

    /// Times are added unchecked.
    #[inline(always)]
    fn time_of(&self, time: Time) -> Time {
        debug_assert!(time >= self.now || self.now - time > Time(1 << 62), "an event was scheduled in the past");
        // Also the time that means that there is no event.
        if time.0.wrapping_add(1) <= self.now.0 { END } else { time }
    }

    #[inline(always)]
    fn next_insertion(&mut self) -> u64 {
        self.pushed += 1;
        self.pushed - 1
    }

    #[inline(never)]
    pub fn push(&mut self, time: Time, event: E) {
        self.push_in_line(time, event);
    }

    #[inline(always)]
    pub fn push_in_line(&mut self, time: Time, event: E) {
        let time = self.time_of(time);
        let insertion = self.next_insertion();
        // Sums of iterators are calls where the linker does not optimise.
        let mut place = 0;
        for end in self.ends {
            place += usize::from(end > time);
        }
        let Some(lane) = self.lanes.get_mut(place) else {
            return self.push_to_list((time, insertion), event);
        };
        self.ends[place] = time;
        if lane.is_empty() {
            (self.head_times[place], self.head_insertions[place]) = (time, insertion);
            if time < self.front_time {
                (self.front, self.front_time) = (place, time);
            }
        }
        lane.push(Entry { key: (time, insertion), event });
    }

    #[inline(always)]
    pub fn push_last(&mut self, last: Option<(Time, E)>) {
        if let Some((time, event)) = last {
            self.push_in_line(time, event);
        }
    }

    /// For an event that is not known yet, as if it were pushed now.
    #[inline]
    pub fn reserve(&mut self) {
        self.reserved = self.next_insertion();
    }

    pub fn push_reserved(&mut self, time: Time, event: E) {
        self.push_to_list((self.time_of(time), self.reserved), event);
    }

    #[inline(never)]
    fn push_to_list(&mut self, key: Key, event: E) {
        self.list.push(Entry { key, event });
        (self.head_times[LIST], self.head_insertions[LIST]) = self.list.first();
        self.find_front();
    }

    /// The source has no other event pending.
    #[inline(always)]
    pub fn push_single(&mut self, slot: usize, time: Time) {
        debug_assert!(self.slot_times[slot] == NEVER, "a slot holds one event");
        self.slot_times[slot] = self.time_of(time);
        self.slot_insertions[slot] = self.next_insertion();
    }

    /// Later than anything if there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.front_time.min(self.slot_times[0]).min(self.slot_times[1])
    }

    pub fn pop(&mut self) -> Option<(Time, Due<E>)> {
        let (now, slot) = self.advance()?;
        Some((now, slot.map_or_else(|| Due::Event(self.take()), Due::Single)))
    }

    /// Moves the clock to the next event. Returns its slot, or none if it must be [taken](EventQueue::take).
    #[inline(always)]
    pub fn advance(&mut self) -> Option<(Time, Option<usize>)> {
        // Not by `map`, whose parts are calls where the linker does not optimise.
        let (first, second, front) = (self.slot_times[0], self.slot_times[1], self.front_time);
        let (mut is_second, time) = if second < first { (true, second) } else { (false, first) };
        if front < time {
            self.now = front;
            return Some((front, None));
        }
        if time == front || first == second {
            if time == NEVER {
                return None;
            }
            let Some(is) = self.second_of_equals() else {
                self.now = front;
                return Some((front, None));
            };
            is_second = is;
        }
        self.now = time;
        let slot = usize::from(is_second);
        self.slot_times[slot] = NEVER;
        Some((time, Some(slot)))
    }

    /// Whether the second slot's event is the next one; none if neither's is.
    #[inline(never)]
    fn second_of_equals(&self) -> Option<bool> {
        let ([first, second], [first_insertion, second_insertion]) = (self.slot_times, self.slot_insertions);
        let is_second = second < first || second == first && second_insertion < first_insertion;
        let (time, insertion) = if is_second { (second, second_insertion) } else { (first, first_insertion) };
        let is_first = time < self.front_time || insertion < self.head_insertions[self.front];
        is_first.then_some(is_second)
    }

    /// The event to which [`EventQueue::advance`] has moved the clock.
    #[inline(always)]
    pub fn take(&mut self) -> E {
        let event;
        let place = self.front;
        if let Some(lane) = self.lanes.get_mut(place) {
            event = lane.take_first().event;
            let next = lane.first().map_or((NEVER, 0), |next| next.key);
            (self.head_times[place], self.head_insertions[place]) = next;
        } else {
            (event, (self.head_times[LIST], self.head_insertions[LIST])) = self.list.pop();
        }
        self.find_front();
        event
    }

    #[inline(always)]
    fn find_front(&mut self) {
        let (mut front, mut time, mut are_equal) = (0, self.head_times[0], false);
        for place in 1..=LIST {
            let other = self.head_times[place];
            are_equal |= other == time;
            if other < time {
                (front, time) = (place, other);
            }
        }
        (self.front, self.front_time) = (front, time);
        if rarely(are_equal) {
            self.find_front_of_equals();
        }
    }

    #[inline(never)]
    fn find_front_of_equals(&mut self) {
        let first = (0..=LIST).min_by_key(|&place| (self.head_times[place], self.head_insertions[place]));
        self.front = first.unwrap_or(0);
    }
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
