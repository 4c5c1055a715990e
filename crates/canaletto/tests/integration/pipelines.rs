use canaletto::measure::blame::Cause;
use canaletto::measure::report::Report;

use crate::common::script::{COMMAND, DATA, script, spent};
use crate::common::{preset, simulate, synthetic};

const READ_NS: f64 = 3000.0 + 120.0;
const COMMAND_NS: f64 = 170.0;

const CHIP: [&str; 4] =
    ["geometry.channels=1", "geometry.chips_per_channel=1", "fabric.transfer_order=commands-first", "link.lanes=16"];

fn ran(traffic: &str, requests: u32, more: &[&str]) -> Report {
    let workload = synthetic(&format!("requests = {requests}\n{traffic}"));
    simulate(&preset("performance-optimized", &[&CHIP[..], more].concat()), &workload).report
}

fn period_ns(traffic: &str, more: &[&str]) -> f64 {
    let time = |requests| ran(traffic, requests, more).measures.execution_time_us.unwrap() * 1e3;
    (time(3000) - time(1500)) / 1500.0
}

const READS: &str = "read_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64";

/// A page per plane per command, array and data, until the wires are full.
#[test]
fn planes_read_on_their_own() {
    for (planes, rate) in [(2, 9.6), (4, 9.6), (4, 1.2), (8, 1.2)] {
        let [geometry, link] = [format!("geometry.planes_per_die={planes}"), format!("fabric.link_rate={rate}GB/s")];
        let keys = [geometry.as_str(), &link, "flash.multi_plane=off"];
        let data = 4096.0 / rate;
        let one = period_ns(READS, &keys);
        let expected = COMMAND_NS + READ_NS;
        assert!(one > 0.99 * expected, "one command at a time: {one} ns, expected at least {expected}");
        let on_their_own = [&keys[..], &["flash.independent_plane_reads=true"]].concat();
        let alone = period_ns(READS, &on_their_own);
        let (wires, arrays) = (COMMAND_NS + data, (COMMAND_NS + READ_NS + data) / f64::from(planes));
        let bound = f64::max(wires, arrays);
        assert!(alone < 1.3 * bound, "{planes} planes, {rate} GB/s: {alone} ns of {bound}");
        let whole = ran(READS, 3000, &on_their_own).measures.execution_time_us.unwrap() * 1e3 / 3000.0;
        assert!(whole > 0.999 * bound, "{planes} planes, {rate} GB/s: {whole} ns in all, no less than {bound}");
        let is_worth_it = alone < 0.75 * one;
        assert_eq!(is_worth_it, bound < 0.6 * one, "{planes} planes, {rate} GB/s: {alone} ns, {one} with one command");
    }
}

#[test]
fn a_single_plane_reads_as_before() {
    let plane = ["geometry.planes_per_die=1"];
    let reports = ["false", "true"]
        .map(|on| ran(READS, 2000, &[plane[0], &format!("flash.independent_plane_reads={on}")]).measures);
    assert_eq!(reports[0].latency_us.all.mean, reports[1].latency_us.all.mean);
    assert_eq!(reports[0].blame_us.all, reports[1].blame_us.all);
}

#[test]
fn programs_get_their_turn_among_reads_of_planes() {
    let traffic = "read_share = 0.9\nsize = \"4KiB\"\nqueue_depth = 64";
    let report = ran(traffic, 4000, &["geometry.planes_per_die=4", "flash.independent_plane_reads=true"]);
    assert_eq!(report.measures.requests.completed, 4000);
    assert!(report.flash.programs > 300);
    let blame = &report.measures.blame_us.all;
    let sum: f64 = blame.values().sum();
    assert!((sum - report.measures.latency_us.all.mean.unwrap()).abs() < 1e-6 * sum);
    assert!(blame[Cause::ChipBusyUser.key()] > 0.0);
}

#[test]
fn programs_overlap_with_data() {
    let traffic = "read_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 32";
    let keys = [
        "geometry.planes_per_die=1",
        "flash.program=30us",
        "ftl.overprovisioning=0.5",
        "geometry.blocks_per_plane=4096",
    ];
    for (rate, busy_us) in [("400MB/s", 0.0), ("400MB/s", 3.0), ("100MB/s", 1.0)] {
        let data = 4096.0 / rate.trim_end_matches("MB/s").parse::<f64>().unwrap() * 1e3;
        let [rate_key, busy_key] =
            [format!("fabric.link_rate={rate}"), format!("flash.cache_program_busy={busy_us}us")];
        let keys = [&keys[..], &[&rate_key]].concat();
        let (array, wires) = (30_000.0, COMMAND_NS + data);
        let one = period_ns(traffic, &keys);
        // tWB and tADL are within 400 ns.
        assert!((one - array - wires).abs() < 400.0, "{rate}: {one} ns, expected {}", array + wires);
        let both = period_ns(traffic, &[&keys[..], &["flash.cache_program=true", &busy_key]].concat());
        let expected = f64::max(array + busy_us * 1e3, wires);
        assert!((both - expected).abs() < 400.0, "{rate}, {busy_us} us: {both} ns, expected {expected}");
    }
}

/// Data and decoding one after the other per channel, whatever the fabric, instead of the longer of both.
#[test]
fn pages_are_decoded_before_the_next_ones_cross() {
    let data = 4096.0 / 1.2;
    let keys = ["geometry.chips_per_channel=8", "controller.ecc_latency=5us", "host.command_limit=48"];
    for (kind, size, pages) in [("bus", "4KiB", 1.0), ("ideal", "4KiB", 1.0), ("bus", "8KiB", 2.0)] {
        let traffic = format!("read_share = 1.0\nsize = \"{size}\"\nqueue_depth = 64");
        let kind = format!("fabric.kind={kind}");
        let shared = [&keys[..], &[&kind]].concat();
        let in_turn = period_ns(&traffic, &[&shared[..], &["controller.ecc_overlap=false"]].concat());
        let expected = pages * (data + 5000.0);
        assert!((in_turn / expected - 1.0).abs() < 0.01, "{kind} {size}: {in_turn} ns, expected {expected}");
        assert!(period_ns(&traffic, &shared) < 0.6 * expected, "{kind} {size}");
    }
}

#[test]
fn channels_without_ecc_engine_take_no_turns() {
    let traffic = "read_share = 0.6\nsize = \"20KiB\"\nqueue_depth = 15";
    let mean_us = |overlaps| {
        let report = ran(traffic, 2000, &["fabric.kind=ideal", overlaps]);
        report.measures.latency_us.all.mean
    };
    assert_eq!(mean_us("controller.ecc_overlap=false"), mean_us("controller.ecc_overlap=true"));
}

#[test]
fn a_page_waits_until_the_last_one_is_decoded() {
    let keys = ["controller.ecc_latency=50us", "fabric.transfer_order=commands-first"];
    let requests = [(0, 0, false), (0, 8, false)];
    let ecc = |more: &[&str]| {
        let records = script(&[&keys[..], more].concat(), &requests);
        let mut spent: Vec<_> = (0..2).map(|n| spent(&records, n, Cause::Ecc)).collect();
        spent.sort_unstable();
        spent
    };
    assert_eq!(ecc(&[]), [50_000_000; 2]);
    let [first, second] = ecc(&["controller.ecc_overlap=false"])[..] else { panic!("two reads") };
    assert_eq!(first, 50_000_000);
    // Its own command has crossed after the first one's: the data of both are in their registers by then.
    assert!(second > 99_000_000 + DATA - COMMAND && second <= 100_000_000 + DATA, "{second}");
}

#[test]
fn all_pipelines_together() {
    let keys = [
        "geometry.planes_per_die=4",
        "flash.independent_plane_reads=true",
        "flash.cache_read=true",
        "flash.cache_program=true",
        "fabric.sequences=full",
        "fabric.interface=toggle",
    ];
    // Aligned pairs read both planes together without registers, too.
    let traffic = "read_share = 0.5\nsize = \"8KiB\"\nalignment = \"4KiB\"\nqueue_depth = 64";
    let (with, without) = (ran(traffic, 4000, &keys), ran(traffic, 4000, &[keys[0], keys[4], keys[5]]));
    let mean = |report: &Report| report.measures.latency_us.all.mean.unwrap();
    let sum: f64 = with.measures.blame_us.all.values().sum();
    assert!((sum - mean(&with)).abs() < 1e-6 * sum);
    assert!(mean(&with) < mean(&without), "{} of {} us", mean(&with), mean(&without));
}
