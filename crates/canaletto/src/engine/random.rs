//! Named streams: a new component never shifts another.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::engine::mrg::Mrg32k3a;

pub enum Stream {
    /// PCG, seeded by the run's seed and the component's name.
    Pcg(Pcg64Mcg),
    /// MQSim's generator, draw by draw.
    Mrg(Box<Mrg32k3a>),
}

impl Stream {
    pub fn named(seed: u64, name: &str) -> Stream {
        Stream::Pcg(Pcg64Mcg::seed_from_u64(seed ^ fnv1a(name.as_bytes())))
    }

    pub fn mqsim(seed: u32) -> Stream {
        Stream::Mrg(Box::new(Mrg32k3a::seeded(seed)))
    }

    /// In [0, 1).
    #[inline(always)]
    pub fn uniform(&mut self) -> f64 {
        match self {
            // The top 53 bits fill a double's mantissa.
            Stream::Pcg(rng) => (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64),
            Stream::Mrg(rng) => rng.uniform(),
        }
    }

    /// In `first..=last`, of which there are fewer than 2^63.
    #[inline]
    pub fn integer(&mut self, first: u64, last: u64) -> u64 {
        // Signed numbers turn into doubles and back in one step.
        let count = (last - first + 1) as i64;
        debug_assert!(count > 0, "too many numbers to choose from");
        first + (count as f64 * self.uniform()) as i64 as u64
    }

    pub fn exponential(&mut self, mean: f64) -> f64 {
        // MQSim's generator never returns 0, and its order must be kept.
        match self {
            Stream::Pcg(_) => -mean * (1.0 - self.uniform()).ln(),
            Stream::Mrg(rng) => -mean * rng.uniform().ln(),
        }
    }

    /// Marsaglia's polar method; `spare` keeps the second value of each pair.
    pub fn normal(&mut self, mean: f64, deviation: f64, spare: &mut Option<f64>) -> f64 {
        if let Some(z) = spare.take() {
            return mean + deviation * z;
        }
        loop {
            let x = 2.0 * self.uniform() - 1.0;
            let y = 2.0 * self.uniform() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let scale = (-2.0 * square.ln() / square).sqrt();
                *spare = Some(y * scale);
                return mean + deviation * x * scale;
            }
        }
    }
}

/// Of a seed and a place, in any order (SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
pub fn mixed(seed: u64, place: u64) -> u64 {
    let mut z = seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        z = (z ^ (z >> 29)).wrapping_mul(factor);
    }
    z ^ (z >> 31)
}

/// FNV-1a, 64 bits: the same on every machine.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_repeat_by_seed() {
        let mut a = Stream::named(1, "address");
        let mut b = Stream::named(1, "size");
        let mut again = Stream::named(1, "address");
        let x = a.uniform();
        assert_ne!(x, b.uniform());
        assert_eq!(x, again.uniform());
    }

    #[test]
    fn moments_are_right() {
        let mut s = Stream::named(7, "test");
        let n = 100_000;
        let mean = (0..n).map(|_| s.exponential(50.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 50.0).abs() < 0.6, "{mean}");
        let mut spare = None;
        let values: Vec<f64> = (0..n).map(|_| s.normal(10.0, 3.0, &mut spare)).collect();
        let mean = values.iter().sum::<f64>() / f64::from(n);
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
        assert!((mean - 10.0).abs() < 0.05 && (variance.sqrt() - 3.0).abs() < 0.05);
    }
}
