//! Blocks of every plane: free ones, write frontiers, valid pages.
//!
//! A block that was never opened has no state. On a preconditioned drive a block's first pages may be *seeded*:
//! computed when asked ([`seeded`]).

pub mod pseudo_slc;
pub mod seeded;
pub mod superblocks;

mod accounts;
mod block;
mod candidates;
mod contents;
mod explicit;
mod frontier;
mod gathering;
mod parity;
mod report;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
pub use crate::ftl::blocks::accounts::PlaneWear;
use crate::ftl::blocks::block::Block;
pub use crate::ftl::blocks::candidates::Candidates;
use crate::ftl::blocks::contents::Contents;
use crate::ftl::blocks::frontier::{Frontiers, Open};
pub use crate::ftl::blocks::gathering::Together;
use crate::ftl::blocks::pseudo_slc::{Cache, Mode};
use crate::ftl::blocks::superblocks::Superblocks;
pub use crate::ftl::frontier::{Frontier, Line};
use crate::ftl::maintenance::bad_blocks::BadBlocks;
use crate::ftl::precondition::Seeds;

#[derive(Default)]
struct Plane {
    blocks: Vec<Block>,
    /// In the order of opening: (erases that count, number of the erasure, block).
    erased: BinaryHeap<Reverse<(u32, u64, u32)>>,
    unopened: u32,
    /// Valid pages of each candidate block, in one row for a quick search; [`candidates::NOT_FULL`] for others.
    full: Vec<u32>,
    /// Including pages whose program is in flight.
    valid: u64,
    promised: u32,
    programs: u32,
    /// Pages handed out: the clock by which blocks age.
    clock: u64,
    /// Among those opened, or that would have been.
    bad: u32,
    bad_unseen: u32,
    doomed: u32,
    erasures: u64,
    /// Free blocks that are the pseudo-SLC cache's alone.
    withheld: u32,
    /// Free blocks that the host does not get while a block is folded that gives none back.
    kept: u32,
    /// A lower bound of the erases among full blocks.
    least_erases: u32,
    most_erases: u32,
}

impl Plane {
    fn free(&self) -> u32 {
        self.unopened + self.erased.len() as u32 - self.withheld
    }
}

pub struct Blocks {
    planes: Vec<Plane>,
    frontiers: Frontiers,
    contents: Contents,
    blocks_per_plane: u32,
    pages_per_block: u32,
    pages_per_flash_page: u32,
    reserved: u32,
    /// Whether free blocks are opened by erase count.
    by_wear: bool,
    bad: BadBlocks,
    free: u64,
    /// Pages left empty in flash pages that were programmed.
    padding: u64,
    seeds: Option<Box<Seeds>>,
    superblocks: Option<Box<Superblocks>>,
    cache: Option<Box<Cache>>,
}

impl Blocks {
    /// A fresh drive. The host never gets the last `reserved` free blocks of a plane.
    pub fn new(layout: &Layout, reserved: u32, streams: u16, by_wear: bool, bad: BadBlocks) -> Blocks {
        let plane = |number| {
            let bad_unseen = bad.of_factory(PlaneId(number), layout.blocks_per_plane);
            Plane { unopened: layout.blocks_per_plane - bad_unseen, bad_unseen, ..Plane::default() }
        };
        let planes: Vec<Plane> = (0..layout.planes()).map(plane).collect();
        Blocks {
            free: planes.iter().map(|plane| u64::from(plane.free())).sum(),
            planes,
            frontiers: Frontiers::new(layout.planes(), streams, false, false),
            contents: Contents::new(layout.pages_per_block, layout.sectors_per_page),
            blocks_per_plane: layout.blocks_per_plane,
            pages_per_block: layout.pages_per_block,
            pages_per_flash_page: layout.pages_per_flash_page(),
            reserved,
            by_wear,
            bad,
            padding: 0,
            seeds: None,
            superblocks: None,
            cache: None,
        }
    }

    #[inline]
    pub fn free(&self, plane: PlaneId) -> u32 {
        if let Some(superblocks) = &self.superblocks {
            return self.free_superblocks(plane, superblocks);
        }
        self.planes[plane.index()].free()
    }

    pub fn free_in_all(&self) -> u64 {
        self.free
    }

    pub fn reserved(&self) -> u32 {
        self.reserved
    }

    /// Whether the frontier has a page to give. With superblocks a place always has one.
    #[inline]
    pub fn has_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.frontiers.get(plane, frontier).left > 0 || self.finds_page(plane, frontier)
    }

    #[inline(never)]
    fn finds_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let has_own = self.room_in_open(plane, frontier).is_some() || self.may_open(plane, frontier);
        has_own || frontier != frontier.native() && self.has_page(plane, frontier.native())
    }

    pub fn next_page(&self, plane: PlaneId, frontier: Frontier) -> u32 {
        match self.room_in_open(plane, frontier) {
            Some(block) => self.planes[plane.index()].blocks[block as usize].written,
            None if frontier == frontier.native() || self.may_open(plane, frontier) => 0,
            None => self.next_page(plane, frontier.native()),
        }
    }

    #[inline(always)]
    fn room_in_open(&self, plane: PlaneId, frontier: Frontier) -> Option<u32> {
        let open = self.frontiers.get(plane, frontier).with_room();
        if open.is_some() || self.superblocks.is_none() { open } else { self.room_in_stripe(plane, frontier) }
    }

    #[inline]
    fn has_room(&self, plane: &Plane, block: u32) -> bool {
        plane.blocks[block as usize].written < self.pages_per_block
    }

    #[inline]
    fn may_open(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let kept = match frontier {
            Frontier::Gc | Frontier::GcOf(_) => 0,
            Frontier::Cached(_) => return self.cache_may_open(plane),
            _ => self.reserved + self.planes[plane.index()].kept,
        };
        self.superblocks.is_none() && self.free(plane) > kept
    }

    /// Takes the frontier's next page, if there is room, and returns whether a free block was opened.
    #[inline(always)]
    pub fn allocate(&mut self, plane: PlaneId, frontier: Frontier, lpa: u64, sectors: u64) -> Option<(Ppa, bool)> {
        let (mut owner, mut found) = (frontier, self.take_room(plane, frontier));
        if found.is_none() && frontier != frontier.native() {
            owner = frontier.native();
            found = self.take_room(plane, owner);
        }
        let (block, opened) = found?;
        let page = self.write_next(plane, block, lpa, sectors);
        if owner == Frontier::Arrivals {
            self.planes[plane.index()].promised -= 1;
        }
        if self.superblocks.is_some() {
            self.page_is_taken(Ppa { plane, block, page });
        }
        if let Frontier::Cached(_) = owner {
            self.note_cache_full(plane, block);
        }
        Some((Ppa { plane, block, page }, opened))
    }

    /// The block in which the frontier has its next page, and whether it was opened for that.
    #[inline(always)]
    fn take_room(&mut self, plane: PlaneId, frontier: Frontier) -> Option<(u32, bool)> {
        let counts = u32::from(self.superblocks.is_none());
        let open = self.frontiers.get_mut(plane, frontier);
        match open.with_room() {
            Some(block) => {
                open.left -= counts;
                Some((block, false))
            }
            None => self.open_room(plane, frontier, counts),
        }
    }

    #[inline(never)]
    fn open_room(&mut self, plane: PlaneId, frontier: Frontier, counts: u32) -> Option<(u32, bool)> {
        if let Some(block) = self.room_in_open(plane, frontier) {
            return Some((block, false));
        }
        let block = self.may_open(plane, frontier).then(|| self.open_block(plane, frontier))?;
        self.frontiers.get_mut(plane, frontier).left -= counts;
        Some((block, true))
    }

    #[inline(always)]
    fn write_next(&mut self, plane: PlaneId, block: u32, lpa: u64, sectors: u64) -> u32 {
        let p = &mut self.planes[plane.index()];
        p.valid += 1;
        p.clock += 1;
        let b = &mut p.blocks[block as usize];
        let page = b.written;
        b.written += 1;
        b.valid += 1;
        b.changed = p.clock;
        self.contents.write(b, page, lpa, sectors);
        if b.written == self.pages_per_block {
            p.note_full(block, self.pages_per_block);
        }
        page
    }

    /// Nothing more is programmed into the flash page of `at`: the rest is padding.
    #[inline]
    pub fn end_flash_page(&mut self, at: Ppa) {
        if self.pages_per_flash_page > 1 {
            self.pad_flash_page(at);
        }
    }

    #[inline(never)]
    fn pad_flash_page(&mut self, at: Ppa) {
        let (step, pages) = (self.pages_per_flash_page, self.pages_in(at.plane, at.block));
        if self.is_cache_block_full(at.plane, at.block) {
            return;
        }
        let block = self.block_mut(at);
        let (written, end) = (block.written, block.written.next_multiple_of(step));
        debug_assert!(at.page / step == (end - 1) / step, "{at:?} is not in its block's last flash page");
        block.written = end;
        self.planes[at.plane.index()].note_full(at.block, self.pages_per_block);
        self.padding += u64::from(end - written);
        if end > written {
            self.note_short(at);
        }
        let is_filled = |open: &&mut Open| open.left > 0 && open.block == Some(at.block);
        if let Some(open) = self.frontiers.of_plane_mut(at.plane).iter_mut().find(is_filled) {
            open.left = pages - end;
        }
        self.note_cache_full(at.plane, at.block);
        if end == self.pages_per_block && self.superblocks.is_some() {
            self.close_full_superblocks(at.plane);
        }
    }

    pub fn write_beside(&mut self, at: Ppa, lpa: u64, sectors: u64) -> Option<Ppa> {
        let (block, step) = (self.block(at), self.pages_per_flash_page);
        let has_room = block.written / step == at.page / step;
        has_room.then(|| Ppa { page: self.write_next(at.plane, at.block, lpa, sectors), ..at })
    }

    pub fn padding(&self) -> u64 {
        self.padding
    }

    pub fn is_flash_page_valid(&self, at: Ppa) -> bool {
        let first = at.page / self.pages_per_flash_page * self.pages_per_flash_page;
        (first..first + self.pages_per_flash_page).all(|page| self.valid_lpa(Ppa { page, ..at }).is_some())
    }

    fn open_block(&mut self, plane: PlaneId, frontier: Frontier) -> u32 {
        let block = if let Frontier::Cached(_) = frontier { self.take_for_cache(plane) } else { self.take_free(plane) };
        self.frontiers.fill(plane, frontier, block, self.pages_in(plane, block));
        block
    }

    fn take_free(&mut self, plane: PlaneId) -> u32 {
        self.free -= 1;
        self.take_erased(plane)
    }

    fn take_erased(&mut self, plane: PlaneId) -> u32 {
        let block = if self.planes[plane.index()].unopened > 0 {
            while self.is_next_bad(plane) {
                let p = &mut self.planes[plane.index()];
                p.add(Block { bad: true, ..Block::default() });
                p.bad += 1;
                p.bad_unseen -= 1;
            }
            let p = &mut self.planes[plane.index()];
            p.unopened -= 1;
            p.add(Block::default());
            p.blocks.len() as u32 - 1
        } else {
            self.planes[plane.index()].erased.pop().expect("a frontier was opened without a free block").0.2
        };
        let p = &mut self.planes[plane.index()];
        p.blocks[block as usize].opened = p.clock;
        block
    }

    fn is_next_bad(&self, plane: PlaneId) -> bool {
        let p = &self.planes[plane.index()];
        let (block, unseen) = (p.blocks.len() as u32, self.blocks_per_plane - p.blocks.len() as u32);
        p.bad_unseen > 0 && self.bad.is_bad(plane, block, p.bad_unseen, unseen)
    }

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
        p.note_full(block, self.pages_per_block);
        self.frontiers.close(plane, block);
        true
    }

    pub fn is_bad(&self, plane: PlaneId, block: u32) -> bool {
        self.planes[plane.index()].blocks[block as usize].bad
    }

    pub fn count_bad(&self) -> u64 {
        self.planes.iter().map(|p| u64::from(p.bad + p.bad_unseen)).sum()
    }

    #[inline(always)]
    fn block_mut(&mut self, at: Ppa) -> &mut Block {
        &mut self.planes[at.plane.index()].blocks[at.block as usize]
    }

    #[inline(always)]
    fn block(&self, at: Ppa) -> &Block {
        &self.planes[at.plane.index()].blocks[at.block as usize]
    }

    #[inline(always)]
    pub fn sectors(&self, at: Ppa) -> u64 {
        self.contents.sectors(self.block(at), at.page)
    }

    #[inline]
    pub fn valid_lpa(&self, at: Ppa) -> Option<u64> {
        let block = self.block(at);
        if block.is_computed(at.page) { self.seeded_lpa(at) } else { self.contents.lpa(block, at.page) }
    }

    pub fn copies(&self, at: Ppa) -> u8 {
        let block = self.planes[at.plane.index()].blocks.get(at.block as usize);
        block.map_or(0, |block| self.contents.copies(block, at.page))
    }

    #[inline]
    pub fn set_copies(&mut self, at: Ppa, copies: u8) {
        let block = &mut self.planes[at.plane.index()].blocks[at.block as usize];
        self.contents.set_copies(block, at.page, copies);
    }

    /// Nothing more is written to the block, and it is not free.
    pub fn can_be_collected(&self, plane: PlaneId, block: u32) -> bool {
        if let Some(superblocks) = &self.superblocks {
            return self.superblock_can_be_collected(plane, block, superblocks);
        }
        let b = &self.planes[plane.index()].blocks[block as usize];
        let open = b.written < self.pages_per_block && self.frontiers.have(plane, block);
        b.written > 0 && b.programs_in_flight == 0 && !open
    }

    /// Not while pages or places in the block are promised.
    pub fn can_be_closed(&self, plane: PlaneId, block: u32) -> bool {
        let p = &self.planes[plane.index()];
        let b = &p.blocks[block as usize];
        let promised = p.promised > 0 && self.frontiers.get(plane, Frontier::Arrivals).block == Some(block);
        b.written > 0 && b.programs_in_flight == 0 && !promised && self.superblocks.is_none()
    }

    /// Nothing more is written to the block before it is erased.
    pub fn close(&mut self, plane: PlaneId, block: u32) {
        self.frontiers.close(plane, block);
    }

    pub fn holds_data(&self, plane: PlaneId, block: u32) -> bool {
        self.planes[plane.index()].blocks.get(block as usize).is_some_and(|b| b.valid > 0)
    }

    #[inline]
    pub fn invalidate(&mut self, at: Ppa) {
        debug_assert!(self.valid_lpa(at).is_some(), "invalidated twice: {at:?}");
        let plane = &mut self.planes[at.plane.index()];
        let block = &mut plane.blocks[at.block as usize];
        block.valid -= 1;
        block.changed = plane.clock;
        plane.valid -= 1;
        if plane.full[at.block as usize] != candidates::NOT_FULL {
            plane.full[at.block as usize] -= 1;
        }
        if block.is_computed(at.page) {
            self.contents.change_seed(block, at.page);
        } else {
            self.contents.invalidate(block, at.page);
        }
        if let Some(seeds) = &mut self.seeds {
            seeds.give_up(at);
        }
    }

    #[inline(always)]
    pub fn program_begins(&mut self, at: Ppa) {
        let plane = &mut self.planes[at.plane.index()];
        plane.programs += 1;
        let block = &mut plane.blocks[at.block as usize];
        block.programs_in_flight += 1;
        if block.written == self.pages_per_block {
            plane.note_full(at.block, self.pages_per_block);
        }
    }

    #[inline(always)]
    pub fn program_ends(&mut self, at: Ppa) {
        let plane = &mut self.planes[at.plane.index()];
        plane.programs -= 1;
        let block = &mut plane.blocks[at.block as usize];
        block.programs_in_flight -= 1;
        if block.written == self.pages_per_block {
            plane.note_full(at.block, self.pages_per_block);
        }
    }

    pub fn programs_in(&self, plane: PlaneId) -> u32 {
        self.planes[plane.index()].programs
    }

    /// The block must not be erased until the read ends.
    #[inline]
    pub fn read_begins(&mut self, at: Ppa) {
        self.block_mut(at).reads_in_flight += 1;
    }

    #[inline]
    pub fn read_ends(&mut self, at: Ppa) -> bool {
        let block = self.block_mut(at);
        block.reads_in_flight -= 1;
        block.reads_in_flight == 0
    }

    pub fn reads_in_flight(&self, at: Ppa) -> u32 {
        self.block(at).reads_in_flight
    }

    pub fn candidates(&self, plane: PlaneId) -> Candidates<'_> {
        let (planes, pages_per_block) = (&self.planes[self.group(plane)], self.pages_per_block);
        Candidates { planes, pages_per_block, step: self.pages_per_flash_page, parity_unit: self.parity_unit() }
    }

    pub fn valid_in(&self, plane: PlaneId) -> u64 {
        self.planes[plane.index()].valid
    }

    pub fn pages_lost_in(&self, plane: PlaneId) -> u64 {
        let bad = self.planes[plane.index()].bad - self.bad_in_cache(plane);
        u64::from(bad) * u64::from(self.pages_per_block)
    }

    /// Keeps a page for a copy from another plane. Returns whether there is room.
    pub fn promise_arrival(&mut self, plane: PlaneId) -> bool {
        let left = Some(self.frontiers.get(plane, Frontier::Arrivals).left).filter(|&left| left > 0);
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

    pub fn withdraw_arrival(&mut self, plane: PlaneId) {
        self.planes[plane.index()].promised -= 1;
    }

    #[inline]
    pub fn next_valid(&self, plane: PlaneId, block: u32, from: u32) -> Option<Ppa> {
        let b = &self.planes[plane.index()].blocks[block as usize];
        let at = |page| Ppa { plane, block, page };
        if b.is_computed(from)
            && let Some(seeded) = (from..b.seeded).map(at).find(|&at| self.seeded_lpa(at).is_some())
        {
            return Some(seeded);
        }
        let from = if b.is_computed(from) { b.seeded } else { from };
        self.contents.next_valid(b, from).map(at)
    }

    /// The block is free again, unless it is bad or has had `endurance` erases (0: no limit).
    pub fn erase(&mut self, plane: PlaneId, block: u32, endurance: u32) {
        if self.superblocks.is_some() {
            return self.erase_superblock(plane, block, endurance);
        }
        self.frontiers.close(plane, block);
        self.empty(plane, block);
        if self.planes[plane.index()].blocks[block as usize].mode != Mode::Native {
            return self.erase_in_cache(plane, block, endurance);
        }
        let p = &mut self.planes[plane.index()];
        let b = &mut p.blocks[block as usize];
        if b.bad {
            return;
        }
        b.erases += 1;
        p.erasures += 1;
        p.most_erases = p.most_erases.max(b.erases);
        if self.is_worn_out(plane, block, endurance) {
            self.give_up(plane, block);
        } else {
            self.set_free_alone(plane, block);
        }
    }

    fn give_up(&mut self, plane: PlaneId, block: u32) {
        let p = &mut self.planes[plane.index()];
        p.blocks[block as usize].bad = true;
        p.bad += 1;
    }

    fn set_free_alone(&mut self, plane: PlaneId, block: u32) {
        let p = &mut self.planes[plane.index()];
        let wear = if self.by_wear { p.blocks[block as usize].erases } else { 0 };
        p.erased.push(Reverse((wear, p.erasures, block)));
        self.free += 1;
    }

    /// The full block with the fewest erases, if another was erased `difference` times more.
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

    /// [`Blocks::note_stall`] and [`Blocks::stall_clock`].
    #[inline(always)]
    pub fn note_stall_clock(&mut self, plane: PlaneId, frontier: Frontier, now: Time) -> (bool, Time) {
        let open = self.frontiers.get(plane, frontier);
        match open.has_gone_on() {
            true => (true, open.stalled),
            false => (self.note_change_of_stall(plane, frontier, now), self.stall_clock(plane, frontier, now)),
        }
    }

    /// Notes and returns whether the plane has a page for the frontier, for [`Blocks::stall_clock`].
    #[inline]
    pub fn note_stall(&mut self, plane: PlaneId, frontier: Frontier, now: Time) -> bool {
        self.frontiers.get(plane, frontier).has_gone_on() || self.note_change_of_stall(plane, frontier, now)
    }

    #[inline(never)]
    fn note_change_of_stall(&mut self, plane: PlaneId, frontier: Frontier, now: Time) -> bool {
        let room = self.has_page(plane, frontier);
        self.frontiers.note_stall(plane, frontier, room, now);
        room
    }

    pub fn note_stalls(&mut self, plane: PlaneId, now: Time) {
        self.note_stall(plane, Frontier::Translation(0), now);
        for frontier in self.frontiers.of_host() {
            self.note_stall(plane, frontier, now);
        }
    }

    /// Time until `now` during which the frontier had no page to give.
    #[inline(always)]
    pub fn stall_clock(&self, plane: PlaneId, frontier: Frontier, now: Time) -> Time {
        self.frontiers.stall_clock(plane, frontier, now)
    }

    /// The run begins: nobody waits, and stalls and padding count from zero.
    pub fn begin_anew(&mut self) {
        self.padding = 0;
        self.superblocks.iter_mut().for_each(|superblocks| superblocks.count_anew());
        self.count_stripes_anew();
        self.frontiers.reset_stalls();
    }

    fn empty(&mut self, plane: PlaneId, block: u32) {
        let b = &mut self.planes[plane.index()].blocks[block as usize];
        assert!(b.valid == 0 && b.reads_in_flight == 0 && b.programs_in_flight == 0, "erased a block in use");
        self.contents.erase(b);
        self.planes[plane.index()].note_full(block, self.pages_per_block);
    }
}
