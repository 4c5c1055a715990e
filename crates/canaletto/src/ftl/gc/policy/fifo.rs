//! FIFO: the block filled longest ago that has an invalid page.

use crate::ftl::blocks::Candidates;

pub fn choose(blocks: &Candidates) -> Option<u32> {
    blocks.full().filter(|&block| blocks.is_reclaimable(block)).min_by_key(|&block| blocks.filled(block))
}
