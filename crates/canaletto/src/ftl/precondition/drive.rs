//! Contents of every plane in the steady state, from the design and the flows.
//!
//! **Free blocks.** Collection is at rest, as after `replay`; the run presses them further down.
//!
//! **Planes** with pages of the same spaces and similar shares of writes are of one kind, found once.
//!
//! **Superblocks** are blocks with all of a group's pages.

use crate::config::design::{Design, Scope, Superblock};
use crate::config::workload::Workload;
use crate::flash::address::PlaneId;
use crate::ftl::frontier::Frontier;
use crate::ftl::placement::Placement;
use crate::ftl::precondition::occupied::Occupied;
use crate::ftl::precondition::rates::{Rates, Traced, of_spaces};
use crate::ftl::precondition::spaces::Spaces;
use crate::ftl::precondition::{Kind, Seeds};
use crate::ftl::reclaim::gc::policy::Policy;
use crate::ftl::steady::classes::Classes;
use crate::ftl::steady::group::{MODEL_PAGES, Member};
use crate::ftl::steady::plan::{Geometry, Plan, Steady};
use crate::limits::Limits;

/// Share of a plane's writes that may differ between planes of a kind.
const ALIKE: f64 = 0.1;

/// A state may take a second to find. Further planes use the nearest kind.
const MOST_KINDS: usize = 6;

/// One space per flow if the drive is partitioned, else one per namespace.
///
/// # Errors
/// As [`Spaces::new`].
pub fn spaces(design: &Design, limits: &Limits) -> Result<Spaces, String> {
    let per_page = u64::from(limits.layout.sectors_per_page);
    let placed = limits.spaces.iter().map(|&flow| {
        let flow = &limits.flows[flow];
        let placement = Placement::new(&limits.layout, design.ftl.allocation, &flow.positions);
        (flow.first_page, flow.sectors.div_ceil(per_page), placement)
    });
    Spaces::new(&limits.layout, placed)
}

pub fn occupancies(design: &Design, workload: &Workload, limits: &Limits) -> Vec<f64> {
    let of = |&flow: &usize| workload.flow[flow].occupancy.unwrap_or(design.precondition.occupancy);
    limits.spaces.iter().map(of).collect()
}

/// # Errors
/// Says what does not fit.
pub fn seeds(
    design: &Design,
    workload: &Workload,
    limits: &Limits,
    traced: &[Traced],
    seed: u64,
) -> Result<Seeds, String> {
    let per_page = u64::from(limits.layout.sectors_per_page);
    let rates = of_spaces(&workload.flow, limits, per_page, traced);
    let occupied = rates
        .iter()
        .zip(occupancies(design, workload, limits))
        .map(|(rates, share)| Occupied::new(rates, share))
        .collect();
    let maker = Maker { design, limits, occupied, rates, seed };
    let spaces = spaces(design, limits)?;
    let mut made: Vec<(Vec<usize>, Planes)> = Vec::new();
    let (mut planes, mut kind_of) = (Vec::new(), Vec::new());
    for plane in (0..limits.layout.planes()).step_by(limits.planes_per_group as usize).map(PlaneId) {
        let of = spaces.of_plane(plane);
        let same = || made.iter().zip(0usize..).filter(|((known, _), _)| *known == of);
        let classes = same().next().map_or_else(|| maker.classes(&of), |((_, like), _)| like.classes.clone());
        let members: Vec<Member> =
            maker.group_of(plane).map(|plane| maker.contents(&of, plane, &spaces, &classes)).collect();
        let mapped = sums(&members, classes.len());
        let shares = shares_of_writes(&mapped, &classes);
        let nearest = same().map(|((_, like), kind)| (difference(&like.shares, &shares), kind));
        let known = same().count();
        let kind = match nearest.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((difference, kind)) if difference < ALIKE || known == maker.most_kinds() => kind,
            _ => {
                made.push((of.clone(), maker.planes_of(&of, classes, &mapped, shares)?));
                made.len() - 1
            }
        };
        let like = &made[kind].1;
        if maker.has_superblocks() {
            let unit = maker.parity_unit();
            planes.extend(like.plan.seed_group(plane.0, members, unit, seed).map_err(too_full)?);
        } else {
            for (classes, mapped) in members {
                planes.push(like.plan.seed(plane.0, classes, &mapped, seed).map_err(too_full)?);
            }
        }
        kind_of.resize(planes.len(), kind);
    }
    let kinds = made.into_iter().map(|(_, like)| like.kind).collect();
    Ok(Seeds::new(spaces, planes, kinds, kind_of))
}

fn too_full(problem: String) -> String {
    format!("preconditioning: {problem}; expected a lower precondition.occupancy or more ftl.overprovisioning")
}

fn sizes(pages: &[u32]) -> Vec<f64> {
    pages.iter().map(|&n| f64::from(n)).collect()
}

fn shares(parts: &[f64]) -> Option<Vec<f64>> {
    let all: f64 = parts.iter().sum();
    (all > 0.0).then(|| parts.iter().map(|part| part / all).collect())
}

fn sums(members: &[Member], classes: usize) -> Vec<u32> {
    let mut sums = vec![0; classes];
    for (_, mapped) in members {
        sums.iter_mut().zip(mapped).for_each(|(sum, n)| *sum += n);
    }
    sums
}

/// Each class's share of a plane's writes; even if nobody writes.
fn shares_of_writes(mapped: &[u32], classes: &[Alike]) -> Vec<f64> {
    let writes: Vec<f64> = mapped.iter().zip(classes).map(|(&n, alike)| f64::from(n) * alike.0).collect();
    shares(&writes).or_else(|| shares(&sizes(mapped))).unwrap_or(vec![1.0; classes.len()])
}

fn difference(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// How often the pages are written, and the share that holds data.
type Alike = (f64, f64);

struct Planes {
    classes: Vec<Alike>,
    shares: Vec<f64>,
    plan: Plan,
    kind: Kind,
}

struct Maker<'a> {
    design: &'a Design,
    limits: &'a Limits,
    occupied: Vec<Occupied>,
    rates: Vec<Rates>,
    seed: u64,
}

impl Maker<'_> {
    fn contents(&self, of: &[usize], plane: PlaneId, spaces: &Spaces, classes: &[Alike]) -> Member {
        let (mut runs, mut members) = (Vec::new(), vec![0u32; classes.len()]);
        for &space in of {
            let mut from = 0;
            for run in &self.rates[space].runs {
                let pages = spaces.pages_between(space, plane, from, run.until);
                from = run.until;
                let alike = (run.rate, self.occupied[space].of(run.rate));
                let class = classes.iter().position(|&known| known == alike).unwrap_or(0);
                members[class] += pages;
                runs.push((pages, class));
            }
        }
        let mapped = |(&members, alike): (&u32, &Alike)| (f64::from(members) * alike.1).round() as u32;
        let mapped = members.iter().zip(classes).map(mapped).collect();
        (Classes::from_runs(classes.len(), &runs), mapped)
    }

    fn classes(&self, of: &[usize]) -> Vec<Alike> {
        let mut classes: Vec<Alike> = Vec::new();
        for &space in of {
            for run in &self.rates[space].runs {
                let alike = (run.rate, self.occupied[space].of(run.rate));
                if !classes.contains(&alike) {
                    classes.push(alike);
                }
            }
        }
        if classes.is_empty() {
            // A plane that no flow addresses: as one whose addresses hold no data.
            classes.push((0.0, 0.0));
        }
        classes
    }

    fn most_kinds(&self) -> usize {
        if Policy::new(&self.design.gc).has_rule() { 1 } else { MOST_KINDS }
    }

    fn has_superblocks(&self) -> bool {
        self.design.ftl.superblock != Superblock::None
    }

    fn parity_unit(&self) -> u32 {
        self.design.ftl.parity.unit_planes(&self.limits.layout)
    }

    fn group_of(&self, first: PlaneId) -> impl Iterator<Item = PlaneId> + use<> {
        (first.0..first.0 + self.limits.planes_per_group).map(PlaneId)
    }

    /// Pages for data of a block or superblock, and the number for which its steady state is found.
    fn pages(&self) -> Result<(u32, u32), String> {
        let (pages, planes) = (self.limits.layout.pages_per_block, self.limits.planes_per_group);
        if u64::from(pages) * u64::from(planes) * u64::from(self.limits.mapped_blocks) > u64::from(u32::MAX) {
            return Err(format!(
                "precondition.kind: got \"steady\" for superblocks over planes of more than 2^32 pages in all; expected \
                 \"replay\", or ftl.superblock with smaller groups than \"{}\"",
                self.design.ftl.superblock.name()
            ));
        }
        let all = pages * (planes - self.parity_unit());
        Ok((all, if self.has_superblocks() { all.min(MODEL_PAGES) } else { all }))
    }

    /// With `mapped` pages of data.
    fn planes_of(&self, of: &[usize], classes: Vec<Alike>, mapped: &[u32], shares: Vec<f64>) -> Result<Planes, String> {
        let (pages, model) = self.pages()?;
        let frontiers = self.frontiers(of);
        let geometry = self.geometry(mapped.iter().map(|&n| u64::from(n)).sum(), pages, frontiers.len() as u32)?;
        let steady = self.steady(geometry, model, (mapped, &shares));
        let mixes = frontiers.iter().map(|frontier| match frontier {
            Frontier::User(stream) => self.mix_of(*stream, &classes, mapped),
            _ if steady.copied().len() == classes.len() => steady.copied(),
            _ => shares.clone(),
        });
        let mixes = mixes.collect();
        // Of the writes to its own plane.
        let planes = f64::from(self.limits.planes_per_group);
        let kind = Kind {
            frontiers,
            write_amplification: steady.write_amplification(),
            writes: mapped.iter().zip(&classes).map(|(&n, alike)| f64::from(n) * alike.0).sum(),
            rates: shares.iter().zip(mapped).map(|(share, &n)| share / (f64::from(n.max(1)) / planes)).collect(),
        };
        Ok(Planes { classes, shares, plan: Plan { geometry, steady, mixes }, kind })
    }

    fn frontiers(&self, of: &[usize]) -> Vec<Frontier> {
        let elsewhere = (self.design.gc.scope != Scope::Plane).then_some(Frontier::Arrivals);
        let own = [Frontier::Gc].into_iter().chain(elsewhere);
        let mut streams: Vec<u16> = of.iter().map(|&space| self.stream_of(space)).collect();
        // Namespaces share a stream.
        streams.dedup();
        own.chain(streams.into_iter().map(Frontier::User)).collect()
    }

    fn stream_of(&self, space: usize) -> u16 {
        self.limits.flows[self.limits.spaces[space]].stream
    }

    /// The classes of the stream's spaces, in the ratio of their writes.
    fn mix_of(&self, stream: u16, classes: &[Alike], mapped: &[u32]) -> Vec<f64> {
        let own = || (0..self.rates.len()).filter(|&space| self.stream_of(space) == stream);
        let in_space = |space: usize, alike: &Alike| {
            alike.1 == self.occupied[space].of(alike.0) && self.rates[space].runs.iter().any(|run| run.rate == alike.0)
        };
        let has = |alike: &Alike| own().any(|space| in_space(space, alike));
        let of_space = |weight: fn(&Alike) -> f64| -> Vec<f64> {
            let each = classes.iter().zip(mapped);
            each.map(|(alike, &n)| if has(alike) { weight(alike) * f64::from(n) } else { 0.0 }).collect()
        };
        let written = of_space(|alike| alike.0);
        if written.iter().any(|&w| w > 0.0) { written } else { of_space(|_| 1.0) }
    }

    /// Full, open and free blocks while collection is at rest, as far as there is room.
    fn geometry(&self, mapped: u64, pages: u32, frontiers: u32) -> Result<Geometry, String> {
        // The pseudo-SLC cache is empty: its static part is erased blocks of no use to others.
        let apart = self.limits.cache_blocks.of_static;
        let blocks = self.limits.mapped_blocks - apart;
        let step = self.limits.layout.pages_per_flash_page();
        let open = if pages > step { frontiers } else { 0 };
        let needed = mapped.div_ceil(u64::from(pages)) + u64::from(open + self.design.gc.reserved_blocks);
        if needed > u64::from(blocks) {
            return Err(too_full(format!(
                "{mapped} pages that hold data, {open} blocks being filled and {} kept free need {needed} of a plane's {blocks} \
                 blocks",
                self.design.gc.reserved_blocks
            )));
        }
        let most = (u64::from(blocks) - needed) as u32 + self.design.gc.reserved_blocks;
        let free = self.limits.gc_start_below.min(most) + apart;
        Ok(Geometry { blocks: blocks + apart, pages, step, free, frontiers })
    }

    fn steady(&self, geometry: Geometry, model: u32, (mapped, shares): (&[u32], &[f64])) -> Steady {
        let all: u32 = mapped.iter().sum();
        let load = geometry.load(f64::from(all));
        let sizes = self::shares(&sizes(mapped)).unwrap_or(vec![1.0; mapped.len()]);
        let classes: Vec<(f64, f64)> = sizes.into_iter().zip(shares.iter().copied()).collect();
        let geometry = Geometry { pages: model, ..geometry };
        Steady::find(&Policy::new(&self.design.gc), load, geometry, &classes, self.seed)
    }
}
