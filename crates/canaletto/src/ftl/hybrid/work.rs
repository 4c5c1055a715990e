//! Hybrid mapping at work: writes get the pages of given blocks, log blocks are merged when writes wait for it.

use super::merge::Step;
use super::{Hybrid, Want};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::gc::{Counts, Reason};
use crate::ftl::mapping::{Entry, MappingTable};
use crate::ftl::{Outcome, Outcomes};
use crate::measure::maintenance::Maintenance;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

/// Parts that a merge works on.
pub struct Ground<'a> {
    /// Sizes of the array.
    pub layout: &'a Layout,
    /// Where logical pages are.
    pub map: &'a MappingTable,
    /// Contents of blocks.
    pub blocks: &'a mut Blocks,
    /// Counts of what was merged.
    pub counts: &'a mut Counts,
    /// Work in time.
    pub maintenance: &'a mut Maintenance,
    /// Consequences.
    pub outcomes: &'a mut Outcomes,
}

impl Hybrid {
    /// The number of the page that a program would get now, if it can have one.
    pub fn page_for(&self, t: &Transaction, blocks: &Blocks) -> Option<u32> {
        let plane = t.ppa.plane;
        if t.origin == Origin::Gc {
            return self.page_of_copy(plane, t.lpa);
        }
        let target = self.target(plane, t.lpa, blocks).ok()?;
        Some(self.page_at(plane, t.lpa, target, blocks))
    }

    /// Notes the plane's clock of merging for a transaction that is queued. Returns whether it needs a merge.
    pub fn mark_wait<P: Probe>(
        &self,
        work: &mut InFlight<'_, P>,
        id: TransactionId,
        blocks: &Blocks,
        now: Time,
    ) -> bool {
        let t = work.transactions[id];
        work.rare_mut(id).stall_mark = self.clock(t.ppa.plane, now);
        !t.ppa.is_bound() && self.page_for(&t, blocks).is_none()
    }

    /// Time for which a write that is issued now has waited for merges.
    pub fn waited<P: Probe>(&self, work: &InFlight<'_, P>, id: TransactionId, now: Time) -> Option<Time> {
        let t = &work.transactions[id];
        let waits = !t.ppa.is_bound() && t.origin != Origin::Gc;
        waits.then(|| self.clock(t.ppa.plane, now) - work.rare(id).stall_mark)
    }

    /// Gives a write or a copy its page.
    pub fn bind<P: Probe>(&mut self, work: &InFlight<'_, P>, id: TransactionId, blocks: &mut Blocks) -> Ppa {
        let t = &work.transactions[id];
        let (plane, sectors) = (t.ppa.plane, t.sectors | work.rare(id).merged);
        let at = if t.origin == Origin::Gc {
            self.allocate_copy(plane, t.lpa, sectors, blocks)
        } else {
            let target = self.target(plane, t.lpa, blocks).expect("a write was issued without a page to write");
            self.allocate(plane, t.lpa, sectors, target, blocks)
        };
        blocks.program_begins(at);
        at
    }

    /// Begins or moves on a plane's merge. `first` is the first write in line that goes to the plane.
    pub fn look_after<P: Probe>(
        &mut self,
        ground: &mut Ground,
        work: &mut InFlight<'_, P>,
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

    /// Begins a merge if the plane has none and one is called for. Returns whether it has one.
    fn start_if_due<P: Probe>(
        &mut self,
        ground: &mut Ground,
        work: &InFlight<'_, P>,
        first: Option<TransactionId>,
        plane: PlaneId,
        now: Time,
    ) -> bool {
        if self.is_busy(plane) {
            return true;
        }
        let counts = &mut ground.counts;
        if let Some((log, lpa)) = self.log_in_the_way(ground.blocks, work, first, plane) {
            counts.valid_in_victims += self.start(plane, log, lpa, ground.blocks, now);
            counts.jobs[Reason::Space as usize] += 1;
            return true;
        }
        let levels = self.start_levelling(plane, now);
        counts.jobs[Reason::Wear as usize] += u64::from(levels);
        levels
    }

    /// The log block that the first write in line of an idle plane wants merged, and the page that it writes. Those behind it
    /// do not count: it may still write to the log block that they want merged.
    fn log_in_the_way<P: Probe>(
        &self,
        blocks: &Blocks,
        work: &InFlight<'_, P>,
        first: Option<TransactionId>,
        plane: PlaneId,
    ) -> Option<(usize, u64)> {
        let t = &work.transactions[first?];
        match self.target(plane, t.lpa, blocks) {
            Err(Want::Merge(log)) if !t.awaits_old_page() => Some((log, t.lpa)),
            _ => None,
        }
    }

    fn step_merge<P: Probe>(&mut self, ground: &Ground, work: &InFlight<'_, P>, plane: PlaneId) -> Step {
        let (map, transactions) = (ground.map, &work.transactions);
        self.step(plane, ground.blocks, |lpa| match map.get(lpa) {
            Entry::At(at) => Some(at),
            Entry::Pending(write) => Some(transactions[write].payload.old).filter(|old| old.is_bound()),
            Entry::Unmapped | Entry::Trimmed => None,
        })
    }
}
