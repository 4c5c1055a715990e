//! Capacity of a drive: what the host can address, and what collection and the mapping table keep.

use crate::address::Layout;
use crate::design::{Design, MappingScheme, Scope, Superblock, WritePlacement};
use crate::pseudo_slc::CacheBlocks;

/// Sectors of one plane that the host can address.
///
/// Each further set of write frontiers takes one more block from the host, because a block may be half filled in each;
/// so does the frontier for pages from other planes.
pub fn visible_sectors(design: &Design, layout: &Layout, streams: u16) -> u64 {
    let block_sectors = u64::from(layout.pages_per_block) * u64::from(layout.sectors_per_page);
    let (data, of) = data_units(design, layout);
    let all = u64::from(layout.blocks_per_plane) * block_sectors * data / of;
    let by_share = (all as f64 * (1.0 - design.ftl.overprovisioning)) as u64;
    match design.ftl.mapping {
        MappingScheme::Page => {}
        MappingScheme::InPlace => {
            return by_share / u64::from(layout.sectors_per_page) * u64::from(layout.sectors_per_page);
        }
        MappingScheme::Bast => {
            return hybrid_blocks(design, by_share / block_sectors) * block_sectors;
        }
    }
    let spare = match design.ftl.min_spare_blocks {
        0 => 0,
        blocks => u64::from(blocks) + u64::from(streams) - 1,
    };
    let elsewhere = u64::from(design.gc.scope != Scope::Plane && spare > 0);
    let table = translation_blocks(design, layout, by_share, streams);
    let cache = if spare > 0 { u64::from(blocks_for_cache(design, layout, streams)) } else { 0 };
    let kept = (spare + elsewhere + cache + table) * block_sectors * data / of + unwinnable_sectors(layout);
    let sectors = by_share.min(all.saturating_sub(kept));
    match design.ftl.write_placement {
        WritePlacement::Static | WritePlacement::Operands => sectors,
        WritePlacement::Dynamic => {
            // One page less, so that of planes that hold everything not all are at their limit.
            let pages = most_valid(design, layout, table, streams).saturating_sub(1);
            sectors.min(pages * u64::from(layout.sectors_per_page))
        }
    }
}

/// How many parts of a superblock hold data, of how many.
pub fn data_units(design: &Design, layout: &Layout) -> (u64, u64) {
    match design.ftl.parity.unit_planes(layout) {
        0 => (1, 1),
        unit => {
            let units = u64::from(design.ftl.superblock.planes(layout) / unit);
            (units - 1, units)
        }
    }
}

/// With several mapping units in a flash page, a block that lacks less than a flash page of valid data takes as many
/// flash pages to copy as it has.
fn unwinnable_sectors(layout: &Layout) -> u64 {
    let each = u64::from(layout.pages_per_flash_page() - 1) * u64::from(layout.sectors_per_page);
    u64::from(layout.blocks_per_plane) * each
}

/// Without the log blocks and the blocks that a merge needs; at most `by_share`.
fn hybrid_blocks(design: &Design, by_share: u64) -> u64 {
    let logs = design.ftl.hybrid.log_blocks + design.gc.reserved_blocks;
    let kept = logs.max(design.ftl.min_spare_blocks);
    by_share.min(u64::from(design.geometry.blocks_per_plane.saturating_sub(kept)))
}

/// The static part, and of the dynamic part the blocks being filled: full ones can be recovered at any time.
fn blocks_for_cache(design: &Design, layout: &Layout, streams: u16) -> u32 {
    let cache = CacheBlocks::of(design, layout);
    cache.of_static + if cache.of_dynamic > 0 { u32::from(streams) } else { 0 }
}

/// Collection's own frontier, and the frontier for pages from other planes.
const COLLECTION_FRONTIERS: u32 = 2;

/// Next to `table` blocks of translation pages.
pub fn most_valid(design: &Design, layout: &Layout, table: u64, streams: u16) -> u64 {
    let frontiers = COLLECTION_FRONTIERS + u32::from(streams);
    let kept = design.gc.reserved_blocks + frontiers + table as u32 + blocks_for_cache(design, layout, streams);
    let winnable = layout.pages_per_block + 1 - layout.pages_per_flash_page();
    (u64::from(layout.blocks_per_plane.saturating_sub(kept)) * u64::from(winnable)).saturating_sub(1)
}

/// For host data of `sectors`: as evenly over the planes as each stream allows, and one block that is being filled.
pub fn translation_blocks(design: &Design, layout: &Layout, sectors: u64, streams: u16) -> u64 {
    if !design.mapping.is_cached() {
        return 0;
    }
    let data_pages = sectors.div_ceil(u64::from(layout.sectors_per_page));
    let data_units = data_pages.div_ceil(u64::from(design.pages_per_unit()));
    let each = data_units.div_ceil(design.mapping.entries_per_page(layout.page_bytes())) + 1;
    (each * u64::from(streams)).div_ceil(u64::from(layout.pages_per_block)) + 1
}

/// The host's data, the mapping table and collection need the others. Collection needs `gc.reserved_blocks`, its open
/// block, one per set of write frontiers and one to reclaim, and must be able to reach its threshold. Superblocks
/// without their bad blocks are of any size; free ones are counted as whole ones.
pub fn expendable_blocks(design: &Design, layout: &Layout, streams: u16) -> u32 {
    let block_sectors = u64::from(layout.pages_per_block) * u64::from(layout.sectors_per_page);
    let (data, of) = data_units(design, layout);
    let seen = (visible_sectors(design, layout, streams) * of).div_ceil(data);
    let table = translation_blocks(design, layout, seen, streams) as u32;
    let cache = blocks_for_cache(design, layout, streams);
    let held = (seen + unwinnable_sectors(layout)).div_ceil(block_sectors) as u32 + table + cache;
    let uncounted = u32::from(design.ftl.superblock != Superblock::None);
    let elsewhere = u32::from(design.gc.scope != Scope::Plane);
    let to_collect = design.gc.reserved_blocks + 2 + u32::from(streams) + elsewhere + uncounted;
    let threshold = (design.gc.threshold * f64::from(layout.blocks_per_plane)).ceil() as u32;
    layout.blocks_per_plane.saturating_sub(held + to_collect.max(threshold))
}
