//! Room for writes: what is on its way to planes, and pages for which no plane has any yet.

use std::collections::VecDeque;

use crate::config::design::{Design, WritePlacement};
use crate::flash::address::{LunId, PlaneId};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::dynamic::DynamicAllocator;
use crate::limits::Limits;
use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::{Transaction, TransactionId};

pub struct Room {
    pub is_dynamic: bool,
    pub allocator: DynamicAllocator,
    planes_per_lun: u32,
    /// Pages for which no plane has room yet, oldest first.
    stalled: VecDeque<Stalled>,
    /// Of them.
    reads: usize,
    awaiting: usize,
    /// Some were not looked at yet.
    wanted: bool,
    /// Superblocks that had become free at the last look at all.
    superblocks_seen: Option<u64>,
}

#[derive(Clone, Copy)]
struct Stalled {
    id: TransactionId,
    is_read: bool,
    /// When it began to wait here.
    awaits_old_page: bool,
}

impl Room {
    pub fn new(design: &Design, limits: &Limits) -> Room {
        Room {
            is_dynamic: design.ftl.write_placement == WritePlacement::Dynamic,
            allocator: DynamicAllocator::new(&limits.layout, limits.streams, limits.most_valid),
            planes_per_lun: limits.layout.planes_per_lun,
            stalled: VecDeque::new(),
            reads: 0,
            awaiting: 0,
            wanted: false,
            superblocks_seen: None,
        }
    }

    fn lun_of(&self, plane: PlaneId) -> LunId {
        LunId(plane.0 / self.planes_per_lun)
    }

    pub fn expect(&mut self, plane: PlaneId) {
        self.allocator.expect(plane, self.lun_of(plane));
    }

    #[inline]
    pub fn page_given(&mut self, t: &Transaction) {
        if self.is_dynamic && t.is_host_write() {
            self.allocator.arrived(t.ppa.plane);
        }
    }

    pub fn expect_again(&mut self, t: &Transaction) {
        if self.is_dynamic && t.is_host_write() {
            self.expect(t.ppa.plane);
        }
    }

    #[inline]
    pub fn count_in(&mut self, t: &Transaction) {
        if self.is_dynamic && !t.is_host_write() {
            self.allocator.queued(self.lun_of(t.ppa.plane));
        }
    }

    /// A write sets out whose plane nobody had to choose.
    pub fn count_placed(&mut self, plane: PlaneId) {
        if self.is_dynamic {
            self.allocator.queued(self.lun_of(plane));
        }
    }

    #[inline(always)]
    pub fn count_out(&mut self, lun: LunId) {
        if self.is_dynamic {
            self.allocator.done(lun);
        }
    }

    /// Whether pages wait that were not looked at since there may be room.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    pub fn wait(&mut self, id: TransactionId, transactions: &Transactions) {
        self.wait_on(id, transactions);
        self.wanted = true;
    }

    pub fn wait_on(&mut self, id: TransactionId, transactions: &Transactions) {
        let t = &transactions[id];
        let page = Stalled { id, is_read: t.operation == Operation::Read, awaits_old_page: t.awaits_old_page() };
        self.reads += usize::from(page.is_read);
        self.awaiting += usize::from(page.awaits_old_page);
        self.stalled.push_back(page);
    }

    pub fn take_oldest(&mut self) -> Option<TransactionId> {
        let page = self.stalled.pop_front()?;
        self.reads -= usize::from(page.is_read);
        self.awaiting -= usize::from(page.awaits_old_page);
        Some(page.id)
    }

    /// Whether all wait until any plane takes a write.
    pub fn are_alike(&self) -> bool {
        self.is_dynamic && self.reads == 0
    }

    /// Whether old pages that are read may charge some of them, too.
    pub fn may_be_charged(&self) -> bool {
        self.awaiting > 0
    }

    /// Oldest first.
    pub fn in_line(&self, place: usize) -> TransactionId {
        self.stalled[place].id
    }

    /// As if that many had been taken and waited on.
    pub fn pass(&mut self, pages: usize) {
        self.stalled.rotate_left(pages);
    }

    pub fn have_been_seen(&mut self) {
        self.wanted = false;
    }

    pub fn waiting(&self) -> usize {
        self.stalled.len()
    }

    /// Waiting pages to look at now: with superblocks as many as collection has `left`.
    pub fn begin_placing(&mut self, blocks: &Blocks, left: Option<usize>) -> usize {
        self.wanted = false;
        let freed = blocks.superblocks_freed();
        let seen = std::mem::replace(&mut self.superblocks_seen, freed);
        if freed.is_some() && seen == freed { left.unwrap_or(0).min(self.stalled.len()) } else { self.stalled.len() }
    }

    /// One phrase on the pages that wait, for a stuck run's explanation.
    pub fn describe(&self) -> String {
        match self.stalled.len() {
            0 => String::new(),
            pages => format!("; {pages} pages wait for a plane with room"),
        }
    }
}
