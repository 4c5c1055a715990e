//! Features that a run does not have are compiled out, and nothing else: a plain run is the same through code for every feature.

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::engine::features::is_plain;
use canaletto::limits::Limits;
use canaletto::measure::records::Records;
use canaletto::{RunOptions, run};

use crate::common;

/// The whole report, and every row of the requests.
fn everything(design: &Design, workload: &Workload, any_features: bool) -> (String, Option<Records>) {
    let options = RunOptions { records: true, any_features, ..RunOptions::default() };
    let outcome = run(design, workload, vec![None], &options, &mut |_| true).unwrap();
    (serde_json::to_string(&outcome.report).unwrap(), outcome.records)
}

#[test]
fn a_plain_run_is_the_same_through_every_feature() {
    let traffic = [
        "requests = 3000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 16",
        "requests = 6000\nread_share = 0.2\nsize = \"6KiB\"\nalignment = \"512B\"\nqueue_depth = 8",
        "requests = 2000\nread_share = 0.5\ntrim_share = 0.1\nflush_share = 0.05\nsize = \"32KiB\"\ninter_arrival = \"20us\"",
    ];
    let changes: [&[&str]; 5] = [
        &[],
        &["gc.preemptible=true", "gc.policy=d-choices"],
        &["wear.static_threshold=2", "controller.ecc_latency=2us", "controller.dram=2GB/s"],
        &["precondition.kind=steady", "host.queues_per_flow=2", "host.command_limit=24"],
        &["flash.busy_until_data_out=true", "fabric.transfer_order=commands-first", "link.latency=300ns"],
    ];
    for kind in ["bus", "sca", "packetized", "omnibus", "omnibus-split", "mesh", "venice", "scheduled-mesh", "ideal"] {
        for (change, traffic) in changes.iter().flat_map(|change| traffic.map(|traffic| (change, traffic))) {
            let fabric = format!("fabric.kind={kind}");
            let overrides: Vec<&str> = change.iter().copied().chain([fabric.as_str()]).collect();
            let (design, workload) = (common::design(common::SMALL, &overrides), common::synthetic(traffic));
            assert!(is_plain(&design, &workload, &Limits::new(&design, &workload).unwrap()), "{overrides:?}");
            let plain = everything(&design, &workload, false);
            assert!(plain == everything(&design, &workload, true), "{overrides:?} {traffic}");
        }
    }
}

/// Each feature by itself makes a run one that is not plain: if it did not, the feature would be silently left out.
#[test]
fn no_feature_is_left_out() {
    let features = [
        "cache.capacity=64KiB",
        "mapping.cache_capacity=4KiB",
        "ftl.mapping=fast ftl.unwritten_reads=zeroes",
        "ftl.mapping=in-place",
        "ftl.superblock=die",
        "ftl.mapping_unit=2KiB",
        "ftl.mapping_unit=8KiB",
        "ftl.write_placement=dynamic",
        "flash.suspend.operations=both",
        "gc.copyback=true",
        "flash.failures.read=0.01",
        "flash.failures.program=0.01",
        "flash.failures.erase=0.01",
        "flash.errors.base=0.001",
        "flash.cache_read=true",
        "flash.independent_plane_reads=true",
        "flash.cache_program=true",
        "fabric.hold_path=reads",
        "scheduler.policy=flin",
        "host.protocol=sata",
        "attachment.kind=sbsp",
    ];
    let workload = common::synthetic("requests = 10\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    for feature in features {
        let overrides: Vec<&str> = feature.split(' ').collect();
        let design = common::design(common::SMALL, &overrides);
        assert!(!is_plain(&design, &workload, &Limits::new(&design, &workload).unwrap()), "{feature}");
    }
}
