//! Counts of requests by time and address: of fixed size, with a scale that grows.

pub(super) const CELLS: usize = 160;

/// Whenever a request falls outside, a scale doubles and cells merge in pairs.
#[derive(Debug)]
pub(super) struct Grid {
    counts: Vec<u64>,
    /// Time that one cell spans, in nanoseconds.
    pub(super) time_ns: u64,
    pub(super) bytes: u64,
}

impl Default for Grid {
    fn default() -> Self {
        Self { counts: vec![0; CELLS * CELLS], time_ns: 1000, bytes: 4096 }
    }
}

impl Grid {
    pub(super) fn add(&mut self, time_ns: u64, offset_bytes: u64) {
        while time_ns / self.time_ns >= CELLS as u64 {
            self.time_ns *= 2;
            self.merge(|at| (at / CELLS / 2) * CELLS + at % CELLS);
        }
        while offset_bytes / self.bytes >= CELLS as u64 {
            self.bytes *= 2;
            self.merge(|at| at / CELLS * CELLS + at % CELLS / 2);
        }
        self.counts[(time_ns / self.time_ns) as usize * CELLS + (offset_bytes / self.bytes) as usize] += 1;
    }

    /// `place` is never behind the cell.
    fn merge(&mut self, place: impl Fn(usize) -> usize) {
        for at in 1..self.counts.len() {
            let count = std::mem::take(&mut self.counts[at]);
            self.counts[place(at)] += count;
        }
    }

    pub(super) fn cells(&self) -> Vec<(usize, usize, u64)> {
        let cells = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        cells.map(|(at, count)| (at / CELLS, at % CELLS, *count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_grow_and_counts_stay_in_their_places() {
        let mut grid = Grid::default();
        let requests: Vec<_> = (0..5000u64).map(|i| (i * 777, i * 7_919_000 % 1_000_000_007)).collect();
        requests.iter().for_each(|(time, offset)| grid.add(*time, *offset));
        let mut expected = std::collections::BTreeMap::new();
        for (time, offset) in requests {
            *expected.entry(((time / grid.time_ns) as usize, (offset / grid.bytes) as usize)).or_insert(0u64) += 1;
        }
        let expected: Vec<_> = expected.into_iter().map(|((time, place), count)| (time, place, count)).collect();
        assert_eq!(grid.cells(), expected);
        grid.add(u64::MAX, u64::MAX);
        assert_eq!(grid.cells().iter().map(|cell| cell.2).sum::<u64>(), 5001);
    }
}
