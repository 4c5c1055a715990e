//! Where do requests continue that run over the end of their flow's addresses, as in MQSim?

use crate::common::{SMALL, design, script};
use crate::swarm::shadow::Shadow;
use canaletto::config::load_workload;
use canaletto::host::request::Kind;
use canaletto::limits::Limits;
use canaletto::workload::replay::Record;
use canaletto::{Outcome, RunError, RunOptions, Simulation, TraceInput};

fn input(kind: Kind, lba: u64, sectors: u64) -> TraceInput {
    let record =
        Record { arrival_ns: 5, device: 0, offset_bytes: lba * 512, bytes: sectors * 512, kind, ..Record::PLAIN };
    script::input(vec![record])
}

const HALVES: &str = "name = \"w\"\npartitioned = true\n\
    [[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"a\"\nout_of_range = \"mqsim\"\n\
    [[flow]]\nname = \"b\"\n[flow.trace]\nfile = \"b\"\nout_of_range = \"mqsim\"\n";

type Extents = Vec<(u64, u64)>;

/// `lba` is given by the number of the flow's sectors.
fn entered(
    keys: &[&str],
    flow: usize,
    kind: Kind,
    lba: impl Fn(u64) -> u64,
    sectors: u64,
) -> Result<(Limits, Outcome, Extents), RunError> {
    let (design, workload) = (design(SMALL, keys), load_workload("w.toml", Some(HALVES), &[]).unwrap());
    let limits = Limits::new(&design, &workload).map_err(RunError::Config)?;
    let traces = limits.flows.iter().map(|range| Some(input(kind, lba(range.sectors), sectors))).collect();
    let options = RunOptions { records: true, alone: Some(flow as u16), ..RunOptions::default() };
    let mut probe = Shadow::default();
    let outcome = Simulation::new(&design, &workload, traces, &options).observed_by(&mut probe).run(&mut |_| true)?;
    Ok((limits, outcome, probe.seen.entered))
}

#[test]
fn a_request_that_runs_over_the_end_goes_on_modulo_the_last_sector() {
    for keys in [&[][..], &["cache.capacity=256KiB"]] {
        for kind in [Kind::Read, Kind::Write] {
            // Of 20 sectors 4 are left: behind the last, 4 KiB pages begin at sector 1.
            let (limits, outcome, pages) = entered(keys, 0, kind, |sectors| sectors - 4, 20).unwrap();
            let last = limits.flows[0].sectors / 8 - 1;
            assert_eq!(pages, [(last, 0xf0), (0, 0xfe), (1, 0xff), (2, 0x01)], "{keys:?} {kind:?}");
            let records = outcome.records.unwrap();
            assert_eq!((records.lba[0], records.sectors[0]), (limits.flows[0].sectors - 4, 20), "as the host sees it");
            assert_eq!(outcome.report.replays[0].traces[0].wrapped, 1);
        }
    }
}

#[test]
fn flows_behind_others_count_from_the_beginning_of_the_drive() {
    let (limits, _, pages) = entered(&[], 1, Kind::Read, |sectors| sectors - 1, 2).unwrap();
    let range = &limits.flows[1];
    let again = (range.first_sector + range.sectors) % (range.sectors - 1);
    let last = range.first_page + range.sectors / 8 - 1;
    assert_eq!(pages, [(last, 0x80), (range.first_page + again / 8, 1 << (again % 8))]);
}

#[test]
fn addresses_beyond_the_last_sector_are_taken_modulo_its_number() {
    for (beyond, expected) in [(0, 1), (1, 2), (7, 8)] {
        let (_, outcome, _) = entered(&[], 0, Kind::Read, |sectors| sectors + beyond, 1).unwrap();
        assert_eq!(outcome.records.unwrap().lba[0], expected, "the number of sectors and {beyond}");
    }
    let (limits, outcome, _) = entered(&[], 0, Kind::Read, |sectors| sectors - 1, 1).unwrap();
    assert_eq!(outcome.records.unwrap().lba[0], limits.flows[0].sectors - 1, "the last sector is there");
}

#[test]
fn what_runs_over_the_end_is_not_trimmed() {
    let (limits, outcome, pages) = entered(&[], 0, Kind::Trim, |sectors| sectors - 16, 64).unwrap();
    let last = limits.flows[0].sectors / 8 - 1;
    assert_eq!(pages, [(last - 1, u64::MAX), (last, u64::MAX)]);
    assert_eq!(outcome.report.measures.requests.completed, 1);
}

#[test]
fn mapping_units_and_overruns_exclude_each_other() {
    let refused = entered(&["ftl.mapping_unit=8KiB"], 0, Kind::Read, |_| 0, 1);
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("\"a\": its requests may run over the end"), "{message}");
}
