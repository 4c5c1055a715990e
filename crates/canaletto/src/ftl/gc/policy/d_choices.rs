//! Randomised greedy: the best of some blocks drawn at random (Van Houdt, "A mean field model for a class of garbage
//! collection algorithms in flash-based solid state drives", SIGMETRICS 2013, §2).

use super::{greedy, random};
use crate::ftl::blocks::Candidates;
use crate::sim::random::Stream;

pub fn choose(blocks: &Candidates, choices: u32, rng: &mut Stream) -> Option<u32> {
    let mut best: Option<u32> = None;
    for _ in 0..choices {
        let drawn = random::draw(blocks, rng)?;
        if best.is_none_or(|block| blocks.valid(drawn) < blocks.valid(block)) {
            best = Some(drawn);
        }
    }
    // All of them may be full of valid pages: the plane must still make progress.
    best.filter(|&block| blocks.wins(block)).or_else(|| greedy::choose(blocks))
}
