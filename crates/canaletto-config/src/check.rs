//! Rules between keys that no type or range can state.

use serde::Serialize;

use crate::address::SECTOR;
use crate::attach_check::{check_attachment, check_protocol};
use crate::bus_load;
use crate::cache::Destage;
use crate::capacity::expendable_blocks;
use crate::compute;
use crate::design::{
    Design, FabricKind, HoldPath, MapUpdate, MappingScheme, Pacing, PageTimes, Parity, PreconditionKind, Scope, Scouts,
    Superblock, TearDown, UnwrittenReads, WritePlacement,
};
use crate::error::Problem;
use crate::fdp;
use crate::in_place;
use crate::latin::fits;
use crate::mapping_unit;
use crate::medium::Suspendable;
use crate::named::Named as _;
use crate::pseudo_slc;
use crate::pseudo_slc::CacheBlocks;
use crate::replay::{check_mix, check_trace};
use crate::sequences;
use crate::synthetic_check::check_synthetic;
use crate::time::Time;
use crate::units::{Duration, Size};
use crate::workload::{Flow, Workload};
use crate::zns;

/// Result of a check: the first problem.
pub type Checked = Result<(), Problem>;

/// A problem with a key unless it is right.
///
/// # Errors
/// The problem.
pub fn require(right: bool, key: &str, what: impl FnOnce() -> String) -> Checked {
    if right { Ok(()) } else { Err(Problem::new(key, what())) }
}

pub(crate) fn spelt(value: impl Serialize) -> String {
    serde_json::to_string(&value).expect("a value of a configuration")
}

/// A check of keys that do not go with a `setting`: whether the key is right, its name, its value, and the reason.
pub(crate) fn refuse_with(setting: String) -> impl Fn(bool, &str, &str, &str) -> Checked {
    move |right, key, got, why| require(right, key, || format!("got {got} with {setting}: {why}"))
}

/// Checks a design.
pub fn check_design(design: &Design) -> Checked {
    check_geometry(design)?;
    check_numbering(design)?;
    mapping_unit::check(design)?;
    check_flash(design)?;
    check_rates(design)?;
    check_attachment(&design.attachment)?;
    check_protocol(design)?;
    check_fabric(design)?;
    check_mapping(design)?;
    check_medium(design)?;
    check_cache(design)?;
    check_scheduler(design)?;
    check_space(design)?;
    check_state(design)?;
    check_hybrid(design)?;
    in_place::check(design)?;
    pseudo_slc::check(design)?;
    check_superblocks(design)?;
    check_parity(design)?;
    zns::check(design)?;
    fdp::check(design)?;
    crate::namespace::check(design)?;
    check_loss(design)?;
    check_failures(design)?;
    check_refresh(design)?;
    check_errors(design)
}

fn check_geometry(design: &Design) -> Checked {
    let g = &design.geometry;
    let page = g.page.0;
    require(page.is_power_of_two() && (SECTOR..=32768).contains(&page), "geometry.page", || {
        format!("got \"{}\", expected a power of two from \"512B\" to \"32KiB\"", g.page)
    })?;
    let planes = u64::from(g.channels)
        * u64::from(g.chips_per_channel)
        * u64::from(g.dies_per_chip)
        * u64::from(g.planes_per_die);
    let (most, kind) = (256, design.fabric.kind);
    require(g.chips_per_channel <= most || !kind.is_network(), "geometry.chips_per_channel", || {
        format!("got {}, expected at most {most} with fabric {}: a row of routers", g.chips_per_channel, kind.name())
    })?;
    require(planes < 1 << 26, "geometry.channels", || {
        format!("got {planes} planes in all, expected fewer than 67108864")
    })?;
    let planes_per_chip = g.dies_per_chip * g.planes_per_die;
    require(planes_per_chip <= 64, "geometry.dies_per_chip", || {
        format!("got {planes_per_chip} planes a chip, expected at most 64")
    })
}

fn check_numbering(design: &Design) -> Checked {
    let (numbering, g) = (design.ftl.numbering, &design.geometry);
    require(fits(numbering, g.channels, g.chips_per_channel), "ftl.numbering", || {
        format!(
            "got \"{}\" with {} channels of {} chips, expected \"row-major\", or an array whose smaller size is a prime power \
             of at least 3 (3, 4, 5, 7, 8, 9, 11, 13, 16, …) and whose larger size is a multiple of it",
            numbering.name(),
            g.channels,
            g.chips_per_channel
        )
    })
}

fn check_flash(design: &Design) -> Checked {
    let flash = &design.flash;
    let kinds = flash.cell.bits() as usize;
    for (key, times) in [("flash.read", &flash.read), ("flash.program", &flash.program)] {
        let each: &[Duration] = match times {
            PageTimes::Same(one) => std::slice::from_ref(one),
            PageTimes::PerKind(each) => {
                require(each.len() == kinds, key, || {
                    format!(
                        "got {} times, expected one, or one for each of the {kinds} kinds of page of this cell",
                        each.len()
                    )
                })?;
                each
            }
        };
        require(each.iter().all(|t| t.0 > 0), key, || "got 0, expected a time above 0".to_owned())?;
    }
    let erases = design.ftl.mapping != MappingScheme::InPlace;
    require(flash.erase.0 > 0 || !erases, "flash.erase", || "got none, expected a time above 0".to_owned())
}

fn check_rates(design: &Design) -> Checked {
    for (key, rate) in [
        ("fabric.link_rate", design.fabric.link_rate),
        ("fabric.sca.ca_rate", design.fabric.sca.ca_rate),
        ("fabric.clusters.grant_rate", design.fabric.clusters.grant_rate),
        ("fabric.scheduled_mesh.grant_rate", design.fabric.scheduled_mesh.grant_rate),
        ("link.lane_rate", design.link.lane_rate.rate()),
        ("compute.host.rate", design.compute.host.rate),
        ("compute.drive.rate", design.compute.drive.rate),
        ("compute.channel.rate", design.compute.channel.rate),
        ("compute.chip.rate", design.compute.chip.rate),
    ] {
        require(rate.0 > 0, key, || format!("got \"{rate}\", expected a rate above 0"))?;
    }
    let payload = design.link.max_payload.0;
    require((16..=4096).contains(&payload), "link.max_payload", || {
        format!("got \"{}\", expected from \"16B\" to \"4096B\" (PCI Express: 128 B to 4 KiB)", design.link.max_payload)
    })
}

fn check_fabric(design: &Design) -> Checked {
    let fabric = &design.fabric;
    sequences::check(fabric)?;
    let network = fabric.network_rate();
    require(network.0 > 0, "fabric.network.link_rate", || format!("got \"{network}\", expected a rate above 0"))?;
    bus_load::check(fabric)?;
    let byte = Time::of_transfer(1, network.0);
    require(
        fabric.venice.scouts != Scouts::Clocked || fabric.network.router_delay.time() == byte,
        "fabric.venice.scouts",
        || {
            format!(
                "got \"clocked\", which needs fabric.network.router_delay to be a byte's time on a link, {} ps at \"{}\"; it is \"{}\"",
                byte.0, network, fabric.network.router_delay
            )
        },
    )?;
    require(
        fabric.venice.scouts != Scouts::Clocked || fabric.venice.tears_down() == TearDown::Wire,
        "fabric.venice.scouts",
        || "got \"clocked\", which needs fabric.venice.tear_down = \"wire\", as in rtl/; it is \"packet\"".to_owned(),
    )?;
    require(fabric.venice.retry_interval.0 > 0, "fabric.venice.retry_interval", || {
        "got 0, expected a time above 0 (or fabric.venice.retry = \"immediate\")".to_owned()
    })?;
    let is_mesh = matches!(fabric.kind, FabricKind::Mesh | FabricKind::Mesh2bit);
    let may_send = !fabric.network.chip_to_chip || !is_mesh || !fabric.failures.any();
    require(may_send, "fabric.network.chip_to_chip", || {
        "got true with fabric.failures: packets of a mesh have one way, which may be gone".to_owned()
    })?;
    check_clusters(design)?;
    check_late_split(design)?;
    let at_once = fabric.omnibus.transfers_per_controller;
    require((1..=2).contains(&at_once), "fabric.omnibus.transfers_per_controller", || {
        format!("got {at_once}, expected 1 or 2: a controller has a row bus and a column bus")
    })?;
    require(
        at_once == 2 || fabric.kind != FabricKind::OmnibusSplit,
        "fabric.omnibus.transfers_per_controller",
        || "got 1, expected 2 with fabric.kind = \"omnibus-split\", whose pages take two buses at once".to_owned(),
    )?;
    let control = &fabric.omnibus.control;
    require(control.rate.0 > 0, "fabric.omnibus.control.rate", || {
        format!("got \"{}\", expected a rate above 0", control.rate)
    })?;
    let (buffer, packet) = (fabric.mesh.buffer.0, fabric.mesh.packet.0);
    require((64..=1 << 30).contains(&packet), "fabric.mesh.packet", || {
        format!("got \"{}\", expected from \"64B\" to \"1GiB\"", fabric.mesh.packet)
    })?;
    require(buffer >= packet + 64 && buffer <= 1 << 30, "fabric.mesh.buffer", || {
        format!(
            "got \"{}\", expected at least fabric.mesh.packet (\"{}\") and 64 B of header: a buffer holds whole packets",
            fabric.mesh.buffer, fabric.mesh.packet
        )
    })
}

fn check_late_split(design: &Design) -> Checked {
    let (chunk, codeword) = (design.fabric.omnibus.late_split, design.controller.ecc.codeword);
    require(chunk.0 % codeword.0.max(1) == 0, "fabric.omnibus.late_split", || {
        format!(
            "got \"{chunk}\", expected \"0B\" (pages are not split late) or a multiple of controller.ecc.codeword (\"{codeword}\")"
        )
    })?;
    let holds = design.fabric.holds() != HoldPath::Never;
    require(!holds || chunk.0 == 0 || design.fabric.kind != FabricKind::Omnibus, "fabric.omnibus.late_split", || {
        format!(
            "got \"{chunk}\" with fabric.hold_path = \"{}\", expected \"0B\": a page that takes two buses holds no single path",
            design.fabric.holds().name()
        )
    })
}

fn check_clusters(design: &Design) -> Checked {
    let keys = &design.fabric.clusters;
    require(keys.chips_per_switch % keys.inner_buses == 0, "fabric.clusters.inner_buses", || {
        format!(
            "got {}, expected a divisor of fabric.clusters.chips_per_switch ({}): inner buses have as many chips each",
            keys.inner_buses, keys.chips_per_switch
        )
    })?;
    let (chunk, page) = (keys.chunk.0, design.geometry.page);
    require(chunk == 0 || (SECTOR..=page.0).contains(&chunk), "fabric.clusters.chunk", || {
        format!(
            "got \"{}\", expected \"0B\" (data cross as a whole) or from \"512B\" to a page (\"{page}\")",
            keys.chunk
        )
    })?;
    let holds = design.fabric.holds() != HoldPath::Never;
    require(!holds || chunk == 0 || design.fabric.kind != FabricKind::Clusters, "fabric.clusters.chunk", || {
        format!(
            "got \"{}\" with fabric.hold_path = \"{}\", expected \"0B\": parts give their path up",
            keys.chunk,
            design.fabric.holds().name()
        )
    })?;
    let (trunks, controllers) = (keys.trunks.unwrap_or(0), design.geometry.channels);
    require(trunks <= controllers, "fabric.clusters.trunks", || {
        format!("got {trunks}, expected at most geometry.channels ({controllers}): a controller has one trunk")
    })
}

fn check_mapping(design: &Design) -> Checked {
    let mapping = &design.mapping;
    require(!mapping.is_cached() || mapping.entries(1) > 0, "mapping.cache_capacity", || {
        format!(
            "got \"{}\", expected \"0B\" (all of the table in DRAM) or at least mapping.cached_entry_bytes ({})",
            mapping.cache_capacity, mapping.cached_entry_bytes
        )
    })
}

fn check_medium(design: &Design) -> Checked {
    let operations = design.flash.suspend.operations;
    let suspends = operations != Suspendable::None;
    let suspends_programs = matches!(operations, Suspendable::Program | Suspendable::Both);
    require(!suspends || design.fabric.holds() != HoldPath::Always, "flash.suspend.operations", || {
        "needs fabric.hold_path = \"never\" or \"reads\": a suspended operation would hold the path that reads need"
            .to_owned()
    })?;
    check_pipelines(design)?;
    let overlaps = design.controller.ecc_overlap;
    require(overlaps || design.fabric.holds() == HoldPath::Never, "controller.ecc_overlap", || {
        "got false, which needs fabric.hold_path = \"never\": data of a held path cross at once".to_owned()
    })?;
    require(!design.gc.copyback || design.fabric.holds() == HoldPath::Never, "gc.copyback", || {
        "needs fabric.hold_path = \"never\": a copy sends two commands and no data".to_owned()
    })?;
    require(!suspends_programs || design.ftl.map_update == MapUpdate::ProgramEnd, "flash.suspend.operations", || {
        "needs ftl.map_update = \"program-end\" to suspend programs: reads would look for pages not programmed yet"
            .to_owned()
    })
}

fn check_pipelines(design: &Design) -> Checked {
    let flash = &design.flash;
    let keys = [
        ("flash.cache_read", flash.cache_read),
        ("flash.independent_plane_reads", flash.independent_plane_reads),
        ("flash.cache_program", flash.cache_program),
    ];
    for (key, is_on) in keys {
        require(!is_on || !design.gc.copyback, key, || {
            "needs gc.copyback = false: a copyback programs what is in the page register, which the next command would \
             replace"
                .to_owned()
        })?;
        require(!is_on || !flash.busy_until_data_out, key, || {
            "needs flash.busy_until_data_out = false: a chip that waits until all data have left it works on nothing \
             meanwhile"
                .to_owned()
        })?;
        require(!is_on || design.fabric.holds() == HoldPath::Never, key, || {
            "needs fabric.hold_path = \"never\": a held path belongs to one command, and several are in the chip"
                .to_owned()
        })?;
    }
    require(!flash.cache_program || flash.failures.program == 0.0, "flash.cache_program", || {
        "needs flash.failures.program = 0: the program behind one that fails is lost with it, which is not modelled"
            .to_owned()
    })
}

fn check_cache(design: &Design) -> Checked {
    let cache = &design.cache;
    let (capacity, page) = (cache.capacity, Size(design.cached_page()));
    require(capacity.0 == 0 || capacity.0 >= page.0, "cache.capacity", || {
        format!("got \"{capacity}\", expected \"0B\" (no cache) or at least a page (\"{page}\")")
    })?;
    require(cache.low_watermark <= cache.high_watermark, "cache.low_watermark", || {
        format!("got {}, expected at most cache.high_watermark ({})", cache.low_watermark, cache.high_watermark)
    })?;
    let is_safe = cache.power_loss_protection && design.ftl.map_update == MapUpdate::Issue;
    require(cache.destage != Destage::Mqsim || capacity.0 == 0 || is_safe, "cache.destage", || {
        "got mqsim, expected cache.power_loss_protection = true and ftl.map_update = \"issue\" with it".to_owned()
    })?;
    let dram = &cache.dram;
    require(dram.rate.0 > 0, "cache.dram.rate", || format!("got \"{}\", expected a rate above 0", dram.rate))?;
    for (key, size) in [("cache.dram.row", dram.row), ("cache.dram.burst", dram.burst)] {
        require((1..=1 << 30).contains(&size.0), key, || format!("got \"{size}\", expected from \"1B\" to \"1GiB\""))?;
    }
    Ok(())
}

fn check_scheduler(design: &Design) -> Checked {
    require(design.scheduler.flin.epoch.0 > 0, "scheduler.flin.epoch", || "got 0, expected a time above 0".to_owned())
}

fn check_space(design: &Design) -> Checked {
    if design.ftl.mapping == MappingScheme::InPlace {
        return Ok(());
    }
    let blocks = f64::from(design.geometry.blocks_per_plane);
    let apart = f64::from(CacheBlocks::of(design, &design.layout()).of_static);
    let spare = (blocks * design.ftl.overprovisioning - apart).max(f64::from(design.ftl.min_spare_blocks));
    require(f64::from(design.ftl.min_spare_blocks) < blocks, "ftl.min_spare_blocks", || {
        format!("got {}, expected fewer than the {blocks} blocks of a plane", design.ftl.min_spare_blocks)
    })?;
    require(design.gc.hard_threshold <= design.gc.threshold, "gc.hard_threshold", || {
        format!("got {}, expected at most gc.threshold ({})", design.gc.hard_threshold, design.gc.threshold)
    })?;
    if design.has_zones() && !design.mixes_zones() {
        // Nothing is collected.
        return Ok(());
    }
    let wanted = design.gc.threshold * blocks;
    require(wanted <= spare, "gc.threshold", || {
        format!(
            "got {} (keep {wanted:.0} of {blocks} blocks a plane free), but ftl.overprovisioning leaves {spare:.0} when the \
             drive is full; expected at most {:.4}",
            design.gc.threshold,
            spare / blocks
        )
    })?;
    let reserved = f64::from(design.gc.reserved_blocks);
    require(reserved + 2.0 <= spare || design.ftl.min_spare_blocks == 0, "gc.reserved_blocks", || {
        format!(
            "got {reserved}, expected at most {:.0}: the {spare:.0} spare blocks of a plane less two open ones",
            spare - 2.0
        )
    })
}

fn check_state(design: &Design) -> Checked {
    let elsewhere = design.gc.scope != Scope::Plane;
    require(!elsewhere || design.ftl.write_placement == WritePlacement::Dynamic, "gc.scope", || {
        format!(
            "got \"{}\", whose copies go to other planes; expected ftl.write_placement = \"dynamic\" with it",
            design.gc.scope.name()
        )
    })?;
    let occupancy = design.precondition.occupancy;
    require(design.precondition.kind != PreconditionKind::None || occupancy == 1.0, "precondition.occupancy", || {
        format!(
            "got {occupancy} for a drive fresh out of the box; expected precondition.kind = \"steady\" or \"replay\""
        )
    })?;
    let computed = design.precondition.kind == PreconditionKind::Steady;
    require(!computed || design.flash.failures.factory_bad == 0.0, "precondition.kind", || {
        "got \"steady\", which knows no blocks that are bad from the factory; expected \"replay\" with \
         flash.failures.factory_bad above 0"
            .to_owned()
    })
}

/// Hybrid mapping fixes the plane of each page, and its data blocks have no known steady state.
fn check_hybrid(design: &Design) -> Checked {
    let ftl = &design.ftl;
    if !ftl.mapping.is_hybrid() {
        return Ok(());
    }
    let name = ftl.mapping.name();
    require(ftl.write_placement == WritePlacement::Static, "ftl.write_placement", || {
        let got = spelt(ftl.write_placement);
        format!("got {got}, expected \"static\" with ftl.mapping = \"{name}\": a logical block lies in one plane")
    })?;
    require(ftl.unwritten_reads == UnwrittenReads::Zeroes, "ftl.unwritten_reads", || {
        format!(
            "got {}, expected \"zeroes\" with ftl.mapping = \"{name}\": a page found as if written before has its place in a \
             data block whose pages are programmed in order",
            spelt(ftl.unwritten_reads)
        )
    })?;
    require(ftl.map_update == MapUpdate::ProgramEnd, "ftl.map_update", || {
        format!("got \"issue\", expected \"program-end\" with ftl.mapping = \"{name}\": a merge needs the old page")
    })?;
    require(design.wear.endurance == 0, "wear.endurance", || {
        format!(
            "got {}, expected 0 with ftl.mapping = \"{name}\", which says nothing of blocks that are retired",
            design.wear.endurance
        )
    })?;
    require(design.precondition.kind == PreconditionKind::None, "precondition.kind", || {
        format!(
            "got {}, expected \"none\" with ftl.mapping = \"{name}\", whose log blocks no state is known of",
            spelt(design.precondition.kind)
        )
    })?;
    let failures = &design.flash.failures;
    require(failures.program + failures.erase + failures.factory_bad == 0.0, "flash.failures", || {
        format!(
            "got bad blocks, expected none with ftl.mapping = \"{name}\", which says nothing of blocks that are retired"
        )
    })?;
    require(!design.gc.copyback, "gc.copyback", || {
        format!("got true, expected false with ftl.mapping = \"{name}\": copies of a merge are programmed in order")
    })?;
    require(!design.refresh.is_on(), "refresh", || {
        format!("got limits, expected none with ftl.mapping = \"{name}\": log blocks move when they are merged")
    })?;
    require(!design.mapping.is_cached(), "mapping.cache_capacity", || {
        format!(
            "got \"{}\", expected \"0B\" with ftl.mapping = \"{name}\", whose tables are small enough for DRAM",
            design.mapping.cache_capacity
        )
    })?;
    let (logs, reserved, blocks) = (ftl.hybrid.log_blocks, design.gc.reserved_blocks, design.geometry.blocks_per_plane);
    require(logs + reserved < blocks, "ftl.hybrid.log_blocks", || {
        format!(
            "got {logs}, expected at most {}: the {blocks} blocks of a plane less gc.reserved_blocks ({reserved}) and a data \
             block",
            i64::from(blocks) - i64::from(reserved) - 1
        )
    })
}

/// Stripes fix the plane of each page, and a superblock is collected as a whole.
fn check_superblocks(design: &Design) -> Checked {
    let ftl = &design.ftl;
    require(design.gc.pacing == Pacing::None || ftl.superblock == Superblock::Drive, "gc.pacing", || {
        "needs ftl.superblock = \"drive\": free superblocks of the whole drive are what host writes wait for".to_owned()
    })?;
    if ftl.superblock == Superblock::None {
        return Ok(());
    }
    let refuse = refuse_with(format!("ftl.superblock = \"{}\"", ftl.superblock.name()));
    refuse(
        ftl.mapping == MappingScheme::Page,
        "ftl.superblock",
        &format!("ftl.mapping = \"{}\"", ftl.mapping.name()),
        "log blocks lie in the plane of their data blocks; expected ftl.mapping = \"page\"",
    )?;
    refuse(
        ftl.write_placement == WritePlacement::Static,
        "ftl.write_placement",
        &spelt(ftl.write_placement),
        "the stripe says which plane of a group is written to, ftl.allocation which group; expected \"static\"",
    )?;
    refuse(
        design.gc.scope == Scope::Plane,
        "gc.scope",
        &format!("\"{}\"", design.gc.scope.name()),
        "all planes of a group collect at once and copies go where the stripe says; expected \"plane\"",
    )?;
    refuse(
        !design.gc.copyback,
        "gc.copyback",
        "true",
        "the stripe says which plane a copy goes to, rarely its own; expected false",
    )?;
    refuse(
        !design.mapping.is_cached(),
        "mapping.cache_capacity",
        &format!("\"{}\"", design.mapping.cache_capacity),
        "translation pages have separate planes; expected \"0B\"",
    )
}

fn check_parity(design: &Design) -> Checked {
    let (parity, superblock) = (design.ftl.parity, design.ftl.superblock);
    if parity == Parity::None {
        return Ok(());
    }
    let layout = design.layout();
    let (unit, planes) = (parity.unit_planes(&layout), superblock.planes(&layout));
    require(planes >= 2 * unit && planes % unit == 0, "ftl.parity", || {
        format!(
            "got \"{name}\" with ftl.superblock = \"{}\", which is not several {name}s of this drive; expected \"none\", or a \
             superblock over at least two {name}s",
            superblock.name(),
            name = parity.name(),
        )
    })
}

/// One for the copies of a victim, and one for pages on their way there.
const RESERVED_FOR_LOSS: u32 = 2;

fn check_loss(design: &Design) -> Checked {
    let (layout, failures) = (design.layout(), &design.flash.failures);
    let Some((number, lost)) = failures.lost_part(&layout) else { return Ok(()) };
    let what = if failures.lost_die.is_some() { "die" } else { "channel" };
    let key = &*format!("flash.failures.lost_{what}");
    require(failures.lost_die.is_none() || failures.lost_channel.is_none(), "flash.failures.lost_channel", || {
        "got a channel together with flash.failures.lost_die, expected one of the two: parity replaces one loss"
            .to_owned()
    })?;
    let count = layout.planes() / lost;
    require(number < count, key, || format!("got {number}, expected 0 to {}: the {what}s of the drive", count - 1))?;
    check_reserves(design, key, what, lost)
}

/// Checks the drive without that many planes of a kind.
///
/// # Errors
/// The first problem.
pub fn check_reserves(design: &Design, key: &str, what: &str, lost: u32) -> Checked {
    let layout = design.layout();
    let unit = design.ftl.parity.unit_planes(&layout);
    require(unit >= lost, key, || {
        let kinds = if what == "die" { "\"die\" or \"channel\"" } else { "\"channel\"" };
        format!("needs ftl.parity = {kinds}: without it the data of a lost {what} are gone")
    })?;
    require(design.ftl.map_update == MapUpdate::ProgramEnd, key, || {
        "needs ftl.map_update = \"program-end\": a page that was taken early could not be changed".to_owned()
    })?;
    require(!design.flash.cache_program, "flash.cache_program", || {
        format!(
            "got true with {key}, expected false: the program behind one that fails is lost with it, which is not modelled"
        )
    })?;
    let reserved = design.gc.reserved_blocks;
    require(reserved >= RESERVED_FOR_LOSS, "gc.reserved_blocks", || {
        format!(
            "got {reserved}, expected at least {RESERVED_FOR_LOSS} with {key}: copies whose {what} is lost need room as well"
        )
    })?;
    let units = design.ftl.superblock.planes(&layout) / unit;
    // Of two units the one that is left holds the data, without parity.
    let left = if units > 2 { 1.0 - f64::from(lost) / f64::from(unit * (units - 1)) } else { 1.0 };
    // Blocks kept free, being filled, and one to be reclaimed.
    let kept = f64::from(reserved + 4) / f64::from(layout.blocks_per_plane);
    let least = 1.0 - left * (1.0 - kept);
    require(design.ftl.overprovisioning >= least, "ftl.overprovisioning", || {
        format!(
            "got {}, expected at least {least:.3} with {key}: superblocks without the {what} hold {:.1} % of the data, and all \
             of it must still fit beside {} blocks a plane for collection",
            design.ftl.overprovisioning,
            100.0 * left,
            reserved + 4,
        )
    })
}

fn check_refresh(design: &Design) -> Checked {
    require(design.refresh.scan_interval.0 > 0, "refresh.scan_interval", || "got 0, expected a time above 0".to_owned())
}

fn check_errors(design: &Design) -> Checked {
    let (factors, kinds) = (&design.flash.errors.page_type_factors, design.flash.cell.bits() as usize);
    require(factors.is_empty() || factors.len() == kinds, "flash.errors.page_type_factors", || {
        format!(
            "got {} factors, expected one for each of the {kinds} kinds of page of this cell, or none",
            factors.len()
        )
    })?;
    let wrong = factors.iter().find(|f| !(0.0..=1e6).contains(*f));
    require(wrong.is_none(), "flash.errors.page_type_factors", || {
        format!("got {}, expected factors from 0 to 1000000", wrong.copied().unwrap_or_default())
    })?;
    let ecc = &design.controller.ecc;
    require((1..=32768).contains(&ecc.codeword.0), "controller.ecc.codeword", || {
        format!("got \"{}\", expected from \"1B\" to \"32KiB\"", ecc.codeword)
    })?;
    require(u64::from(ecc.correctable_bits) < 8 * ecc.codeword.0, "controller.ecc.correctable_bits", || {
        format!("got {}, expected fewer than the {} bits of a codeword", ecc.correctable_bits, 8 * ecc.codeword.0)
    })?;
    let detected = design.fabric.omnibus.detect_bits;
    require(u64::from(detected) < 8 * ecc.codeword.0, "fabric.omnibus.detect_bits", || {
        format!("got {detected}, expected fewer than the {} bits of a codeword", 8 * ecc.codeword.0)
    })?;
    check_outer_code(design)
}

fn check_outer_code(design: &Design) -> Checked {
    let (ecc, page) = (&design.controller.ecc, design.geometry.page);
    let outer = ecc.outer.codeword.0;
    let fits = outer > ecc.codeword.0 && outer % ecc.codeword.0 == 0 && outer % SECTOR == 0 && page.0 % outer == 0;
    require(outer == 0 || fits, "controller.ecc.outer.codeword", || {
        format!(
            "got \"{}\", expected \"0B\", or whole sectors that are several codewords of \"{}\" (controller.ecc.codeword) and \
             divide a page of \"{page}\"",
            ecc.outer.codeword, ecc.codeword
        )
    })?;
    require(
        outer == 0 || u64::from(ecc.outer.correctable_bits) < 8 * outer,
        "controller.ecc.outer.correctable_bits",
        || {
            format!(
                "got {}, expected fewer than the {} bits of an outer codeword",
                ecc.outer.correctable_bits,
                8 * outer
            )
        },
    )
}

fn check_failures(design: &Design) -> Checked {
    let failures = &design.flash.failures;
    let at_end = design.ftl.map_update == MapUpdate::ProgramEnd;
    require(failures.program == 0.0 || at_end, "flash.failures.program", || {
        "needs ftl.map_update = \"program-end\": a page that was taken early could not be changed".to_owned()
    })?;
    let layout = design.layout();
    let most =
        expendable_blocks(design, &layout, design.fdp.frontiers_per_stream() * (design.fdp.handles as u16).max(1));
    let wanted = (failures.factory_bad * f64::from(layout.blocks_per_plane)).ceil();
    require(wanted <= f64::from(most), "flash.failures.factory_bad", || {
        format!(
            "got {} (up to {wanted} of {} blocks a plane), expected at most {most} blocks: more would leave no room for the \
             host's data and collection",
            failures.factory_bad, layout.blocks_per_plane
        )
    })
}

/// Checks a workload.
pub fn check_workload(workload: &Workload) -> Checked {
    if let Some(gap) = workload.inter_arrival {
        require(gap.0 > 0, "inter_arrival", || "got 0, expected a time above 0".to_owned())?;
        require(workload.flow.iter().any(|flow| flow.looping().is_paced()), "inter_arrival", || {
            format!(
                "got \"{gap}\", which scales the times of open-loop flows, and none is; expected it without queue_depth \
                     and as_fast_as_possible"
            )
        })?;
    }
    let threads: u32 = workload.flow.iter().map(|flow| flow.threads).sum();
    require(threads <= 64, "flow", || format!("got {threads} threads in all, expected at most 64"))?;
    for (i, flow) in workload.flow.iter().enumerate() {
        check_flow(workload, flow, &format!("flow.{i}"))?;
    }
    Ok(())
}

fn check_flow(workload: &Workload, flow: &Flow, key: &str) -> Checked {
    for (name, list) in
        [("channels", &flow.channels), ("chips", &flow.chips), ("dies", &flow.dies), ("planes", &flow.planes)]
    {
        require(list.is_none() || workload.partitioned, &format!("{key}.{name}"), || {
            "needs partitioned = true: flows that share addresses share all planes".to_owned()
        })?;
    }
    require(flow.occupancy.is_none() || workload.partitioned, &format!("{key}.occupancy"), || {
        "needs partitioned = true: flows that share addresses find the same data there".to_owned()
    })?;
    let kinds = [(flow.synthetic.is_some(), "synthetic"), (flow.trace.is_some(), "trace"), (flow.mix.is_some(), "mix")];
    let given: Vec<&str> = kinds.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
    match given[..] {
        [] => return Err(Problem::new(key, "got neither synthetic nor trace nor mix, expected one of them")),
        [first, second, ..] => {
            return Err(Problem::new(key, format!("got both {first} and {second}, expected one of them")));
        }
        _ => {}
    }
    compute::check_flow(flow, key)?;
    flow.synthetic.as_ref().map_or(Ok(()), |synthetic| check_synthetic(synthetic, &format!("{key}.synthetic")))?;
    flow.trace.as_ref().map_or(Ok(()), |trace| check_trace(trace, &format!("{key}.trace")))?;
    flow.mix.as_ref().map_or(Ok(()), |mix| check_mix(mix, &format!("{key}.mix")))
}
