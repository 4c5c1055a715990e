//! Wear of blocks, data that are moved before they are lost, blocks that are bad, and planes that have stopped working.

pub mod bad_blocks;
pub mod lost;
pub mod refresh;

use crate::config::design::Design;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::wear::Wear;
use crate::ftl::blocks::Blocks;
use crate::ftl::maintenance::refresh::Refresh;

/// History of wear, and the limits that data reach by it.
pub struct Upkeep {
    pub wear: Wear,
    refresh: Refresh,
}

impl Upkeep {
    pub fn new(design: &Design, layout: &Layout) -> Upkeep {
        let counts_copies = design.gc.copyback && design.gc.copyback_check_every > 0;
        let keeps_history = counts_copies || design.flash.errors.are_possible() || design.refresh.is_on();
        Upkeep { wear: Wear::new(layout, keeps_history), refresh: Refresh::new(design, layout) }
    }

    /// A flash page is read, which disturbs the others of its block. Returns whether these must be moved.
    #[inline(always)]
    pub fn read(&mut self, at: Ppa) -> bool {
        self.wear.read(at);
        self.refresh.is_disturbed(at, &self.wear)
    }

    /// When the next block is looked at for data that are too old; none if ages do not matter.
    pub fn next_scan(&self, now: Time) -> Option<Time> {
        self.refresh.next_look(now)
    }

    /// Looks at the next block. Returns it if its data are too old.
    pub fn scan(&mut self, blocks: &Blocks, now: Time) -> Option<(PlaneId, u32)> {
        let (plane, block) = self.refresh.look();
        let is_old = blocks.holds_data(plane, block) && self.refresh.is_old(plane, block, &self.wear, now);
        is_old.then_some((plane, block))
    }
}
