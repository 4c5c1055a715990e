//! PCs with a fixed-latency drive.

use canaletto::config::load_pc;
use canaletto::config::writer::write_text;
use canaletto::host::attach::scenario::{Scenario, simulate};
use pyo3::prelude::*;

use crate::errors::config_error;

/// Returns a PC as TOML with every key.
#[pyfunction]
pub fn resolve_pc(name: &str, text: &str, overrides: Vec<String>) -> PyResult<String> {
    let pc = load_pc(name, text, &overrides).map_err(config_error)?;
    write_text(&pc).map_err(config_error)
}

/// Returns the times of a scenario, as JSON.
#[pyfunction]
pub fn simulate_pc(pc_toml: &str, scenario: &str, bytes: u64) -> PyResult<String> {
    let pc = load_pc("pc", pc_toml, &[]).map_err(config_error)?;
    let known = Scenario::ALL.map(Scenario::name);
    let which = Scenario::ALL.into_iter().find(|known| known.name() == scenario);
    let which = which
        .ok_or_else(|| config_error(format!("scenario: got {scenario:?}, expected one of {}", known.join(", "))))?;
    let times = simulate(&pc, which, bytes).map_err(config_error)?;
    serde_json::to_string(&times).map_err(config_error)
}
