//! For each key: a situation in which it matters, and a change.

use std::sync::Arc;

use canaletto::TraceInput;
use canaletto::host::request;
use canaletto::workload::replay::{Record, RecordSource};

const READS: &str = "requests = 400\nread_share = 1.0\nsize = \"16KiB\"\nqueue_depth = 64";
const WRITES: &str = "requests = 3000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16";
const MIXED: &str = "requests = 3000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 32";
const PARTIAL: &str = "requests = 600\nread_share = 0.5\nsize = \"1KiB\"\nalignment = \"512B\"\nqueue_depth = 32";

const HOT: &str =
    "requests = 9000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16\naddresses = \"hot-cold\"\nhot_share = 0.1";
const THREE_BY_THREE: &[&str] = &["geometry.channels=3", "geometry.chips_per_channel=3", "ftl.allocation=WCDP"];
const PARITY: &[&str] = &["ftl.superblock=drive", "ftl.parity=die", "gc.reserved_blocks=2", "ftl.overprovisioning=0.7"];
const PARITY_OVER_CHANNELS: &[&str] =
    &["ftl.superblock=drive", "ftl.parity=channel", "gc.reserved_blocks=2", "ftl.overprovisioning=0.7"];
const LOST_DIE: &[&str] = &[
    "ftl.superblock=drive",
    "ftl.parity=die",
    "gc.reserved_blocks=2",
    "ftl.overprovisioning=0.7",
    "flash.failures.lost_die=1",
];
const SATA: &[&str] = &["host.protocol=sata"];
const FEW_COMMANDS: &[&str] = &["host.command_limit=4"];
const WEIGHTED: &[&str] = &["host.command_limit=4", "host.arbitration.method=weighted"];
const SPATIAL: &[&str] = &["fabric.kind=omnibus", "gc.scope=spatial", "ftl.write_placement=dynamic"];
const DETECTING: &[&str] = &[
    "fabric.kind=omnibus",
    "gc.scope=spatial",
    "ftl.write_placement=dynamic",
    "fabric.omnibus.chip_to_chip_ecc=detect",
];
const DETECTING_ERRORS: &[&str] = &[
    "fabric.kind=omnibus",
    "gc.scope=spatial",
    "ftl.write_placement=dynamic",
    "fabric.omnibus.chip_to_chip_ecc=detect",
    "flash.errors.base=0.004",
];
const VIA_CONTROLLER: &[&str] = &[
    "fabric.kind=omnibus",
    "gc.scope=spatial",
    "ftl.write_placement=dynamic",
    "fabric.omnibus.chip_to_chip_ecc=via-controller",
];
const CLUSTERS: &[&str] = &["fabric.kind=clusters", "geometry.chips_per_channel=8"];
const SCHEDULED: &[&str] = &["fabric.kind=scheduled-mesh"];
const CUSTOM: &[&str] = &["fabric.kind=custom"];
const ONE_FAILED: &[&str] = &["fabric.kind=scheduled-mesh", "fabric.failures.links=1"];
const BAST: &[&str] = &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes", "ftl.overprovisioning=0.6"];
/// 66 wrong bits of 8192 on average, of which 72 can be corrected.
const OUTER: &str = "controller.ecc.outer.codeword=4KiB";
const ERRORS: &[&str] = &["flash.errors.base=0.008"];
const RETENTION: &[&str] =
    &["flash.errors.retention.factor=0.002", "flash.errors.initial_pe_cycles=2", "flash.errors.initial_age_days=2.0"];
const DISTURB: &[&str] = &["flash.errors.disturb.factor=0.0001", "flash.errors.initial_pe_cycles=2"];
const OLD: &[&str] = &["flash.errors.initial_age_days=2.0", "precondition.kind=steady", "refresh.scan_interval=100us"];
const CACHED_MIX: &str =
    "requests = 2000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 16\nworking_set = 0.2\nflush_share = 0.02";
const FEW_PAGES: &str = "requests = 600\nread_share = 0.5\nworking_set = 0.05\nsize = \"4KiB\"\nqueue_depth = 64";
const LARGE: &str = "requests = 400\nread_share = 0.2\nsize = \"16KiB\"\nqueue_depth = 16";
const SPARSE: &str = "requests = 300\nread_share = 0.3\nsize = \"4KiB\"\ninter_arrival = \"400us\"";

const PSLC: &[&str] = &["flash.cell=tlc", "flash.pslc.static_size=128KiB"];
const FOLDING: &[&str] = &[
    "flash.cell=tlc",
    "flash.pslc.static_size=128KiB",
    "flash.pslc.high_watermark=0.4",
    "flash.pslc.low_watermark=0.0",
];

const CACHED: &[&str] = &["cache.capacity=128KiB"];

const FLIN: &[&str] = &[
    "scheduler.policy=flin",
    "scheduler.flin.epoch=400us",
    "scheduler.flin.read_threshold=32KiB",
    "scheduler.flin.write_threshold=64KiB",
    "scheduler.flin.fairness_threshold=0.95",
];

/// Longer than the first poll waits.
const POLLED: &[&str] =
    &["fabric.sequences=full", "fabric.interface=nv-ddr3", "flash.cell=mlc", "flash.read=[\"10us\", \"15us\"]"];
const ZONED: &[&str] = &["zns.zone_size=256KiB", "cache.capacity=1MiB", "cache.power_loss_protection=true"];
const APPENDS: &str =
    "requests = 400\nread_share = 0.0\nsize = \"8KiB\"\nqueue_depth = 8\nzone_work = \"append\"\nzones = 3";
const HOST_SCANS: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 32\n[flow.compute]\nkind = \"scan\"\nat = \"host\"";
const DRIVE_SCANS: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 32\n[flow.compute]\nkind = \"scan\"\nat = \"drive\"";
const CHANNEL_SCANS: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 32\n[flow.compute]\nkind = \"scan\"\nat = \"channel\"";
const CHIP_SCANS: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 32\n[flow.compute]\nkind = \"scan\"\nat = \"chip\"";
const GATHERS: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 32\n[flow.compute]\nkind = \"gather\"\nat = \"chip\"";
/// Operands of one plane.
const SENSED: &str = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 32\n[flow.compute]\nkind = \"gather\"\nat = \"array\"\noperands = 4\ndistance = \"32KiB\"";
const MESH: &[&str] = &["fabric.kind=mesh"];

const SOUTH: &[&str] = &["attachment.kind=sbsp"];
const NORTH: &[&str] = &["attachment.kind=nbsp"];
const DIRECT: &[&str] = &["attachment.kind=nbdp", "attachment.direct.share=1.0"];

pub const DESIGN: &[(&str, &str, &[&str], &str)] = &[
    ("name", "other", &[], READS),
    ("geometry.channels", "4", &[], READS),
    ("geometry.chips_per_channel", "4", &[], READS),
    ("geometry.dies_per_chip", "2", &[], READS),
    ("geometry.planes_per_die", "4", &[], READS),
    ("geometry.blocks_per_plane", "24", &[], WRITES),
    ("geometry.pages_per_block", "16", &[], WRITES),
    ("geometry.page", "8KiB", &[], READS),
    ("flash.cell", "tlc", &["flash.read=[\"3us\"]"], READS),
    ("flash.read", "5us", &[], READS),
    ("flash.program", "50us", &[], WRITES),
    ("flash.addressing", "byte", &["ftl.mapping=in-place"], PARTIAL),
    ("flash.erase", "4ms", &[], WRITES),
    ("flash.ready_delay", "100ns", &[], READS),
    ("flash.multi_plane", "off", &[], READS),
    ("flash.die_interleaving", "false", &["geometry.dies_per_chip=2"], READS),
    ("flash.busy_until_data_out", "true", &["flash.multi_plane=off", "fabric.transfer_order=commands-first"], READS),
    (
        "flash.page_order",
        "mqsim",
        &[
            "flash.cell=tlc",
            "flash.read=[\"3us\",\"9us\",\"20us\"]",
            "flash.program=[\"1us\",\"2us\",\"3us\"]",
            "geometry.pages_per_block=24",
        ],
        READS,
    ),
    ("flash.cache_read", "true", &["fabric.transfer_order=commands-first"], READS),
    ("flash.cache_read_busy", "9us", &["flash.cache_read=true", "fabric.transfer_order=commands-first"], READS),
    ("flash.independent_plane_reads", "true", &[], READS),
    ("flash.cache_program", "true", &[], WRITES),
    ("flash.cache_program_busy", "90us", &["flash.cache_program=true"], WRITES),
    ("flash.pslc.static_size", "64KiB", &["flash.cell=tlc"], WRITES),
    ("flash.pslc.dynamic_size", "128KiB", &["flash.cell=tlc"], WRITES),
    ("flash.pslc.read", "9us", PSLC, MIXED),
    ("flash.pslc.program", "50us", PSLC, WRITES),
    ("flash.pslc.erase", "9ms", FOLDING, WRITES),
    ("flash.pslc.endurance", "2", FOLDING, WRITES),
    ("flash.pslc.idle_time", "100us", PSLC, SPARSE),
    ("flash.pslc.high_watermark", "0.9", FOLDING, WRITES),
    (
        "flash.pslc.low_watermark",
        "0.0",
        &["flash.cell=tlc", "flash.pslc.static_size=128KiB", "flash.pslc.high_watermark=0.9"],
        WRITES,
    ),
    ("flash.suspend.operations", "both", &[], MIXED),
    ("flash.suspend.trigger", "reads-and-writes", &["flash.suspend.operations=erase"], MIXED),
    ("flash.suspend.suspend_time", "3us", &["flash.suspend.operations=program"], MIXED),
    ("flash.suspend.resume_time", "9us", &["flash.suspend.operations=program"], MIXED),
    ("flash.suspend.max_suspensions", "1", &["flash.suspend.operations=program"], MIXED),
    ("flash.suspend.min_remaining", "1us", &["flash.suspend.operations=program"], MIXED),
    ("flash.suspend.max_suspended_time", "1us", &["flash.suspend.operations=program"], MIXED),
    ("flash.failures.program", "0.01", &["ftl.overprovisioning=0.5"], WRITES),
    ("flash.failures.erase", "0.01", &["ftl.overprovisioning=0.5"], WRITES),
    ("flash.failures.read", "0.01", &[], READS),
    ("flash.failures.factory_bad", "0.1", &["ftl.overprovisioning=0.5"], WRITES),
    ("flash.failures.lost_die", "1", PARITY, MIXED),
    ("flash.failures.lost_channel", "1", PARITY_OVER_CHANNELS, MIXED),
    ("flash.failures.lost_at", "3ms", LOST_DIE, MIXED),
    ("flash.errors.base", "0.008", &[], READS),
    ("flash.errors.wear.factor", "0.004", &["flash.errors.initial_pe_cycles=2"], READS),
    (
        "flash.errors.wear.exponent",
        "3.0",
        &["flash.errors.wear.factor=0.001", "flash.errors.initial_pe_cycles=2"],
        READS,
    ),
    ("flash.errors.retention.factor", "0.004", RETENTION, READS),
    ("flash.errors.retention.cycles_exponent", "3.0", RETENTION, READS),
    ("flash.errors.retention.days_exponent", "3.0", RETENTION, READS),
    ("flash.errors.disturb.factor", "0.004", DISTURB, READS),
    ("flash.errors.disturb.cycles_exponent", "9.0", DISTURB, READS),
    ("flash.errors.disturb.reads_exponent", "4.0", DISTURB, READS),
    ("flash.errors.page_type_factors", "[1.2]", ERRORS, READS),
    ("flash.errors.retry_factor", "0.9", ERRORS, READS),
    ("flash.errors.initial_pe_cycles", "3", RETENTION, READS),
    ("flash.errors.initial_age_days", "3.0", RETENTION, READS),
    ("controller.ecc.codeword", "2KiB", ERRORS, READS),
    ("controller.ecc.correctable_bits", "60", ERRORS, READS),
    ("controller.ecc.max_read_retries", "0", ERRORS, READS),
    ("controller.ecc.outer.codeword", "4KiB", ERRORS, READS),
    ("controller.ecc.outer.correctable_bits", "250", &["flash.errors.base=0.008", OUTER], READS),
    ("controller.ecc.outer.inner_failure", "0.1", &[OUTER], PARTIAL),
    ("controller.ecc.outer.latency", "2us", &["controller.ecc.outer.inner_failure=0.1", OUTER], READS),
    ("fabric.kind", "ideal", &[], READS),
    ("fabric.link_rate", "600MB/s", &[], READS),
    ("fabric.burst_bytes", "48", &[], READS),
    ("fabric.beat_time", "whole-nanoseconds", &["fabric.burst_bytes=10"], READS),
    ("fabric.interface", "nv-ddr3", &[], WRITES),
    ("fabric.sequences", "full", &["fabric.interface=nv-ddr3"], READS),
    ("fabric.status.ready", "pin", &["fabric.sequences=full", "fabric.interface=nv-ddr3"], READS),
    ("fabric.status.period", "9us", POLLED, READS),
    ("fabric.turnarounds", "on-wires", &[], READS),
    ("fabric.transfer_order", "commands-first", &[], READS),
    ("fabric.order_bound", "5us", &["fabric.transfer_order=commands-first"], READS),
    ("fabric.command_time", "10ns", &[], READS),
    ("fabric.data_queue", "oldest-request", &[], READS),
    ("fabric.hold_path", "reads", &[], READS),
    ("fabric.network.link_rate", "500MB/s", &["fabric.kind=venice"], READS),
    ("fabric.network.router_delay", "9ns", &["fabric.kind=venice"], READS),
    ("fabric.network.controllers", "alternating", &["fabric.kind=venice"], READS),
    ("fabric.failures.links", "1", SCHEDULED, READS),
    ("fabric.failures.controllers", "1", SCHEDULED, READS),
    ("fabric.failures.placement", "1", ONE_FAILED, READS),
    ("fabric.failures.routers", "1", SCHEDULED, READS),
    ("fabric.failures.buses", "1", &["fabric.kind=omnibus"], READS),
    (
        "fabric.failures.switches",
        "1",
        &["fabric.kind=clusters", "fabric.clusters.chips_per_switch=2", "fabric.clusters.inner_buses=1"],
        READS,
    ),
    ("fabric.failures.spare_chips", "false", &["fabric.kind=omnibus", "fabric.failures.buses=3"], READS),
    ("fabric.failures.at", "100us", ONE_FAILED, READS),
    ("fabric.venice.scouts", "atomic", &["fabric.kind=venice"], READS),
    ("fabric.venice.retry", "immediate", &["fabric.kind=venice", "geometry.chips_per_channel=8"], READS),
    ("fabric.venice.retry_interval", "100ns", &["fabric.kind=venice", "geometry.chips_per_channel=8"], READS),
    ("fabric.venice.tear_down", "wire", &["fabric.kind=venice"], READS),
    ("fabric.venice.controller", "own-row", &["fabric.kind=venice"], READS),
    ("fabric.venice.as_printed", "true", &["fabric.kind=venice"], READS),
    ("energy.router", "synthesised", &["fabric.kind=venice"], READS),
    ("area.router", "synthesised", &["fabric.kind=venice"], READS),
    ("energy.array.read_power", "90mW", &[], READS),
    ("energy.array.program_power", "90mW", &[], WRITES),
    ("energy.array.erase_power", "90mW", &[], WRITES),
    ("energy.wires.channel", "9mW", &[], READS),
    ("energy.wires.termination", "1mW", &[], READS),
    ("energy.wires.link", "9mW", &["fabric.kind=venice"], READS),
    ("energy.wires.host_link", "9mW", &[], READS),
    ("energy.routers.circuit", "9mW", &["fabric.kind=venice"], READS),
    ("energy.routers.buffer", "9mW", &["fabric.kind=mesh"], READS),
    ("energy.idle.chip", "1mW", &[], READS),
    ("energy.idle.leakage", "0.5", &[], READS),
    ("energy.idle.controller", "1W", &[], READS),
    ("area.router_logic", "999um2", &["fabric.kind=venice"], READS),
    ("area.strobe_pins", "2", CLUSTERS, READS),
    ("area.on_die_controller", "0.1", &["fabric.kind=packetized"], READS),
    ("fabric.sca.ca_width", "1", &["fabric.kind=sca"], READS),
    ("fabric.sca.ca_rate", "50MB/s", &["fabric.kind=sca"], READS),
    ("fabric.omnibus.control.width", "1", &["fabric.kind=omnibus"], READS),
    ("fabric.omnibus.control.rate", "50MB/s", &["fabric.kind=omnibus"], READS),
    ("fabric.omnibus.control.delay", "100ns", &["fabric.kind=omnibus"], READS),
    ("fabric.omnibus.v_page_registers", "1", SPATIAL, WRITES),
    ("fabric.omnibus.chip_to_chip_ecc", "detect", SPATIAL, WRITES),
    ("fabric.omnibus.detect_time", "9us", DETECTING, WRITES),
    ("fabric.omnibus.detect_bits", "0", DETECTING_ERRORS, WRITES),
    ("fabric.omnibus.via_controller_every", "1", VIA_CONTROLLER, WRITES),
    ("fabric.omnibus.late_split", "1KiB", &["fabric.kind=omnibus"], READS),
    ("fabric.omnibus.transfers_per_controller", "1", &["fabric.kind=omnibus"], READS),
    ("fabric.clusters.chips_per_switch", "4", CLUSTERS, READS),
    ("fabric.clusters.inner_buses", "2", CLUSTERS, READS),
    ("fabric.clusters.trunks", "1", CLUSTERS, READS),
    ("fabric.clusters.setup", "100ns", CLUSTERS, READS),
    ("fabric.clusters.delay", "10ns", CLUSTERS, READS),
    ("fabric.clusters.grant_width", "1", CLUSTERS, READS),
    ("fabric.clusters.grant_rate", "50MB/s", CLUSTERS, READS),
    ("fabric.clusters.chunk", "1KiB", CLUSTERS, READS),
    ("fabric.custom.grant_delay", "50ns", CUSTOM, READS),
    ("fabric.custom.route", "x-then-y", CUSTOM, READS),
    ("fabric.scheduled_mesh.search_step", "50ns", SCHEDULED, READS),
    ("fabric.scheduled_mesh.setup", "100ns", SCHEDULED, READS),
    ("fabric.scheduled_mesh.grant_width", "1", SCHEDULED, READS),
    ("fabric.scheduled_mesh.grant_rate", "50MB/s", SCHEDULED, READS),
    ("fabric.mesh.buffer", "4160B", MESH, READS),
    ("fabric.mesh.packet", "1KiB", MESH, READS),
    ("fabric.mesh.controller", "least-loaded", MESH, READS),
    ("host.protocol", "sata", &[], READS),
    ("host.submit_time", "1us", &[], READS),
    ("host.complete_time", "1us", &[], READS),
    ("host.interrupt_latency", "1us", &[], READS),
    ("host.queues_per_flow", "4", &["host.queue_entries=8"], READS),
    ("host.command_limit", "4", &[], READS),
    ("host.arbitration.method", "weighted", FEW_COMMANDS, TWO_CLASSES),
    ("host.arbitration.burst", "8", FEW_COMMANDS, TWO_CLASSES),
    ("host.arbitration.high", "9", WEIGHTED, TWO_CLASSES),
    ("host.arbitration.medium", "9", WEIGHTED, THREE_CLASSES),
    ("host.arbitration.low", "9", WEIGHTED, TWO_CLASSES),
    ("host.interrupts.threshold", "4", &["host.interrupts.time=100us"], READS),
    ("host.interrupts.time", "50us", &["host.interrupts.threshold=64"], READS),
    ("host.prp_lists", "true", &[], READS),
    ("host.sata.generation", "2", SATA, READS),
    ("host.sata.slots", "4", SATA, READS),
    ("host.sata.frame_gap", "100ns", SATA, READS),
    ("host.queue_entries", "8", &[], READS),
    ("host.fetch_limit", "4", &[], READS),
    ("host.fetch", "one-per-doorbell", &[], READS),
    ("host.submission_entry_bytes", "128", &[], READS),
    ("fabric.load.full_rate_dies", "1", &[], READS),
    ("fabric.load.dies_per_buffer", "2", &["fabric.load.full_rate_dies=1"], READS),
    ("fabric.load.buffer_delay", "50ns", &["fabric.load.full_rate_dies=1", "fabric.load.dies_per_buffer=2"], READS),
    ("fabric.chain.hop_delay", "90ns", &["fabric.kind=daisy-chain"], READS),
    ("link.kind", "ucie", &[], READS),
    ("link.lanes", "2", &[], READS),
    ("link.lane_rate", "1GB/s", &[], READS),
    ("link.latency", "300ns", &[], READS),
    ("link.max_payload", "512B", &[], READS),
    ("link.packet_overhead_bytes", "40", &[], READS),
    ("link.rounding", "lane-nanoseconds", &[], READS),
    ("attachment.kind", "sbsp", &[], READS),
    ("attachment.interface", "pata", SOUTH, READS),
    ("attachment.platform.north_dma", "false", NORTH, READS),
    ("attachment.platform.dqs", "false", NORTH, READS),
    ("attachment.platform.dual_port_dram", "false", DIRECT, READS),
    ("attachment.platform.command_packing", "false", DIRECT, READS),
    ("attachment.dma.chunk", "1KiB", SOUTH, READS),
    ("attachment.dma.write_window", "4", SOUTH, WRITES),
    ("attachment.bridges.north_arbitration", "30ns", SOUTH, READS),
    ("attachment.bridges.south_arbitration", "30ns", SOUTH, READS),
    ("attachment.bridges.lanes", "2", SOUTH, READS),
    ("attachment.bridges.lane_rate", "500MB/s", SOUTH, READS),
    ("attachment.bridges.latency", "300ns", SOUTH, READS),
    ("attachment.bridges.max_payload", "256B", SOUTH, READS),
    ("attachment.ata.rate", "150MB/s", SOUTH, READS),
    ("attachment.ata.frame", "1KiB", SOUTH, READS),
    ("attachment.ata.handshake", "1us", SOUTH, READS),
    ("attachment.ddr.rate", "5.3GB/s", NORTH, READS),
    ("attachment.ddr.trcd", "20ns", NORTH, READS),
    ("attachment.ddr.tcl", "20ns", NORTH, READS),
    ("attachment.ddr.trp", "20ns", NORTH, READS),
    ("attachment.ddr.dqs_delay", "20ns", NORTH, READS),
    ("attachment.ddr.shared", "false", NORTH, READS),
    ("attachment.direct.rate", "1GB/s", DIRECT, READS),
    ("attachment.direct.division", "by-direction", DIRECT, READS),
    ("attachment.direct.share", "0.5", DIRECT, READS),
    ("controller.system_bus", "2GB/s", &[], READS),
    ("controller.dram", "2GB/s", &[], READS),
    ("controller.ecc_latency", "2us", &[], READS),
    ("controller.ecc_rate", "800MB/s", &[], READS),
    ("controller.ecc_overlap", "false", &["controller.ecc_latency=9us"], READS),
    ("controller.firmware_per_request", "1us", &[], READS),
    ("controller.firmware_per_write", "5us", &[], WRITES),
    ("controller.firmware_per_append", "5us", ZONED, APPENDS),
    ("controller.firmware_per_page", "1us", &[], READS),
    ("controller.write_latency", "1us", &[], WRITES),
    ("controller.pages_in_flight", "1", &[], LARGE),
    ("ftl.mapping_unit", "1KiB", &[], PARTIAL),
    ("ftl.mapping", "bast", &["ftl.unwritten_reads=zeroes"], WRITES),
    ("ftl.hybrid.log_blocks", "2", BAST, WRITES),
    ("cache.capacity", "128KiB", &[], CACHED_MIX),
    ("cache.mode", "read", CACHED, CACHED_MIX),
    ("cache.sharing", "equal", CACHED, TWO_CLASSES),
    ("cache.power_loss_protection", "false", CACHED, CACHED_MIX),
    ("cache.reads_wait", "true", &["cache.capacity=4KiB"], CACHED_MIX),
    ("cache.destage", "first-writes", CACHED, CACHED_MIX),
    ("cache.high_watermark", "0.9", CACHED, CACHED_MIX),
    ("cache.low_watermark", "0.1", CACHED, CACHED_MIX),
    ("cache.idle_destage", "20us", CACHED, SPARSE),
    ("cache.destages_per_plane", "1", &["cache.capacity=512KiB"], WRITES),
    ("cache.keep_destaged", "false", CACHED, CACHED_MIX),
    ("cache.dram.trcd", "30ns", CACHED, CACHED_MIX),
    ("cache.dram.tcl", "30ns", CACHED, CACHED_MIX),
    ("cache.dram.trp", "30ns", CACHED, LARGE),
    ("cache.dram.row", "1KiB", CACHED, CACHED_MIX),
    ("cache.dram.rate", "1GB/s", CACHED, CACHED_MIX),
    ("cache.dram.burst", "12KiB", CACHED, CACHED_MIX),
    ("cache.dram.timing", "mqsim", CACHED, LARGE),
    ("ftl.overprovisioning", "0.4", &[], WRITES),
    ("ftl.min_spare_blocks", "9", &[], WRITES),
    ("ftl.allocation", "PWCD", &[], READS),
    ("ftl.numbering", "latin", THREE_BY_THREE, READS),
    ("ftl.unwritten_reads", "zeroes", &[], READS),
    ("ftl.map_update", "issue", &[], PARTIAL),
    ("ftl.partial_writes", "new-sectors", &[], PARTIAL),
    ("ftl.write_placement", "dynamic", &[], WRITES),
    ("ftl.superblock", "die", &[], WRITES),
    ("ftl.parity", "die", &["ftl.superblock=drive"], WRITES),
    (
        "fabric.network.chip_to_chip",
        "true",
        &["fabric.kind=venice", "gc.scope=spatial", "ftl.write_placement=dynamic"],
        WRITES,
    ),
    ("compute.host.rate", "1GB/s", &[], HOST_SCANS),
    ("compute.host.latency", "9us", &[], HOST_SCANS),
    ("compute.host.power", "9W", &[], HOST_SCANS),
    ("compute.drive.rate", "1GB/s", &[], DRIVE_SCANS),
    ("compute.drive.latency", "9us", &[], DRIVE_SCANS),
    ("compute.drive.power", "9W", &[], DRIVE_SCANS),
    ("compute.drive.buffer", "4KiB", &[], DRIVE_SCANS),
    ("compute.channel.rate", "100MB/s", &[], CHANNEL_SCANS),
    ("compute.channel.latency", "9us", &[], CHANNEL_SCANS),
    ("compute.channel.power", "9W", &[], CHANNEL_SCANS),
    ("compute.channel.buffer", "4KiB", &[], CHANNEL_SCANS),
    ("compute.chip.rate", "100MB/s", &[], CHIP_SCANS),
    ("compute.chip.latency", "9us", &[], CHIP_SCANS),
    ("compute.chip.power", "9W", &[], CHIP_SCANS),
    ("compute.chip.buffer", "8KiB", &[], GATHERS),
    ("compute.array.operands", "2", &["compute.array.groups=1"], SENSED),
    ("compute.array.groups", "1", &[], SENSED),
    ("compute.array.longer", "9us", &["compute.array.groups=1"], SENSED),
    ("fdp.handles", "2", &["ftl.superblock=drive"], WRITES),
    ("fdp.isolation", "persistent", &["ftl.superblock=drive", "fdp.handles=2"], WRITES),
    ("namespace", "[{ name = \"a\", size = \"1MiB\" }]", &[], READS),
    ("zns.zone_size", "512KiB", ZONED, APPENDS),
    ("zns.zone_capacity", "128KiB", ZONED, APPENDS),
    ("zns.max_open", "2", ZONED, APPENDS),
    (
        "zns.max_active",
        "2",
        &["zns.zone_size=256KiB", "zns.max_open=2", "cache.capacity=1MiB", "cache.power_loss_protection=true"],
        APPENDS,
    ),
    ("zns.append_limit", "4KiB", ZONED, APPENDS),
    ("zns.random_write_area", "16KiB", ZONED, APPENDS),
    ("zns.pages_per_program", "2", ZONED, APPENDS),
    ("zns.stripe.dies", "2", ZONED, APPENDS),
    (
        "zns.stripe.channels",
        "1",
        &["zns.zone_size=256KiB", "zns.stripe.dies=2", "cache.capacity=1MiB", "cache.power_loss_protection=true"],
        APPENDS,
    ),
    ("zns.stripe.planes", "1", ZONED, APPENDS),
    ("gc.policy", "fifo", &[], WRITES),
    ("gc.choices", "2", &["gc.policy=d-choices"], WRITES),
    ("gc.min_invalid_share", "0.9", &["gc.policy=random-plus"], WRITES),
    ("gc.scope", "parallel", &["ftl.write_placement=dynamic"], WRITES),
    ("gc.preemptible", "false", &[], WRITES),
    ("gc.copies_in_flight", "1", &[], WRITES),
    ("gc.pacing", "both", &["ftl.superblock=drive"], WRITES),
    ("gc.victims_per_plane", "2", SPATIAL, WRITES),
    ("gc.epoch_trigger", "plane", SPATIAL, WRITES),
    ("gc.group_share", "1.0", SPATIAL, WRITES),
    ("precondition.kind", "steady", &[], WRITES),
    ("precondition.occupancy", "0.5", &["precondition.kind=replay"], WRITES),
    ("wear.dynamic", "false", &["wear.static_threshold=0"], WRITES),
    ("wear.static_threshold", "2", &["gc.policy=fifo", "ftl.overprovisioning=0.5"], HOT),
    ("wear.endurance", "2", &["ftl.overprovisioning=0.6"], WRITES),
    ("refresh.read_limit", "5", &[], READS),
    ("refresh.age_limit_days", "1.0", OLD, SPARSE),
    (
        "refresh.scan_interval",
        "20us",
        &["refresh.age_limit_days=1.0", "flash.errors.initial_age_days=2.0", "precondition.kind=steady"],
        SPARSE,
    ),
    ("mapping.cache_capacity", "1KiB", &[], READS),
    ("mapping.cached_entry_bytes", "16", &["mapping.cache_capacity=1KiB"], READS),
    ("mapping.flash_entry_bytes", "64", &["mapping.cache_capacity=1KiB"], READS),
    ("mapping.sharing", "equal", &["mapping.cache_capacity=1KiB"], TWO_PARTS),
    ("mapping.entries_per_miss", "8", &["mapping.cache_capacity=1KiB"], READS),
    ("mapping.read_unit", "sector", &["mapping.cache_capacity=1KiB"], READS),
    ("mapping.initial_table", "empty", &["mapping.cache_capacity=1KiB"], READS),
    ("mapping.write_backs", "never-issued", &["mapping.cache_capacity=1KiB"], WRITES),
    ("mapping.waiters", "reads-first", &["mapping.cache_capacity=64B", "ftl.write_placement=dynamic"], FEW_PAGES),
    ("gc.threshold", "0.3", &[], WRITES),
    ("gc.hard_threshold", "0.2", &[], WRITES),
    ("gc.reserved_blocks", "2", &[], WRITES),
    ("gc.copyback", "true", &[], WRITES),
    ("gc.copyback_check_every", "2", &["gc.copyback=true"], WRITES),
    ("scheduler.priorities", "false", &[], TWO_CLASSES),
    ("scheduler.round_robin_advance", "on-poll", &[], TWO_CLASSES),
    ("scheduler.looks", "each-batch", &["mapping.cache_capacity=64B", "ftl.write_placement=dynamic"], FEW_PAGES),
    ("scheduler.policy", "flin", &[], TWO_PARTS),
    ("scheduler.flin.epoch", "50us", FLIN, TWO_PARTS),
    ("scheduler.flin.read_threshold", "0B", FLIN, TWO_PARTS),
    ("scheduler.flin.write_threshold", "0B", FLIN, TWO_PARTS),
    ("scheduler.flin.fairness_threshold", "0.0", FLIN, TWO_PARTS),
];

const TWO_CLASSES: &str = "two classes";

const THREE_CLASSES: &str = "three classes";

const TWO_PARTS: &str = "two parts";

fn two_classes() -> String {
    classes(&["high", "low"])
}

fn classes(priorities: &[&str]) -> String {
    let flow = |(number, priority): (usize, &&str)| {
        format!(
            "[[flow]]\nname = \"{number}\"\npriority = \"{priority}\"\n[flow.synthetic]\nrequests = 600\nread_share = 0.7\nsize = \"4KiB\"\nqueue_depth = 32\n"
        )
    };
    format!("name = \"classes\"\n{}", priorities.iter().enumerate().map(flow).collect::<String>())
}

pub fn workload_text(body: &str) -> String {
    if body == TWO_CLASSES {
        two_classes()
    } else if body == THREE_CLASSES {
        classes(&["high", "medium", "low"])
    } else if body == TWO_PARTS {
        PARTS.to_owned()
    } else {
        format!("name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\n{body}\n")
    }
}

struct Canned(Vec<Record>);

impl RecordSource for Canned {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        batch.clear();
        batch.append(&mut self.0);
        Ok(())
    }
}

pub fn canned() -> TraceInput {
    let records: Vec<Record> = (0..200)
        .map(|i| Record {
            arrival_ns: 1_000_000 + i * 3000,
            device: (i % 2) as u32,
            offset_bytes: (i * 7 % 50) * 122_880 + 512 * (i % 2) * 900,
            bytes: 4096,
            kind: if i % 3 == 0 { request::Kind::Write } else { request::Kind::Read },
            ..Record::PLAIN
        })
        .collect();
    let open = move || Ok(Box::new(Canned(records.clone())) as Box<dyn RecordSource>);
    TraceInput { source: open().unwrap(), again: Some(Arc::new(open)) }
}

const TRACE: &str = "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"x\"\nout_of_range = \"wrap\"\n";
const MIX: &str = "name = \"w\"\n[[flow]]\nname = \"a\"\n[[flow.mix.trace]]\nfile = \"x\"\nout_of_range = \"wrap\"\n[[flow.mix.trace]]\nfile = \"y\"\nout_of_range = \"fit\"\n";
const PARTS: &str = "name = \"w\"\npartitioned = true\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 300\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8\n[[flow]]\nname = \"b\"\n[flow.synthetic]\nrequests = 300\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8\n";

const FEW_HOT: &str =
    "requests = 300\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8\naddresses = \"hot-cold\"\nhot_share = 0.1";
const SIZES: &str = "requests = 600\nread_share = 0.5\nqueue_depth = 8\n\
     sizes = [{ size = \"4KiB\", share = 0.7 }, { size = \"16KiB\", share = 0.3 }]\n\
     write_sizes = [{ size = \"4KiB\", share = 0.7 }, { size = \"16KiB\", share = 0.3 }]";

type Row = (&'static str, Vec<&'static str>, String);

pub fn workload_table() -> Vec<Row> {
    let one = workload_text(PARTIAL);
    let more = |body: &str, keys: &str| workload_text(&format!("{body}\n{keys}"));
    let open_body = "requests = 300\nread_share = 0.5\nsize = \"4KiB\"\ninter_arrival = \"10us\"";
    let zipf = more(PARTIAL, "addresses = \"zipf\"\nzipf_exponent = 1.2");
    let runs = more(PARTIAL, "sequential_share = 0.5");
    let skewed = more(PARTIAL, "channel_skew = { share = 0.6, channels = 2 }");
    let hot_spot = more(PARTIAL, "hot_spot = { at = \"channel\", share = 0.7 }");
    let mixed = workload_text(SIZES);
    let bursty = more(open_body, "burstiness = 4.0");
    let paused = more(open_body, "on_time = \"200us\"\noff_time = \"200us\"");
    let waves = more(open_body, "diurnal = { period = \"1ms\", amplitude = 0.8 }");
    let open = workload_text(open_body);
    let mut rows = flow_rows();
    rows.extend(vec![
        ("flow.synthetic.requests", vec!["flow.0.synthetic.requests=100"], one.clone()),
        ("flow.synthetic.stop", vec!["flow.0.synthetic.stop=1ms"], one.clone()),
        ("flow.synthetic.read_share", vec!["flow.0.synthetic.read_share=0.9"], one.clone()),
        ("flow.synthetic.trim_share", vec!["flow.0.synthetic.trim_share=0.2"], one.clone()),
        ("flow.synthetic.flush_share", vec!["flow.0.synthetic.flush_share=0.2"], one.clone()),
        ("flow.synthetic.write_zeroes_share", vec!["flow.0.synthetic.write_zeroes_share=0.5"], one.clone()),
        ("flow.synthetic.fua_share", vec!["flow.0.synthetic.fua_share=0.5"], one.clone()),
        ("flow.synthetic.addresses", vec!["flow.0.synthetic.addresses=sequential"], one.clone()),
        ("flow.synthetic.hot_share", vec!["flow.0.synthetic.hot_share=0.4"], workload_text(FEW_HOT)),
        ("flow.synthetic.zipf_exponent", vec!["flow.0.synthetic.zipf_exponent=0.5"], zipf.clone()),
        ("flow.synthetic.popular_regions", vec!["flow.0.synthetic.popular_regions=2"], zipf),
        ("flow.synthetic.working_set_size", vec!["flow.0.synthetic.working_set_size=256KiB"], one.clone()),
        ("flow.synthetic.working_set_offset", vec!["flow.0.synthetic.working_set_offset=256KiB"], one.clone()),
        ("flow.synthetic.think_time", vec!["flow.0.synthetic.think_time=5us"], one.clone()),
        ("flow.synthetic.sequential_share", vec!["flow.0.synthetic.sequential_share=0.4"], one.clone()),
        ("flow.synthetic.run_length", vec!["flow.0.synthetic.run_length=9"], runs),
        ("flow.synthetic.recent_share", vec!["flow.0.synthetic.recent_share=0.4"], one.clone()),
        ("flow.synthetic.zone_work", vec!["flow.0.synthetic.zone_work=append"], one.clone()),
        ("flow.synthetic.zones", vec!["flow.0.synthetic.zones=2"], one.clone()),
        ("flow.synthetic.channel_skew.share", vec!["flow.0.synthetic.channel_skew.share=0.9"], skewed.clone()),
        ("flow.synthetic.channel_skew.channels", vec!["flow.0.synthetic.channel_skew.channels=4"], skewed.clone()),
        ("flow.synthetic.channel_skew.page", vec!["flow.0.synthetic.channel_skew.page=16KiB"], skewed),
        ("flow.synthetic.hot_spot.at", vec!["flow.0.synthetic.hot_spot.at=chip"], hot_spot.clone()),
        ("flow.synthetic.hot_spot.share", vec!["flow.0.synthetic.hot_spot.share=0.9"], hot_spot),
        ("flow.synthetic.sizes", vec!["flow.0.synthetic.sizes.0.share=0.1"], mixed.clone()),
        ("flow.synthetic.write_sizes", vec!["flow.0.synthetic.write_sizes.1.size=24KiB"], mixed),
        ("flow.synthetic.burstiness", vec!["flow.0.synthetic.burstiness=5"], open.clone()),
        ("flow.synthetic.burst_share", vec!["flow.0.synthetic.burst_share=0.7"], bursty),
        ("flow.synthetic.on_time", vec!["flow.0.synthetic.on_time=100us"], paused.clone()),
        ("flow.synthetic.off_time", vec!["flow.0.synthetic.off_time=500us"], paused),
        ("flow.synthetic.diurnal.period", vec!["flow.0.synthetic.diurnal.period=300us"], waves.clone()),
        ("flow.synthetic.diurnal.amplitude", vec!["flow.0.synthetic.diurnal.amplitude=0.1"], waves),
        ("flow.synthetic.working_set", vec!["flow.0.synthetic.working_set=0.1"], one.clone()),
        ("flow.synthetic.alignment", vec!["flow.0.synthetic.alignment=4KiB"], one.clone()),
        ("flow.synthetic.size", vec!["flow.0.synthetic.size=8KiB"], one.clone()),
        (
            "flow.synthetic.size_unit",
            vec!["flow.0.synthetic.size_unit=1KiB", "flow.0.synthetic.size=1536B"],
            workload_text(&PARTIAL.replace("1KiB", "1536B")),
        ),
        ("flow.synthetic.size_deviation", vec!["flow.0.synthetic.size_deviation=2KiB"], one.clone()),
        ("flow.synthetic.queue_depth", vec!["flow.0.synthetic.queue_depth=2"], one.clone()),
        ("flow.synthetic.inter_arrival", vec!["flow.0.synthetic.inter_arrival=50us"], open.clone()),
        ("flow.synthetic.arrivals", vec!["flow.0.synthetic.arrivals=fixed"], open),
        ("flow.threads", vec!["flow.0.threads=2"], one.clone()),
        ("flow.synthetic.start", vec!["flow.0.synthetic.start=1us"], two_classes()),
        ("flow.synthetic.mqsim_seed", vec!["flow.0.synthetic.mqsim_seed=3"], one),
    ]);
    rows.extend(replayed_rows());
    rows
}

fn flow_rows() -> Vec<Row> {
    let (one, parts) = (workload_text(PARTIAL), PARTS.to_owned());
    let open = workload_text("requests = 300\nread_share = 0.5\nsize = \"4KiB\"\ninter_arrival = \"10us\"");
    vec![
        ("name", vec!["name=other"], one.clone()),
        ("partitioned", vec!["partitioned=false"], parts.clone()),
        ("last_flow_first", vec!["last_flow_first=true"], parts.clone()),
        ("inter_arrival", vec!["inter_arrival=33us"], open),
        ("flow.name", vec!["flow.0.name=other"], one.clone()),
        ("flow.priority", vec!["flow.0.priority=low"], two_classes()),
        ("flow.namespace", vec!["flow.0.namespace=\"2\""], one.clone()),
        ("flow.handle", vec!["flow.0.handle=1"], one.clone()),
        ("flow.reclaim_group", vec!["flow.0.reclaim_group=0"], one.clone()),
        ("flow.cache", vec!["flow.0.cache=off"], one),
        ("flow.compute.kind", vec!["flow.0.compute.kind=reduce"], workload_text(CHIP_SCANS)),
        ("flow.compute.at", vec!["flow.0.compute.at=host"], workload_text(CHIP_SCANS)),
        ("flow.compute.operands", vec!["flow.0.compute.operands=3"], workload_text(GATHERS)),
        ("flow.compute.distance", vec!["flow.0.compute.distance=4KiB"], workload_text(GATHERS)),
        ("flow.compute.returned", vec!["flow.0.compute.returned=0.5"], workload_text(CHIP_SCANS)),
        (
            "flow.compute.result",
            vec!["flow.0.compute.result=1KiB"],
            workload_text(&CHIP_SCANS.replace("scan", "reduce")),
        ),
        ("flow.channels", vec!["flow.0.channels=[0]"], parts.clone()),
        ("flow.chips", vec!["flow.0.chips=[0]"], parts.clone()),
        ("flow.dies", vec!["flow.0.dies=[7]"], parts.clone()),
        ("flow.planes", vec!["flow.0.planes=[0]"], parts.clone()),
        ("flow.occupancy", vec!["flow.0.occupancy=0.5"], parts),
    ]
}

fn replayed_rows() -> Vec<Row> {
    let trace = TRACE.to_owned();
    vec![
        ("flow.trace.requests", vec!["flow.0.trace.requests=50"], trace.clone()),
        ("flow.trace.queue_depth", vec!["flow.0.trace.queue_depth=4"], trace.clone()),
        ("flow.trace.devices", vec!["flow.0.trace.devices=offset"], trace.clone()),
        ("flow.trace.out_of_range", vec!["flow.0.trace.out_of_range=fit"], trace.clone()),
        ("flow.trace.keep_start", vec!["flow.0.trace.keep_start=true"], trace.clone()),
        ("flow.trace.after", vec!["flow.0.trace.after=90us"], trace.clone()),
        ("flow.trace.until", vec!["flow.0.trace.until=90us"], trace.clone()),
        ("flow.trace.skip", vec!["flow.0.trace.skip=10"], trace.clone()),
        ("flow.trace.every", vec!["flow.0.trace.every=3"], trace.clone()),
        ("flow.trace.sample", vec!["flow.0.trace.sample=0.5"], trace.clone()),
        ("flow.trace.repeat", vec!["flow.0.trace.repeat=2"], trace.clone()),
        ("flow.trace.as_fast_as_possible", vec!["flow.0.trace.as_fast_as_possible=true"], trace.clone()),
        ("flow.trace.speed", vec!["flow.0.trace.speed=2.5"], trace.clone()),
        ("flow.trace.inter_arrival", vec!["flow.0.trace.inter_arrival=1us"], trace.clone()),
        ("flow.trace.start", vec!["flow.0.trace.start=7us"], trace.clone()),
        ("flow.trace.offset", vec!["flow.0.trace.offset=64KiB"], trace.clone()),
        ("flow.trace.region_size", vec!["flow.0.trace.region_size=128KiB"], trace),
        ("flow.mix.trace", vec!["flow.0.mix.trace.1.speed=3.0"], MIX.to_owned()),
        ("flow.mix.requests", vec!["flow.0.mix.requests=50"], MIX.to_owned()),
        ("flow.mix.queue_depth", vec!["flow.0.mix.queue_depth=4"], MIX.to_owned()),
        ("flow.mix.as_fast_as_possible", vec!["flow.0.mix.as_fast_as_possible=true"], MIX.to_owned()),
        ("flow.mix.speed", vec!["flow.0.mix.speed=0.5"], MIX.to_owned()),
        ("flow.mix.inter_arrival", vec!["flow.0.mix.inter_arrival=9us"], MIX.to_owned()),
    ]
}

const DRIVE: &[&str] = &["cache.capacity=64KiB", "cache.power_loss_protection=false"];

pub fn drive_of(key: &str) -> &'static [&'static str] {
    match key {
        "flow.occupancy" => &["precondition.kind=steady"],
        _ if key.starts_with("flow.compute.") => &[],
        _ => DRIVE,
    }
}
