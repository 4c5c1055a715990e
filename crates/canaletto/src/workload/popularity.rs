//! Distributions of popularity over places.
//!
//! A *rank* is a place's number by popularity, from 0. A [`Law`] gives the probability of each rank, a [`Scatter`] its
//! place. Both take constant memory.

use crate::config::workload::{Addresses, Synthetic};
use crate::engine::random::{Stream, mixed};

#[derive(Debug, Clone)]
pub enum Law {
    /// Rank k - 1 in proportion to 1 / k^s.
    Zipf(Zipf),
    /// The first share x of the ranks has the probability x^power.
    Pareto {
        /// ln(1 - h) / ln(h), if a share h of the places receives 1 - h of the requests.
        power: f64,
        places: f64,
    },
}

/// Zipf's law, sampled by rejection from an inverted integral (W. Hörmann and G. Derflinger, "Rejection-inversion to
/// generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996).
#[derive(Debug, Clone)]
pub struct Zipf {
    exponent: f64,
    places: f64,
    /// Up to the last rank's end, and the point from which the first rank's share begins.
    to: f64,
    from: f64,
    /// From a whole number: no comparison with the exact law is needed.
    near: f64,
}

impl Zipf {
    fn new(exponent: f64, places: f64) -> Zipf {
        let mut zipf = Zipf { exponent, places, to: 0.0, from: 0.0, near: 0.0 };
        zipf.to = zipf.integral(places + 0.5);
        zipf.from = zipf.integral(1.5) - 1.0;
        zipf.near = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    fn weight(&self, k: f64) -> f64 {
        k.powf(-self.exponent)
    }

    /// Of the weight from 1 to `x`: (x^(1 - s) - 1) / (1 - s), also for s at or near 1.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let t = (1.0 - self.exponent) * log;
        log * if t.abs() > 1e-8 { t.exp_m1() / t } else { 1.0 + t / 2.0 }
    }

    fn inverse(&self, integral: f64) -> f64 {
        // Rounding may go beyond the integral's end.
        let t = (integral * (1.0 - self.exponent)).max(-1.0);
        (integral * if t.abs() > 1e-8 { t.ln_1p() / t } else { 1.0 - t / 2.0 }).exp()
    }

    fn draw(&self, random: &mut Stream) -> u64 {
        loop {
            let u = self.to + random.uniform() * (self.from - self.to);
            let x = self.inverse(u);
            let k = (x + 0.5).floor().clamp(1.0, self.places);
            if k - x <= self.near || u >= self.integral(k + 0.5) - self.weight(k) {
                return k as u64 - 1;
            }
        }
    }
}

impl Law {
    pub fn of(config: &Synthetic, places: u64) -> Option<Law> {
        match (config.addresses, config.zipf_exponent, config.hot_share) {
            (Addresses::Zipf, Some(exponent), _) => Some(Law::Zipf(Zipf::new(exponent, places as f64))),
            (Addresses::Pareto, _, Some(hot)) => {
                Some(Law::Pareto { power: (1.0 - hot).ln() / hot.ln(), places: places as f64 })
            }
            _ => None,
        }
    }

    pub fn draw(&self, random: &mut Stream) -> u64 {
        match self {
            Law::Zipf(zipf) => zipf.draw(random),
            Law::Pareto { power, places } => {
                let rank = places * random.uniform().powf(1.0 / power);
                rank.min(places - 1.0) as u64
            }
        }
    }

    fn cumulative(&self, x: f64) -> f64 {
        match self {
            Law::Zipf(zipf) if x > 1.0 => 1.0 + zipf.integral(x + 0.5) - zipf.integral(1.5),
            Law::Zipf(_) => x.max(0.0),
            Law::Pareto { power, places } => (x.max(0.0) / places).powf(*power),
        }
    }
}

/// Consecutive ranks go to one region after another, and side by side within it.
#[derive(Debug, Clone)]
pub struct Scatter {
    regions: u64,
    length: u64,
    /// Coprime to the number of regions.
    step: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    pub from: u64,
    pub until: u64,
    pub share: f64,
}

impl Scatter {
    /// At least 1 place; with fewer places than regions, fewer regions.
    pub fn new(places: u64, regions: u32) -> Scatter {
        let regions = u64::from(regions).min(places);
        // Near the golden ratio, regions of consecutive ranks are far apart.
        let start = ((regions as f64 * 0.618_034) as u64).max(1);
        let step = (start..=regions).find(|step| common_factor(*step, regions) == 1).unwrap_or(1);
        Scatter { regions, length: places / regions, step }
    }

    pub fn place(&self, rank: u64) -> u64 {
        if rank >= self.regions * self.length {
            return rank;
        }
        let region = rank % self.regions * self.step % self.regions;
        region * self.length + (rank / self.regions + self.start(region)) % self.length
    }

    /// Drawn, so that regions as long as a round of channels do not share a channel.
    fn start(&self, region: u64) -> u64 {
        mixed(0, region + 1) % self.length
    }

    /// Each region's ranks in stretches that double.
    pub fn stretches(&self, law: &Law, places: u64) -> Vec<Stretch> {
        let all = law.cumulative(places as f64);
        let mut found = Vec::new();
        for first_rank in 0..self.regions {
            let region = first_rank * self.step % self.regions;
            let (mut from, mut until) = (0, 1);
            while from < self.length {
                until = until.min(self.length);
                let share = self.share(law, first_rank, from, until) / all;
                self.add(&mut found, region, from, until, share);
                (from, until) = (until, until * 2);
            }
        }
        let left = self.regions * self.length;
        if left < places {
            let share = (all - law.cumulative(left as f64)) / all;
            found.push(Stretch { from: left, until: places, share });
        }
        found.sort_by_key(|stretch| stretch.from);
        found
    }

    /// From the `from`-th to before the `until`-th rank of a region.
    fn share(&self, law: &Law, first_rank: u64, from: u64, until: u64) -> f64 {
        let regions = self.regions as f64;
        if from == 0 {
            let rank = first_rank as f64;
            return law.cumulative(rank + 1.0) - law.cumulative(rank);
        }
        let at = |turn: u64| (turn as f64 - 0.5) * regions + first_rank as f64 + 0.5;
        (law.cumulative(at(until)) - law.cumulative(at(from))) / regions
    }

    fn add(&self, found: &mut Vec<Stretch>, region: u64, from: u64, until: u64, share: f64) {
        let begin = (from + self.start(region)) % self.length;
        let each = share / (until - from) as f64;
        let before_end = (until - from).min(self.length - begin);
        let base = region * self.length;
        let mut push = |from: u64, places: u64| {
            if places > 0 {
                found.push(Stretch { from: base + from, until: base + from + places, share: each * places as f64 });
            }
        };
        push(begin, before_end);
        push(0, until - from - before_end);
    }
}

fn common_factor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_factor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(keys: Synthetic, places: u64) -> Law {
        Law::of(&keys, places).unwrap()
    }

    fn zipf(exponent: f64, places: u64) -> Law {
        law(Synthetic { addresses: Addresses::Zipf, zipf_exponent: Some(exponent), ..Synthetic::default() }, places)
    }

    fn pareto(hot: f64, places: u64) -> Law {
        law(Synthetic { addresses: Addresses::Pareto, hot_share: Some(hot), ..Synthetic::default() }, places)
    }

    fn chi_square(counts: &[u64], exact: &[f64]) -> f64 {
        let all: u64 = counts.iter().sum();
        let expected = exact.iter().map(|p| p * all as f64);
        counts.iter().zip(expected).map(|(count, expected)| (*count as f64 - expected).powi(2) / expected).sum()
    }

    fn counts(law: &Law, places: usize, draws: u64) -> Vec<u64> {
        let (mut random, mut counts) = (Stream::named(1, "test"), vec![0; places]);
        (0..draws).for_each(|_| counts[law.draw(&mut random) as usize] += 1);
        counts
    }

    #[test]
    fn zipf_is_drawn_as_its_formula_says() {
        for exponent in [0.0, 0.5, 0.99, 1.0, 1.00001, 1.5, 3.0] {
            let weights: Vec<f64> = (1..=20).map(|k| f64::from(k).powf(-exponent)).collect();
            let all: f64 = weights.iter().sum();
            let exact: Vec<f64> = weights.iter().map(|w| w / all).collect();
            let found = chi_square(&counts(&zipf(exponent, 20), 20, 200_000), &exact);
            // 19 degrees of freedom: one true law in a thousand exceeds 43.8.
            assert!(found < 43.8, "{exponent}: {found}");
        }
        let mut random = Stream::named(1, "large");
        let huge = zipf(1.1, 1 << 40);
        assert!((0..10_000).map(|_| huge.draw(&mut random)).max().unwrap() > 1 << 20);
        assert_eq!(zipf(1.2, 1).draw(&mut random), 0);
    }

    #[test]
    fn pareto_gives_the_hot_share_what_it_promises_at_every_scale() {
        let found = counts(&pareto(0.2, 10_000), 10_000, 200_000);
        let share = |until: usize| found[..until].iter().sum::<u64>() as f64 / 200_000.0;
        assert!((share(2000) - 0.8).abs() < 0.004 && (share(400) - 0.64).abs() < 0.005, "{}", share(400));
    }

    #[test]
    fn every_place_has_one_rank_and_popular_ones_are_apart() {
        for (places, regions) in [(1, 1024), (7, 3), (1000, 1), (1000, 1024), (100_003, 64)] {
            let scatter = Scatter::new(places, regions);
            let mut seen = vec![false; places as usize];
            for rank in 0..places {
                assert!(!std::mem::replace(&mut seen[scatter.place(rank) as usize], true), "{places} {regions} {rank}");
            }
        }
        let scatter = Scatter::new(1 << 20, 1024);
        let hot: Vec<u64> = (0..256).map(|rank| scatter.place(rank)).collect();
        assert!(hot.windows(2).all(|pair| pair[0].abs_diff(pair[1]) > 1 << 16), "neighbours in rank are far apart");
        let on_channel = |channel: u64| hot.iter().filter(|place| *place % 8 == channel).count();
        assert!((0..8).all(|channel| (12..60).contains(&on_channel(channel))), "256 places on 8 channels");
    }

    #[test]
    fn stretches_say_how_often_places_are_drawn() {
        for law in [zipf(0.9, 20_000), pareto(0.3, 20_000)] {
            let scatter = Scatter::new(20_000, 16);
            let stretches = scatter.stretches(&law, 20_000);
            assert!(stretches.windows(2).all(|pair| pair[0].until == pair[1].from), "no gap, no overlap");
            assert_eq!((stretches[0].from, stretches.last().unwrap().until), (0, 20_000));
            assert!((stretches.iter().map(|s| s.share).sum::<f64>() - 1.0).abs() < 0.01);
            let (mut random, mut drawn) = (Stream::named(3, "stretches"), vec![0u64; 20_000]);
            (0..400_000).for_each(|_| drawn[scatter.place(law.draw(&mut random)) as usize] += 1);
            for stretch in stretches.iter().filter(|s| s.share > 0.002) {
                let found = drawn[stretch.from as usize..stretch.until as usize].iter().sum::<u64>() as f64 / 4e5;
                let error = (found / stretch.share - 1.0).abs();
                // A region's end may cut a stretch in two.
                assert!(error < 0.3, "{law:?} {stretch:?}: {found}");
            }
        }
    }
}
