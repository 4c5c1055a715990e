//! Counts in equal intervals over a whole run, in constant memory.

use std::ops::AddAssign;

use crate::engine::time::Time;

pub const INTERVALS: usize = 512;

const SHORTEST: Time = Time::from_us(1);

#[derive(Clone)]
pub struct Intervals<T> {
    joined: u32,
    counts: Vec<T>,
}

impl<T> Default for Intervals<T> {
    fn default() -> Self {
        Intervals { joined: 0, counts: Vec::new() }
    }
}

impl<T: Copy + Default + AddAssign> Intervals<T> {
    #[inline]
    pub fn width(&self) -> Time {
        Time(SHORTEST.0 << self.joined)
    }

    #[inline]
    pub fn number(&self, time: Time) -> usize {
        ((time.0 >> self.joined) / SHORTEST.0) as usize
    }

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

    #[inline(always)]
    pub fn at(&mut self, time: Time) -> &mut T {
        let place = self.place(time);
        &mut self.counts[place]
    }

    pub fn counts(&self) -> &[T] {
        &self.counts
    }

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

    pub fn merge(&mut self, other: &Intervals<T>) {
        let mut other = other.clone();
        // Widths are powers of two of one shortest.
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
