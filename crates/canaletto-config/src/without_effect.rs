//! Keys that change nothing in a design: a key of Venice on a bus, a watermark without a cache.

use crate::attach::AttachmentKind;
use crate::design::{ArbitrationMethod, Design, MappingScheme, Policy, Protocol, Scope, VictimPolicy};
use crate::energy::RouterSource;
use crate::error::Problem;
use crate::fabric::{ChipToChipEcc, Ready, Retry, TransferOrder};
use crate::medium::Suspendable;
use crate::named::Named;

/// The beginning of their names, what they need, and whether a design has it.
struct Need {
    keys: &'static [&'static str],
    needs: &'static str,
    is_met: fn(&Design) -> bool,
}

/// For each of the `given` keys without effect. A key with its default value is no mistake. `without` reads the design
/// without some keys.
pub(super) fn notes(design: &Design, given: &[String], without: impl Fn(&[&str]) -> Option<Design>) -> Vec<Problem> {
    let unmet = |key: &str| NEEDS.iter().find(|need| need.concerns(key) && !(need.is_met)(design));
    let idle: Vec<(&str, &Need)> = given.iter().filter_map(|key| unmet(key).map(|need| (key.as_str(), need))).collect();
    let whole = design.clone().spelt_out();
    let changes = |keys: &[&str]| without(keys).is_none_or(|other| other != whole);
    // A resolved design gives every key, a hundred of them in vain, and all as they would be anyway.
    if !changes(&idle.iter().map(|(key, _)| *key).collect::<Vec<_>>()) {
        return Vec::new();
    }
    let changed = idle.into_iter().filter(|(key, _)| changes(&[key]));
    changed.map(|(key, need)| Problem::new(key, format!("has no effect: it needs {}", need.needs))).collect()
}

impl Need {
    fn concerns(&self, key: &str) -> bool {
        self.keys
            .iter()
            .any(|known| key.strip_prefix(known).is_some_and(|rest| rest.is_empty() || known.ends_with('.')))
    }
}

const fn need(keys: &'static [&'static str], needs: &'static str, is_met: fn(&Design) -> bool) -> Need {
    Need { keys, needs, is_met }
}

fn is(design: &Design, names: &[&str]) -> bool {
    names.contains(&design.fabric.kind.name())
}

/// Of single keys, and of tables with a dot at the end.
const NEEDS: &[Need] = &[
    need(&["fabric.venice."], "fabric.kind = \"venice\"", |d| is(d, &["venice"])),
    need(&["fabric.venice.retry_interval"], "fabric.venice.retry = \"local\"", |d| {
        d.fabric.venice.retries() == Retry::Local
    }),
    need(
        &["fabric.hold_path", "fabric.venice.retry", "fabric.venice.tear_down"],
        "fabric.venice.as_printed = false",
        |d| !is(d, &["venice"]) || !d.fabric.venice.as_printed,
    ),
    need(&["flash.failures.lost_at"], "flash.failures.lost_die or flash.failures.lost_channel", |d| {
        d.flash.failures.any_is_lost()
    }),
    need(&["fabric.sca."], "fabric.kind = \"sca\"", |d| is(d, &["sca"])),
    need(&["fabric.mesh."], "fabric.kind = \"mesh\" or \"mesh-2bit\"", |d| is(d, &["mesh", "mesh-2bit"])),
    need(&["fabric.clusters."], "fabric.kind = \"clusters\"", |d| is(d, &["clusters"])),
    need(&["fabric.custom."], "fabric.kind = \"custom\"", |d| is(d, &["custom"])),
    need(&["fabric.scheduled_mesh."], "fabric.kind = \"scheduled-mesh\"", |d| is(d, &["scheduled-mesh"])),
    need(&["fabric.omnibus.control."], "fabric.kind = \"omnibus\" or \"omnibus-split\"", |d| {
        is(d, &["omnibus", "omnibus-split"])
    }),
    need(
        &["fabric.omnibus."],
        "fabric.kind = \"omnibus\", \"omnibus-split\", \"clusters\" or \"scheduled-mesh\"",
        |d| is(d, &["omnibus", "omnibus-split", "clusters", "scheduled-mesh"]) || d.fabric.network.chip_to_chip,
    ),
    need(&["fabric.omnibus.late_split", "fabric.omnibus.transfers_per_controller"], "fabric.kind = \"omnibus\"", |d| {
        is(d, &["omnibus"])
    }),
    need(
        &["fabric.omnibus.v_page_registers", "fabric.omnibus.chip_to_chip_ecc"],
        "gc.scope = \"spatial\", which copies from chip to chip",
        |d| d.gc.scope == Scope::Spatial,
    ),
    need(&["fabric.omnibus.detect_time"], "fabric.omnibus.chip_to_chip_ecc = \"detect\"", |d| {
        d.fabric.omnibus.chip_to_chip_ecc == ChipToChipEcc::Detect
    }),
    need(&["fabric.omnibus.detect_bits"], "fabric.omnibus.chip_to_chip_ecc = \"detect\" and flash.errors", |d| {
        d.fabric.omnibus.chip_to_chip_ecc == ChipToChipEcc::Detect && d.flash.errors.are_possible()
    }),
    need(&["fabric.omnibus.via_controller_every"], "fabric.omnibus.chip_to_chip_ecc = \"via-controller\"", |d| {
        d.fabric.omnibus.chip_to_chip_ecc == ChipToChipEcc::ViaController
    }),
    need(
        &["fabric.network."],
        "a fabric of routers: fabric.kind = \"mesh\", \"mesh-2bit\", \"venice\", \"scheduled-mesh\" or \"custom\"",
        |d| d.fabric.kind.is_network(),
    ),
    need(&["fabric.link_rate"], "a fabric of buses, or a design without fabric.network.link_rate", |d| {
        !d.fabric.kind.is_network() || d.fabric.network.link_rate.is_none()
    }),
    need(
        &["fabric.failures.links", "fabric.failures.routers"],
        "a mesh: fabric.kind = \"mesh\", \"mesh-2bit\", \"venice\" or \"scheduled-mesh\"",
        |d| is(d, &["mesh", "mesh-2bit", "venice", "scheduled-mesh"]),
    ),
    need(&["fabric.failures.buses"], "a fabric of buses", |d| !d.fabric.kind.is_network()),
    need(&["fabric.failures.controllers"], "a fabric with controllers, other than \"ideal\" and \"custom\"", |d| {
        !is(d, &["ideal", "custom"])
    }),
    need(&["fabric.failures.switches"], "fabric.kind = \"clusters\"", |d| is(d, &["clusters"])),
    need(
        &["fabric.failures.placement", "fabric.failures.spare_chips", "fabric.failures.at"],
        "parts that fail, such as fabric.failures.links",
        |d| d.fabric.failures.any(),
    ),
    need(&["fabric.network.chip_to_chip"], "fabric.kind = \"venice\", \"mesh\" or \"mesh-2bit\"", |d| {
        is(d, &["venice", "mesh", "mesh-2bit"])
    }),
    need(
        &["fabric.network.router_delay"],
        "packets or scouts: fabric.kind = \"mesh\", \"mesh-2bit\" or \"venice\"",
        |d| !is(d, &["scheduled-mesh", "custom"]),
    ),
    need(
        &["fabric.burst_bytes", "fabric.beat_time", "fabric.turnarounds"],
        "fabric.kind = \"bus\" or \"ideal\"",
        |d| is(d, &["bus", "ideal"]),
    ),
    need(&["fabric.order_bound"], "fabric.transfer_order = \"commands-first\"", |d| {
        d.fabric.transfer_order == TransferOrder::CommandsFirst
    }),
    need(&["fabric.status."], "sequences with a status, such as fabric.sequences = \"full\"", |d| {
        d.fabric.sequence_table().status.is_some()
    }),
    need(&["fabric.status.period"], "fabric.status.ready = \"poll\"", |d| d.fabric.status.ready == Ready::Poll),
    need(&["fabric.sequences"], "that the design states no fabric.steps", |d| d.fabric.steps.is_none()),
    need(
        &["energy.routers.circuit"],
        "energy.router = \"paper\", or a fabric whose routers were not synthesised: fabric.kind = \"mesh-2bit\" or \"clusters\"",
        |d| d.energy.router == RouterSource::Paper || is(d, &["mesh-2bit", "clusters"]),
    ),
    need(&["area.router_logic"], "area.router = \"paper\"", |d| d.area.router == RouterSource::Paper),
    need(&["link."], "attachment.kind = \"none\": a PC takes the link's place", |d| {
        d.attachment.kind == AttachmentKind::None
    }),
    need(
        &[
            "attachment.interface",
            "attachment.platform.",
            "attachment.dma.",
            "attachment.bridges.",
            "attachment.ata.",
            "attachment.ddr.",
            "attachment.direct.",
        ],
        "attachment.kind = \"sbsp\", \"nbsp\", \"sbdp\" or \"nbdp\"",
        |d| d.attachment.kind != AttachmentKind::None,
    ),
    need(&["attachment.direct."], "a dual port: attachment.kind = \"sbdp\" or \"nbdp\"", |d| {
        d.attachment.kind.is_dual()
    }),
    need(
        &[
            "controller.ecc.outer.correctable_bits",
            "controller.ecc.outer.inner_failure",
            "controller.ecc.outer.latency",
        ],
        "controller.ecc.outer.codeword, an outer code",
        |d| d.controller.ecc.outer.is_on(),
    ),
    need(&["fabric.load."], "fabric.kind = \"bus\", \"packetized\" or \"ideal\"", |d| d.fabric.carries_pads()),
    need(&["fabric.load.dies_per_buffer", "fabric.load.buffer_delay"], "fabric.load.full_rate_dies", |d| {
        d.fabric.load.full_rate_dies > 0
    }),
    need(&["fabric.load.buffer_delay"], "fabric.load.dies_per_buffer, buffers", |d| d.fabric.load.is_buffered()),
    need(&["fabric.chain."], "fabric.kind = \"daisy-chain\" or \"ring\"", |d| d.fabric.kind.is_chain()),
    need(&["host.sata."], "host.protocol = \"sata\"", |d| d.host.protocol == Protocol::Sata),
    need(&["host.arbitration.", "host.interrupts.", "host.prp_lists", "host.fetch"], "host.protocol = \"nvme\"", |d| {
        d.host.protocol == Protocol::Nvme
    }),
    need(&["host.command_limit"], "host.protocol = \"nvme\" or \"memory\"", |d| d.host.protocol != Protocol::Sata),
    need(
        &["host.arbitration.high", "host.arbitration.medium", "host.arbitration.low"],
        "host.arbitration.method = \"weighted\"",
        |d| d.host.arbitration.method == ArbitrationMethod::Weighted,
    ),
    need(&["host.arbitration."], "host.command_limit: without a limit no queue waits for another", |d| {
        d.host.command_limit.is_some()
    }),
    need(&["host.interrupts.threshold"], "host.interrupts.time above 0", |d| d.host.interrupts.time.0 > 0),
    need(
        &[
            "cache.mode",
            "cache.sharing",
            "cache.power_loss_protection",
            "cache.reads_wait",
            "cache.destage",
            "cache.high_watermark",
            "cache.low_watermark",
            "cache.idle_destage",
            "cache.destages_per_plane",
            "cache.keep_destaged",
            "cache.dram.",
        ],
        "a data cache: cache.capacity above 0",
        |d| d.cache.capacity.0 > 0,
    ),
    need(
        &[
            "mapping.cached_entry_bytes",
            "mapping.flash_entry_bytes",
            "mapping.sharing",
            "mapping.entries_per_miss",
            "mapping.read_unit",
            "mapping.initial_table",
            "mapping.write_backs",
        ],
        "a cached mapping table: mapping.cache_capacity above 0",
        |d| d.mapping.is_cached(),
    ),
    need(&["ftl.hybrid."], "ftl.mapping = \"bast\"", |d| d.ftl.mapping.is_hybrid()),
    need(&["gc.", "wear.static_threshold"], "a memory with erases: another ftl.mapping", |d| {
        d.ftl.mapping != MappingScheme::InPlace
    }),
    need(&["gc.choices"], "gc.policy = \"d-choices\"", |d| d.gc.policy == VictimPolicy::DChoices),
    need(&["gc.min_invalid_share"], "gc.policy = \"random-plus\"", |d| d.gc.policy == VictimPolicy::RandomPlus),
    need(&["gc.victims_per_plane", "gc.epoch_trigger"], "gc.scope = \"parallel\" or \"spatial\"", |d| {
        d.gc.scope != Scope::Plane
    }),
    need(&["gc.group_share"], "gc.scope = \"spatial\"", |d| d.gc.scope == Scope::Spatial),
    need(&["gc.copyback_check_every"], "gc.copyback = true", |d| d.gc.copyback),
    need(&["refresh.scan_interval"], "refresh.age_limit_days above 0", |d| d.refresh.age_limit_days > 0.0),
    need(
        &["scheduler.priorities", "scheduler.round_robin_advance"],
        "scheduler.policy = \"out-of-order\" or \"flin\"",
        |d| !d.scheduler.policy.is_rule(),
    ),
    need(&["scheduler.flin."], "scheduler.policy = \"flin\"", |d| d.scheduler.policy == Policy::Flin),
    need(&["controller.ecc_overlap"], "controller.ecc_latency or controller.ecc_rate above 0", |d| {
        d.controller.ecc_latency.0 > 0 || d.controller.ecc_rate.0 > 0
    }),
    need(&["flash.cache_read_busy"], "flash.cache_read = true", |d| d.flash.cache_read),
    need(&["flash.cache_program_busy"], "flash.cache_program = true", |d| d.flash.cache_program),
    need(
        &[
            "flash.pslc.read",
            "flash.pslc.program",
            "flash.pslc.erase",
            "flash.pslc.endurance",
            "flash.pslc.idle_time",
            "flash.pslc.high_watermark",
            "flash.pslc.low_watermark",
        ],
        "a pseudo-SLC cache: flash.pslc.static_size or flash.pslc.dynamic_size above 0",
        |d| d.flash.pslc.is_on(),
    ),
    need(
        &[
            "flash.suspend.trigger",
            "flash.suspend.suspend_time",
            "flash.suspend.resume_time",
            "flash.suspend.max_suspensions",
            "flash.suspend.min_remaining",
            "flash.suspend.max_suspended_time",
        ],
        "flash.suspend.operations = \"erase\", \"program\" or \"both\"",
        |d| d.flash.suspend.operations != Suspendable::None,
    ),
];
