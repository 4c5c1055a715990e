//! Hybrid mapping at work: writes get pages of given blocks, log blocks are merged when writes wait.

use super::merge::Step;
use super::{Hybrid, Want};
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::mapping::{Entry, MappingTable};
use crate::ftl::reclaim::Reclaim;
use crate::ftl::reclaim::gc::{Collector, Counts, Reason};
use crate::ftl::{Outcome, Outcomes};
use crate::measure::maintenance::{Maintenance, Merges};
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

pub struct Ground<'a> {
    pub layout: &'a Layout,
    pub map: &'a MappingTable,
    pub blocks: &'a mut Blocks,
    pub counts: &'a mut Counts,
    pub maintenance: &'a mut Maintenance,
    /// Consequences.
    pub outcomes: &'a mut Outcomes,
}

impl Hybrid {
    fn page_for(&self, t: &Transaction, blocks: &Blocks) -> Option<u32> {
        let plane = t.ppa.plane;
        if t.origin == Origin::Gc {
            return self.page_of_copy(plane, t.lpa);
        }
        let target = self.target(plane, t.lpa, blocks).ok()?;
        Some(self.page_at(plane, t.lpa, target, blocks))
    }

    /// `first` is the first write in line that goes to the plane.
    pub fn look_after<P: Probe>(
        &mut self,
        ground: &mut Ground,
        work: &mut PageWork<P>,
        first: Option<TransactionId>,
        plane: PlaneId,
        now: Time,
    ) {
        while self.start_if_due(ground, work, first, plane, now) {
            let transaction = match self.step_merge(ground, work, plane) {
                Step::Copy(from) => {
                    let lpa = ground.blocks.valid_lpa(from).expect("only valid pages are copied");
                    ground.blocks.read_begins(from);
                    let sectors = ground.blocks.sectors(from);
                    let mut copy = Transaction::of_gc(Operation::Read, lpa, from, sectors, now);
                    copy.goes_to(plane);
                    copy
                }
                Step::Erase(block) => Transaction::of_gc(Operation::Erase, 0, block, 0, now),
                Step::Wait => return,
                Step::Done => {
                    let since = self.end(plane, now);
                    ground.maintenance.job(since, now);
                    // Writes that waited for it can go now.
                    ground.outcomes.tell(Outcome::LunChanged(ground.layout.lun_of(plane)));
                    continue;
                }
            };
            let id = work.new_page(transaction);
            ground.outcomes.tell(Outcome::Issue(id));
        }
    }

    fn start_if_due<P: Probe>(
        &mut self,
        ground: &mut Ground,
        work: &PageWork<P>,
        first: Option<TransactionId>,
        plane: PlaneId,
        now: Time,
    ) -> bool {
        if self.is_busy(plane) {
            return true;
        }
        let counts = &mut ground.counts;
        if let Some(log) = self.log_in_the_way(ground.blocks, work, first, plane) {
            counts.valid_in_victims += self.start(plane, log, ground.blocks, now);
            counts.jobs[Reason::Space as usize] += 1;
            return true;
        }
        let levels = self.start_levelling(plane, now);
        counts.jobs[Reason::Wear as usize] += u64::from(levels);
        levels
    }

    fn log_in_the_way<P: Probe>(
        &self,
        blocks: &Blocks,
        work: &PageWork<P>,
        first: Option<TransactionId>,
        plane: PlaneId,
    ) -> Option<usize> {
        let t = &work.transactions[first?];
        match self.target(plane, t.lpa, blocks) {
            Err(Want::Merge(log)) if !t.awaits_old_page() => Some(log),
            _ => None,
        }
    }

    fn step_merge<P: Probe>(&mut self, ground: &Ground, work: &PageWork<P>, plane: PlaneId) -> Step {
        let (map, transactions) = (ground.map, &work.transactions);
        self.step(plane, ground.blocks, |lpa| match map.get(lpa) {
            Entry::At(at) => Some(at),
            Entry::Pending(write) => Some(transactions[write].payload.old).filter(|old| old.is_bound()),
            Entry::Unmapped | Entry::Trimmed => None,
        })
    }
}

impl Reclaim for Hybrid {
    fn read_ends(&mut self, blocks: &mut Blocks, _collector: &Collector, from: Ppa) -> bool {
        blocks.read_ends(from)
    }

    fn next_page(&self, t: &Transaction, blocks: &Blocks) -> Option<u32> {
        self.page_for(t, blocks)
    }

    fn has_page(&self, t: &Transaction, blocks: &Blocks) -> bool {
        self.page_for(t, blocks).is_some()
    }

    fn keeps_order(&self, _at: Ppa) -> bool {
        true
    }

    fn mark_wait<P: Probe>(&self, blocks: &mut Blocks, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
        let t = work.transactions[id];
        work.rare_mut(id).stall_mark = self.clock(t.ppa.plane, now);
        !t.ppa.is_bound() && self.page_for(&t, blocks).is_none()
    }

    fn waited<P: Probe>(&self, _blocks: &mut Blocks, work: &PageWork<P>, id: TransactionId, now: Time) -> Option<Time> {
        let t = &work.transactions[id];
        let waits = !t.ppa.is_bound() && t.origin != Origin::Gc;
        waits.then(|| self.clock(t.ppa.plane, now) - work.rare(id).stall_mark)
    }

    fn bind<P: Probe>(
        &mut self,
        blocks: &mut Blocks,
        work: &PageWork<P>,
        id: TransactionId,
        _now: Time,
    ) -> (Ppa, bool) {
        let t = &work.transactions[id];
        let (plane, sectors) = (t.ppa.plane, t.sectors | work.rare(id).merged);
        let at = if t.origin == Origin::Gc {
            self.allocate_copy(plane, t.lpa, sectors, blocks)
        } else {
            let target = self.target(plane, t.lpa, blocks).expect("a write was issued without a page to write");
            self.allocate(plane, t.lpa, sectors, target, blocks)
        };
        blocks.program_begins(at);
        // Others may have lost the page they would have got.
        (at, true)
    }

    fn is_urgent(&self, _: &Collector, _: &Blocks, mut planes: impl Iterator<Item = PlaneId>) -> bool {
        self.is_working() && planes.any(|plane| self.is_busy(plane))
    }

    fn copy_done(&mut self, _collector: &mut Collector, from: PlaneId, _within: bool) {
        self.copy_ends(from);
    }

    fn drop_copy(&mut self, plane: PlaneId, lpa: u64) -> bool {
        self.forget_copy(plane, lpa);
        true
    }

    fn is_last_erase(&self, _collector: &mut Collector, _plane: PlaneId) -> bool {
        true
    }

    fn erase_done(
        &mut self,
        _collector: &mut Collector,
        blocks: &mut Blocks,
        plane: PlaneId,
        _now: Time,
    ) -> Option<(Time, bool)> {
        self.block_is_erased(plane, blocks);
        None
    }

    fn merges(&self) -> Option<Merges> {
        Some(self.merges)
    }

    fn describe(&self, _collector: &Collector, plane: PlaneId) -> String {
        self.describe_merge(plane)
    }
}
