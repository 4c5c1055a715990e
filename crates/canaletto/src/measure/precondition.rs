//! State of the drive before the run.

use serde::Serialize;

use crate::JsonSchema;
use crate::config::design::Design;
use crate::config::named::Named;

/// Free blocks of the planes.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct FreeBlocks {
    /// Fewest free blocks of a plane.
    pub min: u32,
    /// Mean number of free blocks of a plane.
    pub mean: f64,
    /// Most free blocks of a plane.
    pub max: u32,
}

/// Blocks of the drive by state. Free, open, full and bad blocks add up to the total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BlockCounts {
    /// All blocks.
    pub total: u64,
    /// Erased blocks.
    pub free: u64,
    /// Blocks being filled.
    pub open: u64,
    /// Full blocks.
    pub full: u64,
    /// Retired blocks.
    pub bad: u64,
}

/// State of the drive before the run.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct PreconditionReport {
    /// Method that prepared the drive.
    pub kind: String,
    /// Share, from 0 to 1, of the addresses that hold data: of each flow of a partitioned drive, or of the one range that all flows
    /// share.
    pub occupancy: Vec<f64>,
    /// Choice of victims of garbage collection.
    pub policy: String,
    /// Pages written to flash for each page that the host wrote, computed, or measured while writing.
    pub write_amplification: Option<f64>,
    /// Pages written in simulation to prepare the drive.
    pub pages_written: u64,
    /// Free blocks of each plane.
    pub free_blocks: FreeBlocks,
    /// Blocks of the whole drive.
    pub blocks: BlockCounts,
    /// Pages that hold data.
    pub valid_pages: u64,
    /// All pages.
    pub pages: u64,
}

impl PreconditionReport {
    /// Returns the state of planes with these blocks and valid pages.
    pub fn of(
        planes: &[BlockCounts],
        valid_pages: u64,
        design: &Design,
        occupancy: Vec<f64>,
        write_amplification: Option<f64>,
        pages_written: u64,
    ) -> PreconditionReport {
        let mut sum = BlockCounts::default();
        for plane in planes {
            sum.total += plane.total;
            sum.free += plane.free;
            sum.open += plane.open;
            sum.full += plane.full;
            sum.bad += plane.bad;
        }
        let free = || planes.iter().map(|plane| plane.free as u32);
        PreconditionReport {
            kind: design.precondition.kind.name().to_owned(),
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
            valid_pages,
            pages: sum.total * u64::from(design.geometry.pages_per_block) * u64::from(design.units_per_page()),
        }
    }
}
