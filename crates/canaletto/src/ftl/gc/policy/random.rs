//! Random: a block drawn uniformly among those whose collection reclaims space.
//!
//! Steady state: that of `random_plus.rs`, if a victim needs one invalid page.

use super::{GcPolicy, greedy, random_plus};
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::victims::{VictimPool, View};

/// Any block, with equal chance.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Random;

impl GcPolicy for Random {
    fn new(_: &Gc) -> Random {
        Random
    }

    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
        draw_with(blocks, 0, rng)
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        Some(Distribution::at(load, pages, |load, pages| random_plus::solve(load, pages, 1)))
    }

    fn victims(&self, _: u32, _: u32) -> VictimPool {
        VictimPool::unordered(|full, view, random| any_invalid(full, view, random))
    }
}

/// Draws before the rest is left to a search: with a quarter of the blocks eligible all but 1 of 10^7 drawings end before.
pub const DRAWS: u32 = 64;

/// A block drawn uniformly among those whose collection reclaims space and that have enough invalid pages. If none is drawn,
/// a greedy choice.
pub fn draw_with(blocks: &Candidates, least_invalid: u32, rng: &mut Stream) -> Option<u32> {
    let most_valid = blocks.pages_per_block().saturating_sub(least_invalid);
    for _ in 0..DRAWS {
        let drawn = draw(blocks, rng)?;
        if blocks.is_reclaimable(drawn) && blocks.valid(drawn) <= most_valid {
            return Some(drawn);
        }
    }
    greedy::fewest_valid(blocks)
}

/// A full block drawn uniformly; none if there is none.
pub fn draw(blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
    let count = blocks.count();
    for _ in 0..DRAWS {
        let drawn = rng.integer(0, u64::from(count.checked_sub(1)?)) as u32;
        if blocks.is_full(drawn) {
            return Some(drawn);
        }
    }
    // Few blocks are full yet.
    let full = blocks.full().count() as u64;
    let place = rng.integer(0, full.checked_sub(1)?);
    blocks.full().nth(place as usize)
}

/// The place of any block of a representative plane.
pub fn any(full: &[u32], random: &mut Stream) -> usize {
    random.integer(0, full.len() as u64 - 1) as usize
}

/// The place of any of them with an invalid page.
pub fn any_invalid(full: &[u32], view: View, random: &mut Stream) -> usize {
    assert!(full.iter().any(|&block| view.valid(block) < view.pages), "no full block has an invalid page");
    loop {
        let place = any(full, random);
        if view.valid(full[place]) < view.pages {
            return place;
        }
    }
}
