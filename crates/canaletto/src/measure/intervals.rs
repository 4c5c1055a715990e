//! Counts in equal intervals over a whole run, in constant memory.

use std::ops::AddAssign;

use crate::engine::time::Time;

/// Largest number of intervals. With one more, neighbours are joined and intervals are twice as long.
pub const INTERVALS: usize = 512;

/// Shortest interval.
const SHORTEST: Time = Time::from_us(1);

/// Counts of each interval. The first interval begins with the run.
#[derive(Clone)]
pub struct Intervals<T> {
    /// How often intervals have been joined.
    joined: u32,
    counts: Vec<T>,
}

impl<T> Default for Intervals<T> {
    fn default() -> Self {
        Intervals { joined: 0, counts: Vec::new() }
    }
}

impl<T: Copy + Default + AddAssign> Intervals<T> {
    /// Returns the length of an interval.
    #[inline]
    pub fn width(&self) -> Time {
        Time(SHORTEST.0 << self.joined)
    }

    /// The number of the interval that `time` is in. A shift and the division by a constant cost less than one division.
    #[inline]
    pub fn number(&self, time: Time) -> usize {
        ((time.0 >> self.joined) / SHORTEST.0) as usize
    }

    /// Returns the number of the interval of `time`, and makes intervals up to it.
    #[inline]
    pub fn place(&mut self, time: Time) -> usize {
        let place = self.number(time);
        if place < self.counts.len() { place } else { self.new_place(time) }
    }

    #[cold]
    fn new_place(&mut self, time: Time) -> usize {
        while self.number(time) >= INTERVALS {
            self.join();
        }
        let place = self.number(time);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, T::default());
        }
        place
    }

    /// Returns the counts of the interval of `time`.
    pub fn at(&mut self, time: Time) -> &mut T {
        let place = self.place(time);
        &mut self.counts[place]
    }

    /// Returns all counts.
    pub fn counts(&self) -> &[T] {
        &self.counts
    }

    /// Returns all counts, mutable.
    #[inline]
    pub fn counts_mut(&mut self) -> &mut [T] {
        &mut self.counts
    }

    fn join(&mut self) {
        self.joined += 1;
        for i in 0..self.counts.len().div_ceil(2) {
            let second = self.counts.get(2 * i + 1).copied().unwrap_or_default();
            self.counts[i] = self.counts[2 * i];
            self.counts[i] += second;
        }
        self.counts.truncate(self.counts.len().div_ceil(2));
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: &Intervals<T>) {
        let mut other = other.clone();
        // Both to the same width: widths are powers of two of one shortest.
        while self.joined != other.joined {
            if self.joined < other.joined { self.join() } else { other.join() }
        }
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), T::default());
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += *theirs;
        }
    }
}
