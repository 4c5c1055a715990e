//! Popularity of places: Zipf's law, and returns to recent ones.
//!
//! With N starts of which a share r returns to recent places, page k receives a Poisson number of independent starts
//! with mean λ = N (1 - r) p_k. Each start, and each return, has r returns on average: a branching process whose
//! families have Borel's distribution. The starts of a page then have the generalized Poisson distribution (P. C.
//! Consul and G. C. Jain, Technometrics 15(4), 1973): λ (λ + c r)^(c - 1) e^(-λ - c r) / c! for c starts.
//!
//! The number of pages in the law follows from the footprint. A page is touched by starts there and at the pages before
//! it that a start's requests reach on average, in regions of places (`popular_regions`).

/// As in the generator.
const RECENT: f64 = 1024.0;
/// As in the generator.
const REGIONS: f64 = 1024.0;
const FINE: f64 = 8.0;
/// Pages with more independent starts have as many as expected.
const MANY: f64 = 50.0;
/// Steeper than any seen of storage.
const STEEPEST: f64 = 2.0;
const STEP: f64 = 0.02;

pub(super) struct Seen {
    pub(super) starts: f64,
    pub(super) pages: f64,
    pub(super) hottest_10_percent: f64,
    /// Share of starts that begin where one of the last 1,024 did.
    pub(super) recent_share: f64,
    /// Page accesses of all requests, and different pages that they touch.
    pub(super) accesses: f64,
    pub(super) footprint: f64,
    pub(super) most_pages: f64,
}

/// A double tells ranks apart, and 64 bits count bytes.
pub(super) const MOST_PAGES: f64 = (1u64 << 51) as f64;

#[derive(Debug)]
pub(super) struct Fitted {
    /// Exponent of Zipf's law; 0 is uniform.
    pub(super) exponent: f64,
    /// With pages that the trace was too short to reach.
    pub(super) pages: f64,
    pub(super) recent_share: f64,
}

/// Finds the exponent whose hottest pages are as hot as the counted ones, over the number of pages with the counted
/// footprint. Returns to recent places are what exceeds the law's own.
pub(super) fn fit(seen: &Seen) -> Fitted {
    let mut best = Fitted { exponent: 0.0, pages: seen.pages.max(1.0), recent_share: 0.0 };
    if seen.starts < 2.0 {
        return best;
    }
    let hot = seen.hottest_10_percent;
    let chance = 2.0 * (hot * (1.0 - hot) / seen.starts).sqrt();
    let occurring = Occurring { draws: seen.starts, pages: seen.pages, most_pages: seen.most_pages };
    // Law and returns depend on each other; a few rounds settle both.
    for _ in 0..6 {
        let returns = best.recent_share;
        let steps = (STEEPEST / STEP) as u32;
        let candidates = (0..=steps).filter_map(|step| {
            let law = Ranks::with_pages(f64::from(step) * STEP, &occurring, returns)?;
            // A difference that chance explains (two standard deviations of a share) is none: the evenest law will do.
            let error = (law.hottest(seen, returns) - seen.hottest_10_percent).abs();
            Some((law, if error < chance { 0.0 } else { error }))
        });
        let Some((law, _)) = candidates.min_by(|a, b| a.1.total_cmp(&b.1)) else { return best };
        let own = law.recent(RECENT * (1.0 - returns));
        let recent_share = ((seen.recent_share - own) / (1.0 - own).max(1e-9)).clamp(0.0, 0.95);
        let settled = (recent_share - returns).abs() < 1e-3;
        best = Fitted { exponent: law.exponent, pages: law.pages, recent_share };
        if settled {
            break;
        }
    }
    // More room has fewer returns by itself.
    for _ in 0..4 {
        best.pages = pages_for_footprint(best.exponent, best.recent_share, seen);
        let own = Ranks::new(best.exponent, best.pages.round()).recent(RECENT * (1.0 - best.recent_share));
        best.recent_share = ((seen.recent_share - own) / (1.0 - own).max(1e-9)).clamp(0.0, 0.95);
    }
    best
}

fn pages_for_footprint(exponent: f64, returns: f64, seen: &Seen) -> f64 {
    let (mut low, mut high) = (seen.footprint.max(1.0), seen.most_pages.max(seen.footprint));
    while high / low > 1.001 && high - low > 1.0 {
        let middle = (low * high).sqrt();
        if footprint(exponent, middle, returns, seen) < seen.footprint { low = middle } else { high = middle }
    }
    high
}

/// By region and position of the generator.
fn footprint(exponent: f64, pages: f64, returns: f64, seen: &Seen) -> f64 {
    let integral = |from: f64, to: f64| {
        let power = 1.0 - exponent;
        if power.abs() < 1e-6 { (to / from).ln() } else { (to.powf(power) - from.powf(power)) / power }
    };
    let regions = REGIONS.min(pages);
    let length = pages / regions;
    let all = 1.0 + if pages > 1.5 { integral(1.5, pages + 0.5) } else { 0.0 };
    let starts = seen.starts * (1.0 - returns) / all;
    let reach = (seen.accesses / seen.starts).max(1.0);
    let mut touched = 0.0;
    // Regions of some ranks stand for all.
    let mut first = 1.0;
    while first <= regions {
        let next = (first * 1.5f64).ceil().min(regions + 1.0);
        let rank = 0.5 * (first + next - 1.0);
        let before = |x: f64| {
            let most = rank.powf(-exponent);
            if x <= 1.0 {
                most * x.max(0.0)
            } else {
                most + integral(rank + 0.5 * regions, rank + (x - 0.5) * regions) / regions
            }
        };
        let mut from = 0.0;
        while from < length {
            let until = (from * 2f64.powf(1.0 / FINE)).max(from + 1.0).min(length);
            let end = 0.5 * (from + until) + 0.5;
            let rate = starts * (before(end) - before(end - reach));
            touched += (next - first) * (until - from) * -(-rate).exp_m1();
            from = until;
        }
        first = next;
    }
    touched
}

/// Found by a number of draws.
struct Occurring {
    draws: f64,
    pages: f64,
    most_pages: f64,
}

/// Neighbouring ranks: how many, and the probability of each.
struct Ranks {
    exponent: f64,
    pages: f64,
    classes: Vec<(f64, f64)>,
}

impl Ranks {
    fn new(exponent: f64, pages: f64) -> Ranks {
        let mut classes = Vec::new();
        let mut first = 1.0;
        while first <= pages {
            let last = (first * 2f64.powf(1.0 / FINE)).floor().clamp(first, pages);
            classes.push((last - first + 1.0, (0.5 * (first + last)).powf(-exponent)));
            first = last + 1.0;
        }
        let all: f64 = classes.iter().map(|(number, weight)| number * weight).sum();
        classes.iter_mut().for_each(|class| class.1 /= all);
        Ranks { exponent, pages, classes }
    }

    /// None if no number of pages has as many.
    fn with_pages(exponent: f64, seen: &Occurring, returns: f64) -> Option<Ranks> {
        let independent = seen.draws * (1.0 - returns);
        let occurring = |pages: f64| {
            let law = Ranks::new(exponent, pages.round());
            let occur = law.classes.iter().map(|(number, p)| number * -(-independent * p).exp_m1()).sum::<f64>();
            (occur, law)
        };
        let (mut low, mut high) = (seen.pages.max(1.0), seen.most_pages.max(seen.pages));
        let (most, law) = occurring(high);
        if most < seen.pages {
            // Fewer than were counted, but hardly: all pages that there are.
            return (most > 0.99 * seen.pages).then_some(law);
        }
        while high / low > 1.001 && high - low > 1.0 {
            let middle = (low * high).sqrt();
            if occurring(middle).0 < seen.pages { low = middle } else { high = middle }
        }
        Some(occurring(high).1)
    }

    /// Of the pages that occur.
    fn hottest(&self, seen: &Seen, returns: f64) -> f64 {
        let mut few: Vec<f64> = Vec::new();
        let mut counts: Vec<(f64, f64)> = Vec::new();
        for (number, p) in &self.classes {
            let mean = seen.starts * (1.0 - returns) * p;
            if mean > MANY {
                counts.push((mean / (1.0 - returns), *number));
            } else {
                add_counts(&mut few, *number, mean, returns);
            }
        }
        counts.extend(few.iter().enumerate().map(|(count, number)| (count as f64 + 1.0, *number)));
        counts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all: f64 = counts.iter().map(|(count, number)| count * number).sum();
        let mut left = 0.1 * counts.iter().map(|(_, number)| number).sum::<f64>();
        let mut hot = 0.0;
        for (count, number) in counts {
            let taken = number.min(left);
            (hot, left) = (hot + taken * count, left - taken);
        }
        hot / all
    }

    /// By the law alone, among the last `among` starts.
    fn recent(&self, among: f64) -> f64 {
        self.classes.iter().map(|(number, p)| number * p * -(among * (-p).ln_1p()).exp_m1()).sum()
    }
}

/// How many have 1 start, 2, …
fn add_counts(few: &mut Vec<f64>, number: f64, mean: f64, returns: f64) {
    let (mut factorial, mut sum) = (0.0, (-mean).exp());
    for count in 1..=4000u32 {
        let c = f64::from(count);
        factorial += c.ln();
        let rate = mean + c * returns;
        let probability = (mean.ln() + (c - 1.0) * rate.ln() - rate - factorial).exp();
        if few.len() < count as usize {
            few.push(0.0);
        }
        few[count as usize - 1] += number * probability;
        sum += probability;
        if 1.0 - sum < 1e-6 && c > mean {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uniform_law_is_found_in_what_it_makes() {
        // 100,000 starts on 50,000 pages: e^-2 of them never.
        let occur = 50_000.0 * (1.0 - (-2.0f64).exp());
        let law = Ranks::new(0.0, 50_000.0);
        let mut seen = Seen {
            starts: 1e5,
            pages: occur,
            hottest_10_percent: 0.0,
            recent_share: law.recent(RECENT),
            accesses: 1e5,
            footprint: occur,
            most_pages: 1e9,
        };
        seen.hottest_10_percent = law.hottest(&seen, 0.0);
        // The tenth of Poisson's distribution with mean 2, without 0, that is largest: 5 and more.
        assert!((0.2..0.25).contains(&seen.hottest_10_percent), "{}", seen.hottest_10_percent);
        let found = fit(&seen);
        assert!(found.exponent <= STEP && (found.pages / 50_000.0 - 1.0).abs() < 0.02, "{found:?}");
        assert!(found.recent_share < 0.01, "{found:?}");
    }

    #[test]
    fn returns_are_told_from_popularity() {
        let law = Ranks::new(0.8, 300_000.0);
        let returns = 0.3;
        let mut seen = Seen {
            starts: 2e5,
            pages: 0.0,
            hottest_10_percent: 0.0,
            recent_share: 0.0,
            accesses: 2e5,
            footprint: 0.0,
            most_pages: 1e8,
        };
        seen.pages = law.classes.iter().map(|(n, p)| n * -(-seen.starts * (1.0 - returns) * p).exp_m1()).sum();
        seen.footprint = seen.pages;
        seen.hottest_10_percent = law.hottest(&seen, returns);
        seen.recent_share = returns + (1.0 - returns) * law.recent(RECENT * (1.0 - returns));
        let found = fit(&seen);
        assert!((found.exponent - 0.8).abs() < 0.05, "{found:?}");
        assert!((found.recent_share - returns).abs() < 0.02, "{found:?}");
        assert!((found.pages / 300_000.0 - 1.0).abs() < 0.15, "{found:?}");
    }
}
