//! Blocks as a policy that chooses one to collect sees them.

use super::{Block, Plane};

/// A plane's blocks, or the superblocks of a group of planes: their numbers are those of their blocks.
pub struct Candidates<'a> {
    pub(super) planes: &'a [Plane],
    pub(super) pages_per_block: u32,
    /// Pages in a flash page.
    pub(super) step: u32,
}

impl Candidates<'_> {
    /// Pages of a block, or of a superblock without bad blocks.
    pub fn pages_per_block(&self) -> u32 {
        self.pages_per_block * self.planes.len() as u32
    }

    /// Blocks that were ever opened; candidates have lower numbers than this.
    pub fn count(&self) -> u32 {
        self.planes[0].blocks.len() as u32
    }

    /// The blocks of a number.
    fn blocks(&self, block: u32) -> impl Iterator<Item = &Block> {
        self.planes.iter().map(move |plane| &plane.blocks[block as usize])
    }

    /// Whether the block is full and none of its programs is in flight.
    pub fn is_full(&self, block: u32) -> bool {
        let is_full = |b: &Block| b.is_full(self.pages_per_block);
        match self.planes {
            [_] => self.blocks(block).all(|b| is_full(b) && !b.bad),
            _ => self.blocks(block).all(|b| is_full(b) || b.bad) && self.blocks(block).any(|b| !b.bad),
        }
    }

    /// All such blocks.
    pub fn full(&self) -> impl Iterator<Item = u32> {
        (0..self.count()).filter(|&block| self.is_full(block))
    }

    /// Pages of a block that collecting it does not win: valid ones, and of a superblock those of its bad blocks, so that
    /// superblocks of different sizes compare by what they win.
    pub fn valid(&self, block: u32) -> u32 {
        match self.planes {
            [_] => self.to_copy(block),
            _ => self.blocks(block).map(|b| if b.bad { self.pages_per_block } else { b.valid }).sum(),
        }
    }

    /// Valid pages of a block.
    pub fn to_copy(&self, block: u32) -> u32 {
        self.blocks(block).map(|b| b.valid).sum()
    }

    /// Whether collecting the block wins a flash page.
    pub fn wins(&self, block: u32) -> bool {
        self.valid(block) + self.step <= self.pages_per_block()
    }

    /// Pages that are free once the block is collected and were not before, in whole flash pages.
    pub fn won(&self, block: u32) -> u32 {
        let out_of_date: u32 = self.blocks(block).filter(|b| !b.bad).map(|b| b.written - b.valid).sum();
        out_of_date / self.step * self.step
    }

    /// When the block was opened, by the count of pages written.
    pub fn filled(&self, block: u32) -> u64 {
        self.planes[0].blocks[block as usize].opened
    }

    /// Pages written in the plane since a page of the block last changed; of a superblock, in the plane where that was last.
    pub fn age(&self, block: u32) -> u64 {
        self.planes.iter().map(|plane| plane.clock - plane.blocks[block as usize].changed).min().unwrap_or(0)
    }

    /// Times the block was erased.
    pub fn erases(&self, block: u32) -> u32 {
        self.blocks(block).map(|b| b.erases).max().unwrap_or(0)
    }
}
