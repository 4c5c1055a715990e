//! Do rates, shares and waits refer to the stated time and requests?

use crate::common::{SMALL, design, preset, synthetic};
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::measure::report::Report;
use canaletto::{RunOptions, run};

fn report(keys: &[&str], workload: &Workload, warmup: u64) -> Report {
    let design = preset("performance-optimized", keys);
    let options = RunOptions { warmup, ..RunOptions::default() };
    let traces = workload.flow.iter().map(|_| None).collect();
    run(&design, workload, traces, &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}")).report
}

fn used(report: &Report, part: &str) -> f64 {
    report.utilisation.iter().find(|each| each.part == part).unwrap_or_else(|| panic!("{part}")).share
}

/// Requests under way when the warm-up ended waited before.
#[test]
fn a_warm_up_does_not_change_a_rate_that_is_steady() {
    for pace in ["queue_depth = 1000", "inter_arrival = \"0.3us\""] {
        let workload = synthetic(&format!("requests = 20_000\nread_share = 1.0\nsize = \"4KiB\"\n{pace}"));
        let [all, half, end] = [0, 10_000, 18_000].map(|warmup| report(&[], &workload, warmup).measures.iops.unwrap());
        assert!((half / all - 1.0).abs() < 0.01 && (end / all - 1.0).abs() < 0.02, "{pace}: {all} {half} {end}");
    }
}

#[test]
fn nothing_is_waited_for_after_the_last_request() {
    let keys = "requests = 20\nread_share = 1.0\nsize = \"4KiB\"";
    for pace in ["inter_arrival = \"10ms\"", "queue_depth = 1\nthink_time = \"10ms\""] {
        let found = report(&[], &synthetic(&format!("{keys}\n{pace}")), 0);
        let energy = &found.energy;
        let of_power = energy.average_power_mw.unwrap() * found.measures.execution_time_us.unwrap() / 1e6;
        assert!((of_power / energy.energy_mj.total - 1.0).abs() < 1e-9, "{pace}: {of_power} {:?}", energy.energy_mj);
    }
}

#[test]
fn shares_count_from_the_first_arrival() {
    let keys = "requests = 5000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64";
    let at_once = report(&[], &synthetic(keys), 0);
    let later = report(&[], &synthetic(&format!("{keys}\nstart = \"10ms\"")), 0);
    for part in ["link to host", "flash arrays"] {
        assert!((used(&at_once, part) - used(&later, part)).abs() < 1e-9, "{part}");
    }
    let (at_once, later) = (at_once.load.bottleneck.unwrap(), later.load.bottleneck.unwrap());
    assert!(at_once.part == later.part && (at_once.share - later.share).abs() < 1e-9, "{at_once:?} {later:?}");
}

#[test]
fn waits_for_flows_are_means_of_what_is_counted() {
    let flow = |name: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\n[flow.synthetic]\nrequests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64\n"
        )
    };
    let text = format!("name = \"two\"\n{}{}", flow("a"), flow("b"));
    let workload = load_workload("two.toml", Some(&text), &[]).unwrap();
    let waits = |warmup| {
        let found = report(&["geometry.channels=2", "geometry.chips_per_channel=2"], &workload, warmup);
        let flow = &found.flows[0];
        flow.chip_busy_by_flow_us.as_ref().unwrap().values().sum::<f64>()
    };
    let (all, end) = (waits(0), waits(6000));
    assert!(all > 1.0 && (end / all - 1.0).abs() < 0.2, "{all} {end}");
}

#[test]
fn programs_of_the_host_are_not_taken_for_reads_of_collection() {
    let workload = synthetic("requests = 4000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 16");
    let waits = |program: &str| {
        let keys = ["fabric.kind=omnibus", "precondition.kind=steady", "precondition.occupancy=0.6", program];
        let options = RunOptions::default();
        let found = run(&design(SMALL, &keys), &workload, vec![None], &options, &mut |_| true).unwrap().report;
        let blame = &found.measures.blame_us.all;
        (blame["chip_busy_gc_read"], blame["chip_busy_user"])
    };
    let (short, long) = (waits("flash.program=100us"), waits("flash.program=2ms"));
    assert!(short.0 > 0.0 && long.0 < 3.0 * short.0 && long.1 > 5.0 * short.1, "{short:?} {long:?}");
}
