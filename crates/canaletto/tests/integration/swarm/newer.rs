//! Drawn after the golden set's keys and not for it, so that its drives stay as they were drawn.

use canaletto::config::design::{FabricKind, Policy, VictimPolicy};
use canaletto::config::named::Named;
use proptest::prelude::*;

use super::designs::{Setting, any, rarely};
use super::workloads::workloads;

/// Keys that [`designs`](super::designs::designs) also has are drawn anew.
pub fn newer() -> Vec<Setting> {
    let mut keys = vec![
        small_mapping_caches(),
        rarely("host.protocol", "nvme", ["sata", "memory"]),
        any("link.kind", ["pcie", "pcie", "ucie"]),
        any("gc.epoch_trigger", ["device", "device", "plane"]),
        rarely("fabric.hold_path", "never", ["reads", "always"]),
        any("fabric.venice.retry", ["local", "oracle", "immediate"]),
        any("fabric.venice.retry_interval", ["100ns", "1us", "30us"]),
        any("fabric.venice.tear_down", ["packet", "wire"]),
        any("fabric.omnibus.control.rate", ["1GB/s", "1GB/s", "20MB/s"]),
        any("fabric.omnibus.control.delay", ["3ns", "1us"]),
        rarely("fabric.omnibus.late_split", "0B", ["1KiB"]),
        any("fabric.mesh.controller", ["own-row", "least-loaded"]),
        any("fabric.omnibus.transfers_per_controller", [2, 2, 1]),
        any("fabric.custom.route", ["shortest", "x-then-y"]),
        any("fabric.venice.as_printed", [false, true]),
        any("fabric.interface", ["nv-ddr3", "nv-lpddr4", "toggle"]),
        rarely("fabric.sequences", "short", ["full"]),
        any("fabric.status.ready", ["poll", "pin"]),
        any("fabric.status.period", ["30us", "5us", "1ms"]),
        rarely("flash.cache_read", false, [true]),
        any("flash.cache_read_busy", ["3us", "0ns", "50us"]),
        rarely("flash.independent_plane_reads", false, [true]),
        rarely("flash.cache_program", false, [true]),
        any("flash.cache_program_busy", ["3us", "0ns", "50us"]),
        any("fabric.kind", FabricKind::NAMES),
        any("gc.policy", VictimPolicy::NAMES),
        any("scheduler.policy", Policy::NAMES),
        any("fabric.order_bound", ["1ms", "0ns", "10us"]),
        rarely("ftl.numbering", "row-major", ["latin"]),
        any("fabric.sca.ca_width", [2, 1, 4]),
        any("fabric.sca.ca_rate", ["400MB/s", "400MB/s", "20MB/s"]),
        any("fabric.clusters.chips_per_switch", [8, 4, 12]),
        any("fabric.clusters.inner_buses", [4, 2, 1]),
        any("fabric.clusters.trunks", [4, 2, 1]),
        rarely("fabric.clusters.chunk", "0B", ["512B"]),
        any("fabric.clusters.grant_rate", ["400MB/s", "400MB/s", "20MB/s"]),
        any("fabric.load.full_rate_dies", [0, 0, 1, 3]),
        any("fabric.load.dies_per_buffer", [0, 2, 5]),
        any("fabric.chain.hop_delay", ["10ns", "0ns", "400ns"]),
        any("fabric.custom.grant_delay", ["0ns", "0ns", "60ns"]),
        any("fabric.failures.links", [0, 0, 1, 3]),
        any("fabric.failures.placement", [0, 1, 2]),
        any("fabric.scheduled_mesh.search_step", ["1ns", "0ns", "300ns"]),
        any("fabric.scheduled_mesh.setup", ["20ns", "0ns"]),
        any("fabric.scheduled_mesh.grant_width", [2, 1, 8]),
        any("fabric.scheduled_mesh.grant_rate", ["400MB/s", "400MB/s", "20MB/s"]),
        any("flash.pslc.static_size", ["0B", "0B", "1B"]),
        any("flash.pslc.dynamic_size", ["0B", "1B", "1GiB"]),
        any("flash.pslc.program", ["20us", "5us"]),
        any("flash.pslc.erase", ["0us", "30us"]),
        rarely("flash.pslc.endurance", "0", ["7"]),
        any("flash.pslc.idle_time", ["0us", "30us", "1ms"]),
        any("flash.pslc.high_watermark", ["1", "0.6", "0"]),
        any("flash.pslc.low_watermark", ["0"]),
        any("ftl.mapping_unit", [1.0, 1.0, 0.5, 0.25, 0.125, 2.0, 4.0]),
        rarely("controller.ecc_overlap", true, [false]),
        any("controller.ecc.codeword", ["1KiB", "512B"]),
        any("controller.ecc.outer.codeword", ["0B", "0B", "2KiB", "4KiB"]),
        any("controller.ecc.outer.inner_failure", [0.0, 0.05, 1.0]),
        any("controller.ecc.outer.latency", ["0ns", "0ns", "2us"]),
        any("ftl.parity", ["die", "channel", "none"]),
    ];
    keys.extend(failures());
    keys
}

fn failures() -> Vec<Setting> {
    vec![
        any("flash.failures.lost_die", [0, 1]),
        any("flash.failures.lost_at", ["0ns", "70us", "3ms", "100s"]),
        any("flash.failures.lost_channel", [0, 1]),
        any("fabric.failures.controllers", [0, 0, 1]),
        any("fabric.failures.routers", [0, 0, 1]),
        any("fabric.failures.buses", [0, 0, 1]),
        any("fabric.failures.switches", [0, 0, 0, 1]),
        any("fabric.failures.spare_chips", [true, true, false]),
        any("fabric.failures.at", ["0ns", "0ns", "30us", "700us", "100s"]),
        any("fabric.network.chip_to_chip", [false, true]),
        any("compute.chip.buffer", ["64KiB", "20KiB"]),
        any("compute.channel.rate", ["1.2GB/s", "50MB/s"]),
        any("compute.array.operands", [48, 1, 2]),
        any("compute.array.groups", [4, 1]),
        any("ftl.write_placement", ["static", "dynamic", "operands"]),
    ]
}

/// So little that look-ups wait for room.
fn small_mapping_caches() -> Setting {
    let entries = prop_oneof![1 => Just(0u32), 1 => Just(1), 2 => 2u32..6, 1 => 2u32..80, 1 => 80u32..3000];
    entries.prop_map(|entries| ("mapping.cache_capacity", format!("{}B", entries * 8))).boxed()
}

fn trimming() -> impl Strategy<Value = String> {
    let sizes = prop::sample::select(vec!["4KiB", "36KiB", "600KiB", "5MiB"]);
    (sizes, 1u32..300, 1u32..20).prop_map(|(size, requests, depth)| {
        format!(
            "[[flow]]\nname = \"trims\"\n[flow.synthetic]\nrequests = {requests}\nread_share = 0.0\ntrim_share = 1.0\n\
             size = \"{size}\"\nqueue_depth = {depth}\n"
        )
    })
}

fn tasks() -> impl Strategy<Value = String> {
    let whats = prop::sample::select(vec!["scan", "gather", "reduce"]);
    let places = prop::sample::select(vec!["host", "drive", "channel", "chip", "array"]);
    let apart = prop::sample::select(vec!["", "distance = \"288KiB\"\n"]);
    (whats, places, 2u32..6, apart, 1u32..300, 1u32..20).prop_map(|(kind, at, operands, apart, requests, depth)| {
        let kind = if at == "array" { "gather" } else { kind };
        let operands = if kind == "gather" { format!("operands = {operands}\n{apart}") } else { String::new() };
        format!(
            "[[flow]]\nname = \"tasks\"\n[flow.compute]\nkind = \"{kind}\"\nat = \"{at}\"\n{operands}\
             [flow.synthetic]\nrequests = {requests}\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = {depth}\n"
        )
    })
}

/// Some open loops have a limit of requests outstanding, several threads, or arrivals at fixed times.
fn limited(file: &str) -> String {
    let mut made = String::new();
    for line in file.lines() {
        let gap = line.strip_prefix("inter_arrival = \"").and_then(|rest| rest.strip_suffix("us\""));
        let gap: Option<u32> = gap.map(|gap| gap.parse().unwrap());
        made += &format!("{line}\n");
        if let Some(gap) = gap.filter(|gap| gap % 3 == 0) {
            made +=
                &format!("queue_depth = {}\narrivals = \"{}\"\n", gap / 3, ["fixed", "exponential"][gap as usize % 2]);
            let flow = made.rfind("[flow.synthetic]").unwrap();
            made.insert_str(flow, &format!("threads = {}\n", 1 + gap % 4));
        }
    }
    made
}

pub fn newer_workloads() -> impl Strategy<Value = String> {
    let trims = prop_oneof![1 => Just(None), 1 => trimming().prop_map(Some)];
    let tasks = prop_oneof![2 => Just(None), 1 => tasks().prop_map(Some)];
    (workloads(vec![0.0, 0.1, 0.6]), trims, tasks)
        .prop_map(|(file, trims, tasks)| limited(&file) + &trims.unwrap_or_default() + &tasks.unwrap_or_default())
}
