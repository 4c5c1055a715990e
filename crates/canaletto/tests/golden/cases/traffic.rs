use super::{MIXED, flow, flows};
use crate::case::Case;

const GENERATED: &[(&str, &str)] = &[
    (
        "zipf",
        "requests = 800; read_share = 0.5; size = \"4KiB\"; queue_depth = 16; addresses = \"zipf\"; zipf_exponent = 1.1; popular_regions = 3",
    ),
    (
        "pareto",
        "requests = 800; read_share = 0.5; size = \"4KiB\"; queue_depth = 16; addresses = \"pareto\"; hot_share = 0.2",
    ),
    ("sequential", "requests = 800; read_share = 0.5; size = \"12KiB\"; queue_depth = 16; addresses = \"sequential\""),
    (
        "hot-cold",
        "requests = 800; read_share = 0.5; size = \"4KiB\"; queue_depth = 16; addresses = \"hot-cold\"; hot_share = 0.05",
    ),
    (
        "runs",
        "requests = 800; read_share = 0.5; size = \"4KiB\"; queue_depth = 16; sequential_share = 0.6; run_length = 7; recent_share = 0.2",
    ),
    (
        "skewed",
        "requests = 800; read_share = 0.7; size = \"4KiB\"; queue_depth = 16; channel_skew = { share = 0.8, channels = 2 }",
    ),
    ("think-time", "requests = 500; read_share = 0.5; size = \"4KiB\"; queue_depth = 8; think_time = \"30us\""),
    (
        "bursts",
        "requests = 500; read_share = 0.5; size = \"4KiB\"; inter_arrival = \"20us\"; burstiness = 6.0; burst_share = 0.8",
    ),
    (
        "on-off",
        "requests = 500; read_share = 0.5; size = \"4KiB\"; inter_arrival = \"5us\"; on_time = \"200us\"; off_time = \"700us\"",
    ),
    (
        "diurnal",
        "requests = 500; read_share = 0.5; size = \"4KiB\"; inter_arrival = \"12us\"; diurnal = { period = \"2ms\", amplitude = 0.9 }",
    ),
    ("overload", "requests = 700; read_share = 0.3; size = \"16KiB\"; inter_arrival = \"2us\""),
    ("stopped", "requests = 5000; read_share = 0.5; size = \"4KiB\"; queue_depth = 16; stop = \"4ms\""),
    (
        "deviating",
        "requests = 600; read_share = 0.5; size = \"8KiB\"; size_deviation = \"4KiB\"; queue_depth = 16; alignment = \"512B\"",
    ),
    (
        "sizes",
        "requests = 600; read_share = 0.5; queue_depth = 16; sizes = [{ size = \"4KiB\", share = 0.5 }, { size = \"32KiB\", share = 0.5 }]",
    ),
    ("zeroes", "requests = 900; read_share = 0.4; size = \"8KiB\"; queue_depth = 16; write_zeroes_share = 0.4"),
    (
        "trims",
        "requests = 900; read_share = 0.4; size = \"6KiB\"; alignment = \"512B\"; queue_depth = 16; trim_share = 0.4",
    ),
    (
        "flushes",
        "requests = 900; read_share = 0.4; size = \"4KiB\"; queue_depth = 16; flush_share = 0.3; fua_share = 0.3",
    ),
    ("mqsim-seed", "requests = 600; read_share = 0.5; size = \"4KiB\"; queue_depth = 16; mqsim_seed = 77"),
    ("huge", "requests = 60; read_share = 0.5; size = \"256KiB\"; queue_depth = 4"),
    (
        "late",
        "requests = 400; read_share = 0.5; size = \"4KiB\"; queue_depth = 4; start = \"3ms\"; working_set_size = \"256KiB\"; working_set_offset = \"512KiB\"",
    ),
    ("one-at-a-time", "requests = 300; read_share = 0.5; size = \"4KiB\"; queue_depth = 1"),
];

const RECORDED: &[(&str, &[&str], &str)] = &[
    ("plain", &[], "file = \"mixed\"; out_of_range = \"wrap\""),
    ("fast", &[], "file = \"mixed\"; out_of_range = \"wrap\"; speed = 4.0"),
    ("unpaced", &[], "file = \"mixed\"; out_of_range = \"wrap\"; as_fast_as_possible = true"),
    ("closed", &[], "file = \"mixed\"; out_of_range = \"wrap\"; queue_depth = 8"),
    ("inter-arrival", &[], "file = \"mixed\"; out_of_range = \"fit\"; inter_arrival = \"4us\""),
    ("sampled", &[], "file = \"mixed\"; out_of_range = \"wrap\"; sample = 0.5; skip = 20; keep_start = true"),
    ("repeated", &[], "file = \"mixed\"; out_of_range = \"wrap\"; every = 3; repeat = 3; requests = 500"),
    ("bursts", &[], "file = \"bursts\""),
    ("bursts-venice", &["fabric.kind=venice", "geometry.chips_per_channel=4"], "file = \"bursts\""),
    ("bursts-steady", &["precondition.kind=steady"], "file = \"bursts\"; repeat = 2"),
    ("bursts-replay", &["precondition.kind=replay", "precondition.occupancy=0.7"], "file = \"bursts\""),
    ("bursts-sata", &["host.protocol=sata"], "file = \"bursts\""),
    ("disks", &[], "file = \"disks\"; devices = \"offset\"; out_of_range = \"fit\""),
    (
        "disks-wrapped",
        &["fabric.kind=omnibus"],
        "file = \"disks\"; out_of_range = \"wrap\"; offset = \"64KiB\"; region_size = \"1MiB\"",
    ),
    (
        "disks-table",
        &["mapping.cache_capacity=512B"],
        "file = \"disks\"; devices = \"offset\"; out_of_range = \"wrap\"",
    ),
    ("journal", &[], "file = \"journal\""),
    ("journal-cached", &["cache.capacity=128KiB", "cache.power_loss_protection=false"], "file = \"journal\""),
    ("journal-units", &["ftl.mapping_unit=1KiB"], "file = \"journal\"; as_fast_as_possible = true"),
    (
        "journal-bast",
        &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"],
        "file = \"journal\"; repeat = 2; out_of_range = \"wrap\"",
    ),
    (
        "journal-failing",
        &["flash.failures.program=0.02", "ftl.overprovisioning=0.5"],
        "file = \"journal\"; speed = 0.5; out_of_range = \"wrap\"",
    ),
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, traffic) in GENERATED {
        cases.push(Case::small(&format!("traffic/{name}"), &[""; 0], &flow(traffic)));
        let used = ["precondition.kind=steady", "fabric.kind=omnibus"];
        cases.push(Case::small(&format!("traffic/{name}/used"), &used, &flow(traffic)).seed(3));
    }
    for (name, overrides, keys) in RECORDED {
        cases.push(Case::small(&format!("trace/{name}"), overrides, &recorded(keys)));
    }
    cases.push(Case::small("trace/mix", &[""; 0], &mix("")));
    cases.push(Case::small("trace/mix-closed", &[""; 0], &mix("queue_depth = 6")));
    cases.push(Case::small("trace/mix-scaled", &["fabric.kind=mesh"], &mix("inter_arrival = \"6us\"")));
    let beside = format!("{}\n{}", recorded("file = \"bursts\""), flows("", &[("", MIXED)]).split_off(17));
    cases.push(Case::small("trace/beside-a-flow", &[""; 0], &beside));
    cases
}

fn recorded(keys: &str) -> String {
    format!("name = \"recorded\"\n[[flow]]\nname = \"a\"\n[flow.trace]\n{}\n", keys.replace("; ", "\n"))
}

fn mix(keys: &str) -> String {
    let part = |name: &str| format!("[[flow.mix.trace]]\nfile = \"{name}\"\nout_of_range = \"wrap\"\n");
    let parts = ["mixed", "bursts", "disks"].map(part).concat();
    format!("name = \"mix\"\n[[flow]]\nname = \"a\"\n[flow.mix]\n{keys}\n{parts}")
}
