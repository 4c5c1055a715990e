//! Valid pages a block under uniform random writes: the fixed point of the mean-field model of Van Houdt ("A mean field
//! model for a class of garbage collection algorithms in flash-based solid state drives", SIGMETRICS 2013), for a finite
//! number of pages a block and infinitely many blocks.
//!
//! Time is counted in collections per full block. A valid page is overwritten at the rate `decay`, a block with `i` valid
//! pages hence becomes one with `i - 1` at the rate `i × decay`, victims leave with the chance the policy gives them and
//! come back full. The flow through a level balances: for every `k` below `b`,
//!
//! ```text
//!     decay (k + 1) m[k + 1]  =  chance that a victim holds at most k valid pages
//! ```
//!
//! with `m` the shares wanted. Victims that hold `j` on average leave room for `b - j` writes, which overwrite
//! `decay × load × b` pages: so the write amplification `b / (b - j)` is `1 / (decay × load)`.
//!
//! - *d-choices*: the chance is `1 - S[k]^d`, where `S[k]` is the share of blocks with more than `k`. From `S[b] = 0` down
//!   every `S[k]` is the root of one increasing function; the mean, the sum of `S`, falls with `decay`.
//! - *greedy*, the limit of large `d`: victims hold `j` or `j - 1`, so `m[i] = 1 / (decay i)` above `j`, in closed form.
//! - *first in, first out*: a block lives for one unit of time, so a page survives with the chance `x = e^-decay`;
//!   integrating the binomial over ages gives `m[i] = P(Bin(b, x) < i) / (decay i)`.
//! - *random*, *random+*: `random_plus.rs`.
//!
//! Blocks without an invalid page are no victims: the write amplification is that without copying those in vain.

use crate::ftl::steady::{Policy, random_plus};

/// Valid pages a full block.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// Share of full blocks with 0, 1, … valid pages, up to all of them.
    pub shares: Vec<f64>,
    /// Pages written to flash for each that the host writes.
    pub write_amplification: f64,
}

impl Distribution {
    /// The steady state of full blocks of `pages` pages, a share `load` of which is valid, or none if it has to be found by
    /// writing ([`super::plane`]).
    pub fn solve(policy: Policy, load: f64, pages: u32) -> Option<Distribution> {
        let solved = match policy {
            Policy::CostBenefit => return None,
            _ if load <= 0.0 => Distribution::all_at(0, pages, 1.0),
            _ if load >= 1.0 => Distribution::all_at(pages, pages, f64::INFINITY),
            Policy::Greedy => greedy(load, pages),
            Policy::DChoices(0..=1) | Policy::Random => random_plus::solve(load, pages, 1),
            Policy::RandomPlus { invalid } => random_plus::solve(load, pages, invalid.clamp(1, pages)),
            Policy::DChoices(choices) => d_choices(load, pages, choices),
            Policy::Fifo => fifo(load, pages),
        };
        Some(solved)
    }

    fn all_at(valid: u32, pages: u32, write_amplification: f64) -> Distribution {
        let mut shares = vec![0.0; pages as usize + 1];
        shares[valid as usize] = 1.0;
        Distribution { shares, write_amplification }
    }

    /// Made of the shares and the rate at which a valid page is overwritten.
    pub(super) fn of(shares: Vec<f64>, decay: f64, load: f64) -> Distribution {
        Distribution { shares, write_amplification: 1.0 / (decay * load) }
    }

    /// Valid pages of the average block.
    pub fn mean(&self) -> f64 {
        (0u32..).zip(&self.shares).map(|(valid, share)| f64::from(valid) * share).sum()
    }
}

/// The value in `low..=high` at which `above` turns from false to true.
pub(super) fn bisect(mut low: f64, mut high: f64, mut above: impl FnMut(f64) -> bool) -> f64 {
    // 60 halvings exhaust a double.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if above(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

fn greedy(load: f64, pages: u32) -> Distribution {
    let per_write = 1.0 / (load * f64::from(pages));
    // Levels from the top: victims hold `lowest` valid pages, or one less with the chance `rest`.
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
    // What is left of 1: those about to be taken, or without a valid page.
    shares[lowest as usize] = (1.0 - shares.iter().sum::<f64>()).max(0.0);
    Distribution::of(shares, decay, load)
}

fn d_choices(load: f64, pages: u32, choices: u32) -> Distribution {
    let d = f64::from(choices);
    let target = load * f64::from(pages);
    let mut more = vec![0.0; pages as usize + 1];
    // Between random, whose victims hold the average, and victims that hold nothing.
    let decay = bisect(0.999 * (1.0 - load) / load, 1.0 / load, |decay| {
        shares_above(&mut more, decay, d);
        more.iter().sum::<f64>() < target
    });
    shares_above(&mut more, decay, d);
    let mut shares = vec![1.0 - more[0]];
    shares.extend(more.windows(2).map(|pair| pair[0] - pair[1]));
    let mut found = Distribution::of(shares, decay, load);
    // The equations let a fully valid block be rewritten, which leaves everything as it was but the count of copies.
    found.write_amplification *= 1.0 - more[pages as usize - 1].powf(d);
    found
}

/// The shares of blocks with more than k valid pages, for every k.
fn shares_above(more: &mut [f64], decay: f64, d: f64) {
    let pages = more.len() - 1;
    more[pages] = 0.0;
    for k in (0..pages).rev() {
        more[k] = share_above(more[k + 1], decay * (k + 1) as f64, d);
    }
}

/// The root `s` of `s - (1 - s^d) / rate = next`, which lies between `next` and 1 if there is one.
fn share_above(next: f64, rate: f64, d: f64) -> f64 {
    // The function is convex and rising, so Newton's steps fall to the root from above and never pass it.
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

fn fifo(load: f64, pages: u32) -> Distribution {
    // decay × load = 1 - e^-decay; convex, and Newton's steps come from above.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::steady::formulas;

    fn solve(policy: Policy, load: f64, pages: u32) -> Distribution {
        Distribution::solve(policy, load, pages).expect("a policy with a fixed point")
    }

    fn policies(pages: u32) -> Vec<Policy> {
        let mut all = vec![Policy::Greedy, Policy::Random, Policy::Fifo];
        all.extend([1, 2, 5, 10, 30, 1000, 100_000].map(Policy::DChoices));
        all.extend([1, 2, pages / 8, pages / 2, pages].map(|invalid| Policy::RandomPlus { invalid }));
        all
    }

    #[test]
    fn shares_sum_to_one_and_their_mean_is_the_load() {
        for pages in [2, 5, 64, 1024] {
            for load in [0.02, 0.3, 0.5, 0.8, 0.9, 0.95, 0.999] {
                for policy in policies(pages) {
                    let found = solve(policy, load, pages);
                    let case = format!("{policy:?} load {load} pages {pages}");
                    assert!(found.shares.iter().all(|&s| (-1e-12..=1.0 + 1e-12).contains(&s)), "{case}");
                    assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{case}");
                    let mean = load * f64::from(pages);
                    assert!((found.mean() - mean).abs() < 1e-7 * mean, "{case}: {} for {mean}", found.mean());
                    assert!(found.write_amplification >= 1.0 - 1e-9, "{case}: {}", found.write_amplification);
                }
            }
        }
    }

    /// The equation of motion itself, put together from the chances of victims rather than their sums.
    #[test]
    fn d_choices_stands_still_under_the_mean_field_equation() {
        let (pages, load) = (48, 0.85);
        for d in [2, 10, 30] {
            let found = solve(Policy::DChoices(d), load, pages);
            let at_least = |i: usize| found.shares[i..].iter().sum::<f64>();
            let victim: Vec<f64> = (0..=pages as usize)
                .map(|i| {
                    at_least(i).powi(d as i32) - if i < pages as usize { at_least(i + 1).powi(d as i32) } else { 0.0 }
                })
                .collect();
            let held: f64 = victim.iter().enumerate().map(|(i, p)| i as f64 * p).sum();
            let decay = (f64::from(pages) - held) / (load * f64::from(pages));
            for (i, leave) in victim[..pages as usize].iter().enumerate() {
                let change = decay * ((i + 1) as f64 * found.shares[i + 1] - i as f64 * found.shares[i]) - leave;
                assert!(change.abs() < 1e-9, "d {d}, level {i}: {change}");
            }
            let in_vain = victim[pages as usize];
            let amplification = (1.0 - in_vain) * f64::from(pages) / (f64::from(pages) - held);
            assert!((amplification - found.write_amplification).abs() < 1e-8 * amplification);
        }
    }

    #[test]
    fn many_choices_are_greedy_and_policies_rank() {
        for load in [0.5, 0.8, 0.93] {
            let amplification = |policy| solve(policy, load, 64).write_amplification;
            let greedy = amplification(Policy::Greedy);
            assert!((amplification(Policy::DChoices(1_000_000)) / greedy - 1.0).abs() < 1e-3);
            let ranked: Vec<f64> = [10_000, 100, 10, 3, 2, 1].map(|d| amplification(Policy::DChoices(d))).into();
            assert!(greedy < ranked[0] && ranked.is_sorted(), "{greedy} {ranked:?}");
            assert!(greedy < amplification(Policy::Fifo));
        }
    }

    #[test]
    fn closed_forms_agree() {
        for load in [0.5, 0.7, 0.8, 0.9, 0.95] {
            let amplification = |policy, pages| solve(policy, load, pages).write_amplification;
            assert!((amplification(Policy::Fifo, 64) / formulas::fifo(load) - 1.0).abs() < 1e-6, "{load}");
            assert!((amplification(Policy::Greedy, 4096) / formulas::fifo(load) - 1.0).abs() < 0.01, "{load}");
            for pages in [32, 256] {
                let ratio = amplification(Policy::Greedy, pages) / formulas::greedy(load, pages);
                assert!((ratio - 1.0).abs() < 0.005, "{load} {pages}: {ratio}");
            }
            // Collecting a fully valid block changes nothing but the count of copies: without those, random's is less.
            let random = solve(Policy::Random, load, 64);
            let expected = formulas::random(load) * (1.0 - random.shares[64]);
            assert!((random.write_amplification / expected - 1.0).abs() < 1e-9, "{load}");
        }
    }
}
