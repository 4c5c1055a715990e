//! Superblocks: the blocks of one number in all planes of a group, opened, filled, collected and erased together.
//!
//! A write first gets its *place*, the next in the stripe: page p of the first plane, of the second, …, then the page
//! after it. Its page follows when its command is formed.
//!
//! [`super::gathering`] joins mapping units to flash pages, and planes of a die to one program.
//!
//! Bad blocks are left out. Blocks that fail in use are *doomed*: they stay until the superblock is erased. Free
//! superblocks are counted in pages.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::Line;
use super::gathering::{Gathering, Together};
use super::parity::{Stripes, holds_parity};
use super::{Block, Blocks, Frontier, Frontiers, Plane};
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::precondition::Seeds;

pub(super) struct Stripe {
    /// In the order of opening.
    pub(super) open: VecDeque<u32>,
    /// The superblock opened last, and its next place: a flash page, and a plane of the group.
    pub(super) current: u32,
    page: u32,
    /// Counted from its first plane.
    turn: u32,
    first: u32,
    planes: u32,
}

impl Stripe {
    /// The plane of the group that has the next place.
    pub(super) fn plane(&self) -> u32 {
        (self.first + self.turn) % self.planes
    }

    fn turn_of(&self, plane: u32) -> u32 {
        (plane + self.planes - self.first) % self.planes
    }

    fn advance(&mut self) {
        self.turn += 1;
        if self.turn == self.planes {
            (self.page, self.turn) = (self.page + 1, 0);
        }
    }

    pub(super) fn will_give(&self, flash_page: Option<(u32, u32)>, plane: u32) -> bool {
        flash_page
            .is_some_and(|(block, page)| block == self.current && (self.page, self.turn) <= (page, self.turn_of(plane)))
    }

    /// Gives no more places once the superblock is full, because it may soon be erased.
    fn close_unless_open(&mut self, flash_pages: u32) {
        if !self.open.contains(&self.current) {
            self.page = flash_pages;
        }
    }
}

pub(super) struct Superblocks {
    planes: u32,
    stripes: Vec<Stripe>,
    frontiers: usize,
    streams: u16,
    /// Pages of each group's free superblocks that were opened before.
    erased_pages: Vec<u64>,
    freed: u64,
    waiting: Vec<u32>,
    pub(super) gathering: Gathering,
    pub(super) stripes_of_parity: Stripes,
    /// By group and number; empty where that does not matter.
    owners: Vec<u16>,
    /// Whether superblocks have pages without data, where streams are kept.
    short: Vec<bool>,
    /// By stream: superblocks opened, and of them superblocks with pages without data.
    opened: Vec<(u64, u64)>,
    apart: bool,
    /// Open superblocks that the host has left.
    left: Vec<Left>,
}

const SHARED: u16 = u16::MAX;

/// Parts of 2^32 by which first dies follow each other: evenly spread, however many there are.
pub const GOLDEN_RATIO: u64 = 0x9E37_79B9;

/// Group and number of a superblock, and the pages of each of its blocks up to which it is filled.
type Left = (usize, u32, Vec<u32>);

impl Superblocks {
    pub(super) fn count_anew(&mut self) {
        self.opened.fill((0, 0));
    }

    fn group(&self, plane: PlaneId) -> usize {
        plane.index() / self.planes as usize
    }

    pub(super) fn planes(&self, plane: PlaneId) -> Range<usize> {
        let first = self.group(plane) * self.planes as usize;
        first..first + self.planes as usize
    }

    pub(super) fn stripe(&self, plane: PlaneId, frontier: Frontier) -> &Stripe {
        &self.stripes[self.group(plane) * self.frontiers + frontier.index(self.streams)]
    }

    /// The page at which a block of an open superblock ends, which may have been left before its last one.
    fn end_of(&self, plane: PlaneId, block: u32, pages: u32) -> u32 {
        let (group, place) = (self.group(plane), plane.index() - self.planes(plane).start);
        let left = self.left.iter().find(|(of, left, _)| (*of, *left) == (group, block));
        left.map_or(pages, |(.., ends)| ends[place])
    }

    fn stripe_mut(&mut self, plane: PlaneId, frontier: Frontier) -> &mut Stripe {
        let place = self.group(plane) * self.frontiers + frontier.index(self.streams);
        &mut self.stripes[place]
    }

    pub(super) fn is_open(&self, plane: PlaneId, block: u32) -> bool {
        let first = self.group(plane) * self.frontiers;
        self.stripes[first..first + self.frontiers].iter().any(|stripe| stripe.open.contains(&block))
    }
}

fn takes_data(planes: &[Plane], parity_unit: usize, place: usize, block: u32) -> bool {
    !planes[place].blocks[block as usize].bad && !holds_parity(planes, parity_unit, place, block)
}

impl Blocks {
    /// The same fresh drive with superblocks over `planes` planes, and parity over units of `parity_unit` (0: none).
    pub fn in_superblocks(mut self, planes: u32, parity_unit: u32, together: Together, owned: Option<bool>) -> Blocks {
        let apart = owned == Some(true);
        if apart {
            self.frontiers = Frontiers::new(self.planes.len() as u32, self.frontiers.streams(), false, true);
        }
        let frontiers = self.frontiers.per_plane();
        let groups = self.planes.len() / planes as usize;
        let owned_blocks = if owned.is_some() { groups * self.blocks_per_plane as usize } else { 0 };
        let firsts = self.first_planes(planes, owned.map_or(1, |_| self.frontiers.streams()), together);
        let page = self.flash_pages_per_block();
        let stripe = |first| Stripe { open: VecDeque::new(), current: 0, page, turn: 0, first, planes };
        let stripes = (0..groups * frontiers).map(|place| stripe(firsts[place % frontiers])).collect();
        let gathering = Gathering::new(self.planes.len(), frontiers, self.frontiers.streams(), together);
        self.superblocks = Some(Box::new(Superblocks {
            planes,
            stripes,
            frontiers,
            streams: self.frontiers.streams(),
            erased_pages: vec![0; groups],
            freed: 0,
            waiting: vec![0; groups],
            gathering,
            stripes_of_parity: Stripes::new(parity_unit),
            owners: vec![SHARED; owned_blocks],
            short: vec![false; owned_blocks],
            opened: vec![(0, 0); usize::from(self.frontiers.streams())],
            apart,
            left: Vec::new(),
        }));
        if self.bad.factory > 0.0 {
            self.look_at_all();
        }
        self
    }

    /// The plane of a group in which each frontier begins superblocks. Streams begin on different dies: those that are
    /// written at the same rate would else wait for one die at a time.
    fn first_planes(&self, planes: u32, streams: u16, together: Together) -> Vec<u32> {
        let mut firsts = vec![0; self.frontiers.per_plane()];
        let dies = u64::from(planes / together.planes());
        for stream in 0..streams {
            let turn = u64::from(stream).wrapping_mul(GOLDEN_RATIO) & u64::from(u32::MAX);
            firsts[Frontier::User(stream).index(streams)] = ((turn * dies) >> 32) as u32 * together.planes();
        }
        firsts
    }

    /// Which superblocks of seeded groups are free, and up to where others are filled.
    pub(super) fn seed_superblocks(&mut self, seeds: &Seeds) {
        for leader in self.leaders() {
            let (contents, kind) = seeds.plane(leader);
            for (&frontier, block) in kind.frontiers.iter().zip(contents.open()) {
                let (group, unit) = (self.group(leader), self.parity_unit());
                let planes = &self.planes[group];
                let of_data: Vec<usize> =
                    (0..planes.len()).filter(|&place| takes_data(planes, unit, place, block)).collect();
                let written = |&place: &usize| planes[place].blocks[block as usize].written / self.pages_per_flash_page;
                let (given, count): (u32, _) = (of_data.iter().map(written).sum(), of_data.len() as u32);
                let next = of_data.get((given % count.max(1)) as usize).map_or(0, |&place| place as u32);
                if let Some(superblocks) = &mut self.superblocks {
                    let stripe = superblocks.stripe_mut(leader, frontier);
                    stripe.open.push_back(block);
                    (stripe.current, stripe.page, stripe.turn) = (block, given / count.max(1), next);
                }
                self.seed_stripes(leader, block);
            }
            for plane in self.planes_of_group(leader) {
                self.planes[plane.index()].erased.clear();
                self.frontiers.release(plane);
            }
            contents.free().for_each(|block| self.set_free(leader, block, 0));
        }
    }

    fn leaders(&self) -> Vec<PlaneId> {
        let planes = (0..self.planes.len() as u32).map(PlaneId);
        planes.filter(|&plane| self.leader(plane) == plane).collect()
    }

    /// The size of a superblock must be known before it is opened.
    fn look_at_all(&mut self) {
        for plane in (0..self.planes.len() as u32).map(PlaneId) {
            for _ in 0..self.blocks_per_plane {
                let bad = self.is_next_bad(plane);
                let p = &mut self.planes[plane.index()];
                p.add(Block { bad, ..Block::default() });
                p.bad += u32::from(bad);
                p.bad_unseen -= u32::from(bad);
            }
            self.planes[plane.index()].unopened = 0;
        }
        for plane in self.leaders() {
            (0..self.blocks_per_plane).for_each(|block| self.set_free(plane, block, 0));
        }
    }

    #[inline]
    pub fn has_superblocks(&self) -> bool {
        self.superblocks.is_some()
    }

    pub fn may_share(&self, line: Line, other: Line) -> bool {
        line == other || self.superblocks.is_none()
    }

    /// None without superblocks.
    pub fn superblocks_freed(&self) -> Option<u64> {
        self.superblocks.as_ref().map(|superblocks| superblocks.freed)
    }

    pub fn is_one_group(&self) -> bool {
        self.superblocks.as_ref().is_some_and(|superblocks| superblocks.erased_pages.len() == 1)
    }

    pub fn planes_of_group(&self, plane: PlaneId) -> impl Iterator<Item = PlaneId> + use<> {
        self.group(plane).map(|plane| PlaneId(plane as u32))
    }

    pub(super) fn group(&self, plane: PlaneId) -> Range<usize> {
        self.superblocks.as_ref().map_or(plane.index()..plane.index() + 1, |s| s.planes(plane))
    }

    pub(super) fn leader(&self, plane: PlaneId) -> PlaneId {
        PlaneId(self.group(plane).start as u32)
    }

    fn flash_pages_per_block(&self) -> u32 {
        self.pages_per_block / self.pages_per_flash_page
    }

    fn size(&self, plane: PlaneId) -> u64 {
        (self.group(plane).len() - self.parity_unit()) as u64 * u64::from(self.pages_per_block)
    }

    fn capacity(&self, plane: PlaneId, block: u32) -> u64 {
        let (unit, planes) = (self.parity_unit(), &self.planes[self.group(plane)]);
        let for_data = |place: &usize| takes_data(planes, unit, *place, block);
        (0..planes.len()).filter(for_data).count() as u64 * u64::from(self.pages_per_block)
    }

    fn free_pages(&self, plane: PlaneId, superblocks: &Superblocks) -> u64 {
        let unopened = u64::from(self.planes[self.leader(plane).index()].unopened);
        unopened * self.size(plane) + superblocks.erased_pages[superblocks.group(plane)]
    }

    pub(super) fn free_superblocks(&self, plane: PlaneId, superblocks: &Superblocks) -> u32 {
        (self.free_pages(plane, superblocks) / self.size(plane)) as u32
    }

    pub(super) fn free_blocks(&self, plane: PlaneId) -> u32 {
        let Some(superblocks) = &self.superblocks else { return self.free(plane) + self.free_for_cache(plane) };
        let blocks = (0..).zip(&self.planes[plane.index()].blocks);
        let free = blocks.filter(|(n, b)| !b.bad && b.written == 0 && !superblocks.is_open(plane, *n)).count();
        self.planes[plane.index()].unopened + free as u32
    }

    pub(super) fn is_open(&self, plane: PlaneId, block: u32) -> bool {
        match &self.superblocks {
            None => self.frontiers.have(plane, block),
            Some(superblocks) => superblocks.is_open(plane, block),
        }
    }

    pub(super) fn room_in_stripe(&self, plane: PlaneId, frontier: Frontier) -> Option<u32> {
        let superblocks = self.superblocks.as_ref()?;
        let mut open = superblocks.stripe(plane, frontier).open.iter().copied();
        open.find(|&block| self.room_in(plane, block) > 0 && !self.is_parity(plane, block))
    }

    pub(super) fn room_in(&self, plane: PlaneId, block: u32) -> u32 {
        let b = &self.planes[plane.index()].blocks[block as usize];
        let end =
            self.superblocks.as_ref().map_or(self.pages_per_block, |s| s.end_of(plane, block, self.pages_per_block));
        if b.bad { 0 } else { end.saturating_sub(b.written) }
    }

    /// A stream leaves the superblocks that it has begun in groups of planes. Places that were given are still filled.
    pub fn leave_superblocks(&mut self, planes: &[PlaneId], frontier: Frontier) {
        for &plane in planes.iter().filter(|&&plane| self.leader(plane) == plane).collect::<Vec<_>>() {
            if self.places_left(plane, frontier) == 0 {
                continue;
            }
            let given: Vec<u32> = self.group(plane).map(|at| self.pages_given(PlaneId(at as u32), frontier)).collect();
            let is_begun = given.iter().any(|&pages| pages > 0);
            let flash_pages = self.flash_pages_per_block();
            let Some(superblocks) = self.superblocks.as_mut().filter(|_| is_begun) else { continue };
            let group = superblocks.group(plane);
            let stripe = superblocks.stripe_mut(plane, frontier);
            (stripe.page, stripe.turn) = (flash_pages, 0);
            let block = stripe.current;
            superblocks.left.push((group, block, given));
            self.note_short(Ppa { plane, block, page: 0 });
            self.close_full_superblocks(plane);
        }
    }

    /// Pages of a frontier's current superblock in a plane of which the place is given.
    fn pages_given(&self, plane: PlaneId, frontier: Frontier) -> u32 {
        let Some(superblocks) = &self.superblocks else { return 0 };
        let stripe = superblocks.stripe(plane, frontier);
        let passed = stripe.turn_of((plane.index() - self.group(plane).start) as u32) < stripe.turn;
        let given =
            if self.gathers() { self.flash_pages_given(plane, frontier) } else { stripe.page + u32::from(passed) };
        given.min(self.flash_pages_per_block()) * self.pages_per_flash_page
    }

    /// Gives a write its plane, and whether a free superblock was opened. None if there is no room.
    pub fn take_place(&mut self, plane: PlaneId, line: Line, alone: bool) -> Option<(PlaneId, bool)> {
        if let Some(to) = self.next_place(plane, line, alone) {
            return Some((to, false));
        }
        if !self.may_open_superblock(plane, line.frontier) {
            return None;
        }
        self.open_superblock(plane, line.frontier);
        self.next_place(plane, line, alone).map(|to| (to, true))
    }

    pub fn has_place(&self, plane: PlaneId, frontier: Frontier) -> bool {
        self.places_left(plane, frontier) > 0 || self.may_open_superblock(plane, frontier)
    }

    /// Whether the next place shares a row of `planes` planes with places that were given.
    pub fn is_within_row(&self, plane: PlaneId, line: Line, planes: u32) -> bool {
        let Some(superblocks) = &self.superblocks else { return false };
        let stripe = superblocks.stripe(plane, line.frontier);
        let to = PlaneId(self.group(plane).start as u32 + stripe.plane());
        if stripe.page == self.flash_pages_per_block() {
            false
        } else if self.gathers() && self.flash_pages_given(to, line.frontier) > stripe.page {
            self.has_room_beside(to, line) || (stripe.turn + 1) % planes != 0
        } else {
            stripe.turn % planes != 0
        }
    }

    fn next_place(&mut self, plane: PlaneId, line: Line, alone: bool) -> Option<PlaneId> {
        if self.gathers() {
            return self.next_place_of_unit(plane, line, alone);
        }
        let (group, pages, unit) = (self.group(plane), self.pages_per_block, self.parity_unit());
        let stripe = self.superblocks.as_mut()?.stripe_mut(plane, line.frontier);
        while stripe.page < pages {
            let place = stripe.plane() as usize;
            stripe.advance();
            if takes_data(&self.planes[group.clone()], unit, place, stripe.current) {
                let to = PlaneId((group.start + place) as u32);
                self.note_placed(to, line);
                self.count_waiting(plane, 1);
                return Some(to);
            }
        }
        None
    }

    /// Where a flash page holds several units, the place moves on once the flash page is full or programmed.
    fn next_place_of_unit(&mut self, plane: PlaneId, line: Line, alone: bool) -> Option<PlaneId> {
        let (group, flash_pages, unit) = (self.group(plane), self.flash_pages_per_block(), self.parity_unit());
        loop {
            let stripe = self.superblocks.as_ref()?.stripe(plane, line.frontier);
            let (page, place, block) = (stripe.page, stripe.plane() as usize, stripe.current);
            if page == flash_pages {
                return None;
            }
            let to = PlaneId((group.start + place) as u32);
            let has_room =
                || !alone && self.has_room_beside(to, line) || self.flash_pages_given(to, line.frontier) <= page;
            if takes_data(&self.planes[group.clone()], unit, place, block) && has_room() {
                self.note_placed(to, line);
                self.count_waiting(plane, 1);
                return Some(to);
            }
            self.superblocks.as_mut()?.stripe_mut(plane, line.frontier).advance();
        }
    }

    pub(super) fn places_left(&self, plane: PlaneId, frontier: Frontier) -> u64 {
        let Some(superblocks) = &self.superblocks else { return 0 };
        let stripe = superblocks.stripe(plane, frontier);
        if stripe.page == self.flash_pages_per_block() {
            return 0;
        }
        let left = u64::from(self.flash_pages_per_block() - stripe.page);
        let (unit, group) = (self.parity_unit(), self.group(plane));
        let next = PlaneId(group.start as u32 + stripe.plane());
        // A flash page that is given and has room is not counted.
        let begun = self.gathers() && self.flash_pages_given(next, frontier) > stripe.page;
        let passed = stripe.turn + u32::from(begun);
        let planes = &self.planes[group];
        let of_plane = |place: usize| match takes_data(planes, unit, place, stripe.current) {
            true => left - u64::from(stripe.turn_of(place as u32) < passed),
            false => 0,
        };
        (0..planes.len()).map(of_plane).sum::<u64>() * u64::from(self.pages_per_flash_page)
    }

    fn may_open_superblock(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let leader = self.leader(plane);
        let leader = &self.planes[leader.index()];
        let any = leader.unopened > 0 || !leader.erased.is_empty();
        any && (frontier.is_of_collection() || self.free(plane) > self.reserved)
    }

    fn open_superblock(&mut self, plane: PlaneId, frontier: Frontier) {
        let (group, leader) = (self.group(plane), self.leader(plane));
        let block = if self.planes[leader.index()].unopened > 0 {
            let untouched = self.planes[leader.index()].blocks.len() as u32;
            for p in &mut self.planes[group.clone()] {
                p.unopened -= 1;
                p.add(Block::default());
            }
            untouched
        } else {
            let Reverse((.., block)) = self.planes[leader.index()].erased.pop().expect("there is a free superblock");
            let pages = self.capacity(plane, block);
            if let Some(superblocks) = &mut self.superblocks {
                let group = superblocks.group(plane);
                superblocks.erased_pages[group] -= pages;
            }
            block
        };
        let clock = self.planes[group.clone()].iter().map(|p| p.clock).sum();
        for p in &mut self.planes[group] {
            p.blocks[block as usize].opened = clock;
        }
        if let Some(superblocks) = &mut self.superblocks {
            let stripe = superblocks.stripe_mut(plane, frontier);
            stripe.open.push_back(block);
            (stripe.current, stripe.page, stripe.turn) = (block, 0, 0);
            let place = superblocks.group(plane) * self.blocks_per_plane as usize + block as usize;
            if let Some(owner) = superblocks.owners.get_mut(place) {
                *owner = match frontier {
                    Frontier::User(stream) | Frontier::GcOf(stream) => stream,
                    _ => SHARED,
                };
                superblocks.short[place] = false;
                if let Frontier::User(stream) = frontier {
                    superblocks.opened[usize::from(stream)].0 += 1;
                }
            }
        }
    }

    pub fn owner(&self, plane: PlaneId, block: u32) -> Option<u16> {
        let superblocks = self.superblocks.as_ref()?;
        let place = superblocks.group(plane) * self.blocks_per_plane as usize + block as usize;
        superblocks.owners.get(place).copied().filter(|&owner| owner != SHARED)
    }

    pub(super) fn note_short(&mut self, at: Ppa) {
        let Some(superblocks) = &mut self.superblocks else { return };
        let place = superblocks.group(at.plane) * self.blocks_per_plane as usize + at.block as usize;
        let Some(&owner) = superblocks.owners.get(place).filter(|&&owner| owner != SHARED) else { return };
        if !std::mem::replace(&mut superblocks.short[place], true) {
            superblocks.opened[usize::from(owner)].1 += 1;
        }
    }

    /// Superblocks that a stream opened, of them superblocks with pages without data, and pages left in the open ones.
    pub fn opened_by(&self, stream: u16) -> (u64, u64, u64) {
        let (opened, short) = self.superblocks.as_ref().map_or((0, 0), |s| s.opened[usize::from(stream)]);
        let left = self.leaders().into_iter().map(|plane| self.places_left(plane, Frontier::User(stream))).sum();
        (opened, short, left)
    }

    #[inline]
    pub fn frontier_of_copies(&self, plane: PlaneId, block: u32) -> Frontier {
        match &self.superblocks {
            Some(superblocks) if superblocks.apart => self.owner(plane, block).map_or(Frontier::Gc, Frontier::GcOf),
            _ => Frontier::Gc,
        }
    }

    pub fn streams_apart(&self) -> u16 {
        let apart = self.superblocks.as_ref().is_some_and(|superblocks| superblocks.apart);
        if apart { self.frontiers.streams() } else { 0 }
    }

    fn count_waiting(&mut self, plane: PlaneId, more: i32) {
        if let Some(superblocks) = &mut self.superblocks {
            let group = superblocks.group(plane);
            let waiting = superblocks.waiting[group].checked_add_signed(more);
            superblocks.waiting[group] = waiting.expect("a page was taken without a place");
        }
    }

    pub(super) fn page_is_taken(&mut self, at: Ppa) {
        self.count_waiting(at.plane, -1);
        self.note_begun(at);
        if at.page + 1 == self.pages_per_block || self.superblocks.as_ref().is_some_and(|s| !s.left.is_empty()) {
            self.close_full_superblocks(at.plane);
        }
    }

    pub(super) fn close_full_superblocks(&mut self, plane: PlaneId) {
        let group = self.group(plane);
        let (planes, pages) = (&self.planes[group.clone()], self.pages_per_block);
        let flash_pages = self.flash_pages_per_block();
        let Some(superblocks) = &mut self.superblocks else { return };
        let (left, number) = (std::mem::take(&mut superblocks.left), superblocks.group(plane));
        let has_room = |&block: &u32| {
            let ends = left.iter().find(|(group, left, _)| (*group, *left) == (number, block));
            let mut blocks = planes.iter().map(|p| &p.blocks[block as usize]).enumerate();
            blocks.any(|(place, b)| !b.bad && b.written < ends.map_or(pages, |(.., ends)| ends[place]))
        };
        let first = number * superblocks.frontiers;
        for stripe in &mut superblocks.stripes[first..first + superblocks.frontiers] {
            stripe.open.retain(has_room);
            stripe.close_unless_open(flash_pages);
        }
        let still_fills = |left: &Left| left.0 != number || superblocks.is_open(plane, left.1);
        let (open, closed): (Vec<Left>, Vec<Left>) = left.into_iter().partition(still_fills);
        superblocks.left = open;
        for (_, block, _) in closed {
            // What is left of it is spent.
            for p in &mut self.planes[group.clone()] {
                p.blocks[block as usize].written = pages;
                p.note_full(block, pages);
            }
        }
    }

    /// As [`Blocks::retire`], once the superblock is erased.
    pub(super) fn doom(&mut self, plane: PlaneId, block: u32, keep_free: u32) -> bool {
        let spare = self.free(plane) >= keep_free;
        let p = &mut self.planes[plane.index()];
        let b = &mut p.blocks[block as usize];
        if !b.doomed {
            b.doomed = spare && p.bad + p.doomed < self.bad.most;
            p.doomed += u32::from(b.doomed);
        }
        b.doomed && spare
    }

    pub fn is_used_again(&self, plane: PlaneId, block: u32) -> bool {
        let b = &self.planes[plane.index()].blocks[block as usize];
        !b.bad && !b.doomed
    }

    pub(super) fn erase_superblock(&mut self, plane: PlaneId, block: u32, endurance: u32) {
        let group = self.group(plane);
        self.forget_void(plane, block);
        for plane in self.planes_of_group(plane) {
            self.empty(plane, block);
            let p = &mut self.planes[plane.index()];
            let b = &mut p.blocks[block as usize];
            if b.bad {
                continue;
            }
            let worn_out = !b.doomed && {
                b.erases += 1;
                p.most_erases = p.most_erases.max(b.erases);
                endurance > 0 && b.erases >= endurance
            };
            p.doomed -= u32::from(b.doomed);
            b.bad = b.doomed || worn_out;
            b.doomed = false;
            p.bad += u32::from(b.bad);
        }
        let erases = self.planes[group].iter().map(|p| p.blocks[block as usize].erases).max().unwrap_or(0);
        self.set_free(self.leader(plane), block, if self.by_wear { erases } else { 0 });
    }

    pub(super) fn open_all(&mut self, leader: PlaneId) {
        let untouched = self.planes[leader.index()].blocks.len() as u32;
        let group = self.group(leader);
        for p in &mut self.planes[group] {
            (untouched..self.blocks_per_plane).for_each(|_| p.add(Block::default()));
            p.unopened = 0;
        }
        (untouched..self.blocks_per_plane).for_each(|block| self.set_free(leader, block, 0));
    }

    pub(super) fn count_erased_pages(&mut self, leader: PlaneId, free: &BTreeSet<u32>) {
        let pages = free.iter().map(|&block| self.capacity(leader, block)).sum();
        if let Some(superblocks) = &mut self.superblocks {
            let group = superblocks.group(leader);
            superblocks.erased_pages[group] = pages;
        }
    }

    fn set_free(&mut self, leader: PlaneId, block: u32, wear: u32) {
        let pages = self.capacity(leader, block);
        if pages == 0 {
            return;
        }
        if let Some(superblocks) = &mut self.superblocks {
            let group = superblocks.group(leader);
            superblocks.erased_pages[group] += pages;
            superblocks.freed += 1;
        }
        let p = &mut self.planes[leader.index()];
        p.erasures += 1;
        p.erased.push(Reverse((wear, p.erasures, block)));
    }

    /// Whether all valid pages fit elsewhere, whatever the host does meanwhile.
    pub fn copies_fit(&self, plane: PlaneId, block: u32) -> bool {
        let Some(superblocks) = &self.superblocks else { return true };
        let kept = u64::from(self.reserved) * self.size(plane);
        let room = self.places_left(plane, self.frontier_of_copies(plane, block))
            + self.free_pages(plane, superblocks).min(kept);
        let copies = self.candidates(plane).to_copy(block).next_multiple_of(self.pages_per_flash_page);
        u64::from(copies) <= room
    }

    #[inline]
    pub fn next_to_copy(&self, plane: PlaneId, block: u32, from: u32) -> Option<(Ppa, u32)> {
        if self.superblocks.is_none() {
            return self.next_valid(plane, block, from).map(|at| (at, at.page + 1));
        }
        let group = self.group(plane);
        let (planes, units) = (group.len() as u32, self.pages_per_flash_page);
        let at = |place: u32| {
            let (flash_page, unit) = (place / units, place % units);
            let plane = PlaneId(group.start as u32 + flash_page % planes);
            Ppa { plane, block, page: flash_page / planes * units + unit }
        };
        let mut places = from..planes * self.pages_per_block;
        places.find(|&place| self.valid_lpa(at(place)).is_some()).map(|place| (at(place), place + 1))
    }

    pub fn is_read(&self, plane: PlaneId, block: u32) -> bool {
        self.planes[self.group(plane)].iter().any(|p| p.blocks[block as usize].reads_in_flight > 0)
    }

    pub(super) fn superblock_can_be_collected(&self, plane: PlaneId, block: u32, superblocks: &Superblocks) -> bool {
        let blocks = || self.planes[self.group(plane)].iter().map(|p| &p.blocks[block as usize]);
        let is_used = blocks().any(|b| b.written > 0);
        is_used && blocks().all(|b| b.programs_in_flight == 0) && !superblocks.is_open(plane, block)
    }

    pub fn group_is_written(&self, plane: PlaneId) -> bool {
        let waits = self.superblocks.as_ref().is_some_and(|s| s.waiting[s.group(plane)] > 0);
        waits || self.planes[self.group(plane)].iter().any(|p| p.programs > 0)
    }
}
