//! Progress, Ctrl-C and the end of memory, a few times per second.

use std::time::{Duration, Instant};

use canaletto::Progress;
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::memory;

pub const EVERY: Duration = Duration::from_millis(100);

/// In bytes; with less the system would end the process without a word.
const LEAST_LEFT: u64 = 64_000_000;

pub struct Watch {
    progress: Option<Py<PyAny>>,
    total: u64,
    last: Instant,
    stopped_by: Option<PyErr>,
}

impl Watch {
    pub fn new(progress: Option<Py<PyAny>>, total: u64) -> Watch {
        Watch { progress, total, last: Instant::now(), stopped_by: None }
    }

    /// Cheap unless a check is due.
    pub fn look(&mut self, so_far: &Progress) -> bool {
        // While the drive is written before the run, the counts are of those writes.
        let total = so_far.preconditioning.unwrap_or(self.total);
        self.report(so_far.completed, total, so_far.now.0)
    }

    fn report(&mut self, done: u64, total: u64, simulated_ps: u64) -> bool {
        if self.last.elapsed() < EVERY {
            return true;
        }
        self.last = Instant::now();
        if memory::available().is_some_and(|left| left < LEAST_LEFT) {
            self.stopped_by = Some(out_of_memory());
            return false;
        }
        let looked = Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1(py, (done, total, simulated_ps))?;
            }
            Ok(())
        });
        self.stopped_by = looked.err();
        self.stopped_by.is_none()
    }

    /// Before a run; the error is the reason to stop.
    pub fn go_on(&mut self) -> PyResult<()> {
        self.report(0, self.total, 0);
        self.stopped_by.take().map_or(Ok(()), Err)
    }

    pub fn blame(self, error: PyErr) -> PyErr {
        self.stopped_by.unwrap_or(error)
    }
}
