//! Rules of a design that need the interconnect itself.

use crate::config::check::{Checked, check_reserves, require};
use crate::config::design::{
    Design, FabricKind, HoldPath, MapUpdate, MappingScheme, MeshController, Parity, Scope, Scouts, Superblock,
};
use crate::config::error::ConfigError;
use crate::config::named::Named;
use crate::config::setting::Setting;
use crate::engine::time::Time;
use crate::fabric::facts_of;
use crate::fabric::failing::Parts;
use crate::fabric::loss::chips_cut_off;
use crate::flash::address::ChipId;

pub fn load_design(name: &str, text: Option<&str>, settings: &[String]) -> Result<Design, ConfigError> {
    canaletto_config::load::load_design_with(name, text, settings, check)
}

/// Loads a design like [`canaletto_config::load_design`] with the checks that need the interconnect, and with notes on
/// keys without effect.
///
/// # Errors
/// As [`load_design`].
pub fn resolve_design(
    name: &str,
    text: Option<&str>,
    settings: &[Setting],
) -> Result<(Design, Vec<String>), ConfigError> {
    canaletto_config::load::resolve_design_with(name, text, settings, check)
}

fn check(design: &Design) -> Checked {
    let fabric = &design.fabric;
    require(facts_of(fabric.kind).holds_paths || fabric.holds() == HoldPath::Never, "fabric.hold_path", || {
        format!(
            "got \"{}\", expected \"never\" for {}: its transfers hold no single path",
            fabric.holds().name(),
            fabric.kind.name()
        )
    })?;
    check_failing(design)
}

fn check_failing(design: &Design) -> Checked {
    if !design.fabric.failures.any() {
        return Ok(());
    }
    check_counts(design)?;
    let cut_off = chips_cut_off(design);
    if cut_off.is_empty() { Ok(()) } else { check_cut_off(design, &cut_off) }
}

fn failing_parts(design: &Design) -> impl Iterator<Item = (&'static str, u32, u32)> {
    let (fabric, g) = (&design.fabric, &design.geometry);
    let Parts { links, routers, controllers, buses, switches } =
        (facts_of(fabric.kind).failing.parts)(fabric, g.channels, g.chips_per_channel);
    let there = [links, routers, controllers, buses, switches];
    let parts = fabric.failures.counts().into_iter().zip(there).map(|((name, count), there)| (name, there, count));
    parts.filter(|&(_, there, count)| there > 0 && count > 0)
}

fn check_counts(design: &Design) -> Checked {
    let (fabric, g) = (&design.fabric, &design.geometry);
    let name = fabric.kind.name();
    for (part, there, count) in failing_parts(design) {
        let key = format!("fabric.failures.{part}");
        require(count <= there, &key, || {
            format!(
                "got {count}, expected at most {there}: the {part} of {name} with {} channels of {} chips",
                g.channels, g.chips_per_channel
            )
        })?;
        let is_clocked = fabric.kind == FabricKind::Venice && fabric.venice.scouts == Scouts::Clocked;
        require(!is_clocked, &key, || {
            format!("got {count}, expected 0 with fabric.venice.scouts = \"clocked\": in rtl/ no {part} fail")
        })?;
        let is_mesh = matches!(fabric.kind, FabricKind::Mesh | FabricKind::Mesh2bit);
        require(!is_mesh || fabric.mesh.controller == MeshController::OwnRow, &key, || {
            format!(
                "got {count}, expected 0 with fabric.mesh.controller = \"least-loaded\": with X before Y it would send packets \
                 over ways that have failed"
            )
        })?;
        // Behind a switch nothing fails that does not cut chips off.
        let copies_over_what_fails =
            matches!(fabric.kind, FabricKind::Omnibus | FabricKind::OmnibusSplit | FabricKind::ScheduledMesh);
        let is_split =
            copies_over_what_fails && design.gc.scope != Scope::Plane && fabric.failures.at.time() > Time::ZERO;
        require(!is_split, &key, || {
            format!(
                "got {count}, expected 0 with fabric.failures.at and gc.scope other than \"plane\": a copy on its way from chip to \
                 chip would have none"
            )
        })?;
    }
    Ok(())
}

fn check_cut_off(design: &Design, chips: &[ChipId]) -> Checked {
    let (part, _, count) = failing_parts(design).next().expect("chips are cut off by parts that fail");
    let key = &*format!("fabric.failures.{part}");
    let g = &design.geometry;
    let named = |chip: &ChipId| format!("{},{}", chip.0 / g.chips_per_channel, chip.0 % g.chips_per_channel);
    let shown: Vec<String> = chips.iter().take(4).map(named).collect();
    let more = if chips.len() > 4 { format!(" and {} more", chips.len() - 4) } else { String::new() };
    let off = format!("got {count}, which cuts off chips {}{more}", shown.join(" "));
    require(chips.len() < (g.channels * g.chips_per_channel) as usize, key, || {
        format!("got {count}, which cuts off all chips, expected fewer failed parts")
    })?;
    require(!design.flash.failures.any_is_lost(), key, || {
        format!("{off}, expected 0 with flash.failures.lost_die or lost_channel: one loss at a time is modelled")
    })?;
    require(design.ftl.map_update == MapUpdate::ProgramEnd, key, || {
        format!("{off} and needs ftl.map_update = \"program-end\": a page that was taken early could not be changed")
    })?;
    require(!design.flash.cache_program, key, || {
        format!("{off} and needs flash.cache_program = false: the program behind one that fails is lost with it")
    })?;
    match design.ftl.parity {
        Parity::None => check_without_parity(design, key, &off),
        _ => check_with_parity(design, chips, key, &off),
    }
}

fn check_without_parity(design: &Design, key: &str, off: &str) -> Checked {
    let wrong = [
        (
            design.ftl.mapping != MappingScheme::Page,
            "ftl.mapping = \"page\"",
            "log blocks are not merged without a chip",
        ),
        (
            design.ftl.superblock != Superblock::None,
            "ftl.superblock = \"none\" or ftl.parity",
            "superblocks over lost chips could not be collected",
        ),
        (design.gc.scope != Scope::Plane, "gc.scope = \"plane\"", "pages go to other chips in the others"),
        (
            design.mapping.is_cached(),
            "mapping.cache_capacity = \"0B\"",
            "translation pages in lost chips would take their entries with them",
        ),
    ];
    for (is_wrong, needed, why) in wrong {
        require(!is_wrong, key, || format!("{off} and needs {needed}: {why}"))?;
    }
    Ok(())
}

fn check_with_parity(design: &Design, chips: &[ChipId], key: &str, off: &str) -> Checked {
    let layout = design.layout();
    let planes: Vec<u32> = chips.iter().flat_map(|&chip| layout.planes_of_chip(chip)).map(|plane| plane.0).collect();
    let unit = design.ftl.parity.unit_planes(&layout);
    let is_one = planes.iter().all(|plane| plane / unit == planes[0] / unit);
    require(is_one, key, || {
        let name = design.ftl.parity.name();
        format!("{off}, expected one {name} at the most with ftl.parity = \"{name}\", which makes up for one loss")
    })?;
    check_reserves(design, key, "chip", planes.len() as u32)
}
