//! `canaletto._engine`: the engine as a Python module.
//!
//! This layer only converts: structured data cross as TOML and JSON text, requests as columns of raw bytes.

mod attach;
mod columns;
mod config;
mod cost;
mod drive;
mod errors;
mod fabric;
mod gc_policy;
mod memory;
mod mqsim;
mod own;
mod profiles;
mod run;
mod scheduler;
#[cfg(unix)]
mod serve;
mod timeline;
mod traces;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::attach::{resolve_pc, simulate_pc};
    #[pymodule_export]
    use crate::config::{
        chip_shares, fabrics, inspect, located, presets, profiles, resolve_design, resolve_workload, schema, sequences,
        spelt_out, version,
    };
    #[pymodule_export]
    use crate::drive::{Completion, SteppedDrive};
    #[pymodule_export]
    use crate::errors::{ConfigError, SimulationError};
    #[pymodule_export]
    use crate::fabric::Transfer;
    #[pymodule_export]
    use crate::memory::available_memory;
    #[pymodule_export]
    const MOST_DEVICES: usize = canaletto_trace::MOST_DEVICES;
    #[pymodule_export]
    use crate::mqsim::mqsim;
    #[pymodule_export]
    use crate::profiles::{fit_trace, survey_workload};
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::scheduler::Transaction;
    #[cfg(unix)]
    #[pymodule_export]
    use crate::serve::Server;
    #[pymodule_export]
    use crate::timeline::timeline;
    #[pymodule_export]
    use crate::traces::{TraceBatches, convert_trace, hash_trace, read_trace, survey_trace, trace_formats};
}
