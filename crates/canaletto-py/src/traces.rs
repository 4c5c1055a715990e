//! Trace files, opened for a run or read for Python.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use canaletto::config::reading::ReadOptions;
use canaletto::config::workload::{Devices, Trace, Workload};
use canaletto::flash::address::Layout;
use canaletto::ftl::placement::{Placement, Positions};
use canaletto::measure::result::{Lines, TraceNotes};
use canaletto::workload::flow::Loop;
use canaletto::workload::replay::{Record, RecordSource};
use canaletto::{Reopen, TraceInput};
use canaletto_trace::{Format, Options, Packed, Striping, Survey, Tally, TraceError, TraceReader, TraceWriter};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::columns::insert;
use crate::config::parse_design;
use crate::errors::{config_error, os_error, trace_error};
use crate::watch::Watch;

const BATCH: usize = 1 << 16;

pub struct Opened {
    /// For each synthetic flow and each trace.
    pub inputs: Vec<Option<TraceInput>>,
    notes: Vec<Note>,
}

struct Note {
    flow: String,
    file: String,
    asked: bool,
    /// Devices share the drive's addresses; requests arrive at recorded times.
    overlaid: bool,
    paced: bool,
    tally: Arc<Tally>,
}

/// Paths are relative to `base`.
pub fn open_all(workload: &Workload, base: &Path) -> PyResult<Opened> {
    let mut opened = Opened { inputs: Vec::new(), notes: Vec::new() };
    for flow in &workload.flow {
        for trace in flow.traces() {
            let (input, tally) = open_one(trace, base)?;
            let asked = !trace.read.is_default();
            let (overlaid, paced) = (trace.devices == Devices::Ignore, flow.looping() == Loop::Open);
            opened.notes.push(Note {
                flow: flow.name.clone(),
                file: trace.file.clone(),
                asked,
                overlaid,
                paced,
                tally,
            });
            opened.inputs.push(Some(input));
        }
        if flow.synthetic.is_some() {
            opened.inputs.push(None);
        }
    }
    Ok(opened)
}

fn open_one(trace: &Trace, base: &Path) -> PyResult<(TraceInput, Arc<Tally>)> {
    let path = base.join(&trace.file);
    let source = open(&path, trace.format.as_deref(), &trace.read)?;
    let tally = source.tally();
    let (format, read) = (trace.format.clone(), trace.read.clone());
    let again: Reopen = Arc::new(move || {
        if !path.is_file() {
            let file = path.display();
            return Err(format!("{file}: not a regular file, which can be read only once; expected one to read again"));
        }
        let reader = try_open(&path, format.as_deref(), &read).map_err(|error| error.to_string())?;
        Ok(Box::new(reader) as Box<dyn RecordSource>)
    });
    Ok((TraceInput { source: Box::new(source), again: Some(again) }, tally))
}

impl Opened {
    pub fn split(self) -> (Vec<Option<TraceInput>>, Notes) {
        (self.inputs, Notes(self.notes))
    }
}

pub struct Notes(Vec<Note>);

impl Notes {
    pub fn told(&self) -> Option<Vec<TraceNotes>> {
        let regular =
            |n: &Note| n.tally.skipped() == 0 && n.tally.out_of_order_lines() == 0 && n.tally.seen().restarts == 0;
        let quiet = |n: &Note| !n.asked && regular(n) && !n.misleads();
        if self.0.iter().all(quiet) {
            return None;
        }
        let each = self.0.iter().map(|note| TraceNotes {
            lines: lines(&note.tally),
            flow: note.flow.clone(),
            file: note.file.clone(),
            overlaid: note.overlaid,
            paced: note.paced,
        });
        Some(each.collect())
    }
}

/// Times and devices of fewer requests are not judged.
const JUDGED: u64 = 100;

impl Note {
    /// The trace may be another one than it seems.
    fn misleads(&self) -> bool {
        let seen = self.tally.seen();
        let by_times = seen.clock_ns > 1 || 2 * seen.simultaneous > seen.requests;
        seen.requests >= JUDGED && (self.overlaid && seen.devices > 1 || self.paced && by_times)
    }
}

/// Irregular lines, and times and devices of enough requests.
pub fn lines(tally: &Tally) -> Lines {
    let seen = tally.seen();
    let judged = seen.requests >= JUDGED;
    Lines {
        devices: judged.then_some(seen.devices),
        simultaneous_share: judged.then(|| seen.simultaneous as f64 / seen.requests.max(1) as f64),
        clock_ns: judged.then_some(seen.clock_ns),
        skipped_lines: tally.skipped(),
        first_skipped: tally.first_skipped(),
        out_of_order_lines: tally.out_of_order_lines(),
        clock_restarts: seen.restarts,
    }
}

pub fn count(path: &Path, trace: &Trace, watch: &mut Watch) -> PyResult<u64> {
    let mut reader = open(path, trace.format.as_deref(), &trace.read)?;
    let (mut requests, mut batch) = (0, Vec::new());
    loop {
        reader.read_batch(&mut batch).map_err(trace_error)?;
        if batch.is_empty() {
            return Ok(requests);
        }
        requests += batch.len() as u64;
        watch.go_on()?;
    }
}

fn open(path: &Path, format: Option<&str>, read: &ReadOptions) -> PyResult<TraceReader> {
    try_open(path, format, read).map_err(trace_error)
}

fn try_open(path: &Path, format: Option<&str>, read: &ReadOptions) -> Result<TraceReader, TraceError> {
    let format = format.map(str::parse::<Format>).transpose()?;
    canaletto_trace::open(path, &Options { format, read: read.clone() })
}

/// File, format and reading options are JSON.
pub fn open_named(path: &str, format: Option<&str>, read_json: &str) -> PyResult<TraceReader> {
    let read: ReadOptions = serde_json::from_str(read_json).map_err(config_error)?;
    open(Path::new(path), format, &read)
}

/// `sha256:` and the digits that `sha256sum` prints.
#[pyfunction]
pub fn hash_trace(py: Python, path: String) -> PyResult<String> {
    let hashed = py.detach(|| canaletto_trace::hash(&path));
    hashed.map_err(|error| match error.raw_os_error() {
        Some(code) => os_error(code, path),
        None => config_error(format!("{path}: {error}")),
    })
}

/// As JSON: name, description and whether it can be written.
#[pyfunction]
pub fn trace_formats() -> String {
    let all = Format::ALL.iter();
    let each = all.map(|f| json!({ "name": f.name(), "about": f.description(), "writable": f.is_writable() }));
    serde_json::Value::from_iter(each).to_string()
}

/// As JSON; with a resolved design also pages by channel.
#[pyfunction]
#[pyo3(signature = (path, format, read_json, design_toml))]
pub fn survey_trace(
    py: Python,
    path: &str,
    format: Option<&str>,
    read_json: &str,
    design_toml: Option<&str>,
) -> PyResult<String> {
    let mut reader = open_named(path, format, read_json)?;
    let striping = design_toml.map(striping).transpose()?;
    py.detach(|| {
        let survey = survey_all(&mut reader, Survey::new(striping))?;
        let mut found = serde_json::to_value(survey.finish()).map_err(config_error)?;
        found["lines"] = json!(lines(&reader.tally()));
        found["format"] = json!(reader.format().name());
        found["compression"] = json!(reader.compression().name());
        Ok(found.to_string())
    })
}

pub fn survey_all(reader: &mut TraceReader, mut survey: Survey) -> PyResult<Survey> {
    let (mut watch, mut batch) = (Watch::new(None, 0), Vec::new());
    loop {
        reader.read_batch(&mut batch).map_err(trace_error)?;
        if batch.is_empty() {
            return Ok(survey);
        }
        batch.iter().for_each(|record| survey.add(record));
        watch.go_on()?;
    }
}

/// Channels of consecutive pages.
pub fn striping(design_toml: &str) -> PyResult<Striping> {
    let design = parse_design(design_toml)?;
    let layout = Layout::new(&design.geometry, true);
    let placement = Placement::new(&layout, design.ftl.allocation, &Positions::all(&layout));
    let order = placement.planes().iter().map(|plane| layout.channel_of_plane(*plane)).collect();
    Ok(Striping { page_bytes: layout.page_bytes(), channels: layout.channels, order })
}

/// Packed as the ending of `name` says. Returns notes as JSON.
#[pyfunction]
#[pyo3(signature = (path, format, read_json, out, name, to, rounds))]
#[allow(clippy::too_many_arguments)] // Python names each of them.
pub fn convert_trace(
    py: Python,
    path: &str,
    format: Option<&str>,
    read_json: &str,
    out: PathBuf,
    name: &str,
    to: &str,
    rounds: bool,
) -> PyResult<String> {
    let mut reader = open_named(path, format, read_json)?;
    let to: Format = to.parse().map_err(trace_error)?;
    let written = |error: TraceError| match &error {
        TraceError::Write(source) => match source.raw_os_error() {
            Some(code) => os_error(code, name.to_owned()),
            None => config_error(format!("{name}: {error}")),
        },
        _ => config_error(format!("{path}: {error}")),
    };
    py.detach(|| {
        let packed = Packed::create(&out, name).map_err(|error| written(error.into()))?;
        let mut writer = TraceWriter::new(to, packed, rounds).map_err(written)?;
        let (mut watch, mut batch, mut requests) = (Watch::new(None, 0), Vec::new(), 0);
        loop {
            reader.read_batch(&mut batch).map_err(trace_error)?;
            if batch.is_empty() {
                break;
            }
            batch.iter().try_for_each(|record| writer.write(record)).map_err(written)?;
            requests += batch.len();
            watch.go_on()?;
        }
        writer.finish().and_then(|packed| Ok(packed.finish()?)).map_err(written)?;
        let from = reader.format().name();
        Ok(json!({ "requests": requests, "from": from, "to": to.name(), "lines": lines(&reader.tally()) }).to_string())
    })
}

#[pyfunction]
#[pyo3(signature = (path, format, read_json))]
pub fn read_trace(path: &str, format: Option<&str>, read_json: &str) -> PyResult<TraceBatches> {
    let reader = open_named(path, format, read_json)?;
    Ok(TraceBatches { format: reader.format().name(), reader: Mutex::new(reader) })
}

/// Columns `arrival_ns`, `device`, `offset_bytes`, `bytes`, `kind`, a batch of requests at a time.
#[pyclass(module = "canaletto._engine")]
pub struct TraceBatches {
    /// Python shares objects among threads, and a reader serves one.
    reader: Mutex<TraceReader>,
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
        insert(&columns, "kind", records.iter().map(|r| r.kind as u8))?;
        Ok(Some(columns))
    }

    fn lines(&mut self) -> String {
        json!(lines(&self.reader.get_mut().unwrap_or_else(PoisonError::into_inner).tally())).to_string()
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
