//! Valid pages per block under uniform random writes: the fixed point of the mean-field model of Van Houdt ("A mean
//! field model for a class of garbage collection algorithms in flash-based solid state drives", SIGMETRICS 2013), for a
//! finite number of pages per block.
//!
//! Time is counted in collections per full block. A valid page is overwritten at the rate `decay`, so a block with `i`
//! valid pages becomes one with `i - 1` at the rate `i × decay`. Victims leave with the chance the policy gives them
//! and come back full. The flow through a level balances: for every `k` below `b`,
//!
//! ```text
//!     decay (k + 1) m[k + 1]  =  chance that a victim holds at most k valid pages
//! ```
//!
//! with `m` the shares wanted. Victims that hold `j` on average leave room for `b - j` writes, which overwrite `decay ×
//! load × b` pages: the write amplification `b / (b - j)` is `1 / (decay × load)`.
//!
//! Copies that would reclaim nothing do not count in the write amplification.

#[derive(Clone, Debug)]
pub struct Distribution {
    /// Up to all pages.
    pub shares: Vec<f64>,
    /// Per page that the host writes.
    pub write_amplification: f64,
}

impl Distribution {
    /// By `solve`, unless nothing or everything is valid.
    pub fn at(load: f64, pages: u32, solve: impl FnOnce(f64, u32) -> Distribution) -> Distribution {
        match load {
            _ if load <= 0.0 => Distribution::all_at(0, pages, 1.0),
            _ if load >= 1.0 => Distribution::all_at(pages, pages, f64::INFINITY),
            _ => solve(load, pages),
        }
    }

    fn all_at(valid: u32, pages: u32, write_amplification: f64) -> Distribution {
        let mut shares = vec![0.0; pages as usize + 1];
        shares[valid as usize] = 1.0;
        Distribution { shares, write_amplification }
    }

    pub fn of(shares: Vec<f64>, decay: f64, load: f64) -> Distribution {
        Distribution { shares, write_amplification: 1.0 / (decay * load) }
    }

    pub fn mean(&self) -> f64 {
        (0u32..).zip(&self.shares).map(|(valid, share)| f64::from(valid) * share).sum()
    }
}

/// `above` turns from false to true there.
pub fn bisect(mut low: f64, mut high: f64, mut above: impl FnMut(f64) -> bool) -> f64 {
    // 60 halvings exhaust a double.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if above(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::reclaim::gc::policy::{DChoices, Fifo, Greedy, Policy, Random, RandomPlus};
    use crate::ftl::steady::formulas;

    fn solve(policy: &Policy, load: f64, pages: u32) -> Distribution {
        policy.steady_state(load, pages).expect("a policy with a fixed point")
    }

    fn policies(pages: u32) -> Vec<Policy> {
        let mut all = vec![Greedy.into(), Random.into(), Fifo.into()];
        all.extend([1, 2, 5, 10, 30, 1000, 100_000].map(|choices| Policy::from(DChoices(choices))));
        let share = |invalid: u32| f64::from(invalid) / f64::from(pages);
        all.extend([1, 2, pages / 8, pages / 2, pages].map(|n| Policy::from(RandomPlus { invalid_share: share(n) })));
        all
    }

    #[test]
    fn shares_sum_to_one_and_their_mean_is_the_load() {
        for pages in [2, 5, 64, 1024] {
            for load in [0.02, 0.3, 0.5, 0.8, 0.9, 0.95, 0.999] {
                for policy in policies(pages) {
                    let found = solve(&policy, load, pages);
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

    #[test]
    fn d_choices_stands_still_under_the_mean_field_equation() {
        let (pages, load) = (48, 0.85);
        for d in [2, 10, 30] {
            let found = solve(&Policy::from(DChoices(d)), load, pages);
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
            let ecc_failed = victim[pages as usize];
            let amplification = (1.0 - ecc_failed) * f64::from(pages) / (f64::from(pages) - held);
            assert!((amplification - found.write_amplification).abs() < 1e-8 * amplification);
        }
    }

    #[test]
    fn many_choices_are_greedy_and_policies_rank() {
        for load in [0.5, 0.8, 0.93] {
            let amplification = |policy: Policy| solve(&policy, load, 64).write_amplification;
            let greedy = amplification(Policy::from(Greedy));
            assert!((amplification(Policy::from(DChoices(1_000_000))) / greedy - 1.0).abs() < 1e-3);
            let ranked: Vec<f64> = [10_000, 100, 10, 3, 2, 1].map(|d| amplification(Policy::from(DChoices(d)))).into();
            assert!(greedy < ranked[0] && ranked.is_sorted(), "{greedy} {ranked:?}");
            assert!(greedy < amplification(Policy::from(Fifo)));
        }
    }

    #[test]
    fn closed_forms_agree() {
        for load in [0.5, 0.7, 0.8, 0.9, 0.95] {
            let amplification = |policy: Policy, pages| solve(&policy, load, pages).write_amplification;
            assert!((amplification(Policy::from(Fifo), 64) / formulas::fifo(load) - 1.0).abs() < 1e-6, "{load}");
            assert!((amplification(Policy::from(Greedy), 4096) / formulas::fifo(load) - 1.0).abs() < 0.01, "{load}");
            for pages in [32, 256] {
                let ratio = amplification(Policy::from(Greedy), pages) / formulas::greedy(load, pages);
                assert!((ratio - 1.0).abs() < 0.005, "{load} {pages}: {ratio}");
            }
            // Collecting a fully valid block only adds copies.
            let random = solve(&Policy::from(Random), load, 64);
            let expected = formulas::random(load) * (1.0 - random.shares[64]);
            assert!((random.write_amplification / expected - 1.0).abs() < 1e-9, "{load}");
        }
    }
}
