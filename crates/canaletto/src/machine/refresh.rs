//! Data that are moved before they are lost.

use super::{Event, Machine};
use crate::fabric::Fabric;
use crate::flash::address::Ppa;
use crate::ftl::gc::Reason;
use crate::measure::probe::Probe;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// A page was read, which disturbs the others of its block.
    pub(super) fn page_disturbs(&mut self, at: Ppa) {
        self.wear.read(at);
        if self.refresh.is_disturbed(at, &self.wear) {
            self.collector.want(at.plane, at.block, Reason::ReadDisturb);
            self.needs_collection.push(at.plane);
        }
    }

    /// Sends the patrol on its way, if ages matter.
    pub(super) fn start_patrol(&mut self, now: Time) {
        if let Some(look) = self.refresh.next_look(now) {
            self.events.push(look, Event::Patrol);
            self.patrols = true;
        }
    }

    /// The patrol looks at a block.
    pub(super) fn patrol(&mut self, now: Time) {
        let (plane, block) = self.refresh.look();
        if self.blocks.holds_data(plane, block) && self.refresh.is_old(plane, block, &self.wear, now) {
            self.collector.want(plane, block, Reason::Refresh);
            self.needs_collection.push(plane);
        }
        self.offer_paths(now);
        // Where nothing else is left to happen, the run must be able to end, or to say what it waits for.
        self.patrols = false;
        if !self.events.is_empty() || self.fabric.next_step() != Time::MAX {
            self.start_patrol(now);
        }
    }

    /// Things happen again.
    pub(super) fn resume_patrol(&mut self, now: Time) {
        if !self.patrols {
            self.start_patrol(now);
        }
    }
}
