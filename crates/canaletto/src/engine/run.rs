//! How to run, and how far a run has come.

use crate::engine::time::Time;
use crate::workload::record::{RecordSource, Reopen};

/// How to run, next to what to run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// Requests left out of the statistics: those completed first.
    pub warmup: u64,
    /// Whether to keep a row for each request.
    pub records: bool,
    /// The number of the only flow that makes requests. The others keep their addresses and what they did before the run,
    /// and are silent. Absent: all make theirs.
    pub alone: Option<u16>,
    /// Whether to follow waits to their [root causes](crate::measure::root_cause), too.
    pub root_causes: bool,
    /// Whether to [check](crate::measure::wire_check) whatever goes over the wires. The results are the same, with root causes.
    pub check_wires: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { seed: 1, warmup: 0, records: false, alone: None, root_causes: false, check_wires: false }
    }
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Requests completed.
    pub completed: u64,
    /// Requests generated.
    pub generated: u64,
    /// Simulated time.
    pub now: Time,
    /// While the drive is written before the run: how many pages that will take at the most. The counts above are of
    /// these, then.
    pub preconditioning: Option<u64>,
}

/// The recorded requests of a trace flow.
pub struct TraceInput {
    /// Its records.
    pub source: Box<dyn RecordSource>,
    /// Reads the trace from its beginning once more: needed to precondition the drive for it, to repeat it, and for what must
    /// be known of all of it before the run (`devices = "offset"`, `out_of_range = "fit"`, `inter_arrival`).
    pub again: Option<Reopen>,
}
