//! Flows within their namespaces.

use super::{FlowRange, Limits, check_zoned_flow};
use crate::config::design::{Design, Namespace, NamespaceKind};
use crate::config::namespace::Extent;
use crate::config::workload::{Flow, Workload};
use crate::flash::address::{Layout, SECTOR};
use crate::ftl::placement::Positions;
use crate::measure::zones::NamespaceReport;

fn choose(design: &Design, workload: &Workload, all: &[Extent]) -> Result<Vec<Option<Extent>>, String> {
    if !all.is_empty() && workload.partitioned {
        return Err("partitioned: got true, expected false with namespaces: flows name theirs".to_owned());
    }
    let of = |flow: &Flow| {
        let place = place_of(design, flow)?;
        let extent = all.get(place).copied();
        let is_placed = extent.is_none_or(|extent| extent.kind == NamespaceKind::Placed);
        if flow.handle > 0 && !is_placed {
            let (handle, kind) = (flow.handle, design.namespace[place].kind.name());
            return Err(format!(
                "flow {:?}: handle: got {handle}, expected 0 in a {kind} namespace: a placed one takes handles",
                flow.name
            ));
        }
        Ok(extent)
    };
    workload.flow.iter().map(of).collect()
}

fn place_of(design: &Design, flow: &Flow) -> Result<usize, String> {
    let Some(given) = &flow.namespace else { return Ok(0) };
    let count = design.namespace.len().max(1);
    let numbered = given.parse::<usize>().ok().filter(|number| (1..=count).contains(number)).map(|number| number - 1);
    let named = || design.namespace.iter().position(|namespace| namespace.name == *given);
    numbered.or_else(named).ok_or_else(|| {
        let names: Vec<String> = design.namespace.iter().map(|namespace| format!("{:?}", namespace.name)).collect();
        let names = if names.is_empty() { String::new() } else { format!(", or {}", names.join(", ")) };
        format!("flow {:?}: namespace: got {given:?}, expected a number from 1 to {count}{names}", flow.name)
    })
}

pub(super) fn in_group(design: &Design, layout: &Layout, flow: &Flow, all: Positions) -> Result<Positions, String> {
    let Some(group) = flow.reclaim_group else { return Ok(all) };
    let planes = design.ftl.superblock.planes(layout);
    let groups = layout.planes() / planes;
    let expected = match design.fdp.is_on() {
        false => "but the drive has none: set fdp.handles".to_owned(),
        true => format!("expected 0 to {}, the reclaim groups of the drive (ftl.superblock)", groups - 1),
    };
    if !design.fdp.is_on() || group >= groups {
        return Err(format!("flow {:?}: reclaim_group: got {group}, {expected}", flow.name));
    }
    let first = group * planes;
    let (die, chip) = (first / layout.planes_per_die, first / layout.planes_per_die / layout.dies_per_chip);
    let channel = chip / layout.chips_per_channel;
    let within = |one: u32, of: u32, all: Vec<u32>| if of > planes { vec![one] } else { all };
    let (of_chip, of_channel) = (layout.planes_per_die * layout.dies_per_chip, layout.planes() / layout.channels);
    Ok(Positions {
        channels: within(channel, layout.planes(), all.channels),
        chips: within(chip % layout.chips_per_channel, of_channel, all.chips),
        dies: within(die % layout.dies_per_chip, of_chip, all.dies),
        planes: all.planes,
    })
}

/// Its planes hold `per_plane` sectors each.
pub(super) fn check_group_fits(layout: &Layout, flow: &Flow, range: &FlowRange, visible: u64) -> Result<(), String> {
    let p = &range.positions;
    let planes = (p.channels.len() * p.chips.len() * p.dies.len() * p.planes.len()) as u64;
    let used = flow.synthetic.as_ref().map_or(0, |synthetic| synthetic.used_sectors(range.sectors));
    if flow.reclaim_group.is_none() || planes == u64::from(layout.planes()) || used <= planes * visible {
        return Ok(());
    }
    Err(format!(
        "flow {:?}: reclaim_group: got addresses of {} B, but the group holds {} B: set working_set or a namespace",
        flow.name,
        used * SECTOR,
        planes * visible * SECTOR
    ))
}

/// `in_zones`: sectors of zones.
pub(super) fn confine_all(
    design: &Design,
    workload: &Workload,
    flows: &mut [FlowRange],
    extents: &[Extent],
    in_zones: u64,
) -> Result<(), String> {
    let chosen = choose(design, workload, extents)?;
    for ((range, flow), extent) in flows.iter_mut().zip(&workload.flow).zip(chosen) {
        let is_zoned = extent.map_or(in_zones > 0, |extent| extent.kind == NamespaceKind::Zoned);
        check_zoned_flow(workload, flow, is_zoned)?;
        confine(range, extent, in_zones, &design.layout());
        let is_placed = extent.map_or(in_zones == 0, |extent| extent.kind == NamespaceKind::Placed);
        range.handles = if is_placed { design.fdp.handles as u16 } else { 0 };
    }
    Ok(())
}

/// Without a table of namespaces, to the zones or to everything.
fn confine(range: &mut FlowRange, extent: Option<Extent>, in_zones: u64, layout: &Layout) {
    let Some(Extent { kind, first, bytes }) = extent else {
        if in_zones > 0 {
            (range.sectors, range.space) = (in_zones, None);
        }
        return;
    };
    (range.first_sector, range.sectors) = (first / SECTOR, bytes / SECTOR);
    range.first_page = range.first_sector / u64::from(layout.sectors_per_page);
    range.space = (kind != NamespaceKind::Zoned).then_some(0);
}

pub(super) fn spaces(flows: &mut [FlowRange], are_namespaces: bool) -> Vec<usize> {
    if are_namespaces {
        let mapped = || flows.iter().filter(|flow| flow.space.is_some());
        let mut firsts: Vec<u64> = mapped().map(|flow| flow.first_page).collect();
        firsts.sort_unstable();
        firsts.dedup();
        for flow in flows.iter_mut().filter(|flow| flow.space.is_some()) {
            flow.space = firsts.binary_search(&flow.first_page).ok();
        }
    }
    let first_of = |space| flows.iter().position(|flow| flow.space == Some(space));
    (0..).map_while(first_of).collect()
}

impl Limits {
    pub fn namespaces(&self, design: &Design, workload: &Workload) -> Vec<NamespaceReport> {
        let of = |(i, (namespace, extent)): (usize, (&Namespace, &Extent))| {
            let own = workload.flow.iter().filter(|flow| place_of(design, flow) == Ok(i));
            NamespaceReport {
                name: namespace.name.clone(),
                kind: extent.kind.name(),
                size_bytes: extent.bytes,
                flows: own.map(|flow| flow.name.clone()).collect(),
            }
        };
        design.namespace.iter().zip(&self.extents).enumerate().map(of).collect()
    }
}
