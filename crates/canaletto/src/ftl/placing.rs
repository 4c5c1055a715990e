//! Which plane a write goes to.

use super::Ftl;
use crate::config::design::WritePlacement;
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::{LunId, PlaneId};
use crate::flash::interface::Operation;
use crate::ftl::blocks::{Frontier, Line};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

impl Ftl {
    fn is_dynamic(&self) -> bool {
        self.rules.placement == WritePlacement::Dynamic
    }

    /// The plane for a write; none if every one has to end what is under way first.
    pub fn plane_to_write<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) -> Option<PlaneId> {
        if self.blocks.has_superblocks() {
            return self.take_place(self.plane_of(work, id), work.transactions[id].line(), false);
        }
        if !self.is_dynamic() {
            return Some(self.home_of(work, id)).filter(|&plane| !self.is_out_of_reach(plane));
        }
        let stream = self.spaces[work.transactions[id].flow as usize].stream;
        let plane = match self.allocator.go_on(stream, &self.blocks) {
            Some(plane) => plane,
            None => {
                let plane = self.least_busy_plane(work, id)?;
                self.allocator.fill(stream, plane);
                plane
            }
        };
        self.allocator.expect(plane, self.layout.lun_of(plane));
        Some(plane)
    }

    /// The plane that a logical page is written to: its own, or another one in the place of that.
    #[inline(always)]
    pub fn home_of<P: Probe>(&self, work: &InFlight<'_, P>, id: TransactionId) -> PlaneId {
        let plane = self.plane_of(work, id);
        if !self.is_out_of_reach(plane) {
            return plane;
        }
        let t = &work.transactions[id];
        let flow = &self.spaces[t.flow as usize];
        flow.placement.stand_in(t.lpa - flow.first_page).unwrap_or(plane)
    }

    /// The plane that a write of a group of planes goes to, where the stripe says so, if it is to be `alone` in a flash page of
    /// its own; none if there is no room.
    pub fn take_place(&mut self, plane: PlaneId, line: Line, alone: bool) -> Option<PlaneId> {
        let (to, opened) = self.blocks.take_place(plane, line, alone)?;
        if opened {
            self.changed.push(plane);
        }
        Some(to)
    }

    fn least_busy_plane<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) -> Option<PlaneId> {
        let t = &work.transactions[id];
        let planes = self.spaces[t.flow as usize].placement.planes();
        let epoch = self.collector.epoch();
        let avoided = |plane| epoch.keeps_writes_from(plane);
        self.allocator.choose(planes, t.frontier, &self.layout, &self.blocks, avoided)
    }

    /// The plane in which a page that was never written is found: where static allocation would have put it, if that can
    /// take it. None if there is surely no room.
    pub fn plane_to_find<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        id: TransactionId,
        frontier: Frontier,
    ) -> Option<PlaneId> {
        let plane = self.plane_of(work, id);
        if self.blocks.has_superblocks() {
            return self.take_place(plane, Line { frontier, ..work.transactions[id].line() }, true);
        }
        let fits = |plane| self.allocator.may_take(plane, &self.blocks) && self.blocks.has_page(plane, frontier);
        let fixed = !self.is_dynamic() || work.transactions[id].origin == Origin::Mapping;
        Some(if fixed || fits(plane) { plane } else { self.least_busy_plane(work, id).unwrap_or(plane) })
    }

    /// A write has its page: it is no longer expected but there.
    pub fn page_given<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        let t = &work.transactions[id];
        if self.is_dynamic() && t.is_host_write() {
            self.allocator.arrived(t.ppa.plane);
        }
    }

    /// A write looks for another page in its plane.
    pub fn expect_again<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        let t = &work.transactions[id];
        if self.is_dynamic() && t.is_host_write() {
            self.allocator.expect(t.ppa.plane, self.layout.lun_of(t.ppa.plane));
        }
    }

    /// A transaction is queued on a LUN; writes have counted there since their plane was chosen.
    #[inline]
    pub fn count_in(&mut self, t: &Transaction) {
        if self.is_dynamic() && !t.is_host_write() {
            self.allocator.queued(self.layout.lun_of(t.ppa.plane));
        }
    }

    /// A LUN is through with a transaction.
    pub fn count_out(&mut self, lun: LunId) {
        if self.is_dynamic() {
            self.allocator.done(lun);
        }
    }

    /// Puts a page in line for room.
    pub fn wait_for_room(&mut self, id: TransactionId) {
        self.allocation_stalled.push_back(id);
        self.allocation_wanted = true;
    }

    /// Pages that wait for room. All of them are looked at now: [`Ftl::place_next_stalled`], as often as this says. With
    /// superblocks there is no more room than before until one becomes free, and thousands of pages may wait for that.
    pub fn begin_placing_stalled(&mut self) -> usize {
        self.allocation_wanted = false;
        let freed = self.blocks.superblocks_freed();
        let seen = std::mem::replace(&mut self.superblocks_seen, freed);
        if freed.is_some() && seen == freed { 0 } else { self.allocation_stalled.len() }
    }

    /// Gives room to the oldest page that waits for some, or has it wait on.
    pub fn place_next_stalled<P: Probe>(&mut self, work: &mut InFlight<'_, P>, now: Time) {
        let Some(id) = self.allocation_stalled.pop_front() else { return };
        work.blame_page(id, Cause::FreeBlocks, now);
        if work.transactions[id].operation == Operation::Read {
            work.charge_page_for(id, Ended::Erase, Cause::FreeBlocks, now);
            self.begin_read(work, id, now);
            self.allocation_wanted = false;
        } else if let Some(plane) = self.plane_to_write(work, id) {
            work.charge_page_for(id, Ended::Erase, Cause::FreeBlocks, now);
            self.send_to_plane(work, id, plane, now);
            self.send_data_out(id);
        } else {
            self.allocation_stalled.push_back(id);
        }
    }

    /// Ends the oldest page that waits for room if none will come, or has it wait on.
    pub fn give_up_next_stalled<P: Probe>(&mut self, work: &mut InFlight<'_, P>, now: Time) {
        let Some(id) = self.allocation_stalled.pop_front() else { return };
        if self.no_room_will_come(work, id) {
            work.blame_page(id, Cause::FreeBlocks, now);
            self.give_up(work, id, now);
        } else {
            self.allocation_stalled.push_back(id);
        }
    }

    /// How many pages wait for room that may never come.
    pub fn stalled_perhaps_for_ever(&self) -> usize {
        if self.only_group_goes_on() { 0 } else { self.allocation_stalled.len() }
    }
}
