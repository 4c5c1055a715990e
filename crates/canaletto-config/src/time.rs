//! Simulated time: whole picoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A point in simulated time, or a span of it, in picoseconds (213 days fit).
///
/// Integers make runs identical on every machine; picoseconds are exact enough that rounding never decides an order
/// (one byte at 16 GB/s is 62.5 ps).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The beginning of the run; also the empty span.
    pub const ZERO: Time = Time(0);
    /// 107 days. A span is shorter, so that a time of the run and a span after it always fit; a later event ends the
    /// run.
    pub const LATEST: Time = Time(1 << 63);
    /// Later than anything a run reaches.
    pub const MAX: Time = Time(u64::MAX);

    /// A span of `ns` nanoseconds.
    #[inline]
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000)
    }

    /// A span of `us` microseconds.
    #[inline]
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    /// Rounded up to a picosecond, so that no resource beats its rate. A rate of 0 is no limit.
    #[inline]
    pub const fn of_transfer(bytes: u64, bytes_per_s: u64) -> Time {
        if bytes_per_s == 0 {
            return Time::ZERO;
        }
        const PS_PER_S: u64 = 1_000_000_000_000;
        // Up to 18 MB the product fits a word, whose division costs far less.
        if let Some(product) = bytes.checked_mul(PS_PER_S) {
            let ps = product.div_ceil(bytes_per_s);
            return Time(if ps > 1 << 62 { 1 << 62 } else { ps });
        }
        let ps = (bytes as u128 * PS_PER_S as u128).div_ceil(bytes_per_s as u128);
        // Absurdly slow transfers must end the run, not wrap around.
        Time(if ps > 1 << 62 { 1 << 62 } else { ps as u64 })
    }

    /// Whole nanoseconds, rounded down.
    #[inline]
    pub const fn ns(self) -> u64 {
        self.0 / 1_000
    }

    /// Microseconds, for reports.
    #[inline]
    pub fn us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Seconds, for reports.
    #[inline]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// `self - other`, or zero where `other` is later.
    #[inline]
    pub const fn saturating_sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }
}

impl Add for Time {
    type Output = Time;
    /// Unchecked: the event queue notices sums that have gone round.
    #[inline]
    fn add(self, other: Time) -> Time {
        Time(self.0.wrapping_add(other.0))
    }
}

impl AddAssign for Time {
    #[inline]
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    #[inline]
    fn sub(self, other: Time) -> Time {
        debug_assert!(self >= other, "time ran backwards: {self:?} - {other:?}");
        Time(self.0 - other.0)
    }
}

impl Mul<u64> for Time {
    type Output = Time;
    /// At most [`Time::LATEST`], so that an absurd span ends the run.
    #[inline]
    fn mul(self, times: u64) -> Time {
        Time(self.0.saturating_mul(times)).min(Time::LATEST)
    }
}

/// Summed over parts that work side by side: more than a [`Time`] may hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct TimeSum(pub u128);

impl TimeSum {
    /// Nothing.
    pub const ZERO: TimeSum = TimeSum(0);

    /// Microseconds, for reports.
    #[inline]
    pub fn us(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Seconds, for reports.
    #[inline]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

impl From<Time> for TimeSum {
    #[inline]
    fn from(time: Time) -> TimeSum {
        TimeSum(u128::from(time.0))
    }
}

impl Add for TimeSum {
    type Output = TimeSum;
    #[inline]
    fn add(self, other: TimeSum) -> TimeSum {
        TimeSum(self.0 + other.0)
    }
}

impl AddAssign<Time> for TimeSum {
    #[inline]
    fn add_assign(&mut self, time: Time) {
        *self = *self + time.into();
    }
}

impl std::iter::Sum<Time> for TimeSum {
    #[inline]
    fn sum<I: Iterator<Item = Time>>(times: I) -> TimeSum {
        TimeSum(times.map(|time| u128::from(time.0)).sum())
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} ns", self.0 / 1_000, self.0 % 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_never_beats_its_rate() {
        assert_eq!(Time::of_transfer(4096, 1_200_000_000), Time(3_413_334));
        assert_eq!(Time::of_transfer(12, 1_200_000_000), Time::from_ns(10));
        assert_eq!(Time::of_transfer(1 << 40, 0), Time::ZERO);
    }

    #[test]
    fn words_hold_what_is_divided_up_to_18_mb() {
        for bytes in [18_446_743, 18_446_744, 18_446_745, 1 << 40] {
            let exact = |rate: u64| (u128::from(bytes) * 1_000_000_000_000).div_ceil(rate.into()).min(1 << 62) as u64;
            for rate in [1, 3, 1_200_000_000, u64::MAX] {
                assert_eq!(Time::of_transfer(bytes, rate), Time(exact(rate)));
            }
        }
    }
}
