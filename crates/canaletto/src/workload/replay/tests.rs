use std::sync::Arc;

use super::*;
use crate::config::load_workload;
use crate::config::workload::{Flow, Trace};
use crate::engine::error::RunError;
use crate::engine::run::TraceInput;
use crate::flash::address::Layout;
use crate::ftl::placement::Positions;
use crate::host::request::Kind;
use crate::limits::FlowRange;
use crate::workload::plan::Plan;

const SECTORS: u64 = 1000;

struct Listed(Vec<Record>);

impl RecordSource for Listed {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        batch.clear();
        batch.extend(self.0.drain(..self.0.len().min(3)));
        Ok(())
    }
}

fn records(times: &[u64]) -> Vec<Record> {
    let record = |(i, &arrival_ns): (usize, &u64)| Record {
        arrival_ns,
        device: 0,
        offset_bytes: i as u64 * 512,
        bytes: 512,
        kind: Kind::Read,
        ..Record::PLAIN
    };
    times.iter().enumerate().map(record).collect()
}

fn input(times: &[u64]) -> TraceInput {
    let records = records(times);
    let open = move || Ok(Box::new(Listed(records.clone())) as Box<dyn RecordSource>);
    TraceInput { source: open().unwrap(), again: Some(Arc::new(open)) }
}

fn flow(keys: &str) -> Flow {
    let text = format!("name = \"w\"\n[[flow]]\nname = \"a\"\n{keys}\n");
    load_workload("w.toml", Some(&text), &[]).unwrap_or_else(|error| panic!("{error}\n{text}")).flow.remove(0)
}

fn try_replay(flow: &Flow, traces: &[&[u64]]) -> Result<Replay, RunError> {
    let layout = Layout::new(&crate::config::load_design("performance-optimized", None, &[]).unwrap().geometry, true);
    let positions = Positions::all(&layout);
    let range = FlowRange {
        space: Some(0),
        first_sector: 0,
        sectors: SECTORS,
        first_page: 0,
        reads_bytes: false,
        stream: 0,
        handles: 0,
        positions,
        hot: None,
    };
    let mut inputs = traces.iter().map(|times| Some(input(times)));
    let (plan, sources) = Plan::new(flow, 0, &mut inputs, &range, 1, &mut |_| true)?;
    Ok(plan.start(sources))
}

fn replay(flow: &Flow, traces: &[&[u64]]) -> Replay {
    try_replay(flow, traces).unwrap_or_else(|error| panic!("{error}"))
}

fn drained(replay: &mut Replay) -> Vec<(u64, u64)> {
    std::iter::from_fn(|| {
        let arrival = replay.arrival().unwrap()?;
        Some((arrival.0, replay.take().unwrap().unwrap().lba))
    })
    .collect()
}

fn arrivals(keys: &str, times: &[u64]) -> Vec<u64> {
    let flow = flow(&format!("[flow.trace]\nfile = \"t\"\n{keys}"));
    drained(&mut replay(&flow, &[times])).into_iter().map(|(at, _)| at).collect()
}

#[test]
fn times_are_counted_from_the_first_request_and_scaled_exactly() {
    let times = [500, 501, 507, 511];
    assert_eq!(arrivals("", &times), [0, 1000, 7000, 11000]);
    assert_eq!(arrivals("keep_start = true", &times), [500_000, 501_000, 507_000, 511_000]);
    assert_eq!(arrivals("start = \"3ns\"", &times), [3000, 4000, 10_000, 14_000]);
    assert_eq!(arrivals("speed = 2.0", &times), [0, 500, 3500, 5500]);
    assert_eq!(arrivals("speed = 0.5\nstart = \"3ns\"", &times), [3000, 5000, 17_000, 25_000]);
    // From a mean of 11/3 ns to 1 ns.
    assert_eq!(arrivals("inter_arrival = \"1ns\"", &times), [0, 273, 1909, 3000]);
}

#[test]
fn what_is_left_out_leaves_the_times_of_the_rest_alone() {
    let times = [10, 20, 30, 45, 50, 60, 75];
    assert_eq!(arrivals("skip = 2", &times), [0, 15_000, 20_000, 30_000, 45_000]);
    assert_eq!(arrivals("after = \"20ns\"\nuntil = \"50ns\"", &times), [0, 15_000, 20_000]);
    assert_eq!(arrivals("every = 3", &times), [0, 35_000, 65_000]);
    assert_eq!(arrivals("every = 3\ninter_arrival = \"65ns\"", &times), [0, 70_000, 130_000]);
}

#[test]
fn a_repetition_follows_after_a_mean_gap_at_the_same_addresses() {
    let flow = flow("[flow.trace]\nfile = \"t\"\nrepeat = 3\nrequests = 3");
    let mut replay = replay(&flow, &[&[100, 104, 110, 999]]);
    let one = [(0, 0), (4000, 1), (10_000, 2)];
    // Each pass takes 15 ns.
    let expected: Vec<_> = (0..3).flat_map(|pass| one.map(|(at, lba)| (at + pass * 15_000, lba))).collect();
    assert_eq!(drained(&mut replay), expected);
    let report = replay.report("a", Loop::Open, 1.0);
    assert_eq!((report.requests, report.traces[0].passes), (9, 3));
    assert_eq!(report.traces[0].recorded_inter_arrival_us, Some(0.005));
    assert_eq!(arrivals("repeat = 2\nspeed = 2.0", &[100, 104, 110]), [0, 2000, 5000, 7500, 9500, 12_500]);
    assert_eq!(arrivals("repeat = 2\nkeep_start = true", &[100, 104]), [100_000, 104_000, 108_000, 112_000]);
    assert_eq!(arrivals("repeat = 3", &[100]), [0, 0, 0]);
}

#[test]
fn each_repetition_draws_the_same_sample() {
    let times: Vec<u64> = (0..500).collect();
    let flow = flow("[flow.trace]\nfile = \"t\"\nrepeat = 2\nsample = 0.3");
    let found: Vec<u64> = drained(&mut replay(&flow, &[&times])).into_iter().map(|(_, lba)| lba).collect();
    let (first, second) = found.split_at(found.len() / 2);
    assert_eq!(first, second);
    assert!((100..200).contains(&first.len()), "{}", first.len());
}

const TWO: &str = "[[flow.mix.trace]]\nfile = \"x\"\n[[flow.mix.trace]]\nfile = \"y\"\noffset = \"50KiB\"\n";

#[test]
fn a_mix_is_in_order_of_arrival_and_the_first_trace_goes_first() {
    let mut mixed = replay(&flow(TWO), &[&[7, 9, 12], &[90, 91, 92, 99]]);
    let expected = [(0, 0), (0, 100), (1000, 101), (2000, 1), (2000, 102), (5000, 2), (9000, 103)];
    assert_eq!(drained(&mut mixed), expected);
}

#[test]
fn a_mix_is_scaled_as_a_whole() {
    let scaled = flow(&format!("[flow.mix]\ninter_arrival = \"3ns\"\n{TWO}start = \"1ns\""));
    let mut mixed = replay(&scaled, &[&[7, 9, 12], &[90, 91, 92, 99]]);
    // 6 gaps in 10 ns are to be 18 ns.
    let times: Vec<u64> = drained(&mut mixed).into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [0, 1800, 3600, 3600, 5400, 9000, 18_000]);
    let report = mixed.report("a", Loop::Open, 2.0);
    assert_eq!(report.inter_arrival_us, Some(0.006));
    assert_eq!(report.traces[1].speed, Some(1.0 / 3.6));
    let few = flow(&format!("[flow.mix]\nrequests = 3\n{TWO}speed = 0.1"));
    assert_eq!(drained(&mut replay(&few, &[&[7, 9, 12], &[90, 91, 92]])), [(0, 0), (0, 100), (2000, 1)]);
}

#[test]
fn addresses_stay_in_their_room_and_are_counted() {
    let wrapped =
        flow("[flow.trace]\nfile = \"t\"\noffset = \"4KiB\"\nregion_size = \"1KiB\"\nout_of_range = \"wrap\"");
    let mut replay = replay(&wrapped, &[&[1, 2, 3, 4, 5]]);
    let sectors: Vec<u64> = drained(&mut replay).into_iter().map(|(_, lba)| lba).collect();
    assert_eq!(sectors, [8, 9, 8, 9, 8]);
    assert_eq!(replay.report("a", Loop::Open, 1.0).traces[0].wrapped, 3);
}

#[test]
fn what_cannot_be_replayed_is_named() {
    let message = |keys: &str, times: &[u64]| {
        let flow = flow(&format!("[flow.trace]\nfile = \"t\"\n{keys}"));
        let drained = |mut replay: Replay| replay.arrival().map_err(RunError::Trace);
        try_replay(&flow, &[times]).and_then(drained).unwrap_err().to_string()
    };
    let nothing = message("skip = 9", &[1, 2, 3]);
    assert!(nothing.starts_with("t: none of its 3 requests is replayed"), "{nothing}");
    assert!(message("inter_arrival = \"1us\"", &[5, 5]).contains("arrive at once"));
    assert!(message("offset = \"500KiB\"", &[1]).contains("expected less than the 512000 B"));
    assert!(message("offset = \"1KiB\"\nregion_size = \"500KiB\"", &[1]).contains("expected at most 510976 B"));
}

#[test]
fn a_trace_of_a_year_replays_at_speed() {
    let year_ns = 365 * 86_400 * 1_000_000_000;
    assert_eq!(arrivals("speed = 1000.0", &[0, year_ns]), [0, year_ns]);
    let flow = flow("[flow.trace]\nfile = \"t\"");
    let mut replay = replay(&flow, &[&[0, year_ns]]);
    replay.take().unwrap();
    assert!(replay.arrival().unwrap_err().contains("365 days into the trace"));
    assert_eq!(Trace::of_file("t"), flow.trace.unwrap());
}
