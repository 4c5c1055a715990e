//! Randomised greedy: the best of some blocks drawn at random (Van Houdt, "A mean field model for a class of garbage
//! collection algorithms in flash-based solid state drives", SIGMETRICS 2013, §2).
//!
//! Steady state: the chance that a victim holds at most `k` valid pages is `1 - S[k]^d`, where `S[k]` is the share of blocks
//! with more than `k`. From `S[b] = 0` down every `S[k]` is the root of one increasing function; the mean, the sum of `S`,
//! falls with `decay` (symbols as in `steady/distribution.rs`).

use super::random::Random;
use super::random_plus;
use super::{GcPolicy, greedy};
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::{Distribution, bisect};
use crate::ftl::steady::victims::{VictimPool, View};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DChoices(pub u32);

impl GcPolicy for DChoices {
    fn new(config: &Gc) -> DChoices {
        DChoices(config.choices)
    }

    /// Draws again while all are full of valid pages.
    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
        for _ in 0..random_plus::DRAWS {
            let best = self.best(blocks, rng)?;
            if blocks.is_reclaimable(best) {
                return Some(best);
            }
        }
        greedy::fewest_valid(blocks)
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        match self.0 {
            0..=1 => Random.steady_state(load, pages),
            choices => Some(Distribution::at(load, pages, |load, pages| solve(load, pages, choices))),
        }
    }

    fn victims(&self, _: u32, _: u32) -> VictimPool {
        let choices = self.0;
        VictimPool::unordered(move |full, view, random| fewest_of(choices, full, view, random))
    }
}

impl DChoices {
    fn best(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
        let mut best = random_plus::draw(blocks, rng)?;
        for _ in 1..self.0 {
            let drawn = random_plus::draw(blocks, rng)?;
            if blocks.valid(drawn) < blocks.valid(best) {
                best = drawn;
            }
        }
        Some(best)
    }
}

/// They come to the front; draws again if all are fully valid.
fn fewest_of(choices: u32, full: &mut [u32], view: View, random: &mut Stream) -> usize {
    let last = full.len() - 1;
    let drawn = (choices as usize).clamp(1, last + 1);
    loop {
        for place in 0..drawn {
            full.swap(place, random.integer(place as u64, last as u64) as usize);
        }
        let best = (0..drawn).min_by_key(|&place| view.valid(full[place])).expect("at least one choice");
        if view.valid(full[best]) < view.pages {
            return best;
        }
        assert!(drawn <= last, "no full block has an invalid page");
    }
}

fn solve(load: f64, pages: u32, choices: u32) -> Distribution {
    let d = f64::from(choices);
    let target = load * f64::from(pages);
    let mut more = vec![0.0; pages as usize + 1];
    // Between random, whose victims hold the average, and empty victims.
    let decay = bisect(0.999 * (1.0 - load) / load, 1.0 / load, |decay| {
        shares_above(&mut more, decay, d);
        more.iter().sum::<f64>() < target
    });
    shares_above(&mut more, decay, d);
    let mut shares = vec![1.0 - more[0]];
    shares.extend(more.windows(2).map(|pair| pair[0] - pair[1]));
    let mut found = Distribution::of(shares, decay, load);
    // The equations let a fully valid block be rewritten, which only adds copies.
    found.write_amplification *= 1.0 - more[pages as usize - 1].powf(d);
    found
}

/// For every k.
fn shares_above(more: &mut [f64], decay: f64, d: f64) {
    let pages = more.len() - 1;
    more[pages] = 0.0;
    for k in (0..pages).rev() {
        more[k] = share_above(more[k + 1], decay * (k + 1) as f64, d);
    }
}

/// Root of `s - (1 - s^d) / rate = next`, between `next` and 1 if there is one.
fn share_above(next: f64, rate: f64, d: f64) -> f64 {
    // Convex and rising: Newton's steps fall to the root and never pass it.
    let mut s = (next + 1.0 / rate).min(1.0);
    for _ in 0..100 {
        let power = s.powf(d - 1.0);
        let step = (s - (1.0 - power * s) / rate - next) / (1.0 + d * power / rate);
        s -= step;
        if step <= 1e-16 {
            break;
        }
    }
    s.clamp(next, 1.0)
}
