//! Error correction in two layers: inner codewords, and an outer one over several of them.
//!
//! After arXiv 2511.03944: if an inner codeword of a small read fails, the whole outer codeword around it is read.

use crate::config::design::Design;
use crate::config::medium::OuterCode as OuterCodeConfig;
use crate::engine::random::Stream;
use crate::flash::address::SECTOR;
use crate::flash::reliability::Tails;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Failed {
    /// All of their data have left the chip.
    pub complete: u8,
    pub partial: u8,
}

pub struct OuterCode {
    config: OuterCodeConfig,
    sectors: u32,
    inner: u64,
    tails: Tails,
    random: Stream,
    pub reads: u64,
}

impl OuterCode {
    /// None without an outer code.
    pub fn new(design: &Design, seed: u64) -> Option<OuterCode> {
        let config = design.controller.ecc.outer;
        config.is_on().then(|| OuterCode {
            sectors: (config.codeword.0 / SECTOR) as u32,
            inner: design.controller.ecc.codeword.0,
            tails: Tails::new(config.codeword.0 * 8, u64::from(config.correctable_bits)),
            random: Stream::named(seed, "outer code"),
            reads: 0,
            config,
        })
    }

    pub fn bytes(&self) -> u32 {
        self.config.codeword.0 as u32
    }

    /// For the sectors `own` of a flash page, of which `crossed` have left the chip.
    pub fn needed(&mut self, own: u64, crossed: u64, inner_failure: f64, illegible: bool) -> Failed {
        let word = u64::MAX >> (u64::BITS - self.sectors);
        let failure = 1.0 - (1.0 - self.config.inner_failure) * (1.0 - inner_failure);
        let mut failed = Failed::default();
        for first in (0..u64::BITS).step_by(self.sectors as usize) {
            let sectors = own >> first & word;
            if sectors == 0 {
                continue;
            }
            let codewords = (u64::from(sectors.count_ones()) * SECTOR).div_ceil(self.inner);
            let any = 1.0 - (1.0 - failure).powi(codewords as i32);
            if illegible || any > 0.0 && self.random.uniform() < any {
                let complete = crossed >> first & word == word;
                *(if complete { &mut failed.complete } else { &mut failed.partial }) += 1;
            }
        }
        failed
    }

    pub fn fails(&mut self, words: u32, rate: f64) -> bool {
        let any = 1.0 - (1.0 - self.tails.of(rate)).powi(words as i32);
        any > 0.0 && self.random.uniform() < any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;

    fn code(keys: &[&str]) -> OuterCode {
        let keys: Vec<String> = ["codeword=512B", "correctable_bits=8", "outer.codeword=4KiB"]
            .iter()
            .chain(keys)
            .map(|key| format!("controller.ecc.{key}"))
            .collect();
        OuterCode::new(&load_design("performance-optimized", None, &keys).unwrap(), 3).expect("it has one")
    }

    #[test]
    fn a_word_that_is_there_need_not_be_read() {
        let mut code = code(&["outer.inner_failure=1.0"]);
        let failed = |complete, partial| Failed { complete, partial };
        assert_eq!(code.needed(0xff, 0xff, 0.0, false), failed(1, 0));
        assert_eq!(code.needed(0x01, 0x01, 0.0, false), failed(0, 1));
        // Another transaction has brought the rest.
        assert_eq!(code.needed(0x01, 0xff, 0.0, false), failed(1, 0));
        // Halves of two; then one in whole and a part of another.
        assert_eq!(code.needed(0x0ff0, 0x0ff0, 0.0, false), failed(0, 2));
        assert_eq!(code.needed(0xff_0100, 0xff_0100, 0.0, false), failed(1, 1));
        assert_eq!(code.needed(0xff << 56, 0xff << 56, 0.0, false), failed(1, 0));
    }

    /// By either cause: 1 - (0.9 · 0.8)^4.
    #[test]
    fn words_fail_by_their_codewords() {
        let mut code = code(&["outer.inner_failure=0.1"]);
        let draws = 40_000;
        let failed: u32 = (0..draws).map(|_| u32::from(code.needed(0x0f, 0x0f, 0.2, false).partial)).sum();
        let expected = 1.0 - (0.9_f64 * 0.8).powi(4);
        let deviation = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
        assert!((f64::from(failed) / f64::from(draws) - expected).abs() < 4.0 * deviation, "{failed} of {draws}");
    }

    #[test]
    fn what_is_illegible_fails_at_once() {
        let mut code = code(&[]);
        assert_eq!(code.needed(0xffff, 0xffff, 0.0, false), Failed::default());
        assert_eq!(code.needed(0xffff, 0xffff, 0.0, true), Failed { complete: 2, partial: 0 });
        assert!(!code.fails(2, 0.0) && code.fails(2, 0.4));
    }
}
