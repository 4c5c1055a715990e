//! Numbers at the ends of their types, for every key: refused in words, or run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use canaletto::config::design::Design;
use canaletto::config::workload::{Flow, Workload};
use canaletto::config::{load_design, load_workload};
use canaletto::inspection::inspect;
use canaletto::{RunOptions, TraceInput, run};

use crate::common::SMALL;
use crate::key_changes::{DESIGN, canned, drive_of, workload_table, workload_text};

const EXTREMES: [u64; 11] = [
    0,
    1,
    (1 << 16) - 1,
    1 << 16,
    (1 << 31) - 1,
    1 << 31,
    u32::MAX as u64 - 1,
    u32::MAX as u64,
    1 << 32,
    i64::MAX as u64,
    u64::MAX,
];

const MOST_MB: f64 = 60.0;
const MOST_CALLS: u32 = 20;

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn inputs(workload: &Workload) -> Vec<Option<TraceInput>> {
    let inputs = |flow: &Flow| match flow.traces().len() {
        0 => vec![None],
        traces => (0..traces).map(|_| Some(canned())).collect(),
    };
    workload.flow.iter().flat_map(inputs).collect()
}

fn uses(design: &Design, workload: &Workload) -> Vec<(String, f64)> {
    if inspect(design, workload, inputs(workload), false).map_or(f64::MAX, |found| found.memory_mb) > MOST_MB {
        return Vec::new();
    }
    let mut calls = 0;
    let mut watch = |_: &_| {
        calls += 1;
        calls < MOST_CALLS
    };
    let Ok(outcome) = run(design, workload, inputs(workload), &RunOptions::default(), &mut watch) else {
        return Vec::new();
    };
    let busiest = outcome.report.load.bottleneck.map(|part| (part.part, part.share));
    outcome.report.utilisation.into_iter().map(|each| (each.part, each.share)).chain(busiest).collect()
}

fn problem(overrides: &[&str], workload: &str, settings: &[&str]) -> Option<String> {
    let attempt = || {
        let design = load_design("small.toml", Some(SMALL), &owned(overrides)).ok()?;
        let workload = load_workload("w.toml", Some(workload), &owned(settings)).ok()?;
        uses(&design, &workload).into_iter().find(|(_, busy)| *busy > 1.0 + 1e-9)
    };
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(found) => found.map(|(part, busy)| format!("{part} is in use for {busy} of the time")),
        Err(cause) => {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Some(format!("panic: {}", text.unwrap_or_default()))
        }
    }
}

fn extremes(setting: &str) -> Vec<String> {
    let (key, value) = setting.split_once('=').unwrap();
    let Some(start) = value.find(|c: char| c.is_ascii_digit()) else { return Vec::new() };
    let length = value[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len() - start);
    let (before, after) = (&value[..start], &value[start + length..]);
    if after.starts_with('.') {
        return Vec::new();
    }
    EXTREMES.iter().map(|number| format!("{key}={before}{number}{after}")).collect()
}

#[test]
fn no_number_of_a_design_panics() {
    let mut problems = Vec::new();
    for (key, change, situation, workload) in DESIGN {
        let workload = workload_text(workload);
        for setting in extremes(&format!("{key}={change}")) {
            let overrides: Vec<&str> = situation.iter().copied().chain([setting.as_str()]).collect();
            problems.extend(problem(&overrides, &workload, &[FEW]).map(|what| format!("{setting}: {what}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

const FEW: &str = "flow.0.synthetic.requests=60";

#[test]
fn no_number_of_a_workload_panics() {
    let mut problems = Vec::new();
    for (key, changes, workload) in workload_table() {
        for setting in changes.iter().flat_map(|change| extremes(change)) {
            problems.extend(problem(drive_of(key), &workload, &[&setting]).map(|what| format!("{setting}: {what}")));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn nothing_is_in_use_for_longer_than_the_run() {
    let mut problems = Vec::new();
    for shares in ["trim_share = 1.0", "trim_share = 0.5", "flush_share = 1.0", "flush_share = 0.3", "fua_share = 0.5"]
    {
        for read_share in [0.0, 0.5, 1.0] {
            for (requests, depth) in [(1, 1), (50, 256), (7, 2)] {
                let flow = format!(
                    "requests = {requests}\nread_share = {read_share}\n{shares}\nsize = \"4KiB\"\nqueue_depth = {depth}"
                );
                for drive in [&[][..], &["cache.capacity=128KiB"], &["host.protocol=sata"], &["fabric.kind=venice"]] {
                    let found = problem(drive, &workload_text(&flow), &[]);
                    problems.extend(found.map(|what| format!("{drive:?} {flow}: {what}")));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
