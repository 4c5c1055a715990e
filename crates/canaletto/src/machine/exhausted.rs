//! A drive that cannot take any more: writes end with an error instead of waiting for ever.
//!
//! That does not happen to a healthy drive, whose spare blocks outlast any traffic; it does when blocks wear out or fail.

use super::Machine;
use crate::config::design::WritePlacement;
use crate::fabric::Fabric;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Whether nothing that is under way in the plane can ever give the frontier a page.
    fn is_exhausted(&self, plane: PlaneId, frontier: Frontier) -> bool {
        if self.blocks.has_superblocks() {
            return self.collector.is_stuck(plane, false)
                && !self.blocks.group_is_written(plane)
                && !self.blocks.has_place(plane, frontier);
        }
        !self.blocks.has_page(plane, frontier)
            && self.blocks.programs_in(plane) == 0
            && self.collector.is_stuck(plane, self.blocks.has_page(plane, Frontier::Gc))
    }

    /// Sends the writes that wait for a page of the plane elsewhere, or ends them with an error, if there will be none.
    pub(super) fn give_up_if_exhausted(&mut self, plane: PlaneId, now: Time) {
        let unit = self.layout.unit_of(plane);
        // With superblocks whoever is queued has a place.
        if self.blocks.has_superblocks() || !self.queues.has_writes(unit) {
            return;
        }
        for frontier in (0..self.streams).map(Frontier::User).chain([Frontier::Translation]) {
            if !self.is_exhausted(plane, frontier) {
                continue;
            }
            self.spread.set_exhausted(plane, true);
            let waits = |t: &Transaction| {
                t.ppa == Ppa::unbound(plane) && t.frontier == frontier && t.old_page != OldPage::Awaited
            };
            while let Some(id) = self.queues.take_write(unit, &mut self.transactions, waits) {
                self.count_out(unit);
                self.leave_plane(id, now);
            }
        }
    }

    /// A write cannot stay with the plane it was given.
    fn leave_plane(&mut self, id: TransactionId, now: Time) {
        if self.transactions[id].origin == Origin::Mapping {
            return self.translation_failed(id, now);
        }
        self.page_given(id);
        self.charge_page(id, Cause::FreeBlocks, now);
        self.transactions[id].ppa = Ppa::NONE;
        if self.choices.placement == WritePlacement::Dynamic {
            self.wait_for_room(id);
        } else {
            self.write_failed(id, now);
        }
    }

    /// Whether nothing under way anywhere can make room for a page that no plane takes.
    pub(super) fn no_room_will_come(&self, id: TransactionId) -> bool {
        let t = &self.transactions[id];
        if t.old_page == OldPage::Awaited {
            return false;
        }
        match self.choices.placement {
            WritePlacement::Static => self.is_exhausted(self.plane_of(id), t.frontier),
            WritePlacement::Dynamic => {
                let planes = (0..self.layout.planes()).map(PlaneId);
                self.spread.expects_nothing()
                    && planes
                        .into_iter()
                        .all(|plane| self.blocks.programs_in(plane) == 0 && self.collector.is_stuck(plane, false))
            }
        }
    }

    /// Ends the page that has waited longest for room, at the end of everything. Returns whether there was one.
    pub(super) fn give_up_oldest(&mut self) -> bool {
        let Some(id) = self.without_room.pop_front() else { return false };
        let now = self.events.now();
        self.charge_page(id, Cause::FreeBlocks, now);
        self.give_up(id, now);
        self.offer_paths(now);
        self.resume_patrol(now);
        true
    }

    /// Ends a page that no plane can take: a read finds nothing, a write fails and leaves what was there before.
    pub(super) fn give_up(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        if t.origin == Origin::Mapping {
            self.translation_read(id, now);
        } else if t.operation == Operation::Read {
            self.probe.page_read(now, t.request, t.lpa, t.sectors, Ppa::NONE);
            self.page_finished(id, now);
        } else {
            self.write_failed(id, now);
        }
    }
}
