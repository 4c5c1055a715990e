//! Limits of a design for a workload: capacity, address ranges and thresholds.

// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

mod chip_shares;
mod hot_spot;
mod namespaces;

use crate::config::cache::{CacheMode, Sharing};
pub use crate::config::capacity::data_units;
use crate::config::capacity::{expendable_blocks, most_valid, translation_blocks, visible_sectors};
use crate::config::compute::{self, TaskKind};
use crate::config::design::{Allocation, Design, MappingScheme, Protocol, WritePlacement};
use crate::config::error::Problem;
use crate::config::namespace::Extent;
use crate::config::pseudo_slc::CacheBlocks;
use crate::config::units::Size;
use crate::config::workload::{Flow, Workload};
use crate::config::zns::ZoneShape;
use crate::flash::address::{Layout, SECTOR};
use crate::ftl::mapping::directory::Directory;
use crate::ftl::placement::{Placement, Positions};
pub use crate::limits::chip_shares::chip_shares;
pub use crate::limits::hot_spot::HotPages;

#[derive(Debug, Clone)]
pub struct FlowRange {
    /// Its place among [`Limits::spaces`]; none if it addresses zones.
    pub space: Option<usize>,
    pub first_sector: u64,
    pub sectors: u64,
    pub first_page: u64,
    /// Whether its reads are of bytes, not of whole sectors.
    pub reads_bytes: bool,
    /// Reclaim unit handle of its writes that name none, or where flows have their own write frontiers.
    pub stream: u16,
    /// Reclaim unit handles that its requests may name.
    pub handles: u16,
    pub positions: Positions,
    pub hot: Option<HotPages>,
}

impl FlowRange {
    /// First sector and number of sectors of the flow's working set.
    pub fn used(&self, flow: &Flow) -> (u64, u64) {
        let (first, last) = (self.first_sector, self.first_sector + self.sectors - 1);
        let (first, last) = flow.synthetic.as_ref().map_or((first, last), |s| s.used_range(first, last));
        (first, last + 1 - first)
    }
}

#[derive(Debug, Clone)]
pub struct Limits {
    pub layout: Layout,
    pub flows: Vec<FlowRange>,
    pub logical_pages: u64,
    pub mapped_pages: u64,
    pub directories: Vec<Directory>,
    pub logical_sectors: u64,
    pub streams: u16,
    pub pages_per_unit: u64,
    pub cache_pages: u64,
    pub gc_start_below: u32,
    pub gc_urgent_at: u32,
    pub most_valid: u64,
    pub expendable_blocks: u32,
    pub planes_per_group: u32,
    pub cache_blocks: CacheBlocks,
    pub zones: Option<ZoneShape>,
    /// Where other namespaces begin.
    pub end_of_zones: u64,
    /// Flows of a space share its addresses.
    pub spaces: Vec<usize>,
    pub extents: Vec<Extent>,
    /// Blocks of each plane that are not the zones'.
    pub mapped_blocks: u32,
}

fn directories(
    design: &Design,
    layout: &Layout,
    flows: &[FlowRange],
    partitioned: bool,
    logical_pages: u64,
) -> Vec<Directory> {
    if !design.mapping.is_cached() {
        return Vec::new();
    }
    let per_flow = |flow: &FlowRange| (flow.first_page, flow.sectors.div_ceil(u64::from(layout.sectors_per_page)));
    let parts = if partitioned { flows.iter().map(per_flow).collect() } else { vec![(0, logical_pages)] };
    let mut first_translation = logical_pages;
    let per_page = design.mapping.entries_per_page(layout.page_bytes());
    let unit = u64::from(design.pages_per_unit());
    let made = parts.into_iter().map(|(first_page, pages)| {
        let pages = pages.div_ceil(unit);
        let directory = Directory { first_page: first_page / unit, pages, first_translation, per_page };
        first_translation += directory.translation_pages();
        directory
    });
    made.collect()
}

fn flow_ranges(design: &Design, workload: &Workload, layout: &Layout, visible: u64) -> Result<Vec<FlowRange>, String> {
    let per_page = u64::from(layout.sectors_per_page);
    // Whole flash pages and whole mapping units.
    let aligned = u64::from(layout.pages_per_flash_page().max(design.pages_per_unit()));
    let of_flow = |flow| positions(flow, layout).and_then(|all| namespaces::in_group(design, layout, flow, all));
    let positions = workload.flow.iter().map(of_flow).collect::<Result<Vec<_>, _>>()?;
    let mut flows: Vec<FlowRange> = Vec::new();
    let reads_bytes = design.host.protocol == Protocol::Memory;
    if workload.partitioned {
        let mut sharers = vec![0u64; layout.planes() as usize];
        let planes: Vec<Placement> = positions.iter().map(|p| Placement::new(layout, Allocation::CWDP, p)).collect();
        for plane in planes.iter().flat_map(|p| p.planes()) {
            sharers[plane.index()] += 1;
        }
        let (mut first_sector, mut first_page) = (0, 0);
        for (positions, placement) in positions.into_iter().zip(&planes) {
            let sectors = placement.planes().iter().map(|p| visible / sharers[p.index()]).sum();
            flows.push(FlowRange {
                space: Some(flows.len()),
                first_sector,
                sectors,
                first_page,
                reads_bytes,
                stream: flows.len() as u16,
                handles: 0,
                positions,
                hot: None,
            });
            first_sector += sectors;
            first_page += sectors.div_ceil(per_page).next_multiple_of(aligned);
        }
    } else {
        let sectors = visible * u64::from(layout.planes());
        let flow_of = workload.flow.iter();
        flows.extend(positions.into_iter().zip(flow_of).map(|(positions, flow)| FlowRange {
            space: Some(0),
            first_sector: 0,
            sectors,
            first_page: 0,
            reads_bytes,
            stream: flow.handle,
            handles: 0,
            positions,
            hot: None,
        }));
    }
    Ok(flows)
}

impl Limits {
    /// Computes the limits.
    pub fn new(design: &Design, workload: &Workload) -> Result<Limits, String> {
        let layout = design.layout();
        check_sharing(design, workload)?;
        check_queues(design, workload)?;
        check_handles(design, workload)?;
        check_parts_of_sectors(design, workload)?;
        compute::check(design, workload).map_err(|Problem { key, what }| format!("{key}: {what}"))?;
        let streams = match design.fdp.handles as u16 {
            0 if workload.partitioned => workload.flow.len() as u16,
            handles => handles.max(1),
        };
        let sets = streams * design.fdp.frontiers_per_stream();
        let zones = ZoneShape::of(design, &layout);
        let rest = design.without_zones();
        let mapped = rest.layout();
        let visible = visible_sectors(&rest, &mapped, sets);
        if visible == 0 {
            return Err(no_room(design, mapped.blocks_per_plane, streams, sets));
        }
        let per_page = u64::from(layout.sectors_per_page);
        let mut flows = flow_ranges(design, workload, &layout, visible)?;
        let in_zones = zones.map_or(0, |shape| u64::from(shape.zones) * shape.size / SECTOR);
        let visible_bytes = visible * u64::from(layout.planes()) * SECTOR;
        let extents =
            design.extents(&layout, visible_bytes).map_err(|wrong| format!("{}: {}", wrong.key, wrong.what))?;
        namespaces::confine_all(design, workload, &mut flows, &extents, in_zones)?;
        let spaces = namespaces::spaces(&mut flows, !extents.is_empty());
        check_flows(design, workload, &layout, &mut flows, visible)?;
        let ends = extents.iter().map(|extent| (extent.first + extent.bytes) / SECTOR);
        let ends = ends.map(|sectors| (sectors.div_ceil(per_page), sectors));
        let of_flows = flows.iter().map(|f| (f.first_page + f.sectors.div_ceil(per_page), f.first_sector + f.sectors));
        let (logical_pages, logical_sectors) = of_flows.chain(ends).max().ok_or("the workload has no flow")?;
        let tables = if workload.partitioned { streams } else { 1 };
        if design.mapping.is_cached() && design.mapping.entries(tables) == 0 {
            return Err(format!(
                "mapping.cache_capacity: got \"{}\", less than an entry of {} B for each of {tables} flows",
                design.mapping.cache_capacity, design.mapping.cached_entry_bytes
            ));
        }
        let directories = directories(design, &layout, &flows, workload.partitioned, logical_pages);
        let translation_pages: u64 = directories.iter().map(Directory::translation_pages).sum();
        let blocks = f64::from(mapped.blocks_per_plane);
        let table = translation_blocks(&rest, &mapped, visible, streams);
        Ok(Limits {
            mapped_pages: logical_pages + translation_pages,
            directories,
            pages_per_unit: u64::from(design.pages_per_unit()),
            cache_pages: cache_pages(design, workload)?,
            gc_start_below: ((design.gc.threshold * blocks).ceil() as u32).max(design.gc.reserved_blocks + 2),
            // Their open block does not count.
            most_valid: most_valid(&rest, &mapped, table.min(1), sets),
            gc_urgent_at: ((design.gc.hard_threshold * blocks) as u32).max(design.gc.reserved_blocks),
            expendable_blocks: expendable_blocks(&rest, &mapped, sets),
            planes_per_group: design.ftl.superblock.planes(&layout),
            cache_blocks: CacheBlocks::of(&rest, &mapped),
            end_of_zones: in_zones,
            mapped_blocks: mapped.blocks_per_plane,
            zones,
            spaces,
            extents,
            streams,
            layout,
            flows,
            logical_pages,
            logical_sectors,
        })
    }
}

fn no_room(design: &Design, blocks: u32, streams: u16, sets: u16) -> String {
    let by = if design.fdp.is_on() { "reclaim unit handles (fdp.handles)" } else { "flows" };
    let open = if sets > 1 { format!(", {} are half filled by {streams} {by}", sets - 1) } else { String::new() };
    let spare = design.ftl.min_spare_blocks;
    format!("{blocks} blocks per plane leave nothing for the host: {spare} are kept spare{open}")
}

/// `visible`: sectors of a plane that the host sees.
fn check_flows(
    design: &Design,
    workload: &Workload,
    layout: &Layout,
    flows: &mut [FlowRange],
    visible: u64,
) -> Result<(), String> {
    for (flow, range) in workload.flow.iter().zip(flows) {
        range.hot = HotPages::of(design, layout, flow, range)?;
        check_request_size(flow, range)?;
        check_overruns(design, flow)?;
        check_groups(design, layout, flow, range)?;
        check_operands(design, layout, flow, range)?;
        namespaces::check_group_fits(layout, flow, range, visible)?;
    }
    Ok(())
}

fn check_handles(design: &Design, workload: &Workload) -> Result<(), String> {
    let handles = design.fdp.handles;
    if handles > 0 && workload.partitioned {
        return Err("partitioned: got true, expected false with fdp.handles: flows name handles instead".to_owned());
    }
    match workload.flow.iter().find(|flow| flow.handle > 0 && u32::from(flow.handle) >= handles) {
        None => Ok(()),
        Some(flow) if handles == 0 => {
            Err(format!("flow {:?}: handle: got {}, but the drive has none: set fdp.handles", flow.name, flow.handle))
        }
        Some(flow) => Err(format!(
            "flow {:?}: handle: got {}, expected 0 to {}, the handles of the drive",
            flow.name,
            flow.handle,
            handles - 1
        )),
    }
}

fn check_zoned_flow(workload: &Workload, flow: &Flow, is_zoned: bool) -> Result<(), String> {
    let name = &flow.name;
    if is_zoned && workload.partitioned {
        return Err("partitioned: got true, expected false with zns.zone_size: flows share the zones".to_owned());
    }
    if is_zoned && flow.cache.is_some_and(|mode| mode != CacheMode::Write) {
        return Err(format!(
            "flow {name:?}: cache: expected \"write\" with zns.zone_size: zones need the write buffer"
        ));
    }
    if is_zoned && flow.compute.is_some() {
        return Err(format!(
            "flow {name:?}: compute: got tasks in zones, expected a namespace without zones: tasks read flash, and a zone's last \
             pages stay in the write buffer until their row is complete"
        ));
    }
    if !is_zoned && flow.synthetic.as_ref().is_some_and(|synthetic| synthetic.zone_work.is_some()) {
        return Err(format!("flow {name:?}: zone_work needs zones: set zns.zone_size of the design"));
    }
    Ok(())
}

fn check_queues(design: &Design, workload: &Workload) -> Result<(), String> {
    let (each, flows) = (design.host.queues_per_flow, workload.flow.len() as u64);
    match u64::from(each) * flows <= MOST_QUEUES {
        true => Ok(()),
        false => Err(format!(
            "host.queues_per_flow: got {each} for each of {flows} flows, expected at most {MOST_QUEUES} queue pairs together"
        )),
    }
}

fn check_parts_of_sectors(design: &Design, workload: &Workload) -> Result<(), String> {
    let is_part = |flow: &&Flow| flow.synthetic.as_ref().is_some_and(|s| s.grain() < SECTOR);
    let Some(flow) = workload.flow.iter().find(is_part) else { return Ok(()) };
    let unfit = match (design.host.protocol, &flow.compute) {
        (Protocol::Memory, None) => return Ok(()),
        (Protocol::Memory, Some(_)) => "whole sectors of 512 B: tasks read pages",
        _ => "multiples of 512 B, or host.protocol = \"memory\"",
    };
    Err(format!("flow {:?}: got a size or an alignment with a part of a sector, expected {unfit}", flow.name))
}

/// Queue pairs that a controller may have next to the admin queues (NVM Express Base 2.0 §3.3.1).
const MOST_QUEUES: u64 = 65_535;

/// Parts of the array need page mapping.
fn check_sharing(design: &Design, workload: &Workload) -> Result<(), String> {
    if !workload.partitioned || design.ftl.mapping == MappingScheme::Page {
        return Ok(());
    }
    Err(format!(
        "partitioned: got true, expected false with ftl.mapping = \"{}\": flows share the places of each plane",
        design.ftl.mapping.name()
    ))
}

/// Superblocks lie across all planes of a group.
fn check_groups(design: &Design, layout: &Layout, flow: &Flow, range: &FlowRange) -> Result<(), String> {
    let group = design.ftl.superblock.planes(layout);
    let placement = Placement::new(layout, Allocation::CWDP, &range.positions);
    let mut used = vec![0; (layout.planes() / group) as usize];
    placement.planes().iter().for_each(|plane| used[plane.index() / group as usize] += 1);
    if used.iter().all(|&planes| planes == 0 || planes == group) {
        return Ok(());
    }
    Err(format!(
        "flow {:?}: got some planes of a {name}, but ftl.superblock = \"{name}\" lays its data over all of them; expected whole \
         ones",
        flow.name,
        name = design.ftl.superblock.name()
    ))
}

/// Operands of a task are different pages, in one plane where they are written together.
fn check_operands(design: &Design, layout: &Layout, flow: &Flow, range: &FlowRange) -> Result<(), String> {
    let Some(task) = flow.compute.filter(|task| task.kind == TaskKind::Gather) else { return Ok(()) };
    let page = layout.page_bytes();
    let pages = range.used(flow).1 * SECTOR / page;
    let step = task.distance.map_or(1, |distance| distance.0 / page % pages.max(1));
    let different = (1..=u64::from(task.operands)).find(|&operand| operand * step % pages.max(1) == 0);
    if let Some(different) = different.filter(|&different| different < u64::from(task.operands)) {
        return Err(format!(
            "flow {:?}: compute.operands: got {}, expected at most {different}: the flow's addresses have no more \
             pages at that distance",
            flow.name, task.operands
        ));
    }
    let planes = Placement::new(layout, design.ftl.allocation, &range.positions).planes().len() as u64;
    let together = design.ftl.write_placement == WritePlacement::Operands;
    match task.distance.filter(|distance| together && distance.0 / page % planes != 0) {
        None => Ok(()),
        Some(distance) => Err(format!(
            "flow {:?}: compute.distance: got \"{distance}\", expected a multiple of \"{}\", a page per plane, so that \
             ftl.write_placement = \"operands\" finds operands in one plane",
            flow.name,
            Size(planes * page)
        )),
    }
}

fn check_overruns(design: &Design, flow: &Flow) -> Result<(), String> {
    if design.pages_per_unit() == 1 || !flow.may_overrun() {
        return Ok(());
    }
    Err(format!(
        "flow {:?}: its requests may run over the end of its addresses, as MQSim's do; expected ftl.mapping_unit of one page",
        flow.name
    ))
}

fn cache_pages(design: &Design, workload: &Workload) -> Result<u64, String> {
    let (pages, flows) = (design.cache.capacity.0 / design.cached_page(), workload.flow.len() as u64);
    if pages > 0 && pages < flows && design.cache.sharing == Sharing::Equal {
        return Err(format!(
            "cache.capacity: got {pages} pages, expected at least one for each of the {flows} flows that share them equally"
        ));
    }
    Ok(pages)
}

fn check_request_size(flow: &Flow, range: &FlowRange) -> Result<(), String> {
    let Some(synthetic) = &flow.synthetic else { return Ok(()) };
    let bytes = synthetic.used_sectors(range.sectors) * SECTOR;
    let largest = synthetic.largest_bytes();
    if largest > bytes {
        let name = &flow.name;
        return Err(format!("flow {name:?}: requests of up to {largest} B do not fit its {bytes} B of addresses"));
    }
    Ok(())
}

fn positions(flow: &Flow, layout: &Layout) -> Result<Positions, String> {
    let all = Positions::all(layout);
    let pick = |what: &str, wanted: &Option<Vec<u32>>, all: Vec<u32>| match wanted {
        None => Ok(all),
        Some(ids) => match ids.iter().find(|id| !all.contains(id)) {
            Some(id) => {
                Err(format!("flow {:?}: {what}: got {id}, but the design has {what} 0 to {}", flow.name, all.len() - 1))
            }
            None if ids.is_empty() => {
                Err(format!("flow {:?}: {what}: got an empty list, expected at least one", flow.name))
            }
            None => Ok(ids.clone()),
        },
    };
    Ok(Positions {
        channels: pick("channels", &flow.channels, all.channels)?,
        chips: pick("chips", &flow.chips, all.chips)?,
        dies: pick("dies", &flow.dies, all.dies)?,
        planes: pick("planes", &flow.planes, all.planes)?,
    })
}
