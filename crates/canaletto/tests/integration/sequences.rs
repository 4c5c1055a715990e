use crate::common::{preset, simulate, synthetic};
use canaletto::measure::blame::Cause;

/// With NV-DDR2's constants, in ns: command and address, status, change of column.
const READ: f64 = 20.0 + 7.0 * 25.0;
const STATUS: f64 = 20.0 + 4.0 * 25.0 + 80.0 + 15.0 + 2.0 * 25.0 + 15.0 + 100.0;
const COLUMN: f64 = 20.0 + 7.0 * 25.0 + 300.0 + 15.0 + 15.0 + 100.0;

const FULL: [&str; 2] = ["fabric.sequences=full", "fabric.interface=nv-ddr3"];

fn min_ns(overrides: &[&str], workload: &str) -> f64 {
    let outcome = simulate(&preset("performance-optimized", overrides), &synthetic(workload));
    outcome.report.measures.latency_us.all.min.unwrap() * 1e3
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FULL.iter().chain(more).copied().collect()
}

const ONE_READ: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1";
const ONE_WRITE: &str = "requests = 200\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1";

/// A cycle, status and change of column longer than short ones. A pin spares the status.
#[test]
fn unloaded_reads() {
    let short = |fabric: &str| min_ns(&[&format!("fabric.kind={fabric}"), "fabric.interface=nv-ddr3"], ONE_READ);
    let full = |fabric: &str, ready: &str| {
        min_ns(&with(&[&format!("fabric.kind={fabric}"), &format!("fabric.status.ready={ready}")]), ONE_READ)
    };
    for fabric in ["bus", "ideal"] {
        let more = full(fabric, "poll") - short(fabric);
        assert!((more - (25.0 + STATUS + COLUMN)).abs() < 0.1, "{fabric}: {more}");
        let more = full(fabric, "pin") - short(fabric);
        assert!((more - (25.0 + COLUMN)).abs() < 0.1, "{fabric}: {more}");
    }
    // Two flits cross at a time, at 2.4 GB/s: a request of 5 (6 with padding) and an answer of 2; tWHR and tCCS in the chip.
    let more = full("packetized", "poll") - short("packetized");
    assert!((more - (20.0 + 6.0 / 2.4 + 80.0 + 2.0 / 2.4 + 300.0)).abs() < 0.1, "{more}");
    let more = full("packetized", "pin") - short("packetized");
    assert!((more - 300.0).abs() < 0.1, "{more}");
    let more = full("mesh", "poll") - short("mesh");
    assert!((more - 300.0).abs() < 0.1, "{more}");
    // The bus's cycles and waits instead of 7 bytes at 1 GB/s, and two more circuits.
    let more = full("venice", "poll") - short("venice");
    let scouts = more - (READ - 7.0 + STATUS + COLUMN);
    assert!(scouts > 0.0 && scouts < 20.0, "{scouts} of {more}");
}

/// A pin does not say whether a program failed.
#[test]
fn unloaded_writes() {
    let short = min_ns(&["fabric.interface=nv-ddr3"], ONE_WRITE);
    // tADL moves from the chip to the bus; preamble and the confirming byte's cycle come in addition.
    for ready in ["poll", "pin"] {
        let full = min_ns(&with(&[&format!("fabric.status.ready={ready}")]), ONE_WRITE);
        let more = full - short;
        assert!((more - (15.0 + 25.0 + STATUS)).abs() < 0.1, "{ready}: {more}");
    }
}

#[test]
fn polls_come_too_early() {
    let overrides =
        with(&["flash.cell=mlc; flash.read=[\"10us\", \"15us\"]; fabric.status.period=2500ns; fabric.kind=ideal"]);
    let outcome = simulate(&preset("performance-optimized", &overrides), &synthetic(ONE_READ));
    let records = outcome.records.unwrap();
    let spent = |cause: Cause, i: usize| records.blame[cause as usize][i] as f64 / 1e3;
    let mut longer = 0;
    for i in 0..records.len() {
        let (array, status) = (spent(Cause::ArrayRead, i), spent(Cause::Status, i));
        let is_long = (array - 15_120.0).abs() < 0.1;
        assert!(is_long || (array - 10_120.0).abs() < 0.1, "{array}");
        let expected = if is_long { 3.0 * STATUS + 2.0 * 2_500.0 - 5_000.0 } else { STATUS };
        assert!((status - expected).abs() < 0.1, "{status} expected {expected}");
        longer += u64::from(is_long);
    }
    let counts = &outcome.report.fabric_counts;
    assert!(longer > 50);
    assert_eq!((counts["status_reads"], counts["status_reads_too_early"]), (200 + 2 * longer, 2 * longer));
}

#[test]
fn saturation_of_a_bus() {
    let overrides = with(&["geometry.channels=1", "link.lane_rate=\"63GB/s\""]);
    let workload = synthetic("requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64");
    let outcome = simulate(&preset("performance-optimized", &overrides), &workload);
    let each = READ + STATUS + COLUMN + 4096.0 / 1.2;
    let expected = 4096.0 / each * 1e3;
    let found = outcome.report.measures.bandwidth_mb_s.unwrap();
    // Two planes' pages share a command and a status.
    assert!((found / expected - 1.0).abs() < 0.05, "{found} of {expected} MB/s");
}

#[test]
fn stated_steps() {
    let steps = r#"fabric.steps={ times = { tSLOW = "1us" }, read = ["00h", "address x2", "30h", "tSLOW wires"], program = ["80h", "address", "data", "10h"], copyback = ["85h", "address", "10h"], erase = ["60h", "address", "D0h"] }"#;
    let short = min_ns(&[], ONE_READ);
    let own = min_ns(&[steps], ONE_READ);
    // Four cycles and 1 µs instead of 20 + 6 * 25 ns on the wires and tWB + tRR in the chip.
    assert!((own - short - (4.0 * 25.0 + 1_000.0 - 170.0 - 120.0)).abs() < 0.1, "{own} {short}");
}

#[test]
fn suspension_takes_the_wires() {
    let overrides = with(&["flash.suspend.operations=both", "flash.program=\"600us\"", "geometry.channels=1"]);
    let workload = synthetic("requests = 2000\nread_share = 0.7\nsize = \"4KiB\"\nqueue_depth = 16");
    let outcome = simulate(&preset("performance-optimized", &overrides), &workload);
    let report = &outcome.report;
    assert!(report.flash.suspensions > 0);
    assert_eq!(report.measures.requests.completed, 2000);
    let held = simulate(
        &preset("performance-optimized", &with(&["fabric.hold_path=reads", "geometry.channels=1"])),
        &workload,
    );
    assert_eq!(held.report.measures.requests.completed, 2000);
}
