//! The state in which a run found the drive, as a report tells it.

use serde::Serialize;

use crate::config::design::Design;
use crate::config::named::Named;
use crate::ftl::blocks::Blocks;

/// Free blocks of planes.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct FreeBlocks {
    pub min: u32,
    pub mean: f64,
    pub max: u32,
}

/// Blocks of the drive: free, open, full and bad ones are all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct BlockCounts {
    /// All.
    pub total: u64,
    /// Erased.
    pub free: u64,
    /// Being filled.
    pub open: u64,
    /// Full.
    pub full: u64,
    /// Never to be used again.
    pub bad: u64,
}

/// The state before the run.
#[derive(Debug, Clone, Serialize)]
pub struct PreconditionReport {
    /// How the drive came to its state.
    pub kind: &'static str,
    /// Share of the addresses that hold data, of each flow of a partitioned drive, or of the one range that all share.
    pub occupancy: Vec<f64>,
    /// The rule by which collection chose its victims.
    pub policy: String,
    /// Pages written to flash for each that the host wrote, in that state: computed, or measured while writing.
    pub write_amplification: Option<f64>,
    /// Pages that were really written to bring it about.
    pub pages_written: u64,
    /// Free blocks of each plane.
    pub free_blocks: FreeBlocks,
    /// Blocks of the whole drive.
    pub blocks: BlockCounts,
    /// Pages that hold data.
    pub valid_pages: u64,
    /// Pages in all.
    pub pages: u64,
}

impl PreconditionReport {
    /// The state of `blocks`.
    pub fn of(
        blocks: &Blocks,
        design: &Design,
        occupancy: Vec<f64>,
        write_amplification: Option<f64>,
        pages_written: u64,
    ) -> PreconditionReport {
        let planes: Vec<BlockCounts> = blocks.counts().collect();
        let mut sum = BlockCounts::default();
        for plane in &planes {
            sum.total += plane.total;
            sum.free += plane.free;
            sum.open += plane.open;
            sum.full += plane.full;
            sum.bad += plane.bad;
        }
        let free = || planes.iter().map(|plane| plane.free as u32);
        PreconditionReport {
            kind: design.precondition.kind.name(),
            occupancy,
            policy: design.gc.policy.name().to_owned(),
            write_amplification,
            pages_written,
            free_blocks: FreeBlocks {
                min: free().min().unwrap_or(0),
                mean: sum.free as f64 / planes.len().max(1) as f64,
                max: free().max().unwrap_or(0),
            },
            blocks: sum,
            valid_pages: blocks.valid_in_all(),
            pages: sum.total * u64::from(design.geometry.pages_per_block) * u64::from(design.units_per_page()),
        }
    }
}
