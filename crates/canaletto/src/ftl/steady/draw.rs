//! With exact totals.

use crate::engine::random::Stream;
use crate::ftl::steady::census::Census;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::permutation::{Permutation, mix};

/// In the order of filling, the oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct FullBlocks {
    pub classes: usize,
    /// Block after block.
    pub counts: Vec<u32>,
    pub ages: Vec<f32>,
}

impl FullBlocks {
    /// With `total` valid pages of one class: shares by largest remainder, then single pages.
    ///
    /// A page survives with the chance `x = e^-age`, so given `i` of `b` valid pages `x` is distributed about as Beta(i
    /// + 1/2, b - i + 1/2).
    pub fn from_distribution(found: &Distribution, blocks: u32, total: u32, random: &mut Stream) -> FullBlocks {
        let pages = found.shares.len() as u32 - 1;
        let mut spare = None;
        let mut drawn: Vec<(f32, u32)> = Vec::with_capacity(blocks as usize);
        for (valid, n) in (0u32..).zip(apportion(&found.shares, blocks)) {
            let mean = (f64::from(valid) + 0.5) / (f64::from(pages) + 1.0);
            let deviation = (mean * (1.0 - mean) / (f64::from(pages) + 2.0)).sqrt();
            let least = 0.25 / f64::from(pages + 1);
            for _ in 0..n {
                let alive = random.normal(mean, deviation, &mut spare).clamp(least, 1.0 - least);
                drawn.push((-alive.ln() as f32, valid));
            }
        }
        drawn.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let (ages, counts) = drawn.into_iter().unzip();
        let mut made = FullBlocks { classes: 1, counts, ages };
        made.meet(pages, &[total], random);
        made
    }

    /// Blocks like those counted, with `totals` valid pages of each class.
    pub fn from_census(census: &Census, blocks: u32, pages: u32, totals: &[u32], random: &mut Stream) -> FullBlocks {
        let counted = census.ages.len() as f64;
        let mut made = FullBlocks { classes: census.classes, counts: Vec::new(), ages: Vec::new() };
        for block in 0..blocks {
            let like = ((f64::from(block) + random.uniform()) / f64::from(blocks) * counted) as usize;
            made.counts.extend(&census.full[like * census.classes..(like + 1) * census.classes]);
            made.ages.push(census.ages[like]);
        }
        made.meet(pages, totals, random);
        made
    }

    /// With `pages` pages instead of `drawn` each.
    pub fn resized(mut self, drawn: u32, pages: u32, totals: &[u32], random: &mut Stream) -> FullBlocks {
        let resize = |count: &mut u32| *count = (u64::from(*count) * u64::from(pages) / u64::from(drawn)) as u32;
        self.counts.iter_mut().for_each(resize);
        self.meet(pages, totals, random);
        self
    }

    fn meet(&mut self, pages: u32, totals: &[u32], random: &mut Stream) {
        let capacity = self.ages.len() as u64 * u64::from(pages);
        assert!(
            totals.iter().map(|&t| u64::from(t)).sum::<u64>() <= capacity,
            "more valid pages than full blocks hold"
        );
        let have: Vec<u64> = (0..self.classes)
            .map(|c| self.counts.iter().skip(c).step_by(self.classes).map(|&n| u64::from(n)).sum())
            .collect();
        let order = Permutation::new(self.ages.len() as u32, mix(random.integer(0, u64::from(u32::MAX))));
        for (class, (&have, &want)) in have.iter().zip(totals).enumerate() {
            self.change(have.saturating_sub(u64::from(want)), order, |row| {
                row[class] = row[class].checked_sub(1)?;
                Some(())
            });
        }
        for (class, (&have, &want)) in have.iter().zip(totals).enumerate() {
            self.change(u64::from(want).saturating_sub(have), order, |row| {
                let room = row.iter().sum::<u32>() < pages;
                row[class] += u32::from(room);
                room.then_some(())
            });
        }
    }

    fn change(&mut self, mut times: u64, order: Permutation, step: impl Fn(&mut [u32]) -> Option<()>) {
        let blocks = self.ages.len() as u32;
        while times > 0 {
            for place in 0..blocks {
                let block = order.apply(place) as usize;
                if times > 0 && step(&mut self.counts[block * self.classes..(block + 1) * self.classes]).is_some() {
                    times -= 1;
                }
            }
        }
    }
}

/// In the ratio of `shares`, or evenly if all are 0 (Hamilton's method of largest remainders).
pub fn apportion(shares: &[f64], total: u32) -> Vec<u32> {
    let sum: f64 = shares.iter().map(|s| s.max(0.0)).sum();
    let part = |share: &f64| if sum > 0.0 { share.max(0.0) / sum } else { 1.0 / shares.len() as f64 };
    let quotas: Vec<f64> = shares.iter().map(|share| part(share) * f64::from(total)).collect();
    let mut parts: Vec<u32> = quotas.iter().map(|q| *q as u32).collect();
    let missing = total.saturating_sub(parts.iter().sum());
    let mut order: Vec<usize> = (0..quotas.len()).collect();
    order.sort_by(|&a, &b| quotas[b].fract().total_cmp(&quotas[a].fract()).then(a.cmp(&b)));
    order.into_iter().take(missing as usize).for_each(|part| parts[part] += 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::reclaim::gc::policy::{DChoices, Fifo, Greedy, Policy, Random};

    #[test]
    fn parts_add_up() {
        assert_eq!(apportion(&[0.5, 0.3, 0.2], 10), [5, 3, 2]);
        assert_eq!(apportion(&[1.0, 1.0, 1.0], 11).iter().sum::<u32>(), 11);
        assert_eq!(apportion(&[0.0, 2.5, 1.5], 4), [0, 3, 1]);
        assert_eq!(apportion(&[0.0, 0.0], 4), [2, 2]);
    }

    #[test]
    fn drawn_blocks_follow_the_distribution() {
        let mut random = Stream::named(1, "test");
        for (policy, load) in [
            (Policy::from(Greedy), 0.8),
            (Policy::from(Random), 0.9),
            (Policy::from(Fifo), 0.3),
            (Policy::from(DChoices(5)), 0.95),
        ] {
            let found = policy.steady_state(load, 64).expect("a fixed point");
            let total = (load * 64.0 * 1000.0) as u32 - 77;
            let drawn = FullBlocks::from_distribution(&found, 1000, total, &mut random);
            assert_eq!(drawn.counts.iter().sum::<u32>(), total);
            assert!(drawn.ages.is_sorted_by(|a, b| a >= b));
            let (mut below, mut expected) = (0.0, 0.0);
            for (valid, share) in (0u32..).zip(&found.shares) {
                below += drawn.counts.iter().filter(|&&n| n == valid).count() as f64 / 1000.0;
                expected += share;
                // 77 blocks of 1000 hold a page less, besides rounding.
                assert!((below - expected).abs() < 0.12, "{policy:?} {valid}: {below} for {expected}");
            }
        }
    }

    /// No block overflows.
    #[test]
    fn totals_of_classes_are_met() {
        let census = Census {
            classes: 2,
            pages: 4,
            full: vec![3, 1, 0, 4, 1, 1],
            ages: vec![3.0, 2.0, 1.0],
            copies: vec![0.1, 0.1],
        };
        for totals in [[0, 0], [40, 0], [17, 23], [1, 30]] {
            let drawn = FullBlocks::from_census(&census, 10, 4, &totals, &mut Stream::named(2, "test"));
            assert!(drawn.counts.chunks(2).all(|row| row[0] + row[1] <= 4));
            for (class, &total) in totals.iter().enumerate() {
                assert_eq!(drawn.counts.iter().skip(class).step_by(2).sum::<u32>(), total);
            }
        }
    }
}
