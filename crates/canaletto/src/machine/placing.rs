//! Which plane a write goes to.

use super::Machine;
use crate::config::design::WritePlacement;
use crate::fabric::Fabric;
use crate::flash::address::{PlaneId, UnitId};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    fn is_dynamic(&self) -> bool {
        self.choices.placement == WritePlacement::Dynamic
    }

    /// The plane for a write; none if every one has to end what is under way first.
    pub(super) fn plane_to_write(&mut self, id: TransactionId) -> Option<PlaneId> {
        if !self.is_dynamic() {
            return Some(self.plane_of(id));
        }
        let stream = self.flows[self.transactions[id].flow as usize].stream;
        let plane = match self.spread.go_on(stream, &self.blocks) {
            Some(plane) => plane,
            None => {
                let plane = self.least_busy_plane(id)?;
                self.spread.fill(stream, plane);
                plane
            }
        };
        self.spread.expect(plane, self.layout.unit_of(plane));
        Some(plane)
    }

    fn least_busy_plane(&mut self, id: TransactionId) -> Option<PlaneId> {
        let t = &self.transactions[id];
        let planes = self.flows[t.flow as usize].placement.planes();
        let epoch = self.collector.epoch();
        let avoided = |plane| epoch.keeps_writes_from(plane);
        self.spread.choose(planes, t.frontier, &self.layout, &self.blocks, avoided)
    }

    /// The plane in which a page that was never written is found: where static allocation would have put it, if that can
    /// take it.
    pub(super) fn plane_to_find(&mut self, id: TransactionId, frontier: Frontier) -> PlaneId {
        let plane = self.plane_of(id);
        let fits = |plane| self.spread.may_take(plane, &self.blocks) && self.blocks.has_page(plane, frontier);
        let fixed = !self.is_dynamic() || self.transactions[id].origin == Origin::Mapping;
        if fixed || fits(plane) { plane } else { self.least_busy_plane(id).unwrap_or(plane) }
    }

    /// A write has its page: it is no longer expected but there.
    pub(super) fn page_given(&mut self, id: TransactionId) {
        let t = &self.transactions[id];
        if self.is_dynamic() && t.is_host_write() {
            self.spread.arrived(t.ppa.plane);
        }
    }

    /// A write looks for another page in its plane.
    pub(super) fn expect_again(&mut self, id: TransactionId) {
        let t = &self.transactions[id];
        if self.is_dynamic() && t.is_host_write() {
            self.spread.expect(t.ppa.plane, self.layout.unit_of(t.ppa.plane));
        }
    }

    /// A transaction is queued on a unit; writes have counted there since their plane was chosen.
    pub(super) fn count_in(&mut self, t: &Transaction, unit: UnitId) {
        if self.is_dynamic() && !t.is_host_write() {
            self.spread.queued(unit);
        }
    }

    /// A unit is through with a transaction.
    pub(super) fn count_out(&mut self, unit: UnitId) {
        if self.is_dynamic() {
            self.spread.done(unit);
        }
    }

    /// Puts a page in line for room.
    pub(super) fn wait_for_room(&mut self, id: TransactionId) {
        self.without_room.push_back(id);
        self.room_wanted = true;
    }

    /// Gives room to pages that wait for some, oldest first.
    pub(super) fn place_waiting_pages(&mut self, now: Time) {
        self.room_wanted = false;
        for _ in 0..self.without_room.len() {
            let id = self.without_room.pop_front().expect("counted");
            self.charge_page(id, Cause::FreeBlocks, now);
            if self.transactions[id].operation == Operation::Read {
                self.begin_read(id, now);
                self.room_wanted = false;
            } else if let Some(plane) = self.plane_to_write(id) {
                self.send_to_plane(id, plane, now);
                self.send_data_out(id, now);
            } else {
                self.without_room.push_back(id);
            }
        }
        // Whoever still waits may do so for ever.
        for _ in 0..self.without_room.len() {
            let id = self.without_room.pop_front().expect("counted");
            if self.no_room_will_come(id) {
                self.give_up(id, now);
            } else {
                self.without_room.push_back(id);
            }
        }
    }
}
