//! Balance of a trace's pages among channels.

/// Accesses per channel in stretches whose imbalance is averaged: long enough that chance adds little, short enough to
/// be a burst that queues can hold.
const STRETCH: u64 = 64;

/// Order in which the pages of a drive visit its channels.
#[derive(Debug, Clone)]
pub struct Striping {
    /// Size of a page in bytes.
    pub page_bytes: u64,
    /// Number of channels.
    pub channels: u32,
    /// Channel of each page, repeated. Not empty.
    pub order: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct Channels {
    striping: Striping,
    turns: Vec<u64>,
    pub(super) pages: Vec<[u64; 2]>,
    /// Starts, not continuations of a run.
    starts: Vec<u64>,
    stretch: Vec<u64>,
    in_stretch: u64,
    /// Of whole stretches.
    imbalances: f64,
    stretches: u64,
}

impl Channels {
    pub(super) fn new(striping: Striping) -> Self {
        let channels = striping.channels as usize;
        let mut turns = vec![0; channels];
        striping.order.iter().for_each(|channel| turns[*channel as usize] += 1);
        Self {
            striping,
            turns,
            pages: vec![[0; 2]; channels],
            starts: vec![0; channels],
            stretch: vec![0; channels],
            in_stretch: 0,
            imbalances: 0.0,
            stretches: 0,
        }
    }

    pub(super) fn add(&mut self, offset_bytes: u64, bytes: u64, write: bool) {
        let first = offset_bytes / self.striping.page_bytes;
        let pages = (offset_bytes + bytes - 1) / self.striping.page_bytes - first + 1;
        let period = self.striping.order.len() as u64;
        let rounds = pages / period;
        if rounds > 0 {
            for channel in 0..self.turns.len() {
                self.count(channel, rounds * self.turns[channel], write);
            }
        }
        for page in first..first + pages % period {
            self.count(self.striping.order[(page % period) as usize] as usize, 1, write);
        }
        if self.in_stretch >= STRETCH * self.turns.len() as u64 {
            self.imbalances += imbalance(self.stretch.iter().copied());
            self.stretches += 1;
            self.stretch.fill(0);
            self.in_stretch = 0;
        }
    }

    pub(super) fn start(&mut self, offset_bytes: u64) {
        let page = offset_bytes / self.striping.page_bytes % self.striping.order.len() as u64;
        self.starts[self.striping.order[page as usize] as usize] += 1;
    }

    pub(super) fn start_share(&self) -> Option<f64> {
        let all: u64 = self.starts.iter().sum();
        (all > 0).then(|| self.starts.iter().max().copied().unwrap_or(0) as f64 / all as f64)
    }

    fn count(&mut self, channel: usize, pages: u64, write: bool) {
        self.pages[channel][usize::from(write)] += pages;
        self.stretch[channel] += pages;
        self.in_stretch += pages;
    }

    /// Of the whole trace, and the mean over short stretches.
    pub(super) fn imbalance(&self) -> (f64, Option<f64>) {
        let whole = imbalance(self.pages.iter().map(|[read, written]| read + written));
        (whole, (self.stretches > 0).then(|| self.imbalances / self.stretches as f64))
    }

    pub(super) fn page_bytes(&self) -> u64 {
        self.striping.page_bytes
    }
}

fn imbalance(pages: impl ExactSizeIterator<Item = u64> + Clone) -> f64 {
    let (count, sum) = (pages.len() as f64, pages.clone().sum::<u64>() as f64);
    if sum == 0.0 { 1.0 } else { pages.max().unwrap_or(0) as f64 * count / sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channels() -> Channels {
        Channels::new(Striping { page_bytes: 4096, channels: 2, order: vec![0, 0, 1, 1] })
    }

    #[test]
    fn every_page_counts_for_its_channel() {
        let mut channels = channels();
        channels.add(4096, 1, false);
        channels.add(4095 + 4096, 2, true);
        channels.add(0, 4096 * 4001, false);
        assert_eq!(channels.pages, [[2002, 1], [2000, 1]]);
    }

    #[test]
    fn bursts_on_one_channel_show_though_the_sums_are_even() {
        let mut channels = channels();
        for round in 0..2000u64 {
            channels.add(round / 1000 * 8192, 4096, false);
        }
        let (whole, stretches) = channels.imbalance();
        assert!(whole < 1.001 && stretches.unwrap() > 1.9, "{whole} {stretches:?}");
    }
}
