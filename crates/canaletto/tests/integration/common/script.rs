//! Requests at stated moments, and what each spent its time on.

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::host::request::Kind;
use canaletto::measure::blame::Cause;
use canaletto::measure::records::Records;
use canaletto::workload::replay::{Record, RecordSource};
use canaletto::{Outcome, RunOptions, TraceInput, run};

use super::preset;

pub struct Script(pub Vec<Record>);

impl RecordSource for Script {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        batch.clear();
        batch.append(&mut self.0);
        Ok(())
    }
}

/// Runs requests (arrival ns, page, write) on a drive where a page number is `channel + channels * chip + …`.
pub fn script(overrides: &[&str], requests: &[(u64, u64, bool)]) -> Records {
    outcome(&preset("performance-optimized", overrides), requests).records.unwrap()
}

pub fn outcome(design: &Design, requests: &[(u64, u64, bool)]) -> Outcome {
    let text = "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"script\"\n";
    let workload: Workload = canaletto::config::load_workload("w", Some(text), &[]).unwrap();
    let record = |&(arrival_ns, page, write)| Record {
        arrival_ns,
        device: 0,
        offset_bytes: page * 4096,
        bytes: 4096,
        kind: if write { Kind::Write } else { Kind::Read },
        ..Record::PLAIN
    };
    let input = TraceInput { source: Box::new(Script(requests.iter().map(record).collect())), again: None };
    let options = RunOptions { records: true, root_causes: true, ..RunOptions::default() };
    run(design, &workload, vec![Some(input)], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

pub fn spent(records: &Records, n: usize, cause: Cause) -> u64 {
    records.blame[cause as usize][n]
}

pub fn rooted(records: &Records, n: usize, cause: Cause) -> u64 {
    records.root_causes[cause as usize][n]
}

/// 4 KiB at 1.2 GB/s.
pub const DATA: u64 = 3_413_334;
/// A read command on the wires.
pub const COMMAND: u64 = 170_000;
