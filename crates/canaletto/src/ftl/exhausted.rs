//! A drive that cannot take any more: writes end with an error instead of waiting for ever.
//!
//! That does not happen to a healthy drive, whose spare blocks outlast any traffic; it does when blocks wear out or fail.

use super::{Ftl, Outcome};
use crate::config::design::WritePlacement;
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{OldPage, Origin, TransactionId};

impl Ftl {
    /// Whether nothing that is under way in the plane can ever give the frontier a page.
    fn is_exhausted(&self, plane: PlaneId, frontier: Frontier) -> bool {
        if self.is_out_of_reach(plane) {
            return true;
        }
        if self.blocks.has_superblocks() {
            return self.collector.is_stuck(plane, false)
                && !self.blocks.group_is_written(plane)
                && !self.blocks.has_place(plane, frontier);
        }
        !self.blocks.has_page(plane, frontier)
            && self.blocks.programs_in(plane) == 0
            && self.collector.is_stuck(plane, self.blocks.has_page(plane, Frontier::Gc))
    }

    /// Whether all planes are one group, in which something is under way that may make room.
    pub(super) fn only_group_goes_on(&self) -> bool {
        let plane = PlaneId(0);
        self.blocks.is_one_group() && (self.blocks.group_is_written(plane) || !self.collector.is_stuck(plane, false))
    }

    /// Frontiers whose writes may wait for a page of a plane that never comes. None with superblocks: whoever is queued has a
    /// place there.
    pub fn write_frontiers(&self) -> impl Iterator<Item = Frontier> + use<> {
        let looks = !self.blocks.has_superblocks();
        let streams = if looks { self.streams } else { 0 };
        let cached = if self.has_pseudo_slc() { streams } else { 0 };
        let own = (0..streams).map(Frontier::User).chain((0..cached).map(Frontier::Cached));
        own.chain(looks.then_some(Frontier::Translation))
    }

    /// Notes that a plane can take nothing if nothing under way there can ever give the frontier a page. Returns whether it
    /// is so.
    pub fn note_if_exhausted(&mut self, plane: PlaneId, frontier: Frontier) -> bool {
        let exhausted = self.is_exhausted(plane, frontier);
        if exhausted {
            self.allocator.set_exhausted(plane, true);
        }
        exhausted
    }

    /// Sends a write that waited for a page of its plane elsewhere, or ends it with an error. It is off its LUN's queues.
    pub fn give_up_write<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        self.count_out(self.layout.lun_of(work.transactions[id].ppa.plane));
        self.leave_plane(work, id, now);
    }

    /// A write cannot stay with the plane it was given.
    fn leave_plane<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        if work.transactions[id].origin == Origin::Mapping {
            return self.translation_failed(work, id, now);
        }
        self.page_given(work, id);
        work.charge_page(id, Cause::FreeBlocks, now);
        let lost = self.is_out_of_reach(work.transactions[id].ppa.plane);
        work.transactions[id].ppa = Ppa::NONE;
        if lost || self.rules.placement == WritePlacement::Dynamic {
            self.wait_for_room(id);
        } else {
            self.write_failed(work, id, now);
        }
    }

    /// Whether nothing under way anywhere can make room for a page that no plane takes.
    pub fn no_room_will_come<P: Probe>(&self, work: &InFlight<'_, P>, id: TransactionId) -> bool {
        let t = &work.transactions[id];
        if t.old_page == OldPage::Awaited {
            return false;
        }
        match self.rules.placement {
            WritePlacement::Static => self.is_exhausted(self.home_of(work, id), t.frontier),
            WritePlacement::Dynamic => {
                let planes = (0..self.layout.planes()).map(PlaneId);
                self.allocator.expects_nothing()
                    && planes
                        .into_iter()
                        .all(|plane| self.blocks.programs_in(plane) == 0 && self.collector.is_stuck(plane, false))
            }
        }
    }

    /// Ends the page that has waited longest for room, at the end of everything. Returns whether there was one.
    pub fn give_up_oldest<P: Probe>(&mut self, work: &mut InFlight<'_, P>, now: Time) -> bool {
        let Some(id) = self.allocation_stalled.pop_front() else { return false };
        work.charge_page(id, Cause::FreeBlocks, now);
        self.give_up(work, id, now);
        true
    }

    /// Ends a page that no plane can take: a read finds nothing, a write fails and leaves what was there before.
    pub fn give_up<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        if t.origin == Origin::Mapping {
            self.translation_read(work, id);
        } else if t.operation == Operation::Read {
            work.probe.page_read(now, t.request, t.lpa, t.sectors, Ppa::NONE);
            self.tell(Outcome::PageDone(id));
        } else {
            self.write_failed(work, id, now);
        }
    }
}
