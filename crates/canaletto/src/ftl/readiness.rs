//! Transactions about to be issued: whether they can be, what they have waited for, and the pages that writes get.

use super::{Ftl, Outcome};
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::flash::address::{Layout, LunId, PlaneId};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::reclaim::gc::Collector;
use crate::ftl::reclaim::{Way, reclaim};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::queues::Readiness;
use crate::scheduler::transaction::{Flag, Origin, Transaction, TransactionId};

/// View of the blocks that command formation has.
pub struct PageReadiness<'a> {
    blocks: &'a Blocks,
    layout: &'a Layout,
    collector: &'a Collector,
    way: &'a Way,
}

impl Readiness for PageReadiness<'_> {
    #[inline]
    fn ready(&self, t: &Transaction) -> bool {
        !t.awaits_old_page()
            && match t.ppa.is_bound() {
                true => !Self::is_parity(t) || self.blocks.parity_has_come(t.ppa.plane, t.frontier),
                false => self.has_page(t) && self.fills_page(t),
            }
    }

    #[inline]
    fn waits_for_planes(&self, t: &Transaction, free: u64) -> bool {
        self.blocks.has_superblocks()
            && (!t.ppa.is_bound() || Self::is_parity(t))
            && self
                .blocks
                .goes_with(t.ppa.plane, t.line(), self.places_more(t))
                .any(|plane| free & self.bit(plane) == 0)
    }

    #[inline]
    fn page(&self, t: &Transaction) -> u32 {
        match t.ppa.is_bound() {
            true => self.layout.flash_page(t.ppa),
            false => reclaim!(self.way, next_page(t, self.blocks)).unwrap_or(0) >> self.layout.flash_shift,
        }
    }

    #[inline]
    fn is_pseudo_slc(&self, t: &Transaction) -> bool {
        match t.ppa.is_bound() {
            true => self.blocks.is_cache_block(t.ppa.plane, t.ppa.block),
            false => self.blocks.gives_cache_page(t.ppa.plane, t.frontier),
        }
    }

    #[inline]
    fn plane(&self, t: &Transaction) -> u32 {
        self.layout.plane_in_lun(t.ppa.plane)
    }

    /// Copies come in any order and have their places.
    #[inline]
    fn keeps_order(&self, t: &Transaction) -> bool {
        reclaim!(self.way, keeps_order()) && t.operation == Operation::Program && t.origin != Origin::Gc
    }

    fn shares(&self, first: &Transaction, other: &Transaction) -> bool {
        match first.operation {
            Operation::Read => {
                self.layout.share_flash_page(first.ppa, other.ppa)
                    && first.is(Flag::Copyback) == other.is(Flag::Copyback)
            }
            // Parity fills its page. In superblocks pages are counted by line.
            Operation::Program => {
                !first.ppa.is_bound()
                    && other.ppa == Ppa::unbound(first.ppa.plane)
                    && other.frontier == first.frontier
                    && !(self.blocks.has_superblocks() && other.line() != first.line())
                    && self.ready(other)
            }
            Operation::Erase => false,
        }
    }
}

impl PageReadiness<'_> {
    /// Collection fills flash pages as far as it can: what it takes to move a block is then never more than the block. In
    /// superblocks all writes do so with those that are on their way, and those of the planes of a die set out together.
    fn fills_page(&self, t: &Transaction) -> bool {
        if self.blocks.has_superblocks() {
            return self.blocks.fills_row(t.ppa.plane, t.line(), self.places_more(t));
        }
        let pages = self.layout.pages_per_flash_page();
        if pages == 1 {
            return true;
        }
        t.origin != Origin::Gc || self.collector.fills_flash_page(t.ppa.plane, pages)
    }

    fn is_parity(t: &Transaction) -> bool {
        t.origin == Origin::Parity
    }

    /// Whether further writes of a line of superblocks are to come that would be as well programmed with this one.
    fn places_more(&self, t: &Transaction) -> bool {
        t.origin == Origin::Gc && self.collector.places_more(t.ppa.plane)
    }

    /// A plane of a LUN as a mask.
    fn bit(&self, plane: PlaneId) -> u64 {
        1 << self.layout.plane_in_lun(plane)
    }

    fn has_page(&self, t: &Transaction) -> bool {
        reclaim!(self.way, has_page(t, self.blocks))
    }
}

impl Ftl {
    /// Returns the view of the blocks that command formation has.
    pub fn readiness(&self) -> PageReadiness<'_> {
        PageReadiness { blocks: &self.blocks, layout: &self.layout, collector: &self.collector, way: &self.way }
    }

    /// Whether log blocks are merged in place of collection.
    pub fn merges_blocks(&self) -> bool {
        reclaim!(&self.way, merges()).is_some()
    }

    /// Notes the clock of its plane's time without room for a transaction that is queued.
    #[inline(always)]
    pub fn mark_stall<P: Probe>(&mut self, work: &mut PageWork<'_, P>, id: TransactionId, now: Time) {
        if reclaim!(&self.way, mark_wait(&mut self.blocks, work, id, now)) {
            self.changed.push(work.transactions[id].ppa.plane);
        }
    }

    /// Charges a transaction that is issued now with the time for which its plane had no room for it.
    #[inline(always)]
    pub fn charge_stall<P: Probe>(&mut self, work: &mut PageWork<'_, P>, id: TransactionId, now: Time) {
        if let Some(waited) = reclaim!(&self.way, waited(&mut self.blocks, work, id, now)) {
            work.blame_page_up_to(id, Cause::FreeBlocks, waited, now);
        }
    }

    /// Gives a transaction that is issued its page if it has none yet: pages of a block are programmed in the order in which
    /// their commands are formed, as flash demands.
    #[inline(always)]
    pub fn bind<P: Probe>(&mut self, work: &mut PageWork<'_, P>, id: TransactionId, now: Time) {
        if !work.transactions[id].ppa.is_bound() {
            self.bind_write(work, id, now);
        } else if work.transactions[id].origin == Origin::Parity {
            let t = &work.transactions[id];
            self.blocks.note_bound(t.ppa.plane, t.line(), t.is(Flag::HasCome));
        }
        if self.folding.is_on {
            let at = work.transactions[id].ppa;
            work.transactions[id].set(Flag::PseudoSlc, self.blocks.is_cache_block(at.plane, at.block));
        }
    }

    fn bind_write<P: Probe>(&mut self, work: &mut PageWork<'_, P>, id: TransactionId, now: Time) {
        let (at, changes) = reclaim!(&mut self.way, bind(&mut self.blocks, work, id, now));
        if changes {
            self.changed.push(at.plane);
        }
        self.collector.copy_is_bound(&work.transactions[id]);
        work.transactions[id].ppa = at;
        self.room.page_given(&work.transactions[id]);
    }

    /// Ends the flash page that a program command fills as far as it goes; parity does so as a whole.
    pub fn end_flash_page(&mut self, first: &Transaction) {
        if first.origin != Origin::Parity {
            self.blocks.end_flash_page(first.ppa);
        }
    }

    /// Queues a transaction on its LUN.
    #[inline]
    pub(super) fn issue<P: Probe>(&mut self, work: &PageWork<'_, P>, id: TransactionId) {
        if self.is_read_of_lost_plane(&work.transactions[id]) {
            return self.read_without_plane(id);
        }
        self.room.count_in(&work.transactions[id]);
        self.tell(Outcome::Issue(id));
    }

    /// Queues a transaction on its LUN before others of its kind.
    pub(super) fn issue_first<P: Probe>(&mut self, work: &PageWork<'_, P>, id: TransactionId) {
        self.room.count_in(&work.transactions[id]);
        self.tell(Outcome::IssueFirst(id));
    }

    /// A write has passed the controller and is queued: a copy lines up for its place.
    #[inline]
    pub fn lines_up<P: Probe>(&mut self, work: &mut PageWork<'_, P>, id: TransactionId) {
        let write = &mut work.transactions[id];
        self.collector.copy_lines_up(write);
        self.room.count_in(write);
        write.set(Flag::HasCome, true);
        self.note_come(&work.transactions[id]);
        self.leave_lost_plane(&work.transactions[id]);
    }

    /// A write has come to its chip, or its old page is there.
    pub fn note_come(&mut self, write: &Transaction) {
        let has_place = !write.ppa.is_bound() || write.origin == Origin::Parity;
        if self.blocks.has_superblocks() && write.is(Flag::HasCome) && has_place && !write.awaits_old_page() {
            self.blocks.note_come(write.ppa.plane, write.line());
        }
    }

    /// Whether a plane of the LUN must collect before it serves the host.
    #[inline]
    pub fn is_urgent(&self, lun: LunId) -> bool {
        let first = lun.0 * self.layout.planes_per_lun;
        let planes = (first..first + self.layout.planes_per_lun).map(PlaneId);
        reclaim!(&self.way, is_urgent(&self.collector, &self.blocks, planes))
    }
}
