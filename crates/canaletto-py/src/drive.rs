//! A drive that Python steps.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, TryLockError};

use canaletto::RunError;
use canaletto::config::writer::write_text;
use canaletto::drive::{Advanced, Completions, Drive, DriveOptions, Snapshot, SnapshotError, SubmitError, Wanted};
use canaletto::engine::time::Time;
use canaletto::host::request::Kind;
use canaletto::measure::blame::{Cause, Ledger};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::columns::{insert, of_records};
use crate::config::{parse_design, parse_workload};
use crate::errors::{SimulationError, config_error, run_error};
use crate::traces::open_all;
use crate::watch::Watch;

/// Between two looks at signals: some milliseconds.
const LOOK_EVERY: u64 = 10_000;

const OPERATIONS: [&str; 11] = [
    "read",
    "write",
    "trim",
    "flush",
    "write-zeroes",
    "append",
    "zone-reset",
    "zone-finish",
    "zone-open",
    "zone-close",
    "handle-update",
];

/// Behind `canaletto.Drive`. Python shares objects among threads, and a drive serves one call at a time.
#[pyclass(name = "Drive", module = "canaletto._engine", frozen)]
pub struct SteppedDrive(Mutex<State>);

struct State {
    drive: Drive,
    /// Not yet asked for, the next one last.
    ready: Vec<Completion>,
}

/// A complete request.
#[pyclass(module = "canaletto", frozen)]
#[derive(Clone)]
pub struct Completion {
    #[pyo3(get)]
    tag: u64,
    /// Status code of NVM Express; 0 is success.
    #[pyo3(get)]
    status: u8,
    /// First sector; of an append, the one that it was given.
    #[pyo3(get)]
    lba: u64,
    /// Simulated time of arrival at the host, in picoseconds.
    #[pyo3(get)]
    arrival_ps: u64,
    /// Simulated time of entry into the submission queue, in picoseconds.
    #[pyo3(get)]
    enqueued_ps: u64,
    /// Simulated time at which the host had handled the completion, in picoseconds.
    #[pyo3(get)]
    completed_ps: u64,
    blame: Ledger,
}

type Fields<'py> = (u64, u8, u64, u64, u64, u64, Bound<'py, PyDict>);

#[pymethods]
impl Completion {
    #[new]
    fn new(
        tag: u64,
        status: u8,
        lba: u64,
        arrival_ps: u64,
        enqueued_ps: u64,
        completed_ps: u64,
        blame_ps: BTreeMap<String, u64>,
    ) -> PyResult<Completion> {
        if completed_ps < arrival_ps {
            let problem = format!("completed_ps: got {completed_ps}, before arrival_ps, {arrival_ps}");
            return Err(config_error(problem));
        }
        let mut blame = Ledger::EMPTY;
        for (name, span) in blame_ps {
            let cause = Cause::ALL.into_iter().find(|cause| cause.key() == name);
            let cause = cause.ok_or_else(|| config_error(format!("blame_ps: got {name}, which is not a cause")))?;
            blame.charge(cause, Time(span));
        }
        Ok(Completion { tag, status, lba, arrival_ps, enqueued_ps, completed_ps, blame })
    }

    fn __reduce__<'py>(this: &Bound<'py, Completion>) -> PyResult<(Bound<'py, PyType>, Fields<'py>)> {
        let Completion { tag, status, lba, arrival_ps, enqueued_ps, completed_ps, .. } = *this.get();
        let blame = this.get().blame_ps(this.py())?;
        Ok((this.get_type(), (tag, status, lba, arrival_ps, enqueued_ps, completed_ps, blame)))
    }

    /// Whether it has an error status.
    #[getter]
    fn failed(&self) -> bool {
        self.status != 0
    }

    /// Time from arrival to completion, in picoseconds.
    #[getter]
    fn latency_ps(&self) -> u64 {
        self.completed_ps - self.arrival_ps
    }

    /// Latency by cause, in picoseconds; causes without time are left out.
    #[getter]
    fn blame_ps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let causes = PyDict::new(py);
        for cause in Cause::ALL.into_iter().filter(|&cause| self.blame.get(cause) > Time::ZERO) {
            causes.set_item(cause.key(), self.blame.get(cause).0)?;
        }
        Ok(causes)
    }

    fn __repr__(&self) -> String {
        let failed = if self.status == 0 { String::new() } else { format!(", status {:#04x}", self.status) };
        format!("<Completion {} after {:.3} us{failed}>", self.tag, Time(self.latency_ps()).us())
    }
}

#[pymethods]
impl SteppedDrive {
    /// In the state before a run of a resolved workload, or written evenly.
    #[new]
    fn new(py: Python, design_toml: &str, workload_toml: Option<&str>, seed: u64) -> PyResult<SteppedDrive> {
        let design = parse_design(design_toml)?;
        let options = DriveOptions { seed, ..DriveOptions::default() };
        let Some(toml) = workload_toml else {
            let drive = py.detach(|| Drive::new(&design, &options)).map_err(run_error)?;
            return Ok(SteppedDrive::of(drive));
        };
        let workload = parse_workload(toml)?;
        let mut watch = Watch::new(None, 0);
        let made = py.detach(|| {
            let inputs = open_all(&workload, Path::new(""))?.inputs;
            let made = Drive::prepared_for(&design, &workload, inputs, &options, &mut |so_far| watch.look(so_far));
            Ok::<_, PyErr>(made)
        })?;
        let drive = made.map_err(|error| watch.blame(run_error(error)))?;
        Ok(SteppedDrive::of(drive))
    }

    #[getter]
    fn sectors(&self) -> PyResult<u64> {
        Ok(self.state()?.drive.sectors())
    }

    #[getter]
    fn now_ps(&self) -> PyResult<u64> {
        Ok(self.state()?.drive.now().0)
    }

    #[getter]
    fn outstanding(&self) -> PyResult<u64> {
        Ok(self.state()?.drive.outstanding())
    }

    #[getter]
    fn next_event_ps(&self) -> PyResult<Option<u64>> {
        Ok(self.state()?.drive.next_event_time().map(|time| time.0))
    }

    /// Without a time, now.
    #[allow(clippy::too_many_arguments)] // Python names each of them.
    fn submit(
        &self,
        operation: &str,
        lba: u64,
        sectors: u32,
        fua: bool,
        handle: Option<u16>,
        tag: u64,
        at_ps: Option<u64>,
    ) -> PyResult<()> {
        let number = OPERATIONS.iter().position(|&name| name == operation);
        let number = number.ok_or_else(|| config_error(unknown(&format!("{operation:?}"))))?;
        let drive = &mut self.state()?.drive;
        let at = at_ps.map_or(drive.now(), Time);
        let wanted = wanted(number, lba, sectors, fua).map_err(config_error)?.with_handle(handle);
        drive.submit(at, wanted, tag).map_err(submit_error)
    }

    /// By columns of 64-bit words: times, numbers of operations, sectors and tags.
    fn submit_many(&self, at_ps: &[u8], operations: &[u8], lbas: &[u8], sectors: &[u8], tags: &[u8]) -> PyResult<()> {
        let drive = &mut self.state()?.drive;
        let columns = words(at_ps).zip(words(operations)).zip(words(lbas)).zip(words(sectors)).zip(words(tags));
        for (row, ((((at, operation), lba), sectors), tag)) in columns.enumerate() {
            let submitted = u32::try_from(sectors)
                .map_err(|_| format!("got {sectors} sectors, expected fewer than 2^32"))
                .and_then(|sectors| wanted(operation as usize, lba, sectors, false))
                .and_then(|wanted| drive.submit(Time(at), wanted, tag).map_err(|error| error.to_string()));
            submitted
                .map_err(|problem| config_error(format!("request {row}: {problem}; those before it are submitted")))?;
        }
        Ok(())
    }

    fn advance_to(&self, py: Python, until_ps: u64) -> PyResult<()> {
        advance(py, &mut self.state()?.drive, Time(until_ps), false)
    }

    /// Advances time to the next completion, at most to `limit_ps`.
    fn next_completion(&self, py: Python, limit_ps: Option<u64>) -> PyResult<Option<Completion>> {
        let State { drive, ready } = &mut *self.state()?;
        if ready.is_empty() {
            if !drive.has_completions() {
                if limit_ps.is_none() && drive.outstanding() == 0 {
                    return Ok(None);
                }
                advance(py, drive, limit_ps.map_or(Time::LATEST, Time), true)?;
            }
            *ready = drive.completions().map(Completion::of).collect();
            ready.reverse();
        }
        Ok(ready.pop())
    }

    /// Completions that were not asked for, in columns.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Completions { tags, rows } = self.state()?.drive.take_completions();
        let columns = of_records(py, Some(rows))?;
        insert(&columns, "tag", tags.into_iter())?;
        Ok(columns)
    }

    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let State { drive, ready } = &mut *self.state()?;
        if !ready.is_empty() {
            return Err(config_error("completions of the same moment wait to be taken: take them before a snapshot"));
        }
        let bytes = py.detach(|| drive.snapshot()).map_err(snapshot_error)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// And its design.
    #[staticmethod]
    fn restore(py: Python, bytes: &[u8]) -> PyResult<(SteppedDrive, String)> {
        let snapshot = Snapshot::read(bytes).map_err(snapshot_error)?;
        let mut watch = Watch::new(None, 0);
        let made = py.detach(|| {
            let inputs = open_all(snapshot.workload(), Path::new(""))?.inputs;
            Ok::<_, PyErr>(snapshot.restore(inputs, &mut |so_far| watch.look(so_far)))
        })?;
        let drive = made.map_err(|error| watch.blame(snapshot_error(error)))?;
        let design = write_text(drive.design()).map_err(config_error)?;
        Ok((SteppedDrive::of(drive), design))
    }

    fn results(&self) -> PyResult<String> {
        serde_json::to_string(&self.state()?.drive.report()).map_err(config_error)
    }
}

impl SteppedDrive {
    fn of(drive: Drive) -> SteppedDrive {
        SteppedDrive(Mutex::new(State { drive, ready: Vec::new() }))
    }

    /// Unless another call has the drive.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        match self.0.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(SimulationError::new_err(
                "this Drive is at work in another thread, or in a call that a signal has interrupted: expected one call at a time",
            )),
        }
    }
}

/// To `limit`, or until a request is complete; looks at signals meanwhile.
fn advance(py: Python, drive: &mut Drive, limit: Time, to_completion: bool) -> PyResult<()> {
    while py.detach(|| drive.advance_for(limit, to_completion, LOOK_EVERY)).map_err(run_error)? == Advanced::Paused {
        py.check_signals()?;
    }
    Ok(())
}

impl Completion {
    fn of(done: canaletto::drive::Completion) -> Completion {
        Completion {
            tag: done.tag,
            status: done.status,
            lba: done.lba,
            arrival_ps: done.arrival.0,
            enqueued_ps: done.enqueue.0,
            completed_ps: done.completed.0,
            blame: done.blame,
        }
    }
}

fn unknown(operation: &str) -> String {
    format!("got operation {operation}, expected one of {}", OPERATIONS.join(", "))
}

fn wanted(number: usize, lba: u64, sectors: u32, fua: bool) -> Result<Wanted, String> {
    let wanted = match number {
        0 => Wanted::read(lba, sectors),
        1 => Wanted::write(lba, sectors),
        2 => Wanted::trim(lba, sectors),
        3 => Wanted::flush(),
        4 => Wanted::write_zeroes(lba, sectors),
        5 => Wanted::append(lba, sectors),
        6 => Wanted::of_zone(Kind::Reset, lba),
        7 => Wanted::of_zone(Kind::Finish, lba),
        8 => Wanted::of_zone(Kind::Open, lba),
        9 => Wanted::of_zone(Kind::Close, lba),
        10 => Wanted::update(),
        _ => return Err(unknown(&number.to_string())),
    };
    match fua {
        false => Ok(wanted),
        true if matches!(number, 1 | 4) => Ok(wanted.with_fua()),
        true => Err(format!("got fua of a {}, expected it of a write or of write-zeroes", OPERATIONS[number])),
    }
}

fn submit_error(error: SubmitError) -> PyErr {
    match error {
        SubmitError::Failed(_) => run_error(RunError::Stuck(error.to_string())),
        _ => config_error(error),
    }
}

fn snapshot_error(error: SnapshotError) -> PyErr {
    match error {
        SnapshotError::Failed(_) => run_error(RunError::Stuck(error.to_string())),
        _ => config_error(error),
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("words have 8 bytes")))
}
