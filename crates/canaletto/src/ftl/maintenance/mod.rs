pub mod bad_blocks;
pub mod lost;
pub mod refresh;

use crate::config::design::Design;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::wear::Wear;
use crate::ftl::blocks::Blocks;
use crate::ftl::maintenance::refresh::Refresh;

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

    /// Returns whether the block's other pages must be moved.
    #[inline(always)]
    pub fn read(&mut self, at: Ppa) -> bool {
        self.wear.read(at);
        self.refresh.is_disturbed(at, &self.wear)
    }

    pub fn next_scan(&self, now: Time) -> Option<Time> {
        self.refresh.next_look(now)
    }

    /// Returns it if its data are too old.
    pub fn scan(&mut self, blocks: &Blocks, now: Time) -> Option<(PlaneId, u32)> {
        let (plane, block) = self.refresh.look();
        let is_old = blocks.holds_data(plane, block) && self.refresh.is_old(plane, block, &self.wear, now);
        is_old.then_some((plane, block))
    }
}
