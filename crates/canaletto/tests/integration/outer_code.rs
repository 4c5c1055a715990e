use crate::common::script::{COMMAND, DATA};
use crate::common::{design, preset, refusal, simulate, synthetic};
use canaletto::Outcome;
use canaletto::measure::blame::Cause;

const OUTER: &[&str] = &["controller.ecc.codeword=512B", "controller.ecc.outer.codeword=4KiB", "ftl.mapping_unit=512B"];

fn reads(size: &str, depth: u32, keys: &[&str]) -> Outcome {
    let requests = format!("requests = 300\nread_share = 1.0\nsize = \"{size}\"\nqueue_depth = {depth}");
    simulate(&preset("performance-optimized", &[OUTER, keys].concat()), &synthetic(&requests))
}

/// 512 B at 1.2 GB/s.
const SECTOR: u64 = 426_667;
/// Command, tWB + tRR and tR.
const SENSE: u64 = COMMAND + 120_000 + 3_000_000;

#[test]
fn a_failed_codeword_costs_a_read_of_the_outer_one() {
    for (latency, outer, ecc) in [("0ns", 0, 0), ("2us", 2_000_000, 0), ("2us", 2_000_000, 500_000)] {
        let (latency, ecc_latency) =
            (format!("controller.ecc.outer.latency={latency}"), format!("controller.ecc_latency={ecc}ps"));
        let outcome = reads("512B", 1, &["controller.ecc.outer.inner_failure=1.0", &latency, &ecc_latency]);
        let blame = &outcome.records.as_ref().unwrap().blame;
        let all = |cause: Cause, picoseconds| blame[cause as usize].iter().all(|&time| time == picoseconds);
        // The second read and its decoding are charged to the retry.
        assert!(all(Cause::DataTransfer, SECTOR) && all(Cause::Ecc, ecc), "{latency}, {ecc}");
        assert!(all(Cause::Retry, SENSE + DATA + ecc + outer), "{latency}, {ecc}");
        let flash = &outcome.report.flash;
        assert_eq!((flash.outer_reads, flash.read_retries, flash.reads), (Some(300), 0, 600));
        assert_eq!(outcome.report.measures.requests.failed, 0);
    }
}

#[test]
fn whole_outer_codewords_are_only_decoded() {
    let keys = ["controller.ecc.outer.inner_failure=1.0", "controller.ecc.outer.latency=2us"];
    for unit in ["ftl.mapping_unit=512B", "ftl.mapping_unit=4KiB"] {
        let outcome = reads("4KiB", 1, &[&keys[..], &[unit]].concat());
        let flash = &outcome.report.flash;
        assert_eq!((flash.outer_reads, flash.read_retries), (Some(0), 0), "{unit}");
        let ecc = &outcome.records.as_ref().unwrap().blame[Cause::Ecc as usize];
        assert!(ecc.iter().all(|&time| time == 2_000_000), "{unit}");
    }
}

#[test]
fn codewords_fail_as_often_as_they_should() {
    for (size, codewords) in [("512B", 1), ("2KiB", 4)] {
        let requests = format!("requests = 8000\nread_share = 1.0\nsize = \"{size}\"\nqueue_depth = 64");
        let keys = [OUTER, &["controller.ecc.outer.inner_failure=0.05", "ftl.mapping_unit=4KiB"]].concat();
        let flash = simulate(&preset("performance-optimized", &keys), &synthetic(&requests)).report.flash;
        let expected = 1.0 - 0.95f64.powi(codewords);
        let deviation = (8000.0 * expected * (1.0 - expected)).sqrt();
        let found = flash.outer_reads.expect("there is an outer code") as f64;
        assert!((found - 8000.0 * expected).abs() < 4.0 * deviation, "{size}: {found}");
    }
}

/// 262 wrong bits on average in 4 KiB, where the codewords of 512 B hardly ever correct theirs.
#[test]
fn retries_follow_where_the_outer_code_fails() {
    let errors = ["flash.errors.base=0.008", "controller.ecc.correctable_bits=4", "flash.errors.retry_factor=0.1"];
    let flash = |bits: &str| reads("512B", 1, &[&errors[..], &[bits]].concat()).report.flash;
    let strong = flash("controller.ecc.outer.correctable_bits=600");
    assert_eq!((strong.outer_reads, strong.read_retries), (Some(300), 0));
    let weak = flash("controller.ecc.outer.correctable_bits=100");
    assert_eq!((weak.outer_reads, weak.read_retries, weak.uncorrectable), (Some(600), 300, 0));
}

#[test]
fn what_no_code_corrects_is_lost() {
    let outcome = reads("512B", 4, &["flash.failures.read=1.0"]);
    assert_eq!((outcome.report.flash.outer_reads, outcome.report.flash.uncorrectable), (Some(300), 300));
    assert_eq!(outcome.report.measures.requests.failed, 300);
}

#[test]
fn illegible_pages_stay_illegible() {
    let failed = reads("512B", 4, &["flash.failures.read=0.5"]).report.measures.requests.failed as f64;
    assert!((failed - 150.0).abs() < 4.0 * (300.0f64 * 0.25).sqrt(), "{failed} of 300");
}

#[test]
fn collection_reads_outer_codewords() {
    let keys = [OUTER, &["controller.ecc.outer.inner_failure=0.2", "ftl.overprovisioning=0.3"]].concat();
    let keys = [&keys[..], &["geometry.blocks_per_plane=16", "geometry.pages_per_block=8"]].concat();
    let writes =
        synthetic("requests = 60000\nread_share = 0.0\nsize = \"512B\"\nalignment = \"512B\"\nqueue_depth = 64");
    let small = ["geometry.channels=2", "geometry.chips_per_channel=1"];
    let flash = simulate(&preset("performance-optimized", &[&keys[..], &small].concat()), &writes).report.flash;
    assert!(flash.gc.pages_copied > 1000 && flash.outer_reads.is_some_and(|reads| reads > 20), "{flash:?}");
}

#[test]
fn no_outer_code_says_nothing() {
    let requests = synthetic("requests = 30\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let report = simulate(&design("base = \"performance-optimized\"", &[]), &requests).report;
    assert_eq!(report.flash.outer_reads, None);
}

#[test]
fn outer_codes_that_do_not_fit_are_refused() {
    for (keys, says) in [
        (&["controller.ecc.outer.codeword=8KiB"][..], "divide a page of \"4KiB\""),
        (&["controller.ecc.outer.codeword=1KiB"], "several codewords of \"1KiB\""),
        (&["controller.ecc.outer.codeword=1536B"], "got \"1.5KiB\", expected \"0B\""),
        (
            &["controller.ecc.outer.codeword=4KiB", "controller.ecc.outer.correctable_bits=40000"],
            "fewer than the 32768 bits of an outer codeword",
        ),
    ] {
        let refused = refusal(None, keys);
        assert!(refused.contains(says), "{refused}");
    }
}
