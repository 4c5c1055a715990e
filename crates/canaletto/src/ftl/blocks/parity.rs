//! Parity within superblocks: where it lies, when it is due, and its memory.
//!
//! Planes that are lost together are a *unit* ([`crate::config::design::Parity`]). Planes of one place in their units
//! are a *column*, and pages of one number in a column's blocks a stripe. One block of a column holds its parity: in
//! unit `units - 1 - block % units`, or the next good one.
//!
//! A stripe is complete once its other pages are programmed. Until then the controller keeps the exclusive or: a flash
//! page per stripe that has begun.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{Block, Blocks, Frontier, Line, Plane};
use crate::flash::address::{PlaneId, Ppa};

#[derive(Default)]
pub(super) struct Stripes {
    /// 0 without parity.
    pub(super) unit: usize,
    /// Their parity is not programmed; and the most at any time.
    begun: u32,
    most_begun: u32,
    /// They hold nothing, and parity leaves them out.
    void: BTreeSet<u64>,
    in_flight: BTreeSet<u64>,
}

impl Stripes {
    pub(super) fn new(unit: u32) -> Stripes {
        Stripes { unit: unit as usize, ..Stripes::default() }
    }
}

/// None if the column has fewer than two good blocks.
fn parity_place(planes: &[Plane], unit: usize, column: usize, block: u32) -> Option<usize> {
    let units = planes.len() / unit;
    let first = units - 1 - block as usize % units;
    let places = (0..units).map(|further| (first + further) % units * unit + column);
    let mut good = places.filter(|&place| !planes[place].blocks[block as usize].bad);
    let parity = good.next()?;
    good.next().map(|_| parity)
}

pub(super) fn holds_parity(planes: &[Plane], unit: usize, place: usize, block: u32) -> bool {
    unit > 0 && parity_place(planes, unit, place % unit, block) == Some(place)
}

impl Blocks {
    /// 0 without parity.
    pub(super) fn parity_unit(&self) -> usize {
        self.superblocks.as_ref().map_or(0, |superblocks| superblocks.stripes_of_parity.unit)
    }

    #[inline(always)]
    pub fn has_parity(&self) -> bool {
        self.parity_unit() > 0
    }

    pub(super) fn is_parity(&self, plane: PlaneId, block: u32) -> bool {
        let group = self.group(plane);
        let place = plane.index() - group.start;
        holds_parity(&self.planes[group], self.parity_unit(), place, block)
    }

    fn stripe_of(&self, at: Ppa) -> Option<(PlaneId, impl Iterator<Item = (PlaneId, &Block)>)> {
        let (unit, group) = (self.parity_unit(), self.group(at.plane));
        let (planes, column) = (&self.planes[group.clone()], (at.plane.index() - group.start) % unit.max(1));
        let parity = if unit > 0 { parity_place(planes, unit, column, at.block)? } else { return None };
        let places = (column..planes.len()).step_by(unit).filter(move |&place| place != parity);
        let blocks = places.map(move |place| (place, &planes[place].blocks[at.block as usize]));
        let id = move |place: usize| PlaneId((group.start + place) as u32);
        let good = blocks.filter(|(_, block)| !block.bad);
        let parity = PlaneId((self.group(at.plane).start + parity) as u32);
        Some((parity, good.map(move |(place, block)| (id(place), block))))
    }

    fn flash_page_of(&self, at: Ppa) -> Ppa {
        Ppa { page: at.page / self.pages_per_flash_page * self.pages_per_flash_page, ..at }
    }

    pub(super) fn seed_stripes(&mut self, leader: PlaneId, block: u32) {
        let (unit, group) = (self.parity_unit(), self.group(leader));
        let planes = &self.planes[group];
        let written = |place: usize| planes[place].blocks[block as usize].written / self.pages_per_flash_page;
        let begun = |column: usize| {
            let parity = parity_place(planes, unit, column, block)?;
            let data = (column..planes.len()).step_by(unit).filter(|&place| place != parity);
            data.map(written).max().map(|furthest| furthest - written(parity))
        };
        let begun: u32 = (0..unit).filter_map(begun).sum();
        if let Some(superblocks) = &mut self.superblocks {
            superblocks.stripes_of_parity.begun += begun;
        }
    }

    pub(super) fn note_begun(&mut self, at: Ppa) {
        if self.flash_page_of(at) != at {
            return;
        }
        let Some((_, mut others)) = self.stripe_of(at) else { return };
        let is_first = others.all(|(plane, block)| plane == at.plane || block.written <= at.page);
        drop(others);
        if let Some(superblocks) = self.superblocks.as_mut().filter(|_| is_first) {
            let stripes = &mut superblocks.stripes_of_parity;
            stripes.begun += 1;
            stripes.most_begun = stripes.most_begun.max(stripes.begun);
        }
    }

    /// If all data of the stripes programmed together have ended.
    pub fn due_parity(&self, of: Ppa) -> Option<Ppa> {
        let (plane, _) = self.stripe_of(of)?;
        let next = Ppa { plane, page: self.written(plane, of.block), ..of };
        let mut row =
            self.planes_beside(plane).map(|plane| Ppa { plane, ..next }).filter(|&at| self.is_next_parity(at));
        let is_due = next.page < self.pages_per_block && self.is_complete(next) && row.all(|at| self.is_complete(at));
        is_due.then_some(next)
    }

    pub fn is_next_parity(&self, at: Ppa) -> bool {
        self.is_parity(at.plane, at.block) && self.written(at.plane, at.block) == at.page
    }

    fn written(&self, plane: PlaneId, block: u32) -> u32 {
        self.planes[plane.index()].blocks[block as usize].written
    }

    fn is_complete(&self, parity: Ppa) -> bool {
        let ended = |(plane, b): (PlaneId, &Block)| self.has_ended(Ppa { plane, ..parity }, b);
        self.stripe_of(parity).is_some_and(|(_, mut others)| others.all(ended))
    }

    /// The program of its page begins.
    pub fn take_parity_page(&mut self, next: Ppa, frontier: Frontier, sectors: u64) {
        let at = Ppa { page: self.write_next(next.plane, next.block, 0, sectors), ..next };
        self.invalidate(at);
        let end = at.page + self.pages_per_flash_page;
        self.planes[at.plane.index()].blocks[at.block as usize].written = end;
        self.program_begins(at);
        self.note_in_flight(at);
        self.note_placed(at.plane, Line { frontier, class: Line::PARITY });
        if end == self.pages_per_block {
            self.close_full_superblocks(at.plane);
        }
    }

    pub fn parity_ends(&mut self, at: Ppa) {
        self.program_ends(at);
        if let Some(superblocks) = &mut self.superblocks {
            superblocks.stripes_of_parity.begun -= 1;
        }
    }

    /// It holds nothing that could help to rebuild another page.
    pub fn note_void(&mut self, at: Ppa) {
        let at = self.flash_page_of(at);
        if let Some(superblocks) = self.superblocks.as_mut().filter(|s| s.stripes_of_parity.unit > 0) {
            superblocks.stripes_of_parity.void.insert(at.pack());
        }
    }

    #[inline]
    pub fn note_in_flight(&mut self, at: Ppa) {
        if !self.has_parity() {
            return;
        }
        let at = self.flash_page_of(at);
        if let Some(superblocks) = &mut self.superblocks {
            superblocks.stripes_of_parity.in_flight.insert(at.pack());
        }
    }

    pub fn note_ended(&mut self, at: Ppa) {
        let at = self.flash_page_of(at);
        if let Some(superblocks) = &mut self.superblocks {
            superblocks.stripes_of_parity.in_flight.remove(&at.pack());
        }
    }

    fn has_ended(&self, at: Ppa, block: &Block) -> bool {
        let packed = self.flash_page_of(at).pack();
        let in_flight = |superblocks: &super::Superblocks| superblocks.stripes_of_parity.in_flight.contains(&packed);
        block.written > at.page && !self.superblocks.as_deref().is_some_and(in_flight)
    }

    /// The stripe's other pages, parity included unless the controller still has it. None without parity.
    pub fn pages_to_rebuild(&self, at: Ppa) -> Option<Vec<Ppa>> {
        let (parity, others) = self.stripe_of(at)?;
        let void = &self.superblocks.as_ref()?.stripes_of_parity.void;
        let holds = |at: &Ppa| !void.contains(&self.flash_page_of(*at).pack());
        let pages = others.chain([(parity, &self.planes[parity.index()].blocks[at.block as usize])]);
        let pages = pages.map(|(plane, block)| (Ppa { plane, ..at }, block));
        let ended = pages.filter(|(page, block)| *page != at && self.has_ended(*page, block)).map(|(page, _)| page);
        let ended: Vec<Ppa> = ended.collect();
        let is_protected = ended.iter().all(|page| page.plane != parity || holds(page));
        is_protected.then(|| ended.into_iter().filter(holds).collect())
    }

    /// Their superblocks are bad at once or at their erase. Returns those in use.
    pub fn lose_planes(&mut self, planes: &[PlaneId]) -> Vec<u32> {
        let leader = self.leader(planes[0]);
        self.open_all(leader);
        let free: BTreeSet<u32> =
            self.planes[leader.index()].erased.iter().map(|Reverse((.., block))| *block).collect();
        for plane in planes {
            let p = &mut self.planes[plane.index()];
            for (number, b) in (0..).zip(&mut p.blocks).filter(|(_, b)| !b.bad) {
                if free.contains(&number) {
                    b.bad = true;
                    p.bad += 1;
                } else if !b.doomed {
                    b.doomed = true;
                    p.doomed += 1;
                }
            }
        }
        self.count_erased_pages(leader, &free);
        (0..self.blocks_per_plane).filter(|block| !free.contains(block)).collect()
    }

    pub(super) fn forget_void(&mut self, plane: PlaneId, block: u32) {
        let group = self.group(plane);
        if let Some(superblocks) = &mut self.superblocks {
            let of_block = |at: Ppa| at.block == block && group.contains(&at.plane.index());
            superblocks.stripes_of_parity.void.retain(|&at| !of_block(Ppa::unpack(at)));
        }
    }

    pub fn most_stripes_begun(&self) -> u32 {
        self.superblocks.as_ref().map_or(0, |superblocks| superblocks.stripes_of_parity.most_begun)
    }

    pub(super) fn count_stripes_anew(&mut self) {
        if let Some(superblocks) = &mut self.superblocks {
            let stripes = &mut superblocks.stripes_of_parity;
            stripes.most_begun = stripes.begun;
        }
    }
}
