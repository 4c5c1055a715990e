//! What was replayed of recorded traces, and how.

use serde::Serialize;

/// What made the requests of a stream arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// The recorded times.
    Recorded,
    /// The recorded times, scaled.
    Scaled,
    /// Completions.
    ClosedLoop,
    /// Room in the submission queue.
    AsFastAsPossible,
}

/// A stream of replayed requests, warm-up included.
#[derive(Debug, Clone, Serialize)]
pub struct ReplayReport {
    /// The flow.
    pub flow: String,
    /// What made its requests arrive.
    pub pace: Pacing,
    /// Requests always outstanding, in a closed loop.
    pub queue_depth: Option<u32>,
    /// Requests replayed.
    pub requests: u64,
    /// Mean time between arrivals, in an open loop whose requests do not all arrive at once.
    pub inter_arrival_us: Option<f64>,
    /// The traces it was made of.
    pub traces: Vec<TraceReport>,
}

/// What was replayed of one trace.
#[derive(Debug, Clone, Serialize)]
pub struct TraceReport {
    /// The trace.
    pub file: String,
    /// Requests replayed, all passes together.
    pub requests: u64,
    /// How many times it was replayed.
    pub passes: u64,
    /// Requests before the part that was replayed, all passes together.
    pub skipped: u64,
    /// Requests that the sample did without.
    pub not_sampled: u64,
    /// Requests whose addresses were taken modulo the capacity, or moved to lie wholly before its end.
    pub wrapped: u64,
    /// Requests whose addresses were scaled to the capacity, or moved as above.
    pub scaled: u64,
    /// Mean time between their arrivals as recorded.
    pub recorded_inter_arrival_us: Option<f64>,
    /// The same as replayed, in an open loop.
    pub inter_arrival_us: Option<f64>,
    /// How many times as fast as recorded it was replayed, in an open loop.
    pub speed: Option<f64>,
}

/// How the times of all open-loop flows were scaled.
#[derive(Debug, Clone, Serialize)]
pub struct TimeScaling {
    /// How many times as fast as the flows say.
    pub speed: f64,
    /// Mean time between arrivals of the flows together, as they say.
    pub given_inter_arrival_us: f64,
    /// The same as simulated.
    pub inter_arrival_us: f64,
}
