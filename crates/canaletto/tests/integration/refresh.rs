use crate::common::script::outcome;
use crate::common::{SMALL, design, preset, refusal, simulate, synthetic};
use canaletto::Outcome;
use canaletto::measure::report::Report;

fn read_one_page(reads: u64, overrides: &[&str]) -> Outcome {
    let requests: Vec<_> = (0..reads).map(|i| (i * 2_000_000, 5, false)).collect();
    outcome(&preset("performance-optimized", overrides), &requests)
}

fn refreshes(report: &Report, reason: &str) -> u64 {
    report.flash.gc.reasons.get(reason).copied().unwrap_or(0)
}

#[test]
fn a_block_read_in_a_loop_moves_each_time_it_comes_to_its_limit() {
    for (reads, limit) in [(99, 100), (100, 100), (1000, 100), (999, 100), (350, 7), (20, 1)] {
        let Outcome { report, .. } = read_one_page(reads, &[&format!("refresh.read_limit={limit}")]);
        let flash = &report.flash;
        assert_eq!(refreshes(&report, "read_disturb"), reads / limit, "{reads} reads, limit {limit}");
        assert_eq!(flash.gc.collections, reads / limit);
        // The last one may not have ended. Each copies the one valid page.
        assert!((reads / limit).abs_diff(flash.gc.pages_copied) <= 1 && (reads / limit).abs_diff(flash.erases) <= 1);
        assert!(flash.reads >= reads + flash.gc.pages_copied, "copies are read");
    }
    assert_eq!(read_one_page(1000, &[]).report.flash.gc.collections, 0);
}

#[test]
fn reads_amplify_writes() {
    let run = |overrides: &[&str]| {
        let mixed = synthetic("requests = 20000\nread_share = 0.9\nsize = \"4KiB\"\nqueue_depth = 8");
        simulate(&design(SMALL, &[overrides, &["ftl.overprovisioning=0.5"]].concat()), &mixed).report
    };
    let (with, without) = (run(&["refresh.read_limit=20"]), run(&[]));
    assert!(refreshes(&with, "read_disturb") > 20);
    let (with, without) = (&with.flash, &without.flash);
    assert!(with.write_amplification.unwrap() > 1.1 * without.write_amplification.unwrap());
    assert!(with.wear.erases_mean > without.wear.erases_mean);
}

fn old_drive(overrides: &[&str]) -> Report {
    let at_rest = ["precondition.kind=steady", "flash.errors.initial_age_days=10.0", "ftl.overprovisioning=0.5"];
    let all = [&at_rest, overrides].concat();
    let sparse = synthetic("requests = 1000\nread_share = 1.0\nsize = \"4KiB\"\ninter_arrival = \"400us\"");
    simulate(&design(SMALL, &all), &sparse).report
}

#[test]
fn old_data_are_rewritten_once() {
    let report = old_drive(&["refresh.age_limit_days=5.0", "refresh.scan_interval=1ms"]);
    let before = &report.precondition.as_ref().unwrap().blocks;
    let moved = refreshes(&report, "refresh");
    assert!((before.full..=before.full + before.open).contains(&moved), "{moved} of {before:?}");
    assert_eq!((moved, report.flash.gc.pages_copied), (report.flash.gc.collections, report.flash.programs));
    assert_eq!(
        old_drive(&["refresh.age_limit_days=15.0", "refresh.scan_interval=1ms"]).flash.gc.collections,
        0,
        "not old yet"
    );
}

#[test]
fn old_data_are_not_rewritten_at_once() {
    let moved = refreshes(&old_drive(&["refresh.age_limit_days=5.0", "refresh.scan_interval=10ms"]), "refresh");
    assert!((25..=41).contains(&moved), "{moved}");
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    let refused = |overrides: &[&str]| refusal(Some(SMALL), overrides);
    assert!(
        refused(&["refresh.age_limit_days=5.0", "refresh.scan_interval=0ns"])
            .contains("got 0, expected a time above 0")
    );
    let hybrid = ["refresh.read_limit=5", "ftl.mapping=bast", "ftl.unwritten_reads=zeroes"];
    assert!(refused(&hybrid).contains("log blocks move when they are merged"));
}
