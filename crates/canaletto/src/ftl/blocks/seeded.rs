//! Their first pages hold what [`Seeds`] says until something changes them.

use std::cmp::Reverse;

use super::candidates::NOT_FULL;
use super::{Block, Blocks, Plane};
use crate::engine::random::Stream;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::precondition::{Kind, Seeds};
use crate::ftl::steady::seeded::{Life, SeededPlane};

/// With a tenth of the pages untouched all but one in a thousand searches succeed.
const ATTEMPTS: u32 = 64;

/// Most that ages are scaled by; at full load it is infinite.
const MOST_AMPLIFICATION: f64 = 100.0;

impl Blocks {
    pub fn seed(&mut self, seeds: Seeds, seed: u64) {
        for (number, plane) in (0..).zip(&mut self.planes) {
            let (contents, kind) = seeds.plane(PlaneId(number));
            let mut random = Stream::named(seed, &format!("precondition ages {number}"));
            plane.seed(contents, kind, self.blocks_per_plane, self.pages_per_block, &mut random);
            for (&frontier, block) in kind.frontiers.iter().zip(contents.open()) {
                let left = self.pages_per_block - plane.blocks[block as usize].written;
                self.frontiers.fill(PlaneId(number), frontier, block, left);
            }
        }
        self.free = self.planes.iter().map(|plane| u64::from(plane.free())).sum();
        if self.has_superblocks() {
            self.seed_superblocks(&seeds);
        }
        self.seeds = Some(Box::new(seeds));
    }

    /// Only seeded pages have no entry and are somewhere.
    #[inline]
    pub fn locate(&self, lpa: u64) -> Option<Ppa> {
        self.seeds.as_ref().and_then(|seeds| self.locate_seeded(lpa, seeds))
    }

    pub fn has_seeds(&self) -> bool {
        self.seeds.is_some()
    }

    #[inline(never)]
    fn locate_seeded(&self, lpa: u64, seeds: &Seeds) -> Option<Ppa> {
        let at = seeds.locate(lpa)?;
        let block = self.block(at);
        let is_there = match block.is_computed(at.page) {
            true => !self.contents.seed_has_changed(block, at.page),
            false => self.contents.lpa(block, at.page) == Some(lpa),
        };
        is_there.then_some(at)
    }

    pub fn look_up_seeds(&mut self, plane: PlaneId, block: u32) {
        for plane in self.planes_of_group(plane) {
            self.look_up_seeds_in(plane, block);
        }
    }

    fn look_up_seeds_in(&mut self, plane: PlaneId, block: u32) {
        let Some(seeds) = &self.seeds else { return };
        let b = &mut self.planes[plane.index()].blocks[block as usize];
        if !b.is_computed(0) {
            return;
        }
        let look_up = |lpas: &mut [u64]| seeds.each_content(plane, block, |page, lpa| lpas[page as usize] = lpa);
        self.contents.look_up_seeds(b, look_up);
        for (page, lpa) in seeds.adopted_in(plane, block) {
            self.contents.replace(b, page, lpa);
        }
    }

    /// For a read of an unwritten logical page: takes a page which `may_go` lets go. Returns the place and its former
    /// page.
    #[inline(always)]
    pub fn adopt(&mut self, lpa: u64, may_go: impl Fn(u64, Ppa) -> bool) -> Option<(Ppa, u64)> {
        if self.seeds.is_some() { self.adopt_seeded(lpa, may_go) } else { None }
    }

    fn adopt_seeded(&mut self, lpa: u64, may_go: impl Fn(u64, Ppa) -> bool) -> Option<(Ppa, u64)> {
        let seeds = self.seeds.as_ref()?;
        let (at, gone) = (0..ATTEMPTS).find_map(|attempt| {
            let gone = seeds.stand_in(lpa, attempt)?;
            let at = self.locate(gone)?;
            (self.block(at).reads_in_flight == 0 && may_go(gone, at)).then_some((at, gone))
        })?;
        let block = &mut self.planes[at.plane.index()].blocks[at.block as usize];
        match block.is_computed(at.page) {
            true => self.contents.change_seed(block, at.page),
            false => self.contents.replace(block, at.page, lpa),
        }
        self.seeds.as_mut()?.adopt(at, lpa);
        Some((at, gone))
    }

    /// Not looked up.
    pub(super) fn seeded_lpa(&self, at: Ppa) -> Option<u64> {
        let seeds = self.seeds.as_ref()?;
        let has_changed = self.contents.seed_has_changed(self.block(at), at.page);
        if has_changed { seeds.adopted(at) } else { seeds.content(at) }
    }

    pub(super) fn seeded_valid(&self, plane: PlaneId, block: u32) -> u32 {
        let b = &self.planes[plane.index()].blocks[block as usize];
        (0..b.seeded).filter(|&page| self.valid_lpa(Ppa { plane, block, page }).is_some()).count() as u32
    }

    pub fn count_seeded_unmapped(&self) -> u64 {
        self.count_seeded() - self.seeds.as_ref().map_or(0, |seeds| seeds.adopted_pages())
    }

    pub(super) fn count_seeded(&self) -> u64 {
        let Some(seeds) = &self.seeds else { return 0 };
        let of_block = |plane: PlaneId, number: u32, block: &Block| {
            if !block.is_computed(0) {
                return u64::from(self.contents.known_among(block, 0..block.seeded));
            }
            let adopted = seeds.adopted_in(plane, number).count() as u32;
            u64::from(seeds.plane(plane).0.valid(number) - self.contents.count_changed_seeds(block) + adopted)
        };
        let planes = (0..).map(PlaneId).zip(&self.planes);
        planes.flat_map(|(id, plane)| (0..).zip(&plane.blocks).map(move |(b, block)| of_block(id, b, block))).sum()
    }

    pub fn valid_pages(&self) -> impl Iterator<Item = (Ppa, u64)> {
        let planes = (0..).map(PlaneId).zip(&self.planes);
        let blocks = planes.flat_map(|(plane, p)| (0..).zip(&p.blocks).map(move |(block, b)| (plane, block, b)));
        let pages = blocks.flat_map(|(plane, block, b)| (0..b.written).map(move |page| Ppa { plane, block, page }));
        pages.filter_map(|at| self.valid_lpa(at).map(|lpa| (at, lpa)))
    }
}

impl Plane {
    fn seed(&mut self, contents: &SeededPlane, kind: &Kind, blocks: u32, pages: u32, random: &mut Stream) {
        let host_writes = f64::from(contents.mapped());
        // Ages count the host's writes over valid pages; the clock all pages written.
        let scale = host_writes * kind.write_amplification.min(MOST_AMPLIFICATION);
        let oldest = contents.full().next().map_or(0.0, |block| age(contents, block));
        self.clock = (oldest * scale).ceil() as u64 + u64::from(blocks) * u64::from(pages);
        self.valid = u64::from(contents.mapped());
        self.blocks =
            (0..blocks).map(|block| seeded_block(contents, kind, block, pages, (self.clock, scale), random)).collect();
        self.unopened = 0;
        self.full = vec![NOT_FULL; self.blocks.len()];
        (0..blocks).for_each(|block| self.note_full(block, pages));
        for block in contents.free() {
            self.erasures += 1;
            self.erased.push(Reverse((0, self.erasures, block)));
        }
    }
}

fn age(contents: &SeededPlane, block: u32) -> f64 {
    match contents.life(block) {
        Life::Full { age, .. } => f64::from(age),
        Life::Open { .. } | Life::Free => 0.0,
    }
}

fn seeded_block(
    contents: &SeededPlane,
    kind: &Kind,
    block: u32,
    pages: u32,
    (clock, scale): (u64, f64),
    random: &mut Stream,
) -> Block {
    let seeded = match contents.life(block) {
        Life::Full { .. } => pages,
        Life::Open { written, .. } => written,
        Life::Free => 0,
    };
    let age = age(contents, block);
    // The chance that one of its pages is overwritten by a host write.
    let rate: f64 = contents.counts(block).zip(&kind.rates).map(|(count, rate)| f64::from(count) * rate).sum();
    let whole = f64::from(contents.mapped());
    let unchanged = if rate > 0.0 { random.exponential(1.0 / rate) / whole } else { f64::INFINITY };
    Block {
        written: seeded,
        seeded,
        valid: contents.valid(block),
        opened: clock - (age * scale) as u64 - u64::from(seeded),
        changed: clock - (age.min(unchanged) * scale) as u64,
        ..Block::default()
    }
}
