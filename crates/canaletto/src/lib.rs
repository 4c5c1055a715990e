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
pub mod inspection;
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
#[cfg(not(test))]
use canaletto_no_schema::JsonSchema;
#[cfg(test)]
use schemars::JsonSchema;

use crate::config::design::Design;
use crate::config::workload::Workload;
pub use crate::engine::error::RunError;
use crate::engine::memory::guarded;
use crate::engine::precondition::Start;
use crate::engine::prepared::Prepared;
use crate::engine::route::Route;
pub use crate::engine::route::results::Outcome;
pub use crate::engine::run::{Progress, RunOptions, TraceInput};
use crate::fabric::bus::Bus;
use crate::fabric::{AnyFabric, Fabric, FabricKind};
use crate::measure::probe::{NoProbe, Observed, Observer, Probe, WaitFollower};
pub use crate::measure::records::RowSink;
use crate::measure::timeline::{Header, Timeline, Windows};
use crate::measure::wire_check::WireCheck;
use crate::measure::wire_check::recording::Entry;
pub use crate::workload::record::Reopen;

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
