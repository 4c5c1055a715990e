//! Blocks of every plane: free ones, write frontiers, valid pages.
//!
//! A block that was never opened has no state, so an untouched drive costs nothing.

use std::collections::VecDeque;

use crate::flash::address::{Layout, PlaneId, Ppa};
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
}

/// Whose data a write frontier takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    /// The host's, of one stream.
    User(u16),
    /// Garbage collection's.
    Gc,
    /// The mapping table's: translation pages.
    Translation,
}

impl Frontier {
    fn index(self) -> usize {
        match self {
            Frontier::Gc => 0,
            Frontier::Translation => 1,
            Frontier::User(stream) => 2 + usize::from(stream),
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
    /// The frontiers: garbage collection's, the mapping table's, then each stream's.
    open: Vec<Open>,
}

/// All blocks of the drive.
pub struct Blocks {
    planes: Vec<Plane>,
    blocks_per_plane: u32,
    pages_per_block: u32,
    reserved: u32,
}

impl Blocks {
    /// A fresh drive with write frontiers for `streams` streams, on which the host never gets the last `reserved` free
    /// blocks of a plane.
    pub fn new(layout: &Layout, reserved: u32, streams: u16) -> Blocks {
        let plane = || Plane { open: vec![Open::default(); 2 + usize::from(streams)], ..Plane::default() };
        Blocks {
            planes: (0..layout.planes()).map(|_| plane()).collect(),
            blocks_per_plane: layout.blocks_per_plane,
            pages_per_block: layout.pages_per_block,
            reserved,
        }
    }

    /// Free blocks of a plane.
    pub fn free(&self, plane: PlaneId) -> u32 {
        let p = &self.planes[plane.index()];
        self.blocks_per_plane - p.blocks.len() as u32 + p.erased.len() as u32
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
        let p = &mut self.planes[plane.index()];
        let block = if (p.blocks.len() as u32) < self.blocks_per_plane {
            p.blocks.push(Block { pages: Vec::new(), valid: 0, programs_in_flight: 0, reads_in_flight: 0, erases: 0 });
            p.blocks.len() as u32 - 1
        } else {
            p.erased.pop_front().expect("a frontier was opened without a free block")
        };
        p.blocks[block as usize].pages.reserve_exact(pages);
        p.open[frontier.index()].block = Some(block);
        block
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
            let full = block.pages.len() as u32 == self.pages_per_block;
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

    /// The block is erased and free again.
    pub fn erase(&mut self, plane: PlaneId, block: u32) {
        let p = &mut self.planes[plane.index()];
        let b = &mut p.blocks[block as usize];
        assert!(b.valid == 0 && b.reads_in_flight == 0 && b.programs_in_flight == 0, "erased a block in use");
        b.pages = Vec::new();
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

    /// [`Blocks::note_stall`] for the mapping table and every stream.
    pub fn note_stalls(&mut self, plane: PlaneId, now: Time) {
        self.note_stall(plane, Frontier::Translation, now);
        for stream in 0..self.planes[plane.index()].open.len() as u16 - 2 {
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

    /// Checks that every block is free, open or full exactly once, and that counts of valid pages are right.
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
            for (b, block) in plane.blocks.iter().enumerate() {
                let valid = block.pages.iter().filter(|p| p.lpa != INVALID).count() as u32;
                if valid != block.valid {
                    return Err(format!("plane {number} block {b}: {valid} valid pages, counted {}", block.valid));
                }
                let free = erased.binary_search(&(b as u32)).is_ok();
                if free != block.pages.is_empty() {
                    return Err(format!("plane {number} block {b}: free and in use at once, or neither"));
                }
            }
        }
        Ok(())
    }
}
