//! Hybrid mapping: data blocks mapped as wholes, log blocks mapped by page.
//!
//! The logical pages of a plane form *logical blocks*. Page i has its place at page i of its *data block*; other writes
//! go to the next page of a *log block*.
//!
//! A page goes to its place if nothing lies there or beyond.
//!
//! A plane's writes keep their order and wait while it merges.
//!
//! It cannot wedge: reserved blocks are free between merges, and a merge takes one block and gives at least one back.

pub mod bast;
pub mod merge;
pub mod work;

use std::collections::VecDeque;

use crate::config::design::Design;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::ftl::placement::Placement;
use crate::ftl::reclaim::hybrid::merge::{Job, Step};
use crate::measure::maintenance::Merges;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Log {
    block: u32,
    owner: u32,
    /// Each page holds the page of its owner with the same number.
    in_order: bool,
    /// By the plane's count.
    used: u64,
}

#[derive(Default)]
struct Plane {
    /// By logical block, up to the highest one written.
    data: Vec<u32>,
    logs: Vec<Log>,
    job: Option<Job>,
    unplaced: VecDeque<u32>,
    /// Its data block is worn so little; with that block.
    cold: Option<(u32, u32)>,
    merging: Time,
    clock: u64,
}

impl Plane {
    fn data_of(&self, logical: u32) -> u32 {
        self.data.get(logical as usize).copied().unwrap_or(NONE)
    }

    fn set_data(&mut self, logical: u32, block: u32) {
        let place = logical as usize;
        if self.data.len() <= place {
            self.data.resize(place + 1, NONE);
        }
        self.data[place] = block;
    }

    fn clock_of_merging(&self, now: Time) -> Time {
        self.merging + self.job.as_ref().map_or(Time::ZERO, |job| now - job.since)
    }

    fn in_place(&self, at: Page, plane: PlaneId, blocks: &Blocks) -> Option<Target> {
        let block = self.data_of(at.logical);
        (block != NONE && blocks.used(plane, block) <= at.offset).then_some(Target::Data(block))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    pub logical: u32,
    pub offset: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    Data(u32),
    /// By its place in the list.
    Log(usize),
    NewData,
    NewLog,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Want {
    /// For the merge under way.
    Patience,
    /// By its place in the list.
    Merge(usize),
}

struct Addresses {
    planes: u64,
    pages_per_block: u64,
    first: Vec<u64>,
}

impl Addresses {
    fn new(layout: &Layout, placement: &Placement) -> Addresses {
        let order = placement.planes();
        let mut first = vec![0; order.len()];
        for (place, plane) in (0..).zip(order) {
            first[plane.index()] = place;
        }
        Addresses { planes: order.len() as u64, pages_per_block: u64::from(layout.pages_per_block), first }
    }

    fn page(&self, lpa: u64) -> Page {
        let local = lpa / self.planes;
        Page { logical: (local / self.pages_per_block) as u32, offset: (local % self.pages_per_block) as u32 }
    }

    fn lpa(&self, plane: PlaneId, page: Page) -> u64 {
        let local = u64::from(page.logical) * self.pages_per_block + u64::from(page.offset);
        local * self.planes + self.first[plane.index()]
    }
}

pub struct Hybrid {
    planes: Vec<Plane>,
    addresses: Addresses,
    log_blocks: usize,
    copies_in_flight: u32,
    static_threshold: u32,
    working: u32,
    pub merges: Merges,
}

impl Hybrid {
    pub fn new(design: &Design, layout: &Layout, placement: &Placement) -> Option<Hybrid> {
        design.ftl.mapping.is_hybrid().then(|| Hybrid {
            planes: (0..layout.planes()).map(|_| Plane::default()).collect(),
            addresses: Addresses::new(layout, placement),
            log_blocks: design.ftl.hybrid.log_blocks as usize,
            copies_in_flight: design.gc.copies_in_flight,
            static_threshold: design.wear.static_threshold,
            working: 0,
            merges: Merges::default(),
        })
    }

    pub fn target(&self, plane: PlaneId, lpa: u64, blocks: &Blocks) -> Result<Target, Want> {
        let state = &self.planes[plane.index()];
        let page = self.addresses.page(lpa);
        if state.job.is_some() {
            return Err(Want::Patience);
        }
        if let Some(target) = state.in_place(page, plane, blocks) {
            return Ok(target);
        }
        let may_open = blocks.may_open_for_host(plane);
        if state.data_of(page.logical) == NONE {
            return if may_open { Ok(Target::NewData) } else { Err(Want::Patience) };
        }
        let room = |log: &Log| blocks.used(plane, log.block) < self.addresses.pages_per_block as u32;
        let choice = bast::target(&state.logs, page.logical, self.log_blocks, room);
        match choice {
            Ok(Target::NewLog) if !may_open => Err(Want::Patience),
            choice => choice,
        }
    }

    pub fn page_at(&self, plane: PlaneId, lpa: u64, target: Target, blocks: &Blocks) -> u32 {
        match target {
            Target::Data(_) | Target::NewData => self.addresses.page(lpa).offset,
            Target::Log(log) => blocks.used(plane, self.planes[plane.index()].logs[log].block),
            Target::NewLog => 0,
        }
    }

    pub fn allocate(&mut self, plane: PlaneId, lpa: u64, sectors: u64, target: Target, blocks: &mut Blocks) -> Ppa {
        let page = self.addresses.page(lpa);
        let number = self.page_at(plane, lpa, target, blocks);
        let state = &mut self.planes[plane.index()];
        let block = match target {
            Target::Data(block) => block,
            Target::NewData => {
                let block = blocks.open_explicit(plane);
                state.set_data(page.logical, block);
                block
            }
            Target::NewLog => {
                let block = blocks.open_explicit(plane);
                state.logs.push(Log { block, owner: page.logical, in_order: true, used: 0 });
                block
            }
            Target::Log(log) => state.logs[log].block,
        };
        let log = match target {
            Target::Log(log) => state.logs.get_mut(log),
            Target::NewLog => state.logs.last_mut(),
            Target::Data(_) | Target::NewData => None,
        };
        if let Some(log) = log {
            state.clock += 1;
            log.used = state.clock;
            log.in_order &= number == page.offset;
        }
        let at = Ppa { plane, block, page: number };
        blocks.allocate_at(at, lpa, sectors);
        at
    }

    pub fn clock(&self, plane: PlaneId, now: Time) -> Time {
        self.planes[plane.index()].clock_of_merging(now)
    }

    pub fn is_busy(&self, plane: PlaneId) -> bool {
        self.planes[plane.index()].job.is_some()
    }

    pub fn is_working(&self) -> bool {
        self.working > 0
    }

    pub fn start(&mut self, plane: PlaneId, log: usize, blocks: &Blocks, now: Time) -> u64 {
        let state = &mut self.planes[plane.index()];
        let Log { block, in_order, .. } = state.logs[log];
        state.job = Some(Job::of_log(block, in_order, now));
        self.working += 1;
        u64::from(blocks.candidates(plane).valid(block))
    }

    /// Found when a block was last erased. Returns whether there are any.
    pub fn start_levelling(&mut self, plane: PlaneId, now: Time) -> bool {
        let state = &mut self.planes[plane.index()];
        let cold = state.cold.take();
        let Some((logical, _)) = cold.filter(|&(logical, block)| state.data_of(logical) == block) else {
            return false;
        };
        state.job = Some(Job::of_data(logical, now));
        self.working += 1;
        true
    }

    /// Until it waits. `locate` finds a logical page's data.
    pub fn step(&mut self, plane: PlaneId, blocks: &Blocks, locate: impl Fn(u64) -> Option<Ppa>) -> Step {
        let state = &mut self.planes[plane.index()];
        let Some(mut job) = state.job.take() else { return Step::Wait };
        let view = merge::View { plane, blocks, addresses: &self.addresses, copies_in_flight: self.copies_in_flight };
        let step = job.step(state, &view, locate, &mut self.merges);
        state.job = Some(job);
        step
    }

    pub fn end(&mut self, plane: PlaneId, now: Time) -> Time {
        let state = &mut self.planes[plane.index()];
        let job = state.job.take().expect("a job that ends");
        state.merging += now - job.since;
        self.working -= 1;
        job.since
    }

    /// Once those before it have theirs.
    pub fn page_of_copy(&self, plane: PlaneId, lpa: u64) -> Option<u32> {
        let offset = self.addresses.page(lpa).offset;
        (self.planes[plane.index()].unplaced.front() == Some(&offset)).then_some(offset)
    }

    pub fn allocate_copy(&mut self, plane: PlaneId, lpa: u64, sectors: u64, blocks: &mut Blocks) -> Ppa {
        let state = &mut self.planes[plane.index()];
        let page = state.unplaced.pop_front().expect("copies get their pages in order");
        let job = state.job.as_mut().expect("a copy belongs to a job");
        let at = Ppa { plane, block: job.destination(plane, blocks), page };
        blocks.allocate_at(at, lpa, sectors);
        at
    }

    pub fn forget_copy(&mut self, plane: PlaneId, lpa: u64) {
        let offset = self.addresses.page(lpa).offset;
        self.planes[plane.index()].unplaced.retain(|&place| place != offset);
    }

    pub fn copy_ends(&mut self, plane: PlaneId) {
        self.planes[plane.index()].job.as_mut().expect("a copy belongs to a job").copy_done();
    }

    pub fn block_is_erased(&mut self, plane: PlaneId, blocks: &mut Blocks) {
        let state = &mut self.planes[plane.index()];
        let mut job = state.job.take().expect("an erase belongs to a job");
        job.erase_done(state);
        // Levelling must not feed on itself.
        let levels = job.levels_wear();
        state.job = Some(job);
        if self.static_threshold > 0
            && !levels
            && let Some(block) = blocks.least_worn(plane, self.static_threshold)
        {
            let page = blocks.next_valid(plane, block, 0).and_then(|at| blocks.valid_lpa(at));
            let logical = page.map(|lpa| self.addresses.page(lpa).logical);
            state.cold = logical.filter(|&logical| state.data_of(logical) == block).map(|logical| (logical, block));
        }
    }

    /// For a stuck run's explanation.
    pub fn describe_merge(&self, plane: PlaneId) -> String {
        let state = &self.planes[plane.index()];
        let job = state.job.as_ref().map_or_else(|| "no merge".to_owned(), Job::describe);
        format!("{} log blocks, {job}", state.logs.len())
    }
}

#[cfg(test)]
mod tests;
