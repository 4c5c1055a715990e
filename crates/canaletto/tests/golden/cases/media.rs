use super::{EVERYTHING, LARGE_MIXED, LARGE_READS, MIXED, PARTIAL, READS, WRITES, flow};
use crate::case::Case;

const TLC: &[&str] = &[
    "flash.cell=tlc",
    "flash.read=[\"20us\",\"40us\",\"60us\"]",
    "flash.program=[\"200us\",\"400us\",\"600us\"]",
    "geometry.pages_per_block=24",
];
const SUSPEND: &[&str] =
    &["flash.suspend.operations=both", "flash.suspend.suspend_time=2us", "flash.suspend.resume_time=4us"];
const SPARE: &[&str] = &["ftl.overprovisioning=0.5"];
const LOST: &[&str] = &[
    "ftl.superblock=drive",
    "ftl.parity=die",
    "ftl.overprovisioning=0.7",
    "gc.reserved_blocks=2",
    "flash.failures.lost_die=2",
];
const LOST_CHANNEL: &[&str] = &[
    "ftl.superblock=drive",
    "ftl.parity=channel",
    "ftl.overprovisioning=0.7",
    "gc.reserved_blocks=2",
    "flash.failures.lost_channel=1",
];
/// About 66 wrong bits of 8192, of which 72 can be corrected.
const ERRORS: &[&str] = &["flash.errors.base=0.008"];
const OLD: &[&str] = &[
    "flash.errors.initial_age_days=2.0",
    "precondition.kind=steady",
    "refresh.age_limit_days=1.0",
    "refresh.scan_interval=100us",
];
const SPARSE: &str = "requests = 300; read_share = 0.5; size = \"4KiB\"; inter_arrival = \"200us\"";

const CASES: &[(&str, &[&[&str]], &str)] = &[
    ("tlc/mixed", &[TLC], MIXED),
    ("tlc/mqsim-order", &[TLC, &["flash.page_order=mqsim"]], MIXED),
    ("tlc/steady", &[TLC, &["precondition.kind=steady"]], MIXED),
    ("qlc", &[&["flash.cell=qlc", "geometry.pages_per_block=16"]], MIXED),
    ("ready-delay", &[&["flash.ready_delay=100ns", "flash.multi_plane=any-page"]], LARGE_MIXED),
    ("big-pages", &[&["geometry.page=16KiB"]], MIXED),
    ("small-pages", &[&["geometry.page=512B"]], PARTIAL),
    ("four-planes", &[&["geometry.planes_per_die=4", "flash.multi_plane=any-page"]], LARGE_MIXED),
    ("three-dies", &[&["geometry.dies_per_chip=3"]], LARGE_MIXED),
    ("no-interleaving", &[&["geometry.dies_per_chip=3", "flash.die_interleaving=false"]], LARGE_MIXED),
    (
        "no-interleaving-steady",
        &[&["geometry.dies_per_chip=2", "flash.die_interleaving=false", "precondition.kind=steady"]],
        MIXED,
    ),
    ("suspend/both", &[SUSPEND], MIXED),
    ("suspend/steady", &[SUSPEND, &["precondition.kind=steady"]], MIXED),
    ("suspend/erase", &[SUSPEND, &["flash.suspend.operations=erase", "flash.suspend.trigger=reads-and-writes"]], MIXED),
    (
        "suspend/program",
        &[SUSPEND, &["flash.suspend.operations=program", "flash.suspend.max_suspensions=1"]],
        LARGE_MIXED,
    ),
    ("suspend/short", &[SUSPEND, &["flash.suspend.max_suspended_time=40us", "flash.suspend.min_remaining=5us"]], MIXED),
    ("suspend/venice", &[SUSPEND, &["fabric.kind=venice", "geometry.dies_per_chip=2"]], MIXED),
    ("suspend/no-interleaving", &[SUSPEND, &["geometry.dies_per_chip=2", "flash.die_interleaving=false"]], MIXED),
    ("suspend/behind", &[SUSPEND, &["flash.cache_program=true", "flash.suspend.min_remaining=1us"]], MIXED),
    ("suspend/issue", &[&["flash.suspend.operations=erase", "ftl.map_update=issue"]], MIXED),
    ("suspend/dynamic", &[SUSPEND, &["ftl.write_placement=dynamic", "gc.scope=parallel"]], WRITES),
    ("errors/retries", &[ERRORS], LARGE_READS),
    ("errors/lost", &[ERRORS, &["controller.ecc.max_read_retries=1", "controller.ecc.correctable_bits=60"]], MIXED),
    ("errors/steady", &[ERRORS, &["precondition.kind=steady", "flash.errors.wear.factor=0.001"]], MIXED),
    ("errors/disturb", &[&["flash.errors.disturb.factor=0.002", "flash.errors.initial_pe_cycles=2"]], READS),
    (
        "errors/retention",
        &[&[
            "flash.errors.retention.factor=0.004",
            "flash.errors.initial_pe_cycles=2",
            "flash.errors.initial_age_days=2.0",
        ]],
        MIXED,
    ),
    ("errors/venice", &[ERRORS, &["fabric.kind=venice", "controller.ecc.max_read_retries=2"]], LARGE_MIXED),
    ("errors/hold-path", &[ERRORS, &["fabric.hold_path=always"]], LARGE_READS),
    ("errors/cached-table", &[ERRORS, &["mapping.cache_capacity=512B"]], MIXED),
    ("failures/program", &[SPARE, &["flash.failures.program=0.02"]], WRITES),
    ("failures/erase", &[SPARE, &["flash.failures.erase=0.05"]], WRITES),
    ("failures/read", &[&["flash.failures.read=0.02"]], EVERYTHING),
    ("failures/factory", &[SPARE, &["flash.failures.factory_bad=0.1"]], WRITES),
    ("failures/factory-replay", &[SPARE, &["flash.failures.factory_bad=0.1", "precondition.kind=replay"]], MIXED),
    (
        "failures/all",
        &[SPARE, &["flash.failures.program=0.01", "flash.failures.erase=0.02", "flash.failures.read=0.005"]],
        EVERYTHING,
    ),
    ("failures/dynamic", &[SPARE, &["flash.failures.program=0.01", "ftl.write_placement=dynamic"]], WRITES),
    ("failures/superblock", &[SPARE, &["flash.failures.program=0.005", "ftl.superblock=die"]], WRITES),
    (
        "failures/parity",
        &[SPARE, &["flash.failures.read=0.02", "ftl.superblock=drive", "ftl.parity=die", "fabric.kind=venice"]],
        MIXED,
    ),
    ("failures/lost-die", &[LOST, &["flash.failures.lost_at=1ms"]], MIXED),
    ("failures/lost-die-replay", &[LOST, &["precondition.kind=replay"]], MIXED),
    ("failures/lost-channel", &[LOST_CHANNEL, &["flash.failures.lost_at=1ms"]], MIXED),
    ("failures/lost-channel-replay", &[LOST_CHANNEL, &["precondition.kind=replay", "fabric.kind=omnibus"]], MIXED),
    ("failures/venice", &[SPARE, &["flash.failures.program=0.01", "fabric.kind=venice"]], MIXED),
    ("refresh/reads", &[&["refresh.read_limit=20"]], READS),
    ("refresh/reads-steady", &[&["refresh.read_limit=10", "precondition.kind=steady"]], MIXED),
    ("refresh/age", &[OLD], SPARSE),
    ("refresh/superblock", &[OLD, &["ftl.superblock=channel"]], SPARSE),
    ("refresh/cached-table", &[&["refresh.read_limit=20", "mapping.cache_capacity=1KiB"]], MIXED),
];

pub fn cases() -> Vec<Case> {
    let case = |(name, overrides, traffic): &(&str, &[&[&str]], &str)| {
        Case::small(&format!("flash/{name}"), &overrides.concat(), &flow(traffic))
    };
    let mut cases: Vec<Case> = CASES.iter().map(case).collect();
    for planes in ["off", "same-page", "head-page", "any-page"] {
        for busy in ["true", "false"] {
            let settings = [
                format!("flash.multi_plane={planes}"),
                format!("flash.busy_until_data_out={busy}"),
                "geometry.dies_per_chip=2".to_owned(),
                "fabric.transfer_order=commands-first".to_owned(),
            ];
            for (name, traffic) in [("large", LARGE_MIXED), ("small", MIXED)] {
                let name = format!("flash/planes/{planes}/busy-{busy}/{name}");
                cases.push(Case::small(&name, &settings, &flow(traffic)));
            }
        }
    }
    cases
}
