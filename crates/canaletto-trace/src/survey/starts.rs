//! Requests that continue no others: the random part of addresses.

use super::PAGE;
use super::pages::Pages;

const RECENT: u64 = 1024;
const ALIGNMENTS: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Starts {
    pages: Pages,
    /// Multiples of each alignment and not of the next.
    aligned: [u64; ALIGNMENTS],
    count: u64,
}

#[derive(Debug)]
pub(super) struct Found {
    pub(super) count: u64,
    pub(super) pages: u64,
    pub(super) hottest_10_percent: f64,
    pub(super) recent_share: Option<f64>,
    pub(super) alignment_bytes: u64,
}

impl Starts {
    pub(super) fn add(&mut self, device: u32, offset_bytes: u64) {
        self.pages.touch(device, offset_bytes / PAGE);
        let sectors = (offset_bytes / 512) | (1 << (ALIGNMENTS - 1));
        self.aligned[sectors.trailing_zeros() as usize] += u64::from(offset_bytes % 512 == 0);
        self.count += 1;
    }

    pub(super) fn finish(self) -> Found {
        let found = self.pages.finish();
        let recent: u64 = found.gaps.buckets().filter(|(gap, _)| *gap <= RECENT).map(|(_, count)| count).sum();
        Found {
            count: self.count,
            pages: found.pages,
            hottest_10_percent: found.hottest[1],
            recent_share: (self.count > 0).then(|| (recent as f64 / self.count as f64).min(1.0)),
            alignment_bytes: alignment(&self.aligned, self.count),
        }
    }
}

fn alignment(aligned: &[u64; ALIGNMENTS], count: u64) -> u64 {
    let mut multiples = 0;
    for (power, number) in aligned.iter().enumerate().rev() {
        multiples += number;
        if multiples * 10 >= count * 9 {
            return 512 << power;
        }
    }
    512
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignments_are_those_of_most() {
        let of = |offsets: &[u64]| {
            let mut starts = Starts::default();
            offsets.iter().for_each(|offset| starts.add(0, *offset));
            starts.finish().alignment_bytes
        };
        assert_eq!([of(&[0, 4096, 1 << 30]), of(&[1024, 4096]), of(&[512]), of(&[7])], [4096, 1024, 512, 512]);
        let mostly: Vec<u64> = (0..95).map(|i| i * 4096).chain((0..5).map(|i| i * 4096 + 512)).collect();
        assert_eq!(of(&mostly), 4096);
    }

    #[test]
    fn recent_starts_are_those_of_the_last_thousand() {
        let mut starts = Starts::default();
        (0..2000).for_each(|page| starts.add(0, page * PAGE));
        (0..500).for_each(|page| starts.add(0, page * PAGE));
        (0..500).for_each(|page| starts.add(0, page * PAGE));
        let found = starts.finish();
        assert_eq!((found.count, found.pages, found.recent_share), (3000, 2000, Some(500.0 / 3000.0)));
    }
}
