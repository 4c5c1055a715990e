//! The state in which a run finds the drive.
//!
//! A replay is a separate run over newly drawn addresses, until write amplification settles and nothing moves.

use crate::config::design::{Design, FabricFailures, PreconditionKind, Refresh, Superblock};
use crate::config::pseudo_slc::PseudoSlc;
use crate::config::units::Size;
use crate::config::workload::Workload;
use crate::engine::error::RunError;
use crate::engine::route::Route;
use crate::engine::run::{Progress, RunOptions};
use crate::engine::time::Time;
use crate::fabric::AnyFabric;
use crate::ftl::Contents;
use crate::ftl::blocks::{Blocks, Together};
use crate::ftl::maintenance::bad_blocks::BadBlocks;
use crate::ftl::mapping::MappingTable;
use crate::ftl::precondition::drive::{occupancies, seeds};
use crate::ftl::precondition::rates::Traced;
use crate::limits::{Limits, data_units};
use crate::measure::precondition::PreconditionReport;
use crate::measure::probe::NoProbe;
use crate::workload::fill::Fills;
use crate::workload::flow::Source;
use crate::workload::sources::Sources;

/// Rounds per turnover, which writes as many pages as the drive has.
const ROUNDS: u32 = 4;

const LEAST_TURNOVERS: u32 = 3;

/// Skewed writes may drift for longer, by little.
const MOST_TURNOVERS: u32 = 20;

/// Change of the write amplification between turnovers below which it is steady.
const STEADY: f64 = 0.01;

const WRITES_PER_PLANE: u32 = 4;

pub struct Start {
    pub contents: Contents,
    pub report: Option<PreconditionReport>,
}

impl Start {
    pub fn new(
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
            (PreconditionKind::Replay, Some(fills)) => replay(design, workload, limits, fills, options, watch),
            _ => Ok(Start::fresh(design, limits, options.seed)),
        }
    }

    pub fn fresh(design: &Design, limits: &Limits, seed: u64) -> Start {
        let factory = design.flash.failures.factory_bad;
        let bad = BadBlocks { seed, factory, most: limits.expendable_blocks };
        let mut layout = limits.layout.clone();
        layout.blocks_per_plane = limits.mapped_blocks;
        let blocks = Blocks::new(&layout, design.gc.reserved_blocks, limits.streams, design.wear.dynamic, bad);
        let blocks = match design.ftl.superblock {
            Superblock::None if design.flash.pslc.is_on() => {
                blocks.with_cache(limits.cache_blocks, limits.gc_start_below, &design.flash.pslc)
            }
            Superblock::None => blocks,
            _ => {
                let parity_unit = design.ftl.parity.unit_planes(&limits.layout);
                let owned = design.fdp.is_on().then(|| design.fdp.is_persistent());
                blocks.in_superblocks(limits.planes_per_group, parity_unit, Together::of(design), owned)
            }
        };
        let contents = Contents { map: MappingTable::new(limits.mapped_pages), blocks };
        Start { contents, report: None }
    }

    fn steady(
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        traced: &[Traced],
        seed: u64,
    ) -> Result<Start, RunError> {
        let seeds = seeds(design, workload, limits, traced, seed).map_err(RunError::Config)?;
        // With the pages of parity that go with what is written.
        let (data, all) = data_units(design, &limits.layout);
        let amplification = Some(seeds.write_amplification() * all as f64 / data as f64).filter(|a| a.is_finite());
        let mut start = Start::fresh(design, limits, seed);
        start.contents.blocks.seed(seeds, seed);
        Ok(start.described(design, workload, limits, amplification, 0))
    }

    fn described(
        mut self,
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        amplification: Option<f64>,
        written: u64,
    ) -> Start {
        let occupancy = occupancies(design, workload, limits);
        let blocks = &self.contents.blocks;
        let planes: Vec<_> = blocks.counts().collect();
        let valid = blocks.valid_in_all();
        self.report = Some(PreconditionReport::of(&planes, valid, design, occupancy, amplification, written));
        self
    }
}

fn replay(
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
    // Dies, channels and parts of the interconnect are lost during the run.
    design_then.fabric.failures = FabricFailures::default();
    (design_then.flash.failures.lost_die, design_then.flash.failures.lost_channel) = (None, None);
    // Ages begin with the run.
    design_then.refresh = Refresh::default();
    // All of them reach the flash.
    design_then.cache.capacity = Size(0);
    let limits = &Limits { cache_pages: 0, ..limits.clone() };
    // Also by the pseudo-SLC cache, which is folded in a pause: the run finds it empty.
    design_then.flash.pslc = PseudoSlc::default();
    // None of these requests counts; flows that will be silent wrote theirs.
    let options = RunOptions { warmup: u64::MAX, records: false, alone: None, ..options.clone() };
    let raw = limits.layout.pages();
    let planned = fills.pages + u64::from(MOST_TURNOVERS) * raw;
    let mut look = |p: &Progress| watch(&Progress { preconditioning: Some(planned), ..*p });
    let (weights, flows) = (fills.weights, fills.fills.into_iter().map(|f| Source::Fill(Box::new(f))).collect());
    let sources = Sources { flows, factor: 1.0, scaling: None, reopened: Vec::new() };
    let contents = Start::fresh(design, limits, options.seed).contents;
    let mut drive: Writing = Route::new(&design_then, workload, limits, sources, contents, &options, NoProbe {});
    let together = WRITES_PER_PLANE * limits.layout.pages_per_flash_page();
    let depth = (limits.layout.planes() * together / workload.flow.len() as u32).max(1);
    drive.host().start_closed_at(Some(depth), Time::ZERO);
    drive.run(&mut look, None)?;
    let rounds = Rounds { units: raw as f64 / f64::from(design.pages_per_unit()), weights: &weights };
    let amplification = rounds.turn_over(&mut drive, &mut look)?;
    let written = drive.completed();
    if !drive.settle(&mut look)? {
        return Err(worn_out());
    }
    let mut contents = drive.into_contents();
    contents.blocks.begin_anew();
    Ok(Start { contents, report: None }.described(design, workload, limits, Some(amplification), written))
}

fn worn_out() -> RunError {
    RunError::Config(
        "precondition.kind: writing the drive until it is steady wore it out: more blocks went bad (wear.endurance, \
         flash.failures) than it can spare"
            .to_owned(),
    )
}

type Writing = Route<AnyFabric, NoProbe>;

struct Rounds<'a> {
    units: f64,
    weights: &'a [f64],
}

impl Rounds<'_> {
    fn turn_over(&self, drive: &mut Writing, look: &mut dyn FnMut(&Progress) -> bool) -> Result<f64, RunError> {
        let mut before = drive.pages_written();
        let mut last = f64::INFINITY;
        for turnover in 1..=MOST_TURNOVERS {
            for _ in 0..ROUNDS {
                self.overwrite(drive, look)?;
            }
            let now = drive.pages_written();
            // Writes for which there is no room end with an error.
            if now.1 == before.1 && self.writes() {
                return Err(worn_out());
            }
            let amplification = (now.0 - before.0) as f64 / ((now.1 - before.1) as f64).max(1.0);
            if turnover >= LEAST_TURNOVERS && (amplification - last).abs() < STEADY * amplification {
                return Ok(amplification);
            }
            (before, last) = (now, amplification);
        }
        Ok(last)
    }

    fn writes(&self) -> bool {
        self.units > 0.0 && self.weights.iter().any(|&weight| weight > 0.0)
    }

    fn overwrite(&self, drive: &mut Writing, look: &mut dyn FnMut(&Progress) -> bool) -> Result<(), RunError> {
        let all: f64 = self.weights.iter().sum();
        for (source, weight) in drive.host().sources().zip(self.weights) {
            let pages = (self.units / f64::from(ROUNDS) * weight / all).ceil() as u64;
            if let Source::Fill(fill) = source {
                fill.overwrite(pages);
            }
        }
        let now = drive.now();
        drive.host().start_closed_at(None, now);
        drive.run(look, None)
    }
}
