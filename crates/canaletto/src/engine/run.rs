//! How to run, and how far a run has come.

use crate::engine::time::Time;
use crate::workload::record::{RecordSource, Reopen};

#[derive(Debug, Clone)]
pub struct RunOptions {
    pub seed: u64,
    /// Requests left out of the statistics: those completed first.
    pub warmup: u64,
    /// Whether to keep a row for each request.
    pub records: bool,
    /// The only flow that makes requests; the others are silent. Absent: all make theirs.
    pub alone: Option<u16>,
    pub root_causes: bool,
    /// Whether to [check](crate::measure::wire_check) whatever goes over the wires. The results are the same, with root causes.
    pub check_wires: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { seed: 1, warmup: 0, records: false, alone: None, root_causes: false, check_wires: false }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Progress {
    pub completed: u64,
    pub generated: u64,
    pub now: Time,
    /// While the drive is written before the run: the most pages that takes. The counts above are of these.
    pub preconditioning: Option<u64>,
}

pub struct TraceInput {
    pub source: Box<dyn RecordSource>,
    /// Reads the trace from its beginning once more: for preconditioning, repetition, and keys that depend on all of it
    /// (`devices = "offset"`, `out_of_range = "fit"`, `inter_arrival`).
    pub again: Option<Reopen>,
}
