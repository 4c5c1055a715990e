//! Computation where the data are: tasks, the units that work on them, and what their operands wait for.
//!
//! - In: tasks that [begin](Compute::begin).
//! - In: operands that are [located](Compute::located), [read](Compute::takes_page) and [there](Compute::arrived).
//! - Out: when a unit is done, and where an operand goes.
//! - State: units with their buffers, tasks in flight, counts per flow.

// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

mod unit;

use crate::config::compute::{At, Compute as Keys, Task, TaskKind};
use crate::config::design::{Design, WritePlacement};
use crate::config::workload::{Flow, Workload};
use crate::engine::ids::{RequestId, TransactionId};
use crate::engine::random::Stream;
use crate::engine::time::{Time, TimeSum};
use crate::flash::address::{Layout, LunId, PlaneId, SECTOR};
use crate::limits::{FlowRange, Limits};
use crate::measure::compute::TaskCounts;
use crate::scheduler::transaction::Transaction;
use unit::Unit;
pub use unit::Waiting;

struct Plan {
    task: Task,
    /// First sector and number of sectors among which operands lie.
    range: (u64, u64),
    page_sectors: u64,
    places: Stream,
    counts: TaskCounts,
}

#[derive(Default)]
struct State {
    unlocated: u32,
    pages: Vec<TransactionId>,
    /// Pages that have yet to come, by unit; for a gather there is one.
    left: Vec<(usize, u32)>,
    /// Plane at which a gather in a chip ends.
    to: Option<PlaneId>,
    bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Located {
    Issue,
    /// Others of its task are still looked up.
    Wait,
    /// All operands of its task are known.
    Planned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// To its controller, as other data.
    Out,
    /// Once the unit of its channel or drive has room.
    Wait,
    /// In its chip, which takes it from the register.
    Here(Work),
}

/// A unit's work on something; nothing where latches combine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    pub unit: u32,
    pub from: Time,
    pub until: Time,
    pub ready: Time,
}

impl Work {
    fn none(now: Time) -> Work {
        Work { unit: 0, from: now, until: now, ready: now }
    }
}

pub struct Compute {
    layout: Layout,
    plans: Vec<Option<Plan>>,
    keys: Keys,
    /// Whether a block's string groups are programmed one after the other, and not word line by word line.
    groups_in_turn: bool,
    /// Operands go from chip to chip where the fabric can, and while no part of it fails.
    pub may_go_directly: bool,
    /// The drive's, one per channel, one per chip.
    units: Vec<Unit>,
    tasks: Vec<State>,
    /// Pages of each LUN that lie in registers and wait for a unit or for room there.
    in_registers: Vec<u32>,
}

impl Compute {
    /// None if no flow has tasks.
    pub fn new(design: &Design, workload: &Workload, limits: &Limits, seed: u64) -> Option<Box<Compute>> {
        if workload.flow.iter().all(|flow| flow.compute.is_none()) {
            return None;
        }
        let layout = limits.layout.clone();
        let plan = |(number, (flow, range)): (usize, (&Flow, &FlowRange))| {
            let task = flow.compute?;
            Some(Plan {
                task,
                range: range.used(flow),
                page_sectors: u64::from(layout.sectors_per_page),
                places: Stream::named(seed, &format!("compute/{number}")),
                counts: TaskCounts::default(),
            })
        };
        let plans = workload.flow.iter().zip(&limits.flows).enumerate().map(plan).collect();
        let keys = design.compute;
        let may_go_directly = !design.fabric.failures.any();
        let groups_in_turn = design.ftl.write_placement == WritePlacement::Operands;
        let all = [(At::Drive, 1), (At::Channel, layout.channels), (At::Chip, layout.chips())];
        let units = all.iter().flat_map(|&(at, count)| (0..count).map(move |_| Unit::new(&keys.unit(at)))).collect();
        let in_registers = vec![0; layout.luns() as usize];
        Some(Box::new(Compute {
            plans,
            keys,
            groups_in_turn,
            may_go_directly,
            units,
            tasks: Vec::new(),
            in_registers,
            layout,
        }))
    }

    fn plan(&self, flow: u16) -> &Plan {
        self.plans[usize::from(flow)].as_ref().expect("a task is of a flow with tasks")
    }

    fn counts(&mut self, flow: u16) -> &mut TaskCounts {
        &mut self.plans[usize::from(flow)].as_mut().expect("a task is of a flow with tasks").counts
    }

    pub fn has_tasks(&self, flow: u16) -> bool {
        self.plans[usize::from(flow)].is_some()
    }

    /// Whether any task is done in arrays.
    pub fn senses(&self) -> bool {
        self.plans.iter().flatten().any(|plan| plan.task.at == At::Array)
    }

    pub fn at(&self, flow: u16) -> At {
        self.plan(flow).task.at
    }

    /// The first operand is in sector `lba`; empty for other tasks than gathers.
    pub fn operands(&mut self, flow: u16, lba: u64) -> Vec<u64> {
        let Some(Plan { task, range: (first, sectors), page_sectors, places, .. }) = &mut self.plans[usize::from(flow)]
        else {
            return Vec::new();
        };
        if task.kind != TaskKind::Gather {
            return Vec::new();
        }
        let pages = (*sectors / *page_sectors).max(1);
        let start = (lba - *first) / *page_sectors;
        let mut chosen = vec![start];
        for operand in 1..u64::from(task.operands) {
            chosen.push(match task.distance {
                Some(distance) => (start + operand * (distance.0 / SECTOR / *page_sectors % pages)) % pages,
                None => another(places, pages, &chosen),
            });
        }
        chosen.into_iter().map(|page| *first + page * *page_sectors).collect()
    }

    /// Returns the bytes that cross the link for it.
    pub fn begin(&mut self, id: RequestId, flow: u16, pages: u32, bytes: u64) -> u64 {
        if self.tasks.len() <= id.index() {
            self.tasks.resize_with(id.index() + 1, State::default);
        }
        let state = &mut self.tasks[id.index()];
        state.pages.clear();
        state.left.clear();
        (state.unlocated, state.to, state.bytes) = (pages, None, 0);
        let task = self.plan(flow).task;
        let returned = match (task.at, task.kind) {
            (At::Host, _) => bytes,
            (_, TaskKind::Scan) => share(bytes, task.returned),
            (_, TaskKind::Gather) => self.layout.page_bytes(),
            (_, TaskKind::Reduce) => task.result.0,
        };
        let host_rate = self.keys.host.rate.0;
        let counts = self.counts(flow);
        counts.tasks += 1;
        counts.operand_bytes += bytes;
        counts.link_bytes += returned;
        if task.at == At::Host {
            counts.out_bytes += bytes;
            counts.busy += Time::of_transfer(bytes, host_rate);
        }
        returned
    }

    /// None for a page that holds nothing.
    pub fn located(&mut self, id: TransactionId, page: &Transaction) -> Located {
        if self.plan(page.flow).task.kind == TaskKind::Scan {
            return Located::Issue;
        }
        let state = &mut self.tasks[page.request.index()];
        state.unlocated -= 1;
        if page.ppa.is_some() {
            state.pages.push(id);
            state.bytes += u64::from(page.bytes);
        }
        if state.unlocated == 0 { Located::Planned } else { Located::Wait }
    }

    pub fn pages(&mut self, request: RequestId) -> Vec<TransactionId> {
        std::mem::take(&mut self.tasks[request.index()].pages)
    }

    pub fn keep_pages(&mut self, request: RequestId, pages: Vec<TransactionId>) {
        self.tasks[request.index()].pages = pages;
    }

    /// Chooses where a task works whose pages all lie in these planes. Returns whether its operands have room there;
    /// otherwise it waits.
    pub fn choose_place(&mut self, request: RequestId, flow: u16, planes: &[PlaneId]) -> bool {
        let (task, mut left) = (self.plan(flow).task, Vec::new());
        for &plane in planes {
            let unit = self.unit_of(task.at, plane);
            match left.iter_mut().find(|(of, _)| *of == unit) {
                Some((_, count)) => *count += 1,
                None => left.push((unit, 1)),
            }
        }
        let state = &mut self.tasks[request.index()];
        if task.kind != TaskKind::Gather {
            state.left = left;
            return true;
        }
        // The first of those with most operands.
        let Some(&(unit, _)) = left.iter().rev().max_by_key(|(_, count)| *count) else { return true };
        state.left = vec![(unit, planes.len() as u32)];
        let bytes = state.bytes;
        let to = planes.iter().copied().find(|&plane| self.unit_of(task.at, plane) == unit);
        self.tasks[request.index()].to = to;
        // Latches combine what comes to them.
        task.at == At::Array || self.units[unit].take(bytes, Waiting::Task(request))
    }

    fn unit_of(&self, at: At, plane: PlaneId) -> usize {
        match at {
            At::Host | At::Drive => 0,
            At::Channel => 1 + self.layout.channel_of_plane(plane) as usize,
            At::Chip | At::Array => 1 + self.layout.channels as usize + self.layout.chip_of_plane(plane).index(),
        }
    }

    /// The plane at which a gather in a chip ends, if this page belongs to one.
    pub fn goes_to(&self, page: &Transaction) -> Option<PlaneId> {
        let is_in_chip = matches!(self.at(page.flow), At::Chip | At::Array);
        self.tasks[page.request.index()].to.filter(|_| is_in_chip)
    }

    fn is_home(&self, page: &Transaction) -> bool {
        let chip = |plane| self.layout.chip_of_plane(plane);
        self.goes_to(page).is_some_and(|to| chip(to) == chip(page.ppa.plane))
    }

    /// The LUN to which an operand is bound, or from which a result comes.
    pub fn lun_of(&self, page: &Transaction) -> LunId {
        self.layout.lun_of(self.goes_to(page).unwrap_or(page.ppa.plane))
    }

    /// Operands that the array senses at once, as many as it can: all lie in one plane, block and string group.
    pub fn sensed_together(&self, pages: &[Transaction]) -> Vec<Vec<usize>> {
        let (most, groups) = (self.keys.array.operands as usize, self.keys.array.groups);
        let group = |page: u32| match self.groups_in_turn {
            true => page / self.layout.pages_per_block.div_ceil(groups),
            false => page % groups,
        };
        let place = |page: &Transaction| (page.ppa.plane, page.ppa.block, group(page.ppa.page));
        let mut sets: Vec<Vec<usize>> = Vec::new();
        for (number, page) in pages.iter().enumerate() {
            let fits = |set: &&mut Vec<usize>| set.len() < most && place(&pages[set[0]]) == place(page);
            match sets.iter_mut().find(fits) {
                Some(set) => set.push(number),
                None => sets.push(vec![number]),
            }
        }
        sets
    }

    /// `bytes`: of all pages that share its flash page, of which it is the first.
    pub fn takes_page(&mut self, id: TransactionId, page: &Transaction, bytes: u64, now: Time) -> Way {
        let Task { at, kind, .. } = self.plan(page.flow).task;
        let gathers = kind == TaskKind::Gather;
        let unit = self.unit_of(at, page.ppa.plane);
        let way = match at {
            At::Chip | At::Array if gathers && self.is_home(page) => Way::Here(Work::none(now)),
            At::Chip if !gathers => Way::Here(self.serve(unit, page.flow, bytes, now)),
            _ if gathers || self.units[unit].take(bytes, Waiting::Page(id)) => Way::Out,
            _ => Way::Wait,
        };
        if way != Way::Out {
            self.in_registers[self.layout.lun_of(page.ppa.plane).index()] += 1;
        }
        way
    }

    pub fn leaves_register(&mut self, lun: LunId) {
        self.in_registers[lun.index()] -= 1;
    }

    /// Whether pages of a LUN lie in registers and wait for a unit.
    pub fn works_in(&self, lun: LunId) -> bool {
        self.in_registers[lun.index()] > 0
    }

    fn serve(&mut self, unit: usize, flow: u16, bytes: u64, now: Time) -> Work {
        let (from, until, ready) = self.units[unit].serve(bytes, now);
        self.counts(flow).busy += until - from;
        Work { unit: unit as u32, from, until, ready }
    }

    /// Whether a page that has passed its channel's ECC engine is where it is computed on or sent on from.
    pub fn stops_at_channel(&self, page: &Transaction) -> bool {
        let Task { at, kind, .. } = self.plan(page.flow).task;
        let own = self.layout.channel_of_plane(page.ppa.plane);
        let gathered = || self.tasks[page.request.index()].to.map(|plane| self.layout.channel_of_plane(plane));
        match at {
            At::Channel if kind != TaskKind::Gather => true,
            At::Channel | At::Chip | At::Array => gathered() == Some(own),
            At::Host | At::Drive => false,
        }
    }

    /// None if it waits for others.
    pub fn arrived(&mut self, page: &Transaction, now: Time) -> Option<Work> {
        let Task { at, kind, .. } = self.plan(page.flow).task;
        if kind != TaskKind::Gather {
            let unit = self.unit_of(at, page.ppa.plane);
            return Some(self.serve(unit, page.flow, u64::from(page.bytes), now));
        }
        let State { left, bytes, .. } = &mut self.tasks[page.request.index()];
        let ((unit, left), bytes) = (&mut left[0], *bytes);
        *left -= 1;
        let (unit, is_last) = (*unit, *left == 0);
        match at {
            _ if !is_last => None,
            At::Array => Some(Work::none(now)),
            _ => Some(self.serve(unit, page.flow, bytes, now)),
        }
    }

    /// A unit is done with a page, or with all of a gather. Returns the bytes of its result, and the unit that may have
    /// room.
    pub fn done(&mut self, page: &Transaction) -> (u32, usize) {
        let Task { at, kind, returned, result, .. } = self.plan(page.flow).task;
        let bytes = u64::from(page.bytes);
        let State { left, bytes: all, .. } = &mut self.tasks[page.request.index()];
        let (unit, held, result) = match kind {
            TaskKind::Gather => (left[0].0, *all, self.layout.page_bytes()),
            TaskKind::Scan => (self.unit_of(at, page.ppa.plane), bytes, share(bytes, returned)),
            TaskKind::Reduce => {
                let unit = self.unit_of(at, page.ppa.plane);
                let left = &mut self.tasks[page.request.index()].left;
                let (_, left) = left.iter_mut().find(|(of, _)| *of == unit).expect("its unit counts its pages");
                *left -= 1;
                (unit, bytes, if *left == 0 { result.0 } else { 0 })
            }
        };
        // Neither a page in its register nor latches hold anything of the buffer.
        if at != At::Array && (kind == TaskKind::Gather || at != At::Chip) {
            self.units[unit].give_back(held, kind != TaskKind::Gather);
        }
        (result as u32, unit)
    }

    /// Returns the unit that had the room.
    pub fn reads_again(&mut self, page: &Transaction) -> Option<usize> {
        let Task { at, kind, .. } = self.plan(page.flow).task;
        let unit = (kind != TaskKind::Gather).then(|| self.unit_of(at, page.ppa.plane))?;
        self.units[unit].give_back(u64::from(page.bytes), true);
        Some(unit)
    }

    pub fn next_waiting(&mut self, unit: usize) -> Option<Waiting> {
        self.units[unit].next_waiting()
    }

    pub fn count(&mut self, flow: u16, count: impl FnOnce(&mut TaskCounts)) {
        count(self.counts(flow));
    }

    /// With the energy of the units that worked for it in millijoules.
    pub fn report(&self, flow: usize) -> Option<(At, TaskCounts, f64)> {
        let Plan { task, counts, .. } = self.plans[flow].as_ref()?;
        let energy = self.keys.unit(task.at).power.mw() * TimeSum::from(counts.busy).seconds();
        Some((task.at, counts.clone(), energy))
    }

    pub fn energy_mj(&self) -> f64 {
        (0..self.plans.len()).filter_map(|flow| self.report(flow)).map(|(.., energy)| energy).sum()
    }

    pub fn describe(&self) -> String {
        let waiting: usize = self.units.iter().map(Unit::waiting).sum();
        format!("; {waiting} pages and tasks wait for room in units that compute")
    }
}

/// A page that is not among those chosen, if there are that many.
fn another(places: &mut Stream, pages: u64, chosen: &[u64]) -> u64 {
    loop {
        let page = places.integer(0, pages - 1);
        if !chosen.contains(&page) || chosen.len() as u64 >= pages {
            return page;
        }
    }
}

fn share(bytes: u64, share: f64) -> u64 {
    (bytes as f64 * share).ceil() as u64
}
