use canaletto::RunError;
use canaletto_trace::TraceError;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

use crate::memory;

create_exception!(
    canaletto,
    ConfigError,
    PyValueError,
    "An input that cannot be simulated: one line with file, line, key, what was given and what is allowed."
);
create_exception!(canaletto, SimulationError, PyRuntimeError, "A run that stopped, and why.");

pub fn config_error(problem: impl ToString) -> PyErr {
    ConfigError::new_err(problem.to_string())
}

pub fn run_error(error: RunError) -> PyErr {
    match error {
        RunError::Config(problem) | RunError::Trace(problem) => config_error(problem),
        RunError::Stuck(_) | RunError::Wires(_) | RunError::Own(_) | RunError::Interrupted => {
            SimulationError::new_err(error.to_string())
        }
        RunError::OutOfMemory => out_of_memory(),
    }
}

pub fn out_of_memory() -> PyErr {
    let megabytes =
        |bytes: Option<u64>| bytes.map_or_else(|| "an unknown amount".to_owned(), |b| format!("{} MB", b / 1_000_000));
    PyMemoryError::new_err(format!(
        "out of memory: the process has taken {}, and {} are left; use fewer requests in flight (--queue-depth), smaller ones, or \
         fewer in all (--requests)",
        megabytes(memory::resident()),
        megabytes(memory::available())
    ))
}

/// The system's error if there is one.
pub fn trace_error(error: TraceError) -> PyErr {
    match &error {
        TraceError::Open { path, source } => match source.raw_os_error() {
            Some(code) => os_error(code, path.display().to_string()),
            None => config_error(error),
        },
        _ => config_error(error),
    }
}

pub fn os_error(code: i32, path: String) -> PyErr {
    let text = std::io::Error::from_raw_os_error(code).to_string();
    let reason = text.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((code, reason, path))
}
