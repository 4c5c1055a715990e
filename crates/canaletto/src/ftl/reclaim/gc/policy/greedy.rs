//! Greedy: the block with the fewest valid pages, the lowest number among equals.
//!
//! Steady state, the limit of many choices (`d_choices.rs`): victims hold `j` or `j - 1` valid pages, so that
//! `m[i] = 1 / (decay i)` above `j`, in closed form (symbols as in `steady/distribution.rs`).

use super::GcPolicy;
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::victims::VictimPool;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Greedy;

impl GcPolicy for Greedy {
    fn new(_: &Gc) -> Greedy {
        Greedy
    }

    fn choose(&self, blocks: &Candidates, _: &mut Stream) -> Option<u32> {
        fewest_valid(blocks)
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        Some(Distribution::at(load, pages, solve))
    }

    fn victims(&self, blocks: u32, pages: u32) -> VictimPool {
        VictimPool::by_valid_pages(blocks, pages)
    }
}

/// If a flash page can be reclaimed from it.
pub fn fewest_valid(blocks: &Candidates) -> Option<u32> {
    blocks.fewest_valid().filter(|&best| blocks.is_reclaimable(best))
}

fn solve(load: f64, pages: u32) -> Distribution {
    let per_write = 1.0 / (load * f64::from(pages));
    // Victims hold `lowest` valid pages, or one less with the chance `rest`.
    let (mut harmonic, mut lowest, mut rest) = (0.0, 0, 0.0);
    for level in (1..=pages).rev() {
        let own = 1.0 / f64::from(level);
        let writes = f64::from(pages - level);
        if level < pages && harmonic + own >= (writes + 1.0) * per_write {
            (lowest, rest) = (level, (writes * per_write - harmonic) / (own - per_write));
            break;
        }
        harmonic += own;
    }
    let decay = (f64::from(pages - lowest) + rest) * per_write;
    let mut shares: Vec<f64> =
        (0..=pages).map(|i| if i > lowest { 1.0 / (decay * f64::from(i)) } else { 0.0 }).collect();
    shares[lowest as usize] = (1.0 - shares.iter().sum::<f64>()).max(0.0);
    Distribution::of(shares, decay, load)
}
