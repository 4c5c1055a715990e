//! Greedy: the block with the fewest valid pages, the lowest number among equals.

use crate::ftl::blocks::Candidates;

pub fn choose(blocks: &Candidates) -> Option<u32> {
    let best = blocks.full().min_by_key(|&block| (blocks.valid(block), block))?;
    blocks.wins(best).then_some(best)
}
