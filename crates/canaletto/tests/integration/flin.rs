use crate::common::preset;
use canaletto::Outcome;
use canaletto::config::design::Design;
use canaletto::config::load_workload;
use canaletto::{RunOptions, run};

const LIGHT: &str = "read_share = 1.0\nqueue_depth = 2";
const DEEP: &str = "read_share = 1.0\nqueue_depth = 64";
const WRITER: &str = "read_share = 0.0\nqueue_depth = 16";

fn simulated(design: &Design, flows: [&str; 2], alone: Option<u16>) -> Outcome {
    let each = flows.iter().zip(["first", "second"]).map(|(keys, name)| {
        format!("[[flow]]\nname = \"{name}\"\n[flow.synthetic]\nrequests = 1000000\nstop = \"30ms\"\nsize = \"16KiB\"\n{keys}\n")
    });
    let text = format!("name = \"flows\"\npartitioned = true\n{}", each.collect::<String>());
    let workload = load_workload("flows.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { alone, ..RunOptions::default() };
    run(design, &workload, vec![None, None], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

fn latency(outcome: &Outcome, flow: usize) -> f64 {
    outcome.report.flows[flow].measures.latency_us.all.mean.unwrap()
}

fn shared(policy: &str, flows: [&str; 2], more: &[&str]) -> ([f64; 2], [f64; 2]) {
    let policy = format!("scheduler.policy={policy}");
    let keys = ["geometry.channels=2", "geometry.chips_per_channel=2", "geometry.blocks_per_plane=64", policy.as_str()];
    let design = preset("cost-optimized", &[&keys, more].concat());
    let together = simulated(&design, flows, None);
    let latencies = [0, 1].map(|flow| latency(&together, flow));
    let alone = [0, 1].map(|flow| latency(&simulated(&design, flows, Some(flow as u16)), flow));
    (latencies, [0, 1].map(|flow| latencies[flow] / alone[flow]))
}

fn fairness(slowdowns: [f64; 2]) -> f64 {
    slowdowns[0].min(slowdowns[1]) / slowdowns[0].max(slowdowns[1])
}

#[test]
fn a_light_flow_need_not_queue_behind_a_deep_one() {
    let (plain, plainly) = shared("out-of-order", [LIGHT, DEEP], &[]);
    let (fair, fairly) = shared("flin", [LIGHT, DEEP], &[]);
    assert!(fair[0] < 0.6 * plain[0], "{fair:?} us, plainly {plain:?} us");
    assert!(fair[1] < 1.2 * plain[1], "{fair:?} us, plainly {plain:?} us");
    assert!(fairness(fairly) > 2.0 * fairness(plainly), "{fairly:?}, plainly {plainly:?}");
}

#[test]
fn intensity_counts() {
    let few =
        ["scheduler.flin.epoch=1ms", "scheduler.flin.read_threshold=256KiB", "scheduler.flin.fairness_threshold=0"];
    let none = ["scheduler.flin.epoch=1ms", "scheduler.flin.read_threshold=0B", "scheduler.flin.fairness_threshold=0"];
    let (fast, _) = shared("flin", [LIGHT, DEEP], &few);
    let (slow, _) = shared("flin", [LIGHT, DEEP], &none);
    assert!(fast[0] < 0.95 * slow[0], "{fast:?} us, {slow:?} us if none is of low intensity");
}

#[test]
fn writes_need_not_wait_for_all_reads() {
    let (plain, plainly) = shared("out-of-order", [WRITER, DEEP], &[]);
    let (fair, fairly) = shared("flin", [WRITER, DEEP], &[]);
    assert!(fair[0] < 0.8 * plain[0], "{fair:?} us, plainly {plain:?} us");
    assert!(fairness(fairly) > 1.2 * fairness(plainly), "{fairly:?}, plainly {plainly:?}");
}

#[test]
fn reads_need_not_wait_for_collection() {
    let full = ["precondition.kind=steady", "gc.preemptible=false", "ftl.overprovisioning=0.3"];
    let (plain, plainly) = shared("out-of-order", [LIGHT, WRITER], &full);
    let (fair, fairly) = shared("flin", [LIGHT, WRITER], &full);
    assert!(fair[0] < 0.8 * plain[0], "{fair:?} us, plainly {plain:?} us");
    assert!(fairness(fairly) > fairness(plainly), "{fairly:?}, plainly {plainly:?}");
}

#[test]
fn one_flow_reads_as_ever() {
    let text = "name = \"one\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 3000\nread_share = 1.0\nsize = \"16KiB\"\nqueue_depth = 64\n";
    let workload = load_workload("one.toml", Some(text), &[]).unwrap_or_else(|e| panic!("{e}"));
    let latency = |policy: &str| {
        let design = preset("performance-optimized", &[policy]);
        let outcome = run(&design, &workload, vec![None], &RunOptions::default(), &mut |_| true);
        outcome.unwrap_or_else(|e| panic!("{e}")).report.measures.latency_us.all.mean.unwrap()
    };
    assert_eq!(latency("scheduler.policy=flin"), latency("scheduler.policy=out-of-order"));
}
