//! Data that are moved before they are lost, and the history of wear that says when.

use super::Ftl;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::flash::wear::Wear;
use crate::ftl::gc::Reason;

impl Ftl {
    /// The history of wear.
    pub fn wear(&self) -> &Wear {
        &self.wear
    }

    /// A flash page was read, which disturbs the others of its block.
    #[inline(always)]
    pub fn flash_page_read(&mut self, at: Ppa) {
        self.wear.read(at);
        if self.refresh.is_disturbed(at, &self.wear) {
            self.collector.want(at.plane, at.block, Reason::ReadDisturb);
            self.changed.push(at.plane);
        }
    }

    /// A flash page was programmed.
    pub fn flash_page_programmed(&mut self, at: Ppa, now: Time) {
        self.wear.programmed(at, now);
    }

    /// When the next block is looked at for data that are too old; none if ages do not matter.
    pub fn next_refresh_scan(&self, now: Time) -> Option<Time> {
        self.refresh.next_look(now)
    }

    /// Looks at the next block.
    pub fn scan_for_refresh(&mut self, now: Time) {
        let (plane, block) = self.refresh.look();
        if self.blocks.holds_data(plane, block) && self.refresh.is_old(plane, block, &self.wear, now) {
            self.collector.want(plane, block, Reason::Refresh);
            self.changed.push(plane);
        }
    }
}
