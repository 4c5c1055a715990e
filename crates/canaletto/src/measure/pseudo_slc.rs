//! Pseudo-SLC cache of a run.

use serde::Serialize;

use crate::JsonSchema;

/// Activity of the pseudo-SLC cache, warm-up included. Pages are mapping units where several of them share a flash page.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct PslcReport {
    /// Pages that its static part holds.
    pub static_pages: u64,
    /// Pages that its dynamic part holds at its largest.
    pub dynamic_pages: u64,
    /// Pages of the host programmed in it. The other `host_pages` went to native blocks.
    pub host_pages: u64,
    /// Blocks chosen to be folded.
    pub blocks_folded: u64,
    /// Pages copied to native blocks.
    pub pages_folded: u64,
    /// Flash pages read from it, for the host and for folding.
    pub reads: u64,
    /// Flash pages programmed in it.
    pub programs: u64,
    /// Blocks erased in this mode.
    pub erases: u64,
    /// Energy of these reads, programs and erases, in millijoules, which is part of the arrays' energy.
    pub energy_mj: f64,
    /// Most erases of a block in this mode.
    pub erases_max: u32,
    /// Blocks in use at the end.
    pub blocks_used: u64,
    /// Pages of valid data in it at the end.
    pub valid_pages: u64,
    /// Activity over time.
    pub series: PslcSeries,
}

/// Activity of the pseudo-SLC cache over time. Every list has one value an interval, and the first interval begins with the
/// run.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct PslcSeries {
    /// Length of an interval, in microseconds.
    pub interval_us: f64,
    /// Pages of the host programmed in it.
    pub host_pages: Vec<u64>,
    /// Pages copied to native blocks.
    pub pages_folded: Vec<u64>,
}
