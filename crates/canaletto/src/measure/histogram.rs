//! Latencies with a ledger of causes per bucket.

use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::measure::blame::{Account, CAUSES, Ledger};

const SUB_BITS: u32 = 10;
const SUB: u64 = 1 << SUB_BITS;

/// With fewer above it, a percentile shows chance.
const LEAST_ABOVE: u64 = 10;

/// Exact below 1024 ps, to 0.1 % above.
#[derive(Clone)]
pub struct Histogram {
    buckets: Vec<u64>,
    blamed: Ledgers,
    /// Where they are followed.
    root_causes: Ledgers,
    count: u64,
    sum: u128,
    /// [`Time::MAX`] without values.
    min: Time,
    max: Time,
}

#[derive(Clone)]
struct Blamed {
    ledger: Ledger,
    total: Time,
    full: Vec<Ledger>,
}

impl Blamed {
    const NOTHING: Blamed = Blamed { ledger: Ledger::EMPTY, total: Time::ZERO, full: Vec::new() };

    #[inline(always)]
    fn add(&mut self, total: Time, account: &impl Account) {
        let (sum, overflows) = self.total.0.overflowing_add(total.0);
        if overflows {
            self.full.push(self.ledger);
            (self.ledger, self.total) = (Ledger::of(account), total);
        } else {
            account.add_to(&mut self.ledger);
            self.total = Time(sum);
        }
    }

    fn merge(&mut self, other: &Blamed) {
        self.full.extend(&other.full);
        self.add(other.total, &other.ledger);
    }
}

/// By bucket.
#[derive(Clone, Default)]
struct Ledgers(Vec<Option<Box<Blamed>>>);

impl Ledgers {
    #[inline(always)]
    fn add(&mut self, bucket: usize, value: Time, account: &impl Account) {
        match self.0.get_mut(bucket) {
            Some(Some(blamed)) => blamed.add(value, account),
            _ => self.first(bucket).add(value, account),
        }
    }

    #[cold]
    fn first(&mut self, bucket: usize) -> &mut Blamed {
        if self.0.len() <= bucket {
            self.0.resize(end_of_power(bucket), None);
        }
        self.0[bucket].insert(Box::new(Blamed::NOTHING))
    }

    fn merge(&mut self, other: &Ledgers) {
        self.0.resize(self.0.len().max(other.0.len()), None);
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            if let Some(theirs) = theirs {
                mine.get_or_insert_with(|| Box::new(Blamed::NOTHING)).merge(theirs);
            }
        }
    }
}

/// Number of buckets up to the end of this one's power of two.
fn end_of_power(bucket: usize) -> usize {
    (bucket as u64 / SUB * SUB + SUB) as usize
}

impl Default for Histogram {
    fn default() -> Self {
        let (blamed, root_causes) = (Ledgers::default(), Ledgers::default());
        Histogram { buckets: Vec::new(), blamed, root_causes, count: 0, sum: 0, min: Time::MAX, max: Time::ZERO }
    }
}

#[inline]
fn index(value: u64) -> usize {
    if value < SUB {
        return value as usize;
    }
    let shift = 63 - value.leading_zeros() - SUB_BITS;
    (u64::from(shift) * SUB + (value >> shift)) as usize
}

fn upper(index: usize) -> u64 {
    let index = index as u64;
    if index < 2 * SUB {
        return index;
    }
    let shift = index / SUB - 1;
    let mantissa = index - shift * SUB;
    ((mantissa + 1) << shift) - 1
}

impl Histogram {
    #[inline]
    pub fn record(&mut self, value: Time) {
        self.bucket(value);
    }

    #[inline(always)]
    pub fn record_blamed(&mut self, value: Time, account: &impl Account, root_causes: Option<&impl Account>) {
        let bucket = self.bucket(value);
        if let Some(root_causes) = root_causes {
            self.root_causes.add(bucket, value, root_causes);
        }
        self.blamed.add(bucket, value, account);
    }

    #[inline(always)]
    fn bucket(&mut self, value: Time) -> usize {
        let i = index(value.0);
        match self.buckets.get_mut(i) {
            Some(count) => *count += 1,
            None => self.first_in_bucket(i),
        }
        self.count += 1;
        self.sum += u128::from(value.0);
        if rarely(value < self.min) {
            self.min = value;
        }
        if rarely(value > self.max) {
            self.max = value;
        }
        i
    }

    /// Up to the end of the bucket's power of two, which is rare.
    #[cold]
    fn first_in_bucket(&mut self, i: usize) {
        self.buckets.resize(end_of_power(i), 0);
        self.buckets[i] = 1;
    }

    pub fn merge(&mut self, other: &Histogram) {
        let length = self.buckets.len().max(other.buckets.len());
        self.buckets.resize(length, 0);
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.blamed.merge(&other.blamed);
        self.root_causes.merge(&other.root_causes);
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn mean_ps(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    pub fn min(&self) -> Option<Time> {
        (self.count > 0).then_some(self.min)
    }

    pub fn max(&self) -> Option<Time> {
        (self.count > 0).then_some(self.max)
    }

    /// Returns the value that a share `q` of all values does not exceed, if at least ten lie above it.
    pub fn percentile(&self, q: f64) -> Option<Time> {
        self.quantile(q).filter(|_| self.count - self.rank(q) >= LEAST_ABOVE)
    }

    fn quantile(&self, q: f64) -> Option<Time> {
        let (i, _) = self.quantile_bucket(q)?;
        Some(Time(upper(i)).min(self.max))
    }

    /// Returns points (share of slower requests, value in microseconds), 40 per decade of the share.
    pub fn tail(&self) -> Vec<(f64, f64)> {
        let count = self.count as f64;
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut before, mut next) = (0, 0);
        for (i, &n) in self.buckets.iter().enumerate().filter(|(_, n)| **n > 0) {
            let slower = (self.count - before) as f64 / count;
            // The share falls by at least a fortieth of a decade per point.
            if slower <= 10f64.powf(-f64::from(next) / 40.0) || before + n == self.count {
                let value = if before == 0 { self.min } else { Time(upper(i)).min(self.max) };
                points.push((slower, value.us()));
                while slower <= 10f64.powf(-f64::from(next) / 40.0) {
                    next += 1;
                }
            }
            before += n;
        }
        points
    }

    fn rank(&self, q: f64) -> u64 {
        ((q * self.count as f64).ceil() as u64).clamp(1, self.count)
    }

    fn quantile_bucket(&self, q: f64) -> Option<(usize, u64)> {
        if self.count == 0 {
            return None;
        }
        let rank = self.rank(q);
        let mut before = 0;
        for (i, &n) in self.buckets.iter().enumerate() {
            if before + n >= rank {
                return Some((i, before));
            }
            before += n;
        }
        unreachable!("the buckets hold fewer values than were counted")
    }

    /// Mean blame by cause, in picoseconds, of values from the bucket of quantile `q` on; 0 means all.
    pub fn blame_from(&self, q: f64) -> Option<[f64; CAUSES]> {
        self.means_from(q, &self.blamed)
    }

    /// [`Histogram::blame_from`] for root causes.
    pub fn root_causes_from(&self, q: f64) -> Option<[f64; CAUSES]> {
        self.means_from(q, &self.root_causes)
    }

    pub fn has_root_causes(&self) -> bool {
        !self.root_causes.0.is_empty()
    }

    fn means_from(&self, q: f64, ledgers: &Ledgers) -> Option<[f64; CAUSES]> {
        let (first, before) = self.quantile_bucket(q)?;
        let first = if q == 0.0 { 0 } else { first };
        let n = self.count - if q == 0.0 { 0 } else { before };
        let mut sums = [0u128; CAUSES];
        let blamed = ledgers.0[first.min(ledgers.0.len())..].iter().flatten();
        for ledger in blamed.flat_map(|blamed| blamed.full.iter().chain([&blamed.ledger])) {
            for (sum, span) in sums.iter_mut().zip(&ledger.0) {
                *sum += u128::from(span.0);
            }
        }
        Some(sums.map(|sum| sum as f64 / n as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::blame::Cause;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bucket_holds_what_falls_into_it(value in any::<u64>().prop_map(|v| v >> 2)) {
            let i = index(value);
            prop_assert!(upper(i) >= value);
            prop_assert!(i == 0 || upper(i - 1) < value);
            prop_assert!(upper(i) - value <= value / 1024);
        }

        #[test]
        fn quantiles_agree_with_sorting(mut values in prop::collection::vec(0u64..1 << 40, 1..300), q in 0.0f64..1.0) {
            let mut histogram = Histogram::default();
            for &v in &values {
                histogram.record(Time(v));
            }
            values.sort_unstable();
            let exact = values[((q * values.len() as f64).ceil() as usize).clamp(1, values.len()) - 1];
            let got = histogram.quantile(q).unwrap().0;
            prop_assert!(got >= exact && got - exact <= exact / 1024 + 1);
        }

        #[test]
        fn the_tail_falls_from_all_to_the_last(values in prop::collection::vec(0u64..1 << 40, 1..300)) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|&v| histogram.record(Time(v)));
            let tail = histogram.tail();
            prop_assert_eq!(tail[0].0, 1.0);
            prop_assert!(tail.windows(2).all(|pair| pair[0].0 > pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert!(tail.len() <= 40 * 3 + 2);
            for &(slower, latency) in &tail[1..] {
                let exact = values.iter().filter(|v| **v as f64 > latency * 1e6 * (1.0 - 1.0 / 512.0) - 1.0).count();
                prop_assert!(exact as f64 / values.len() as f64 >= slower * 0.999);
            }
        }

        #[test]
        fn blame_adds_up_to_the_mean(values in prop::collection::vec(1u64..1 << 40, 1..100)) {
            let mut histogram = Histogram::default();
            for &v in &values {
                let mut ledger = Ledger::EMPTY;
                ledger.charge(Cause::HostLink, Time(v / 3));
                ledger.charge(Cause::ArrayRead, Time(v - v / 3));
                histogram.record_blamed(Time(v), &ledger, None::<&Ledger>);
            }
            let sum: f64 = histogram.blame_from(0.0).unwrap().iter().sum();
            prop_assert!((sum - histogram.mean_ps().unwrap()).abs() < 1e-3 * sum);
        }
    }

    #[test]
    fn percentiles_of_few_values_are_absent() {
        for (q, least) in [(0.5, 20), (0.9, 100), (0.99, 1000), (0.999, 10_000), (0.9999, 100_000)] {
            let mut histogram = Histogram::default();
            assert_eq!(histogram.percentile(q), None);
            (1..least).for_each(|value| histogram.record(Time(value)));
            assert_eq!(histogram.percentile(q), None, "{q} of {} values", least - 1);
            histogram.record(Time(least));
            assert_eq!(histogram.percentile(q), histogram.quantile(q), "{q} of {least} values");
            assert!(histogram.percentile(q).is_some());
        }
    }

    #[test]
    fn a_full_ledger_loses_nothing() {
        let (mut histogram, mut ledger) = (Histogram::default(), Ledger::EMPTY);
        let value = Time(Time::LATEST.0 / 2 + 7);
        ledger.charge(Cause::HostQueue, value);
        (0..11).for_each(|_| histogram.record_blamed(value, &ledger, Some(&ledger)));
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        for histogram in [&histogram, &twice] {
            for means in [histogram.blame_from(0.0), histogram.root_causes_from(0.0)] {
                assert_eq!(means.unwrap()[Cause::HostQueue as usize], value.0 as f64);
            }
        }
    }
}
