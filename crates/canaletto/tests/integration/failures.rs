use crate::common::{SMALL, design, preset, refusal, simulate, synthetic};
use canaletto::measure::blame::Cause;
use canaletto::measure::report::Report;

const WRITES: &str = "requests = 4000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16";
const MIXED: &str = "requests = 6000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 16";
const SPARE: &str = "ftl.overprovisioning=0.5";

fn report(overrides: &[&str], workload: &str) -> Report {
    simulate(&design(SMALL, overrides), &synthetic(workload)).report
}

/// Each failed attempt costs command, data and program again: tCS + 6 tWC + tWPST + tWPSTH, 4 KiB at 1.2 GB/s, tADL +
/// tWB, tPROG.
#[test]
fn a_failed_program_is_tried_again_at_its_full_price() {
    let design = preset("performance-optimized", &["ftl.unwritten_reads=zeroes", "flash.failures.program=0.3", SPARE]);
    let workload = synthetic("requests = 500\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let outcome = simulate(&design, &workload);
    let attempt = 191_000 + 3_413_334 + 170_000 + 100_000_000;
    let retry = &outcome.records.as_ref().unwrap().blame[Cause::Retry as usize];
    // Few meet copies out of a retired block, and wait for these as well.
    let waited = retry.iter().filter(|time| *time % attempt != 0).count();
    assert!(waited < 5, "{waited} of {}", retry.len());
    let attempts: u64 = retry.iter().map(|time| time / attempt).sum();
    let flash = &outcome.report.flash;
    assert!(attempts <= flash.program_failures && attempts > flash.program_failures / 2);
    // Geometric with p = 0.3: 500 × 0.3 / 0.7 = 214, with a standard deviation of 17.5.
    assert!((160..270).contains(&attempts), "{attempts}");
    assert_eq!(outcome.report.measures.requests.failed, 0);
    assert!(flash.bad_blocks <= flash.program_failures && flash.bad_blocks >= attempts);
    assert_eq!(flash.write_amplification, Some(flash.programs as f64 / 500.0));
}

/// Of 16 blocks 8 hold the host's data, and 4 are kept for collection.
#[test]
fn a_drive_that_cannot_program_says_so_and_ends() {
    let report = report(&["flash.failures.program=1.0", SPARE], WRITES);
    assert_eq!(report.measures.requests.failed, 4000);
    assert_eq!(report.flash.bad_blocks, 8 * 4);
    assert!(report.flash.program_failures >= 4000 + 8 * 4);
}

#[test]
fn a_drive_that_cannot_erase_ends() {
    let report = report(&["flash.failures.erase=1.0", SPARE], WRITES);
    assert_eq!((report.measures.requests.failed, report.flash.bad_blocks), (0, 8 * 4));
    assert_eq!(report.flash.erase_failures, report.flash.erases);
}

#[test]
fn spare_blocks_hide_failures_from_the_host() {
    let report = report(&["flash.failures.program=0.002", "flash.failures.erase=0.015", SPARE], MIXED);
    let flash = &report.flash;
    assert!(flash.program_failures > 0 && flash.erase_failures > 0);
    // A block whose erase failed stays in use while its plane has no free block.
    assert!(flash.bad_blocks > flash.program_failures);
    assert!(flash.bad_blocks <= flash.program_failures + flash.erase_failures);
    assert_eq!(report.measures.requests.failed, 0);
    assert!(report.measures.blame_us.all.contains_key("retry"));
}

#[test]
fn reads_that_fail_fail_their_requests() {
    let reads = "requests = 500\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 8";
    let all = report(&["flash.failures.read=1.0"], reads);
    assert_eq!((all.measures.requests.failed, all.flash.uncorrectable), (500, 500));
    let partial = "requests = 500\nread_share = 0.0\nsize = \"1KiB\"\nqueue_depth = 1";
    let all = report(&["flash.failures.read=1.0", "gc.copyback=true"], partial);
    assert_eq!(all.measures.requests.failed, 500);
    let some = report(&["flash.failures.read=0.1"], reads);
    assert!(
        (25..75).contains(&some.measures.requests.failed) && some.flash.uncorrectable == some.measures.requests.failed
    );
}

#[test]
fn factory_bad_blocks_are_passed_over() {
    let large = ["geometry.blocks_per_plane=64", SPARE];
    let report = report(&[&large[..], &["flash.failures.factory_bad=0.1"]].concat(), WRITES);
    assert!((8 * 6..=8 * 7).contains(&report.flash.bad_blocks), "{}", report.flash.bad_blocks);
    assert_eq!(report.measures.requests.failed, 0);
    let refused = |overrides: &[&str]| refusal(Some(SMALL), overrides);
    let message = refused(&["flash.failures.factory_bad=0.1", "ftl.overprovisioning=0.3"]);
    assert!(message.contains("up to 2 of 16 blocks a plane"), "{message}");
    assert!(refused(&["flash.failures.program=0.1", "ftl.map_update=issue"]).contains("program-end"));
}
