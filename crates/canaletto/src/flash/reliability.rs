//! Bit errors: how many a page holds, and whether they can be corrected.
//!
//! The raw bit error rate follows the power laws of `flash.errors`. A codeword of n bits fails with the binomial tail
//! P(X > t). Tails are tabulated over the rate and interpolated.

use crate::config::design::{ChipToChipEcc, Design};
use crate::config::medium::Errors;
use crate::engine::random::Stream;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::flash::timing::Kinds;
use crate::flash::wear::Wear;

/// Decimal exponents, and steps per decade.
const LOWEST: f64 = -12.0;
const HIGHEST: f64 = -0.302;
const STEPS: f64 = 64.0;

/// P(X > t) of a binomial distribution, by rate.
pub struct Tails {
    /// The first for a rate of 10^LOWEST.
    logarithms: Vec<f64>,
}

impl Tails {
    /// `correctable` of `bits`.
    pub fn new(bits: u64, correctable: u64) -> Tails {
        let steps = ((HIGHEST - LOWEST) * STEPS) as u32;
        let rate = |step| 10f64.powf(LOWEST + f64::from(step) / STEPS);
        Tails { logarithms: (0..=steps).map(|step| ln_tail(bits, correctable, rate(step))).collect() }
    }

    pub fn of(&self, rate: f64) -> f64 {
        // Whatever the logarithm is rounded to.
        if rate < 0.99e-12 {
            return 0.0;
        }
        let place = (rate.log10() - LOWEST) * STEPS;
        if place < 0.0 {
            return 0.0;
        }
        let last = self.logarithms.len() - 2;
        let step = (place as usize).min(last);
        let between = (place - step as f64).min(1.0);
        (self.logarithms[step] * (1.0 - between) + self.logarithms[step + 1] * between).exp()
    }
}

fn ln_tail(n: u64, t: u64, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    // ln P(X = t + 1).
    let choose: f64 = (0..=t).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum();
    let first = choose + (t + 1) as f64 * p.ln() + (n - t - 1) as f64 * (-p).ln_1p();
    if (t + 1) as f64 > n as f64 * p {
        let upward = |k: u64| (n - k) as f64 / (k + 1) as f64 * odds;
        return first + series((t + 1..n).map(upward)).ln();
    }
    // P(X = t) from P(X = t + 1).
    let downward = |k: u64| k as f64 / (n - k + 1) as f64 / odds;
    let lower = first + downward(t + 1).ln() + series((1..=t).rev().map(downward)).ln();
    (-lower.exp()).ln_1p()
}

fn series(ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for ratio in ratios {
        term *= ratio;
        sum += term;
        if term < sum * 1e-17 && ratio < 1.0 {
            break;
        }
    }
    sum
}

/// Two levels lie further apart than eight. Assumed.
const PSEUDO_SLC: f64 = 0.1;

pub struct Reliability {
    errors: Errors,
    kinds: Kinds,
    codeword_bytes: u64,
    tails: Tails,
    /// Of chips that look for errors in copies.
    weak: Option<Tails>,
    pub retries: u32,
    random: Stream,
}

impl Reliability {
    pub fn is_on(design: &Design) -> bool {
        design.flash.errors.are_possible()
    }

    /// None without bit errors.
    pub fn new(design: &Design, seed: u64) -> Option<Reliability> {
        let ecc = &design.controller.ecc;
        let errors = design.flash.errors.clone();
        errors.are_possible().then(|| Reliability {
            kinds: Kinds::new(design.flash.cell, design.flash.page_order),
            codeword_bytes: ecc.codeword.0,
            tails: Tails::new(ecc.codeword.0 * 8, u64::from(ecc.correctable_bits)),
            weak: (design.fabric.omnibus.chip_to_chip_ecc == ChipToChipEcc::Detect)
                .then(|| Tails::new(ecc.codeword.0 * 8, u64::from(design.fabric.omnibus.detect_bits))),
            retries: ecc.max_read_retries,
            random: Stream::named(seed, "bit errors"),
            errors,
        })
    }

    /// At the `attempt`-th read, from 0; the page may be pseudo-SLC.
    pub fn rate(&self, (at, pseudo_slc): (Ppa, bool), attempt: u32, wear: &Wear, now: Time) -> f64 {
        let (e, mut sum) = (&self.errors, self.errors.base);
        let cycles = f64::from(e.initial_pe_cycles) + f64::from(wear.erases(at.plane, at.block));
        // Most drives have few of the terms.
        if e.wear.factor != 0.0 {
            sum += e.wear.factor * cycles.powf(e.wear.exponent);
        }
        if e.retention.factor != 0.0 {
            let days = wear.age(at.plane, at.block, now).map_or(e.initial_age_days + days(now), days);
            sum += e.retention.factor * cycles.powf(e.retention.cycles_exponent) * days.powf(e.retention.days_exponent);
        }
        if e.disturb.factor != 0.0 {
            let reads = f64::from(wear.reads_since_erase(at.plane, at.block));
            sum += e.disturb.factor * cycles.powf(e.disturb.cycles_exponent) * reads.powf(e.disturb.reads_exponent);
        }
        let kind = match pseudo_slc {
            true => PSEUDO_SLC,
            false => e.page_type_factors.get(self.kinds.of(at.page)).copied().unwrap_or(1.0),
        };
        let first = sum * kind;
        if attempt == 0 { first } else { first * e.retry_factor.powi(attempt as i32) }
    }

    /// With the errors of reads for `copies` that no controller has seen. No other voltage removes them.
    pub fn rate_of_copy(&self, at: (Ppa, bool), copies: u32, attempt: u32, wear: &Wear, now: Time) -> f64 {
        let own = self.rate(at, attempt, wear, now);
        if copies == 0 { own } else { own + f64::from(copies) * self.rate(at, 0, wear, now) }
    }

    pub fn failure(&self, rate: f64, bytes: u64) -> f64 {
        self.share_of_pages(self.tails.of(rate), bytes)
    }

    fn share_of_pages(&self, tail: f64, bytes: u64) -> f64 {
        let codewords = bytes.div_ceil(self.codeword_bytes).max(1);
        if tail == 0.0 { 0.0 } else { -(codewords as f64 * (-tail).ln_1p()).exp_m1() }
    }

    pub fn fails(&mut self, rate: f64, bytes: u64) -> bool {
        let failure = self.failure(rate, bytes);
        self.random.uniform() < failure
    }

    /// Whether a chip finds too many wrong bits in a copy.
    pub fn is_detected(&mut self, rate: f64, bytes: u64) -> bool {
        let found = self.weak.as_ref().map_or(0.0, |weak| self.share_of_pages(weak.of(rate), bytes));
        self.random.uniform() < found
    }
}

fn days(time: Time) -> f64 {
    time.seconds() / 86_400.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;
    use crate::flash::address::{Layout, PlaneId};

    fn exact_tail(n: usize, t: usize, p: f64) -> f64 {
        let mut chances = vec![0.0; n + 1];
        chances[0] = 1.0;
        for bits in 1..=n {
            for k in (1..=bits).rev() {
                chances[k] = chances[k] * (1.0 - p) + chances[k - 1] * p;
            }
            chances[0] *= 1.0 - p;
        }
        chances[t + 1..].iter().rev().sum()
    }

    #[test]
    fn tails_are_binomial() {
        for (n, t) in [(8, 0), (100, 3), (1024, 8), (1024, 40)] {
            let tails = Tails::new(n as u64, t as u64);
            for p in [1e-7, 3.3e-5, 1.234e-3, 0.01, 0.0375, 0.1, 0.4] {
                let (exact, read_off) = (exact_tail(n, t, p), tails.of(p));
                if exact > 1e-280 {
                    assert!((read_off / exact - 1.0).abs() < 0.02, "n {n}, t {t}, p {p}: {read_off} of {exact}");
                }
                let at_once = ln_tail(n as u64, t as u64, p).exp();
                assert!((at_once - exact).abs() <= 1e-9 * exact + 1e-280, "n {n}, t {t}, p {p}: {at_once} of {exact}");
            }
        }
    }

    #[test]
    fn tails_have_ends() {
        let tails = Tails::new(8192, 40);
        assert_eq!((tails.of(0.0), tails.of(1e-13)), (0.0, 0.0));
        assert!((tails.of(0.9) - 1.0).abs() < 1e-9);
    }

    fn reliability(overrides: &[&str]) -> (Reliability, Wear) {
        let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
        let design = load_design("performance-optimized", None, &overrides).unwrap();
        let wear = Wear::new(&Layout::new(&design.geometry, true), true);
        (Reliability::new(&design, 1).expect("errors are possible"), wear)
    }

    const AT: Ppa = Ppa { plane: PlaneId(3), block: 2, page: 4 };

    /// 1000 cycles, 8 days, 100 reads.
    #[test]
    fn rates_follow_their_power_laws() {
        let at = Ppa { page: 0, ..AT };
        let rate = |overrides: &[&str]| {
            let all = [&["flash.errors.initial_pe_cycles=999"], overrides].concat();
            let (reliability, mut wear) = reliability(&all);
            wear.erased(at.plane, at.block);
            wear.programmed(at, Time::ZERO);
            (0..100).for_each(|_| wear.read(at));
            reliability.rate((at, false), 0, &wear, Time::from_us(8 * 86_400_000_000))
        };
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} of {b}");
        close(rate(&["flash.errors.base=0.001"]), 1e-3);
        close(rate(&["flash.errors.wear.factor=1e-9", "flash.errors.wear.exponent=1.5"]), 1e-9 * 1000f64.powf(1.5));
        let retention = "flash.errors.retention";
        let powers = [format!("{retention}.factor=1e-9"), format!("{retention}.cycles_exponent=0.5")];
        let all = [&*powers[0], &*powers[1], "flash.errors.retention.days_exponent=2.0"];
        close(rate(&all), 1e-9 * 1000f64.sqrt() * 64.0);
        let disturb = ["flash.errors.disturb.factor=1e-9", "flash.errors.disturb.reads_exponent=1.5"];
        close(rate(&[&disturb[..], &["flash.errors.disturb.cycles_exponent=0.0"]].concat()), 1e-9 * 1000.0);
        close(rate(&["flash.errors.base=0.001", "flash.errors.page_type_factors=[3.0]"]), 3e-3);
    }

    #[test]
    fn each_retry_lowers_the_rate() {
        let (reliability, wear) = reliability(&["flash.errors.base=0.01", "flash.errors.retry_factor=0.5"]);
        assert_eq!(reliability.rate((AT, false), 0, &wear, Time::ZERO), 0.01);
        assert_eq!(reliability.rate((AT, false), 3, &wear, Time::ZERO), 0.00125);
    }

    #[test]
    fn pseudo_slc_has_its_factor() {
        let keys = ["flash.errors.base=0.01", "flash.errors.page_type_factors=[3.0]"];
        let (reliability, wear) = reliability(&keys);
        assert_eq!(reliability.rate((AT, false), 0, &wear, Time::ZERO), 0.03);
        assert_eq!(reliability.rate((AT, true), 0, &wear, Time::ZERO), 0.001);
    }

    /// Four of 0.1 each: 1 - 0.9^4.
    #[test]
    fn pages_fail_by_their_codewords() {
        let (reliability, _) = reliability(&["flash.errors.base=0.01"]);
        let rate = (1..1000).map(|i| f64::from(i) * 1e-5).find(|&r| reliability.tails.of(r) > 0.1).unwrap();
        let one = reliability.failure(rate, 512);
        assert!((reliability.failure(rate, 4096) - (1.0 - (1.0 - one).powi(4))).abs() < 1e-12);
    }
}
