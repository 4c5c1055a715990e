//! The state in which a run finds the drive.
//!
//! A replay is a run of its own: the flows' write addresses, drawn anew, sent through the same machine until write
//! amplification changes no more, then left alone until nothing moves. What outlives it is what outlives any pause: the
//! mapping table and the blocks. The measured run starts on these with clocks, counts and queues at zero.

use super::Machine;
use crate::config::design::{Design, PreconditionKind, Refresh, Superblock};
use crate::config::units::Size;
use crate::config::workload::Workload;
use crate::fabric::Fabric;
use crate::ftl::bad_blocks::BadBlocks;
use crate::ftl::blocks::Blocks;
use crate::ftl::mapping::MappingTable;
use crate::ftl::precondition::drive::{occupancies, seeds};
use crate::ftl::precondition::rates::Traced;
use crate::limits::Limits;
use crate::measure::precondition::PreconditionReport;
use crate::measure::probe::{NoProbe, Probe};
use crate::sim::time::Time;
use crate::workload::fill::Fills;
use crate::workload::flow::{Loop, Source};
use crate::workload::sources::Sources;
use crate::{Progress, RunError, RunOptions};

/// Rounds to each turnover, in which as many pages are written as the drive has.
const ROUNDS: u32 = 4;

/// Turnovers at the least: the first one only fills what is free.
const LEAST_TURNOVERS: u32 = 3;

/// Turnovers at the most; skewed writes may drift for longer, by little.
const MOST_TURNOVERS: u32 = 20;

/// Change of the write amplification from one turnover to the next below which it is steady.
const STEADY: f64 = 0.01;

/// Writes under way for each plane, in flash pages: enough that none is idle.
const WRITES_PER_PLANE: u32 = 4;

/// What a run starts with.
pub struct Start {
    pub(super) map: MappingTable,
    pub(super) blocks: Blocks,
    pub(super) report: Option<PreconditionReport>,
}

impl Start {
    /// The state that the design asks for. `fills` says what flows write, for a drive that is to be written.
    ///
    /// # Errors
    /// What does not fit, and whatever ends a run.
    pub fn new<F: Fabric>(
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        fills: Option<Fills>,
        options: &RunOptions,
        watch: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Start, RunError> {
        match (design.precondition.kind, fills) {
            (PreconditionKind::Steady, Some(fills)) => {
                Start::steady(design, workload, limits, &fills.traced, options.seed)
            }
            (PreconditionKind::Replay, Some(fills)) => replay::<F>(design, workload, limits, fills, options, watch),
            _ => Ok(Start::fresh(design, limits, options.seed)),
        }
    }

    /// A drive fresh out of the box.
    fn fresh(design: &Design, limits: &Limits, seed: u64) -> Start {
        let factory = design.flash.failures.factory_bad;
        let bad = BadBlocks { seed, factory, most: limits.expendable_blocks };
        let blocks = Blocks::new(&limits.layout, design.gc.reserved_blocks, limits.streams, design.wear.dynamic, bad);
        let alone = design.ftl.superblock == Superblock::None;
        Start {
            map: MappingTable::new(limits.mapped_pages),
            blocks: if alone { blocks } else { blocks.in_superblocks(limits.planes_per_group) },
            report: None,
        }
    }

    fn steady(
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        traced: &[Traced],
        seed: u64,
    ) -> Result<Start, RunError> {
        let seeds = seeds(design, workload, limits, traced, seed).map_err(RunError::Config)?;
        let amplification = Some(seeds.write_amplification()).filter(|a| a.is_finite());
        let mut start = Start::fresh(design, limits, seed);
        start.blocks.seed(seeds, seed);
        Ok(start.described(design, workload, amplification, 0))
    }

    fn described(mut self, design: &Design, workload: &Workload, amplification: Option<f64>, written: u64) -> Start {
        let occupancy = occupancies(design, workload);
        self.report = Some(PreconditionReport::of(&self.blocks, design, occupancy, amplification, written));
        self
    }
}

/// Really writes the drive.
fn replay<F: Fabric>(
    design: &Design,
    workload: &Workload,
    limits: &Limits,
    fills: Fills,
    options: &RunOptions,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Start, RunError> {
    let mut design_then = design.clone();
    // Nobody waits for these writes: collection keeps up with them, as if there were pauses for it.
    design_then.gc.preemptible = false;
    // Ages begin with the run.
    design_then.refresh = Refresh::default();
    // All of them reach the flash.
    design_then.cache.capacity = Size(0);
    // None of these requests counts; flows that will be silent wrote theirs.
    let options = RunOptions { warmup: u64::MAX, records: false, alone: None, ..options.clone() };
    let raw = limits.layout.pages();
    let planned = fills.pages + u64::from(MOST_TURNOVERS) * raw;
    let mut look = |p: &Progress| watch(&Progress { preconditioning: Some(planned), ..*p });
    let (weights, flows) = (fills.weights, fills.fills.into_iter().map(|f| Source::Fill(Box::new(f))).collect());
    let sources = Sources { flows, factor: 1.0, scaling: None, reopened: Vec::new() };
    let mut probe = NoProbe;
    let start = Start::fresh(design, limits, options.seed);
    let mut machine = Machine::<F, NoProbe>::new(&design_then, workload, limits, sources, start, &options, &mut probe);
    let together = WRITES_PER_PLANE * limits.layout.pages_per_flash_page();
    let depth = (limits.layout.planes() * together / machine.flows.len() as u32).max(1);
    machine.flows.iter_mut().for_each(|flow| flow.looping = Loop::Closed(depth));
    machine.start_at(Time::ZERO);
    machine.run(&mut look)?;
    let amplification = machine.turn_over(raw, &weights, &mut look)?;
    let (written, settled) = (machine.completed, machine.settle());
    settled?;
    let Machine { map, mut blocks, .. } = machine;
    blocks.begin_anew();
    Ok(Start { map, blocks, report: None }.described(design, workload, Some(amplification), written))
}

impl<F: Fabric> Machine<'_, F, NoProbe> {
    /// Overwrites until the write amplification is steady. Returns that of the last turnover.
    fn turn_over(
        &mut self,
        raw: u64,
        weights: &[f64],
        look: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<f64, RunError> {
        let all: f64 = weights.iter().sum();
        let mut before = self.written();
        let mut last = f64::INFINITY;
        for turnover in 1..=MOST_TURNOVERS {
            for _ in 0..ROUNDS {
                for (flow, weight) in self.flows.iter_mut().zip(weights) {
                    let units = raw as f64 / self.choices.pages_per_unit as f64;
                    let pages = (units / f64::from(ROUNDS) * weight / all).ceil() as u64;
                    if let Source::Fill(fill) = &mut flow.source {
                        fill.overwrite(pages);
                    }
                }
                self.start_at(self.events.now());
                self.run(look)?;
            }
            let now = self.written();
            let amplification = (now.0 - before.0) as f64 / ((now.1 - before.1) as f64).max(1.0);
            if turnover >= LEAST_TURNOVERS && (amplification - last).abs() < STEADY * amplification {
                return Ok(amplification);
            }
            (before, last) = (now, amplification);
        }
        Ok(last)
    }

    /// Pages programmed, and those of them that the host wrote.
    fn written(&self) -> (u64, u64) {
        (self.operations.programs << self.layout.flash_shift, self.upkeep.totals().0)
    }

    fn start_at(&mut self, now: Time) {
        self.flows.iter_mut().for_each(|flow| flow.start = now);
    }

    /// Lets collection come to rest.
    fn settle(&mut self) -> Result<(), RunError> {
        while !self.transactions.is_empty() {
            self.step_fabric();
            let Some((now, event)) = self.events.pop() else {
                return Err(RunError::Config(
                    "precondition.kind: writing the drive until it is steady wore it out: more blocks went bad \
                     (wear.endurance, flash.failures) than it can spare"
                        .to_owned(),
                ));
            };
            self.handle(event, now)?;
            if !self.touched.is_empty() || !self.needs_collection.is_empty() || self.room_wanted {
                self.offer_paths(now);
            }
        }
        Ok(())
    }
}

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Tells the probe what every page holds before the run.
    pub(super) fn announce_pages(&mut self) {
        if P::WATCHES_PAGES {
            for (at, lpa) in self.blocks.valid_pages() {
                self.probe.page_preconditioned(lpa, at);
            }
        }
    }
}
