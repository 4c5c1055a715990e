//! Simulation of a workload.

use std::path::Path;

use canaletto::config::design::Design;
use canaletto::config::workload::{Flow, Workload};
use canaletto::measure::records::Records;
use canaletto::measure::result::{Cost, RunResult};
use canaletto::{Outcome, RowSink, RunOptions, Simulation};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::columns::of_records;
use crate::config::{parse_design, parse_workload};
use crate::cost::Stopwatch;
use crate::errors::{config_error, run_error};
use crate::own::{Parts, Raised};
use crate::traces::{Notes, open_all};
use crate::watch::Watch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    seed: u64,
    warmup: u64,
    records: bool,
    alone: Option<u16>,
    root_causes: bool,
    check_wires: bool,
}

impl Default for Options {
    fn default() -> Self {
        let RunOptions { seed, warmup, records, alone, root_causes, check_wires, .. } = RunOptions::default();
        Options { seed, warmup, records, alone, root_causes, check_wires }
    }
}

pub fn parse_options(json: &str) -> PyResult<RunOptions> {
    let Options { seed, warmup, records, alone, root_causes, check_wires } =
        serde_json::from_str(json).map_err(config_error)?;
    Ok(RunOptions { seed, warmup, records, alone, root_causes, check_wires })
}

/// JSON, and requests as columns.
pub type Results<'py> = (String, Bound<'py, PyDict>);

/// Of a resolved design and workload. `rows` is called with the columns of some ten thousand requests at a time; the
/// last ones are returned. `parts`: user-defined classes.
#[pyfunction]
#[pyo3(signature = (design_toml, workload_toml, options_json, progress, rows=None, parts=None))]
pub fn run<'py>(
    py: Python<'py>,
    design_toml: &str,
    workload_toml: &str,
    options_json: &str,
    progress: Option<Py<PyAny>>,
    rows: Option<Py<PyAny>>,
    parts: Option<Parts>,
) -> PyResult<Results<'py>> {
    let mut design = parse_design(design_toml)?;
    let workload = parse_workload(workload_toml)?;
    let options = parse_options(options_json)?;
    let raised = parts.map(|parts| parts.adopt(py, &mut design, progress.as_ref())).transpose()?;
    let found = simulate(py, &design, &workload, Path::new(""), &options, progress, rows);
    Raised::instead_of(raised, py, found)
}

/// Without the interpreter's lock. Trace paths are relative to `base`.
pub fn simulate<'py>(
    py: Python<'py>,
    design: &Design,
    workload: &Workload,
    base: &Path,
    options: &RunOptions,
    progress: Option<Py<PyAny>>,
    rows: Option<Py<PyAny>>,
) -> PyResult<Results<'py>> {
    let stopwatch = Stopwatch::start();
    let mut watch = Watch::new(progress, requests_in(workload));
    let mut refused = None;
    let (outcome, notes) = py.detach(|| {
        let (traces, notes) = open_all(workload, base)?.split();
        let mut look = |so_far: &canaletto::Progress| watch.look(so_far);
        let mut hand_on = |records: Records| {
            refused = rows.as_ref().and_then(|rows| hand_on(rows, records).err());
            refused.is_none()
        };
        let sink: Option<&mut RowSink> = if rows.is_some() { Some(&mut hand_on) } else { None };
        let ran = Simulation::new(design, workload, traces, options).with_rows(sink).run(&mut look);
        let ran = ran.map(|outcome| (outcome, notes));
        ran.map_err(|error| refused.take().unwrap_or_else(|| watch.blame(run_error(error))))
    })?;
    let cost = stopwatch.stop(outcome.events, outcome.report.measures.requests.completed);
    Ok((to_json(&outcome, &cost, &notes)?, of_records(py, outcome.records)?))
}

fn hand_on(rows: &Py<PyAny>, records: Records) -> PyResult<()> {
    Python::attach(|py| rows.call1(py, (of_records(py, Some(records))?,)).map(|_| ()))
}

pub fn requests_in(workload: &Workload) -> u64 {
    workload.flow.iter().map(requests_of).try_fold(0u64, |sum, n| sum.checked_add(n?)).unwrap_or(0)
}

fn requests_of(flow: &Flow) -> Option<u64> {
    flow.most_requests().filter(|_| flow.synthetic.as_ref().is_none_or(|s| s.stop.is_none()))
}

fn to_json(outcome: &Outcome, cost: &Cost, notes: &Notes) -> PyResult<String> {
    let report = &outcome.report;
    let result = RunResult { report, traces: notes.told(), notes: Vec::new(), interconnect: None, cost };
    serde_json::to_string(&result).map_err(config_error)
}
