//! Real traces, which lie beside the repository and not in it (`CANALETTO_SHARED`, or `../shared`).

mod common;

use std::path::PathBuf;

use canaletto_trace::{Format, Options, hash, open};
use common::drain;

/// The folder of traces; `None`, said aloud, where there is none and none is due.
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

/// What MANIFEST.tsv says of one trace.
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
    let reads = records.iter().filter(|record| !record.write).count() as f64;
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
fn traces_of_unread_formats_are_named() {
    let Some(folder) = traces() else { return };
    let cases = [
        ("ycsb_rocksdb/ssdtrace-sample10k.blkparse.gz", "blkparse text"),
        ("systor17/systor17-traces-sample.csv.gz", "a SYSTOR '17 trace"),
        ("tencent/cbs-sample50k.csv.gz", "a Tencent block trace"),
        ("cloudphysics/cloudPhysicsIO-2h.csv.gz", "a CloudPhysics trace"),
        ("heimdall/traceB.trace.gz", "a replayer trace"),
        ("msr/1020xyr-msr-first1M-stats.txt.gz", "a format that is not known"),
    ];
    for (file, name) in cases {
        let error = open(folder.join(file), &Options::default()).err().expect("a refusal").to_string();
        assert!(error.contains(&format!(":1: {name}")), "{error}");
    }
}
