//! Writes before the run: every page that will hold data once, in order, then overwrites of the flow's addresses.

#![expect(clippy::disallowed_types, reason = "sorted before anyone sees the order")]

use std::collections::HashMap;

use crate::config::workload::{Synthetic, Workload};
use crate::engine::random::Stream;
use crate::engine::time::Time;
use crate::ftl::precondition::occupied::OccupiedPages;
use crate::ftl::precondition::rates::{Traced, of_spaces, weight_of};
use crate::host::request::Kind;
use crate::limits::{FlowRange, Limits};
use crate::workload::replay::Replay;
use crate::workload::synthetic::Generator;
use crate::workload::wanted::Wanted;

pub type Reopened = Box<dyn FnMut() -> Result<Replay, String> + Send>;

pub struct Fills {
    pub fills: Vec<Fill>,
    /// By flow, in any unit.
    pub weights: Vec<f64>,
    pub traced: Vec<Traced>,
    pub pages: u64,
}

enum Overwrites {
    /// For drives that nobody writes during the run.
    Uniform(Stream),
    Generated(Box<Generator>),
    Traced(Box<Replay>, Reopened),
}

pub struct Fill {
    first_sector: u64,
    sectors: u64,
    pages: u64,
    per_page: u64,
    /// And the binary logarithm of how many pages go to one at a time.
    planes: u64,
    shift: u32,
    occupied: OccupiedPages,
    next: u64,
    request: std::ops::Range<u64>,
    left: u64,
    overwrites: Overwrites,
}

impl Fills {
    /// `reopened`: how to read each flow's trace.
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
        // A mapping unit larger than a page counts as one.
        let per_page = u64::from(limits.layout.sectors_per_page) * limits.pages_per_unit;
        let mut written = Vec::new();
        let flows = workload.flow.iter().zip(&limits.flows).zip(reopened);
        for (number, ((flow, range), again)) in flows.enumerate() {
            let (overwrites, weight, units) = match (&flow.synthetic, again) {
                (Some(synthetic), _) => {
                    let generator = generator(synthetic, number, seed, range);
                    let weight = range.space.map_or(0.0, |_| weight_of(synthetic));
                    (Overwrites::Generated(Box::new(generator)), weight, Traced::new())
                }
                (None, Some(_)) if range.space.is_none() => {
                    (Overwrites::Uniform(Stream::named(seed, "zones")), 0.0, Traced::new())
                }
                (None, Some(mut again)) => {
                    let units = writes_of(&mut again()?, range, per_page)?;
                    let writes: u64 = units.iter().map(|&(_, n)| u64::from(n)).sum();
                    (Overwrites::Traced(Box::new(again()?), again), (writes * per_page * 512) as f64, units)
                }
                _ => return Err(format!("flow {:?}: preconditioning cannot read its trace once more", flow.name)),
            };
            made.weights.push(weight);
            made.traced.push(units);
            written.push(overwrites);
        }
        let rates = of_spaces(&workload.flow, limits, per_page, &made.traced);
        for (number, (range, overwrites)) in limits.flows.iter().zip(written).enumerate() {
            let pages = range.sectors.div_ceil(per_page);
            let p = &range.positions;
            let planes = p.channels.len() * p.chips.len() * p.dies.len() * p.planes.len();
            // A flow of zones writes nothing beforehand, in any space.
            let space = range.space.unwrap_or(0);
            // Flows that share their addresses share what is there: the first one fills it.
            let fills = limits.spaces.contains(&number);
            made.pages += if fills { (pages as f64 * occupancies[space]) as u64 } else { 0 };
            made.fills.push(Fill {
                first_sector: range.first_sector,
                sectors: range.sectors,
                pages,
                per_page,
                planes: (planes as u64 / limits.pages_per_unit).max(1),
                shift: limits.layout.flash_shift,
                occupied: OccupiedPages::new(&rates[space], occupancies[space]),
                next: if fills { 0 } else { pages },
                request: 0..0,
                left: 0,
                overwrites,
            });
        }
        made.traced.iter_mut().for_each(|units| *units = pages_of_units(units, limits.pages_per_unit));
        if made.weights.iter().all(|&w| w == 0.0) {
            made.write_evenly(seed);
        }
        Ok(made)
    }

    fn write_evenly(&mut self, seed: u64) {
        for (number, (fill, weight)) in self.fills.iter_mut().zip(&mut self.weights).enumerate() {
            fill.overwrites = Overwrites::Uniform(Stream::named(seed, &format!("precondition/{number}")));
            *weight = if fill.next < fill.pages { fill.pages as f64 } else { 0.0 };
        }
    }
}

fn generator(config: &Synthetic, number: usize, seed: u64, range: &FlowRange) -> Generator {
    let endless = Synthetic { requests: u64::MAX, stop: None, mqsim_seed: None, ..config.clone() };
    Generator::of(&endless, &format!("precondition/{number}"), seed, range)
}

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

fn pages_of_units(units: &[(u64, u32)], pages: u64) -> Traced {
    let of_unit = |&(unit, writes): &(u64, u32)| (unit * pages..(unit + 1) * pages).map(move |page| (page, writes));
    units.iter().flat_map(of_unit).collect()
}

/// Counted from the flow's first page. MQSim's requests may run over the end of its `sectors`.
fn pages_of(wanted: &Wanted, first_sector: u64, sectors: u64, per_page: u64) -> std::ops::Range<u64> {
    let first = wanted.lba - first_sector;
    first / per_page..(first + u64::from(wanted.sectors)).min(sectors).div_ceil(per_page)
}

impl Fill {
    pub fn overwrite(&mut self, pages: u64) {
        self.left = pages;
    }

    fn is_occupied(&self, page: u64) -> bool {
        let (share, rank) = self.occupied.share_and_rank(page);
        let within = rank & ((1 << self.shift) - 1);
        let round = ((((rank >> self.shift) / self.planes) << self.shift) + within) as f64;
        ((round + 1.0) * share) as u64 > (round * share) as u64
    }

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
        Wanted::write(self.first_sector + first, sectors)
    }
}
