use canaletto::Outcome;
use canaletto::config::design::Design;
use canaletto::limits::Limits;
use canaletto::measure::report::MappingReport;

use crate::common::{SMALL, design, preset, simulate, synthetic};
use crate::swarm::shadow::check;

fn trims(requests: u32, depth: u32) -> String {
    format!("requests = {requests}\nread_share = 0.0\ntrim_share = 1.0\nsize = \"4KiB\"\nqueue_depth = {depth}")
}

fn mapping(outcome: &Outcome) -> &MappingReport {
    outcome.report.mapping.as_ref().expect("the table is cached")
}

fn run(design: &Design, keys: &str) -> Outcome {
    simulate(design, &synthetic(keys))
}

#[test]
fn a_trim_waits_for_its_entry_as_a_read_does() {
    let trims = trims(200, 1);
    let mean = |outcome: &Outcome| outcome.report.measures.latency_us.all.mean.unwrap();
    let ideal = mean(&run(&preset("performance-optimized", &[]), &trims));
    let outcome = run(&preset("performance-optimized", &["mapping.cache_capacity=8B"]), &trims);
    // Command, tR and a page at 1.2 GB/s.
    let added_us = (170.0 + 120.0 + 3000.0 + 4096.0 / 1.2) / 1e3;
    assert!((mean(&outcome) - ideal - added_us).abs() < 1e-3, "{} and {ideal}", mean(&outcome));
    assert!((outcome.report.measures.blame_us.all["mapping_miss"] - added_us).abs() < 1e-3);
    let found = mapping(&outcome);
    assert_eq!((found.counts.misses, found.translation_reads, outcome.report.flash.reads), (200, 200, 200));
    assert_eq!((found.translation_writes, found.counts.uncached_updates), (0, 0), "nothing was ever written");
}

#[test]
fn translation_pages_do_not_pile_up() {
    for size in ["4KiB", "64KiB"] {
        let design = design(SMALL, &["mapping.cache_capacity=64B", "precondition.kind=steady"]);
        let work = trims(3000, 200).replace("4KiB", size);
        let outcome = run(&design, &work);
        let found = mapping(&outcome);
        let planes = u64::from(Limits::new(&design, &synthetic(&work)).unwrap().layout.planes());
        assert!(found.translation_writes > 10, "{size}: {found:?}");
        // A look-up under way may make another page due.
        assert!(found.translation_writes_in_flight_max <= 2 * planes, "{size}, {planes} planes: {found:?}");
        let flash = &outcome.report.flash;
        assert!(flash.reads >= found.translation_reads + found.merge_reads, "{size}: {} of {found:?}", flash.reads);
    }
}

#[test]
fn half_a_drive_is_trimmed_at_once() {
    let half = Limits::new(&design(SMALL, &[]), &synthetic(&trims(1, 1))).unwrap().logical_pages / 2 * 4;
    let keys = "requests = 3000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8";
    let file = format!(
        "name = \"both\"\npartitioned = false\n[[flow]]\nname = \"a\"\n[flow.synthetic]\n{keys}\n[[flow]]\nname = \"b\"\n\
         [flow.synthetic]\nrequests = 20\nread_share = 0.0\ntrim_share = 1.0\nsize = \"{half}KiB\"\nalignment = \"4KiB\"\n\
         inter_arrival = \"300us\"\n"
    );
    let workload = canaletto::config::load_workload("both", Some(&file), &[]).unwrap();
    for changes in
        [&[][..], &["mapping.cache_capacity=8B"], &["mapping.cache_capacity=64B", "ftl.unwritten_reads=zeroes"]]
    {
        let (outcome, shadow) = check(&design(SMALL, changes), &workload);
        assert_eq!(outcome.report.measures.requests.completed, 3020, "{changes:?}");
        assert!(shadow.trims > 20 * 100, "{changes:?}: {} pages", shadow.trims);
    }
}
