//! Parity of superblocks: programmed once a stripe is complete; pages rebuilt from it.
//!
//! An illegible read waits until the rest of its stripe is read. The exclusive or takes no time.

use std::collections::BTreeMap;

use super::{Outcome, Outcomes};
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{Layout, Ppa};
use crate::ftl::blocks::Blocks;
use crate::ftl::maintenance::lost::Lost;
use crate::ftl::spaces::sector_mask;
use crate::measure::parity::ParityReport;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};

#[derive(Clone, Copy, Default)]
struct Rebuild {
    left: u32,
    failed: bool,
}

#[derive(Default)]
pub struct ParityWork {
    rebuilds: BTreeMap<TransactionId, Rebuild>,
    programmed: u64,
    rebuilt: u64,
    reads: u64,
}

impl ParityWork {
    /// If that was the last page of its stripe.
    pub fn send_due<P: Probe>(
        &mut self,
        (blocks, layout, outcomes): (&mut Blocks, &Layout, &mut Outcomes),
        work: &mut PageWork<P>,
        write: &Transaction,
        now: Time,
    ) {
        blocks.note_ended(write.ppa);
        let whole = sector_mask(0, u64::from(layout.sectors_per_page));
        while let Some(next) = blocks.due_parity(write.ppa) {
            let planes: Vec<_> = blocks.planes_together(next.plane).collect();
            for at in planes.into_iter().map(|plane| Ppa { plane, ..next }) {
                if blocks.is_next_parity(at) {
                    blocks.take_parity_page(at, write.frontier, whole);
                    let bytes = layout.flash_page_bytes() as u32;
                    let id = work.new_page(Transaction::of_parity(write, at, bytes, now));
                    outcomes.tell(Outcome::Outbound(id));
                }
            }
        }
    }

    /// If it `failed`, its stripe stays without parity.
    pub fn programmed<P: Probe>(
        &mut self,
        blocks: &mut Blocks,
        work: &mut PageWork<P>,
        id: TransactionId,
        failed: bool,
        now: Time,
    ) {
        let at = work.transactions[id].ppa;
        blocks.parity_ends(at);
        if failed {
            blocks.note_void(at);
        } else {
            work.probe.notify(|observer| observer.parity_programmed(now, at));
        }
        self.programmed += 1;
        work.remove_page(id);
    }

    /// Once it is through the controller.
    pub fn is_to_be_rebuilt(&mut self, blocks: &Blocks, lost: &Lost, id: TransactionId, t: &Transaction) -> bool {
        if let (Origin::Rebuild, OldPage::For(read)) = (t.origin, t.old_page()) {
            self.rebuilds.entry(read).or_default().failed = true;
            return false;
        }
        let has_parity = pages_to_rebuild(blocks, lost, t.ppa).is_some();
        if has_parity {
            self.awaits(id);
        }
        has_parity
    }

    pub fn awaits(&mut self, id: TransactionId) {
        self.rebuilds.insert(id, Rebuild::default());
    }

    #[inline]
    pub fn is_awaited(&self, id: TransactionId) -> bool {
        !self.rebuilds.is_empty() && self.rebuilds.contains_key(&id)
    }

    /// None if the page cannot be rebuilt.
    pub fn begin_rebuild(&mut self, blocks: &Blocks, lost: &Lost, id: TransactionId, at: Ppa) -> Vec<Ppa> {
        let pages = pages_to_rebuild(blocks, lost, at);
        let rebuild = Rebuild { left: pages.as_ref().map_or(0, |pages| pages.len() as u32), failed: pages.is_none() };
        self.reads += u64::from(rebuild.left);
        self.rebuilds.insert(id, rebuild);
        pages.unwrap_or_default()
    }

    /// Returns the read that has waited, if it was the last.
    pub fn rebuilds_with<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) -> Option<TransactionId> {
        let OldPage::For(read) = work.transactions[id].old_page() else { return None };
        work.remove_awaited(id, Ended::OldPage);
        let rebuild = self.rebuilds.get_mut(&read)?;
        rebuild.left -= 1;
        (rebuild.left == 0).then_some(read)
    }

    pub fn end_rebuild(&mut self, id: TransactionId) -> bool {
        let rebuilt = self.rebuilds.remove(&id).is_some_and(|rebuild| !rebuild.failed);
        self.rebuilt += u64::from(rebuilt);
        rebuilt
    }

    pub fn report(&self, blocks: &Blocks, lost: &Lost, layout: &Layout) -> ParityReport {
        ParityReport {
            pages_programmed: self.programmed,
            most_open_stripes: blocks.most_stripes_begun(),
            peak_buffer_bytes: u64::from(blocks.most_stripes_begun()) * layout.flash_page_bytes(),
            pages_rebuilt: self.rebuilt,
            rebuild_reads: self.reads,
            energy_mj: 0.0,
            pages_left_to_rebuild: lost.planes.planes().map(|plane| blocks.valid_in(plane)).sum(),
        }
    }
}

/// None if its stripe has no parity, or lacks a further page.
fn pages_to_rebuild(blocks: &Blocks, lost: &Lost, at: Ppa) -> Option<Vec<Ppa>> {
    blocks.pages_to_rebuild(at).filter(|pages| !pages.iter().any(|page| lost.has(page.plane)))
}
