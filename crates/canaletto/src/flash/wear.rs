//! Kept only while a model needs it.

use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Filled {
    #[default]
    Not,
    Before,
    At(Time),
}

#[derive(Clone, Default)]
struct Block {
    erases: u32,
    reads: u32,
    filled: Filled,
    /// Without correction, by page.
    copies: Vec<u32>,
}

pub struct Wear {
    planes: Vec<Vec<Block>>,
    pages_per_block: u32,
}

impl Wear {
    pub fn new(layout: &Layout, is_on: bool) -> Wear {
        let planes = if is_on { layout.planes() as usize } else { 0 };
        Wear { planes: vec![Vec::new(); planes], pages_per_block: layout.pages_per_block }
    }

    pub fn erases(&self, plane: PlaneId, block: u32) -> u32 {
        self.block(plane, block).map_or(0, |b| b.erases)
    }

    /// They disturb other pages.
    pub fn reads_since_erase(&self, plane: PlaneId, block: u32) -> u32 {
        self.block(plane, block).map_or(0, |b| b.reads)
    }

    /// None if from before the run.
    pub fn age(&self, plane: PlaneId, block: u32, now: Time) -> Option<Time> {
        match self.block(plane, block)?.filled {
            Filled::At(time) => Some(now - time),
            Filled::Not | Filled::Before => None,
        }
    }

    /// Since they last passed the controller.
    pub fn copies(&self, at: Ppa) -> u32 {
        let block = self.block(at.plane, at.block);
        block.and_then(|b| b.copies.get(at.page as usize)).copied().unwrap_or(0)
    }

    #[inline]
    pub fn read(&mut self, at: Ppa) {
        if let Some(block) = self.block_mut(at.plane, at.block) {
            block.reads = block.reads.saturating_add(1);
        }
    }

    #[inline(always)]
    pub fn programmed(&mut self, at: Ppa, now: Time) {
        self.fill(at, Filled::At(now));
    }

    #[inline(always)]
    pub fn found(&mut self, at: Ppa) {
        self.fill(at, Filled::Before);
    }

    pub fn copied(&mut self, from: Ppa, to: Ppa) {
        let (copies, pages) = (self.copies(from) + 1, self.pages_per_block as usize);
        if let Some(block) = self.block_mut(to.plane, to.block) {
            block.copies.resize(pages, 0);
            block.copies[to.page as usize] = copies;
        }
    }

    pub fn erased(&mut self, plane: PlaneId, block: u32) {
        if let Some(block) = self.block_mut(plane, block) {
            *block = Block { erases: block.erases + 1, ..Block::default() };
        }
    }

    #[inline(always)]
    fn fill(&mut self, at: Ppa, filled: Filled) {
        if let Some(block) = self.block_mut(at.plane, at.block).filter(|b| b.filled == Filled::Not) {
            block.filled = filled;
        }
    }

    fn block(&self, plane: PlaneId, block: u32) -> Option<&Block> {
        self.planes.get(plane.index())?.get(block as usize)
    }

    #[inline(always)]
    fn block_mut(&mut self, plane: PlaneId, block: u32) -> Option<&mut Block> {
        if self.planes.is_empty() { None } else { self.block_kept(plane, block) }
    }

    #[inline(never)]
    fn block_kept(&mut self, plane: PlaneId, block: u32) -> Option<&mut Block> {
        let blocks = self.planes.get_mut(plane.index())?;
        if blocks.len() <= block as usize {
            blocks.resize(block as usize + 1, Block::default());
        }
        blocks.get_mut(block as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;

    #[test]
    fn a_blocks_history_begins_anew_when_it_is_erased() {
        let design = load_design("performance-optimized", None, &[]).unwrap();
        let mut wear = Wear::new(&Layout::new(&design.geometry, true), true);
        let at = Ppa { plane: PlaneId(5), block: 3, page: 2 };
        wear.programmed(at, Time::from_us(10));
        wear.programmed(at, Time::from_us(20));
        wear.read(at);
        wear.copied(at, at);
        let ages = |wear: &Wear| wear.age(at.plane, at.block, Time::from_us(50));
        assert_eq!((ages(&wear), wear.reads_since_erase(at.plane, at.block)), (Some(Time::from_us(40)), 1));
        assert_eq!((wear.copies(at), wear.erases(at.plane, at.block)), (1, 0));
        wear.erased(at.plane, at.block);
        assert_eq!((ages(&wear), wear.reads_since_erase(at.plane, at.block)), (None, 0));
        assert_eq!((wear.copies(at), wear.erases(at.plane, at.block)), (0, 1));
        wear.found(at);
        wear.programmed(at, Time::from_us(60));
        assert_eq!(wear.age(at.plane, at.block, Time::from_us(70)), None, "its oldest data are from before the run");
    }

    #[test]
    fn nothing_is_kept_unless_it_is_asked_for() {
        let design = load_design("performance-optimized", None, &[]).unwrap();
        let mut wear = Wear::new(&Layout::new(&design.geometry, true), false);
        let at = Ppa { plane: PlaneId(5), block: 3, page: 2 };
        wear.read(at);
        assert_eq!((wear.planes.len(), wear.reads_since_erase(at.plane, at.block)), (0, 0));
    }
}
