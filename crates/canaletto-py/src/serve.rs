use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use canaletto::config::design::Design;
use canaletto::drive::{Drive, DriveOptions};
use canaletto::engine::time::Time;
use canaletto_serve::clock::Clock;
use canaletto_serve::nbd::{Export, SECTOR};
use canaletto_serve::server::{self, Address, Listener};
use canaletto_serve::storage::{Storage, Unflushed};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::config::parse_design;
use crate::errors::{SimulationError, config_error, run_error};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    seed: u64,
    /// Of a Unix socket, or else address and port.
    socket: Option<PathBuf>,
    listen: Option<SocketAddr>,
    /// Holds the data; in its absence memory, at most this many bytes.
    data: Option<PathBuf>,
    memory: u64,
    /// Simulated seconds per second; none for a free clock.
    factor: Option<f64>,
    /// Simulated picoseconds.
    lose_power_at: Option<u64>,
    /// And the name that the trace will have.
    trace: Option<(PathBuf, String)>,
}

#[pyclass(module = "canaletto._engine", frozen)]
pub struct Server {
    server: Mutex<Option<server::Server>>,
    #[pyo3(get)]
    bytes: u64,
    /// None for a Unix socket.
    #[pyo3(get)]
    port: Option<u16>,
}

#[pymethods]
impl Server {
    #[new]
    fn new(py: Python, design_toml: &str, options_json: &str) -> PyResult<Server> {
        let design = parse_design(design_toml)?;
        let options: Options = serde_json::from_str(options_json).map_err(config_error)?;
        py.detach(|| start(&design, options))
    }

    /// At most so long. Returns whether the server has ended.
    fn wait(&self, py: Python, seconds: f64) -> bool {
        py.detach(|| match &*self.server.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(server) => server.wait(Duration::from_secs_f64(seconds)),
            None => true,
        })
    }

    /// Ends the server. Returns its statistics as JSON.
    fn stop(&self, py: Python) -> PyResult<String> {
        let ended = py.detach(|| {
            let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
            server.ok_or_else(|| "the server has been stopped before".to_owned())?.stop()
        });
        let statistics = ended.map_err(SimulationError::new_err)?;
        serde_json::to_string(&statistics).map_err(config_error)
    }
}

fn start(design: &Design, options: Options) -> PyResult<Server> {
    let drive = Drive::new(design, &DriveOptions { seed: options.seed, recorded: false }).map_err(run_error)?;
    let bytes = drive.sectors() * SECTOR;
    let address = match (options.socket, options.listen) {
        (Some(path), None) => Address::Unix(path),
        (None, Some(address)) => Address::Tcp(address),
        _ => return Err(config_error("expected a socket or an address")),
    };
    let listener = Listener::bind(&address).map_err(|error| config_error(refusal(&address, &error)))?;
    let port = listener.port();
    let mut storage = match &options.data {
        Some(path) => Storage::in_file(path, bytes)
            .map_err(|error| config_error(format!("{}: {}", path.display(), without_code(&error))))?,
        None => Storage::in_memory(options.memory),
    };
    if options.lose_power_at.is_some() {
        storage.expect_loss(Unflushed::new(volatile_bytes(design), options.seed));
    }
    let export = Export {
        name: design.name.clone(),
        description: format!("{}, simulated by canaletto", design.name),
        bytes,
        preferred: u32::try_from(design.geometry.page.0.next_power_of_two()).unwrap_or(4096).clamp(512, 1 << 20),
    };
    let options = server::Options {
        export,
        clock: options.factor.map_or(Clock::Free, |factor| Clock::Paced { factor }),
        power_loss_at: options.lose_power_at.map(Time),
        trace: options.trace,
    };
    let server = server::Server::start(listener, storage, drive, options).map_err(config_error)?;
    Ok(Server { server: Mutex::new(Some(server)), bytes, port })
}

fn volatile_bytes(design: &Design) -> u64 {
    let cache = &design.cache;
    if cache.mode.writes() && !cache.power_loss_protection { cache.capacity.0 } else { 0 }
}

fn refusal(address: &Address, error: &io::Error) -> String {
    match address {
        Address::Unix(path) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("{}: exists already; expected a path at which nothing is", path.display())
        }
        Address::Unix(path) => format!("{}: {}", path.display(), without_code(error)),
        Address::Tcp(address) if error.kind() == io::ErrorKind::AddrInUse => {
            format!("{address}: the port is taken; expected a free one, or 0 for any")
        }
        Address::Tcp(address) => format!("{address}: {}", without_code(error)),
    }
}

/// Without the system's number.
fn without_code(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
