use crate::common::{SMALL, design, script};
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;
use canaletto::{Outcome, RunOptions, TraceInput, run};

const CLOSED: u16 = 0;

fn input() -> TraceInput {
    let record = |i: u64| Record {
        arrival_ns: i * 700,
        device: 0,
        offset_bytes: i * 31 % 100 * 4096,
        bytes: 4096 * (1 + i % 3),
        kind: if i % 3 == 0 { Kind::Write } else { Kind::Read },
        ..Record::PLAIN
    };
    script::input((0..200).map(record).collect())
}

fn three_flows(keys: &str) -> Workload {
    let text = format!(
        "name = \"three\"\ninter_arrival = \"2us\"\n{keys}\n\
         [[flow]]\nname = \"closed\"\nsynthetic = {{ requests = 300, read_share = 0.6, size = \"8KiB\", queue_depth = 8 }}\n\
         [[flow]]\nname = \"open\"\nsynthetic = {{ requests = 200, read_share = 0.2, size = \"4KiB\", inter_arrival = \"3us\" }}\n\
         [[flow]]\nname = \"trace\"\ntrace = {{ file = \"t\" }}\n"
    );
    load_workload("three.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn simulated(workload: &Workload, before: &str, alone: Option<u16>) -> Outcome {
    let design = design(SMALL, &[before, "precondition.occupancy=0.7"]);
    let options = RunOptions { records: true, alone, ..RunOptions::default() };
    run(&design, workload, vec![None, None, Some(input())], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

/// A closed loop's arrivals depend on the other flows.
fn asked(outcome: &Outcome, flow: u16) -> Vec<(u64, u32, Option<u64>)> {
    let records = outcome.records.as_ref().unwrap();
    let mut rows: Vec<usize> = (0..records.request.len()).filter(|&i| records.flow[i] == flow).collect();
    rows.sort_unstable_by_key(|&i| records.request[i]);
    rows.into_iter()
        .map(|i| (records.lba[i], records.sectors[i], (flow != CLOSED).then(|| records.arrival[i])))
        .collect()
}

fn generated(outcome: &Outcome) -> [u64; 3] {
    [0, 1, 2].map(|flow: usize| outcome.report.flows[flow].measures.requests.generated)
}

#[test]
fn alone_a_flow_makes_its_requests_on_the_same_drive() {
    for keys in ["", "partitioned = true"] {
        for before in ["precondition.kind=steady", "precondition.kind=replay"] {
            let workload = three_flows(keys);
            let shared = simulated(&workload, before, None);
            assert_eq!(generated(&shared), [300, 200, 200]);
            for flow in 0..3u16 {
                let alone = simulated(&workload, before, Some(flow));
                assert_eq!(asked(&alone, flow), asked(&shared, flow), "flow {flow}, {before}, {keys}");
                let mut expected = [0; 3];
                expected[usize::from(flow)] = generated(&shared)[usize::from(flow)];
                assert_eq!(generated(&alone), expected, "the others are silent");
                let state = |outcome: &Outcome| format!("{:?}", outcome.report.precondition);
                assert_eq!(state(&alone), state(&shared), "{before}, {keys}");
            }
        }
    }
}

#[test]
fn the_names_of_flows_change_no_result() {
    for before in ["precondition.kind=replay", "precondition.kind=steady"] {
        let mut workload = three_flows("");
        workload.flow[2].trace.as_mut().unwrap().sample = Some(0.6);
        let mut renamed = workload.clone();
        renamed.flow.iter_mut().for_each(|flow| flow.name = format!("another {}", flow.name));
        let [one, other] = [&workload, &renamed].map(|workload| simulated(workload, before, None).records.unwrap());
        assert!(one.flow.contains(&2) && one.flow.iter().filter(|&&flow| flow == 2).count() < 200);
        assert_eq!((one.lba, one.arrival, one.complete), (other.lba, other.arrival, other.complete), "{before}");
    }
}
