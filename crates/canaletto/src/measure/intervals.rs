//! Counts in equal intervals over a whole run, in constant memory.

use std::ops::AddAssign;

use crate::sim::time::Time;

/// Largest number of intervals. With one more, neighbours are joined and intervals are twice as long.
pub const INTERVALS: usize = 512;

/// Shortest interval.
const SHORTEST: Time = Time::from_us(1);

/// Counts of each interval. The first interval begins with the run.
#[derive(Clone)]
pub struct Intervals<T> {
    width: Time,
    counts: Vec<T>,
}

impl<T> Default for Intervals<T> {
    fn default() -> Self {
        Intervals { width: SHORTEST, counts: Vec::new() }
    }
}

impl<T: Copy + Default + AddAssign> Intervals<T> {
    /// Returns the length of an interval.
    pub fn width(&self) -> Time {
        self.width
    }

    /// Returns the number of the interval of `time`, and makes intervals up to it.
    pub fn place(&mut self, time: Time) -> usize {
        while (time.0 / self.width.0) as usize >= INTERVALS {
            self.join();
        }
        let place = (time.0 / self.width.0) as usize;
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
    pub fn counts_mut(&mut self) -> &mut [T] {
        &mut self.counts
    }

    fn join(&mut self) {
        self.width = self.width * 2;
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
        while self.width != other.width {
            if self.width < other.width { self.join() } else { other.join() }
        }
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), T::default());
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += *theirs;
        }
    }
}
