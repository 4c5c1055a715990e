//! From a policy and an occupancy to preconditioned planes.

use crate::engine::random::Stream;
use crate::ftl::reclaim::gc::policy::Policy;
use crate::ftl::steady::census::Census;
use crate::ftl::steady::classes::Classes;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::draw::{FullBlocks, apportion};
use crate::ftl::steady::known;
use crate::ftl::steady::plane::{Class, Shape};
use crate::ftl::steady::seeded::{Contents, OpenBlock, SeededPlane};

/// Settle within a second, once per process.
const REPRESENTATIVE_PAGES: u32 = 1 << 18;

/// As many as the plane has, if it has fewer. How many pages a block has matters less: YCSB_B on `pcie4-tlc-980pro`
/// amplifies 5.53 times with all 683 blocks of 383 or 767 pages, 5.05 with 256 of 1,024, 4.65 with 128 of 6,144.
const MOST_BLOCKS: u32 = 1024;

/// Where a rule from outside is asked for each victim.
const MOST_ASKED_BLOCKS: u32 = 128;

/// Fewer are nothing but frontiers and free blocks.
const LEAST_BLOCKS: u32 = 16;

/// One for the host, one for copies.
const REPRESENTATIVE_SPARE: u32 = 2;

/// Beyond it there are too few invalid pages to settle.
const HIGHEST_LOAD: f64 = 0.99;

/// Blocks and pages per block.
fn representative(policy: &Policy, plane: Geometry) -> (u32, u32) {
    let most = if policy.has_rule() { MOST_ASKED_BLOCKS } else { MOST_BLOCKS };
    let blocks = plane.blocks.clamp(LEAST_BLOCKS, most);
    (blocks, plane.pages.min(REPRESENTATIVE_PAGES / blocks))
}

#[derive(Clone, Debug)]
pub enum Steady {
    Uniform(Distribution),
    Counted(Census),
}

impl Steady {
    /// At a load ([`Geometry::load`]): solved where possible, else by writing a representative plane.
    pub fn find(policy: &Policy, load: f64, plane: Geometry, classes: &[(f64, f64)], seed: u64) -> Steady {
        if let ([_], Some(found)) = (classes, policy.steady_state(load, plane.pages)) {
            return Steady::Uniform(found);
        }
        let (blocks, pages) = representative(policy, plane);
        let geometry = Geometry { blocks, pages, step: plane.step, free: REPRESENTATIVE_SPARE, frontiers: 2 };
        // Valid pages must leave room in others than one free block and two open ones.
        let most = ((blocks - REPRESENTATIVE_SPARE - 1) * pages).saturating_sub(classes.len() as u32).max(1);
        let logical = geometry.mapped(load.clamp(0.0, HIGHEST_LOAD)).min(most);
        let parts = apportion(&classes.iter().map(|c| c.0).collect::<Vec<f64>>(), logical);
        let class = |(&pages, &(_, writes)): (&u32, &(f64, f64))| Class { pages: pages.max(1), writes };
        let classes = parts.iter().zip(classes).map(class).collect();
        let shape = Shape { blocks, pages, spare: REPRESENTATIVE_SPARE, policy: policy.clone(), classes };
        Steady::Counted(known::census(shape, seed))
    }

    /// Of a block for which it was found.
    pub fn pages(&self) -> u32 {
        match self {
            Steady::Uniform(found) => found.shares.len() as u32 - 1,
            Steady::Counted(census) => census.pages,
        }
    }

    pub fn write_amplification(&self) -> f64 {
        match self {
            Steady::Uniform(found) => found.write_amplification,
            Steady::Counted(census) => census.write_amplification(),
        }
    }

    /// Of the pages that are copied: what the collector's frontier holds.
    pub fn copied(&self) -> Vec<f64> {
        match self {
            Steady::Uniform(_) => vec![1.0],
            Steady::Counted(census) => census.copies.clone(),
        }
    }

    fn draw(&self, pages: u32, full: u32, totals: &[u32], random: &mut Stream) -> FullBlocks {
        match self {
            Steady::Uniform(found) => FullBlocks::from_distribution(found, full, totals[0], random),
            Steady::Counted(census) => FullBlocks::from_census(census, full, pages, totals, random),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    pub blocks: u32,
    pub pages: u32,
    /// A flash page.
    pub step: u32,
    pub free: u32,
    pub frontiers: u32,
}

impl Geometry {
    pub fn full(&self) -> u32 {
        // Blocks of one flash page are free or full.
        let open = if self.pages > self.step { self.frontiers } else { 0 };
        self.blocks.saturating_sub(self.free + open)
    }

    /// Frontiers are half full of valid pages.
    pub fn load(&self, mapped: f64) -> f64 {
        let open = 0.5 * f64::from(self.frontiers) * f64::from(self.pages);
        (mapped - open).max(0.0) / (f64::from(self.full().max(1)) * f64::from(self.pages))
    }

    pub fn mapped(&self, load: f64) -> u32 {
        let open = 0.5 * f64::from(self.frontiers) * f64::from(self.pages);
        (load * f64::from(self.full()) * f64::from(self.pages) + open) as u32
    }
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub geometry: Geometry,
    pub steady: Steady,
    /// By frontier, in what is written to it.
    pub mixes: Vec<Vec<f64>>,
}

impl Plan {
    /// With `mapped` logical pages of each class.
    pub fn seed(&self, plane: u32, classes: Classes, mapped: &[u32], seed: u64) -> Result<SeededPlane, String> {
        let mut random = Stream::named(seed, &format!("precondition plane {plane}"));
        let Geometry { blocks, pages, step, .. } = self.geometry;
        let mut left = mapped.to_vec();
        let open: Vec<OpenBlock> = match pages / step {
            1 => Vec::new(),
            steps => self.mixes.iter().map(|mix| open_block(mix, steps, step, &mut left, &mut random)).collect(),
        };
        let full = self.draw_full(&left, &mut random)?;
        let key = random.integer(0, u64::from(u32::MAX)) << 32 | random.integer(0, u64::from(u32::MAX));
        SeededPlane::new(Contents { blocks, pages, classes, full, open }, key)
    }

    pub(super) fn classes(&self) -> usize {
        self.mixes[0].len()
    }

    pub(super) fn draw_full(&self, left: &[u32], random: &mut Stream) -> Result<FullBlocks, String> {
        let (full, pages, model) = (self.geometry.full(), self.geometry.pages, self.steady.pages());
        let (valid, room) = (left.iter().map(|&n| u64::from(n)).sum::<u64>(), u64::from(full) * u64::from(pages));
        if valid > room {
            return Err(format!(
                "{valid} valid pages beside those of open blocks, but full blocks have room for {room}"
            ));
        }
        if model == pages {
            return Ok(self.steady.draw(pages, full, left, random));
        }
        let fewer: Vec<u32> =
            left.iter().map(|&n| (u64::from(n) * u64::from(model) / u64::from(pages)) as u32).collect();
        Ok(self.steady.draw(model, full, &fewer, random).resized(model, pages, left, random))
    }
}

/// Up to any of its `steps`, with valid pages in the ratio of `mix` while any are `left`.
pub(super) fn open_block(mix: &[f64], steps: u32, step: u32, left: &mut [u32], random: &mut Stream) -> OpenBlock {
    let written = random.integer(1, u64::from(steps) - 1) as u32 * step;
    let mut counts = apportion(mix, written);
    for (count, left) in counts.iter_mut().zip(left) {
        *count = (*count).min(*left);
        *left -= *count;
    }
    OpenBlock { written, counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::{Gc, VictimPolicy};
    use crate::config::named::Named;
    use crate::ftl::reclaim::gc::policy::{DChoices, Fifo, Greedy};

    #[test]
    fn planes_hold_what_they_shall() {
        for (policy, classes) in [
            (Policy::from(Greedy), vec![(1.0, 1.0)]),
            (Policy::from(Fifo), vec![(1.0, 1.0)]),
            (Policy::from(DChoices(10)), vec![(0.2, 0.8), (0.8, 0.2)]),
        ] {
            let geometry = Geometry { blocks: 300, pages: 16, step: 1, free: 7, frontiers: 2 };
            for occupancy in [0.01, 0.5, 0.9] {
                let logical: Vec<u32> = classes.iter().map(|c| (c.0 * 4300.0) as u32).collect();
                let mapped: Vec<u32> = logical.iter().map(|&n| (f64::from(n) * occupancy) as u32).collect();
                let load = geometry.load(mapped.iter().sum::<u32>().into());
                let steady = Steady::find(&policy, load, geometry, &classes, 1);
                let mixes = vec![classes.iter().map(|c| c.1).collect(), steady.copied()];
                let plan = Plan { geometry, steady, mixes };
                let runs: Vec<(u32, usize)> = logical.iter().copied().zip(0..).collect();
                let plane = plan.seed(3, Classes::from_runs(classes.len(), &runs), &mapped, 1).expect("it fits");
                assert_eq!((plane.full().count(), plane.open().count(), plane.free().count()), (291, 2, 7));
                assert_eq!(plane.mapped(), mapped.iter().sum::<u32>());
                let found = (0..logical.iter().sum()).filter(|&page| plane.locate(page).is_some()).count();
                assert_eq!(found as u32, plane.mapped());
                assert_eq!((0..300).map(|block| plane.valid(block)).sum::<u32>(), plane.mapped());
            }
        }
    }

    /// Hot pages take few blocks of many, and amplification follows how many there are.
    #[test]
    fn large_blocks_are_made_smaller_before_there_are_fewer() {
        let plane = |blocks, pages| Geometry { blocks, pages, step: 1, free: 2, frontiers: 2 };
        for (given, expected) in
            [((683, 6144), (683, 383)), ((300, 16), (300, 16)), ((5000, 256), (1024, 256)), ((3, 9000), (16, 9000))]
        {
            assert_eq!(representative(&Policy::from(Greedy), plane(given.0, given.1)), expected);
        }
    }

    #[test]
    fn a_plane_too_small_is_refused() {
        let geometry = Geometry { blocks: 10, pages: 8, step: 1, free: 2, frontiers: 2 };
        let steady = Steady::find(&Policy::from(Greedy), 0.9, geometry, &[(1.0, 1.0)], 1);
        let plan = Plan { geometry, steady, mixes: vec![vec![1.0]; 2] };
        let error = plan.seed(0, Classes::uniform(80), &[80], 1).err().expect("it does not fit");
        assert!(error.ends_with("full blocks have room for 48"), "{error}");
    }

    #[test]
    fn the_smallest_planes_settle_at_any_load() {
        let keys = |policy| Gc { policy, choices: 3, min_invalid_share: 0.0, ..Gc::default() };
        let policies = VictimPolicy::ALL.iter().map(|&policy| Policy::new(&keys(policy)));
        for (policy, pages) in policies.flat_map(|policy| [1, 2, 3, 7].map(|pages| (policy.clone(), pages))) {
            for (blocks, load) in [(13, 0.9), (18, 0.97), (40, 1.0)] {
                let plane = Geometry { blocks, pages, step: 1, free: 2, frontiers: 2 };
                let found = Steady::find(&policy, load, plane, &[(0.2, 0.8), (0.8, 0.2)], 3);
                assert!(found.write_amplification() >= 1.0, "{policy:?}, {blocks} blocks of {pages} at {load}");
            }
        }
    }
}
