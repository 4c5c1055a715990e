//! `make swarm SEEDS=n`: one random drive, workload and loss of power per seed.
//!
//! `make swarm SEED=x SEEDS=1` at the same commit repeats one, and shrinks it if it fails.

use std::cell::Cell;
use std::fmt;
use std::panic;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use canaletto::config::design::{Design, MappingScheme};
use canaletto::config::workload::Workload;
use canaletto::config::{load_design, load_workload};
use canaletto::limits::Limits;
use canaletto::{Outcome, RunError, RunOptions, run};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::designs::{BASE, designs};
use super::newer::{newer, newer_workloads};
use super::power;
use super::shadow::{Shadow, check};
use super::zoned::{ZonedCase, zoned_cases};

#[derive(Default)]
struct Tried {
    requests: AtomicU64,
    reads: AtomicU64,
    trims: AtomicU64,
    copies: AtomicU64,
    erases: AtomicU64,
    failed: AtomicU64,
    cache_hits: AtomicU64,
    translation_writes: AtomicU64,
    power_losses: AtomicU64,
    promised: AtomicU64,
    zone_commands: AtomicU64,
    zone_resets: AtomicU64,
    zone_refusals: AtomicU64,
}

impl Tried {
    fn add(&self, outcome: &Outcome, shadow: &Shadow) {
        let flash = &outcome.report.flash;
        for (sum, n) in [
            (&self.requests, outcome.report.measures.requests.completed),
            (&self.reads, shadow.reads),
            (&self.trims, shadow.trims),
            (&self.copies, flash.gc.pages_copied),
            (&self.erases, flash.erases),
            (&self.failed, outcome.report.measures.requests.failed),
            (&self.cache_hits, shadow.cache.hits),
            (&self.translation_writes, shadow.translation_writes),
        ] {
            sum.fetch_add(n, Ordering::Relaxed);
        }
    }

    fn add_zoned(&self, case: &ZonedCase) -> Result<(), String> {
        let Some((outcome, shadow, promised)) = case.run()? else { return Ok(()) };
        self.promised.fetch_add(promised, Ordering::Relaxed);
        self.zone_commands.fetch_add(outcome.report.measures.requests.completed, Ordering::Relaxed);
        if let Some(zones) = &shadow.zones {
            self.zone_resets.fetch_add(zones.resets, Ordering::Relaxed);
            self.zone_refusals.fetch_add(zones.refused, Ordering::Relaxed);
        }
        Ok(())
    }

    fn counts(&self) -> [(&'static str, u64); 13] {
        [
            ("requests", &self.requests),
            ("pages read", &self.reads),
            ("pages trimmed", &self.trims),
            ("pages copied", &self.copies),
            ("blocks erased", &self.erases),
            ("requests failed", &self.failed),
            ("sectors read from caches", &self.cache_hits),
            ("translation pages written", &self.translation_writes),
            ("losses of power", &self.power_losses),
            ("sectors that had to survive one", &self.promised),
            ("requests next to zones and to them", &self.zone_commands),
            ("zones reset", &self.zone_resets),
            ("commands to zones refused", &self.zone_refusals),
        ]
        .map(|(name, count)| (name, count.load(Ordering::Relaxed)))
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().iter().try_for_each(|(name, count)| write!(f, "\n  {count:>12} {name}"))
    }
}

struct Case {
    overrides: Vec<String>,
    workload: String,
    power: f64,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "power is lost after {} of:\ncanaletto run {BASE} --workload workload.toml", self.power)?;
        self.overrides.iter().try_for_each(|setting| writeln!(f, "  --set {setting}"))?;
        writeln!(f, "workload.toml:\n{}", self.workload)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    (designs(newer()), newer_workloads(), 0.0f64..1.0).prop_map(|(overrides, workload, power)| Case {
        overrides,
        workload,
        power,
    })
}

impl Case {
    fn load(&self) -> (Design, Workload) {
        let design = load_design(BASE, None, &self.overrides).unwrap_or_else(|e| panic!("{e}"));
        let workload = load_workload("workload.toml", Some(&self.workload), &[]).unwrap_or_else(|e| panic!("{e}"));
        let partitioned = workload.partitioned && design.ftl.mapping == MappingScheme::Page;
        (design, Workload { partitioned, ..workload })
    }

    fn run(&self, design: &Design, workload: &Workload, tried: &Tried) {
        let traces = workload.flow.iter().map(|_| None).collect();
        let unwatched = match run(design, workload, traces, &RunOptions::default(), &mut |_| true) {
            // Too many blocks are bad.
            Err(RunError::Config(refused)) if refused.starts_with("precondition.kind: ") => return,
            // With one page per block, a full drive may have no room.
            Err(RunError::Config(refused))
                if design.geometry.pages_per_block == 1 && refused.contains("have room for; expected a lower") =>
            {
                return;
            }
            ran => ran.unwrap_or_else(|error| panic!("{error}")),
        };
        let (outcome, shadow) = check(design, workload);
        assert_eq!(comparable(&unwatched), comparable(&outcome), "two runs differ");
        tried.add(&outcome, &shadow);
        if power::can_be_lost(design) {
            let promised = power::lose_at(design, workload, 1 + (self.power * shadow.events() as f64) as u64);
            tried.power_losses.fetch_add(1, Ordering::Relaxed);
            tried.promised.fetch_add(promised, Ordering::Relaxed);
        }
    }
}

/// Without what only watched runs have.
pub fn comparable(outcome: &Outcome) -> String {
    let mut report = outcome.report.clone();
    report.measures.root_cause_us = None;
    report.flows.iter_mut().for_each(|flow| flow.measures.root_cause_us = None);
    serde_json::to_string(&report).expect("a report is JSON")
}

fn try_seed(seed: u64, is_alone: bool, tried: &Tried) -> Result<(), String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = ProptestConfig {
        cases: 1,
        failure_persistence: None,
        max_shrink_iters: setting("SHRINKS", 300) as u32,
        ..Default::default()
    };
    let shows = Cell::new(is_alone);
    let runner = || TestRunner::new_with_rng(config.clone(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let result = runner().run(&cases(), |case| {
        if shows.take() {
            eprintln!("{case:?}");
        }
        let (design, workload) = case.load();
        prop_assume!(Limits::new(&design, &workload).is_ok());
        case.run(&design, &workload, tried);
        Ok(())
    });
    result.map_err(|error| format!("seed {seed}: {error}"))?;
    let zoned = runner().run(&zoned_cases(), |case| {
        if is_alone {
            eprintln!("{case:?}");
        }
        tried.add_zoned(&case).map_err(TestCaseError::reject)
    });
    zoned.map_err(|error| format!("seed {seed}, zones: {error}"))
}

thread_local! {
    /// Panics on their way to be shrunk need no message each.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

fn quieten() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !QUIET.get() {
            loud(info);
        }
    }));
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().unwrap_or_else(|_| panic!("{name}={n}, expected a number")))
}

#[test]
fn seeds() {
    let (first, count) = (setting("SEED", 0), setting("SEEDS", 60));
    let (next, tried, failures) = (AtomicU64::new(first), Tried::default(), Mutex::new(Vec::new()));
    quieten();
    let work = || {
        QUIET.set(count > 1);
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            if let Err(failure) = try_seed(seed, count == 1, &tried) {
                eprintln!("{failure}");
                failures.lock().unwrap().push(seed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    println!("{count} seeds from {first} on:{tried}");
    assert_eq!(*failures.lock().unwrap(), Vec::<u64>::new(), "seeds that failed");
    let missed = tried.counts().into_iter().find(|(_, n)| *n == 0);
    assert!(count < 60 || missed.is_none(), "no {}", missed.unwrap_or_default().0);
}

#[test]
#[ignore = "needs CASE"]
fn case() {
    let file = std::env::var("CASE").expect("CASE names a file");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
    let (command, workload) = text.split_once("workload.toml:\n").expect("a workload after \"workload.toml:\"");
    let overrides = command.lines().filter_map(|line| line.trim().strip_prefix("--set ")).map(str::to_owned).collect();
    let words = command.split_whitespace();
    let power = words.filter_map(|word| word.parse().ok()).next().expect("a share after \"power is lost after\"");
    let case = Case { overrides, workload: workload.to_owned(), power };
    let (design, workload) = case.load();
    case.run(&design, &workload, &Tried::default());
}
