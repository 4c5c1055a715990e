//! FIFO: the block filled longest ago that has an invalid page.
//!
//! Steady state: a block lives for one unit of time, so a page survives with the chance `x = e^-decay`; integrating the
//! binomial over ages gives `m[i] = P(Bin(b, x) < i) / (decay i)` (symbols as in `steady/distribution.rs`).

use super::GcPolicy;
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::victims::VictimPool;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fifo;

impl GcPolicy for Fifo {
    fn new(_: &Gc) -> Fifo {
        Fifo
    }

    fn choose(&self, blocks: &Candidates, _: &mut Stream) -> Option<u32> {
        blocks.full().filter(|&block| blocks.is_reclaimable(block)).min_by_key(|&block| blocks.filled(block))
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        Some(Distribution::at(load, pages, solve))
    }

    fn victims(&self, _: u32, _: u32) -> VictimPool {
        VictimPool::in_order_of_filling()
    }
}

fn solve(load: f64, pages: u32) -> Distribution {
    // decay × load = 1 - e^-decay; convex, Newton's steps come from above.
    let mut decay = 1.0 / load;
    for _ in 0..100 {
        let step = (decay * load + (-decay).exp_m1()) / (load - (-decay).exp());
        decay -= step;
        if step.abs() <= 1e-15 * decay {
            break;
        }
    }
    let survive = (-decay).exp();
    let odds = (survive / -(-decay).exp_m1()).ln();
    let b = f64::from(pages);
    let mut log_chance = b * (-(-decay).exp_m1()).ln();
    let (mut below, mut shares) = (0.0, vec![0.0]);
    for i in 1..=pages {
        below += log_chance.exp();
        let i = f64::from(i);
        log_chance += ((b - i + 1.0) / i).ln() + odds;
        shares.push(below.min(1.0) / (decay * i));
    }
    shares[0] = (1.0 - shares.iter().sum::<f64>()).max(0.0);
    Distribution::of(shares, decay, load)
}
