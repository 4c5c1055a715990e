//! Pages of named blocks, for mappings that keep their own books.

use super::{Blocks, Frontier};
use crate::flash::address::{PlaneId, Ppa};

impl Blocks {
    #[inline]
    pub fn may_open_for_host(&self, plane: PlaneId) -> bool {
        self.may_open(plane, Frontier::User(0))
    }

    /// Its first page must be taken at once.
    pub fn open_explicit(&mut self, plane: PlaneId) -> u32 {
        self.take_free(plane)
    }

    /// Skipped pages before it are spent: flash programs pages in order.
    pub fn allocate_at(&mut self, at: Ppa, lpa: u64, sectors: u64) {
        let b = self.block_mut(at);
        debug_assert!(b.written <= at.page, "{at:?} is taken");
        b.written = at.page;
        self.write_next(at.plane, at.block, lpa, sectors);
    }

    pub fn used(&self, plane: PlaneId, block: u32) -> u32 {
        self.planes[plane.index()].blocks[block as usize].written
    }

    pub fn programs_in_flight(&self, plane: PlaneId, block: u32) -> u32 {
        self.planes[plane.index()].blocks[block as usize].programs_in_flight
    }
}
