use super::{EVERYTHING, LARGE_MIXED, OPEN, PARTIAL, WRITES, flow, flows};
use crate::case::Case;

const SPARSE: &str = "requests = 250; read_share = 0.3; size = \"4KiB\"; inter_arrival = \"400us\"; flush_share = 0.02";
const CACHED: &[&str] = &["cache.capacity=128KiB"];
const UNPROTECTED: &[&str] = &["cache.capacity=128KiB", "cache.power_loss_protection=false"];

const CASES: &[(&str, &[&[&str]], &str)] = &[
    ("one-page", &[&["cache.capacity=4KiB"]], EVERYTHING),
    ("large", &[&["cache.capacity=2MiB"]], EVERYTHING),
    ("partial", &[CACHED], PARTIAL),
    ("partial-new-sectors", &[CACHED, &["ftl.partial_writes=new-sectors"]], PARTIAL),
    ("partial-unprotected", &[UNPROTECTED, &["cache.mode=read-write"]], PARTIAL),
    ("idle", &[CACHED, &["cache.idle_destage=30us"]], SPARSE),
    ("never-idle", &[CACHED, &["cache.idle_destage=0us"]], SPARSE),
    ("forgotten", &[CACHED, &["cache.keep_destaged=false"]], EVERYTHING),
    ("one-destage", &[CACHED, &["cache.destages_per_plane=1", "cache.high_watermark=0.5"]], WRITES),
    ("watermarks", &[CACHED, &["cache.high_watermark=0.9", "cache.low_watermark=0.1"]], WRITES),
    ("slow-dram", &[CACHED, &["cache.dram.rate=200MB/s", "cache.dram.row=1KiB"]], LARGE_MIXED),
    ("mqsim-dram", &[CACHED, &["cache.dram.timing=mqsim"]], LARGE_MIXED),
    ("open", &[CACHED], OPEN),
    ("sata", &[UNPROTECTED, &["host.protocol=sata"]], EVERYTHING),
    ("cached-table", &[UNPROTECTED, &["mapping.cache_capacity=512B"]], EVERYTHING),
    ("small-units", &[UNPROTECTED, &["ftl.mapping_unit=1KiB"]], PARTIAL),
    ("large-units", &[CACHED, &["ftl.mapping_unit=16KiB"]], EVERYTHING),
    ("bast", &[CACHED, &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"]], EVERYTHING),
    ("in-place", &[UNPROTECTED, &["ftl.mapping=in-place"]], EVERYTHING),
    ("superblock", &[UNPROTECTED, &["ftl.superblock=channel"]], EVERYTHING),
    ("steady", &[UNPROTECTED, &["precondition.kind=steady", "ftl.write_placement=dynamic"]], WRITES),
    ("venice", &[UNPROTECTED, &["fabric.kind=venice", "geometry.chips_per_channel=4"]], EVERYTHING),
    ("issue", &[CACHED, &["ftl.map_update=issue"]], PARTIAL),
    ("failures", &[UNPROTECTED, &["flash.failures.program=0.01", "ftl.overprovisioning=0.5"]], EVERYTHING),
    ("attached", &[CACHED, &["attachment.kind=nbsp"]], EVERYTHING),
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in ["write", "read", "read-write"] {
        for destage in ["watermarks", "first-writes"] {
            for protected in ["true", "false"] {
                let protection = format!("cache.power_loss_protection={protected}");
                let (mode_setting, destage_setting) =
                    (format!("cache.mode={mode}"), format!("cache.destage={destage}"));
                let overrides = ["cache.capacity=128KiB", &mode_setting, &destage_setting, &protection];
                let name = format!("cache/{mode}/{destage}/protected-{protected}");
                cases.push(Case::small(&name, &overrides, &flow(EVERYTHING)));
            }
        }
    }
    for sharing in ["shared", "equal"] {
        let setting = format!("cache.sharing={sharing}");
        let overrides = ["cache.capacity=96KiB", "cache.power_loss_protection=false", &setting];
        let each = [("cache = \"read-write\"", EVERYTHING), ("cache = \"write\"", PARTIAL), ("cache = \"off\"", OPEN)];
        cases.push(Case::small(&format!("cache/flows/{sharing}"), &overrides, &flows("", &each)));
    }
    let case = |(name, overrides, traffic): &(&str, &[&[&str]], &str)| {
        Case::small(&format!("cache/{name}"), &overrides.concat(), &flow(traffic))
    };
    cases.extend(CASES.iter().map(case));
    cases
}
