use super::parity::holds_parity;
use super::pseudo_slc::Mode;
use super::{Block, Plane};
use crate::ftl::reclaim::gc::policy::custom::{NOTHING_TO_RECLAIM, does_not_exist};

pub(super) const NOT_FULL: u32 = u32::MAX;

impl Plane {
    pub(super) fn add(&mut self, block: Block) {
        self.blocks.push(block);
        self.full.push(NOT_FULL);
    }

    pub(super) fn note_full(&mut self, block: u32, pages_per_block: u32) {
        let b = &self.blocks[block as usize];
        let can_be_chosen = b.is_full(pages_per_block) && !b.bad && b.mode == Mode::Native;
        self.full[block as usize] = if can_be_chosen { b.valid } else { NOT_FULL };
    }
}

/// By block numbers.
pub struct Candidates<'a> {
    pub(super) planes: &'a [Plane],
    pub(super) pages_per_block: u32,
    pub(super) step: u32,
    /// Lost together where superblocks have parity; 0 without.
    pub(super) parity_unit: usize,
}

impl Candidates<'_> {
    pub fn pages_per_block(&self) -> u32 {
        self.pages_per_block * self.planes.len() as u32
    }

    /// Candidates have lower numbers.
    pub fn count(&self) -> u32 {
        self.planes[0].blocks.len() as u32
    }

    fn blocks(&self, block: u32) -> impl Iterator<Item = &Block> {
        self.planes.iter().map(move |plane| &plane.blocks[block as usize])
    }

    pub fn is_full(&self, block: u32) -> bool {
        let is_full = |b: &Block| b.is_full(self.pages_per_block);
        match self.planes {
            [plane] => plane.full[block as usize] != NOT_FULL,
            _ => self.blocks(block).all(|b| is_full(b) || b.bad) && self.blocks(block).any(|b| !b.bad),
        }
    }

    pub fn full(&self) -> impl Iterator<Item = u32> {
        (0..self.count()).filter(|&block| self.is_full(block))
    }

    /// The first of several.
    pub fn fewest_valid(&self) -> Option<u32> {
        let [plane] = self.planes else {
            return self.full().min_by_key(|&block| (self.valid(block), block));
        };
        let fewest = plane.full.iter().copied().min().filter(|&fewest| fewest != NOT_FULL)?;
        plane.full.iter().position(|&valid| valid == fewest).map(|block| block as u32)
    }

    /// Valid ones, and for superblocks bad blocks and parity.
    pub fn valid(&self, block: u32) -> u32 {
        let kept = |(place, b): (usize, &Block)| match b.bad || self.holds_parity(place, block) {
            true => self.pages_per_block,
            false => b.valid,
        };
        match self.planes {
            [_] => self.to_copy(block),
            _ => self.blocks(block).enumerate().map(kept).sum(),
        }
    }

    fn holds_parity(&self, place: usize, block: u32) -> bool {
        holds_parity(self.planes, self.parity_unit, place, block)
    }

    /// Without parity, of a superblock without bad blocks.
    pub fn data_pages_per_block(&self) -> u32 {
        self.pages_per_block * (self.planes.len() - self.parity_unit) as u32
    }

    pub fn to_copy(&self, block: u32) -> u32 {
        self.blocks(block).map(|b| b.valid).sum()
    }

    pub fn is_reclaimable(&self, block: u32) -> bool {
        self.gives_pages_back(block) && self.valid(block) + self.step <= self.pages_per_block()
    }

    /// In whole flash pages.
    pub fn reclaimed_pages(&self, block: u32) -> u32 {
        let given_back =
            |(place, b): &(usize, &Block)| !b.bad && b.mode != Mode::Static && !self.holds_parity(*place, block);
        let blocks = self.blocks(block).enumerate().filter(given_back);
        let out_of_date: u32 = blocks.map(|(_, b)| b.written - b.valid).sum();
        out_of_date / self.step * self.step
    }

    fn gives_pages_back(&self, block: u32) -> bool {
        self.planes[0].blocks[block as usize].mode != Mode::Static
    }

    /// By the count of pages written.
    pub fn filled(&self, block: u32) -> u64 {
        self.planes[0].blocks[block as usize].opened
    }

    /// Pages written in the plane since a page of the block last changed.
    pub fn age(&self, block: u32) -> u64 {
        self.planes.iter().map(|plane| plane.clock - plane.blocks[block as usize].changed).min().unwrap_or(0)
    }

    /// For a superblock, in all planes of its group.
    pub fn since_opened(&self, block: u32) -> u64 {
        self.planes.iter().map(|plane| plane.clock).sum::<u64>() - self.filled(block)
    }

    fn is_free(&self, block: u32) -> bool {
        self.blocks(block).all(|b| b.written == 0 || b.bad) && self.blocks(block).any(|b| !b.bad)
    }

    pub fn why_not(&self, block: u32, blocks_per_plane: u32) -> String {
        if block >= blocks_per_plane {
            return does_not_exist(blocks_per_plane);
        }
        if block >= self.count() || self.is_free(block) {
            return "is free".to_owned();
        }
        let has = |is: &dyn Fn(&Block) -> bool| self.blocks(block).any(is);
        let why = match () {
            () if has(&|b| !b.bad && b.written < self.pages_per_block) => "is being filled",
            () if has(&|b| b.programs_in_flight > 0) => "has programs in flight",
            () if self.blocks(block).all(|b| b.bad) => "is bad",
            () if has(&|b| b.mode != Mode::Native) => "belongs to the pseudo-SLC cache",
            () => NOTHING_TO_RECLAIM,
        };
        why.to_owned()
    }

    pub fn erases(&self, block: u32) -> u32 {
        self.blocks(block).map(|b| b.erases).max().unwrap_or(0)
    }
}
