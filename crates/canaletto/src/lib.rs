//! A fast, exact, deterministic simulator of solid-state drives.
//!
//! Bytes and configurations in, results out: this crate touches no files, threads, clocks or environment.
//!
//! A request's way through the source: [`workload`] → [`host`] → [`controller`] → [`ftl`] → [`scheduler`] → [`fabric`]
//! → [`flash`], and back; [`engine`] moves it on; [`measure`] keeps the books.

// Things that the engine may not do stand in clippy.toml; its tests may do them.
#![cfg_attr(test, allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod cache;
pub mod compute;
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
pub use crate::workload::record::Reopen;

/// Simulates `workload` on `design`: [`Simulation::run`] for runs that nobody observes.
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
    Simulation::new(design, workload, traces, options).run(watch)
}

/// A run to be carried out, and who receives what happens in it.
pub struct Simulation<'a, 'r> {
    design: &'a Design,
    workload: &'a Workload,
    traces: Vec<Option<TraceInput>>,
    options: &'a RunOptions,
    observer: Option<&'a mut dyn Observer>,
    rows: Option<&'a mut RowSink<'r>>,
}

impl<'a, 'r> Simulation<'a, 'r> {
    /// A run of `workload` on `design`.
    ///
    /// `traces` holds one entry for each flow, present where the flow replays a trace. A flow that mixes several has one for each
    /// of them.
    pub fn new(
        design: &'a Design,
        workload: &'a Workload,
        traces: Vec<Option<TraceInput>>,
        options: &'a RunOptions,
    ) -> Self {
        Simulation { design, workload, traces, options, observer: None, rows: None }
    }

    /// Adds an observer of everything that happens to pages, instead of the check of the wires.
    pub fn observed_by(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Adds a receiver of the rows of requests that the options ask for.
    pub fn with_rows(mut self, rows: Option<&'a mut RowSink<'r>>) -> Self {
        self.rows = rows;
        self
    }

    /// Simulates. `watch` is called now and then, and stops the run by returning false.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn run(mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<Outcome, RunError> {
        match self.observer.take() {
            Some(observer) => self.watched(Some(observer), watch),
            None if self.options.check_wires => {
                let mut check = WireCheck::of(self.design, self.workload);
                let outcome = self.watched(Some(&mut check), watch)?;
                check.finish().complaint().map_or(Ok(outcome), |complaint| Err(RunError::Wires(complaint)))
            }
            None => self.watched(None, watch),
        }
    }

    /// Simulates up to the end of the last window, and keeps what happens inside the windows.
    ///
    /// # Errors
    /// See [`RunError`].
    pub fn timeline(
        self,
        windows: Windows,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(Header, Timeline), RunError> {
        guarded(|| {
            let Simulation { design, workload, traces, options, .. } = self;
            let Prepared { limits, sources, fills } = Prepared::new(design, workload, traces, options.seed, watch)?;
            let layout = &limits.layout;
            let start = Start::new(design, workload, &limits, fills, options, watch)?;
            let idle = <AnyFabric as Fabric>::new(&design.fabric, layout);
            let computes = workload.flow.iter().any(|flow| flow.compute.is_some());
            let mut timeline = Timeline::new(windows, layout, &idle.wires(), &idle.controllers(), computes);
            let probe = Observed::by(&mut timeline);
            Route::<AnyFabric, _>::new(design, workload, &limits, sources, start.contents, options, probe)
                .run(watch, None)?;
            Ok((timeline.finish(), timeline))
        })
    }

    fn watched(
        self,
        observer: Option<&mut dyn Observer>,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Outcome, RunError> {
        // Development builds leave out the instances for speed alone.
        let is_bus = self.design.fabric.kind == FabricKind::Bus && !cfg!(debug_assertions);
        let follows_waits = self.options.root_causes;
        guarded(|| match (observer, follows_waits) {
            (Some(observer), _) => self.on::<AnyFabric, _>(Observed::by(observer), watch),
            (None, true) if is_bus => self.on::<Bus, _>(WaitFollower {}, watch),
            (None, true) => self.on::<AnyFabric, _>(Observed::following_waits(), watch),
            (None, false) if is_bus => self.on::<Bus, _>(NoProbe {}, watch),
            (None, false) => self.on::<AnyFabric, _>(NoProbe {}, watch),
        })
    }

    fn on<F: Fabric, P: Probe>(self, probe: P, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<Outcome, RunError> {
        let Simulation { design, workload, traces, options, rows, .. } = self;
        let Prepared { limits, sources, fills } = Prepared::new(design, workload, traces, options.seed, watch)?;
        let Start { contents, report } = Start::new(design, workload, &limits, fills, options, watch)?;
        let mut route = Route::<F, P>::new(design, workload, &limits, sources, contents, options, probe);
        route.run(watch, rows)?;
        Ok(route.outcome(design, workload, report))
    }
}
