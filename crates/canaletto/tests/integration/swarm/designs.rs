//! Random drives, small enough that writes fill them many times.
//!
//! Keys are drawn separately; [`Settings::made_to_agree`] mends forbidden combinations.

use canaletto::fabric::facts_of;
use std::collections::BTreeMap;
use std::fmt::Display;

use canaletto::config::design::{FabricKind, VictimPolicy};
use canaletto::config::load_design;
use canaletto::config::named::Named;
use proptest::prelude::*;

pub type Setting = BoxedStrategy<(&'static str, String)>;

pub fn any<T: Display>(key: &'static str, values: impl IntoIterator<Item = T>) -> Setting {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    prop::sample::select(values).prop_map(move |value| (key, value)).boxed()
}

pub fn rarely<T: Display>(key: &'static str, mostly: T, others: impl IntoIterator<Item = T>) -> Setting {
    let mostly = mostly.to_string();
    prop_oneof![4 => Just((key, mostly)), 1 => any(key, others)].boxed()
}

fn number(key: &'static str, from: u32, until: u32) -> Setting {
    (from..until).prop_map(move |n| (key, n.to_string())).boxed()
}

fn share(key: &'static str, from: f64, until: f64) -> Setting {
    (from..until).prop_map(move |x| (key, x.to_string())).boxed()
}

const BOTH: [bool; 2] = [false, true];

/// The fabrics of the golden set's drives.
const FABRICS: [&str; 8] = ["bus", "packetized", "omnibus", "omnibus-split", "mesh", "mesh-2bit", "venice", "ideal"];

fn geometry() -> Vec<Setting> {
    vec![
        number("geometry.channels", 1, 4),
        number("geometry.chips_per_channel", 1, 4),
        number("geometry.dies_per_chip", 1, 3),
        number("geometry.planes_per_die", 1, 4),
        number("geometry.blocks_per_plane", 4, 24),
        number("geometry.pages_per_block", 1, 10),
        any("geometry.page", ["4KiB", "16KiB", "512B"]),
    ]
}

fn flash() -> Vec<Setting> {
    vec![
        any("flash.die_interleaving", BOTH),
        any("flash.busy_until_data_out", BOTH),
        any("flash.multi_plane", ["off", "same-page", "any-page", "head-page"]),
        any("flash.cell", ["slc", "mlc", "tlc", "qlc"]),
        any("flash.suspend.operations", ["none", "erase", "program", "both"]),
        any("flash.suspend.trigger", ["reads", "reads-and-writes"]),
        number("flash.suspend.max_suspensions", 1, 9),
        any("flash.suspend.max_suspended_time", ["0us", "40us", "200us"]),
        any("flash.suspend.min_remaining", ["0us", "4us", "20us"]),
        any("flash.suspend.suspend_time", ["0ns", "3us"]),
        any("flash.suspend.resume_time", ["0ns", "3us"]),
        any("flash.failures.program", [0.0, 0.0, 0.02, 0.3, 1.0]),
        any("flash.failures.erase", [0.0, 0.0, 0.02, 0.3, 1.0]),
        any("flash.failures.read", [0.0, 0.0, 0.004, 0.2]),
        any("flash.failures.factory_bad", [0.0, 0.1]),
        any("flash.errors.base", [0.0, 0.0, 0.008, 0.4]),
        any("flash.errors.disturb.factor", [0.0, 0.0008, 0.04]),
        number("controller.ecc.max_read_retries", 0, 6),
        any("refresh.read_limit", [0, 0, 4, 50, 1000]),
        // A day: data found in the beginning are about to be as old.
        any("refresh.age_limit_days", [0.0, 0.0, 1e-8, 1.0]),
        any("refresh.scan_interval", ["1us", "40us", "200us"]),
        any("flash.errors.initial_age_days", [0.0, 0.99999999]),
    ]
}

fn ftl() -> Vec<Setting> {
    vec![
        rarely("ftl.mapping", "page", ["bast", "bast", "in-place"]),
        any("flash.addressing", ["page", "byte"]),
        any("ftl.mapping_unit", [1.0, 1.0, 0.5, 0.25, 2.0, 4.0]),
        number("ftl.hybrid.log_blocks", 2, 6),
        // Place of a key that is gone: later draws stay as they are.
        any("gc.policy", ["greedy", "greedy"]),
        any("ftl.unwritten_reads", ["assume-page-written", "assume-sectors-written", "zeroes"]),
        any("ftl.map_update", ["program-end", "program-end", "issue"]),
        any("ftl.partial_writes", ["merged", "new-sectors"]),
        any("ftl.allocation", ["CWDP", "PDWC", "WPCD", "DCPW"]),
        any("ftl.write_placement", ["static", "dynamic"]),
        any("ftl.superblock", ["none", "none", "none", "none", "die", "chip", "channel", "drive"]),
        any("ftl.overprovisioning", [0.07, 0.07, 0.4, 0.6]),
        any("precondition.kind", ["none", "none", "none", "steady", "steady", "steady", "steady", "replay"]),
        share("precondition.occupancy", 0.05, 1.3),
    ]
}

fn collection() -> Vec<Setting> {
    vec![
        // `custom` came later: see `newer.rs`.
        any("gc.policy", VictimPolicy::NAMES.iter().filter(|&&name| name != "custom")),
        any("gc.scope", ["plane", "plane", "parallel", "spatial"]),
        any("gc.preemptible", BOTH),
        any("gc.copyback", BOTH),
        number("gc.copyback_check_every", 0, 4),
        number("gc.choices", 1, 5),
        number("gc.copies_in_flight", 1, 5),
        number("gc.victims_per_plane", 1, 5),
        any("gc.group_share", [0.25, 0.5, 1.0]),
        any("wear.static_threshold", [0, 1, 3]),
        any("wear.dynamic", BOTH),
        rarely("wear.endurance", 0, [5]),
    ]
}

fn cache() -> Vec<Setting> {
    vec![
        prop_oneof![Just(0), Just(1), Just(3), 1u32..60]
            .prop_map(|pages| ("cache.capacity", pages.to_string()))
            .boxed(),
        any("cache.mode", ["read-write", "write", "read", "off"]),
        any("cache.power_loss_protection", BOTH),
        any("cache.sharing", ["shared", "equal"]),
        any("cache.destage", ["watermarks", "first-writes"]),
        share("cache.high_watermark", 0.0, 1.0),
        share("cache.low_watermark", 0.0, 1.0),
        any("cache.idle_destage", ["0us", "50us"]),
        number("cache.destages_per_plane", 1, 4),
        any("cache.keep_destaged", BOTH),
        any("cache.dram.rate", ["12.8GB/s", "200MB/s"]),
    ]
}

fn mapping() -> Vec<Setting> {
    let entries = prop_oneof![4 => Just(0u32), 1 => Just(1), 1 => 2u32..6, 1 => 2u32..80, 1 => 80u32..3000];
    vec![
        entries.prop_map(|entries| ("mapping.cache_capacity", format!("{}B", entries * 8))).boxed(),
        any("mapping.flash_entry_bytes", [4, 16, 64]),
        any("mapping.sharing", ["shared", "equal", "full-per-flow"]),
        any("mapping.entries_per_miss", [1, 1, 3, 8, 4096]),
        any("mapping.read_unit", ["page", "sector"]),
        any("mapping.initial_table", ["on-flash", "empty"]),
        rarely("mapping.write_backs", "written", ["never-issued"]),
    ]
}

fn interconnect() -> Vec<Setting> {
    vec![
        any("fabric.kind", FABRICS),
        any("fabric.transfer_order", ["data-first", "commands-first"]),
        any("fabric.data_queue", ["fifo", "oldest-request"]),
        rarely("fabric.hold_path", "never", ["always"]),
        any("fabric.venice.scouts", ["hop-by-hop", "atomic"]),
        any("fabric.venice.retry", ["oracle", "immediate"]),
        any("fabric.omnibus.chip_to_chip_ecc", ["none", "detect", "via-controller"]),
        number("fabric.omnibus.v_page_registers", 1, 5),
    ]
}

fn host_and_controller() -> Vec<Setting> {
    vec![
        any("host.fetch", ["all-waiting", "one-per-doorbell"]),
        number("host.queue_entries", 2, 40),
        number("host.fetch_limit", 1, 40),
        rarely("host.protocol", "nvme", ["sata"]),
        any("host.sata.slots", ["1", "3", "32"]),
        any("host.queues_per_flow", ["1", "1", "4"]),
        any("host.command_limit", ["65535", "65535", "2", "9"]),
        any("host.arbitration.method", ["round-robin", "weighted"]),
        any("host.arbitration.burst", ["0", "1", "4"]),
        any("host.interrupts.threshold", ["1", "5"]),
        any("host.interrupts.time", ["0us", "30us"]),
        any("host.submit_time", ["0us", "0us", "1us"]),
        any("host.complete_time", ["0us", "0us", "1us"]),
        any("host.prp_lists", ["false", "true"]),
        any("link.latency", ["0ns", "400ns"]),
        any("attachment.kind", ["none", "none", "none", "none", "sbsp", "nbsp", "sbdp", "nbdp"]),
        any("attachment.dma.write_window", [1, 4]),
        any("attachment.direct.division", ["split", "by-direction"]),
        any("attachment.direct.share", [0.5, 0.0, 0.3, 1.0]),
        any("controller.dram", ["0B/s", "2GB/s"]),
        any("controller.system_bus", ["0B/s", "2GB/s"]),
        any("controller.ecc_latency", ["0ns", "400ns"]),
    ]
}

fn scheduler() -> Vec<Setting> {
    vec![
        any("scheduler.policy", ["out-of-order", "flin"]),
        any("scheduler.priorities", BOTH),
        any("scheduler.flin.epoch", ["100us", "10ms"]),
        any("scheduler.flin.read_threshold", ["0B", "16KiB", "128KiB"]),
        any("scheduler.flin.write_threshold", ["0B", "16KiB", "128KiB"]),
        any("scheduler.flin.fairness_threshold", [0.0, 0.6, 1.0]),
    ]
}

struct Settings(BTreeMap<&'static str, String>);

impl Settings {
    fn is(&self, key: &str, value: &str) -> bool {
        self.0[key] == value
    }

    fn number(&self, key: &str) -> f64 {
        self.0[key].parse().unwrap_or_else(|_| panic!("{key} is {}", self.0[key]))
    }

    fn set(&mut self, key: &'static str, value: impl Display) {
        self.0.insert(key, value.to_string());
    }

    fn drop_cached_table(&mut self) {
        self.0.retain(|key, _| !key.starts_with("mapping."));
    }

    fn made_to_agree(mut self) -> Settings {
        if self.is("ftl.mapping", "in-place") {
            self.in_place();
        } else {
            self.set("flash.addressing", "page");
            self.hybrid();
        }
        self.numbering();
        self.waits();
        self.superblocks();
        self.parity();
        self.mapping_unit();
        self.preconditioning();
        let blocks = self.number("geometry.blocks_per_plane");
        self.set("ftl.min_spare_blocks", 4f64.min(blocks - 1.0));
        if !self.is("gc.scope", "plane") {
            self.set("ftl.write_placement", "dynamic");
        } else if self.is("ftl.write_placement", "operands") && self.unit_bytes() != self.page_bytes() {
            self.set("ftl.write_placement", "static");
        }
        // A DRAM interface carries no frames or accesses of a memory.
        let attached = &self.0["attachment.kind"];
        if attached.starts_with("nb") || attached != "none" && self.is("host.protocol", "memory") {
            self.set("host.protocol", "nvme");
        }
        self.pipelines();
        let kind = FabricKind::ALL.iter().find(|kind| self.is("fabric.kind", kind.name()));
        if kind.is_some_and(|kind| !facts_of(*kind).holds_paths) {
            self.set("fabric.hold_path", "never");
        }
        let has = |settings: &Settings, key: &str, value: &str| settings.0.get(key).is_some_and(|set| set == value);
        if self.is("fabric.kind", "venice") && has(&self, "fabric.venice.as_printed", "true") {
            let holds = self.is("fabric.hold_path", "always");
            self.set("fabric.venice.as_printed", holds);
        }
        if self.is("fabric.kind", "omnibus-split") && has(&self, "fabric.omnibus.transfers_per_controller", "1") {
            self.set("fabric.omnibus.transfers_per_controller", 2);
        }
        if self.is("fabric.hold_path", "always") {
            self.set("flash.suspend.operations", "none");
        }
        if self.0.contains_key("fabric.clusters.trunks") {
            let controllers = self.number("geometry.channels");
            self.set("fabric.clusters.trunks", self.number("fabric.clusters.trunks").min(controllers));
        }
        if !self.is("fabric.hold_path", "never") {
            self.set("gc.copyback", false);
            self.set("fabric.clusters.chunk", "0B");
            self.set("fabric.omnibus.late_split", "0B");
        }
        if self.is("ftl.map_update", "issue") {
            self.set("flash.failures.program", 0.0);
            if self.is("flash.suspend.operations", "both") || self.is("flash.suspend.operations", "program") {
                self.set("flash.suspend.operations", "erase");
            }
        }
        self.pseudo_slc();
        if self.page_bytes() < 4096.0 {
            self.set("controller.ecc.outer.codeword", "0B");
        }
        self.factory_bad();
        let (high, low) = (self.number("cache.high_watermark"), self.number("cache.low_watermark"));
        self.set("cache.low_watermark", low.min(high));
        self
    }

    fn numbering(&mut self) {
        if self.0.get("ftl.numbering").is_some_and(|numbering| numbering == "latin") {
            let (channels, chips) = match (self.number("geometry.channels"), self.number("geometry.chips_per_channel"))
            {
                (1.0, _) => (6, 3),
                (_, 2.0) => (4, 4),
                _ => (3, 3),
            };
            self.set("geometry.channels", channels);
            self.set("geometry.chips_per_channel", chips);
        }
    }

    fn pipelines(&mut self) {
        let is_on = |settings: &Settings, key| settings.0.get(key).is_some_and(|given| given == "true");
        let keys = ["flash.cache_read", "flash.independent_plane_reads", "flash.cache_program"];
        if keys.into_iter().any(|key| is_on(self, key)) {
            self.set("gc.copyback", false);
            self.set("flash.busy_until_data_out", false);
            self.set("fabric.hold_path", "never");
        }
        if !is_on(self, "controller.ecc_overlap") && self.0.contains_key("controller.ecc_overlap") {
            self.set("fabric.hold_path", "never");
        }
        if is_on(self, "flash.cache_program") {
            self.set("flash.failures.program", 0.0);
        }
    }

    /// Half of the spare blocks are kept for collection.
    fn factory_bad(&mut self) {
        if self.is("flash.failures.factory_bad", "0") {
            return;
        }
        let (spare, blocks) = (self.number("ftl.overprovisioning"), self.number("geometry.blocks_per_plane"));
        let is_cached = self.0.get("mapping.cache_capacity").is_some_and(|capacity| capacity != "0B");
        let is_divided = !self.is("ftl.superblock", "none") || !self.is("gc.scope", "plane");
        if spare < 0.3
            || blocks < 16.0
            || is_cached
            || self.is_cached_in_flash()
            || self.unit_bytes() < self.page_bytes()
        {
            self.set("flash.failures.factory_bad", 0);
        } else if is_divided {
            self.set("flash.failures.factory_bad", if spare < 0.4 || blocks < 20.0 { 0.0 } else { 0.04 });
        }
    }

    fn is_cached_in_flash(&self) -> bool {
        let is_on = |key| self.0.get(key).is_some_and(|size| size != "0B");
        is_on("flash.pslc.static_size") || is_on("flash.pslc.dynamic_size")
    }

    fn pseudo_slc(&mut self) {
        let bits =
            ["slc", "mlc", "tlc", "qlc"].iter().position(|cell| self.is("flash.cell", cell)).map_or(1, |n| n + 1);
        let alone = self.is("ftl.superblock", "none") && self.is("gc.scope", "plane") && self.is("ftl.mapping", "page");
        let large =
            self.number("geometry.blocks_per_plane") >= 12.0 && self.number("geometry.pages_per_block") >= bits as f64;
        if self.is_cached_in_flash() && !(alone && large && bits > 1) {
            self.set("flash.pslc.static_size", "0B");
            self.set("flash.pslc.dynamic_size", "0B");
        }
    }

    fn unit_bytes(&self) -> f64 {
        let unit = &self.0["ftl.mapping_unit"];
        unit.strip_suffix('B').and_then(|bytes| bytes.parse().ok()).unwrap_or_else(|| panic!("a unit of {unit}"))
    }

    fn page_bytes(&self) -> f64 {
        match self.0["geometry.page"].as_str() {
            "512B" => 512.0,
            "4KiB" => 4096.0,
            _ => 16384.0,
        }
    }

    fn mapping_unit(&mut self) {
        let page = self.page_bytes();
        // Drives of the golden set stay as they were drawn.
        let gathers = self.is("ftl.superblock", "none") || self.0.contains_key("ftl.parity");
        let least = if gathers { 512.0 } else { page };
        let hybrid = !self.is("ftl.mapping", "page");
        let unit = if hybrid { page } else { (self.number("ftl.mapping_unit") * page).max(least) };
        self.set("ftl.mapping_unit", format!("{unit}B"));
        self.set("cache.capacity", format!("{}B", self.number("cache.capacity") * page.min(unit)));
        if unit < page {
            self.set("ftl.map_update", "program-end");
            self.set("gc.scope", "plane");
        }
    }

    fn only_whole_pages_in_their_planes(&mut self) {
        self.drop_cached_table();
        self.set("ftl.map_update", "program-end");
        self.set("ftl.write_placement", "static");
        self.set("gc.scope", "plane");
        self.set("gc.copyback", false);
        self.set("ftl.superblock", "none");
        self.set("refresh.read_limit", 0);
        self.set("refresh.age_limit_days", 0.0);
        self.set("wear.endurance", 0);
        self.set("precondition.kind", "none");
        for failure in ["flash.failures.program", "flash.failures.erase", "flash.failures.factory_bad"] {
            self.set(failure, 0.0);
        }
    }

    fn in_place(&mut self) {
        self.only_whole_pages_in_their_planes();
        self.set("flash.suspend.operations", "none");
        self.set("flash.errors.base", 0.0);
        self.set("flash.errors.disturb.factor", 0.0);
    }

    fn hybrid(&mut self) {
        if self.is("ftl.mapping", "page") {
            return;
        }
        self.only_whole_pages_in_their_planes();
        self.set("ftl.unwritten_reads", "zeroes");
        let blocks = self.number("geometry.blocks_per_plane");
        self.set("ftl.hybrid.log_blocks", self.number("ftl.hybrid.log_blocks").min(blocks - 2.0));
    }

    /// Drawn from old numbers: seeds keep their drives, and the golden set has none.
    fn waits(&mut self) {
        if !self.0.contains_key("ftl.parity") {
            return;
        }
        if self.is("ftl.superblock", "drive") {
            let pacing = ["none", "writes", "both"][self.number("gc.choices") as usize % 3];
            self.set("gc.pacing", pacing);
        }
        self.set("cache.reads_wait", self.number("cache.destages_per_plane") > 2.0);
        self.set("controller.write_latency", if self.is("gc.copies_in_flight", "1") { "2us" } else { "0ns" });
        self.set("controller.firmware_per_write", if self.is("gc.copies_in_flight", "2") { "3us" } else { "0ns" });
        self.set("controller.firmware_per_page", if self.is("gc.copies_in_flight", "3") { "1us" } else { "0ns" });
    }

    fn superblocks(&mut self) {
        if self.is("ftl.superblock", "none") {
            return;
        }
        self.drop_cached_table();
        self.set("ftl.write_placement", "static");
        self.set("gc.scope", "plane");
        self.set("gc.copyback", false);
    }

    fn parity(&mut self) {
        let Some(parity) = self.0.get("ftl.parity").cloned() else { return };
        let of_channel = self.number("geometry.chips_per_channel");
        let is_over = match &*parity {
            "die" => {
                self.is("ftl.superblock", "drive") && of_channel * self.number("geometry.channels") > 1.0
                    || self.is("ftl.superblock", "channel") && of_channel > 1.0
            }
            "channel" => self.is("ftl.superblock", "drive") && self.number("geometry.channels") > 1.0,
            _ => false,
        };
        if !is_over {
            self.set("ftl.parity", "none");
        }
        if self.is("ftl.parity", "none") || self.number("geometry.blocks_per_plane") < 12.0 {
            self.0.retain(|key, _| !key.starts_with("flash.failures.lost"));
        } else {
            let loses_channel = self.is("ftl.parity", "channel") && self.is("flash.failures.lost_die", "0");
            self.0.remove(if loses_channel { "flash.failures.lost_die" } else { "flash.failures.lost_channel" });
            self.set("gc.reserved_blocks", 2);
            self.set("ftl.map_update", "program-end");
            self.set("flash.cache_program", false);
            self.set("ftl.overprovisioning", self.number("ftl.overprovisioning").max(0.85));
        }
    }

    fn preconditioning(&mut self) {
        let occupancy = self.number("precondition.occupancy").min(1.0);
        self.set("precondition.occupancy", occupancy);
        // A few blocks are all open or free: no steady state is known of them.
        if self.is("precondition.kind", "steady") && self.number("geometry.blocks_per_plane") < 8.0 {
            self.set("precondition.kind", "none");
        }
        match self.0["precondition.kind"].as_str() {
            "none" => self.set("precondition.occupancy", 1.0),
            "steady" => self.set("flash.failures.factory_bad", 0.0),
            _ => self.set("wear.endurance", 0),
        }
    }

    fn without_impossible_failures(mut self) -> Self {
        let overrides = Settings(self.0.clone()).overrides();
        let refused =
            load_design(BASE, None, &overrides).err().is_some_and(|e| e.to_string().contains("fabric.failures"));
        if refused {
            self.0.retain(|key, _| !key.starts_with("fabric.failures."));
        }
        self
    }

    fn overrides(self) -> Vec<String> {
        let fixed = [("flash.program", "20us"), ("flash.erase", "50us"), ("gc.threshold", "0.05")];
        let drawn = self.0.iter().map(|(key, value)| (*key, value.as_str()));
        drawn.chain(fixed).map(|(key, value)| format!("{key}={value}")).collect()
    }
}

pub fn designs(newer: Vec<Setting>) -> impl Strategy<Value = Vec<String>> {
    let device = [geometry(), flash(), ftl(), collection(), cache(), mapping(), scheduler()].concat();
    let keys = [device, interconnect(), host_and_controller(), newer].concat();
    keys.prop_map(|settings| {
        Settings(settings.into_iter().collect()).made_to_agree().without_impossible_failures().overrides()
    })
}

pub const BASE: &str = "performance-optimized";
