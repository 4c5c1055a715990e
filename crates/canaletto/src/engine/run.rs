use crate::engine::time::Time;
use crate::workload::record::{RecordSource, Reopen};

#[derive(Debug, Clone)]
pub struct RunOptions {
    pub seed: u64,
    pub warmup: u64,
    pub records: bool,
    pub alone: Option<u16>,
    pub root_causes: bool,
    /// [Checks](crate::measure::wire_check) whatever goes over the wires. Results stay, with root causes.
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
    /// Most pages written before the run. The counts above are of these.
    pub preconditioning: Option<u64>,
}

pub struct TraceInput {
    pub source: Box<dyn RecordSource>,
    /// For preconditioning, and for keys that depend on the whole trace (`devices = "offset"`, `out_of_range = "fit"`,
    /// `inter_arrival`).
    pub again: Option<Reopen>,
}
