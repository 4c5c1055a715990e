//! Room for writes: what is on its way to planes, and pages for which no plane has any yet.

use std::collections::VecDeque;

use crate::config::design::{Design, WritePlacement};
use crate::flash::address::{LunId, PlaneId};
use crate::ftl::blocks::Blocks;
use crate::ftl::dynamic::DynamicAllocator;
use crate::limits::Limits;
use crate::scheduler::transaction::{Transaction, TransactionId};

pub struct Room {
    /// Whether writes go to any plane.
    pub is_dynamic: bool,
    /// Pages on their way to each plane and LUN.
    pub allocator: DynamicAllocator,
    planes_per_lun: u32,
    /// Pages for which no plane has room yet, oldest first.
    stalled: VecDeque<TransactionId>,
    /// Whether some of them have not been looked at yet.
    wanted: bool,
    /// With superblocks: how many had become free when all of them were last looked at.
    superblocks_seen: Option<u64>,
}

impl Room {
    pub fn new(design: &Design, limits: &Limits) -> Room {
        Room {
            is_dynamic: design.ftl.write_placement == WritePlacement::Dynamic,
            allocator: DynamicAllocator::new(&limits.layout, limits.streams, limits.most_valid),
            planes_per_lun: limits.layout.planes_per_lun,
            stalled: VecDeque::new(),
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

    /// A write has its page: it is no longer expected but there.
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

    /// A transaction is queued on a LUN; writes have counted there since their plane was chosen.
    #[inline]
    pub fn count_in(&mut self, t: &Transaction) {
        if self.is_dynamic && !t.is_host_write() {
            self.allocator.queued(self.lun_of(t.ppa.plane));
        }
    }

    #[inline(always)]
    pub fn count_out(&mut self, lun: LunId) {
        if self.is_dynamic {
            self.allocator.done(lun);
        }
    }

    /// Whether pages wait that have not been looked at since there may be room.
    pub fn is_wanted(&self) -> bool {
        self.wanted
    }

    pub fn wait(&mut self, id: TransactionId) {
        self.wait_on(id);
        self.wanted = true;
    }

    /// Puts a page that has been looked at in line again.
    pub fn wait_on(&mut self, id: TransactionId) {
        self.stalled.push_back(id);
    }

    /// The oldest page that waits, which is taken off the line.
    pub fn take_oldest(&mut self) -> Option<TransactionId> {
        self.stalled.pop_front()
    }

    pub fn have_been_seen(&mut self) {
        self.wanted = false;
    }

    pub fn waiting(&self) -> usize {
        self.stalled.len()
    }

    /// How many waiting pages must be looked at now: with superblocks as many as collection has `left`, until one becomes
    /// free.
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
