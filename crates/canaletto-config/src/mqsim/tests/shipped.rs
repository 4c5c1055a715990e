use std::path::{Path, PathBuf};

use super::super::*;

/// A merge conflict, on which MQSim aborts too.
const BROKEN: &str = "workload-backend-contention-flow-1.xml";

#[test]
fn every_reference_file_parses() {
    let Some(folder) = reference() else {
        return;
    };
    let mut files = Vec::new();
    for kind in ["mqsim", "mqsim-fast18"] {
        collect(&folder.join(kind), &mut files);
    }
    files.sort();
    let (mut devices, mut workloads) = (0, 0);
    for file in &files {
        let label = file.display().to_string();
        let xml = std::fs::read_to_string(file).unwrap();
        if file.ends_with(BROKEN) {
            let error = parse_workload(&label, &xml).unwrap_err();
            assert_eq!((error.line, error.problem.contains("merge conflict")), (69, true), "{error}");
        } else if xml.contains("<Execution_Parameter_Set>") {
            parse_device(&label, &xml).unwrap_or_else(|error| panic!("{error}"));
            devices += 1;
        } else {
            parse_workload(&label, &xml).unwrap_or_else(|error| panic!("{error}"));
            workloads += 1;
        }
    }
    assert!(devices >= 48 && workloads >= 52, "{devices} configurations, {workloads} workloads");
}

#[test]
fn a_recorded_pair_has_its_values() {
    let Some(folder) = reference() else {
        return;
    };
    let read = |name: &str| std::fs::read_to_string(folder.join("mqsim/cost-mix70-16k-qd16").join(name)).unwrap();
    let device = parse_device("ssdconfig.xml", &read("ssdconfig.xml")).unwrap();
    assert_eq!((device.device.channels, device.device.chips_per_channel), (8, 8));
    assert_eq!((device.device.channel_width_bytes, device.device.channel_rate_mt_s), (6, 200));
    assert_eq!((device.flash.program_lsb_ns, device.flash.page_bytes), (650_000, 16_384));
    assert_eq!(device.device.scheduling, SchedulingPolicy::PriorityOutOfOrder);
    assert_eq!(device.ignored.len(), 13, "{:#?}", device.ignored);
    let scenarios = parse_workload("workload.xml", &read("workload.xml")).unwrap();
    let FlowKind::Synthetic(flow) = &scenarios[0].flows[0].kind else {
        panic!("synthetic");
    };
    assert_eq!((flow.read_percent, flow.requests_in_flight, flow.total_requests), (70, 16, 50_000));
    assert!(scenarios[0].ignored.is_empty());
}

fn reference() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CANALETTO_SHARED").map_or(beside, PathBuf::from);
    let folder = shared.join("reference");
    if folder.join("mqsim").is_dir() {
        return Some(folder);
    }
    let missing = format!("no {}: set CANALETTO_SHARED", folder.display());
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{missing}");
    println!("skipped: {missing}");
    None
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "xml") {
            files.push(path);
        }
    }
}
