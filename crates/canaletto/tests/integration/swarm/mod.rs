//! Random drives, traffic, failures and losses of power, watched by a checker with its own books.

mod designs;
mod newer;
mod power;
mod seeds;
pub mod shadow;
mod shadow_cache;
mod workloads;
mod zone_model;
mod zoned;

use canaletto::config::design::FabricKind;
use canaletto::config::named::Named;
use canaletto::fabric::facts_of;
use canaletto::limits::Limits;
use shadow::check;

use crate::common;

#[test]
fn overwriting_a_full_drive_never_wedges() {
    for overprovisioning in ["0.3", "0.45"] {
        let design = common::design(common::SMALL, &[&format!("ftl.overprovisioning={overprovisioning}")]);
        let workload = common::synthetic("requests = 9000\nread_share = 0.1\nsize = \"4KiB\"\nqueue_depth = 32");
        let (outcome, shadow) = check(&design, &workload);
        let flash = &outcome.report.flash;
        assert!(flash.erases > 500 && flash.gc.pages_copied > 0, "{flash:?}");
        assert!(flash.write_amplification.unwrap() > 1.0);
        assert!(shadow.reads > 500);
        let blame = &outcome.report.measures.blame_us.all;
        assert!(blame.contains_key("chip_busy_gc_read"), "{blame:?}");
    }
}

#[test]
fn collection_is_blamed_on_every_fabric() {
    for kind in FabricKind::ALL {
        for scope in ["plane", "parallel", "spatial"] {
            let [fabric, scope] = [format!("fabric.kind={}", kind.name()), format!("gc.scope={scope}")];
            let changes = [&fabric, &scope, "ftl.write_placement=dynamic", "precondition.kind=steady"];
            let design = common::design(common::SMALL, &changes);
            let workload = common::synthetic("requests = 3000\nread_share = 0.5\nsize = \"8KiB\"\nqueue_depth = 16");
            let (outcome, _) = check(&design, &workload);
            let collected = &outcome.report.flash.gc;
            assert!(collected.pages_copied > 3000, "{fabric} {scope}: {collected:?}");
            let (blame, latency) =
                (&outcome.report.measures.blame_us.all, outcome.report.measures.latency_us.all.mean.unwrap());
            let sum: f64 = blame.values().sum();
            assert!((sum - latency).abs() < 1e-6 * latency, "{fabric} {scope}: {sum} of {latency}");
            let causes = ["chip_busy_gc_read", "chip_busy_gc_program", "chip_busy_erase", "free_blocks"];
            let share = causes.iter().filter_map(|cause| blame.get(*cause)).sum::<f64>() / latency;
            assert!(share > 0.2, "{fabric} {scope}: {blame:?}");
            let routers = outcome.report.energy.energy_detail.idle.routers;
            assert_eq!(routers > 0.0, facts_of(*kind).routers.is_some(), "{fabric}: {routers} mJ");
        }
    }
}

#[test]
fn a_single_cached_entry_serves_a_full_drive() {
    let overrides = ["mapping.cache_capacity=8B", "mapping.flash_entry_bytes=64", "ftl.overprovisioning=0.45"];
    let design = common::design(common::SMALL, &overrides);
    let workload = common::synthetic("requests = 9000\nread_share = 0.3\nsize = \"4KiB\"\nqueue_depth = 32");
    let (outcome, shadow) = check(&design, &workload);
    let mapping = outcome.report.mapping.as_ref().unwrap();
    assert_eq!(mapping.entries, 1);
    assert!(
        mapping.counts.misses > 8000 && mapping.counts.evictions > 8000 && mapping.counts.uncached_updates > 100,
        "{mapping:?}"
    );
    assert!(mapping.translation_writes > 3000 && mapping.merge_reads > 3000, "{mapping:?}");
    assert!(shadow.translation_reads >= mapping.translation_reads && shadow.translation_writes > 3000);
    let blame = &outcome.report.measures.blame_us.all;
    assert!(blame["mapping_miss"] > blame["array_read"] && blame.contains_key("chip_busy_mapping"), "{blame:?}");
}

#[test]
fn preconditioned_drives_serve_everything() {
    for (kind, occupancy) in [("steady", 1.0), ("steady", 0.4), ("replay", 1.0), ("replay", 0.4)] {
        let changes = [format!("precondition.kind={kind}"), format!("precondition.occupancy={occupancy}")];
        let design = common::design(common::SMALL, &[&changes[0], &changes[1]]);
        let workload = common::synthetic("requests = 3000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 32");
        let (outcome, shadow) = check(&design, &workload);
        let report = outcome.report.precondition.expect("it was preconditioned");
        assert_eq!(report.valid_pages, shadow.preconditioned);
        assert_eq!(
            report.blocks.free + report.blocks.open + report.blocks.full + report.blocks.bad,
            report.blocks.total
        );
        let logical = Limits::new(&design, &workload).unwrap().logical_pages as f64;
        assert!((report.valid_pages as f64 - occupancy * logical).abs() <= 8.0, "{report:?} of {logical}");
        assert!(outcome.report.flash.gc.pages_copied > 100, "{:?}", outcome.report.flash);
    }
}
