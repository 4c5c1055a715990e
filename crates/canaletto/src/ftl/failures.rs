//! A block is retired only while its plane can spare it. After that, failed writes end with an error and blocks stay in
//! use. A drive that cannot take more ends writes with an error.

use super::{Ftl, Outcome};
use crate::engine::in_flight::{PageWork, Requests};
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::ftl::mapping::Entry;
use crate::ftl::reclaim::gc::Reason;
use crate::ftl::reclaim::gc::pacing::Pacing;
use crate::host::request::{RequestId, Status};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{Flag, OldPage, Origin, Payload, Transaction, TransactionId};

impl Ftl {
    pub fn retire_failed<P: Probe>(&mut self, work: &PageWork<P>, first: TransactionId) -> bool {
        let Transaction { ppa: at, origin, .. } = work.transactions[first];
        if let Some(zones) = self.zones_with(at) {
            zones.program_failed(at);
            self.changed.push(at.plane);
            return false;
        }
        let copy = origin == Origin::Gc;
        if self.is_lost(at.plane) {
            // A copy within a plane is there before and after.
            return !copy || self.has_parity();
        }
        // Collection needs another block at once if its own is retired, and must leave one for the next victim.
        let keep_free = if copy { self.blocks.reserved() + 1 } else { 0 };
        self.retire(at.plane, at.block, keep_free)
    }

    /// It may be programmed `again` if its block is retired.
    pub fn program_failed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, mut again: bool, now: Time) {
        let Transaction { ppa: at, payload: Payload { old, .. }, origin, frontier, .. } = work.transactions[id];
        let copy = origin == Origin::Gc;
        if frontier == Frontier::Arrivals {
            again &= self.blocks.promise_arrival(at.plane);
        } else if copy && !self.is_lost(at.plane) {
            // A further page is spent on it: the others must still find theirs.
            again &= self.blocks.copies_fit(old.plane, old.block);
        }
        match origin {
            Origin::Gc if !again => return self.copy_programmed(work, id, now),
            Origin::Mapping if !again => return self.translation_programmed(work, id, now),
            Origin::Destage if !again => return self.host_page_programmed(work, id, now),
            _ => {}
        }
        self.spent += 1;
        self.blocks.note_void(at);
        self.blocks.program_ends(at);
        self.blocks.invalidate(at);
        self.blocks.note_stalls(at.plane, now);
        self.changed.push(at.plane);
        if again { self.program_again(work, id) } else { self.write_failed(work, id, now) }
    }

    /// A copy's data in the register are gone: it is read again, into the controller.
    fn program_again<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        work.transactions[id].set(Flag::Retrying, true);
        if self.is_out_of_reach(work.transactions[id].ppa.plane) {
            work.transactions[id].ppa = Ppa::NONE;
            return self.room.wait(id, &work.transactions);
        }
        if self.blocks.has_superblocks() {
            return self.place_again(work, id);
        }
        let t = &mut work.transactions[id];
        if t.is(Flag::Copyback) {
            let from = t.payload.old;
            t.set(Flag::Copyback, false);
            (t.operation, t.ppa) = (Operation::Read, from);
            self.blocks.read_begins(from);
            self.collector.copy_is_lost(from.plane);
            self.collector.copy_is_unsettled(from.plane);
        } else {
            t.ppa = Ppa::unbound(t.ppa.plane);
            self.room.expect_again(&work.transactions[id]);
            let t = work.transactions[id];
            self.collector.copy_lines_up_again(&t);
        }
        self.issue_first(work, id);
    }

    fn place_again<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let t = &work.transactions[id];
        let line = t.line();
        let Some(plane) = self.take_place(t.ppa.plane, line, false) else {
            work.transactions[id].ppa = Ppa::NONE;
            return self.room.wait(id, &work.transactions);
        };
        let t = &mut work.transactions[id];
        t.ppa = Ppa::unbound(plane);
        if t.origin == Origin::Gc {
            t.goes_to(plane);
        }
        self.blocks.note_come(plane, line);
        self.collector.copy_lines_up_again(&work.transactions[id]);
        self.issue_first(work, id);
    }

    /// Its logical page keeps what it held before.
    pub fn write_failed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        if t.origin == Origin::User {
            self.tell(Outcome::RequestFails(t.request));
            work.probe.notify(|observer| observer.page_failed(now, t.request, t.lpa));
        }
        self.given_up += 1;
        if self.mapping.get(t.lpa) == Entry::Pending(id) {
            // A page that was never written has no entry to go back to: it reads as zeroes.
            self.mapping.set(t.lpa, if t.payload.old.is_bound() { Entry::At(t.payload.old) } else { Entry::Trimmed });
            if t.successor().is_some() {
                self.start_successor(work, t.successor(), now);
            }
        }
        if t.origin == Origin::Destage { self.tell(Outcome::DestageLost(id)) } else { self.tell(Outcome::PageDone(id)) }
    }

    /// The request that needs it fails. A copy carries on what it found.
    pub fn read_failed<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        requests: &mut Requests,
        id: TransactionId,
        now: Time,
    ) {
        self.uncorrectable += 1;
        let t = work.transactions[id];
        let request = match t.old_page() {
            OldPage::For(write) => work.transactions[write].request,
            _ => t.request,
        };
        let request_in_line = request.is_some().then(|| &mut requests[request]);
        if self.is_out_of_reach(t.ppa.plane) {
            self.lost.note_page();
            request_in_line.into_iter().for_each(|request| self.lost.note_request(request));
        } else if let Some(request) = request_in_line {
            request.status = Status::Failed;
        }
        if matches!(t.origin, Origin::User | Origin::Operand) {
            work.probe.notify(|observer| observer.page_failed(now, request, t.lpa));
        }
    }

    pub fn lose_planes(&mut self, planes: &[PlaneId]) {
        if planes.is_empty() {
            return;
        }
        self.lost.planes.add(planes);
        if self.has_parity() {
            return self.lose_protected_planes(planes);
        }
        self.spaces.leave_out(&self.lost.planes);
        planes.iter().for_each(|&plane| self.room.allocator.set_exhausted(plane, true));
        self.changed.extend(planes);
    }

    #[inline]
    pub(super) fn is_read_of_lost_plane(&self, t: &Transaction) -> bool {
        t.operation == Operation::Read && self.is_lost(t.ppa.plane)
    }

    #[cold]
    pub(super) fn read_without_plane(&mut self, id: TransactionId) {
        if self.has_parity() {
            self.parity.awaits(id);
            self.tell(Outcome::Rebuild(id));
        } else {
            self.tell(Outcome::OutOfReach(id));
        }
    }

    #[cold]
    pub(super) fn leave_as_it_is<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = &work.transactions[id];
        let (request, lpa, origin, successor) = (t.request, t.lpa, t.origin, t.successor());
        self.note_out_of_reach(request);
        if origin == Origin::User {
            work.probe.notify(|observer| observer.page_failed(now, request, lpa));
        }
        self.tell(if origin == Origin::Destage { Outcome::DestageOutOfReach(id) } else { Outcome::PageDone(id) });
        if successor.is_some() {
            self.tell(Outcome::StartSuccessor(successor));
        }
    }

    /// It was programmed, although the rest of its page could not be read.
    #[cold]
    pub(super) fn undo_partial_write<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let at = work.transactions[id].ppa;
        self.spent += 1;
        self.blocks.note_void(at);
        self.blocks.program_ends(at);
        self.blocks.invalidate(at);
        self.changed.push(at.plane);
        self.write_failed(work, id, now);
    }

    /// A write for a plane that has stopped working must go elsewhere.
    #[inline]
    pub fn leave_lost_plane(&mut self, t: &Transaction) {
        if self.is_out_of_reach(t.ppa.plane) && t.operation == Operation::Program && !t.ppa.is_bound() {
            self.changed.push(t.ppa.plane);
        }
    }

    /// The read of an old page found nothing, because nothing reaches its plane.
    pub fn old_page_is_lost(&self, read: &Transaction) -> bool {
        read.is(Flag::ReadFailed) && self.is_out_of_reach(read.ppa.plane)
    }

    #[inline]
    pub(super) fn is_lost(&self, plane: PlaneId) -> bool {
        self.lost.has(plane)
    }

    #[inline]
    pub fn is_out_of_reach(&self, plane: PlaneId) -> bool {
        self.lost.is_out_of_reach(plane)
    }

    pub(super) fn note_out_of_reach(&mut self, request: RequestId) {
        self.lost.note_page();
        if request.is_some() {
            self.tell(Outcome::RequestOutOfReach(request));
        }
    }

    #[inline]
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

    pub(super) fn only_group_goes_on(&self) -> bool {
        let plane = PlaneId(0);
        self.blocks.is_one_group() && (self.blocks.group_is_written(plane) || !self.collector.is_stuck(plane, false))
    }

    /// Frontiers whose writes may wait for a page that never comes.
    pub fn write_frontiers(&self) -> impl Iterator<Item = Frontier> + use<> {
        let looks = !self.blocks.has_superblocks();
        let streams = if looks { self.streams } else { 0 };
        let cached = if self.folding.is_on { streams } else { 0 };
        let own = (0..streams).map(Frontier::User).chain((0..cached).map(Frontier::Cached));
        own.chain(looks.then_some(Frontier::Translation(0)))
    }

    /// Any frontier that looks for a page may open a block.
    #[inline(always)]
    pub fn has_room_for_all(&self, plane: PlaneId) -> bool {
        !self.is_out_of_reach(plane) && self.blocks.may_open_for_host(plane)
    }

    /// Notes and returns whether nothing under way can give the frontier a page.
    pub fn note_if_exhausted(&mut self, plane: PlaneId, frontier: Frontier) -> bool {
        let exhausted = self.is_exhausted(plane, frontier);
        if exhausted {
            self.room.allocator.set_exhausted(plane, true);
        }
        exhausted
    }

    /// The write, off its LUN's queues, goes elsewhere or ends with an error.
    pub fn give_up_write<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        self.room.count_out(self.layout.lun_of(work.transactions[id].ppa.plane));
        self.leave_plane(work, id, now);
    }

    fn leave_plane<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        if work.transactions[id].origin == Origin::Mapping {
            return self.translation_failed(work, id, now);
        }
        self.room.page_given(&work.transactions[id]);
        work.charge_page(id, Cause::FreeBlocks, now);
        let lost = self.is_out_of_reach(work.transactions[id].ppa.plane);
        work.transactions[id].ppa = Ppa::NONE;
        if lost || self.room.is_dynamic {
            self.room.wait(id, &work.transactions);
        } else {
            self.write_failed(work, id, now);
        }
    }

    pub fn no_room_will_come<P: Probe>(&self, work: &PageWork<P>, id: TransactionId) -> bool {
        let t = &work.transactions[id];
        if t.awaits_old_page() {
            return false;
        }
        if !self.room.is_dynamic {
            return self.is_exhausted(self.home_of(work, id), t.frontier);
        }
        self.no_plane_will_have_room()
    }

    fn no_plane_will_have_room(&self) -> bool {
        let mut planes = (0..self.layout.planes()).map(PlaneId);
        self.room.allocator.expects_nothing()
            && planes.all(|plane| self.blocks.programs_in(plane) == 0 && self.collector.is_stuck(plane, false))
    }

    /// The next `left` pages that wait do so on if no plane takes a write. Returns whether they do.
    pub fn all_wait_on<P: Probe>(&mut self, work: &mut PageWork<P>, left: usize, now: Time) -> bool {
        let takes = |plane| self.room.allocator.may_take(PlaneId(plane), &self.blocks);
        let is_full = self.room.are_alike() && !self.blocks.has_superblocks() && !(0..self.layout.planes()).any(takes);
        if is_full {
            // Others are charged once they have room.
            if self.room.may_be_charged() || work.probe.watches_wires() {
                for place in 0..left {
                    work.blame_page(self.room.in_line(place), Cause::FreeBlocks, now);
                }
            }
            self.room.pass(left);
        }
        is_full
    }

    /// Returns whether a page waited for room.
    pub fn give_up_oldest<P: Probe>(&mut self, work: &mut PageWork<P>, now: Time) -> bool {
        let Some(id) = self.room.take_oldest() else { return false };
        work.charge_page(id, Cause::FreeBlocks, now);
        self.give_up(work, id, now);
        true
    }

    /// A read finds nothing; a write fails and leaves what was there.
    pub fn give_up<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        if t.origin == Origin::Mapping {
            self.translation_read(work, id);
        } else if t.operation == Operation::Read {
            work.probe.notify(|observer| observer.page_read(now, t.request, t.lpa, t.sectors, Ppa::NONE));
            self.end_without_data(work, id);
        } else {
            self.write_failed(work, id, now);
        }
    }

    /// How often to call [`Ftl::place_next_stalled`].
    #[inline(always)]
    pub fn begin_placing_stalled(&mut self) -> usize {
        let left = self.collector.pacing.as_ref().and_then(Pacing::left).filter(|&left| left > 0);
        // A row of flash pages is filled at once.
        let row = (self.layout.planes_per_lun << self.layout.flash_shift) as usize;
        self.room.begin_placing(&self.blocks, left.map(|left| left + row - 1))
    }

    /// The oldest page that waits gets room, or waits on.
    pub fn place_next_stalled<P: Probe>(&mut self, work: &mut PageWork<P>, now: Time) {
        let Some(id) = self.room.take_oldest() else { return };
        work.blame_page(id, Cause::FreeBlocks, now);
        if work.transactions[id].operation == Operation::Read {
            work.charge_page_for(id, Ended::Erase, Cause::FreeBlocks, now);
            self.begin_read(work, id, now);
            self.room.have_been_seen();
        } else if let Some(plane) = self.plane_to_write(work, id) {
            work.charge_page_for(id, Ended::Erase, Cause::FreeBlocks, now);
            self.send_to_plane(work, id, plane, now);
            self.send_data_out(id);
        } else {
            self.room.wait_on(id, &work.transactions);
        }
    }

    /// The oldest page that waits ends if no room will come, or waits on.
    pub fn give_up_next_stalled<P: Probe>(&mut self, work: &mut PageWork<P>, now: Time) {
        let Some(id) = self.room.take_oldest() else { return };
        if self.no_room_will_come(work, id) {
            work.blame_page(id, Cause::FreeBlocks, now);
            self.give_up(work, id, now);
        } else {
            self.room.wait_on(id, &work.transactions);
        }
    }

    #[inline(always)]
    pub fn stalled_perhaps_for_ever(&self) -> usize {
        match self.room.waiting() {
            0 => 0,
            _ if self.only_group_goes_on() || self.room.is_dynamic && !self.no_plane_will_have_room() => 0,
            pages => pages,
        }
    }

    #[inline]
    pub fn has_parity(&self) -> bool {
        self.blocks.has_parity()
    }

    /// Parity sets out after the stripe's last page, programmed or failed.
    pub fn send_due_parity<P: Probe>(&mut self, work: &mut PageWork<P>, write: &Transaction, now: Time) {
        self.parity.send_due((&mut self.blocks, &self.layout, &mut self.outcomes), work, write, now);
    }

    pub fn parity_programmed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, failed: bool, now: Time) {
        self.changed.push(work.transactions[id].ppa.plane);
        self.parity.programmed(&mut self.blocks, work, id, failed, now);
    }

    /// Whether an illegible page must be rebuilt once it is through the controller.
    pub fn is_to_be_rebuilt(&mut self, id: TransactionId, t: &Transaction) -> bool {
        self.has_parity() && self.parity.is_to_be_rebuilt(&self.blocks, &self.lost, id, t)
    }

    /// Returns whether there is anything to wait for.
    pub fn begin_rebuild<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
        let t = work.transactions[id];
        work.transactions[id].set(Flag::Retrying, true);
        let pages = self.parity.begin_rebuild(&self.blocks, &self.lost, id, t.ppa);
        if !pages.is_empty() {
            work.probe.notify(|observer| observer.page_rebuilds(now, t.ppa, &pages));
        }
        for &at in &pages {
            let read = work.new_page(Transaction::of_rebuild(id, &t, at, now));
            self.begin_read_of(at);
            self.issue(work, read);
        }
        !pages.is_empty()
    }

    pub fn end_rebuild<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        requests: &mut Requests,
        id: TransactionId,
        now: Time,
    ) -> bool {
        work.charge_page_for(id, Ended::OldPage, Cause::Retry, now);
        work.transactions[id].set(Flag::Retrying, false);
        work.leave_outer_codewords(id);
        let rebuilt = self.parity.end_rebuild(id);
        self.end_read_of(work.transactions[id].ppa);
        if !rebuilt {
            self.read_failed(work, requests, id, now);
        }
        rebuilt
    }

    /// Superblocks with data are collected, one by one: rebuilt, and protected again.
    pub(super) fn lose_protected_planes(&mut self, planes: &[PlaneId]) {
        let leader = planes[0];
        for block in self.blocks.lose_planes(planes) {
            self.collector.want(leader, block, Reason::Retired);
        }
        self.changed.extend(self.blocks.planes_of_group(leader));
    }
}
