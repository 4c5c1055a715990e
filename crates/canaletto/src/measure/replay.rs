//! Replayed traces in a report.

use serde::Serialize;

use crate::JsonSchema;

/// Arrival process of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// Recorded times.
    Recorded,
    /// Recorded times, scaled.
    Scaled,
    /// Closed loop: a completion makes the next request arrive.
    ClosedLoop,
    /// As fast as the submission queue has room.
    AsFastAsPossible,
}

/// Stream of replayed requests, warm-up included.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ReplayReport {
    /// Name of the flow.
    pub flow: String,
    /// Arrival process.
    pub pace: Pacing,
    /// Number of outstanding requests of a closed loop.
    pub queue_depth: Option<u32>,
    /// Number of requests replayed.
    pub requests: u64,
    /// Mean time between arrivals, in microseconds, in an open loop whose requests do not all arrive at once.
    pub inter_arrival_us: Option<f64>,
    /// Traces of the stream.
    pub traces: Vec<TraceReport>,
}

/// Trace of a replayed stream.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct TraceReport {
    /// Name of the trace file.
    pub file: String,
    /// Requests replayed, all passes together.
    pub requests: u64,
    /// Number of passes over the trace.
    pub passes: u64,
    /// Requests before the replayed part, all passes together.
    pub skipped: u64,
    /// Requests that the sample left out.
    pub not_sampled: u64,
    /// Requests with an address taken modulo the capacity, or moved to lie wholly before its end.
    pub wrapped: u64,
    /// Requests with an address scaled to the capacity, or moved to lie wholly before its end.
    pub scaled: u64,
    /// Mean time between arrivals as recorded, in microseconds.
    pub recorded_inter_arrival_us: Option<f64>,
    /// Mean time between arrivals as replayed in an open loop, in microseconds.
    pub inter_arrival_us: Option<f64>,
    /// Factor by which the trace was replayed faster than recorded, in an open loop.
    pub speed: Option<f64>,
}

/// Scaling of the times of all open-loop flows.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct TimeScaling {
    /// Factor by which requests arrive faster than the flows say.
    pub speed: f64,
    /// Mean time between arrivals of the flows together, before scaling, in microseconds.
    pub given_inter_arrival_us: f64,
    /// Mean time between arrivals of the flows together, as simulated, in microseconds.
    pub inter_arrival_us: f64,
}
