use crate::common::contents::Contents;
use crate::common::{SMALL, design, refusal, simulate, synthetic};
use crate::swarm::shadow::{Shadow, check};
use std::collections::BTreeMap;

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::limits::Limits;
use canaletto::measure::blame::Cause;
use canaletto::measure::parity::ParityReport;
use canaletto::measure::report::Report;
use canaletto::{Outcome, RunOptions, Simulation};

fn drive(parity: &str, channels: u32, more: &[&str]) -> Design {
    let own = [&*format!("ftl.parity={parity}"), &format!("geometry.channels={channels}"), "ftl.superblock=drive"];
    design(SMALL, &[&own, more].concat())
}

fn watched(design: &Design, workload: &Workload, contents: Option<Contents>) -> (Outcome, Shadow) {
    let mut shadow = Shadow::with(contents);
    let options = RunOptions::default();
    let outcome = Simulation::new(design, workload, vec![None], &options).observed_by(&mut shadow).run(&mut |_| true);
    (outcome.unwrap_or_else(|e| panic!("{e}")), shadow)
}

fn parity(report: &Report) -> &ParityReport {
    report.flash.parity.as_ref().expect("a drive with parity")
}

/// Parity's share of programs is one in n.
#[test]
fn waits_for_parity_are_blamed_on_it() {
    let keys = "requests = 2100\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16\naddresses = \"sequential\"";
    let blame_of = |kind: &str| {
        let design = drive(kind, 4, &["ftl.unwritten_reads=zeroes", "geometry.blocks_per_plane=64"]);
        simulate(&design, &synthetic(keys)).report
    };
    let (without, with) = (blame_of("none"), blame_of("die"));
    assert!(!without.measures.blame_us.all.contains_key("chip_busy_parity"), "{:?}", without.measures.blame_us.all);
    assert!(with.measures.blame_us.all["chip_busy_parity"] > 1.0, "{:?}", with.measures.blame_us.all);
    let share = parity(&with).energy_mj / with.energy.energy_mj.array;
    let pages = parity(&with).pages_programmed as f64;
    let expected = pages / (pages + with.flash.host_pages as f64);
    assert!((share - expected).abs() < 1e-9 && (expected - 0.125).abs() < 0.005, "{share} of {expected}");
}

/// Whole stripes: of n pages n - 1 are the host's.
#[test]
fn write_amplification_is_n_by_n_minus_1() {
    for (kind, channels, n) in [("channel", 2, 2), ("channel", 4, 4), ("die", 4, 8)] {
        let design = drive(kind, channels, &["ftl.unwritten_reads=zeroes", "geometry.blocks_per_plane=64"]);
        let stripes = 300;
        let writes = stripes * (n - 1);
        let keys = format!(
            "requests = {writes}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 8\naddresses = \"sequential\""
        );
        let report = simulate(&design, &synthetic(&keys)).report;
        let (flash, parity) = (&report.flash, parity(&report));
        let late = parity.most_open_stripes.into();
        assert!(flash.host_pages == writes && stripes - parity.pages_programmed <= late, "{kind} {n}: {flash:?}");
        let expected = (writes + parity.pages_programmed) as f64 / writes as f64;
        let most = n as f64 / (n - 1) as f64;
        let found = flash.write_amplification.unwrap();
        assert!((found - expected).abs() < 1e-9 && most - found < 0.1 / n as f64, "{kind} {n}: {found} of {most}");
    }
}

#[test]
fn bandwidth_of_writes_is_n_minus_1_by_n() {
    for (kind, channels, n) in [("channel", 4, 4.0), ("die", 2, 4.0), ("die", 4, 8.0)] {
        let rate = |parity: &str| {
            let slow = ["flash.program=2ms", "geometry.blocks_per_plane=64", "geometry.pages_per_block=32"];
            let design = drive(parity, channels, &[&slow[..], &["ftl.unwritten_reads=zeroes"]].concat());
            let keys =
                "requests = 6000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 512\naddresses = \"sequential\"";
            simulate(&design, &synthetic(keys)).report.measures.iops.unwrap()
        };
        let (with, without) = (rate(kind), rate("none"));
        let expected = (n - 1.0) / n;
        println!("{kind} {channels}: {} for {expected}", with / without);
        assert!((with / without / expected - 1.0).abs() < 0.02, "{kind} {n}: {with} of {without}");
    }
}

#[test]
fn parity_takes_its_share_of_capacity() {
    let workload = synthetic("requests = 1\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let sectors = |parity: &str| Limits::new(&drive(parity, 4, &[]), &workload).unwrap().logical_sectors as f64;
    assert!((sectors("channel") / sectors("none") / 0.75 - 1.0).abs() < 0.01);
    assert!((sectors("die") / sectors("none") / 0.875 - 1.0).abs() < 0.01);
}

#[test]
fn overwritten_drives_keep_their_data() {
    for (kind, precondition) in [("die", "none"), ("channel", "none"), ("die", "replay"), ("channel", "replay")] {
        let design = drive(kind, 4, &[&format!("precondition.kind={precondition}"), "ftl.unwritten_reads=zeroes"]);
        let keys = "requests = 9000\nread_share = 0.2\nsize = \"4KiB\"\nqueue_depth = 32";
        let (outcome, _) = check(&design, &synthetic(keys));
        let report = &outcome.report;
        assert!(report.flash.gc.collections > 3 && parity(report).pages_programmed > 900, "{:?}", report.flash);
        assert_eq!(report.measures.requests.failed, 0);
    }
}

/// Over channels all other pages are read at once. Within a channel commands and data cross one after the other.
#[test]
fn unloaded_latency_of_a_rebuilt_read() {
    let (command, turnaround, array, page) = (170_000, 120_000, 3_000_000, 3_413_334);
    for (parity, superblock, others) in [("channel", "drive", 3), ("die", "channel", 7)] {
        let in_turn = if parity == "channel" { 1 } else { others };
        let own = [&*format!("ftl.parity={parity}"), &format!("ftl.superblock={superblock}")];
        let shape = ["geometry.channels=4", "geometry.chips_per_channel=8", "ftl.unwritten_reads=zeroes"];
        let spare = ["precondition.kind=replay", "flash.failures.read=0.01"];
        let design = design(SMALL, &[&own[..], &shape, &spare].concat());
        let keys = "requests = 3000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1";
        let outcome = simulate(&design, &synthetic(keys));
        let records = outcome.records.unwrap();
        let mut latencies: BTreeMap<u64, u32> = BTreeMap::new();
        (1..records.len()).for_each(|i| *latencies.entry(records.complete[i] - records.arrival[i]).or_default() += 1);
        let retry: Vec<u64> = records.blame[Cause::Retry as usize].iter().copied().filter(|&t| t > 0).collect();
        let expected = command + turnaround + array + in_turn * page;
        println!("{parity}: {latencies:?}, rebuilt in {retry:?}, expected {expected}");
        let parity = outcome.report.flash.parity.unwrap();
        assert!(parity.pages_rebuilt > 15 && parity.rebuild_reads > 2 * parity.pages_rebuilt, "{parity:?}");
        // A page whose whole stripe is in the controller takes no time.
        let retried = parity.pages_rebuilt + outcome.report.flash.uncorrectable;
        assert!((0..=2).contains(&(retried - retry.len() as u64)), "{retried} of {}", retry.len());
        assert_eq!(outcome.report.measures.requests.failed, outcome.report.flash.uncorrectable);
        assert!(retry.iter().all(|&took| took <= expected && (expected - took) % page == 0), "{expected}: {retry:?}");
        assert!(retry.iter().filter(|&&took| took == expected).count() * 10 > retry.len() * 9, "{expected}: {retry:?}");
    }
}

fn losses_are_survived(more: &[&str], together: u32, moments: u32) {
    let recent = "requests = 2500\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 4\nworking_set = 0.05";
    let any = "requests = 2500\nread_share = 0.4\nsize = \"4KiB\"\nqueue_depth = 24";
    let spare = ["ftl.unwritten_reads=zeroes", "ftl.overprovisioning=0.6", "gc.reserved_blocks=2"];
    let more = [&spare[..], more].concat();
    let (mut rebuilt, mut without_parity) = (0, 0);
    let kinds = [
        ("die", "die", 2, any),
        ("channel", "die", 4, any),
        ("die", "die", 2, recent),
        ("channel", "channel", 4, any),
        ("channel", "channel", 4, recent),
    ];
    for (kind, what, unit, keys) in kinds {
        let workload = synthetic(keys);
        let whole = simulate(&drive(kind, 4, &more), &workload).report.measures.execution_time_us.unwrap();
        for moment in 0..moments {
            let at = format!("flash.failures.lost_at={}us", whole * f64::from(moment) / f64::from(moments));
            let lost = format!("flash.failures.lost_{what}={}", moment * 5 % if what == "die" { 8 } else { 4 });
            let design = drive(kind, 4, &[&more[..], &[&at, &lost]].concat());
            let (outcome, shadow) = watched(&design, &workload, Some(Contents::new(unit, together)));
            let contents = shadow.contents.unwrap();
            assert_eq!(outcome.report.measures.requests.failed, 0, "{kind} {at} {lost}");
            contents.check_unknown(&outcome.report);
            rebuilt += contents.rebuilt;
            without_parity += contents.rebuilt_without_parity;
            if moment % 6 == 1 {
                check(&design, &workload);
            }
        }
    }
    println!("{rebuilt} rebuilt, {without_parity} from parity in memory");
    assert!(rebuilt > 40 * u64::from(moments) && without_parity > 0, "{rebuilt} {without_parity}");
}

#[test]
fn a_loss_at_any_moment_is_survived() {
    losses_are_survived(&[], 1, 24);
}

#[test]
fn a_loss_of_gathered_pages_is_survived() {
    losses_are_survived(&["geometry.page=16KiB", "ftl.mapping_unit=4KiB"], 4, 12);
    let buffer = ["cache.capacity=256KiB", "cache.power_loss_protection=false", "cache.idle_destage=50us"];
    losses_are_survived(&[&["geometry.page=16KiB", "ftl.mapping_unit=4KiB"], &buffer[..]].concat(), 4, 6);
}

#[test]
fn a_loss_at_any_event_is_survived() {
    let workload = synthetic("requests = 900\nread_share = 0.4\nsize = \"4KiB\"\nqueue_depth = 24");
    let spare = ["ftl.unwritten_reads=zeroes", "ftl.overprovisioning=0.6", "gc.reserved_blocks=2"];
    let units = ["geometry.page=16KiB", "ftl.mapping_unit=4KiB", "geometry.pages_per_block=4"];
    for (kind, what, unit, more) in [
        ("die", "die", 2, &["geometry.blocks_per_plane=16"][..]),
        ("channel", "channel", 4, &["precondition.kind=steady"]),
        ("die", "die", 2, &units),
        ("channel", "channel", 4, &units),
    ] {
        let more = [&spare[..], more].concat();
        let events = watched(&drive(kind, 4, &more), &workload, None).1.seen.events;
        let mut rebuilt = 0;
        for n in 0..25_u64 {
            let event = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % events.len() as u64;
            let at = format!("flash.failures.lost_at={}ps", events[event as usize].0);
            let lost = format!("flash.failures.lost_{what}={}", n % if unit == 2 { 8 } else { 4 });
            let (outcome, _) = check(&drive(kind, 4, &[&more[..], &[&at, &lost]].concat()), &workload);
            assert_eq!(outcome.report.measures.requests.failed, 0, "{kind} {at} {lost}");
            rebuilt += parity(&outcome.report).pages_rebuilt;
        }
        assert!(rebuilt > 100, "{kind} {more:?}: {rebuilt}");
    }
}

#[test]
fn steady_drives_have_parity() {
    let keys = "requests = 6000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 16";
    let spare = ["ftl.overprovisioning=0.6", "gc.reserved_blocks=2", "geometry.blocks_per_plane=32"];
    for (kind, unit) in [("die", "4KiB"), ("channel", "4KiB"), ("die", "1KiB"), ("channel", "1KiB")] {
        for precondition in ["steady", "replay"] {
            let own = [format!("precondition.kind={precondition}"), format!("ftl.mapping_unit={unit}")];
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let lost = ["flash.failures.lost_die=3", "flash.failures.lost_at=300us"];
            let (whole, _) = check(&drive(kind, 4, &[&own[..], &spare].concat()), &synthetic(keys));
            assert!(whole.report.flash.gc.collections > 5, "{kind} {own:?}: {:?}", whole.report.flash.gc);
            let (outcome, _) = check(&drive(kind, 4, &[&own[..], &spare, &lost].concat()), &synthetic(keys));
            let report = &outcome.report;
            assert!(parity(report).pages_rebuilt > 100, "{kind} {own:?}: {:?}", parity(report));
            assert_eq!(report.measures.requests.failed, 0, "{kind} {own:?}");
        }
    }
}

#[test]
fn steady_and_replayed_parity_amplify_alike() {
    let text = "base = \"performance-optimized\"\n[geometry]\nchannels = 4\nchips_per_channel = 1\nplanes_per_die = 2\n\
                blocks_per_plane = 96\npages_per_block = 32\n[ftl]\noverprovisioning = 0.25\nsuperblock = \"drive\"\n\
                parity = \"die\"\n[gc]\nthreshold = 0.03\npreemptible = false\n";
    let found = ["steady", "replay"].map(|kind| {
        let design = design(text, &[&format!("precondition.kind={kind}")]);
        let pages =
            Limits::new(&design, &synthetic("requests = 1\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1"));
        let pages = 2 * pages.unwrap().logical_pages;
        let keys = format!("requests = {pages}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16");
        let report = simulate(&design, &synthetic(&keys)).report;
        let before = report.precondition.as_ref().unwrap().write_amplification.unwrap();
        let measured = report.flash.write_amplification.unwrap();
        println!("{kind}: {measured} after {before}");
        assert!((measured / before - 1.0).abs() < 0.04, "{kind}: {measured} after {before}");
        measured
    });
    assert!((found[0] / found[1] - 1.0).abs() < 0.03, "{found:?}");
}

#[test]
fn what_is_lost_is_rebuilt_in_the_background() {
    let keys = "requests = 12000\nread_share = 0.9\nsize = \"4KiB\"\nqueue_depth = 4";
    let more = ["ftl.overprovisioning=0.6", "gc.reserved_blocks=2", "precondition.kind=replay"];
    for (kind, planes) in [("die", 2), ("channel", 4)] {
        let lost = format!("flash.failures.lost_{kind}=3");
        let lost = [&*lost, "flash.failures.lost_at=100us", "ftl.unwritten_reads=zeroes"];
        let design = drive(kind, 4, &[more, lost].concat());
        let (outcome, _) = check(&design, &synthetic(keys));
        let report = &outcome.report;
        let parity = parity(report);
        assert!(parity.pages_rebuilt > 30 * planes && parity.pages_left_to_rebuild == 0, "{parity:?}");
        assert_eq!(report.measures.requests.failed, 0);
        assert_eq!(report.flash.bad_blocks, 16 * planes, "the blocks of {planes} planes");
    }
}

#[test]
fn failed_programs_are_left_out_of_parity() {
    let more = ["flash.failures.program=0.002", "flash.failures.read=0.02", "ftl.overprovisioning=0.5"];
    let design = drive("channel", 4, &[&more[..], &["ftl.unwritten_reads=zeroes"]].concat());
    let workload = synthetic("requests = 20000\nread_share = 0.4\nsize = \"4KiB\"\nqueue_depth = 24");
    let (outcome, shadow) = watched(&design, &workload, Some(Contents::new(4, 1)));
    let contents = shadow.contents.unwrap();
    assert!(outcome.report.flash.program_failures > 5, "{:?}", outcome.report.flash);
    contents.check_unknown(&outcome.report);
    assert!(contents.rebuilt > 50 && contents.rebuilt_without_parity > 0, "{}", contents.rebuilt_without_parity);
}

#[test]
fn what_parity_needs_is_said() {
    let refused = |changes: &[&str]| refusal(None, changes);
    for (changes, expected) in [
        (&["ftl.parity=die"][..], "ftl.parity: got \"die\" with ftl.superblock = \"none\""),
        (
            &["ftl.parity=channel", "ftl.superblock=channel"],
            "expected \"none\", or a superblock over at least two channels",
        ),
        (&["flash.failures.lost_die=3"], "needs ftl.parity = \"die\" or \"channel\""),
        (
            &["ftl.parity=die", "ftl.superblock=drive", "flash.failures.lost_channel=3"],
            "lost_channel: needs ftl.parity = \"channel\": without it the data of a lost channel are gone",
        ),
        (
            &["ftl.parity=channel", "ftl.superblock=drive", "flash.failures.lost_channel=8"],
            "got 8, expected 0 to 7: the channels",
        ),
        (
            &["ftl.parity=channel; ftl.superblock=drive; flash.failures.lost_channel=3", "flash.failures.lost_die=3"],
            "expected one of the two",
        ),
        (&["ftl.parity=die", "ftl.superblock=drive", "flash.failures.lost_die=64"], "got 64, expected 0 to 63"),
        (
            &["ftl.parity=die", "ftl.superblock=drive", "flash.failures.lost_die=3", "gc.reserved_blocks=1"],
            "gc.reserved_blocks",
        ),
        (
            &["ftl.parity=die", "ftl.superblock=channel", "flash.failures.lost_die=3", "gc.reserved_blocks=2"],
            "ftl.overprovisioning: got 0.07, expected at least 0.148",
        ),
    ] {
        let said = refused(changes);
        assert!(said.contains(expected), "{changes:?}: {said}");
    }
}
