//! Real traces, which are not in the repository (`CANALETTO_SHARED`, or `../shared`).

use std::path::PathBuf;

use crate::common::drain;
use canaletto::config::reading::BlockEvent;
use canaletto::host::request::Kind;
use canaletto_trace::{Format, Options, ReadOptions, hash, open};

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

struct Entry {
    requests: usize,
    read_percent: String,
    average_kb: String,
}

fn manifest(file: &str) -> Option<(PathBuf, Entry)> {
    let folder = traces()?;
    let table = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let row = rows.find(|row| row[0] == file).unwrap();
    let cell = |name| row[head.iter().position(|h| *h == name).unwrap()].to_owned();
    let entry =
        Entry { requests: cell("requests").parse().unwrap(), read_percent: cell("read%"), average_kb: cell("avgKB") };
    Some((folder.join(file), entry))
}

fn agrees_with_manifest(file: &str, format: Format) {
    let Some((path, entry)) = manifest(file) else {
        return;
    };
    let reader = open(&path, &Options::default()).unwrap();
    assert_eq!(reader.format(), format);
    let (records, error) = drain(reader);
    assert_eq!(error.map(|e| e.to_string()), None);
    assert_eq!(records.len(), entry.requests);
    let count = records.len() as f64;
    let reads = records.iter().filter(|record| record.kind == Kind::Read).count() as f64;
    assert_eq!(format!("{:.1}", 100.0 * reads / count), entry.read_percent);
    let bytes: u64 = records.iter().map(|record| record.bytes).sum();
    assert_eq!(format!("{:.1}", bytes as f64 / count / 1024.0), entry.average_kb);
}

#[test]
fn tpcc_small() {
    agrees_with_manifest("mqsim/tpcc-small.trace", Format::Mqsim);
}

#[test]
fn wsrch_small() {
    agrees_with_manifest("mqsim/wsrch-small.trace", Format::Mqsim);
}

#[test]
fn financial1() {
    agrees_with_manifest("umass_spc/Financial1-first10k.ascii.gz", Format::Mqsim);
}

#[test]
fn hm_0() {
    agrees_with_manifest("msr/hm_0-sample1000.csv.gz", Format::Msr);
}

#[test]
fn the_hash_is_the_manifests() {
    let Some((path, _)) = manifest("msr/hm_0-sample1000.csv.gz") else {
        return;
    };
    let known = "sha256:3b6c875a33199d09eddd4df0358dde830d1bfe65387abeb0c2e54f6144389d23";
    assert_eq!(hash(path).unwrap(), known);
}

#[test]
fn the_other_formats() {
    agrees_with_manifest("msr/msr.cut.per_10k.most_thpt_rand_iops.1006.trace.gz", Format::Replayer);
    agrees_with_manifest("msr/msr.cut.per_10k.rw_20_80.105.trace.gz", Format::Replayer);
    agrees_with_manifest("heimdall/traceB.trace.gz", Format::Replayer);
    agrees_with_manifest("ycsb_rocksdb/ssdtrace-sample10k.blkparse.gz", Format::Blkparse);
    agrees_with_manifest("systor17/systor17-traces-sample.csv.gz", Format::Systor);
    agrees_with_manifest("tencent/cbs-sample50k.csv.gz", Format::Tencent);
    agrees_with_manifest("cloudphysics/cloudPhysicsIO-2h.csv.gz", Format::CloudPhysics);
}

#[test]
fn lines_sorted_by_completion_are_counted() {
    let Some((path, _)) = manifest("systor17/systor17-traces-sample.csv.gz") else {
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
    let Some((path, _)) = manifest("ycsb_rocksdb/ssdtrace-sample10k.blkparse.gz") else {
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
