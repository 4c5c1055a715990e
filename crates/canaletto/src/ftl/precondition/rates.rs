//! How often the logical pages of a space are written: runs of pages with the same rate.

use crate::config::workload::{Addresses, Flow, Synthetic};
use crate::flash::address::SECTOR;
use crate::limits::{FlowRange, Limits};
use crate::workload::popularity::{Law, Scatter};

/// Rates within this factor count as one: the difference is below the noise.
const SAME: f64 = 1.05;

const MOST_RATES: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The page after the last, counted from the space's first.
    pub until: u64,
    /// Writes of each page, in any unit that all runs of the drive share.
    pub rate: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    pub runs: Vec<Run>,
}

impl Rates {
    pub fn none(pages: u64) -> Rates {
        Rates { runs: vec![Run { until: pages, rate: 0.0 }] }
    }

    pub fn add(&mut self, from: u64, until: u64, writes: f64) {
        if until <= from || writes <= 0.0 {
            return;
        }
        self.cut(from);
        self.cut(until);
        let each = writes / (until - from) as f64;
        let first = self.runs.partition_point(|run| run.until <= from);
        self.runs[first..].iter_mut().take_while(|run| run.until <= until).for_each(|run| run.rate += each);
    }

    fn cut(&mut self, at: u64) {
        let place = self.runs.partition_point(|run| run.until < at);
        if at > 0 && place < self.runs.len() && self.runs[place].until > at {
            let rate = self.runs[place].rate;
            self.runs.insert(place, Run { until: at, rate });
        }
    }

    /// Runs and requests count as writes of single pages where they begin.
    pub fn add_synthetic(&mut self, flow: &Synthetic, range: &FlowRange, sectors_per_page: u64) {
        let writes = weight_of(flow);
        let pages = |share: f64| ((range.sectors as f64 * share) as u64).div_ceil(sectors_per_page);
        let used = flow.used_sectors(range.sectors);
        let offset = flow.offset_sectors();
        let before = offset / sectors_per_page;
        let all = (offset + used).div_ceil(sectors_per_page);
        let alignment = (flow.alignment().0 / SECTOR).max(1);
        let places = (used / alignment).max(1);
        if let Some(law) = Law::of(flow, places) {
            for stretch in Scatter::new(places, flow.popular_regions).stretches(&law, places) {
                let from = (offset + stretch.from * alignment) / sectors_per_page;
                let until = (offset + stretch.until * alignment).div_ceil(sectors_per_page).min(all);
                self.add(from, until, writes * stretch.share);
            }
            return;
        }
        match (flow.addresses, flow.hot_share) {
            (Addresses::HotCold, Some(hot)) => {
                let set =
                    if flow.working_set_size.is_some() { used as f64 / range.sectors as f64 } else { flow.working_set };
                let end = (before + pages(set * hot)).min(all);
                self.add(before, end, writes * (1.0 - hot));
                self.add(end, all, writes * hot);
            }
            _ => self.add(before, all, writes),
        }
    }
}

/// `traced`: how often each flow's trace writes its pages.
pub fn of_spaces(flows: &[Flow], limits: &Limits, per_page: u64, traced: &[Traced]) -> Vec<Rates> {
    let pages = |&flow: &usize| limits.flows[flow].sectors.div_ceil(per_page);
    let mut rates: Vec<Rates> = limits.spaces.iter().map(|flow| Rates::none(pages(flow))).collect();
    for (number, (flow, range)) in flows.iter().zip(&limits.flows).enumerate() {
        let Some(space) = range.space.map(|space| &mut rates[space]) else { continue };
        if let Some(synthetic) = &flow.synthetic {
            space.add_synthetic(synthetic, range, per_page);
        }
        for &(page, writes) in traced.get(number).into_iter().flatten() {
            space.add(page, page + 1, f64::from(writes) * per_page as f64 * 512.0);
        }
    }
    group(&mut rates);
    rates
}

/// Pages counted from the flow's first, and how often a trace writes them.
pub type Traced = Vec<(u64, u32)>;

fn group(rates: &mut [Rates]) {
    let mut all: Vec<(f64, u64)> = Vec::new();
    for space in rates.iter() {
        let mut from = 0;
        for run in space.runs.iter() {
            all.push((run.rate, run.until - from));
            from = run.until;
        }
    }
    all.retain(|(rate, pages)| *rate > 0.0 && *pages > 0);
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut groups = grouped(&all, |lowest, rate| rate <= lowest * SAME);
    if groups.len() > MOST_RATES {
        groups = grouped(&all, |lowest, rate| rate < lowest * 2.0);
    }
    for run in rates.iter_mut().flat_map(|space| &mut space.runs).filter(|run| run.rate > 0.0) {
        run.rate = groups[groups.partition_point(|group| group.0 <= run.rate) - 1].1;
    }
    for space in rates {
        // The later of two runs with one rate stays.
        let runs = std::mem::take(&mut space.runs);
        for run in runs {
            match space.runs.last_mut() {
                Some(last) if last.rate == run.rate => last.until = run.until,
                _ => space.runs.push(run),
            }
        }
    }
}

fn grouped(sorted: &[(f64, u64)], together: impl Fn(f64, f64) -> bool) -> Vec<(f64, f64)> {
    let mut groups: Vec<(f64, f64, f64)> = Vec::new();
    for &(rate, pages) in sorted {
        let (writes, pages) = (rate * pages as f64, pages as f64);
        match groups.last_mut() {
            Some(group) if together(group.0, rate) => {
                group.1 += writes;
                group.2 += pages;
            }
            _ => groups.push((rate, writes, pages)),
        }
    }
    groups.into_iter().map(|(lowest, writes, pages)| (lowest, writes / pages)).collect()
}

pub fn weight_of(flow: &Synthetic) -> f64 {
    let share = (1.0 - flow.trim_share - flow.flush_share) * (1.0 - flow.read_share);
    share.max(0.0) * flow.requests as f64 * flow.mean_bytes(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(rates: &Rates) -> Vec<(u64, f64)> {
        rates.runs.iter().map(|run| (run.until, run.rate)).collect()
    }

    #[test]
    fn overlapping_writes_add_up() {
        let mut rates = Rates::none(100);
        rates.add(0, 50, 50.0);
        rates.add(40, 100, 120.0);
        rates.add(0, 100, 100.0);
        rates.add(7, 7, 3.0);
        assert_eq!(runs(&rates), [(40, 2.0), (50, 4.0), (100, 3.0)]);
    }

    #[test]
    fn near_rates_become_one_and_many_become_few() {
        let mut near = [Rates::none(30)];
        near[0].add(0, 10, 10.0);
        near[0].add(10, 20, 10.4);
        group(&mut near);
        assert_eq!(runs(&near[0]), [(20, 1.02), (30, 0.0)]);
        let mut many = [Rates::none(100)];
        (0..64).for_each(|page| many[0].add(page, page + 1, (page + 1) as f64));
        let written = |rates: &Rates| {
            let from = [0].into_iter().chain(rates.runs.iter().map(|run| run.until));
            rates.runs.iter().zip(from).map(|(run, from)| run.rate * (run.until - from) as f64).sum::<f64>()
        };
        let before = written(&many[0]);
        group(&mut many);
        assert_eq!(many[0].runs.len(), 8, "1, 2 and 3, 4 to 7, ..., 64, none");
        assert!((written(&many[0]) - before).abs() < 1e-9);
    }
}
