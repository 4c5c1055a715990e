//! Greedy: the block with the fewest valid pages, the lowest number among equals.

use crate::ftl::blocks::Candidates;

pub fn choose(blocks: &Candidates) -> Option<u32> {
    blocks.fewest_valid().filter(|&best| blocks.is_reclaimable(best))
}
