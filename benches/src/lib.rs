//! Workloads of the benchmarks, as in `docs/explanation/speed.md`.

use canaletto::config::workload::Workload;
use canaletto::config::{load_design, load_workload};
use canaletto::{Outcome, RunOptions, run};

/// On a preset, closed loop at a queue depth of 16.
///
/// # Panics
/// If the preset does not exist.
pub fn random(preset: &str, read_share: f64, requests: u64, overrides: &[&str]) -> Outcome {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    let design = load_design(preset, None, &overrides).unwrap_or_else(|e| panic!("{e}"));
    let workload = random_4k(read_share, requests, 16);
    run(&design, &workload, vec![None], &RunOptions::default(), &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

/// Of 4 KiB, `depth` in flight.
///
/// # Panics
/// If these are no valid workload.
pub fn random_4k(read_share: f64, requests: u64, depth: u32) -> Workload {
    let text = format!(
        "name = \"bench\"\n[[flow]]\nname = \"random\"\n[flow.synthetic]\nrequests = {requests}\n\
         read_share = {read_share}\nsize = \"4KiB\"\nqueue_depth = {depth}\n"
    );
    load_workload("bench", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// So small that random writes collect garbage all the time.
pub const COLLECTING: [&str; 4] =
    ["geometry.blocks_per_plane=32", "geometry.pages_per_block=32", "ftl.overprovisioning=0.25", "gc.threshold=0.1"];
