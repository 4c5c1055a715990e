//! Real traces, which are not in the repository (`CANALETTO_SHARED`, or `../shared`). `tests/cli/test_formats.py`
//! compares all of them with their manifest.

use std::path::PathBuf;

use canaletto::config::reading::BlockEvent;
use canaletto_trace::{Options, ReadOptions, hash, open};

/// The folder of traces, or `None` with a message.
fn traces() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CANALETTO_SHARED").map_or_else(beside, PathBuf::from);
    let folder = shared.join("traces");
    if folder.is_dir() {
        return Some(folder);
    }
    let due = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!due, "{} is missing, and CI must not skip it", folder.display());
    println!("skipped: no {}", folder.display());
    None
}

fn trace(file: &str) -> Option<PathBuf> {
    Some(traces()?.join(file))
}

#[test]
fn the_hash_is_the_manifests() {
    let Some(path) = trace("msr/hm_0-sample1000.csv.gz") else {
        return;
    };
    let known = "sha256:3b6c875a33199d09eddd4df0358dde830d1bfe65387abeb0c2e54f6144389d23";
    assert_eq!(hash(path).unwrap(), known);
}

#[test]
fn lines_sorted_by_completion_are_counted() {
    let Some(path) = trace("systor17/systor17-traces-sample.csv.gz") else {
        return;
    };
    let mut reader = open(&path, &Options::default()).unwrap();
    let (first, all) = (reader.next().unwrap().unwrap(), reader.by_ref().count());
    assert_eq!((first.arrival_ns, all), (1_456_095_145_126_285_000, 998), "the second line arrives first");
    assert_eq!(reader.tally().out_of_order_lines(), 287);
    let strict = Options { read: ReadOptions { sort_window: 0, ..ReadOptions::default() }, format: None };
    let error = open(&path, &strict).unwrap().find_map(Result::err).unwrap().to_string();
    assert!(error.contains(":3: time runs backwards"), "{error}");
}

#[test]
fn events_of_blkparse_can_be_chosen() {
    let Some(path) = trace("ycsb_rocksdb/ssdtrace-sample10k.blkparse.gz") else {
        return;
    };
    for (event, count) in [(BlockEvent::Q, 1695), (BlockEvent::D, 1694), (BlockEvent::C, 1694)] {
        let read = ReadOptions { events: Some(event), ..ReadOptions::default() };
        assert_eq!(open(&path, &Options { read, format: None }).unwrap().count(), count, "{event:?}");
    }
}

#[test]
fn what_is_no_trace_is_refused() {
    let Some(folder) = traces() else { return };
    let error = open(folder.join("msr/1020xyr-msr-first1M-stats.txt.gz"), &Options::default()).err().unwrap();
    assert!(error.to_string().contains(":1: no format that is known; the formats are mqsim, msr, "), "{error}");
}
