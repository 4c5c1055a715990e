use crate::common::{SMALL, design, script};
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::host::request::Kind;
use canaletto::measure::records::Records;
use canaletto::measure::replay::TimeScaling;
use canaletto::workload::replay::Record;
use canaletto::{Outcome, RunOptions, TraceInput, run};

fn input(gap_ns: u64) -> TraceInput {
    let record = move |i: u64| Record {
        arrival_ns: 5000 + i * gap_ns,
        device: 0,
        offset_bytes: i * 37 % 64 * 4096,
        bytes: 4096 * (1 + i % 3),
        kind: if i % 4 == 0 { Kind::Write } else { Kind::Read },
        ..Record::PLAIN
    };
    script::input((0..300).map(record).collect())
}

fn workload(flows: &str) -> Workload {
    load_workload("w", Some(&format!("name = \"w\"\n{flows}")), &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn replayed(keys: &str, gap_ns: u64) -> Outcome {
    let workload = workload(&format!("[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"t\"\n{keys}"));
    // Most requests wait for room.
    let design = design(SMALL, &["host.queue_entries=5", "host.fetch_limit=3"]);
    let options = RunOptions { records: true, ..RunOptions::default() };
    run(&design, &workload, vec![Some(input(gap_ns))], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

fn rows(records: &Records) -> Vec<(u32, u64, u64, u64, u64, Vec<u64>)> {
    let blame = |i: usize| records.blame.iter().map(|column| column[i]).collect();
    let row =
        |i| (records.request[i], records.lba[i], records.arrival[i], records.enqueue[i], records.complete[i], blame(i));
    (0..records.request.len()).map(row).collect()
}

#[test]
fn as_fast_as_possible_is_as_if_all_requests_arrived_at_the_start() {
    let literally = replayed("", 0);
    let unpaced = replayed("as_fast_as_possible = true", 1_000_000);
    assert_eq!(rows(&unpaced.records.unwrap()), rows(&literally.records.unwrap()));
    let later = replayed("as_fast_as_possible = true\nstart = \"3us\"", 1_000_000).records.unwrap();
    assert!(later.arrival.iter().all(|&at| at == 3_000_000));
    assert_eq!(later.request.len(), 300);
}

#[test]
fn flows_as_fast_as_possible_share_the_commands_of_serial_ata() {
    let flow = |name| format!("[[flow]]\nname = \"{name}\"\n[flow.trace]\nfile = \"t\"\nas_fast_as_possible = true\n");
    let workload = workload(&["a", "b", "c"].map(flow).concat());
    let keys = ["host.protocol=sata", "host.sata.slots=8", "host.submit_time=1us"];
    for keys in [&keys[..2], &keys] {
        let traces = (0..3).map(|_| Some(input(1000))).collect();
        let outcome = run(&design(SMALL, keys), &workload, traces, &RunOptions::default(), &mut |_| true).unwrap();
        let flows = &outcome.report.flows;
        assert!(flows.iter().all(|flow| flow.measures.requests.completed == 300));
        let ends: Vec<f64> = flows.iter().map(|flow| flow.measures.execution_time_us.unwrap()).collect();
        assert!(ends.iter().all(|end| *end > 0.9 * ends[0] && *end < 1.1 * ends[0]), "{ends:?}");
    }
}

#[test]
fn a_run_says_what_was_replayed_and_how() {
    let told = |keys: &str| serde_json::to_value(&replayed(keys, 3000).report.replays).unwrap();
    let scaled = told("inter_arrival = \"2us\"\nskip = 10\nevery = 5\nrepeat = 2");
    assert_eq!(scaled[0]["pace"], "scaled");
    assert_eq!(scaled[0]["requests"], 116);
    let trace = &scaled[0]["traces"][0];
    assert_eq!((&trace["passes"], &trace["skipped"], &trace["not_sampled"]), (&2.into(), &20.into(), &464.into()));
    assert_eq!(trace["recorded_inter_arrival_us"], 15.0);
    assert_eq!(trace["speed"], 7.5);
    assert!((trace["inter_arrival_us"].as_f64().unwrap() - 2.0).abs() < 1e-9);
    let closed = told("queue_depth = 4\nout_of_range = \"wrap\"\nregion_size = \"64KiB\"");
    assert_eq!((&closed[0]["pace"], &closed[0]["queue_depth"]), (&"closed-loop".into(), &4.into()));
    assert!(closed[0]["inter_arrival_us"].is_null() && closed[0]["traces"][0]["speed"].is_null());
    assert!(closed[0]["traces"][0]["wrapped"].as_u64() > Some(200));
    assert_eq!(told("")[0]["pace"], "recorded");
}

const FLOWS: &str = "[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 50\nread_share = 1.0\nsize = \"4KiB\"\n\
     inter_arrival = \"30us\"\nstart = \"100us\"\n\
     [[flow]]\nname = \"b\"\n[flow.trace]\nfile = \"t\"\n\
     [[flow]]\nname = \"c\"\n[flow.synthetic]\nrequests = 50\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1\n";

fn arrivals(head: &str) -> (Vec<Vec<u64>>, Option<TimeScaling>) {
    let workload = workload(&format!("{head}{FLOWS}"));
    let traces = vec![None, Some(input(60_000)), None];
    let options = RunOptions { records: true, ..RunOptions::default() };
    let outcome = run(&design(SMALL, &[]), &workload, traces, &options, &mut |_| true).unwrap();
    let records = outcome.records.unwrap();
    let of_flow = |flow: u16| {
        let all = records.flow.iter().zip(&records.arrival);
        let mut found: Vec<u64> = all.filter(|(f, _)| **f == flow).map(|(_, at)| *at).collect();
        found.sort_unstable();
        found
    };
    ((0..3).map(of_flow).collect(), outcome.report.time_scaling)
}

#[test]
fn all_open_loop_flows_are_scaled_by_one_factor() {
    let (own, none) = arrivals("");
    assert!(none.is_none());
    let (scaled, told) = arrivals("inter_arrival = \"5us\"\n");
    let told = told.unwrap();
    assert!((told.speed - 4.0).abs() < 1e-9 && (told.given_inter_arrival_us - 20.0).abs() < 1e-9);
    assert_eq!(told.inter_arrival_us, 5.0);
    for (own, scaled) in own[..2].iter().zip(&scaled) {
        let expected: Vec<u64> = own.iter().map(|&at| (at as f64 / 4.0).round() as u64).collect();
        assert!(expected.iter().zip(scaled).all(|(a, b)| a.abs_diff(*b) <= 1), "{expected:?} {scaled:?}");
    }
    assert_eq!((own[2][0], scaled[2][0]), (0, 0));
}

#[test]
fn a_trace_that_can_be_read_once_is_not_read_twice() {
    let workload = workload("[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"t\"\ninter_arrival = \"1us\"\n");
    let once = TraceInput { again: None, ..input(1000) };
    let design = design(SMALL, &[]);
    let refused = run(&design, &workload, vec![Some(once)], &RunOptions::default(), &mut |_| true).err().unwrap();
    assert_eq!(refused.to_string(), "t: cannot be read more than once");
}
