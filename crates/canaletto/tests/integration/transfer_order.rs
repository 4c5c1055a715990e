//! Order of commands and data on a free path, and how long commands may overtake data (`fabric.order_bound`).

use crate::common::script::{DATA, script, spent};
use crate::common::{self, preset};
use canaletto::config::design::Design;
use canaletto::config::load_workload;
use canaletto::measure::blame::Cause;
use canaletto::measure::report::FlowReport;
use canaletto::{RunOptions, run};

/// Programs end before the other seven chips have theirs: they alone could fill their bus.
const FAST_PROGRAMS: &[&str] =
    &["geometry.channels=1; geometry.chips_per_channel=8; flash.program=10us", "fabric.transfer_order=commands-first"];

const BOTH: &str = r#"
name = "both"
partitioned = true
[[flow]]
name = "writes"
[flow.synthetic]
requests = 1000000
stop = "2ms"
read_share = 0.0
size = "4KiB"
queue_depth = 64
[[flow]]
name = "reads"
[flow.synthetic]
requests = 1000000
stop = "2ms"
read_share = 1.0
size = "4KiB"
queue_depth = 4
"#;

fn flows(fabric: &str, more: &[&str]) -> Vec<FlowReport> {
    let kind = format!("fabric.kind={fabric}");
    let design = preset("performance-optimized", &[FAST_PROGRAMS, &[kind.as_str()], more].concat());
    let workload = load_workload("both.toml", Some(BOTH), &[]).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { check_wires: true, ..RunOptions::default() };
    let outcome = run(&design, &workload, vec![None, None], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"));
    outcome.report.flows
}

fn reads(fabric: &str, more: &[&str]) -> (f64, u64) {
    let flows = flows(fabric, more);
    let measures = &flows[1].measures;
    (measures.latency_us.all.max.unwrap(), measures.requests.completed)
}

#[test]
fn data_starve_under_writes_unless_there_is_a_bound() {
    let (unbounded, few) = reads("bus", &[]);
    let (bounded, many) = reads("bus", &["fabric.order_bound=20us"]);
    assert!(unbounded > 5.0 * bounded && bounded < 150.0, "{unbounded} us without a bound, {bounded} us with it");
    assert!(many > 5 * few, "{few} reads without a bound, {many} with it");
}

#[test]
fn data_go_first_once_they_have_waited_for_the_bound() {
    let waited = |bound: Option<u64>| {
        let bound = bound.map(|ps| format!("fabric.order_bound={ps}ps"));
        let keys: Vec<&str> = ["fabric.transfer_order=commands-first"].into_iter().chain(bound.as_deref()).collect();
        let requests: Vec<(u64, u64, bool)> = (0..8).map(|chip| (0, 8 * chip, chip > 0)).collect();
        let records = script(&keys, &requests);
        let read = (0..8).find(|&n| spent(&records, n, Cause::ArrayRead) > 0).expect("one of them reads");
        spent(&records, read, Cause::PathConflict)
    };
    let program = 20_000 + 150_000 + 21_000 + DATA;
    let (at_once, last) = (waited(Some(0)), waited(None));
    assert!(at_once < program, "{at_once}: the rest of the program on the bus");
    assert!(last > at_once + 3 * program && (last - at_once) % program == 0, "{last}: behind all programs");
    let one = at_once + program;
    assert_eq!(waited(Some(at_once)), at_once);
    assert_eq!(waited(Some(at_once + 1)), one);
    assert_eq!(waited(Some(one)), one);
    assert_eq!(waited(Some(one + 1)), one + program);
}

fn report(design: &Design, workload: &str) -> String {
    serde_json::to_string(&common::simulate(design, &common::synthetic(workload)).report).unwrap()
}

#[test]
fn the_bound_joins_the_two_orders() {
    let workload = "requests = 2000\nread_share = 0.7\nsize = \"8KiB\"\nqueue_depth = 64";
    for fabric in ["bus", "sca", "packetized", "omnibus", "omnibus-split", "mesh", "venice", "scheduled-mesh", "ideal"]
    {
        let of = |more: &[&str]| {
            let kind = format!("fabric.kind={fabric}");
            let keys = ["geometry.channels=4", "geometry.chips_per_channel=4", "flash.program=10us", kind.as_str()];
            report(&preset("performance-optimized", &[&keys[..], more].concat()), workload)
        };
        let first = "fabric.transfer_order=commands-first";
        assert_eq!(of(&[first, "fabric.order_bound=0ns"]), of(&[]), "{fabric}");
        assert_eq!(of(&[first, "fabric.order_bound=1s"]), of(&[first]), "{fabric}");
    }
}
