//! Random: a block drawn uniformly among those that win something and have enough invalid pages.

use super::greedy;
use crate::ftl::blocks::Candidates;
use crate::sim::random::Stream;

/// Draws before the rest is left to a search: with a quarter of the blocks eligible all but 1 of 10^7 drawings end before.
pub const DRAWS: u32 = 64;

pub fn choose(blocks: &Candidates, least_invalid: u32, rng: &mut Stream) -> Option<u32> {
    let most_valid = blocks.pages_per_block().saturating_sub(least_invalid);
    for _ in 0..DRAWS {
        let drawn = draw(blocks, rng)?;
        if blocks.is_reclaimable(drawn) && blocks.valid(drawn) <= most_valid {
            return Some(drawn);
        }
    }
    greedy::choose(blocks)
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
