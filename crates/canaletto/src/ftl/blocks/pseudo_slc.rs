//! Pseudo-SLC cache: blocks with one bit per cell, which the host's writes fill first.
//!
//! A block in this mode has as many pages as word lines; its other pages count as written and empty.
//! [`Blocks::block_to_fold`] chooses instead of collection's policy.
//!
//! The static part takes free blocks when first needed and keeps them. The dynamic part borrows blocks while more are
//! free than collection begins with.

use std::collections::VecDeque;

use super::{Blocks, Frontier, Frontiers};
use crate::config::design::PseudoSlc;
use crate::config::pseudo_slc::CacheBlocks;
use crate::flash::address::PlaneId;

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    #[default]
    Native,
    Static,
    Dynamic,
}

#[derive(Clone, Default)]
struct Part {
    /// The one erased first in front.
    erased: VecDeque<u32>,
    static_used: u32,
    bad: u32,
    borrowed: u32,
    full: VecDeque<u32>,
    /// Under load.
    is_pressed: bool,
    /// In this mode, by block.
    erases: Vec<u32>,
}

pub(super) struct Cache {
    parts: Vec<Part>,
    pages: u32,
    of_static: u32,
    of_dynamic: u32,
    collects_below: u32,
    endurance: u32,
    high_watermark: f64,
    low_watermark: f64,
}

#[derive(Clone, Copy, Default)]
pub struct CacheState {
    pub static_pages: u64,
    pub dynamic_pages: u64,
    pub used: u64,
    pub valid_pages: u64,
    pub erases_max: u32,
}

impl Blocks {
    /// Planes collect with fewer than `collects_below` free blocks.
    pub fn with_cache(mut self, blocks: CacheBlocks, collects_below: u32, keys: &PseudoSlc) -> Blocks {
        self.frontiers = Frontiers::new(self.planes.len() as u32, self.frontiers.streams(), true, false);
        for plane in &mut self.planes {
            plane.withheld = blocks.of_static;
        }
        self.free -= u64::from(blocks.of_static) * self.planes.len() as u64;
        self.cache = Some(Box::new(Cache {
            parts: vec![Part::default(); self.planes.len()],
            pages: blocks.pages,
            of_static: blocks.of_static,
            of_dynamic: blocks.of_dynamic,
            collects_below,
            endurance: keys.endurance,
            high_watermark: keys.high_watermark,
            low_watermark: keys.low_watermark,
        }));
        self
    }

    /// They could hold more.
    pub fn is_cache_block(&self, plane: PlaneId, block: u32) -> bool {
        self.cache.is_some() && self.planes[plane.index()].blocks[block as usize].mode != Mode::Native
    }

    pub fn gives_cache_page(&self, plane: PlaneId, frontier: Frontier) -> bool {
        let has_own = || self.frontiers.get(plane, frontier).left > 0 || self.cache_may_open(plane);
        frontier != frontier.native() && has_own()
    }

    pub(super) fn pages_in(&self, plane: PlaneId, block: u32) -> u32 {
        let cache = self.cache.as_ref().filter(|_| self.is_cache_block(plane, block));
        cache.map_or(self.pages_per_block, |cache| cache.pages)
    }

    pub(super) fn cache_may_open(&self, plane: PlaneId) -> bool {
        let Some(cache) = &self.cache else { return false };
        let (p, part) = (&self.planes[plane.index()], &cache.parts[plane.index()]);
        let may_borrow = part.borrowed < cache.of_dynamic && p.free() > cache.collects_below;
        !part.erased.is_empty() || p.withheld > 0 || may_borrow
    }

    pub(super) fn take_for_cache(&mut self, plane: PlaneId) -> u32 {
        let index = plane.index();
        let erased = self.cache.as_mut().and_then(|cache| cache.parts[index].erased.pop_front());
        let (block, mode) = match erased {
            Some(block) => (block, Mode::Static),
            None if self.planes[index].withheld > 0 => {
                self.planes[index].withheld -= 1;
                (self.take_erased(plane), Mode::Static)
            }
            None => (self.take_free(plane), Mode::Dynamic),
        };
        if let Some(cache) = &mut self.cache {
            let part = &mut cache.parts[index];
            part.static_used += u32::from(mode == Mode::Static);
            part.borrowed += u32::from(mode == Mode::Dynamic);
        }
        let p = &mut self.planes[index];
        (p.blocks[block as usize].mode, p.blocks[block as usize].opened) = (mode, p.clock);
        block
    }

    pub(super) fn is_cache_block_full(&self, plane: PlaneId, block: u32) -> bool {
        self.is_cache_block(plane, block)
            && self.planes[plane.index()].blocks[block as usize].written == self.pages_per_block
    }

    pub(super) fn note_cache_full(&mut self, plane: PlaneId, block: u32) {
        let Some(cache) = &mut self.cache else { return };
        let b = &mut self.planes[plane.index()].blocks[block as usize];
        if b.mode != Mode::Native && b.written == cache.pages {
            b.written = self.pages_per_block;
            cache.parts[plane.index()].full.push_back(block);
        }
    }

    /// The oldest block if the drive `is_idle` or too much is in use; the oldest borrowed one if free blocks are short.
    pub fn block_to_fold(&mut self, plane: PlaneId, is_idle: bool) -> Option<u32> {
        let free = self.planes[plane.index()].free();
        let cache = self.cache.as_mut()?;
        let part = &mut cache.parts[plane.index()];
        let used = part.static_used + part.borrowed;
        let to_borrow = free.saturating_sub(cache.collects_below).min(cache.of_dynamic - part.borrowed);
        let size = used + part.erased.len() as u32 + self.planes[plane.index()].withheld + to_borrow;
        part.is_pressed = f64::from(used) > cache.high_watermark * f64::from(size)
            || part.is_pressed && f64::from(used) > cache.low_watermark * f64::from(size);
        let any = is_idle || part.is_pressed;
        let short = free < cache.collects_below;
        let blocks = &self.planes[plane.index()].blocks;
        let is_due = |block: &u32| any || short && blocks[*block as usize].mode == Mode::Dynamic;
        let block = part.full.iter().copied().find(is_due)?;
        self.can_be_collected(plane, block).then_some(block)
    }

    /// One that gives none back may take one: the host leaves it.
    pub fn job_begins(&mut self, plane: PlaneId, victim: u32) {
        if self.cache.is_some() {
            let p = &mut self.planes[plane.index()];
            p.kept = u32::from(p.blocks[victim as usize].mode == Mode::Static);
        }
    }

    pub(super) fn erase_in_cache(&mut self, plane: PlaneId, block: u32, endurance: u32) {
        let index = plane.index();
        let p = &mut self.planes[index];
        p.kept = 0;
        let b = &mut p.blocks[block as usize];
        let (mode, was_bad) = (b.mode, b.bad);
        if mode == Mode::Dynamic || was_bad {
            b.mode = Mode::Native;
        }
        if !was_bad {
            b.erases += 1;
            p.erasures += 1;
            // Wear levelling does not look at blocks that are never among the others.
            p.most_erases = if mode == Mode::Dynamic { p.most_erases.max(b.erases) } else { p.most_erases };
        }
        if let Some(cache) = &mut self.cache {
            let part = &mut cache.parts[index];
            part.full.retain(|&full| full != block);
            part.static_used -= u32::from(mode == Mode::Static);
            part.borrowed -= u32::from(mode == Mode::Dynamic);
            let known = part.erases.len().max(block as usize + 1);
            part.erases.resize(known, 0);
            part.erases[block as usize] += u32::from(!was_bad);
        }
        let worn_out = !was_bad && self.is_worn_out(plane, block, endurance);
        if worn_out {
            self.give_up(plane, block);
        }
        match (&mut self.cache, mode) {
            (Some(cache), Mode::Static) if worn_out || was_bad => cache.parts[index].bad += 1,
            (Some(cache), Mode::Static) => cache.parts[index].erased.push_back(block),
            _ if worn_out || was_bad => {}
            _ => self.set_free_alone(plane, block),
        }
    }

    /// In both modes together (erases; 0: any number).
    pub(super) fn is_worn_out(&self, plane: PlaneId, block: u32, endurance: u32) -> bool {
        let erases = u64::from(self.planes[plane.index()].blocks[block as usize].erases);
        let Some(cache) = &self.cache else { return endurance > 0 && erases >= u64::from(endurance) };
        let cached = u64::from(cache.parts[plane.index()].erases.get(block as usize).copied().unwrap_or(0));
        // Brought to one denominator: none of an endurance without end.
        let (native, own) = (u64::from(endurance), u64::from(cache.endurance));
        match (native, own) {
            (0, 0) => false,
            (0, _) => cached >= own,
            (_, 0) => erases - cached >= native,
            _ => (erases - cached) * own + cached * native >= native * own,
        }
    }

    pub(super) fn free_for_cache(&self, plane: PlaneId) -> u32 {
        self.planes[plane.index()].withheld + self.erased_in_cache(plane).count() as u32
    }

    pub(super) fn erased_in_cache(&self, plane: PlaneId) -> impl Iterator<Item = u32> {
        self.cache.iter().flat_map(move |cache| cache.parts[plane.index()].erased.iter().copied())
    }

    pub(super) fn bad_in_cache(&self, plane: PlaneId) -> u32 {
        self.cache.as_ref().map_or(0, |cache| cache.parts[plane.index()].bad)
    }

    pub fn cache_state(&self) -> CacheState {
        let Some(cache) = &self.cache else { return CacheState::default() };
        let pages = |blocks: u32| u64::from(blocks) * u64::from(cache.pages) * self.planes.len() as u64;
        let cached = self.planes.iter().flat_map(|p| &p.blocks).filter(|b| b.mode != Mode::Native);
        CacheState {
            static_pages: pages(cache.of_static),
            dynamic_pages: pages(cache.of_dynamic),
            used: cache.parts.iter().map(|part| u64::from(part.static_used + part.borrowed)).sum(),
            valid_pages: cached.map(|b| u64::from(b.valid)).sum(),
            erases_max: cache.parts.iter().flat_map(|part| &part.erases).copied().max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::Geometry;
    use crate::config::units::Size;
    use crate::flash::address::{Layout, Ppa};
    use crate::ftl::maintenance::bad_blocks::BadBlocks;

    const PLANE: PlaneId = PlaneId(0);
    const CACHED: Frontier = Frontier::Cached(0);

    /// Collection begins with fewer than 4 free blocks.
    fn blocks(of_static: u32, of_dynamic: u32, keys: &PseudoSlc) -> Blocks {
        let geometry = Geometry {
            channels: 1,
            chips_per_channel: 1,
            dies_per_chip: 1,
            planes_per_die: 1,
            blocks_per_plane: 12,
            pages_per_block: 6,
            page: Size(4096),
        };
        let bad = BadBlocks { seed: 3, factory: 0.0, most: 12 };
        let blocks = Blocks::new(&Layout::new(&geometry, true), 1, 1, true, bad);
        blocks.with_cache(CacheBlocks { of_static, of_dynamic, pages: 2 }, 4, keys)
    }

    fn write(blocks: &mut Blocks, lpa: u64) -> Ppa {
        blocks.allocate(PLANE, CACHED, lpa, 1).expect("a free page").0
    }

    fn cached(blocks: &mut Blocks, writes: u64) -> Vec<bool> {
        let mut is_cached = |lpa| {
            let foretold = blocks.gives_cache_page(PLANE, CACHED);
            let at = write(blocks, lpa);
            assert_eq!(blocks.is_cache_block(PLANE, at.block), foretold);
            foretold
        };
        (0..writes).map(&mut is_cached).collect()
    }

    fn erase(blocks: &mut Blocks, block: u32) {
        for page in 0..6 {
            let at = Ppa { plane: PLANE, block, page };
            if blocks.valid_lpa(at).is_some() {
                blocks.invalidate(at);
            }
        }
        blocks.erase(PLANE, block, 0);
        blocks.audit().unwrap();
    }

    #[test]
    fn writes_go_to_native_blocks_when_the_cache_is_full() {
        let mut blocks = blocks(2, 0, &PseudoSlc::default());
        assert_eq!(blocks.free(PLANE), 10, "two are the cache's alone");
        assert_eq!(cached(&mut blocks, 7), [[true; 4].as_slice(), &[false; 3]].concat());
        assert_eq!(blocks.free(PLANE), 9);
        let native = (7..10).map(|lpa| write(&mut blocks, lpa).block).last().expect("three are written");
        assert_eq!(
            blocks.candidates(PLANE).why_not(native, 12),
            "has no page to reclaim",
            "it is full, and not the cache's"
        );
        blocks.audit().unwrap();
    }

    #[test]
    fn the_oldest_block_is_folded_first_and_a_static_one_comes_back_to_the_cache() {
        let mut blocks = blocks(2, 0, &PseudoSlc::default());
        let first = write(&mut blocks, 0).block;
        assert_eq!(blocks.block_to_fold(PLANE, true), None, "it is being filled");
        cached(&mut blocks, 3);
        assert_eq!((blocks.block_to_fold(PLANE, false), blocks.block_to_fold(PLANE, true)), (None, Some(first)));
        assert!(!blocks.candidates(PLANE).is_full(first), "no victim of the collector's policy");
        assert_eq!(blocks.candidates(PLANE).reclaimed_pages(first), 0);
        assert_eq!(blocks.candidates(PLANE).why_not(first, 12), "belongs to the pseudo-SLC cache");
        let free = blocks.free(PLANE);
        blocks.job_begins(PLANE, first);
        assert_eq!(blocks.planes[0].kept, 1, "the host leaves a block to what this one may take");
        erase(&mut blocks, first);
        assert_eq!((blocks.free(PLANE), blocks.planes[0].kept, write(&mut blocks, 9).block), (free, 0, first));
    }

    #[test]
    fn the_dynamic_part_borrows_what_collection_does_not_miss() {
        let mut blocks = blocks(0, 12, &PseudoSlc::default());
        // 8 of 12 free blocks leave 4.
        assert_eq!(cached(&mut blocks, 20), [[true; 16].as_slice(), &[false; 4]].concat());
        assert_eq!(blocks.free(PLANE), 3);
        let oldest = blocks.block_to_fold(PLANE, false).expect("the plane is short of free blocks");
        assert_eq!(blocks.candidates(PLANE).reclaimed_pages(oldest), 4);
        erase(&mut blocks, oldest);
        assert_eq!((blocks.free(PLANE), blocks.block_to_fold(PLANE, false)), (4, None));
        assert!(!blocks.is_cache_block(PLANE, oldest));
    }

    #[test]
    fn folding_under_load_goes_from_one_watermark_to_the_other() {
        let keys = PseudoSlc { high_watermark: 0.6, low_watermark: 0.25, ..PseudoSlc::default() };
        let mut blocks = blocks(4, 0, &keys);
        let mut folded = Vec::new();
        for writes in 1..=6 {
            cached(&mut blocks, 1);
            assert_eq!(
                blocks.block_to_fold(PLANE, false).is_some(),
                writes > 4,
                "{writes}: above 0.6 from the third block on"
            );
        }
        while let Some(block) = blocks.block_to_fold(PLANE, false) {
            erase(&mut blocks, block);
            folded.push(block);
        }
        assert_eq!(folded, [0, 1], "one of four is left");
    }

    #[test]
    fn a_watermark_is_a_share_of_what_the_dynamic_part_may_become() {
        let mut blocks = blocks(0, 2, &PseudoSlc { high_watermark: 0.6, ..PseudoSlc::default() });
        cached(&mut blocks, 2);
        assert_eq!(blocks.block_to_fold(PLANE, false), None, "one of two");
        cached(&mut blocks, 2);
        assert!(blocks.block_to_fold(PLANE, false).is_some());
    }

    #[test]
    fn wear_of_both_modes_adds_up() {
        let keys = PseudoSlc { endurance: 4, ..PseudoSlc::default() };
        let mut blocks = blocks(0, 12, &keys);
        let block = write(&mut blocks, 0).block;
        let worn = |blocks: &mut Blocks, native: u32, cached: u32| {
            blocks.planes[0].blocks[block as usize].erases = native + cached;
            blocks.cache.as_mut().unwrap().parts[0].erases = vec![cached; block as usize + 1];
            blocks.is_worn_out(PLANE, block, 2)
        };
        let shares = [(1, 0), (0, 3), (1, 1), (2, 0), (0, 4), (1, 2)];
        assert_eq!(shares.map(|(n, c)| worn(&mut blocks, n, c)), [false, false, false, true, true, true]);
    }
}
