//! Trace files: opening them for a run, and reading them for Python.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use canaletto::config::workload::{Beyond, Devices, Trace, Workload};
use canaletto::workload::replay::{Extent, Record, RecordSource};
use canaletto::{Reopen, TraceInput};
use canaletto_trace::{Format, Options, TraceError, TraceReader};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::insert;
use crate::errors::{config_error, os_error, trace_error};
use crate::watch::Watch;

/// Records handed to Python at a time.
const BATCH: usize = 1 << 16;

/// Opens the traces of a workload. Paths are relative to `base`.
pub fn open_all(workload: &Workload, base: &Path, watch: &mut Watch) -> PyResult<Vec<Option<TraceInput>>> {
    let mut open_one = |trace: &Trace| {
        let path = base.join(&trace.file);
        let extent = needs_extent(trace).then(|| scan(&path, trace, watch)).transpose()?.map(|scan| scan.extent);
        let source = Box::new(open(&path, trace.format.as_deref())?);
        let format = trace.format.clone();
        let again: Reopen = Box::new(move || {
            let reader = try_open(&path, format.as_deref()).map_err(|error| error.to_string())?;
            Ok(Box::new(reader) as Box<dyn RecordSource>)
        });
        Ok(TraceInput { source, extent, again: Some(again) })
    };
    workload.flow.iter().map(|flow| flow.trace.as_ref().map(&mut open_one).transpose()).collect()
}

/// What reading a trace from end to end tells.
pub struct Scan {
    /// Where its devices lie.
    pub extent: Extent,
    /// How many requests it holds.
    pub requests: u64,
}

/// Reads a trace from end to end.
pub fn scan(path: &Path, trace: &Trace, watch: &mut Watch) -> PyResult<Scan> {
    let mut reader = open(path, trace.format.as_deref())?;
    let mut found = Scan { extent: Extent::default(), requests: 0 };
    let mut batch = Vec::new();
    loop {
        reader.read_batch(&mut batch).map_err(trace_error)?;
        if batch.is_empty() {
            return Ok(found);
        }
        batch.iter().for_each(|record| found.extent.include(record));
        found.requests += batch.len() as u64;
        watch.go_on()?;
    }
}

fn needs_extent(trace: &Trace) -> bool {
    trace.devices == Devices::Offset || trace.beyond == Beyond::Fit
}

fn open(path: &Path, format: Option<&str>) -> PyResult<TraceReader> {
    try_open(path, format).map_err(trace_error)
}

fn try_open(path: &Path, format: Option<&str>) -> Result<TraceReader, TraceError> {
    let format = format.map(str::parse::<Format>).transpose()?;
    canaletto_trace::open(path, &Options { format })
}

/// The identity of a trace file: `sha256:` and the digits that `sha256sum` prints.
#[pyfunction]
pub fn hash_trace(py: Python, path: String) -> PyResult<String> {
    let hashed = py.detach(|| canaletto_trace::hash(&path));
    hashed.map_err(|error| match error.raw_os_error() {
        Some(code) => os_error(code, path),
        None => config_error(format!("{path}: {error}")),
    })
}

/// A trace as batches of columns.
#[pyfunction]
#[pyo3(signature = (path, format))]
pub fn read_trace(path: String, format: Option<String>) -> PyResult<TraceBatches> {
    let reader = open(Path::new(&path), format.as_deref())?;
    Ok(TraceBatches { format: reader.format().name(), reader: Mutex::new(reader) })
}

/// Columns `arrival_ns`, `device`, `offset_bytes`, `bytes`, `write`, a batch of requests at a time.
#[pyclass(module = "canaletto._engine")]
pub struct TraceBatches {
    /// Python shares objects among threads, a reader serves one; `__next__` has it to itself all the same.
    reader: Mutex<TraceReader>,
    /// The trace's format.
    #[pyo3(get)]
    format: &'static str,
}

#[pymethods]
impl TraceBatches {
    fn __iter__(this: PyRef<Self>) -> PyRef<Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let read = py.detach(|| self.read());
        let records = read.map_err(trace_error)?;
        if records.is_empty() {
            return Ok(None);
        }
        let columns = PyDict::new(py);
        insert(&columns, "arrival_ns", records.iter().map(|r| r.arrival_ns))?;
        insert(&columns, "device", records.iter().map(|r| r.device))?;
        insert(&columns, "offset_bytes", records.iter().map(|r| r.offset_bytes))?;
        insert(&columns, "bytes", records.iter().map(|r| r.bytes))?;
        insert(&columns, "write", records.iter().map(|r| u8::from(r.write)))?;
        Ok(Some(columns))
    }
}

impl TraceBatches {
    fn read(&mut self) -> Result<Vec<Record>, TraceError> {
        let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (mut records, mut batch) = (Vec::new(), Vec::new());
        while records.len() < BATCH {
            reader.read_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            records.append(&mut batch);
        }
        Ok(records)
    }
}
