use super::{MIXED, SQUARE, WRITES, flow};
use crate::case::Case;

const HOT: &str =
    "requests = 3000; read_share = 0.1; size = \"4KiB\"; queue_depth = 16; addresses = \"hot-cold\"; hot_share = 0.1";
const TRIMS: &str =
    "requests = 2500; read_share = 0.2; size = \"8KiB\"; queue_depth = 16; trim_share = 0.2; working_set = 0.8";
const SPATIAL: &[&str] = &["fabric.kind=omnibus", "gc.scope=spatial", "ftl.write_placement=dynamic"];
const DYNAMIC: &[&str] = &["ftl.write_placement=dynamic"];

const CASES: &[(&str, &[&[&str]], &str)] = &[
    ("unpreemptible", &[&["gc.preemptible=false"]], MIXED),
    ("unpreemptible-steady", &[&["gc.preemptible=false", "precondition.kind=steady"]], MIXED),
    ("one-copy", &[&["gc.copies_in_flight=1"]], WRITES),
    ("many-copies", &[&["gc.copies_in_flight=8"]], WRITES),
    ("copyback", &[&["gc.copyback=true"]], WRITES),
    ("copyback-checked", &[&["gc.copyback=true", "gc.copyback_check_every=3"]], WRITES),
    ("copyback-venice", &[SQUARE, &["gc.copyback=true", "fabric.kind=venice"]], WRITES),
    ("copyback-mesh", &[&["gc.copyback=true", "fabric.kind=mesh", "precondition.kind=steady"]], MIXED),
    ("thresholds", &[&["gc.threshold=0.28", "gc.hard_threshold=0.2", "gc.reserved_blocks=2"]], WRITES),
    ("trims", &[], TRIMS),
    ("trims-dynamic", &[DYNAMIC], TRIMS),
    ("hot", &[], HOT),
    ("hot-levelled", &[&["wear.static_threshold=2"]], HOT),
    ("hot-levelled-fifo", &[&["wear.static_threshold=1", "gc.policy=fifo", "ftl.overprovisioning=0.5"]], HOT),
    ("hot-unlevelled", &[&["wear.dynamic=false"]], HOT),
    ("endurance", &[&["wear.endurance=4", "ftl.overprovisioning=0.6"]], HOT),
    ("dynamic", &[DYNAMIC], WRITES),
    ("dynamic-steady", &[DYNAMIC, &["precondition.kind=steady"]], WRITES),
    ("dynamic-unpreemptible", &[DYNAMIC, &["gc.preemptible=false"]], MIXED),
    ("parallel-one-copy", &[DYNAMIC, &["gc.scope=parallel", "gc.copies_in_flight=1"]], WRITES),
    ("spatial-split", &[SPATIAL, &["fabric.kind=omnibus-split", "precondition.kind=steady"]], WRITES),
    ("spatial-checked", &[SPATIAL, &["fabric.omnibus.chip_to_chip_ecc=detect"]], WRITES),
    ("spatial-via-controller", &[SPATIAL, &["fabric.omnibus.chip_to_chip_ecc=via-controller"]], WRITES),
    ("spatial-one-register", &[SPATIAL, &["fabric.omnibus.v_page_registers=1", "gc.victims_per_plane=3"]], WRITES),
    ("spatial-all-groups", &[SPATIAL, &["gc.group_share=1.0", "gc.preemptible=false"]], WRITES),
    ("spatial-square", &[SQUARE, SPATIAL, &["precondition.kind=steady"]], WRITES),
    ("spatial-bus", &[SPATIAL, &["fabric.kind=bus", "gc.victims_per_plane=2"]], WRITES),
    ("superblock-die", &[&["ftl.superblock=die"]], WRITES),
    ("superblock-chip", &[&["ftl.superblock=chip", "geometry.dies_per_chip=2"]], WRITES),
    ("superblock-channel", &[&["ftl.superblock=channel"]], MIXED),
    ("superblock-drive", &[&["ftl.superblock=drive"]], WRITES),
    ("superblock-drive-steady", &[&["ftl.superblock=drive", "precondition.kind=steady"]], MIXED),
    ("superblock-trims", &[&["ftl.superblock=channel", "gc.policy=cost-benefit"]], TRIMS),
    ("superblock-venice", &[SQUARE, &["ftl.superblock=channel", "fabric.kind=venice"]], MIXED),
    ("parity-die", &[&["ftl.superblock=drive", "ftl.parity=die"]], MIXED),
    ("parity-channel", &[SQUARE, &["ftl.superblock=drive", "ftl.parity=channel"]], WRITES),
    ("parity-trims", &[&["ftl.superblock=channel", "ftl.parity=die", "gc.policy=cost-benefit"]], TRIMS),
    ("parity-replay", &[&["ftl.superblock=drive", "ftl.parity=die", "precondition.kind=replay"]], MIXED),
    ("steady-half", &[&["precondition.kind=steady", "precondition.occupancy=0.5"]], MIXED),
    ("replay", &[&["precondition.kind=replay"]], MIXED),
    ("replay-half", &[&["precondition.kind=replay", "precondition.occupancy=0.5"]], HOT),
    ("replay-spatial", &[SPATIAL, &["precondition.kind=replay"]], MIXED),
    ("replay-superblock", &[&["precondition.kind=replay", "ftl.superblock=die"]], MIXED),
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for policy in ["greedy", "d-choices", "random", "random-plus", "fifo", "cost-benefit", "custom"] {
        let setting = format!("gc.policy={policy}");
        let case = |what: &str, overrides: &[&str], traffic: &str| {
            let overrides: Vec<&str> = overrides.iter().copied().chain([setting.as_str()]).collect();
            Case::small(&format!("gc/{policy}/{what}"), &overrides, &flow(traffic))
        };
        cases.push(case("writes", &[], WRITES));
        cases.push(case("hot-steady", &["precondition.kind=steady"], HOT));
        cases.push(case("parallel", &["gc.scope=parallel", "ftl.write_placement=dynamic"], MIXED));
        cases.push(case("spatial", SPATIAL, WRITES));
    }
    for allocation in ["PWCD", "DCWP", "WDPC", "PDCW", "WPCD"] {
        let (setting, dies) = (format!("ftl.allocation={allocation}"), "geometry.dies_per_chip=2");
        cases.push(Case::small(&format!("gc/allocation/{allocation}"), &[setting.as_str(), dies], &flow(MIXED)));
    }
    let case = |(name, overrides, traffic): &(&str, &[&[&str]], &str)| {
        Case::small(&format!("gc/{name}"), &overrides.concat(), &flow(traffic))
    };
    cases.extend(CASES.iter().map(case));
    cases
}
