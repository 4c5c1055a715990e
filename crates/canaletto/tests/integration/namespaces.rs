use canaletto::config::load_workload;
use canaletto::drive::{Drive, DriveOptions, Wanted};
use canaletto::engine::time::Time;
use canaletto::{Outcome, RunOptions, run};

use crate::common::{design, refusal};

/// Eight dies of two planes. A zone of 2 MiB takes a block of each plane; sixteen zones leave 48 of 64 blocks.
const SHARED: &str = r#"
base = "performance-optimized"
name = "shared"
[geometry]
channels = 4
chips_per_channel = 2
blocks_per_plane = 64
pages_per_block = 8
page = "16KiB"
[cache]
capacity = "4MiB"
power_loss_protection = true
[ftl]
mapping_unit = "4KiB"
overprovisioning = 0.2
superblock = "drive"
[gc]
reserved_blocks = 1
[fdp]
handles = 2
[zns]
zone_size = "2MiB"
max_open = 2
max_active = 3
[[namespace]]
name = "data"
size = "32MiB"
[[namespace]]
name = "log"
kind = "zoned"
size = "24MiB"
[[namespace]]
name = "cache"
kind = "placed"
[[namespace]]
name = "second log"
kind = "zoned"
size = "8MiB"
"#;

const FLOWS: &str = r#"
name = "all"
[[flow]]
name = "a"
namespace = "data"
[flow.synthetic]
requests = 12000
read_share = 0.3
size = "4KiB"
queue_depth = 8
[[flow]]
name = "b"
namespace = "log"
[flow.synthetic]
requests = 6000
read_share = 0.0
size = "16KiB"
queue_depth = 1
zone_work = "append"
[[flow]]
name = "c"
namespace = "cache"
handle = 1
[flow.synthetic]
requests = 12000
read_share = 0.2
size = "4KiB"
queue_depth = 8
[[flow]]
name = "d"
namespace = "4"
[flow.synthetic]
requests = 2000
read_share = 0.0
size = "16KiB"
queue_depth = 1
zone_work = "write"
zones = 2
"#;

fn simulate(keys: &[&str], flows: &str) -> Result<Outcome, String> {
    let workload = load_workload("w.toml", Some(flows), &[]).unwrap_or_else(|e| panic!("{e}"));
    let options = RunOptions { check_wires: true, ..RunOptions::default() };
    let inputs = workload.flow.iter().map(|_| None).collect();
    run(&design(SHARED, keys), &workload, inputs, &options, &mut |_| true).map_err(|e| e.to_string())
}

#[test]
fn namespaces_of_every_kind_share_a_drive() {
    let report = simulate(&[], FLOWS).unwrap().report;
    let namespaces: Vec<_> = report.namespaces.iter().map(|n| (&*n.name, n.kind, n.size_bytes >> 20)).collect();
    assert_eq!(namespaces[..2], [("data", "conventional", 32), ("log", "zoned", 24)]);
    assert_eq!(report.namespaces[3].flows, ["d"]);
    assert_eq!((report.measures.requests.completed, report.measures.requests.failed), (32_000 + resets(&report), 0));
    let zones = report.flash.zones.as_ref().unwrap();
    assert_eq!((zones.count, zones.refused.len()), (16, 0));
    // Both logs go round their zones: 94 MiB through 12, 31 MiB through 4.
    assert!(zones.resets > 40, "{} resets", zones.resets);
    let fdp = report.flash.fdp.as_ref().unwrap();
    assert!(fdp.handles.iter().all(|handle| handle.host_pages > 5_000), "{:?}", fdp.handles);
    // Pages of zones are no handle's.
    assert!(fdp.handles.iter().map(|handle| handle.host_pages).sum::<u64>() < 18_500, "{:?}", fdp.handles);
    // What is written at random places is collected, next to zones that are not.
    assert!(report.flash.gc.pages_copied > 0 && report.flash.gc.pages_copied < 40_000);
}

#[test]
fn tasks_work_in_namespaces_without_zones() {
    let with = |kind: &str, at: &str, namespace: &str| {
        let task = format!(
            "[[flow]]\nname = \"t\"\nnamespace = \"{namespace}\"\n[flow.compute]\nkind = \"{kind}\"\nat = \"{at}\"\n"
        );
        // A gather combines what the drive maps.
        let size = if kind == "gather" { "4KiB" } else { "16KiB" };
        let keys = format!("[flow.synthetic]\nrequests = 500\nread_share = 1.0\nsize = \"{size}\"\nqueue_depth = 8\n");
        simulate(&[], &format!("{FLOWS}{task}{keys}"))
    };
    for (kind, at) in [("scan", "drive"), ("gather", "drive"), ("gather", "channel"), ("reduce", "host")] {
        for namespace in ["data", "cache"] {
            let report = with(kind, at, namespace).unwrap_or_else(|e| panic!("{kind} {at} {namespace}: {e}")).report;
            let tasks = report.flows.last().unwrap().compute.as_ref().unwrap();
            let bytes = if kind == "gather" { 2 * 4096 } else { 16384 };
            assert_eq!((tasks.tasks, tasks.operand_bytes), (500, 500 * bytes), "{kind} {at} {namespace}");
            assert_eq!(report.measures.requests.failed, 0, "{kind} {at} {namespace}");
        }
        let message = with(kind, at, "log").err().unwrap();
        assert!(message.contains("flow \"t\": compute: got tasks in zones"), "{message}");
    }
}

fn resets(report: &canaletto::measure::report::Report) -> u64 {
    report.flash.zones.as_ref().map_or(0, |zones| zones.resets)
}

#[test]
fn the_steady_state_is_that_of_the_other_namespaces() {
    let pages =
        ["geometry.page=4KiB", "geometry.pages_per_block=32", "ftl.mapping_unit=0B", "ftl.overprovisioning=0.28"];
    let plain = [&pages[..], &["fdp.handles=0", "namespace.2.kind=conventional", "ftl.superblock=none"]].concat();
    let amplification = |kind: &str| {
        let kind = format!("precondition.kind={kind}");
        let keys = [&plain[..], &[&*kind, "precondition.occupancy=1.0"]].concat();
        let report = simulate(&keys, &FLOWS.replace("handle = 1", "")).unwrap().report;
        // The zones are full, and refuse writes.
        let failed = [0, 2].map(|flow: usize| report.flows[flow].measures.requests.failed);
        assert_eq!(failed, [0, 0]);
        report.precondition.unwrap().write_amplification.unwrap()
    };
    let (computed, written) = (amplification("steady"), amplification("replay"));
    assert!(written > 1.3 && (computed / written - 1.0).abs() < 0.15, "{computed} computed, {written} written");
}

#[test]
fn namespaces_share_a_cached_mapping_table() {
    let plain = ["fdp.handles=0", "ftl.superblock=none", "zns.zone_size=0B", "mapping.cache_capacity=16KiB"];
    let kinds = [1, 2, 3].map(|i| format!("namespace.{i}.kind=conventional"));
    let keys: Vec<&str> = plain.into_iter().chain(kinds.iter().map(|kind| &**kind)).collect();
    let flows = FLOWS.replace("handle = 1", "").replace("zone_work = \"append\"", "");
    let report = simulate(&keys, &flows.replace("zone_work = \"write\"\nzones = 2", "")).unwrap().report;
    assert_eq!(report.measures.requests.failed, 0);
    assert!(report.mapping.unwrap().counts.misses > 10_000);
}

#[test]
fn a_stepped_drive_is_the_first_namespace() {
    let mut drive = Drive::new(&design(SHARED, &[]), &DriveOptions::default()).unwrap();
    assert_eq!(drive.sectors(), (32 << 20) / 512);
    drive.submit(Time::ZERO, Wanted::write(0, 8), 1).unwrap();
    drive.advance_to_completion(Time::LATEST).unwrap();
    assert!(drive.completions().all(|done| done.status == 0));
    assert_eq!(drive.report().flash.zones.unwrap().states.get("empty"), Some(&16));
}

#[test]
fn flows_that_do_not_fit_are_refused() {
    for (from, to, said) in [
        ("namespace = \"log\"", "namespace = \"logs\"", "got \"logs\", expected a number from 1 to 4, or \"data\""),
        ("namespace = \"4\"", "namespace = \"5\"", "expected a number from 1 to 4"),
        ("namespace = \"cache\"", "namespace = \"data\"", "expected 0 in a conventional namespace"),
        ("namespace = \"log\"", "namespace = \"data\"", "zone_work needs zones"),
        ("name = \"all\"", "name = \"all\"\npartitioned = true", "partitioned: got true"),
    ] {
        let refused = simulate(&[], &FLOWS.replacen(from, to, 1)).err().unwrap();
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    for (keys, said) in [
        (&["namespace.0.name=cache"][..], "a name that no other namespace has"),
        (&["namespace.0.name=\"7\""], "a name that is no number"),
        (&["namespace.0.kind=zoned", "namespace.0.size=3MiB"], "a multiple of"),
        (&["namespace.1.size=0B"], "expected a size of zones"),
        (&["namespace.0.size=0B"], "another namespace takes what is left"),
        (&["namespace.1.size=116MiB", "ftl.overprovisioning=0.0"], "zones leave"),
        (&["namespace.1.size=300MiB"], "of which the drive has room for"),
        (&["zns.zone_size=0B"], "needs zns.zone_size"),
        (&["fdp.handles=0"], "needs fdp.handles"),
        (&["namespace.2.kind=conventional"], "needs a namespace of kind"),
    ] {
        let said_it = refusal(Some(SHARED), keys);
        assert!(said_it.contains(said), "{keys:?}: {said_it}");
    }
    let too_large = simulate(&["namespace.0.size=200MiB"], FLOWS).err().unwrap();
    assert!(too_large.contains("does not fit"), "{too_large}");
}
