//! A fast, exact, deterministic simulator of solid-state drives.
//!
//! Bytes and configurations in, results out: nothing in this crate touches files, threads, clocks or the environment.
//!
//! A request's way through the source, in order: [`workload`] → [`host`] → [`controller`] → [`ftl`] → [`scheduler`] →
//! [`fabric`] → [`flash`], and back; [`engine`] moves it from one to the next; [`measure`] keeps the books.

// Things that the engine may not do stand in clippy.toml; its tests may do them.
#![cfg_attr(test, allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cache;
pub mod controller;
pub mod drive;
pub mod engine;
pub mod fabric;
pub mod flash;
pub mod ftl;
pub mod host;
pub mod limits;
pub mod measure;
pub mod scheduler;
pub mod workload;

pub mod config {
    //! Configurations ([`canaletto_config`]), read with the checks that need models of the engine.

    pub use canaletto_config::*;

    pub use crate::fabric::check::{load_design, resolve_design};
}
pub use canaletto_config::typed_id;

use thiserror::Error;

use crate::config::design::{Design, PreconditionKind};
use crate::config::workload::Workload;
use crate::engine::memory::guarded;
use crate::engine::precondition::Start;
use crate::engine::route::Route;
use crate::engine::time::Time;
use crate::fabric::bus::Bus;
use crate::fabric::{AnyFabric, Fabric, FabricKind};
use crate::ftl::precondition::drive::occupancies;
use crate::limits::Limits;
use crate::measure::probe::{NoProbe, Observed, Observer, Probe, WaitFollower};
use crate::measure::records::Records;
use crate::measure::report::Report;
use crate::measure::timeline::{Header, Timeline, Windows};
use crate::measure::wire_check::WireCheck;
use crate::measure::wire_check::recording::Entry;
use crate::workload::fill::Fills;
use crate::workload::replay::RecordSource;
pub use crate::workload::replay::Reopen;
use crate::workload::sources::Sources;

/// How to run, beside what to run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Seed of all random streams.
    pub seed: u64,
    /// Requests left out of the statistics: those completed first.
    pub warmup: u64,
    /// Whether to keep a row for each request.
    pub records: bool,
    /// The number of the only flow that makes requests. The others keep their addresses and what they did before the run,
    /// and are silent. Absent: all make theirs.
    pub alone: Option<u16>,
    /// Whether to follow waits to their [root causes](measure::root_cause), too.
    pub root_causes: bool,
    /// Whether to [check](measure::wire_check) whatever goes over the wires. The results are the same, with root causes.
    pub check_wires: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions { seed: 1, warmup: 0, records: false, alone: None, root_causes: false, check_wires: false }
    }
}

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Requests completed.
    pub completed: u64,
    /// Requests generated.
    pub generated: u64,
    /// Simulated time.
    pub now: Time,
    /// While the drive is written before the run: how many pages that will take at the most. The counts above are of
    /// these, then.
    pub preconditioning: Option<u64>,
}

/// The recorded requests of a trace flow.
pub struct TraceInput {
    /// Its records.
    pub source: Box<dyn RecordSource>,
    /// Reads the trace from its beginning once more: needed to precondition the drive for it, to repeat it, and for what must
    /// be known of all of it before the run (`devices = "offset"`, `out_of_range = "fit"`, `inter_arrival`).
    pub again: Option<Reopen>,
}

/// Receiver of the rows of completed requests, some ten thousands at a time in order of completion, so that a run of any
/// length takes bounded memory. It stops the run by returning false.
pub type RowSink<'a> = dyn FnMut(Records) -> bool + 'a;

/// Results of a run.
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// Per-request rows, if asked for; the last ones, if those before went to a [`RowSink`].
    pub records: Option<Records>,
    /// Events simulated.
    pub events: u64,
}

/// Why a run ended without a result.
#[derive(Debug, Error)]
pub enum RunError {
    /// The design and the workload do not fit each other.
    #[error("{0}")]
    Config(String),
    /// A trace cannot be read or placed.
    #[error("{0}")]
    Trace(String),
    /// Requests are unfinished and nothing is left to happen.
    #[error("{0}")]
    Stuck(String),
    /// Rules of the wires were violated: an error of the simulator.
    #[error("{0}")]
    Wires(String),
    /// A part of one's own (a fabric, a GC policy, a scheduler) cannot go on, or answers what cannot be.
    #[error("{0}")]
    Own(String),
    /// The watcher stopped it.
    #[error("interrupted")]
    Interrupted,
    /// The system has no more memory.
    #[error("out of memory")]
    OutOfMemory,
}

/// Simulates `workload` on `design`.
///
/// `traces` holds one entry for each flow, present where the flow replays a trace; a flow that mixes several has one for each of
/// them. `watch` is called now and then and
/// stops the run by returning false.
///
/// # Errors
/// See [`RunError`].
pub fn run(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, RunError> {
    run_with_rows(design, workload, traces, options, None, watch)
}

/// [`run`], with a receiver of the rows of requests that `options` ask for.
///
/// # Errors
/// See [`RunError`].
pub fn run_with_rows(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    options: &RunOptions,
    rows: Option<&mut RowSink<'_>>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, RunError> {
    if options.check_wires {
        run_checked(design, workload, traces, options, rows, watch)
    } else {
        simulate(design, workload, traces, options, None, rows, watch)
    }
}

/// [`run`], with an observer of everything that happens to pages.
///
/// # Errors
/// See [`RunError`].
pub fn run_probed(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    options: &RunOptions,
    observer: &mut dyn Observer,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, RunError> {
    simulate(design, workload, traces, options, Some(observer), None, watch)
}

fn run_checked(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    options: &RunOptions,
    rows: Option<&mut RowSink<'_>>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, RunError> {
    let mut check = WireCheck::new(design, false);
    let outcome = simulate(design, workload, traces, options, Some(&mut check), rows, watch)?;
    check.finish().complaint().map_or(Ok(outcome), |complaint| Err(RunError::Wires(complaint)))
}

/// Simulates as [`run`] does, and returns everything that went over the wires, which is not checked.
///
/// # Errors
/// See [`RunError`].
pub fn record_wires(design: &Design, workload: &Workload, options: &RunOptions) -> Result<Vec<Entry>, RunError> {
    let traces = workload.flow.iter().map(|_| None).collect();
    let mut check = WireCheck::new(design, true);
    simulate(design, workload, traces, options, Some(&mut check), None, &mut |_| true)?;
    check.finish();
    Ok(check.kept.unwrap_or_default())
}

/// Chooses the instance of the engine for a run, and runs it. Fabrics other than `bus` share theirs.
fn simulate(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    options: &RunOptions,
    observer: Option<&mut dyn Observer>,
    rows: Option<&mut RowSink<'_>>,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Outcome, RunError> {
    guarded(|| {
        let prepared = Prepared::new(design, workload, traces, options.seed, watch)?;
        let run = Run { design, workload, prepared, options, rows, watch };
        // Development builds leave out the instances for speed alone.
        let is_bus = design.fabric.kind == FabricKind::Bus && !cfg!(debug_assertions);
        match (observer, options.root_causes) {
            (Some(observer), _) => run.on::<AnyFabric, _>(&mut Observed::by(observer)),
            (None, true) if is_bus => run.on::<Bus, _>(&mut WaitFollower {}),
            (None, true) => run.on::<AnyFabric, _>(&mut Observed::following_waits()),
            (None, false) if is_bus => run.on::<Bus, _>(&mut NoProbe {}),
            (None, false) => run.on::<AnyFabric, _>(&mut NoProbe {}),
        }
    })
}

/// Simulates as [`run`] does, up to the end of the last window, and keeps what happens inside the windows.
///
/// # Errors
/// See [`RunError`].
pub fn timeline(
    design: &Design,
    workload: &Workload,
    traces: Vec<Option<TraceInput>>,
    options: &RunOptions,
    windows: Windows,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<(Header, Timeline), RunError> {
    guarded(|| {
        let Prepared { limits, sources, fills } = Prepared::new(design, workload, traces, options.seed, watch)?;
        let layout = &limits.layout;
        let start = Start::new(design, workload, &limits, fills, options, watch)?;
        let idle = <AnyFabric as Fabric>::new(&design.fabric, layout);
        let mut timeline = Timeline::new(windows, layout, &idle.wires(), &idle.controllers());
        let mut probe = Observed::by(&mut timeline);
        let mut route =
            Route::<AnyFabric, _>::new(design, workload, &limits, sources, start.contents, options, &mut probe);
        route.run(watch, None)?;
        Ok((timeline.finish(), timeline))
    })
}

/// A run whose instance of the engine has yet to be chosen.
struct Run<'a, 'r> {
    design: &'a Design,
    workload: &'a Workload,
    prepared: Prepared,
    options: &'a RunOptions,
    rows: Option<&'a mut RowSink<'r>>,
    watch: &'a mut dyn FnMut(&Progress) -> bool,
}

impl Run<'_, '_> {
    fn on<F: Fabric, P: Probe>(self, probe: &mut P) -> Result<Outcome, RunError> {
        let Run { design, workload, prepared, options, rows, watch } = self;
        let Prepared { limits, sources, fills } = prepared;
        let Start { contents, report } = Start::new(design, workload, &limits, fills, options, watch)?;
        let mut route = Route::<F, P>::new(design, workload, &limits, sources, contents, options, probe);
        route.run(watch, rows)?;
        Ok(route.outcome(design, workload, report))
    }
}

/// Everything that a run needs beside its configuration.
struct Prepared {
    limits: Limits,
    sources: Sources,
    /// Data written before the run, if the drive is to be preconditioned.
    fills: Option<Fills>,
}

impl Prepared {
    fn new(
        design: &Design,
        workload: &Workload,
        traces: Vec<Option<TraceInput>>,
        seed: u64,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Prepared, RunError> {
        let limits = Limits::new(design, workload).map_err(RunError::Config)?;
        let mut sources = Sources::new(workload, &limits, traces, seed, watch)?;
        let reopened = std::mem::take(&mut sources.reopened);
        let fills = match design.precondition.kind {
            PreconditionKind::None => None,
            PreconditionKind::Steady | PreconditionKind::Replay => {
                let occupancies = occupancies(design, workload);
                Some(Fills::new(workload, &limits, &occupancies, reopened, seed).map_err(RunError::Trace)?)
            }
        };
        Ok(Prepared { limits, sources, fills })
    }
}
