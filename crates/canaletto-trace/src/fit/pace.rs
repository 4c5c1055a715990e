//! Fit of arrivals: mean, variation, and share of bursts.

use canaletto::config::workload::Synthetic;
use canaletto::workload::arrivals::two_phases;

use super::{picoseconds, rounded};
use crate::survey::Findings;

/// For a trace without times. Assumed.
const ASSUMED_DEPTH: u32 = 32;
const TRIES: u32 = 400;

/// A trace whose requests all arrive at once becomes a closed loop.
pub(super) fn fit(fitted: &mut Synthetic, found: &Findings) {
    let gap = &found.inter_arrival_us;
    let (Some(mean_us), Some(variation)) = (found.mean_inter_arrival_us, gap.variation) else {
        fitted.queue_depth = Some(ASSUMED_DEPTH);
        return;
    };
    fitted.inter_arrival = Some(picoseconds(mean_us));
    fitted.burstiness = rounded(variation * variation);
    if fitted.burstiness > 1.01 {
        fitted.burst_share = Some(burst_share(&found.inter_arrivals, mean_us, fitted.burstiness));
    }
}

/// The nearest distribution of gaps: the least weighted mean square of the differences at the edges of the buckets.
fn burst_share(gaps: &[(f64, u64)], mean_us: f64, burstiness: f64) -> f64 {
    let least = (burstiness - 1.0) / (burstiness + 1.0);
    // From the least, with which bursts come together, ever more closely to 1.
    let tried = |i: u32| 1.0 - (1.0 - least) * (1.0 - f64::from(i) / f64::from(TRIES)).powi(2);
    let errors = (0..TRIES).map(|i| (tried(i), error(gaps, mean_us, burstiness, tried(i))));
    let (share, _) = errors.min_by(|a, b| a.1.total_cmp(&b.1)).expect("some are tried");
    // Rounded up, lest it be below the least; a share of 1 would leave no gap between bursts.
    let digits = 10f64.powi(3 + (-(1.0 - share).log10()).ceil().max(0.0) as i32);
    ((share * digits).ceil() / digits).min(1.0 - (1.0 - share) / 2.0)
}

fn error(gaps: &[(f64, u64)], mean_us: f64, burstiness: f64, share: f64) -> f64 {
    let (share, within, between) = two_phases(burstiness, Some(share));
    let all: u64 = gaps.iter().map(|(_, count)| count).sum();
    let mut below = 0;
    let mut sum = 0.0;
    for (us, count) in gaps {
        below += count;
        let t = us / mean_us;
        // Gaps of a phase of no length are all below any time.
        let passed = |mean: f64| if mean > 0.0 { 1.0 - (-t / mean).exp() } else { 1.0 };
        let expected = share * passed(within) + (1.0 - share) * passed(between);
        sum += (expected - below as f64 / all as f64).powi(2) * *count as f64;
    }
    sum
}
