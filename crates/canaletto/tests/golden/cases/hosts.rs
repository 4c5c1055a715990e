use super::{EVERYTHING, LARGE_MIXED, LARGE_READS, MIXED, OPEN, PARTIAL, READS, flow, flows};
use crate::case::Case;

const SATA: &[&str] = &["host.protocol=sata"];
const MEMORY: &[&str] = &["host.protocol=memory", "link.kind=ucie"];
const FEW: &[&str] = &["host.command_limit=4"];
const STAGES: &[&str] = &[
    "controller.system_bus=2GB/s",
    "controller.dram=2GB/s",
    "controller.ecc_latency=2us",
    "controller.ecc_rate=800MB/s",
    "controller.firmware_per_request=1us",
    "controller.firmware_per_page=1us",
];

const CASES: &[(&str, &[&[&str]], &str)] = &[
    ("sata/reads", &[SATA], READS),
    ("sata/everything", &[SATA], EVERYTHING),
    ("sata/few-slots", &[SATA, &["host.sata.slots=3", "host.sata.generation=1"]], LARGE_MIXED),
    ("sata/slow-frames", &[SATA, &["host.sata.frame_gap=300ns", "host.sata.generation=2"]], OPEN),
    ("sata/software", &[SATA, &["host.submit_time=2us", "host.complete_time=1us"]], MIXED),
    ("sata/stages", &[SATA, STAGES], MIXED),
    ("memory/reads", &[MEMORY], READS),
    ("memory/everything", &[MEMORY], EVERYTHING),
    ("memory/pins", &[MEMORY, &["link.kind=hbm", "link.latency=10ns", "host.command_limit=9"]], MIXED),
    ("nvme/small-ring", &[&["host.queue_entries=4", "host.fetch_limit=2"]], MIXED),
    ("nvme/doorbells", &[&["host.fetch=one-per-doorbell", "host.queue_entries=8"]], MIXED),
    ("nvme/queues", &[&["host.queues_per_flow=4", "host.queue_entries=4"]], MIXED),
    ("nvme/few-commands", &[FEW, &["host.queues_per_flow=3"]], MIXED),
    ("nvme/interrupts", &[&["host.interrupts.threshold=8", "host.interrupts.time=60us"]], MIXED),
    ("nvme/interrupt-time", &[&["host.interrupts.threshold=64", "host.interrupts.time=20us"]], OPEN),
    ("nvme/prp-lists", &[&["host.prp_lists=true"]], LARGE_MIXED),
    ("nvme/software", &[&["host.submit_time=2us", "host.complete_time=3us", "host.queues_per_flow=2"]], MIXED),
    ("link/narrow", &[&["link.lanes=1", "link.lane_rate=250MB/s", "link.max_payload=512B"]], LARGE_READS),
    ("link/far", &[&["link.latency=2us", "link.packet_overhead_bytes=60"]], MIXED),
    ("link/nanoseconds", &[&["link.rounding=lane-nanoseconds", "link.lanes=3"]], LARGE_MIXED),
    ("stages/all", &[STAGES], EVERYTHING),
    ("stages/partial", &[STAGES], PARTIAL),
    ("stages/collecting", &[STAGES, &["precondition.kind=steady"]], MIXED),
    ("stages/venice", &[STAGES, &["fabric.kind=venice"]], LARGE_MIXED),
    ("stages/firmware", &[&["controller.firmware_per_request=5us", "controller.firmware_per_page=3us"]], LARGE_READS),
    ("stages/ecc", &[&["controller.ecc_latency=8us", "controller.ecc_rate=100MB/s"]], MIXED),
    ("stages/bus", &[&["controller.system_bus=300MB/s"]], LARGE_MIXED),
    ("stages/dram", &[&["controller.dram=300MB/s"]], LARGE_MIXED),
    (
        "attached/slow-window",
        &[&["attachment.kind=sbsp", "attachment.dma.write_window=2", "attachment.dma.chunk=1KiB"]],
        MIXED,
    ),
    (
        "attached/no-north-dma",
        &[&["attachment.kind=nbsp", "attachment.interface=pata", "attachment.platform.north_dma=false"]],
        MIXED,
    ),
    (
        "attached/plain-platform",
        &[&[
            "attachment.kind=sbsp",
            "attachment.platform.dqs=false",
            "attachment.platform.dual_port_dram=false",
            "attachment.platform.command_packing=false",
        ]],
        MIXED,
    ),
    ("attached/all-direct", &[&["attachment.kind=nbdp", "attachment.direct.share=1.0"]], LARGE_MIXED),
    (
        "attached/apart",
        &[&["attachment.kind=sbdp", "attachment.direct.division=by-direction", "attachment.direct.share=0.3"]],
        MIXED,
    ),
    ("attached/sata", &[&["attachment.kind=sbsp", "host.protocol=sata"]], MIXED),
    ("attached/pata", &[&["attachment.kind=sbsp", "attachment.interface=pata"]], MIXED),
];

const CLASSES: [(&str, &str); 4] = [
    ("priority = \"urgent\"", "requests = 150; read_share = 0.9; size = \"4KiB\"; queue_depth = 8"),
    ("priority = \"high\"", "requests = 400; read_share = 0.7; size = \"4KiB\"; queue_depth = 32"),
    ("priority = \"medium\"", "requests = 400; read_share = 0.5; size = \"8KiB\"; queue_depth = 32"),
    ("priority = \"low\"", "requests = 400; read_share = 0.3; size = \"16KiB\"; queue_depth = 32"),
];

pub fn cases() -> Vec<Case> {
    let case = |(name, overrides, traffic): &(&str, &[&[&str]], &str)| {
        Case::small(&format!("host/{name}"), &overrides.concat(), &flow(traffic))
    };
    let mut cases: Vec<Case> = CASES.iter().map(case).collect();
    for kind in ["sbsp", "nbsp", "sbdp", "nbdp"] {
        let setting = format!("attachment.kind={kind}");
        for (name, traffic) in [("reads", LARGE_READS), ("everything", EVERYTHING)] {
            cases.push(Case::small(&format!("host/attached/{kind}/{name}"), &[setting.as_str()], &flow(traffic)));
        }
    }
    let weights = ["host.arbitration.high=8", "host.arbitration.medium=4", "host.arbitration.low=1"];
    for (method, burst) in [("round-robin", 0), ("round-robin", 4), ("weighted", 1), ("weighted", 3)] {
        let settings = [format!("host.arbitration.method={method}"), format!("host.arbitration.burst={burst}")];
        let settings: Vec<&str> =
            settings.iter().map(String::as_str).chain(FEW.iter().copied()).chain(weights).collect();
        cases.push(Case::small(&format!("host/arbitration/{method}/{burst}"), &settings, &flows("", &CLASSES)));
    }
    cases
}
