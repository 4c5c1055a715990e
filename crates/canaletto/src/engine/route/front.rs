//! In front of the chips: requests from the host, pages through FTL and controller, and back.

use std::ops::Range;

use super::{Event, Route};
use crate::controller::{FROM_CACHE, Passing, Work, stage_cause};
use crate::engine::events::EventQueue;
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::flash::interface::Operation;
use crate::ftl::Outcome;
use crate::host::link::Direction;
use crate::host::request::{Kind, RequestId, Status};
use crate::host::{HostEvent, HostOutcome, HostStep};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::flash_page_group::{FlashPageGroup, bytes_of};
use crate::scheduler::transaction::{Flag, OldPage, Origin, Outer, TransactionId};

impl<F: Fabric, P: Probe> Route<F, P> {
    #[inline(always)]
    fn host_at(&mut self, now: Time) -> HostStep<'_, P, EventQueue<Event<F::Event>>> {
        self.host.at(now, &mut self.requests, &mut self.pages, &mut self.events)
    }

    #[inline(always)]
    pub(super) fn link_sent(&mut self, direction: Direction, now: Time) {
        let outcome = self.host_at(now).link_sent(direction);
        self.drive_reached(outcome, now);
        self.host_at(now).send_next(direction);
        if let Some(request) = self.host_at(now).expect_next(direction) {
            self.expect_pages(request);
        }
        if !matches!(outcome, HostOutcome::None) {
            self.after_host_event(matches!(outcome, HostOutcome::Completion { has_ended: true }), now);
        }
    }

    #[inline(never)]
    pub(super) fn host_event(&mut self, event: HostEvent, now: Time) {
        let completed = self.completed();
        match event {
            HostEvent::LinkSent(_) => unreachable!("link events have slots"),
            HostEvent::Awaited => unreachable!("nothing happens when a place is kept"),
            HostEvent::LinkArrived(direction) => {
                let outcome = self.host_at(now).link_arrived(direction);
                self.drive_reached_late(outcome, now);
            }
            HostEvent::Attachment => self.attachment_event(now),
            HostEvent::Arrival(flow) => self.host_at(now).arrive(flow),
            HostEvent::ThinkTimeOver(flow) => self.host_at(now).think_time_over(flow),
            HostEvent::Submitted(request) => self.host_at(now).submitted(request),
            HostEvent::InterruptTaken(request) => self.host_at(now).take_up(request),
            HostEvent::CompletionHandled(request) => self.host_at(now).handled(request),
            HostEvent::Computed(request) => self.host_at(now).computed(request),
            HostEvent::Interrupt(queue) => self.host_at(now).interrupt_if_due(queue),
        }
        self.after_host_event(self.completed() > completed, now);
    }

    #[inline(always)]
    fn after_host_event(&mut self, has_ended: bool, now: Time) {
        if let Some(request) = self.host.take_newest() {
            self.request_arrived(request);
        }
        if has_ended {
            self.expect_idleness(now);
            if self.ftl.folding.is_on {
                self.expect_folding(now);
            }
        }
    }

    #[inline(never)]
    fn attachment_event(&mut self, now: Time) {
        loop {
            let Some(outcome) = self.host_at(now).attachment_arrived() else {
                return;
            };
            self.drive_reached_late(outcome, now);
        }
    }

    /// The drive is not idle, and will look for the request's first page soon.
    #[inline(always)]
    fn request_arrived(&mut self, request: RequestId) {
        if let Some(cache) = &mut self.cache {
            cache.set_idle(false);
        }
        self.ftl.folding.host_is_back();
        self.expect_pages(request);
    }

    #[inline(always)]
    fn expect_pages(&self, request: RequestId) {
        let request = &self.requests[request];
        self.ftl.expect(request.flow, request.lba);
    }

    #[inline(never)]
    fn drive_reached_late(&mut self, outcome: HostOutcome, now: Time) {
        self.drive_reached(outcome, now);
    }

    #[inline(always)]
    fn drive_reached(&mut self, outcome: HostOutcome, now: Time) {
        match outcome {
            HostOutcome::None | HostOutcome::Completion { .. } => {}
            HostOutcome::Request(request) => self.enter_drive(request, now),
            HostOutcome::Entries { queue, count } => {
                for _ in 0..count {
                    if let Some(request) = self.host_at(now).take_entry(queue) {
                        self.enter_drive(request, now);
                    }
                }
                self.host_at(now).entries_taken(queue);
            }
        }
    }

    #[inline(never)]
    fn enter_drive(&mut self, request: RequestId, now: Time) {
        if !self.controller.has_firmware() {
            return self.begin(request, now);
        }
        let kind = self.requests[request].kind;
        let work = match kind {
            Kind::Write => Work::Write,
            Kind::Append => Work::Append,
            _ => Work::Other,
        };
        let pages = match kind {
            Kind::Read | Kind::Write | Kind::Append | Kind::Compute => {
                self.ftl.spaces.pages(&self.requests[request]).left_pages()
            }
            _ => 0,
        };
        let time = self.controller.firmware(work, pages, now);
        self.events.push(time, Event::FirmwareDone(request));
    }

    #[inline(never)]
    pub(super) fn firmware_done(&mut self, request: RequestId, now: Time) {
        self.requests.charge(&mut self.pages, request, Cause::Firmware, now);
        self.begin(request, now);
    }

    #[inline(always)]
    fn begin(&mut self, request: RequestId, now: Time) {
        let is_cached = self.cache.is_some();
        match self.requests[request].kind {
            Kind::Read if is_cached => self.begin_cached_read(request, now),
            Kind::Write if is_cached => self.begin_cached_write(request, now),
            Kind::Read | Kind::Write => self.begin_pages(request, now),
            Kind::Trim => self.begin_trim(request, now),
            Kind::Flush => self.begin_flush(request, now),
            _ => self.begin_zone_command(request, now),
        }
    }

    #[inline(always)]
    pub(super) fn begin_pages(&mut self, id: RequestId, now: Time) {
        let request = &self.requests[id];
        if self.ftl.spaces.widen(request) {
            return self.begin_widened(id, now);
        }
        let pages = self.ftl.spaces.pages(request);
        self.begin_counted(id, pages.left_pages(), pages, now);
    }

    #[inline(never)]
    fn begin_widened(&mut self, id: RequestId, now: Time) {
        let request = &self.requests[id];
        let of = (request.flow, request.stream);
        let (count, pages) = self.ftl.spaces.split(request);
        let others = self.ftl.spaces.pages(request).flat_map(|(lpa, _)| self.ftl.spaces.operands_with(lpa));
        let others: Vec<u64> = others.collect();
        self.begin_counted(id, count, pages, now);
        if !others.is_empty() {
            self.write_operands_unchanged(&others, of, now);
        }
    }

    #[inline(always)]
    fn begin_counted(&mut self, id: RequestId, count: u32, pages: impl Iterator<Item = (u64, u64)>, now: Time) {
        self.requests[id].outstanding = count;
        if count > self.pages_in_flight {
            self.requests[id].unbegun = count;
            return self.begin_further_pages(id, now);
        }
        self.begin_each(id, pages, now);
    }

    #[cold]
    fn begin_further_pages(&mut self, id: RequestId, now: Time) {
        let (count, pages) = self.ftl.spaces.split(&self.requests[id]);
        let further = self.take_unbegun(id);
        self.begin_each(id, pages.skip((count - further.end) as usize).take(further.len()), now);
    }

    pub(super) fn take_unbegun(&mut self, id: RequestId) -> std::ops::Range<u32> {
        let request = &mut self.requests[id];
        let before = request.unbegun;
        let in_flight = request.outstanding - before;
        request.unbegun -= before.min(self.pages_in_flight.saturating_sub(in_flight));
        request.unbegun..before
    }

    /// Further pages are due once half as many as may be are left in flight.
    #[inline(always)]
    pub(super) fn note_unbegun(&mut self, id: RequestId) {
        let request = &self.requests[id];
        if request.unbegun > 0 && request.outstanding - request.unbegun <= self.pages_in_flight / 2 {
            // A trim continues as the mapping table takes it.
            if request.kind != Kind::Trim {
                self.refills.push(id);
            }
        }
    }

    #[cold]
    pub(super) fn refill(&mut self, now: Time) {
        while let Some(id) = self.refills.pop() {
            if id == RequestId::NONE {
                self.go_on_with_trims(now);
                continue;
            }
            let request = &self.requests[id];
            if request.unbegun == 0 {
                continue;
            }
            if self.cache.is_some() && request.kind == Kind::Read {
                self.begin_cached_read(id, now);
            } else {
                self.begin_further_pages(id, now);
            }
        }
    }

    #[inline(always)]
    fn begin_each(&mut self, id: RequestId, pages: impl Iterator<Item = (u64, u64)>, now: Time) {
        let kind = self.requests[id].kind;
        self.ftl.gather();
        self.open_batch();
        for (lpa, sectors) in pages {
            // Pages without sectors only share a mapping unit with one of the request.
            if sectors != 0 {
                self.pages.probe.notify(|observer| observer.page_begins(now, id, lpa, sectors, kind));
            }
            self.ftl.begin_page(&mut self.pages, (id, &self.requests[id]), lpa, sectors, now);
            self.carry_out(now);
        }
        self.ftl.send_gathered(&mut self.pages.transactions);
        self.carry_out(now);
        self.close_batch(now);
        self.scheduler.touch_all_if_noticed();
        self.offer_paths(now);
    }

    fn begin_trim(&mut self, id: RequestId, now: Time) {
        if self.ftl.zones_of(self.requests[id].lba).is_some() {
            // A deallocation is a hint: a zone is emptied by a reset.
            return self.finish(id, now);
        }
        if self.ftl.begin_trim(id, &mut self.requests[id]) {
            self.continue_trim(id, now);
        }
    }

    #[cold]
    fn continue_trim(&mut self, id: RequestId, now: Time) {
        // One more until all pieces have been looked at, so that the request does not finish meanwhile.
        self.requests[id].outstanding += 1;
        while let Some(piece) = self.ftl.next_piece(id, &mut self.requests[id]) {
            let (pages, request) = (&mut self.pages, &mut self.requests[id]);
            if self.ftl.look_up_piece(pages, (id, request), &piece, now) {
                self.trim_pages(id, piece, now);
            }
            self.carry_out(now);
            self.offer_paths(now);
        }
        let request = &mut self.requests[id];
        request.outstanding -= 1;
        if request.outstanding == 0 {
            // Its pieces have kept the mapping table busy.
            self.requests.charge(&mut self.pages, id, Cause::MappingMiss, now);
            self.finish(id, now);
        }
        self.room_after_trim(now);
        self.offer_paths(now);
    }

    fn go_on_with_trims(&mut self, now: Time) {
        while let Some((piece, id, pages)) = self.ftl.next_ready_piece(&self.pages) {
            self.trim_pages(id, pages, now);
            self.page_finished(piece, now);
            self.room_after_trim(now);
        }
        while let Some(id) = self.ftl.next_trim() {
            self.continue_trim(id, now);
        }
    }

    fn trim_pages(&mut self, id: RequestId, pages: Range<u64>, now: Time) {
        let mut next = pages.start;
        let mut looked_at = next;
        while next < pages.end {
            if next == looked_at && !self.has_cached_pages() && self.pages.probe.observer().is_none() {
                next = self.ftl.trim_unwritten(next..pages.end);
                // The rest of a group in which something was written is looked at page by page.
                looked_at = next.saturating_add(1).next_multiple_of(64);
                continue;
            }
            self.pages.probe.notify(|observer| observer.page_begins(now, id, next, u64::MAX, Kind::Trim));
            self.trim_cached(id, next, now);
            let (pages, request) = (&mut self.pages, &mut self.requests[id]);
            self.ftl.trim_page(pages, (id, request), next, now);
            self.carry_out(now);
            next += 1;
        }
        self.ftl.write_due(&mut self.pages, now);
        self.carry_out(now);
    }

    #[inline(never)]
    pub(super) fn page_finished(&mut self, page: TransactionId, now: Time) {
        let t = &self.pages.transactions[page];
        let (id, origin, path_conflict) = (t.request, t.origin, t.is(Flag::PathConflict));
        let (is_piece, lost) = (origin == Origin::Trim && t.sectors > 0, t.charges.path_conflict());
        let request = &mut self.requests[id];
        request.path_conflict |= path_conflict;
        request.lost += lost;
        request.outstanding -= 1;
        let (flow, is_last) = (request.flow, request.outstanding == 0);
        if is_last {
            self.requests.close_account(&mut self.pages, id, page, now);
        }
        if origin != Origin::Cached && !is_piece {
            self.requests.statistics.count_page(flow, path_conflict, lost);
        }
        if !is_last {
            self.pages.remove_page(page);
            return self.note_unbegun(id);
        }
        if self.pages.interference.is_tracked() && self.requests.statistics.is_warm() {
            self.pages.interference.count(usize::from(flow), page);
        }
        self.host_at(now).finish(id);
    }

    #[inline(never)]
    pub(super) fn finish(&mut self, id: RequestId, now: Time) {
        self.host_at(now).finish(id);
    }

    /// Carries out what the FTL told, and what follows from it: depth first.
    #[inline]
    pub(super) fn carry_out(&mut self, now: Time) {
        while self.ftl.outcomes().are_new() {
            // Most often there is one, and all it says is to queue a page.
            match self.ftl.outcomes().take_only() {
                Some(Outcome::Issue(id)) => self.issue(id, now),
                Some(outcome) => self.carry_out_one(outcome, now),
                None => self.carry_out_several(now),
            }
        }
    }

    #[inline(never)]
    fn carry_out_several(&mut self, now: Time) {
        let outer = self.ftl.outcomes().begin();
        while let Some(outcome) = self.ftl.outcomes().next(outer) {
            self.carry_out_one(outcome, now);
        }
        self.ftl.outcomes().end(outer);
    }

    #[inline(never)]
    fn carry_out_one(&mut self, outcome: Outcome, now: Time) {
        match outcome {
            Outcome::Issue(id) => self.issue(id, now),
            Outcome::IssueFirst(id) => self.issue_first(id, now),
            Outcome::Outbound(id) => self.send_out(id, now),
            Outcome::PageDone(id) => self.page_finished(id, now),
            Outcome::Located(id) => self.operand_located(id, now),
            Outcome::Destaged(id) => self.destage_landed(id, now),
            Outcome::DestageLost(id) => self.destage_lost(id, now),
            Outcome::DestageOutOfReach(id) => self.events.push(now, Event::DestageOutOfReach(id)),
            Outcome::StartSuccessor(id) => self.ftl.start_successor(&mut self.pages, id, now),
            Outcome::Translated(id) => self.ftl.translated(&mut self.pages, id, now),
            Outcome::MappingRead(lpa) => {
                self.ftl.end_translation_read(&mut self.pages, lpa, now);
                self.scheduler.touch_all_if_noticed();
                self.end_batch(now);
            }
            Outcome::SeatStalled(table) => self.ftl.seat_stalled(&mut self.pages, table, now),
            Outcome::TrimsGoOn => self.refills.push(RequestId::NONE),
            Outcome::LunChanged(lun) => self.refresh(lun),
            Outcome::Rebuild(id) => self.rebuild(id, now),
            Outcome::OutOfReach(id) => self.page_is_out_of_reach(id, now),
            Outcome::RequestFails(id) => self.requests[id].status = Status::Failed,
            Outcome::RequestOutOfReach(id) => self.ftl.lost.note_request(&mut self.requests[id]),
            Outcome::RegisterFreed(chip) => {
                if let Some(registers) = self.paths.fabric.registers_mut() {
                    registers.release(chip);
                }
            }
        }
    }

    /// Cached writes come from the cache's DRAM.
    fn send_out(&mut self, id: TransactionId, now: Time) {
        let t = &self.pages.transactions[id];
        if t.origin == Origin::Destage && t.state.stage < FROM_CACHE {
            self.read_destaged(id, now);
        } else {
            self.pass_stages(id, now);
        }
    }

    #[inline(always)]
    pub(super) fn pass_stages(&mut self, id: TransactionId, now: Time) {
        let t = &self.pages.transactions[id];
        if t.is_any(Flag::EccFailed, Flag::Computes) && self.leaves_stages(id, now) {
            return;
        }
        let t = &self.pages.transactions[id];
        let inbound = t.operation == Operation::Read;
        if self.controller.takes_time() {
            let page = Passing {
                inbound,
                sent_on: t.is(Flag::Computes) && self.is_sent_on(t),
                stage: t.state.stage,
                channel: self.layout.channel_of_plane(t.ppa.plane),
                bytes: bytes_of(id, &self.pages.transactions),
                outer: matches!(self.pages.rare(id).outer, Outer::Decoded(_)),
            };
            if let Some((stage, _, time)) = self.controller.pass(page, now) {
                self.pages.transactions[id].state.stage = stage;
                return self.events.push(time, Event::StageDone(id));
            }
        }
        if inbound {
            return self.read_arrived(id, now);
        }
        let mut group = FlashPageGroup::of(id);
        while let Some(id) = group.part(&mut self.pages.transactions) {
            self.ftl.lines_up(&mut self.pages, id);
            if self.ftl.zones_at(self.pages.transactions[id].lpa).is_some() {
                self.ftl.queue_row(&mut self.pages, id, now);
                self.carry_out(now);
            } else {
                self.issue(id, now);
            }
        }
    }

    #[inline(never)]
    pub(super) fn stage_done(&mut self, id: TransactionId, now: Time) {
        let t = &self.pages.transactions[id];
        let cause = stage_cause(t.operation == Operation::Read, t.state.stage);
        let mut group = FlashPageGroup::of(id);
        while let Some(id) = group.next(&self.pages.transactions) {
            self.pages.charge_page(id, cause, now);
            let t = &mut self.pages.transactions[id];
            t.state.stage += 1;
            if !t.is(Flag::EccFailed) {
                // Behind the ECC engine all is as without retries.
                t.set(Flag::Retrying, false);
                self.pages.leave_outer_codewords(id);
            }
        }
        if cause == Cause::Ecc && self.controller.takes_turns() {
            self.turn_is_over(self.pages.transactions[id].ppa.plane);
        }
        self.pass_stages(id, now);
    }

    #[inline(always)]
    pub(super) fn read_arrived(&mut self, id: TransactionId, now: Time) {
        if self.ftl.parity.is_awaited(id) {
            return self.rebuild(id, now);
        }
        let origin = self.pages.transactions[id].origin;
        if origin == Origin::User {
            return self.page_finished(id, now);
        }
        match (origin, self.pages.transactions[id].old_page()) {
            (Origin::OldPage | Origin::Mapping, OldPage::For(write)) => self.old_page_read(id, write, now),
            (Origin::Rebuild, _) => self.rebuild_with(id, now),
            (Origin::Operand, _) => self.operand_arrived(id, now),
            (Origin::Gc, _) => {
                self.ftl.copy_read(&mut self.pages, id);
                self.carry_out(now);
            }
            (Origin::Mapping, _) => {
                self.ftl.translation_read(&mut self.pages, id);
                self.carry_out(now);
            }
            _ => self.page_finished(id, now),
        }
    }

    #[cold]
    fn rebuild(&mut self, id: TransactionId, now: Time) {
        let waits = self.ftl.begin_rebuild(&mut self.pages, id, now);
        self.carry_out(now);
        if !waits {
            self.rebuilt(id, now);
        }
    }

    #[cold]
    fn rebuild_with(&mut self, id: TransactionId, now: Time) {
        if let Some(read) = self.ftl.parity.rebuilds_with(&mut self.pages, id) {
            self.rebuilt(read, now);
        }
    }

    fn rebuilt(&mut self, read: TransactionId, now: Time) {
        if self.ftl.end_rebuild(&mut self.pages, &mut self.requests, read, now) {
            self.note_legible(read, now);
        }
        self.read_arrived(read, now);
    }

    fn old_page_read(&mut self, read: TransactionId, write: TransactionId, now: Time) {
        if self.pages.transactions[read].origin == Origin::Mapping {
            self.ftl.merge_read_ended();
        }
        let is_lost = self.ftl.old_page_is_lost(&self.pages.transactions[read]);
        self.pages.remove_awaited(read, Ended::OldPage);
        self.pages.transactions[write].old_page_is_there(is_lost);
        self.ftl.leave_lost_plane(&self.pages.transactions[write]);
        self.pages.charge_page_for(write, Ended::OldPage, Cause::ReadModifyWrite, now);
        let plane = self.pages.transactions[write].ppa.plane;
        if plane.is_some() {
            self.ftl.note_come(&self.pages.transactions[write]);
            let lun = self.layout.lun_of(plane);
            self.mark_wait(write, lun, now);
            self.refresh(lun);
        }
    }

    pub(super) fn read_again(&mut self, id: TransactionId, now: Time) {
        if self.pages.transactions[id].is(Flag::Computes) {
            self.operand_reads_again(id, now);
        }
        let t = &mut self.pages.transactions[id];
        t.set(Flag::EccFailed, false);
        t.set(Flag::Retrying, true);
        t.state.stage = 0;
        self.flash.reads_again(id, &mut self.pages);
        self.ftl.room.count_in(&self.pages.transactions[id]);
        self.issue_first(id, now);
    }
}
