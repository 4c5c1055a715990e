//! Blocks of every plane: free ones, write frontiers, valid pages.
//!
//! A block that was never opened has no state, so an untouched drive costs nothing. On a preconditioned drive a block's
//! first pages may be *seeded*: what they hold is computed when asked ([`seeded`]), and only which of them are out of date
//! is kept, once one is. Blocks of several planes may be used together ([`superblocks`]).

pub mod seeded;
pub mod superblocks;

mod accounts;
mod candidates;
mod given;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::ftl::bad_blocks::BadBlocks;
pub use crate::ftl::blocks::accounts::PlaneWear;
pub use crate::ftl::blocks::candidates::Candidates;
use crate::ftl::blocks::superblocks::Superblocks;
use crate::ftl::precondition::Seeds;
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
    /// Times these data were copied since a controller last looked at them.
    copies: u8,
}

/// One block.
#[derive(Default)]
struct Block {
    /// Pages handed out during the run, which come after the seeded ones.
    pages: Vec<Page>,
    /// Pages at the block's beginning whose contents are seeded.
    seeded: u32,
    /// Which of these have changed since: a bit each, once the first has.
    changed_seeds: Option<Box<[u64]>>,
    /// Valid pages, those whose program is in flight included.
    valid: u32,
    programs_in_flight: u32,
    reads_in_flight: u32,
    erases: u32,
    /// The plane's clock when the block was opened, and when one of its pages last changed.
    opened: u64,
    changed: u64,
    /// Never to be used again once its valid pages have moved.
    bad: bool,
    /// To be bad once its superblock has been erased.
    doomed: bool,
}

/// Whose data a write frontier takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    /// The host's, of one stream.
    User(u16),
    /// Garbage collection's, for pages of the plane itself.
    Gc,
    /// Garbage collection's, for pages that come from other planes. It has no claim on the reserved blocks, which the
    /// plane's own collection may need to end.
    Arrivals,
    /// The mapping table's: translation pages.
    Translation,
}

/// Frontiers of a plane that are not the host's.
const OWN: usize = 3;

impl Frontier {
    fn index(self) -> usize {
        match self {
            Frontier::Gc => 0,
            Frontier::Arrivals => 1,
            Frontier::Translation => 2,
            Frontier::User(stream) => OWN + usize::from(stream),
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
    /// Erased blocks, by the order in which they are to be opened: (erases that count, number of the erasure, block).
    erased: BinaryHeap<Reverse<(u32, u64, u32)>>,
    /// The frontiers, by [`Frontier::index`].
    open: Vec<Open>,
    /// Valid pages of all blocks, those whose program is in flight included.
    valid: u64,
    /// Pages of [`Frontier::Arrivals`] that are promised and not yet taken.
    promised: u32,
    /// Programs in flight.
    programs: u32,
    /// Pages handed out so far: the clock by which blocks age.
    clock: u64,
    /// Bad blocks among those opened, or that would have been.
    bad: u32,
    /// Bad blocks among those not looked at yet.
    bad_unseen: u32,
    /// Blocks that will be bad.
    doomed: u32,
    erasures: u64,
    /// The fewest erases among full blocks, as last seen; never too high.
    least_erases: u32,
    most_erases: u32,
}

/// All blocks of the drive.
pub struct Blocks {
    planes: Vec<Plane>,
    blocks_per_plane: u32,
    pages_per_block: u32,
    pages_per_flash_page: u32,
    reserved: u32,
    /// Whether free blocks are opened by erase count.
    by_wear: bool,
    bad: BadBlocks,
    /// Pages left empty in flash pages that were programmed.
    padding: u64,
    /// What seeded pages hold.
    seeds: Option<Box<Seeds>>,
    /// Whether and how blocks are used together.
    superblocks: Option<Box<Superblocks>>,
}

impl Blocks {
    /// A fresh drive with write frontiers for `streams` streams, on which the host never gets the last `reserved` free
    /// blocks of a plane.
    pub fn new(layout: &Layout, reserved: u32, streams: u16, by_wear: bool, bad: BadBlocks) -> Blocks {
        let plane = |number| Plane {
            open: vec![Open::default(); OWN + usize::from(streams)],
            bad_unseen: bad.of_factory(PlaneId(number), layout.blocks_per_plane),
            ..Plane::default()
        };
        Blocks {
            planes: (0..layout.planes()).map(plane).collect(),
            blocks_per_plane: layout.blocks_per_plane,
            pages_per_block: layout.pages_per_block,
            pages_per_flash_page: layout.pages_per_flash_page(),
            reserved,
            by_wear,
            bad,
            padding: 0,
            seeds: None,
            superblocks: None,
        }
    }

    /// Free blocks of a plane, or superblocks of its group.
    pub fn free(&self, plane: PlaneId) -> u32 {
        if let Some(superblocks) = &self.superblocks {
            return self.free_superblocks(plane, superblocks);
        }
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

    /// Whether the frontier has a page to give. With superblocks those who have a place always find one.
    pub fn has_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.room_in_open(plane, frontier).is_some() || self.may_open(plane, frontier)
    }

    /// The number of the page the frontier would give next.
    pub fn next_page(&self, plane: PlaneId, frontier: Frontier) -> u32 {
        self.room_in_open(plane, frontier)
            .map_or(0, |block| self.planes[plane.index()].blocks[block as usize].written())
    }

    fn room_in_open(&self, plane: PlaneId, frontier: Frontier) -> Option<u32> {
        if let Some(superblocks) = &self.superblocks {
            return self.room_in_stripe(plane, frontier, superblocks);
        }
        let p = &self.planes[plane.index()];
        p.open[frontier.index()].block.filter(|&b| self.has_room(p, b))
    }

    fn has_room(&self, plane: &Plane, block: u32) -> bool {
        plane.blocks[block as usize].written() < self.pages_per_block
    }

    fn may_open(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let kept = if frontier == Frontier::Gc { 0 } else { self.reserved };
        self.superblocks.is_none() && self.free(plane) > kept
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
        let page = b.written();
        b.pages.push(Page { lpa, sectors, copies: 0 });
        b.valid += 1;
        let p = &mut self.planes[plane.index()];
        p.valid += 1;
        p.clock += 1;
        p.blocks[block as usize].changed = p.clock;
        if frontier == Frontier::Arrivals {
            p.promised -= 1;
        }
        if self.superblocks.is_some() {
            self.page_is_taken(plane, frontier, page + 1 == self.pages_per_block);
        }
        Some((Ppa { plane, block, page }, opened))
    }

    /// Nothing more is programmed into the flash page of `at`, its block's last one: what is left of it is padding.
    pub fn end_flash_page(&mut self, at: Ppa) {
        if self.pages_per_flash_page == 1 {
            return;
        }
        let step = self.pages_per_flash_page;
        let block = self.block_mut(at);
        let (written, end) = (block.written(), block.written().next_multiple_of(step));
        debug_assert!(at.page / step == (end - 1) / step, "{at:?} is not in its block's last flash page");
        block.pages.resize((end - block.seeded) as usize, Page { lpa: INVALID, sectors: 0, copies: 0 });
        self.padding += u64::from(end - written);
    }

    /// Pages left empty in flash pages that were programmed.
    pub fn padding(&self) -> u64 {
        self.padding
    }

    /// Whether all pages of the flash page of `at` hold valid data.
    pub fn is_flash_page_valid(&self, at: Ppa) -> bool {
        let first = at.page / self.pages_per_flash_page * self.pages_per_flash_page;
        (first..first + self.pages_per_flash_page).all(|page| self.valid_lpa(Ppa { page, ..at }).is_some())
    }

    fn open_block(&mut self, plane: PlaneId, frontier: Frontier) -> u32 {
        let block = self.take_free(plane);
        self.planes[plane.index()].open[frontier.index()].block = Some(block);
        block
    }

    fn take_free(&mut self, plane: PlaneId) -> u32 {
        let pages = self.pages_per_block as usize;
        let block = if self.unopened(plane) > 0 {
            while self.is_next_bad(plane) {
                let p = &mut self.planes[plane.index()];
                p.blocks.push(Block { bad: true, ..Block::default() });
                p.bad += 1;
                p.bad_unseen -= 1;
            }
            let blocks = &mut self.planes[plane.index()].blocks;
            blocks.push(Block::default());
            blocks.len() as u32 - 1
        } else {
            self.planes[plane.index()].erased.pop().expect("a frontier was opened without a free block").0.2
        };
        let p = &mut self.planes[plane.index()];
        p.blocks[block as usize].pages.reserve_exact(pages);
        p.blocks[block as usize].opened = p.clock;
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
        if self.superblocks.is_some() {
            return self.doom(plane, block, keep_free);
        }
        let spare = self.free(plane) >= keep_free;
        let p = &mut self.planes[plane.index()];
        if !spare || p.bad + p.bad_unseen >= self.bad.most {
            return false;
        }
        p.bad += 1;
        p.blocks[block as usize].bad = true;
        p.close(block);
        true
    }

    /// Whether a block is never to be opened again.
    pub fn is_bad(&self, plane: PlaneId, block: u32) -> bool {
        self.planes[plane.index()].blocks[block as usize].bad
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
        let block = self.block(at);
        if at.page < block.seeded {
            return self.seeded_sectors();
        }
        block.pages[(at.page - block.seeded) as usize].sectors
    }

    /// The logical page whose valid data are at a page.
    pub fn valid_lpa(&self, at: Ppa) -> Option<u64> {
        let block = self.block(at);
        if at.page < block.seeded {
            return self.seeded_lpa(at);
        }
        block.pages.get((at.page - block.seeded) as usize).map(|p| p.lpa).filter(|&lpa| lpa != INVALID)
    }

    /// Times the data at a page were copied since a controller last looked at them.
    pub fn copies(&self, at: Ppa) -> u8 {
        let block = self.block(at);
        // What was there before the run was looked at when it was written.
        if at.page < block.seeded { 0 } else { block.pages[(at.page - block.seeded) as usize].copies }
    }

    /// Notes how often the data of a page were copied unseen.
    pub fn set_copies(&mut self, at: Ppa, copies: u8) {
        let block = self.block_mut(at);
        debug_assert!(at.page >= block.seeded, "copies are never seeded");
        let place = (at.page - block.seeded) as usize;
        block.pages[place].copies = copies;
    }

    /// Whether the block can be collected: nothing more is written to it, and it is not free.
    pub fn can_be_collected(&self, plane: PlaneId, block: u32) -> bool {
        if let Some(superblocks) = &self.superblocks {
            return self.superblock_can_be_collected(plane, block, superblocks);
        }
        let p = &self.planes[plane.index()];
        let b = &p.blocks[block as usize];
        let open = b.written() < self.pages_per_block && p.open.iter().any(|o| o.block == Some(block));
        b.written() > 0 && b.programs_in_flight == 0 && !open
    }

    /// Whether the block could be collected if nothing more were written to it. Pages promised to copies from elsewhere are,
    /// and so are those of superblocks, to which places were given.
    pub fn can_be_closed(&self, plane: PlaneId, block: u32) -> bool {
        let p = &self.planes[plane.index()];
        let b = &p.blocks[block as usize];
        let promised = p.promised > 0 && p.open[Frontier::Arrivals.index()].block == Some(block);
        b.written() > 0 && b.programs_in_flight == 0 && !promised && self.superblocks.is_none()
    }

    /// Nothing more is written to the block before it is erased.
    pub fn close(&mut self, plane: PlaneId, block: u32) {
        self.planes[plane.index()].close(block);
    }

    /// Whether the block holds valid data.
    pub fn holds_data(&self, plane: PlaneId, block: u32) -> bool {
        self.planes[plane.index()].blocks.get(block as usize).is_some_and(|b| b.valid > 0)
    }

    /// The data at a page are out of date.
    pub fn invalidate(&mut self, at: Ppa) {
        debug_assert!(self.valid_lpa(at).is_some(), "invalidated twice: {at:?}");
        if at.page < self.block(at).seeded {
            self.forget_seed(at);
        }
        let plane = &mut self.planes[at.plane.index()];
        let block = &mut plane.blocks[at.block as usize];
        if at.page >= block.seeded {
            block.pages[(at.page - block.seeded) as usize].lpa = INVALID;
        }
        block.valid -= 1;
        block.changed = plane.clock;
        plane.valid -= 1;
    }

    /// A program of the page is on its way.
    pub fn program_begins(&mut self, at: Ppa) {
        self.block_mut(at).programs_in_flight += 1;
        self.planes[at.plane.index()].programs += 1;
    }

    /// The page is programmed.
    pub fn program_ends(&mut self, at: Ppa) {
        self.block_mut(at).programs_in_flight -= 1;
        self.planes[at.plane.index()].programs -= 1;
    }

    /// Programs in flight in a plane.
    pub fn programs_in(&self, plane: PlaneId) -> u32 {
        self.planes[plane.index()].programs
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

    /// The plane's blocks, or the superblocks of its group, for choosing one to collect.
    pub fn candidates(&self, plane: PlaneId) -> Candidates<'_> {
        let (planes, pages_per_block) = (&self.planes[self.group(plane)], self.pages_per_block);
        Candidates { planes, pages_per_block, step: self.pages_per_flash_page }
    }

    /// Valid pages of a plane, those on their way included.
    pub fn valid_in(&self, plane: PlaneId) -> u64 {
        self.planes[plane.index()].valid
    }

    /// Pages of a plane's blocks that are not to be used again.
    pub fn pages_lost_in(&self, plane: PlaneId) -> u64 {
        u64::from(self.planes[plane.index()].bad) * u64::from(self.pages_per_block)
    }

    /// Keeps a page for one that comes from another plane. Returns whether there is room.
    pub fn promise_arrival(&mut self, plane: PlaneId) -> bool {
        let left = self
            .room_in_open(plane, Frontier::Arrivals)
            .map(|block| self.pages_per_block - self.planes[plane.index()].blocks[block as usize].written());
        let promised = self.planes[plane.index()].promised;
        // Promises are only ever made of pages in a block that is open already: nobody else can take them.
        let room = match left {
            Some(left) => left > promised,
            None if self.may_open(plane, Frontier::Arrivals) => {
                self.open_block(plane, Frontier::Arrivals);
                true
            }
            None => false,
        };
        self.planes[plane.index()].promised += u32::from(room);
        room
    }

    /// A promised page is not needed after all.
    pub fn withdraw_arrival(&mut self, plane: PlaneId) {
        self.planes[plane.index()].promised -= 1;
    }

    /// The first page at or after `from` that holds valid data.
    pub fn next_valid(&self, plane: PlaneId, block: u32, from: u32) -> Option<Ppa> {
        let b = &self.planes[plane.index()].blocks[block as usize];
        let seeded = (from..b.seeded).map(|page| Ppa { plane, block, page }).find(|&at| self.seeded_lpa(at).is_some());
        let written = || {
            let from = from.max(b.seeded);
            let page = (from..b.written()).find(|&p| b.pages[(p - b.seeded) as usize].lpa != INVALID);
            page.map(|page| Ppa { plane, block, page })
        };
        seeded.or_else(written)
    }

    /// The block is empty: erased and free again, unless it is bad or has come to the end of its `endurance` (erases; 0:
    /// none).
    pub fn erase(&mut self, plane: PlaneId, block: u32, endurance: u32) {
        if self.superblocks.is_some() {
            return self.erase_superblock(plane, block, endurance);
        }
        let p = &mut self.planes[plane.index()];
        p.close(block);
        p.empty(block);
        let b = &mut p.blocks[block as usize];
        if b.bad {
            return;
        }
        b.erases += 1;
        p.erasures += 1;
        p.most_erases = p.most_erases.max(b.erases);
        if endurance > 0 && b.erases >= endurance {
            b.bad = true;
            p.bad += 1;
            return;
        }
        let wear = if self.by_wear { b.erases } else { 0 };
        p.erased.push(Reverse((wear, p.erasures, block)));
    }

    /// Times the block was erased.
    pub fn erases(&self, plane: PlaneId, block: u32) -> u32 {
        self.planes[plane.index()].blocks[block as usize].erases
    }

    /// The full block of a plane that was erased least often, if some block was erased `difference` times more: its data
    /// have not changed for long and keep it from its share of wear.
    pub fn least_worn(&mut self, plane: PlaneId, difference: u32) -> Option<u32> {
        let leader = self.leader(plane).index();
        let candidates = self.candidates(plane);
        let most = candidates.planes.iter().map(|p| p.most_erases).max().unwrap_or(0);
        if most - self.planes[leader].least_erases < difference {
            return None;
        }
        let least = candidates.full().min_by_key(|&block| (candidates.erases(block), block))?;
        let erases = candidates.erases(least);
        // The search is not repeated until the most worn block has gone on.
        self.planes[leader].least_erases = erases.min(most - difference + 1);
        (most - erases >= difference).then_some(least)
    }

    /// Notes whether the plane has a page for the frontier now, for [`Blocks::stall_clock`], and returns it.
    pub fn note_stall(&mut self, plane: PlaneId, frontier: Frontier, now: Time) -> bool {
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
        room
    }

    /// [`Blocks::note_stall`] for the mapping table and every stream.
    pub fn note_stalls(&mut self, plane: PlaneId, now: Time) {
        self.note_stall(plane, Frontier::Translation, now);
        for stream in 0..(self.planes[plane.index()].open.len() - OWN) as u16 {
            self.note_stall(plane, Frontier::User(stream), now);
        }
    }

    /// Time until `now` during which the frontier had no page to give.
    pub fn stall_clock(&self, plane: PlaneId, frontier: Frontier, now: Time) -> Time {
        let open = &self.planes[plane.index()].open[frontier.index()];
        open.stalled + open.stalled_since.map_or(Time::ZERO, |since| now - since)
    }

    /// The run begins: nobody waits any more, and time without a page to give and padding count from zero.
    pub fn begin_anew(&mut self) {
        self.padding = 0;
        for open in self.planes.iter_mut().flat_map(|plane| &mut plane.open) {
            (open.stalled, open.stalled_since) = (Time::ZERO, None);
        }
    }
}

impl Block {
    /// Pages that hold or held data since the last erasure.
    fn written(&self) -> u32 {
        self.seeded + self.pages.len() as u32
    }
}

impl Plane {
    /// What the block held is gone.
    fn empty(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        assert!(b.valid == 0 && b.reads_in_flight == 0 && b.programs_in_flight == 0, "erased a block in use");
        b.pages = Vec::new();
        b.seeded = 0;
        b.changed_seeds = None;
    }

    /// No frontier writes to the block any more.
    fn close(&mut self, block: u32) {
        for open in &mut self.open {
            if open.block == Some(block) {
                open.block = None;
            }
        }
    }
}
