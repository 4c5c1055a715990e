//! Keys of the pseudo-SLC cache, each with unit, default and source.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::Layout;
use crate::check::{Checked, refuse_with, require};
use crate::design::{Cell, Design, MappingScheme, Scope, Superblock};
use crate::units::{Duration, Size};

/// Pseudo-SLC cache: blocks whose cells hold one bit each, so that they are programmed and read faster and hold a part of
/// the data. Writes of the host go there while it has room, and to blocks of the native cell otherwise. *Folding* copies
/// the data of its blocks, oldest block first, to native blocks. A block is folded when it is full; the open ones stay.
///
/// A static part consists of blocks that are never used otherwise. A dynamic part borrows free blocks of the planes, as
/// long as that does not make them collect, and gives them back (Sabrent, "SLC caching", tells both kinds and what they
/// wear). Both together are a hybrid cache (Samsung's Intelligent TurboWrite: 6 GB static and 108 GB dynamic in the 980 PRO
/// 1 TB, by its data sheet).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PseudoSlc {
    /// Data that the static part holds, rounded up to whole blocks of every plane. These blocks come out of
    /// over-provisioning. `"0B"`: no static part.
    pub static_size: Size,
    /// Data that the dynamic part holds at the most, rounded up to whole blocks of every plane. `"0B"`: no dynamic part.
    pub dynamic_size: Size,
    /// Array read time (tR) of its pages. Default: 25 us, of SLC flash (HP, "Solid State Drive Technology: Differences
    /// between SLC, MLC and TLC NAND", Table 1).
    pub read: Duration,
    /// Array program time (tPROG) of its pages. Default: 200 us, of SLC flash (HP, as above: 200 to 300 us).
    pub program: Duration,
    /// Erase time (tBERS) of its blocks. `"0us"` is `flash.erase`.
    pub erase: Duration,
    /// Number of erases of a block in this mode after which it is retired. 0 turns this off. A block that was used in both
    /// modes is retired when its shares of `wear.endurance` and of this add up to 1 (Miner's rule of linear damage).
    /// 30,000 to 100,000 where native TLC endures 3,000 (Swissbit, "4 reasons to use industrial 3D TLC NAND flash as
    /// pseudo-SLC", 2023).
    #[schemars(range(min = 0, max = 10_000_000))]
    pub endurance: u32,
    /// Idle time of the drive after which its blocks are folded, until a request arrives. `"0us"` turns this off. Default:
    /// assumed, 100 ms.
    pub idle_time: Duration,
    /// Share of a plane's part of the cache in use above which it is folded also under load. 1 (default) turns this
    /// off. Writes then go to native blocks until the drive is idle.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub high_watermark: f64,
    /// Share in use at which folding under load ends.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub low_watermark: f64,
}

impl Default for PseudoSlc {
    fn default() -> Self {
        PseudoSlc {
            static_size: Size(0),
            dynamic_size: Size(0),
            read: Duration::from_ns(25_000),
            program: Duration::from_ns(200_000),
            erase: Duration(0),
            endurance: 0,
            idle_time: Duration::from_ns(100_000_000),
            high_watermark: 1.0,
            low_watermark: 0.5,
        }
    }
}

impl PseudoSlc {
    /// Whether there is such a cache.
    pub fn is_on(&self) -> bool {
        self.static_size.0 + self.dynamic_size.0 > 0
    }
}

/// Blocks of every plane that the pseudo-SLC cache has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheBlocks {
    /// Blocks of the static part.
    pub of_static: u32,
    /// Largest number of blocks that the dynamic part borrows.
    pub of_dynamic: u32,
    /// Pages of a block in this mode.
    pub pages: u32,
}

impl CacheBlocks {
    /// Blocks of a design's cache.
    pub fn of(design: &Design, layout: &Layout) -> CacheBlocks {
        let pages = ((layout.pages_per_block >> layout.flash_shift) / design.flash.cell.bits()) << layout.flash_shift;
        let row = u64::from(layout.planes()) * u64::from(pages) * layout.page_bytes();
        let blocks = |size: Size| if row == 0 { 0 } else { size.0.div_ceil(row).min(u64::from(u32::MAX)) as u32 };
        let keys = &design.flash.pslc;
        let most = layout.blocks_per_plane;
        CacheBlocks { of_static: blocks(keys.static_size), of_dynamic: blocks(keys.dynamic_size).min(most), pages }
    }
}

pub(super) fn check(design: &Design) -> Checked {
    let keys = &design.flash.pslc;
    require(keys.low_watermark <= keys.high_watermark, "flash.pslc.low_watermark", || {
        format!("got {}, expected at most flash.pslc.high_watermark ({})", keys.low_watermark, keys.high_watermark)
    })?;
    for (key, time) in [("flash.pslc.read", keys.read), ("flash.pslc.program", keys.program)] {
        require(time.0 > 0, key, || "got 0, expected a time above 0".to_owned())?;
    }
    if !keys.is_on() {
        return Ok(());
    }
    require(design.flash.cell != Cell::Slc, "flash.cell", || {
        "got \"slc\" with a pseudo-SLC cache: its cells hold one bit anyway; expected \"mlc\", \"tlc\" or \"qlc\""
            .to_owned()
    })?;
    let (bits, pages) = (design.flash.cell.bits(), design.geometry.pages_per_block);
    require(pages >= bits, "geometry.pages_per_block", || {
        format!(
            "got {pages}, expected at least {bits} with a pseudo-SLC cache: a block of it has 1/{bits} of the pages"
        )
    })?;
    let (layout, blocks) = (design.layout(), design.geometry.blocks_per_plane);
    let taken = CacheBlocks::of(design, &layout).of_static;
    let most = blocks.saturating_sub(design.ftl.min_spare_blocks + design.gc.reserved_blocks + 2);
    require(taken <= most, "flash.pslc.static_size", || {
        format!(
            "got \"{}\", which takes {taken} of the {blocks} blocks of every plane; expected at most {most} blocks",
            keys.static_size
        )
    })?;
    let refuse = refuse_with("a pseudo-SLC cache (flash.pslc)".to_owned());
    refuse(
        design.ftl.mapping == MappingScheme::Page,
        "ftl.mapping",
        &format!("\"{}\"", design.ftl.mapping.name()),
        "data and log blocks have separate places; expected \"page\"",
    )?;
    refuse(
        design.ftl.superblock == Superblock::None,
        "ftl.superblock",
        &format!("\"{}\"", design.ftl.superblock.name()),
        "every plane has its own part of the cache; expected \"none\"",
    )?;
    refuse(
        design.gc.scope == Scope::Plane,
        "gc.scope",
        &format!("\"{}\"", design.gc.scope.name()),
        "every plane folds on its own; expected \"plane\"",
    )
}
