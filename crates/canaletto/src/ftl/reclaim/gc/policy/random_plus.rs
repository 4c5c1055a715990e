//! Random+: a block drawn among those whose collection reclaims space and that have at least `t` invalid pages.
//!
//! Steady state:
//!
//! With `c = b - t`, the share `Z` of blocks that qualify and `h = 1/(c + 1) + … + 1/b`, the balance of flows (see
//! `steady/distribution.rs`) reads `decay i m[i] = 1` above `c`, hence `Z = 1 - h / decay`. Below `c`, `m[i + 1] / m[i]
//! = (1 + mu i) / (mu (i + 1))` with `mu = decay Z`. Victims hold `(load b - t / decay) / Z` pages on average, which
//! leaves a quadratic equation for `decay`: its greater root has `Z > 0`, and exists if `load < t / (b h)`.
//!
//! Beyond that load few blocks qualify: the drawings find one for a share `f` of the victims, the others are any
//! blocks. Then `m[i] = 0` up to `c`. `f` and `decay` follow from the sum and the mean.

use super::{GcPolicy, greedy};
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::{Distribution, bisect};
use crate::ftl::steady::victims::{VictimPool, View};

/// If as many draws as blocks find none, any block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomPlus {
    pub invalid_share: f64,
}

impl GcPolicy for RandomPlus {
    fn new(config: &Gc) -> RandomPlus {
        RandomPlus { invalid_share: config.min_invalid_share }
    }

    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
        draw_with(blocks, self.invalid(blocks.pages_per_block()), rng)
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        Some(Distribution::at(load, pages, |load, pages| solve(load, pages, self.invalid(pages).max(1))))
    }

    fn victims(&self, _: u32, pages: u32) -> VictimPool {
        let least = self.invalid(pages).max(1);
        VictimPool::unordered(move |full, view, random| {
            (0..full.len())
                .map(|_| any(full, random))
                .find(|&place| view.pages - view.valid(full[place]) >= least)
                .unwrap_or_else(|| any_invalid(full, view, random))
        })
    }
}

impl RandomPlus {
    fn invalid(self, pages: u32) -> u32 {
        (self.invalid_share * f64::from(pages)).ceil() as u32
    }
}

pub fn solve(load: f64, pages: u32, invalid: u32) -> Distribution {
    let (b, t) = (f64::from(pages), f64::from(invalid));
    let most = pages - invalid;
    let h: f64 = (most + 1..=pages).map(|i| 1.0 / f64::from(i)).sum();
    if load >= t / (b * h) {
        return starved(load, pages, most);
    }
    // load b x² - (load b h + b - load b) x + b h - t = 0
    let half = 0.5 * (load * b * h + b - load * b);
    let root = (half * half - load * b * (b * h - t)).max(0.0).sqrt();
    let decay = (half + root) / (load * b);
    let qualify = 1.0 - h / decay;
    let mu = decay * qualify;
    let mut shares = vec![0.0; pages as usize + 1];
    shares[most as usize] = qualify / (mu * f64::from(most) + 1.0);
    for i in (0..most).rev() {
        shares[i as usize] = shares[i as usize + 1] * mu * f64::from(i + 1) / (1.0 + mu * f64::from(i));
    }
    for i in most + 1..=pages {
        shares[i as usize] = 1.0 / (decay * f64::from(i));
    }
    Distribution::of(shares, decay, load)
}

fn starved(load: f64, pages: u32, most: u32) -> Distribution {
    let mut shares = vec![0.0; pages as usize + 1];
    let target = load * f64::from(pages);
    let mean = |shares: &[f64]| (0u32..).zip(shares).map(|(i, share)| f64::from(i) * share).sum::<f64>();
    // The share may be smaller than a sum to 1 can show.
    let least = f64::MIN_POSITIVE.ln();
    balance(&mut shares, most as usize, least.exp());
    if mean(&shares) < target {
        return solve(load, pages, 1);
    }
    let log = bisect(least, 0.0, |log: f64| {
        balance(&mut shares, most as usize, log.exp());
        mean(&shares) < target
    });
    let decay = balance(&mut shares, most as usize, log.exp());
    Distribution::of(shares, decay, load)
}

/// A share `f` of victims has `most` valid pages. Returns the decay, at which shares sum to 1.
fn balance(shares: &mut [f64], most: usize, f: f64) -> f64 {
    let pages = shares.len() - 1;
    let mut fill = |decay: f64| {
        shares.fill(0.0);
        shares[pages] = 1.0 / (decay * pages as f64);
        let others = (1.0 - f) / (1.0 - shares[pages]);
        let mut sum = 0.0;
        for k in most..pages - 1 {
            shares[k + 1] = (f + others * sum) / (decay * (k + 1) as f64);
            sum += shares[k + 1];
        }
        sum + shares[pages] < 1.0
    };
    let harmonic: f64 = (most + 1..=pages).map(|i| 1.0 / i as f64).sum();
    let decay = bisect((1.0 + 1e-15) / pages as f64, harmonic, &mut fill);
    fill(decay);
    decay
}

/// With a quarter of the blocks eligible all but 1 of 10^7 drawings end before.
pub const DRAWS: u32 = 64;

/// If none is drawn, a greedy choice.
pub fn draw_with(blocks: &Candidates, least_invalid: u32, rng: &mut Stream) -> Option<u32> {
    let most_valid = blocks.pages_per_block().saturating_sub(least_invalid);
    for _ in 0..DRAWS {
        let drawn = draw(blocks, rng)?;
        if blocks.is_reclaimable(drawn) && blocks.valid(drawn) <= most_valid {
            return Some(drawn);
        }
    }
    greedy::fewest_valid(blocks)
}

pub fn draw(blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
    let count = blocks.count();
    for _ in 0..DRAWS {
        let drawn = rng.integer(0, u64::from(count.checked_sub(1)?)) as u32;
        if blocks.is_full(drawn) {
            return Some(drawn);
        }
    }
    let full = blocks.full().count() as u64;
    let place = rng.integer(0, full.checked_sub(1)?);
    blocks.full().nth(place as usize)
}

pub fn any(full: &[u32], random: &mut Stream) -> usize {
    random.integer(0, full.len() as u64 - 1) as usize
}

pub fn any_invalid(full: &[u32], view: View, random: &mut Stream) -> usize {
    assert!(full.iter().any(|&block| view.valid(block) < view.pages), "no full block has an invalid page");
    loop {
        let place = any(full, random);
        if view.valid(full[place]) < view.pages {
            return place;
        }
    }
}
