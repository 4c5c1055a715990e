//! Requests at stated moments, and what each spent its time on.

use std::sync::Arc;

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::host::request::Kind;
use canaletto::measure::blame::Cause;
use canaletto::measure::records::Records;
use canaletto::workload::replay::{Record, RecordSource};
use canaletto::{Outcome, RunOptions, TraceInput, run};

use super::preset;

#[derive(Clone)]
struct Script(Vec<Record>);

impl RecordSource for Script {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        batch.clear();
        // Few at a time, as of a trace of several batches.
        batch.extend(self.0.drain(..self.0.len().min(7)));
        Ok(())
    }
}

/// A trace that can be read again.
pub fn input(records: Vec<Record>) -> TraceInput {
    let script = Script(records);
    let again = script.clone();
    TraceInput { source: Box::new(script), again: Some(Arc::new(move || Ok(Box::new(again.clone())))) }
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
    let options = RunOptions { records: true, root_causes: true, ..RunOptions::default() };
    run(design, &workload, vec![Some(input(requests.iter().map(record).collect()))], &options, &mut |_| true)
        .unwrap_or_else(|e| panic!("{e}"))
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
