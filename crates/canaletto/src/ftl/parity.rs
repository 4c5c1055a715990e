//! Parity of superblocks: pages that are programmed once their stripe is complete, and pages that are rebuilt from it.
//!
//! A read that finds nothing legible waits until the others of its stripe are read (reads of their own, over the fabric like
//! any), and goes on as if it had found its data. The exclusive or of what has come takes no time.

use std::collections::BTreeMap;

use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::gc::Reason;
use crate::measure::blame::Cause;
use crate::measure::parity::ParityReport;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};

/// A read that waits until its page is rebuilt.
#[derive(Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Rebuild {
    /// Pages still to come.
    left: u32,
    /// Whether one of them was not legible either.
    failed: bool,
}

/// Parity at work.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub(super) struct ParityWork {
    rebuilds: BTreeMap<TransactionId, Rebuild>,
    /// Programs of parity that ended.
    programmed: u64,
    /// Pages that were rebuilt, and reads for that.
    rebuilt: u64,
    reads: u64,
}

impl Ftl {
    /// Whether superblocks have parity.
    #[inline]
    pub fn has_parity(&self) -> bool {
        self.blocks.has_parity()
    }

    /// A page was programmed, or failed to be: the parity of its stripe sets out if that was the last one.
    pub fn send_due_parity<P: Probe>(&mut self, work: &mut InFlight<'_, P>, write: &Transaction, now: Time) {
        self.blocks.note_ended(write.ppa);
        while let Some(next) = self.blocks.due_parity(write.ppa) {
            for at in self.blocks.planes_together(next.plane).map(|plane| Ppa { plane, ..next }) {
                if self.blocks.is_next_parity(at) {
                    self.blocks.take_parity_page(at, write.frontier, self.whole_page());
                    let bytes = self.layout.flash_page_bytes() as u32;
                    let id = work.new_page(Transaction::of_parity(write, at, bytes, now));
                    self.tell(Outcome::Outbound(id));
                }
            }
        }
    }

    /// A page of parity is programmed. One that `failed` to be holds nothing: its stripe stays without parity.
    pub fn parity_programmed<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        id: TransactionId,
        failed: bool,
        now: Time,
    ) {
        let at = work.transactions[id].ppa;
        self.blocks.parity_ends(at);
        if failed {
            self.blocks.note_void(at);
        } else {
            work.probe.parity_programmed(now, at);
        }
        self.parity.programmed += 1;
        work.remove_page(id);
        self.changed.push(at.plane);
    }

    /// A read has found nothing legible: whether its page is to be rebuilt once it is through the controller.
    pub fn is_to_be_rebuilt(&mut self, id: TransactionId, t: &Transaction) -> bool {
        if !self.has_parity() {
            return false;
        }
        if let (Origin::Rebuild, OldPage::For(read)) = (t.origin, t.old_page) {
            self.parity.rebuilds.entry(read).or_default().failed = true;
            return false;
        }
        let has_parity = self.pages_to_rebuild(t.ppa).is_some();
        if has_parity {
            self.parity.rebuilds.insert(id, Rebuild::default());
        }
        has_parity
    }

    /// Whether a read that has come waits for its page to be rebuilt.
    #[inline]
    pub fn awaits_rebuild(&self, id: TransactionId) -> bool {
        !self.parity.rebuilds.is_empty() && self.parity.rebuilds.contains_key(&id)
    }

    /// Reads what a page is rebuilt from. Returns whether there is anything to wait for.
    pub fn begin_rebuild<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) -> bool {
        let t = work.transactions[id];
        work.transactions[id].retrying = true;
        let rebuild = Rebuild { left: 0, failed: true };
        let Some(pages) = self.pages_to_rebuild(t.ppa) else {
            self.parity.rebuilds.insert(id, rebuild);
            return false;
        };
        work.probe.page_rebuilds(now, t.ppa, &pages);
        self.parity.reads += pages.len() as u64;
        self.parity.rebuilds.insert(id, Rebuild { left: pages.len() as u32, failed: false });
        for &at in &pages {
            let read = work.new_page(Transaction::of_rebuild(id, &t, at, now));
            self.begin_read_of(at);
            self.issue(work, read);
        }
        !pages.is_empty()
    }

    /// A page has come of which another one is rebuilt. Returns the read that has waited for that, if it was the last.
    pub fn rebuilds_with<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) -> Option<TransactionId> {
        let OldPage::For(read) = work.transactions[id].old_page else { return None };
        work.remove_awaited(id, Ended::OldPage);
        let rebuild = self.parity.rebuilds.get_mut(&read)?;
        rebuild.left -= 1;
        (rebuild.left == 0).then_some(read)
    }

    /// All is there that a page is rebuilt from. Returns whether it could be.
    pub fn end_rebuild<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) -> bool {
        work.charge_page_for(id, Ended::OldPage, Cause::Retry, now);
        let t = &mut work.transactions[id];
        t.retrying = false;
        t.leave_outer_codewords();
        let rebuilt = self.parity.rebuilds.remove(&id).is_some_and(|rebuild| !rebuild.failed);
        self.end_read_of(work.transactions[id].ppa);
        if rebuilt {
            self.parity.rebuilt += 1;
        } else {
            self.read_failed(work, id, now);
        }
        rebuilt
    }

    /// Planes of a unit stop working. Superblocks that have data are collected, one after the other, and with them what was
    /// there: rebuilt, and protected again.
    pub(super) fn lose_protected_planes(&mut self, planes: &[PlaneId]) {
        let leader = planes[0];
        for block in self.blocks.lose_planes(planes) {
            self.collector.want(leader, block, Reason::Retired);
        }
        self.changed.extend(self.blocks.planes_of_group(leader));
    }

    /// Rebuilds the page of a read that need not be tried.
    pub(super) fn rebuild_at_once(&mut self, id: TransactionId) {
        self.parity.rebuilds.insert(id, Rebuild::default());
        self.tell(Outcome::Rebuild(id));
    }

    /// The pages of which one is rebuilt; none if its stripe has no parity, or lacks a further page.
    fn pages_to_rebuild(&self, at: Ppa) -> Option<Vec<Ppa>> {
        self.blocks.pages_to_rebuild(at).filter(|pages| !pages.iter().any(|page| self.is_lost(page.plane)))
    }

    /// Report on parity; none without.
    pub(super) fn parity_report(&self) -> Option<ParityReport> {
        self.has_parity().then(|| ParityReport {
            pages_programmed: self.parity.programmed,
            most_open_stripes: self.blocks.most_stripes_begun(),
            peak_buffer_bytes: u64::from(self.blocks.most_stripes_begun()) * self.layout.flash_page_bytes(),
            pages_rebuilt: self.parity.rebuilt,
            rebuild_reads: self.parity.reads,
            energy_mj: 0.0,
            pages_left_to_rebuild: self.lost.planes.planes().map(|plane| self.blocks.valid_in(plane)).sum(),
        })
    }
}
