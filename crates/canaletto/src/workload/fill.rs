//! Writes that prepare a drive before the run: every page that is to hold data once, in order, then overwrites of the
//! flow's own addresses, page by page.

#![expect(clippy::disallowed_types, reason = "sorted before anyone sees the order")]

use std::collections::HashMap;

use crate::config::workload::{Flow, Synthetic, Workload};
use crate::engine::random::Stream;
use crate::engine::time::Time;
use crate::ftl::precondition::rates::Traced;
use crate::host::request::Kind;
use crate::limits::{FlowRange, Limits};
use crate::workload::flow::Wanted;
use crate::workload::replay::Replay;
use crate::workload::synthetic::Generator;

/// Restarts a trace's stream.
pub type Reopened = Box<dyn FnMut() -> Result<Replay, String> + Send>;

/// Writes of a workload's flows before the run.
pub struct Fills {
    /// Writes of each flow.
    pub fills: Vec<Fill>,
    /// Share of overwrites of each flow, in any unit.
    pub weights: Vec<f64>,
    /// Number of writes to each flow's pages in its trace.
    pub traced: Vec<Traced>,
    /// Pages that are to hold data.
    pub pages: u64,
}

/// Source of the addresses of overwrites.
enum Overwrites {
    /// All pages with equal probability, for drives that nobody writes during the run.
    Uniform(Stream),
    /// Generator of the flow.
    Generated(Box<Generator>),
    /// Trace of the flow, repeated.
    Traced(Box<Replay>, Reopened),
}

/// Writes of one flow before the run.
pub struct Fill {
    first_sector: u64,
    sectors: u64,
    pages: u64,
    per_page: u64,
    /// Planes that the flow's pages are placed on in turn, and the binary logarithm of how many go to one at a time.
    planes: u64,
    shift: u32,
    occupancy: f64,
    /// Next page to be written for the first time.
    next: u64,
    /// Pages of the last request that are still to be overwritten.
    request: std::ops::Range<u64>,
    /// Pages that may still be overwritten.
    left: u64,
    overwrites: Overwrites,
}

impl Fills {
    /// Makes the writes of the flows; `reopened` holds a way to read each flow's trace, where it has one.
    ///
    /// # Errors
    /// A trace that cannot be read or placed.
    pub fn new(
        workload: &Workload,
        limits: &Limits,
        occupancies: &[f64],
        reopened: Vec<Option<Reopened>>,
        seed: u64,
    ) -> Result<Fills, String> {
        let mut made = Fills { fills: Vec::new(), weights: Vec::new(), traced: Vec::new(), pages: 0 };
        // What is larger than a page and written as a whole counts as one.
        let per_page = u64::from(limits.layout.sectors_per_page) * limits.pages_per_unit;
        for (number, ((flow, range), again)) in workload.flow.iter().zip(&limits.flows).zip(reopened).enumerate() {
            let (overwrites, weight, traced) = match (&flow.synthetic, again) {
                (Some(synthetic), _) => {
                    let generator = generator(synthetic, flow, seed, range);
                    (Overwrites::Generated(Box::new(generator)), weight_of(synthetic), Traced::new())
                }
                (None, Some(mut again)) => {
                    let units = writes_of(&mut again()?, range, per_page)?;
                    let writes: u64 = units.iter().map(|&(_, n)| u64::from(n)).sum();
                    let pages = |&(unit, n): &(u64, u32)| {
                        (unit * limits.pages_per_unit..(unit + 1) * limits.pages_per_unit).map(move |page| (page, n))
                    };
                    let traced = units.iter().flat_map(pages).collect();
                    (Overwrites::Traced(Box::new(again()?), again), (writes * per_page * 512) as f64, traced)
                }
                _ => return Err(format!("flow {:?}: preconditioning cannot read its trace once more", flow.name)),
            };
            let pages = range.sectors.div_ceil(per_page);
            let p = &range.positions;
            let planes = p.channels.len() * p.chips.len() * p.dies.len() * p.planes.len();
            let fill = Fill {
                first_sector: range.first_sector,
                sectors: range.sectors,
                pages,
                per_page,
                planes: (planes as u64 / limits.pages_per_unit).max(1),
                shift: limits.layout.flash_shift,
                occupancy: occupancies[number.min(occupancies.len() - 1)],
                // Flows that share their addresses share what is there: the first one fills it.
                next: if workload.partitioned || number == 0 { 0 } else { pages },
                request: 0..0,
                left: 0,
                overwrites,
            };
            made.pages += if fill.next == 0 { (pages as f64 * fill.occupancy) as u64 } else { 0 };
            made.fills.push(fill);
            made.weights.push(weight);
            made.traced.push(traced);
        }
        if made.weights.iter().all(|&w| w == 0.0) {
            made.write_evenly(seed);
        }
        Ok(made)
    }

    /// Overwrites all pages with equal probability, for workloads without writes.
    fn write_evenly(&mut self, seed: u64) {
        for (number, (fill, weight)) in self.fills.iter_mut().zip(&mut self.weights).enumerate() {
            fill.overwrites = Overwrites::Uniform(Stream::named(seed, &format!("precondition/{number}")));
            *weight = if fill.next == 0 { fill.pages as f64 } else { 0.0 };
        }
    }
}

/// Returns the flow's generator with other random numbers, for as many requests as it takes.
fn generator(config: &Synthetic, flow: &Flow, seed: u64, range: &FlowRange) -> Generator {
    let endless = Synthetic { requests: u64::MAX, stop: None, mqsim_seed: None, ..config.clone() };
    Generator::of(&endless, &format!("precondition/{}", flow.name), seed, range)
}

/// Returns the bytes that a generated flow writes.
pub fn weight_of(flow: &Synthetic) -> f64 {
    let share = (1.0 - flow.trim_share - flow.flush_share) * (1.0 - flow.read_share);
    share.max(0.0) * flow.requests as f64 * flow.mean_bytes(false)
}

/// Returns the number of writes of each page in a trace, counted from the flow's first page.
fn writes_of(replay: &mut Replay, range: &FlowRange, per_page: u64) -> Result<Traced, String> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    while let Some(wanted) = replay.take()? {
        if wanted.kind == Kind::Write {
            pages_of(&wanted, range.first_sector, range.sectors, per_page)
                .for_each(|page| *counts.entry(page).or_default() += 1);
        }
    }
    let mut traced: Traced = counts.into_iter().collect();
    traced.sort_unstable();
    Ok(traced)
}

/// Returns the pages that a request touches, counted from the flow's first page; `sectors` is the number of the flow's
/// sectors, over whose end MQSim's requests may run.
fn pages_of(wanted: &Wanted, first_sector: u64, sectors: u64, per_page: u64) -> std::ops::Range<u64> {
    let first = wanted.lba - first_sector;
    first / per_page..(first + u64::from(wanted.sectors)).min(sectors).div_ceil(per_page)
}

impl Fill {
    /// Allows so many pages more to be overwritten.
    pub fn overwrite(&mut self, pages: u64) {
        self.left = pages;
    }

    /// Returns whether a page is to hold data. Every plane holds the same share of its pages, evenly spread.
    fn is_occupied(&self, page: u64) -> bool {
        let within = page & ((1 << self.shift) - 1);
        let round = ((((page >> self.shift) / self.planes) << self.shift) + within) as f64;
        ((round + 1.0) * self.occupancy) as u64 > (round * self.occupancy) as u64
    }

    /// Returns the next write.
    ///
    /// # Errors
    /// A trace that cannot be read on.
    pub fn next(&mut self, now: Time) -> Result<Option<Wanted>, String> {
        while self.next < self.pages {
            self.next += 1;
            if self.is_occupied(self.next - 1) {
                return Ok(Some(self.write(self.next - 1)));
            }
        }
        while self.left > 0 {
            // Pages that hold no data count as well, so that a flow that finds none comes to an end.
            if let Some(page) = self.request.next() {
                self.left -= 1;
                if self.is_occupied(page) {
                    return Ok(Some(self.write(page)));
                }
            } else {
                self.request = self.overwritten(now)?;
            }
        }
        Ok(None)
    }

    /// Returns the pages of the next request.
    fn overwritten(&mut self, now: Time) -> Result<std::ops::Range<u64>, String> {
        let wanted = match &mut self.overwrites {
            Overwrites::Uniform(random) => {
                let page = random.integer(0, self.pages - 1);
                return Ok(page..page + 1);
            }
            Overwrites::Generated(generator) => generator.next(now),
            Overwrites::Traced(replay, again) => match replay.take()? {
                None => {
                    **replay = again()?;
                    None
                }
                Some(wanted) => Some(wanted).filter(|w| w.kind == Kind::Write),
            },
        };
        Ok(wanted.map_or(0..0, |wanted| pages_of(&wanted, self.first_sector, self.sectors, self.per_page)))
    }

    fn write(&self, page: u64) -> Wanted {
        let first = page * self.per_page;
        let sectors = self.per_page.min(self.sectors - first) as u32;
        Wanted { kind: Kind::Write, fua: false, zeroes: false, lba: self.first_sector + first, sectors }
    }
}
