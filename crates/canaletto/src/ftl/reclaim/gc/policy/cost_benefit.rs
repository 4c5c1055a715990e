//! Cost-benefit (Rosenblum and Ousterhout 1991 §3.5; for flash Kawaguchi, Nishioka and Motoda 1995 §3.3: age × (1 - u)
//! / 2u).
//!
//! Its steady state is found by writing.

use super::GcPolicy;
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::victims::{VictimPool, View};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostBenefit;

impl GcPolicy for CostBenefit {
    fn new(_: &Gc) -> CostBenefit {
        CostBenefit
    }

    fn choose(&self, blocks: &Candidates, _: &mut Stream) -> Option<u32> {
        let pages = u64::from(blocks.pages_per_block());
        // Compared by cross multiplication: exact, and without valid pages infinite.
        let score = |block: u32| {
            let valid = u64::from(blocks.valid(block));
            (u128::from(blocks.age(block).max(1)) * u128::from(pages - valid), u128::from(valid))
        };
        let mut best: Option<(u32, (u128, u128))> = None;
        for block in blocks.full().filter(|&block| blocks.is_reclaimable(block)) {
            let (benefit, cost) = score(block);
            if best.is_none_or(|(_, (most, least))| benefit * least > most * cost) {
                best = Some((block, (benefit, cost)));
            }
        }
        best.map(|(block, _)| block)
    }

    fn victims(&self, _: u32, _: u32) -> VictimPool {
        VictimPool::unordered(|full, view, _| best_benefit(full, view))
    }
}

/// `age` is the time since a block was filled.
fn best_benefit(full: &[u32], view: View) -> usize {
    let benefit = |block: u32| {
        let valid = f64::from(view.valid(block));
        let age = (view.now - view.filled[block as usize]) as f64 + 1.0;
        age * (f64::from(view.pages) - valid) / (2.0 * valid)
    };
    let (mut best, mut most) = (None, 0.0);
    for (place, &block) in full.iter().enumerate() {
        let worth = benefit(block);
        if worth > most {
            (best, most) = (Some(place), worth);
        }
    }
    best.expect("a full block with an invalid page")
}
