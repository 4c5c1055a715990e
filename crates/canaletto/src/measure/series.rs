//! Counts and means in equal intervals over the whole run, in constant memory.

use std::ops::AddAssign;

use serde::Serialize;

use crate::JsonSchema;
use crate::engine::time::Time;
use crate::measure::intervals::{INTERVALS, Intervals};

#[derive(Clone, Copy, Default)]
struct Interval {
    arrivals: u64,
    completed: u64,
    alive: u128,
    throughout: i64,
    latency: u128,
    lost: u128,
}

/// Counts over time.
#[derive(Clone, Default)]
pub struct Series(Intervals<Interval>);

impl Series {
    /// `lost`: to path conflicts.
    #[inline(always)]
    pub fn count(&mut self, arrival: Time, completion: Time, lost: Time) {
        if self.0.number(completion) >= INTERVALS {
            self.settle();
        }
        let last = self.0.place(completion);
        let first = self.0.number(arrival);
        let width = self.0.width().0;
        let intervals = self.0.counts_mut();
        intervals[first].arrivals += 1;
        let end = &mut intervals[last];
        end.completed += 1;
        end.latency += u128::from((completion - arrival).0);
        end.lost += u128::from(lost.0);
        if first == last {
            end.alive += u128::from((completion - arrival).0);
            return;
        }
        // In four places, however long it was outstanding.
        end.alive += u128::from(completion.0 - last as u64 * width);
        end.throughout -= 1;
        intervals[first].alive += u128::from((first as u64 + 1) * width - arrival.0);
        intervals[first + 1].throughout += 1;
    }

    /// Before neighbours join.
    #[cold]
    fn settle(&mut self) {
        let width = u128::from(self.0.width().0);
        let mut throughout = 0;
        for interval in self.0.counts_mut() {
            throughout += std::mem::take(&mut interval.throughout);
            interval.alive += throughout as u128 * width;
        }
    }

    /// Adds the counts of another series.
    pub fn merge(&mut self, other: &Series) {
        let mut other = other.clone();
        other.settle();
        self.settle();
        self.0.merge(&other.0);
    }

    /// Returns the series for results.
    pub fn report(&self) -> SeriesReport {
        let mut settled = self.clone();
        settled.settle();
        settled.report_settled()
    }

    fn report_settled(&self) -> SeriesReport {
        let used = self.0.counts().iter().rposition(|i| i.alive > 0 || i.completed > 0).map_or(0, |last| last + 1);
        let intervals = &self.0.counts()[..used];
        let column = |value: fn(&Interval) -> f64| intervals.iter().map(value).collect();
        let width = self.0.width().0 as f64;
        let mean = |i: &Interval| (i.completed > 0).then(|| i.latency as f64 / i.completed as f64 / 1e6);
        SeriesReport {
            interval_us: self.0.width().us(),
            arrivals: intervals.iter().map(|i| i.arrivals).collect(),
            completed: intervals.iter().map(|i| i.completed).collect(),
            outstanding: intervals.iter().map(|i| i.alive as f64 / width).collect(),
            latency_us: intervals.iter().map(mean).collect(),
            path_conflict_us: column(|i| i.lost as f64 / 1e6),
        }
    }
}

impl AddAssign for Interval {
    fn add_assign(&mut self, other: Interval) {
        self.arrivals += other.arrivals;
        self.completed += other.completed;
        self.alive += other.alive;
        self.throughout += other.throughout;
        self.latency += other.latency;
        self.lost += other.lost;
    }
}

/// Series in results. Every list has one value an interval, and the first interval begins with the run.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct SeriesReport {
    /// Length of an interval, in microseconds.
    pub interval_us: f64,
    /// Completed requests that arrived in the interval.
    pub arrivals: Vec<u64>,
    /// Requests completed.
    pub completed: Vec<u64>,
    /// Mean number of outstanding requests.
    pub outstanding: Vec<f64>,
    /// Mean latency of the requests completed, in microseconds.
    pub latency_us: Vec<Option<f64>>,
    /// Time that pages of the requests completed lost to path conflicts, in microseconds.
    pub path_conflict_us: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::intervals::INTERVALS;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn joining_intervals_keeps_every_sum(
            requests in prop::collection::vec((0u64..1 << 42, 0u64..1 << 36, 0u64..1000), 1..200), split in 0usize..200,
        ) {
            let mut parts = [Series::default(), Series::default()];
            for (i, &(arrival, latency, lost)) in requests.iter().enumerate() {
                parts[usize::from(i < split)].count(Time(arrival), Time(arrival + latency), Time(lost));
            }
            let [mut whole, other] = parts;
            whole.merge(&other);
            whole.settle();
            let report = whole.report();
            prop_assert!(report.completed.len() <= INTERVALS);
            prop_assert_eq!(report.arrivals.iter().sum::<u64>(), requests.len() as u64);
            prop_assert_eq!(report.completed.iter().sum::<u64>(), requests.len() as u64);
            let width = whole.0.width().0;
            for (i, interval) in (0u64..).zip(whole.0.counts()) {
                let overlap = |&(arrival, latency, _): &(u64, u64, u64)| {
                    let until = (arrival + latency).min((i + 1) * width);
                    u128::from(until.saturating_sub(arrival.max(i * width)))
                };
                prop_assert_eq!(interval.alive, requests.iter().map(overlap).sum::<u128>());
            }
            let alive: u128 = whole.0.counts().iter().map(|i| i.alive).sum();
            prop_assert_eq!(alive, requests.iter().map(|r| u128::from(r.1)).sum::<u128>());
            let lost: u128 = whole.0.counts().iter().map(|i| i.lost).sum();
            prop_assert_eq!(lost, requests.iter().map(|r| u128::from(r.2)).sum::<u128>());
        }
    }
}
