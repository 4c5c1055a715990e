use std::path::Path;

use canaletto::engine::time::Time;
use canaletto::measure::timeline::{Timeline, Windows};
use canaletto::{RunOptions, Simulation};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::columns::{insert, insert_edges};
use crate::config::{parse_design, parse_workload};
use crate::errors::{config_error, run_error};
use crate::own::{Parts, Raised};
use crate::run::requests_in;
use crate::traces::open_all;
use crate::watch::Watch;

/// As JSON; times in picoseconds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    seed: u64,
    warmup: u64,
    windows: Vec<(u64, u64)>,
    limit: usize,
}

type Recorded<'py> = (String, Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Of a resolved design and workload, up to the end of the last window. `parts`: user-defined classes.
#[pyfunction]
#[pyo3(signature = (design_toml, workload_toml, options_json, progress, parts=None))]
pub fn timeline<'py>(
    py: Python<'py>,
    design_toml: &str,
    workload_toml: &str,
    options_json: &str,
    progress: Option<Py<PyAny>>,
    parts: Option<Parts>,
) -> PyResult<Recorded<'py>> {
    let mut design = parse_design(design_toml)?;
    let workload = parse_workload(workload_toml)?;
    let Options { seed, warmup, windows, limit } = serde_json::from_str(options_json).map_err(config_error)?;
    let windows = windows.into_iter().map(|(from, until)| (Time(from), Time(until))).collect();
    let options = RunOptions { seed, warmup, ..RunOptions::default() };
    let raised = parts.map(|parts| parts.adopt(py, &mut design, progress.as_ref())).transpose()?;
    let mut watch = Watch::new(progress, requests_in(&workload));
    let ran = py.detach(|| {
        let traces = open_all(&workload, Path::new(""))?.inputs;
        let mut look = |so_far: &canaletto::Progress| watch.look(so_far);
        let windows = Windows { windows, limit };
        let ran = Simulation::new(&design, &workload, traces, &options).timeline(windows, &mut look);
        ran.map_err(|error| watch.blame(run_error(error)))
    });
    let (header, timeline) = Raised::instead_of(raised, py, ran)?;
    let header = serde_json::to_string(&header).map_err(config_error)?;
    let Timeline { spans, steps, requests, .. } = timeline;
    let columns = [PyDict::new(py), PyDict::new(py), PyDict::new(py)];
    insert(&columns[0], "kind", spans.kind.into_iter())?;
    insert(&columns[0], "part", spans.part.into_iter())?;
    insert(&columns[0], "start_ps", spans.start.into_iter())?;
    insert(&columns[0], "end_ps", spans.end.into_iter())?;
    insert(&columns[0], "request", spans.request.into_iter())?;
    insert(&columns[0], "page", spans.page.into_iter())?;
    insert(&columns[0], "work", spans.work.into_iter())?;
    insert(&columns[1], "request", steps.request.into_iter())?;
    insert(&columns[1], "page", steps.page.into_iter())?;
    insert(&columns[1], "cause", steps.cause.into_iter())?;
    insert(&columns[1], "start_ps", steps.start.into_iter())?;
    insert(&columns[1], "end_ps", steps.end.into_iter())?;
    insert(&columns[1], "part", steps.part.into_iter())?;
    insert(&columns[2], "number", requests.number.into_iter())?;
    insert(&columns[2], "flow", requests.flow.into_iter())?;
    insert(&columns[2], "kind", requests.kind.into_iter())?;
    insert(&columns[2], "lba", requests.lba.into_iter())?;
    insert(&columns[2], "sectors", requests.sectors.into_iter())?;
    insert_edges(&columns[2], requests.edges)?;
    insert(&columns[2], "stream", requests.stream.into_iter())?;
    insert(&columns[2], "arrival_ps", requests.arrival.into_iter())?;
    insert(&columns[2], "complete_ps", requests.complete.into_iter())?;
    let [spans, steps, requests] = columns;
    Ok((header, spans, steps, requests))
}
