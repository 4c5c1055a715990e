use super::fabrics::FABRICS;
use super::{EVERYTHING, LARGE_MIXED, MIXED, PARTIAL, SQUARE, WRITES, flow, flows, with};
use crate::case::Case;

const SPATIAL: &[&str] =
    &["fabric.kind=omnibus", "gc.scope=spatial", "ftl.write_placement=dynamic", "precondition.kind=steady"];

const CASES: &[(&str, &[&str], &str)] = &[
    ("collecting", &["precondition.kind=steady"], WRITES),
    ("spatial", SPATIAL, WRITES),
    ("copyback", &["gc.copyback=true", "precondition.kind=steady"], WRITES),
    ("superblock", &["ftl.superblock=channel", "precondition.kind=steady"], WRITES),
    ("sata", &["host.protocol=sata"], MIXED),
    ("cache", &["cache.capacity=128KiB", "cache.power_loss_protection=false"], EVERYTHING),
    ("cached-table", &["mapping.cache_capacity=512B"], MIXED),
    ("small-units", &["ftl.mapping_unit=1KiB"], PARTIAL),
    ("large-units", &["ftl.mapping_unit=16KiB"], PARTIAL),
    ("bast", &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"], MIXED),
    ("in-place", &["ftl.mapping=in-place"], PARTIAL),
    ("suspend", &["flash.suspend.operations=both", "precondition.kind=steady"], MIXED),
    ("errors", &["flash.errors.base=0.008"], LARGE_MIXED),
    ("failures", &["flash.failures.program=0.02", "ftl.overprovisioning=0.5"], EVERYTHING),
    ("refresh", &["refresh.read_limit=10", "precondition.kind=steady"], MIXED),
    (
        "stages",
        &[
            "controller.system_bus=2GB/s",
            "controller.dram=2GB/s",
            "controller.ecc_latency=2us",
            "controller.firmware_per_page=1us",
        ],
        MIXED,
    ),
    ("attached", &["attachment.kind=sbdp"], LARGE_MIXED),
    ("hold-path", &["fabric.hold_path=always"], LARGE_MIXED),
    (
        "venice-atomic",
        &["fabric.kind=venice", "fabric.venice.scouts=atomic", "fabric.venice.retry=immediate"],
        LARGE_MIXED,
    ),
];

const TWO: [(u64, u64); 2] = [(200, 900), (2000, 3000)];
const LIMIT: usize = 100_000;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for fabric in FABRICS {
        let kind = format!("fabric.kind={fabric}");
        let case = Case::small(&format!("timeline/fabric/{fabric}"), &with(SQUARE, &[&kind]), &flow(LARGE_MIXED));
        cases.push(case.windows(&[(0, 1500)], LIMIT));
    }
    for (name, overrides, traffic) in CASES {
        cases.push(Case::small(&format!("timeline/{name}"), overrides, &flow(traffic)).windows(&TWO, LIMIT));
    }
    let several = flows("", &[("priority = \"high\"", MIXED), ("priority = \"low\"", PARTIAL)]);
    let flin = ["scheduler.policy=flin", "scheduler.flin.epoch=400us"];
    cases.push(Case::small("timeline/flin", &flin, &several).windows(&TWO, LIMIT));
    cases.push(Case::small("timeline/priorities", &[""; 0], &several).windows(&TWO, LIMIT));
    cases.push(Case::small("timeline/truncated", &[""; 0], &several).windows(&[(0, 9000)], 500));
    cases.push(
        Case::small("timeline/beyond-the-end", &[""; 0], &flow(MIXED)).windows(&[(900_000_000, 900_000_001)], LIMIT),
    );
    cases
}
