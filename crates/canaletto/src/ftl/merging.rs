//! Hybrid mapping at work: writes get the pages of given blocks, log blocks are merged when writes wait for it.

use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::PlaneId;
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::gc::Reason;
use crate::ftl::hybrid::merge::Step;
use crate::ftl::hybrid::{Hybrid, Want};
use crate::ftl::mapping::Entry;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};

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
}

impl Ftl {
    /// Notes the plane's clock of merging for a transaction that is queued, and has a merge begun if it needs one.
    pub fn mark_wait_for_merges<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let Some(hybrid) = &self.hybrid else { return };
        let t = &mut work.transactions[id];
        t.stall_mark = hybrid.clock(t.ppa.plane, now);
        if !t.ppa.is_bound() && hybrid.page_for(t, &self.blocks).is_none() {
            self.changed.push(t.ppa.plane);
        }
    }

    /// Charges a write that is issued now with the merges it has waited for.
    pub fn charge_wait_for_merges<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let Some(hybrid) = &self.hybrid else { return };
        let t = work.transactions[id];
        if t.ppa.is_bound() || t.origin == Origin::Gc {
            return;
        }
        let waited = hybrid.clock(t.ppa.plane, now) - t.stall_mark;
        work.blame_page_up_to(id, Cause::FreeBlocks, waited, now);
    }

    /// Gives a write or a copy its page.
    pub fn bind_by_block<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        let Some(hybrid) = &mut self.hybrid else { return };
        let t = work.transactions[id];
        let (plane, sectors) = (t.ppa.plane, t.sectors | t.merged);
        let at = if t.origin == Origin::Gc {
            hybrid.allocate_copy(plane, t.lpa, sectors, &mut self.blocks)
        } else {
            let target = hybrid.target(plane, t.lpa, &self.blocks).expect("a write was issued without a page to write");
            hybrid.allocate(plane, t.lpa, sectors, target, &mut self.blocks)
        };
        self.blocks.program_begins(at);
        work.transactions[id].ppa = at;
        // Others may have lost the page they would have got.
        self.changed.push(plane);
    }

    /// Begins or moves on a plane's merge. `first` is the first write in line that goes to the plane.
    pub fn look_after_merges<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        first: Option<TransactionId>,
        plane: PlaneId,
        now: Time,
    ) {
        loop {
            if !self.start_merge(work, first, plane, now) {
                return;
            }
            match self.step_merge(work, plane) {
                Step::Copy(from) => {
                    let lpa = self.blocks.valid_lpa(from).expect("only valid pages are copied");
                    self.blocks.read_begins(from);
                    let copy = Transaction::of_gc(Operation::Read, lpa, from, self.blocks.sectors(from), now);
                    let id = work.new_page(Transaction { to: plane, ..copy });
                    self.issue(work, id);
                }
                Step::Erase(block) => {
                    let id = work.new_page(Transaction::of_gc(Operation::Erase, 0, block, 0, now));
                    self.issue(work, id);
                }
                Step::Wait => return,
                Step::Done => self.end_merge(plane, now),
            }
        }
    }

    /// Begins a merge if the plane has none and one is called for. Returns whether it has one.
    fn start_merge<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        first: Option<TransactionId>,
        plane: PlaneId,
        now: Time,
    ) -> bool {
        let log = self.log_in_the_way(work, first, plane);
        let Some(hybrid) = &mut self.hybrid else { return false };
        if hybrid.is_busy(plane) {
            return true;
        }
        let counts = &mut self.collector.counts;
        if let Some((log, lpa)) = log {
            counts.valid_in_victims += hybrid.start(plane, log, lpa, &self.blocks, now);
            counts.jobs[Reason::Space as usize] += 1;
            return true;
        }
        let levels = hybrid.start_levelling(plane, now);
        counts.jobs[Reason::Wear as usize] += u64::from(levels);
        levels
    }

    /// The log block that the first write in line of an idle plane wants merged, and the page that it writes. Those behind it
    /// do not count: it may still write to the log block that they want merged.
    fn log_in_the_way<P: Probe>(
        &self,
        work: &InFlight<'_, P>,
        first: Option<TransactionId>,
        plane: PlaneId,
    ) -> Option<(usize, u64)> {
        let hybrid = self.hybrid.as_ref().filter(|hybrid| !hybrid.is_busy(plane))?;
        let t = &work.transactions[first?];
        match hybrid.target(plane, t.lpa, &self.blocks) {
            Err(Want::Merge(log)) if t.old_page != OldPage::Awaited => Some((log, t.lpa)),
            _ => None,
        }
    }

    fn step_merge<P: Probe>(&mut self, work: &mut InFlight<'_, P>, plane: PlaneId) -> Step {
        let Some(hybrid) = &mut self.hybrid else { return Step::Wait };
        let (map, transactions) = (&self.map, &work.transactions);
        hybrid.step(plane, &self.blocks, |lpa| match map.get(lpa) {
            Entry::At(at) => Some(at),
            Entry::Pending(write) => Some(transactions[write].old).filter(|old| old.is_bound()),
            Entry::Unmapped | Entry::Trimmed => None,
        })
    }

    fn end_merge(&mut self, plane: PlaneId, now: Time) {
        let Some(hybrid) = &mut self.hybrid else { return };
        let since = hybrid.end(plane, now);
        self.maintenance.job(since, now);
        // Writes that waited for it can go now.
        self.tell(Outcome::LunChanged(self.layout.lun_of(plane)));
    }

    /// A page to be copied was overwritten before it got a page: those behind it need not wait for it.
    pub fn forget_merge_copy(&mut self, t: &Transaction) {
        if let Some(hybrid) = &mut self.hybrid {
            hybrid.drop_copy(t.ppa.plane, t.lpa);
            self.tell(Outcome::LunChanged(self.layout.lun_of(t.ppa.plane)));
        }
    }
}
