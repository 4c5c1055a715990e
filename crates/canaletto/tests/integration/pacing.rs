use std::collections::BTreeMap;

use crate::common::{design, simulate, synthetic};
use crate::swarm::shadow::Shadow;
use canaletto::config::design::Design;
use canaletto::measure::report::Report;
use canaletto::{RunOptions, Simulation};

const DRIVE: &str = r#"
base = "performance-optimized"
[geometry]
channels = 2
chips_per_channel = 2
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 64
[flash]
erase = "20us"
[ftl]
overprovisioning = 0.2
superblock = "drive"
[gc]
hard_threshold = 0.0
[precondition]
kind = "steady"
"#;

fn drive(more: &[&str]) -> Design {
    design(DRIVE, more)
}

fn saturated(more: &[&str]) -> Report {
    let all = "requests = 20000\nread_share = 0.05\nsize = \"4KiB\"\nqueue_depth = 64";
    simulate(&drive(more), &synthetic(all)).report
}

/// At saturation a victim's copies no longer stop all writes, and the drive serves as many.
#[test]
fn paced_writes_wait_evenly() {
    let [none, writes, both] = ["none", "writes", "both"].map(|pacing| saturated(&[&format!("gc.pacing={pacing}")]));
    let spread = |report: &Report| {
        let latency = &report.measures.latency_us.write;
        latency.p99.unwrap() / latency.p50.unwrap()
    };
    let found = [&none, &writes, &both].map(spread);
    assert!(found[0] > 10.0 && found[1] < 3.0 && found[2] < 3.0, "{found:?}");
    let iops = [&none, &writes, &both].map(|report| report.measures.iops.unwrap());
    assert!(iops[1] > 0.9 * iops[0] && iops[2] > 0.9 * iops[0], "{iops:?}");
}

/// A plane that copies v pages for r reclaimed ones serves a host page in the time of all that it does for it.
#[test]
fn paced_writes_are_admitted_at_the_rate_of_copies() {
    for (spare, pacing) in [("0.15", "writes"), ("0.15", "both"), ("0.4", "both")] {
        let one = ["geometry.channels=1", "geometry.chips_per_channel=1", "geometry.planes_per_die=1"];
        let (spare, pacing) = (format!("ftl.overprovisioning={spare}"), format!("gc.pacing={pacing}"));
        let text = "requests = 12000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 64";
        let report = simulate(&drive(&[&one[..], &[&*spare, &*pacing]].concat()), &synthetic(text)).report;
        let flash = &report.flash;
        let per_page = |operations: u64| operations as f64 / flash.host_pages as f64;
        // Commands, turnarounds and 4 KiB at 1.2 GB/s take 3.8 us of a program and 3.6 us of a read.
        let us = per_page(flash.programs) * 103.8 + per_page(flash.reads) * 6.6 + per_page(flash.erases) * 20.0;
        let iops = report.measures.iops.unwrap();
        assert!((iops * us / 1e6 - 1.0).abs() < 0.03, "{spare} {pacing}: {iops} {us} us");
        assert!(flash.write_amplification.unwrap() > 1.3, "{spare}: {:?}", flash.write_amplification);
    }
}

#[test]
fn paced_copies_take_small_steps() {
    let few = synthetic("requests = 6000\nread_share = 0.0\nsize = \"4KiB\"\ninter_arrival = \"400us\"");
    let most_at_once = |pacing| {
        let mut shadow = Shadow::default();
        let design = drive(&[&format!("gc.pacing={pacing}")]);
        let options = RunOptions::default();
        let run = Simulation::new(&design, &few, vec![None], &options).observed_by(&mut shadow).run(&mut |_| true);
        run.unwrap_or_else(|e| panic!("{e}"));
        let mut by_window: BTreeMap<u64, u32> = BTreeMap::new();
        for (_, at) in &shadow.seen.programs_of_collection {
            *by_window.entry(at.ns() / 2_000_000).or_default() += 1;
        }
        by_window.into_values().max().unwrap()
    };
    let (writes, both) = (most_at_once("writes"), most_at_once("both"));
    assert!(both > 0 && 2 * both < writes, "{writes} {both}");
}

#[test]
fn reads_wait_in_the_queue_of_writes() {
    let cached = |more: &[&str]| {
        let latency = saturated(&[&["cache.capacity=256KiB"], more].concat()).measures.latency_us;
        latency.read.p50.unwrap() / latency.write.p50.unwrap()
    };
    let (passing, waiting) = (cached(&[]), cached(&["cache.reads_wait=true"]));
    assert!(passing < 0.3 && (0.8..1.5).contains(&waiting), "{passing} {waiting}");
}
