//! The engine as WebAssembly. A page writes a question as JSON into memory from [`allocate`], calls [`timeline`], and
//! reads the answer, also JSON.
//!
//! Built by `make wasm`; no part of the Python package.

use canaletto::RunOptions;
use canaletto::config::{load_design, load_workload};
use canaletto::engine::time::Time;
use canaletto::measure::timeline::{Header, Timeline, Windows};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    design: String,
    /// Settings of its keys, such as `fabric.kind=venice`.
    settings: Vec<String>,
    workload: String,
    seed: u64,
    /// Beginning and end of the window, in picoseconds.
    window: (u64, u64),
    limit: usize,
}

/// As in `measure::timeline`; absent parts, pages and requests are the largest number of their type.
#[derive(Serialize)]
struct Answer {
    header: Header,
    spans: Spans,
    steps: Steps,
    requests: Requests,
}

#[derive(Serialize)]
struct Spans {
    kind: Vec<u8>,
    part: Vec<u32>,
    start: Vec<u64>,
    end: Vec<u64>,
    request: Vec<u32>,
    page: Vec<u32>,
}

#[derive(Serialize)]
struct Steps {
    request: Vec<u32>,
    page: Vec<u32>,
    cause: Vec<u8>,
    start: Vec<u64>,
    end: Vec<u64>,
    part: Vec<u32>,
}

#[derive(Serialize)]
struct Requests {
    number: Vec<u32>,
    kind: Vec<u8>,
    lba: Vec<u64>,
    sectors: Vec<u32>,
    arrival: Vec<u64>,
    /// None for those that were not completed.
    complete: Vec<Option<u64>>,
}

/// Memory that [`timeline`] takes back.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(bytes: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; bytes].into_boxed_slice()).cast()
}

/// Returns the answer's address, and in the upper half its length. The answer is a timeline, or `{"error": …}`;
/// [`release`] takes its memory back.
///
/// # Safety
/// `question` comes from [`allocate`] for `bytes`, is written, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timeline(question: *mut u8, bytes: usize) -> u64 {
    // SAFETY: as `allocate` made it.
    let text = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(question, bytes)) };
    let answer = answer(&text).unwrap_or_else(|error| serde_json::json!({ "error": error }).to_string());
    let length = answer.len() as u64;
    let address = Box::into_raw(answer.into_bytes().into_boxed_slice()).cast::<u8>() as u64;
    length << 32 | address
}

/// Takes back the memory of an answer.
///
/// # Safety
/// `answer` and `bytes` come from [`timeline`], and are not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(answer: *mut u8, bytes: usize) {
    // SAFETY: as `timeline` made it.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(answer, bytes)) });
}

fn answer(text: &[u8]) -> Result<String, String> {
    let question: Question = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let design = load_design(&question.design, None, &question.settings).map_err(|error| error.to_string())?;
    let workload = load_workload("workload", Some(&question.workload), &[]).map_err(|error| error.to_string())?;
    let traces = workload.flow.iter().map(|_| None).collect();
    let options = RunOptions { seed: question.seed, ..RunOptions::default() };
    let (from, until) = question.window;
    let windows = Windows { windows: vec![(Time(from), Time(until))], limit: question.limit };
    let found = canaletto::Simulation::new(&design, &workload, traces, &options).timeline(windows, &mut |_| true);
    let (header, timeline) = found.map_err(|error| error.to_string())?;
    serde_json::to_string(&columns(header, timeline)).map_err(|error| error.to_string())
}

fn columns(header: Header, timeline: Timeline) -> Answer {
    let Timeline { spans, steps, requests, .. } = timeline;
    Answer {
        header,
        spans: Spans {
            kind: spans.kind,
            part: spans.part,
            start: spans.start,
            end: spans.end,
            request: spans.request,
            page: spans.page,
        },
        steps: Steps {
            request: steps.request,
            page: steps.page,
            cause: steps.cause,
            start: steps.start,
            end: steps.end,
            part: steps.part,
        },
        requests: Requests {
            number: requests.number,
            kind: requests.kind,
            lba: requests.lba,
            sectors: requests.sectors,
            arrival: requests.arrival,
            complete: requests.complete.into_iter().map(|time| (time != u64::MAX).then_some(time)).collect(),
        },
    }
}
