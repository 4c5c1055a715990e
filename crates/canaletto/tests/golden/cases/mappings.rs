use super::{EVERYTHING, LARGE_MIXED, MIXED, PARTIAL, READS, WRITES, flow, flows};
use crate::case::Case;

const BAST: &[&str] = &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"];
const IN_PLACE: &[&str] = &["ftl.mapping=in-place"];
const BYTES: &[&str] = &["ftl.mapping=in-place", "flash.addressing=byte"];
const CACHED: &[&str] = &["mapping.cache_capacity=512B"];
const SEQUENTIAL: &str = "requests = 1500; read_share = 0.2; size = \"8KiB\"; queue_depth = 8; addresses = \"sequential\"; working_set = 0.7";
const UNALIGNED: &str = "requests = 900; read_share = 0.5; size = \"6KiB\"; alignment = \"512B\"; queue_depth = 16";

const CASES: &[(&str, &[&[&str]], &str)] = &[
    ("table/half-on-flash", &[&["mapping.cache_capacity=4KiB", "mapping.flash_entry_bytes=64"]], MIXED),
    ("table/prefetch", &[CACHED, &["mapping.entries_per_miss=8"]], SEQUENTIAL),
    ("table/whole-page", &[CACHED, &["mapping.entries_per_miss=4096"]], MIXED),
    ("table/wide-entries", &[CACHED, &["mapping.cached_entry_bytes=16", "mapping.flash_entry_bytes=16"]], MIXED),
    ("table/steady", &[CACHED, &["precondition.kind=steady"]], MIXED),
    ("table/replay", &[CACHED, &["precondition.kind=replay", "precondition.occupancy=0.8"]], MIXED),
    ("table/dynamic", &[CACHED, &["ftl.write_placement=dynamic", "gc.scope=parallel"]], WRITES),
    ("table/copyback", &[CACHED, &["gc.copyback=true"]], WRITES),
    ("table/everything", &[CACHED, &["mapping.initial_table=empty"]], EVERYTHING),
    ("table/partial", &[CACHED, &["ftl.map_update=issue"]], PARTIAL),
    ("table/small-units", &[CACHED, &["ftl.mapping_unit=1KiB"]], PARTIAL),
    ("table/large-units", &[CACHED, &["ftl.mapping_unit=16KiB"]], MIXED),
    ("table/venice", &[CACHED, &["fabric.kind=venice"]], MIXED),
    (
        "table/mqsim",
        &[CACHED, &["mapping.read_unit=sector", "mapping.write_backs=never-issued", "mapping.sharing=full-per-flow"]],
        MIXED,
    ),
    ("bast/writes", &[BAST], WRITES),
    ("bast/sequential", &[BAST], SEQUENTIAL),
    ("bast/everything", &[BAST, &["ftl.hybrid.log_blocks=3"]], EVERYTHING),
    ("bast/partial", &[BAST], PARTIAL),
    ("bast/venice", &[BAST, &["fabric.kind=venice"]], LARGE_MIXED),
    ("in-place/reads", &[IN_PLACE], READS),
    ("in-place/everything", &[IN_PLACE], EVERYTHING),
    ("in-place/partial", &[IN_PLACE], PARTIAL),
    ("in-place/bytes", &[BYTES], PARTIAL),
    ("in-place/bytes-everything", &[BYTES], EVERYTHING),
    ("in-place/bytes-venice", &[BYTES, &["fabric.kind=venice"]], UNALIGNED),
    ("in-place/omnibus", &[IN_PLACE, &["fabric.kind=omnibus"]], LARGE_MIXED),
    ("issue/mixed", &[&["ftl.map_update=issue"]], MIXED),
    ("issue/everything", &[&["ftl.map_update=issue", "ftl.unwritten_reads=assume-sectors-written"]], EVERYTHING),
    ("issue/dynamic", &[&["ftl.map_update=issue", "ftl.write_placement=dynamic"]], WRITES),
    ("issue/large-units", &[&["ftl.map_update=issue", "ftl.mapping_unit=8KiB"]], PARTIAL),
];

pub fn cases() -> Vec<Case> {
    let case = |(name, overrides, traffic): &(&str, &[&[&str]], &str)| {
        Case::small(&format!("mapping/{name}"), &overrides.concat(), &flow(traffic))
    };
    let mut cases: Vec<Case> = CASES.iter().map(case).collect();
    cases.extend(tables());
    cases.extend(units());
    cases.extend(partial_and_unwritten());
    cases
}

fn tables() -> Vec<Case> {
    let mut cases = Vec::new();
    for capacity in ["8B", "64B", "1KiB", "2KiB"] {
        for unit in ["page", "sector"] {
            for write_backs in ["written", "never-issued"] {
                let settings = [
                    format!("mapping.cache_capacity={capacity}"),
                    format!("mapping.read_unit={unit}"),
                    format!("mapping.write_backs={write_backs}"),
                    "ftl.overprovisioning=0.45".to_owned(),
                ];
                let name = format!("mapping/table/{capacity}/{unit}/{write_backs}");
                cases.push(Case::small(&name, &settings, &flow(MIXED)));
            }
        }
    }
    for sharing in ["shared", "equal", "full-per-flow"] {
        let settings = ["mapping.cache_capacity=512B".to_owned(), format!("mapping.sharing={sharing}")];
        let each = [("", MIXED), ("", READS)];
        let workload = flows("partitioned = true", &each);
        cases.push(Case::small(&format!("mapping/table/flows/{sharing}"), &settings, &workload));
    }
    cases
}

fn units() -> Vec<Case> {
    let mut cases = Vec::new();
    for unit in ["512B", "1KiB", "2KiB", "8KiB", "16KiB", "32KiB"] {
        for (traffic, keys) in [("partial", PARTIAL), ("unaligned", UNALIGNED), ("everything", EVERYTHING)] {
            let setting = format!("ftl.mapping_unit={unit}");
            cases.push(Case::small(&format!("mapping/unit/{unit}/{traffic}"), &[setting.as_str()], &flow(keys)));
        }
        let steady = [format!("ftl.mapping_unit={unit}"), "precondition.kind=steady".to_owned()];
        cases.push(Case::small(&format!("mapping/unit/{unit}/steady"), &steady, &flow(MIXED)));
    }
    cases
}

fn partial_and_unwritten() -> Vec<Case> {
    let mut cases = Vec::new();
    for partial in ["merged", "new-sectors"] {
        for unwritten in ["assume-page-written", "assume-sectors-written", "zeroes"] {
            for update in ["program-end", "issue"] {
                let settings = [
                    format!("ftl.partial_writes={partial}"),
                    format!("ftl.unwritten_reads={unwritten}"),
                    format!("ftl.map_update={update}"),
                ];
                let name = format!("mapping/partial/{partial}/{unwritten}/{update}");
                cases.push(Case::small(&name, &settings, &flow(UNALIGNED)));
            }
        }
    }
    cases
}
