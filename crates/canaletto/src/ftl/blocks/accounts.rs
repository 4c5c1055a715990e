use std::cmp::Reverse;

use super::candidates::NOT_FULL;
use super::pseudo_slc::Mode;
use super::{Block, Blocks};
use crate::flash::address::PlaneId;
use crate::measure::maintenance::{BlocksReport, VALID_BINS};
use crate::measure::precondition::BlockCounts;

pub struct PlaneWear {
    pub least: u32,
    pub most: u32,
    pub erases: u64,
    pub bad: u32,
}

impl Blocks {
    pub fn wear_in(&self, plane: PlaneId) -> PlaneWear {
        let p = &self.planes[plane.index()];
        let erases = p.blocks.iter().map(|b| b.erases);
        let untouched = (p.blocks.len() as u32) < self.blocks_per_plane;
        let least = if untouched { 0 } else { erases.clone().min().unwrap_or(0) };
        PlaneWear { least, most: p.most_erases, erases: erases.map(u64::from).sum(), bad: p.bad + p.bad_unseen }
    }

    pub fn count_in(&self, plane: PlaneId, report: &mut BlocksReport) {
        let p = &self.planes[plane.index()];
        report.total += u64::from(self.blocks_per_plane);
        report.bad += u64::from(p.bad + p.bad_unseen);
        report.free += u64::from(self.free_blocks(plane));
        report.valid_pages += p.valid;
        for (number, block) in (0..).zip(&p.blocks).filter(|(_, block)| !block.bad) {
            if block.written < self.pages_per_block {
                let open = block.written > 0 || self.is_open(plane, number);
                report.open += u64::from(open);
                continue;
            }
            report.full += 1;
            let bin = block.valid as usize * VALID_BINS / self.pages_per_block as usize;
            report.by_valid_share[bin.min(VALID_BINS - 1)] += 1;
        }
    }

    pub fn valid_in_all(&self) -> u64 {
        self.planes.iter().map(|plane| plane.valid).sum()
    }

    pub fn counts(&self) -> impl Iterator<Item = BlockCounts> {
        (0..).map(PlaneId).zip(&self.planes).map(|(id, plane)| {
            let (total, free, bad) = (self.blocks_per_plane, self.free_blocks(id), plane.bad);
            let has_room = |block: u32| self.has_room(plane, block) && !plane.blocks[block as usize].bad;
            let blocks = 0..plane.blocks.len() as u32;
            let open = blocks.filter(|&block| has_room(block) && self.is_open(id, block)).count() as u32;
            let full = total - free - bad - open;
            let [total, free, open, full, bad] = [total, free, open, full, bad].map(u64::from);
            BlockCounts { total, free, open, full, bad }
        })
    }

    pub fn count_valid(&self) -> u64 {
        let written = |b: &Block| u64::from(self.contents.known_among(b, b.seeded..b.written));
        self.planes.iter().flat_map(|p| &p.blocks).map(written).sum::<u64>() + self.count_seeded()
    }

    /// Every block is free, in use or bad exactly once.
    ///
    /// # Errors
    /// The wrong plane and block.
    pub fn audit(&self) -> Result<(), String> {
        for (number, plane) in self.planes.iter().enumerate() {
            let id = PlaneId(number as u32);
            let keeper = &self.planes[self.leader(id).index()];
            let mut erased: Vec<u32> = keeper.erased.iter().map(|Reverse((.., block))| *block).collect();
            erased.extend(self.erased_in_cache(id));
            let all = erased.len();
            erased.sort_unstable();
            erased.dedup();
            if erased.len() != all {
                return Err(format!("plane {number}: a block is free twice"));
            }
            let sum: u64 = plane.blocks.iter().map(|block| u64::from(block.valid)).sum();
            if sum != plane.valid {
                return Err(format!("plane {number}: {sum} valid pages, counted {}", plane.valid));
            }
            let bad = plane.blocks.iter().filter(|block| block.bad).count() as u32;
            if bad != plane.bad {
                return Err(format!("plane {number}: {bad} bad blocks, counted {}", plane.bad));
            }
            for (b, block) in plane.blocks.iter().enumerate() {
                let written = self.contents.known_among(block, block.seeded..block.written);
                let valid = written + self.seeded_valid(id, b as u32);
                if valid != block.valid {
                    return Err(format!("plane {number} block {b}: {valid} valid pages, counted {}", block.valid));
                }
                let native = block.mode == Mode::Native;
                let can_be_chosen = block.is_full(self.pages_per_block) && !block.bad && native;
                if plane.full[b] != if can_be_chosen { block.valid } else { NOT_FULL } {
                    return Err(format!("plane {number} block {b}: full, and the search for a victim does not know"));
                }
                let free = erased.binary_search(&(b as u32)).is_ok();
                let open = self.is_open(id, b as u32);
                let alone = self.superblocks.is_none();
                if block.bad && alone && (free || open) || !block.bad && !open && free != (block.written == 0) {
                    return Err(format!("plane {number} block {b}: free and in use at once, or neither"));
                }
            }
        }
        let free: u64 = self.planes.iter().map(|plane| u64::from(plane.free())).sum();
        if self.superblocks.is_none() && free != self.free {
            return Err(format!("{free} blocks are free, counted {}", self.free));
        }
        Ok(())
    }
}
