//! Counts and times of what clients did.

use std::time::Duration;

use canaletto::engine::time::Time;
use canaletto::measure::histogram::Histogram;
use canaletto::measure::report::Report;
use serde::Serialize;

use crate::nbd::request::Operation;
use crate::storage::Loss;

/// Statistics of a server from its start to its end.
#[derive(Serialize)]
pub struct Statistics {
    /// Simulated time that has passed, in seconds.
    pub simulated_s: f64,
    /// Wall time that has passed, in seconds.
    pub wall_s: f64,
    /// Connections.
    pub connections: Connections,
    /// Requests by operation, with the times of the simulated drive.
    pub requests: Requests,
    /// Requests that were refused, as nothing that the drive can carry out.
    pub refused_requests: u64,
    /// Mean number of outstanding requests over simulated time.
    pub mean_outstanding: Option<f64>,
    /// Wall time by which replies left later than the simulated drive would have sent them. Absent on a free clock.
    pub lateness_us: Option<Times>,
    /// Data that a loss of power has undone. Absent if there was none.
    pub power_loss: Option<Loss>,
    /// Measures of the simulated drive, as of a run.
    pub drive: Option<Report>,
}

/// Counts of connections.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Connections {
    /// Connections that came.
    pub accepted: u64,
    /// Connections that were closed at once, since as many as may be were open.
    pub turned_away: u64,
    /// Connections that were cut off: those that did not keep to the protocol or stood still in the middle of a message.
    pub cut_off: u64,
}

/// Requests by operation.
#[derive(Debug, Clone, Serialize)]
pub struct Requests {
    /// Reads.
    pub read: Counted,
    /// Writes, and zeroes written.
    pub write: Counted,
    /// Trims.
    pub trim: Counted,
    /// Flushes.
    pub flush: Counted,
}

/// Requests of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct Counted {
    /// Requests completed.
    pub completed: u64,
    /// Number of them that the simulated drive failed.
    pub failed: u64,
    /// Bytes that they were for.
    pub bytes: u64,
    /// Simulated time from arrival to completion. Absent without requests.
    pub latency_us: Option<Times>,
}

/// Distribution of times, in microseconds. A percentile is absent where fewer than ten times lie above it.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Times {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p99_9: Option<f64>,
    /// Maximum.
    pub max: f64,
}

impl Times {
    /// Returns the distribution; none of nothing.
    pub fn of(histogram: &Histogram) -> Option<Times> {
        let percentile = |q| histogram.percentile(q).map(Time::us);
        Some(Times {
            mean: histogram.mean_ps()? / 1e6,
            p50: percentile(0.5),
            p99: percentile(0.99),
            p99_9: percentile(0.999),
            max: histogram.max()?.us(),
        })
    }
}

#[derive(Default)]
pub(crate) struct Counts {
    kinds: [Count; 4],
    latencies_ps: u128,
}

#[derive(Default)]
struct Count {
    failed: u64,
    bytes: u64,
    latencies: Histogram,
}

impl Counts {
    pub fn count(&mut self, operation: Operation, bytes: u32, latency: Time, failed: bool) {
        let kind = match operation {
            Operation::Read => 0,
            Operation::Write { .. } => 1,
            Operation::Trim => 2,
            Operation::Flush => 3,
        };
        let count = &mut self.kinds[kind];
        count.failed += u64::from(failed);
        count.bytes += u64::from(bytes);
        count.latencies.record(latency);
        self.latencies_ps += u128::from(latency.0);
    }

    pub fn requests(&self) -> Requests {
        let [read, write, trim, flush] = self.kinds.each_ref().map(|count| Counted {
            completed: count.latencies.count(),
            failed: count.failed,
            bytes: count.bytes,
            latency_us: Times::of(&count.latencies),
        });
        Requests { read, write, trim, flush }
    }

    /// By Little's law.
    pub fn mean_outstanding(&self, span: Time) -> Option<f64> {
        (span > Time::ZERO).then(|| self.latencies_ps as f64 / span.0 as f64)
    }
}

pub(crate) fn time_of(span: Duration) -> Time {
    Time(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX).saturating_mul(1000))
}
