//! Blocks of every plane: free ones, write frontiers, valid pages.
//!
//! A block that was never opened has no state, so an untouched drive costs nothing.

use std::collections::VecDeque;

use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::ftl::bad_blocks::BadBlocks;
use crate::sim::time::Time;

/// Marks a page that holds nothing valid.
const INVALID: u64 = u64::MAX;

/// What a physical page holds.
#[derive(Clone, Copy)]
struct Page {
    /// Logical page, or [`INVALID`].
    lpa: u64,
    /// Sectors that hold data.
    sectors: u64,
}

/// One block.
struct Block {
    /// Pages handed out so far; empty while the block is free.
    pages: Vec<Page>,
    /// Valid pages, those whose program is in flight included.
    valid: u32,
    programs_in_flight: u32,
    reads_in_flight: u32,
    erases: u32,
    /// Never to be opened again.
    bad: bool,
}

impl Block {
    fn new() -> Block {
        Block { pages: Vec::new(), valid: 0, programs_in_flight: 0, reads_in_flight: 0, erases: 0, bad: false }
    }
}

/// Whose data a write frontier takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    /// The host's, of one stream.
    User(u16),
    /// Garbage collection's.
    Gc,
}

impl Frontier {
    fn index(self) -> usize {
        match self {
            Frontier::Gc => 0,
            Frontier::User(stream) => 1 + usize::from(stream),
        }
    }
}

/// A write frontier of a plane.
#[derive(Clone, Default)]
struct Open {
    /// The block being filled.
    block: Option<u32>,
    /// Time without a page to give, and since when that lasts.
    stalled: Time,
    stalled_since: Option<Time>,
}

/// One plane's blocks.
#[derive(Default)]
struct Plane {
    /// Blocks opened at least once, by number.
    blocks: Vec<Block>,
    /// Erased blocks, in the order of their erasure.
    erased: VecDeque<u32>,
    /// The frontiers: garbage collection's, then each stream's.
    open: Vec<Open>,
    /// Bad blocks among those opened, or that would have been.
    bad: u32,
    /// Bad blocks among those not looked at yet.
    bad_unseen: u32,
    /// Retired blocks that still hold data.
    retired: Vec<u32>,
}

/// All blocks of the drive.
pub struct Blocks {
    planes: Vec<Plane>,
    blocks_per_plane: u32,
    pages_per_block: u32,
    reserved: u32,
    bad: BadBlocks,
}

impl Blocks {
    /// A fresh drive with write frontiers for `streams` streams, on which the host never gets the last `reserved` free
    /// blocks of a plane.
    pub fn new(layout: &Layout, reserved: u32, streams: u16, bad: BadBlocks) -> Blocks {
        let plane = |number| Plane {
            open: vec![Open::default(); 1 + usize::from(streams)],
            bad_unseen: bad.of_factory(PlaneId(number), layout.blocks_per_plane),
            ..Plane::default()
        };
        Blocks {
            planes: (0..layout.planes()).map(plane).collect(),
            blocks_per_plane: layout.blocks_per_plane,
            pages_per_block: layout.pages_per_block,
            reserved,
            bad,
        }
    }

    /// Free blocks of a plane.
    pub fn free(&self, plane: PlaneId) -> u32 {
        let p = &self.planes[plane.index()];
        self.unopened(plane) + p.erased.len() as u32
    }

    /// Good blocks of a plane that were never opened.
    fn unopened(&self, plane: PlaneId) -> u32 {
        let p = &self.planes[plane.index()];
        self.blocks_per_plane - p.blocks.len() as u32 - p.bad_unseen
    }

    /// Free blocks of a plane that the host never gets.
    pub fn reserved(&self) -> u32 {
        self.reserved
    }

    /// Whether the frontier has a page to give.
    pub fn has_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.room_in_open(plane, frontier).is_some() || self.may_open(plane, frontier)
    }

    /// The number of the page the frontier would give next.
    pub fn next_page(&self, plane: PlaneId, frontier: Frontier) -> u32 {
        self.room_in_open(plane, frontier)
            .map_or(0, |block| self.planes[plane.index()].blocks[block as usize].pages.len() as u32)
    }

    fn room_in_open(&self, plane: PlaneId, frontier: Frontier) -> Option<u32> {
        let p = &self.planes[plane.index()];
        p.open[frontier.index()].block.filter(|&b| (p.blocks[b as usize].pages.len() as u32) < self.pages_per_block)
    }

    fn may_open(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let kept = if frontier == Frontier::Gc { 0 } else { self.reserved };
        self.free(plane) > kept
    }

    /// Takes the frontier's next page for `sectors` of `lpa`, or none if the plane has no room for it. The second value
    /// tells whether a free block was opened for it.
    pub fn allocate(&mut self, plane: PlaneId, frontier: Frontier, lpa: u64, sectors: u64) -> Option<(Ppa, bool)> {
        let (block, opened) = match self.room_in_open(plane, frontier) {
            Some(block) => (block, false),
            None if self.may_open(plane, frontier) => (self.open_block(plane, frontier), true),
            None => return None,
        };
        let b = &mut self.planes[plane.index()].blocks[block as usize];
        let page = b.pages.len() as u32;
        b.pages.push(Page { lpa, sectors });
        b.valid += 1;
        Some((Ppa { plane, block, page }, opened))
    }

    fn open_block(&mut self, plane: PlaneId, frontier: Frontier) -> u32 {
        let pages = self.pages_per_block as usize;
        let block = if self.unopened(plane) > 0 {
            while self.is_next_bad(plane) {
                let p = &mut self.planes[plane.index()];
                p.blocks.push(Block { bad: true, ..Block::new() });
                p.bad += 1;
                p.bad_unseen -= 1;
            }
            let blocks = &mut self.planes[plane.index()].blocks;
            blocks.push(Block::new());
            blocks.len() as u32 - 1
        } else {
            self.planes[plane.index()].erased.pop_front().expect("a frontier was opened without a free block")
        };
        let p = &mut self.planes[plane.index()];
        p.blocks[block as usize].pages.reserve_exact(pages);
        p.open[frontier.index()].block = Some(block);
        block
    }

    /// Whether the first block that was never looked at is bad from the factory.
    fn is_next_bad(&self, plane: PlaneId) -> bool {
        let p = &self.planes[plane.index()];
        let (block, unseen) = (p.blocks.len() as u32, self.blocks_per_plane - p.blocks.len() as u32);
        p.bad_unseen > 0 && self.bad.is_bad(plane, block, p.bad_unseen, unseen)
    }

    /// A block has failed: it is never opened again, and its valid pages can be read until they are copied elsewhere. Not
    /// so if the plane cannot spare it, or would have fewer than `keep_free` free blocks. Returns whether it is retired.
    pub fn retire(&mut self, plane: PlaneId, block: u32, keep_free: u32) -> bool {
        let spare = self.free(plane) >= keep_free;
        let p = &mut self.planes[plane.index()];
        if !spare || p.bad + p.bad_unseen >= self.bad.most {
            return false;
        }
        p.bad += 1;
        p.blocks[block as usize].bad = true;
        p.retired.push(block);
        for open in p.open.iter_mut().filter(|open| open.block == Some(block)) {
            open.block = None;
        }
        true
    }

    /// Whether a block is never to be opened again.
    pub fn is_bad(&self, plane: PlaneId, block: u32) -> bool {
        self.planes[plane.index()].blocks[block as usize].bad
    }

    /// A retired block whose valid pages all fit the block that collection is filling: emptying it takes no free block.
    pub fn retired_that_fits(&self, plane: PlaneId) -> Option<u32> {
        let p = &self.planes[plane.index()];
        let filled = |block: u32| p.blocks[block as usize].pages.len() as u32;
        let room = self.room_in_open(plane, Frontier::Gc).map_or(0, |block| self.pages_per_block - filled(block));
        let fits = |&&block: &&u32| {
            let b = &p.blocks[block as usize];
            b.programs_in_flight == 0 && b.valid <= room
        };
        p.retired.iter().find(fits).copied()
    }

    /// Bad blocks of the whole drive.
    pub fn count_bad(&self) -> u64 {
        self.planes.iter().map(|p| u64::from(p.bad + p.bad_unseen)).sum()
    }

    fn block_mut(&mut self, at: Ppa) -> &mut Block {
        &mut self.planes[at.plane.index()].blocks[at.block as usize]
    }

    fn block(&self, at: Ppa) -> &Block {
        &self.planes[at.plane.index()].blocks[at.block as usize]
    }

    /// Sectors that hold data at a page.
    pub fn sectors(&self, at: Ppa) -> u64 {
        self.block(at).pages[at.page as usize].sectors
    }

    /// The logical page whose valid data are at a page.
    pub fn valid_lpa(&self, at: Ppa) -> Option<u64> {
        self.block(at).pages.get(at.page as usize).map(|p| p.lpa).filter(|&lpa| lpa != INVALID)
    }

    /// The data at a page are out of date.
    pub fn invalidate(&mut self, at: Ppa) {
        let block = self.block_mut(at);
        let page = &mut block.pages[at.page as usize];
        debug_assert!(page.lpa != INVALID, "invalidated twice: {at:?}");
        page.lpa = INVALID;
        block.valid -= 1;
    }

    /// A program of the page is on its way.
    pub fn program_begins(&mut self, at: Ppa) {
        self.block_mut(at).programs_in_flight += 1;
    }

    /// The page is programmed.
    pub fn program_ends(&mut self, at: Ppa) {
        self.block_mut(at).programs_in_flight -= 1;
    }

    /// A read of the page is on its way; its block must not be erased until it ends.
    pub fn read_begins(&mut self, at: Ppa) {
        self.block_mut(at).reads_in_flight += 1;
    }

    /// A read of the page has ended. Returns whether the block has no further reads.
    pub fn read_ends(&mut self, at: Ppa) -> bool {
        let block = self.block_mut(at);
        block.reads_in_flight -= 1;
        block.reads_in_flight == 0
    }

    /// Reads of a block on their way.
    pub fn reads_in_flight(&self, at: Ppa) -> u32 {
        self.block(at).reads_in_flight
    }

    /// The full block with the fewest valid pages (lowest number among equals) that has any invalid one and no program
    /// in flight: greedy selection.
    pub fn greedy_victim(&self, plane: PlaneId) -> Option<u32> {
        let p = &self.planes[plane.index()];
        let mut best: Option<(u32, u32)> = None;
        for (number, block) in (0u32..).zip(&p.blocks) {
            let full = block.pages.len() as u32 == self.pages_per_block && !block.bad;
            if full && block.programs_in_flight == 0 && best.is_none_or(|(valid, _)| block.valid < valid) {
                best = Some((block.valid, number));
            }
        }
        best.filter(|&(valid, _)| valid < self.pages_per_block).map(|(_, number)| number)
    }

    /// The first page at or after `from` that holds valid data.
    pub fn next_valid(&self, plane: PlaneId, block: u32, from: u32) -> Option<Ppa> {
        let pages = &self.planes[plane.index()].blocks[block as usize].pages;
        (from..pages.len() as u32).find(|&p| pages[p as usize].lpa != INVALID).map(|page| Ppa { plane, block, page })
    }

    /// The block is empty: erased and free again, or retired for good.
    pub fn erase(&mut self, plane: PlaneId, block: u32) {
        let p = &mut self.planes[plane.index()];
        let b = &mut p.blocks[block as usize];
        assert!(b.valid == 0 && b.reads_in_flight == 0 && b.programs_in_flight == 0, "erased a block in use");
        b.pages = Vec::new();
        if b.bad {
            p.retired.retain(|&other| other != block);
            return;
        }
        b.erases += 1;
        p.erased.push_back(block);
        for open in &mut p.open {
            if open.block == Some(block) {
                open.block = None;
            }
        }
    }

    /// Notes whether the plane has a page for the frontier now, for [`Blocks::stall_clock`].
    pub fn note_stall(&mut self, plane: PlaneId, frontier: Frontier, now: Time) {
        let room = self.has_page(plane, frontier);
        let open = &mut self.planes[plane.index()].open[frontier.index()];
        match (room, open.stalled_since) {
            (false, None) => open.stalled_since = Some(now),
            (true, Some(since)) => {
                open.stalled += now - since;
                open.stalled_since = None;
            }
            _ => {}
        }
    }

    /// [`Blocks::note_stall`] for every stream.
    pub fn note_stalls(&mut self, plane: PlaneId, now: Time) {
        for stream in 0..self.planes[plane.index()].open.len() as u16 - 1 {
            self.note_stall(plane, Frontier::User(stream), now);
        }
    }

    /// Time until `now` during which the frontier had no page to give.
    pub fn stall_clock(&self, plane: PlaneId, frontier: Frontier, now: Time) -> Time {
        let open = &self.planes[plane.index()].open[frontier.index()];
        open.stalled + open.stalled_since.map_or(Time::ZERO, |since| now - since)
    }

    /// Valid pages of the whole drive, counted page by page; for audits.
    pub fn count_valid(&self) -> u64 {
        self.planes
            .iter()
            .flat_map(|p| &p.blocks)
            .map(|b| b.pages.iter().filter(|p| p.lpa != INVALID).count() as u64)
            .sum()
    }

    /// Checks that every block is free, in use or bad exactly once, and that counts of valid pages are right.
    ///
    /// # Errors
    /// Says which plane and block is wrong.
    pub fn audit(&self) -> Result<(), String> {
        for (number, plane) in self.planes.iter().enumerate() {
            let mut erased: Vec<u32> = plane.erased.iter().copied().collect();
            erased.sort_unstable();
            erased.dedup();
            if erased.len() != plane.erased.len() {
                return Err(format!("plane {number}: a block is free twice"));
            }
            let bad = plane.blocks.iter().filter(|block| block.bad).count() as u32;
            if bad != plane.bad || plane.bad + plane.bad_unseen > self.bad.most {
                return Err(format!("plane {number}: {bad} bad blocks, counted {}", plane.bad));
            }
            for (b, block) in plane.blocks.iter().enumerate() {
                let valid = block.pages.iter().filter(|p| p.lpa != INVALID).count() as u32;
                if valid != block.valid {
                    return Err(format!("plane {number} block {b}: {valid} valid pages, counted {}", block.valid));
                }
                let free = erased.binary_search(&(b as u32)).is_ok();
                if block.bad && free || !block.bad && free != block.pages.is_empty() {
                    return Err(format!("plane {number} block {b}: free and in use at once, or neither"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::Geometry;
    use crate::config::units::Size;

    const PLANE: PlaneId = PlaneId(0);
    const USER: Frontier = Frontier::User(0);

    /// One plane of 8 blocks of 4 pages, of which `most` may go bad.
    fn blocks(factory: f64, most: u32) -> Blocks {
        let geometry = Geometry {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 8,
            pages_per_block: 4,
            page: Size(4096),
        };
        Blocks::new(&Layout::new(&geometry, true), 1, 1, BadBlocks { seed: 3, factory, most })
    }

    fn write(blocks: &mut Blocks, frontier: Frontier, lpa: u64) -> Ppa {
        blocks.allocate(PLANE, frontier, lpa, 1).expect("a free page").0
    }

    #[test]
    fn a_retired_block_keeps_its_data_until_they_are_moved() {
        let mut blocks = blocks(0.0, 1);
        let at = write(&mut blocks, USER, 5);
        assert!(blocks.retire(PLANE, at.block, 0) && blocks.is_bad(PLANE, at.block));
        assert_eq!((blocks.valid_lpa(at), blocks.free(PLANE), blocks.count_bad()), (Some(5), 7, 1));
        let next = write(&mut blocks, USER, 6);
        assert!(next.block != at.block && !blocks.retire(PLANE, next.block, 0), "one is all the plane can spare");
        // Emptying it needs room in the block that collection fills.
        assert_eq!(blocks.retired_that_fits(PLANE), None);
        write(&mut blocks, Frontier::Gc, 7);
        assert_eq!(blocks.retired_that_fits(PLANE), Some(at.block));
        blocks.invalidate(at);
        blocks.erase(PLANE, at.block);
        assert_eq!((blocks.retired_that_fits(PLANE), blocks.free(PLANE)), (None, 5));
        blocks.audit().unwrap();
    }

    #[test]
    fn a_block_is_not_retired_when_free_ones_are_short() {
        let mut blocks = blocks(0.0, 8);
        let at = write(&mut blocks, Frontier::Gc, 5);
        assert!(!blocks.retire(PLANE, at.block, 8) && !blocks.is_bad(PLANE, at.block));
        assert!(blocks.retire(PLANE, at.block, 7));
    }

    #[test]
    fn factory_bad_blocks_are_never_opened() {
        let mut blocks = blocks(0.25, 8);
        assert_eq!((blocks.free(PLANE), blocks.count_bad()), (6, 2));
        let opened: Vec<u32> = (0..24).map(|lpa| write(&mut blocks, Frontier::Gc, lpa).block).collect();
        assert!(opened.iter().all(|&block| !blocks.is_bad(PLANE, block)));
        assert_eq!((blocks.free(PLANE), blocks.has_page(PLANE, Frontier::Gc)), (0, false));
        blocks.audit().unwrap();
    }
}
