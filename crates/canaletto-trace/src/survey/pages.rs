//! Which pages of 4 KiB a trace touches, and how often it returns to them.
//!
//! Beyond a limit, only pages whose hash is below a threshold are remembered, which halves when there are too many.
//! This is a sample of pages rather than of accesses, so that reuse holds for all (Waldspurger et al., "Efficient MRC
//! construction with SHARDS", FAST 2015, section 3). Counts are scaled up.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::histogram::Histogram;

/// Largest number of pages remembered, some 100 MB.
const MOST_PAGES: usize = 2 << 20;

#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Page accesses before the last one to this page.
    at: u64,
    count: u64,
}

#[derive(Debug, Default)]
pub(super) struct Pages {
    /// By hash, which is one to one.
    seen: HashMap<u64, Seen, BuildHasherDefault<Mixed>>,
    /// One of 2^`halvings` pages is remembered.
    halvings: u32,
    accesses: u64,
    again: u64,
    /// Page accesses between two of the same page.
    gaps: Histogram,
}

#[derive(Debug)]
pub(super) struct Footprint {
    pub(super) pages: u64,
    pub(super) accesses: u64,
    pub(super) again: u64,
    pub(super) sampled: u64,
    /// Of the hottest 1 %, 10 % and 20 % of the pages.
    pub(super) hottest: [f64; 3],
    pub(super) gaps: Histogram,
}

impl Pages {
    pub(super) fn touch(&mut self, device: u32, page: u64) {
        let number = self.accesses;
        self.accesses += 1;
        // Pages of two devices are mistaken for one another only beyond 4 PB.
        let hash = mixed(page ^ (u64::from(device) << 40));
        if self.halvings > 0 && hash >> (u64::BITS - self.halvings) != 0 {
            return;
        }
        let scale = 1 << self.halvings;
        if let Some(seen) = self.seen.get_mut(&hash) {
            self.again += scale;
            self.gaps.add(number - seen.at, scale);
            *seen = Seen { at: number, count: seen.count + 1 };
            return;
        }
        self.seen.insert(hash, Seen { at: number, count: 1 });
        if self.seen.len() > MOST_PAGES {
            self.halvings += 1;
            let shift = u64::BITS - self.halvings;
            self.seen.retain(|hash, _| hash >> shift == 0);
        }
    }

    pub(super) fn finish(self) -> Footprint {
        let mut counts: Vec<u64> = self.seen.values().map(|seen| seen.count).collect();
        counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        let all: u64 = counts.iter().sum();
        let hottest = [0.01, 0.1, 0.2].map(|share| {
            let pages = (counts.len() as f64 * share).ceil() as usize;
            counts[..pages].iter().sum::<u64>() as f64 / all.max(1) as f64
        });
        let (sampled, again) = (1 << self.halvings, self.again.min(self.accesses));
        let pages = (counts.len() as u64) << self.halvings;
        Footprint { pages, accesses: self.accesses, again, sampled, hottest, gaps: self.gaps }
    }
}

/// Scrambles 64 bits one to one (the finalizer of SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Values are scrambled already. The high bits of a sample are zero, so hashes come from below.
#[derive(Debug, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mixed(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value.rotate_right(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pages_are_counted_exactly() {
        let mut pages = Pages::default();
        for round in 0..10 {
            (0..100).for_each(|page| pages.touch(0, page));
            (0..round).for_each(|_| pages.touch(1, 0));
        }
        let found = pages.finish();
        assert_eq!((found.pages, found.accesses, found.again, found.sampled), (101, 1045, 944, 1));
        assert!((found.hottest[0] - (45.0 + 10.0) / 1045.0).abs() < 1e-9, "two pages of 101");
        assert_eq!(found.gaps.buckets().map(|(_, count)| count).sum::<u64>(), 944);
    }

    #[test]
    fn many_pages_are_estimated() {
        let mut pages = Pages::default();
        let count = 3 * MOST_PAGES as u64;
        for _ in 0..2 {
            (0..count).for_each(|page| pages.touch(0, page));
        }
        let found = pages.finish();
        assert_eq!(found.sampled, 4);
        let error = |found: u64, exact: u64| (found as f64 / exact as f64 - 1.0).abs();
        assert!(error(found.pages, count) < 0.005 && error(found.again, count) < 0.005, "{found:?}");
    }
}
