//! Randomised greedy: the best of some blocks drawn at random (Van Houdt, "A mean field model for a class of garbage
//! collection algorithms in flash-based solid state drives", SIGMETRICS 2013, §2).

use super::{greedy, random};
use crate::ftl::blocks::Candidates;
use crate::sim::random::Stream;

/// Draws again while all that it drew are full of valid pages, from which nothing can be reclaimed.
pub fn choose(blocks: &Candidates, choices: u32, rng: &mut Stream) -> Option<u32> {
    for _ in 0..random::DRAWS {
        let best = best_of(blocks, choices, rng)?;
        if blocks.is_reclaimable(best) {
            return Some(best);
        }
    }
    greedy::choose(blocks)
}

fn best_of(blocks: &Candidates, choices: u32, rng: &mut Stream) -> Option<u32> {
    let mut best = random::draw(blocks, rng)?;
    for _ in 1..choices {
        let drawn = random::draw(blocks, rng)?;
        if blocks.valid(drawn) < blocks.valid(best) {
            best = drawn;
        }
    }
    Some(best)
}
