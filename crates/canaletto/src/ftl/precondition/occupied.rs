//! Which pages of a space hold data before the run, where not all do.
//!
//! Pages that flows write come first: otherwise the run would fill its working set, and write amplification would
//! climb.

use crate::ftl::precondition::rates::{Rates, Run};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupied {
    pub written: f64,
    pub others: f64,
}

impl Occupied {
    pub fn new(rates: &Rates, occupancy: f64) -> Occupied {
        let (mut from, mut pages) = (0, [0u64; 2]);
        for run in &rates.runs {
            pages[usize::from(run.rate > 0.0)] += run.until - from;
            from = run.until;
        }
        let [others, written] = pages.map(|n| n as f64);
        // Otherwise rounding would decide about a page.
        if written == 0.0 || others == 0.0 {
            return Occupied { written: occupancy, others: occupancy };
        }
        let data = occupancy * (written + others);
        Occupied { written: (data / written).min(1.0), others: ((data - written) / others).max(0.0) }
    }

    pub fn of(&self, rate: f64) -> f64 {
        if rate > 0.0 { self.written } else { self.others }
    }
}

#[derive(Clone, Debug)]
pub struct OccupiedPages {
    shares: Occupied,
    runs: Vec<(Run, u64)>,
}

impl OccupiedPages {
    pub fn new(rates: &Rates, occupancy: f64) -> OccupiedPages {
        let shares = Occupied::new(rates, occupancy);
        let (mut from, mut before) = (0, [0; 2]);
        let runs = rates.runs.iter().map(|&run| {
            let of_kind = &mut before[usize::from(run.rate > 0.0)];
            let entry = (run, *of_kind);
            *of_kind += run.until - from;
            from = run.until;
            entry
        });
        OccupiedPages { shares, runs: if shares.written == shares.others { Vec::new() } else { runs.collect() } }
    }

    pub fn share_and_rank(&self, page: u64) -> (f64, u64) {
        let place = self.runs.partition_point(|(run, _)| run.until <= page);
        match self.runs.get(place) {
            None => (self.shares.written, page),
            Some((run, before)) => {
                let first = place.checked_sub(1).map_or(0, |earlier| self.runs[earlier].0.until);
                (self.shares.of(run.rate), before + page - first)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_written_hold_data_first() {
        let mut rates = Rates::none(100);
        assert_eq!(Occupied::new(&rates, 0.3), Occupied { written: 0.3, others: 0.3 }, "nobody writes");
        rates.add(20, 100, 80.0);
        for (occupancy, written, others) in [(0.4, 0.5, 0.0), (0.8, 1.0, 0.0), (0.9, 1.0, 0.5), (1.0, 1.0, 1.0)] {
            let found = Occupied::new(&rates, occupancy);
            assert!((found.written - written).abs() + (found.others - others).abs() < 1e-12, "{occupancy}: {found:?}");
        }
        rates.add(0, 20, 1.0);
        assert_eq!(Occupied::new(&rates, 0.7).written, 0.7, "all are written");
    }

    #[test]
    fn ranks_count_pages_of_one_kind() {
        let mut rates = Rates::none(10);
        rates.add(2, 4, 1.0);
        rates.add(7, 8, 1.0);
        let pages = OccupiedPages::new(&rates, 0.2);
        let ranks: Vec<u64> = (0..10).map(|page| pages.share_and_rank(page).1).collect();
        assert_eq!(ranks, [0, 1, 0, 1, 2, 3, 4, 2, 5, 6]);
        assert_eq!(pages.share_and_rank(7).0, 2.0 / 3.0);
        assert_eq!(pages.share_and_rank(8).0, 0.0);
        assert_eq!(OccupiedPages::new(&rates, 1.0).share_and_rank(9), (1.0, 9));
    }
}
