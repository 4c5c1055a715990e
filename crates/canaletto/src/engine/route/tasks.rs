//! Tasks: pages are read like others; their data end at a unit that computes.
//!
//! ```text
//! register ──> unit of the chip ──> result            scan and reduce in a chip
//! register ──> controller ──> chip ──> result         gather in a chip: through its controller, or from chip to chip
//! register ──> ECC ──> bus ──> DRAM ──> bus ──> there gather in another channel, or in a chip of it
//! register ──> ECC ──> unit of the channel ──> DRAM   in a channel
//! register ──> ECC ──> bus ──> DRAM ──> processors    in the drive
//! ```

use super::{Event, Route, fabric_events};
use crate::compute::{Compute, Located, Waiting, Way, Work};
use crate::config::compute::At;
use crate::engine::time::Time;
use crate::fabric::paths::{Paths, Payload};
use crate::fabric::{Direction, Fabric, Transfer, TransferDone};
use crate::flash::address::{LunId, PlaneId, SECTOR};
use crate::flash::interface::Operation;
use crate::host::request::{Kind, RequestId, Status};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::Midway;
use crate::scheduler::flash_page_group::{FlashPageGroup, bytes_of};
use crate::scheduler::transaction::{Flag, Origin, Transaction, TransactionId, stage};

impl<F: Fabric, P: Probe> Route<F, P> {
    #[cold]
    pub(super) fn begin_task(&mut self, id: RequestId, now: Time) {
        let (flow, lba) = (self.requests[id].flow, self.requests[id].lba);
        let Some(compute) = self.compute.as_mut().filter(|compute| compute.has_tasks(flow)) else {
            return self.refuse(id, Status::InvalidField, now);
        };
        let (operands, at_host) = (compute.operands(flow, lba), compute.at(flow) == At::Host);
        let pages: Vec<(u64, u64)> = match operands.is_empty() {
            true => self.ftl.spaces.pages(&self.requests[id]).collect(),
            false => operands.iter().map(|&lba| (self.ftl.spaces.page_of(flow, lba), self.ftl.whole_page())).collect(),
        };
        let sectors: u64 = pages.iter().map(|(_, sectors)| u64::from(sectors.count_ones())).sum();
        let bytes = sectors * SECTOR;
        self.requests[id].outstanding = pages.len() as u32;
        self.requests[id].held = compute.begin(id, flow, pages.len() as u32, bytes).min(u64::from(u32::MAX)) as u32;
        for (lpa, sectors) in pages {
            self.pages.probe.notify(|observer| observer.page_begins(now, id, lpa, sectors, Kind::Read));
            let (pages, request) = (&mut self.pages, (id, &self.requests[id]));
            let page = self.ftl.new_operand(pages, request, (lpa, sectors), !at_host, now);
            if !self.awaits_landing(page, lpa, now) {
                self.ftl.begin_located(&mut self.pages, page, now);
                self.carry_out(now);
            }
        }
        self.scheduler.touch_all_if_noticed();
        self.offer_paths(now);
    }

    fn task_unit(&mut self) -> &mut Compute {
        self.compute.as_mut().expect("there are operands only with tasks")
    }

    #[cold]
    pub(super) fn operand_located(&mut self, id: TransactionId, now: Time) {
        let page = self.pages.transactions[id];
        let located = self.task_unit().located(id, &page);
        match (located, page.ppa.is_some()) {
            (Located::Issue, true) => return self.issue(id, now),
            (Located::Planned, _) => self.plan_task(page.request, page.flow, now),
            _ => {}
        }
        if !page.ppa.is_some() {
            // It holds nothing.
            self.pages.transactions[id].set(Flag::Computes, false);
            self.page_finished(id, now);
        }
    }

    fn plan_task(&mut self, request: RequestId, flow: u16, now: Time) {
        let ids = self.task_unit().pages(request);
        let planes: Vec<_> = ids.iter().map(|&id| self.pages.transactions[id].ppa.plane).collect();
        let has_room = self.task_unit().choose_place(request, flow, &planes);
        self.task_unit().keep_pages(request, ids);
        if has_room {
            self.issue_task(request, now);
        }
    }

    fn issue_task(&mut self, request: RequestId, now: Time) {
        let mut ids = self.task_unit().pages(request);
        ids.iter().for_each(|&id| self.pages.charge_page(id, Cause::Compute, now));
        if let Some(&first) = ids.first() {
            let flow = self.pages.transactions[first].flow;
            if self.task_unit().at(flow) == At::Array {
                ids = self.sense_together(&ids, now);
            }
        }
        for id in ids {
            let page = self.pages.transactions[id];
            if let Some(to) = self.task_unit().goes_to(&page) {
                let chips = (self.layout.chip_of_plane(page.ppa.plane), self.layout.chip_of_plane(to));
                let may = self.task_unit().may_go_directly && self.paths.may_copy_directly(0);
                let direct = may && self.paths.fabric.can_copy(chips.0, chips.1);
                self.pages.transactions[id].set(Flag::Direct, direct);
                self.pages.transactions[id].goes_to(to);
            }
            self.issue(id, now);
        }
    }

    /// As if the operands were one flash page. Returns the first of each.
    fn sense_together(&mut self, ids: &[TransactionId], now: Time) -> Vec<TransactionId> {
        let pages: Vec<_> = ids.iter().map(|&id| self.pages.transactions[id]).collect();
        let sets = self.task_unit().sensed_together(&pages);
        for set in &sets {
            let lun = self.layout.lun_of(pages[set[0]].ppa.plane);
            for pair in set.windows(2) {
                let (before, id) = (ids[pair[0]], ids[pair[1]]);
                self.pages.transactions[before].next_in_flash_page = id;
                // The first one stands for the page that is in the register.
                self.pages.transactions[id].bytes = 0;
                self.mark_wait(id, lun, now);
            }
        }
        sets.iter().map(|set| ids[set[0]]).collect()
    }

    #[cold]
    pub(super) fn operand_read(&mut self, id: TransactionId, now: Time) -> bool {
        let page = self.pages.transactions[id];
        let bytes = bytes_of(id, &self.pages.transactions);
        match self.task_unit().takes_page(id, &page, bytes, now) {
            Way::Out => return true,
            Way::Wait => {}
            Way::Here(work) => {
                self.pages.transactions[id].state.stage = stage::REGISTER;
                self.unit_works(id, &work);
            }
        }
        false
    }

    fn unit_works(&mut self, id: TransactionId, work: &Work) {
        let owner = self.pages.owner(id);
        self.pages.probe.notify(|observer| observer.unit_works(work.unit, owner, work.from, work.until));
        self.events.push(work.ready, Event::Computed(id));
    }

    /// To a channel that is not its own.
    #[cold]
    pub(super) fn is_sent_on(&self, page: &Transaction) -> bool {
        self.compute.as_ref().is_some_and(|compute| compute.at(page.flow) != At::Drive)
    }

    #[cold]
    pub(super) fn leaves_stages(&mut self, id: TransactionId, now: Time) -> bool {
        let t = self.pages.transactions[id];
        if t.is(Flag::EccFailed) && t.state.stage > 0 {
            self.read_again(id, now);
            return true;
        }
        let is_decoded = t.state.stage > 0 || !self.controller.has_ecc();
        let stops = t.is(Flag::Computes) && is_decoded && self.task_unit().stops_at_channel(&t);
        if stops {
            self.operand_arrived(id, now);
        }
        stops
    }

    #[cold]
    pub(super) fn operand_arrived(&mut self, id: TransactionId, now: Time) {
        let page = self.pages.transactions[id];
        if !page.is(Flag::Computes) {
            return self.page_finished(id, now);
        }
        self.task_unit().count(page.flow, |counts| counts.out_bytes += u64::from(page.bytes));
        if page.bytes > 0 && self.task_unit().goes_to(&page).is_some() {
            let lun = self.task_unit().lun_of(&page);
            self.pages.transactions[id].state.stage = stage::FORWARDED;
            return self.line_up_midway(lun, Midway::Operand(id));
        }
        self.operand_is_there(id, now);
    }

    fn operand_is_there(&mut self, id: TransactionId, now: Time) {
        let page = self.pages.transactions[id];
        match self.task_unit().arrived(&page, now) {
            Some(work) => {
                let is_at_channel = self.task_unit().at(page.flow) == At::Channel;
                self.pages.transactions[id].state.stage = match self.task_unit().goes_to(&page) {
                    Some(_) => stage::COMBINED,
                    // The result leaves the channel, wherever the last operand came from.
                    None if is_at_channel => 1,
                    None => page.state.stage.max(1),
                };
                self.unit_works(id, &work);
            }
            None => self.page_finished(id, now),
        }
    }

    #[inline(never)]
    pub(super) fn computed(&mut self, id: TransactionId, now: Time) {
        self.pages.charge_flash_pages(&[id], Cause::Compute, now);
        let page = self.pages.transactions[id];
        let is_in_chip = page.state.stage >= stage::REGISTER;
        if page.state.stage == stage::REGISTER {
            self.leave_register(id, now);
            if self.task_unit().goes_to(&page).is_some() {
                return self.operands_are_there(id, now);
            }
        }
        let (bytes, unit) = self.task_unit().done(&page);
        let t = &mut self.pages.transactions[id];
        t.set(Flag::Computes, false);
        t.bytes = bytes;
        if bytes == 0 {
            self.page_finished(id, now);
        } else if is_in_chip {
            let lun = self.task_unit().lun_of(&page);
            self.line_up_midway(lun, Midway::Operand(id));
        } else {
            self.pass_stages(id, now);
        }
        self.use_room(unit, now);
        self.offer_paths(now);
    }

    fn operands_are_there(&mut self, first: TransactionId, now: Time) {
        let mut group = FlashPageGroup::of(first);
        while let Some(id) = group.part(&mut self.pages.transactions) {
            self.operand_is_there(id, now);
        }
    }

    fn leave_register(&mut self, id: TransactionId, now: Time) {
        let plane = self.pages.transactions[id].ppa.plane;
        let lun = self.layout.lun_of(plane);
        self.task_unit().leaves_register(lun);
        self.pages.probe.notify(|observer| observer.register_computed(plane, now));
        self.flash.drain_register(id, lun, &mut self.pages, now);
        if self.flash.cache_reads.is_on() {
            self.move_up(lun, plane, now);
        }
        let mut group = FlashPageGroup::of(id);
        while let Some(id) = group.next(&self.pages.transactions) {
            self.ftl.room.count_out(lun);
            self.operand_sensed(id, now);
        }
        self.settle_suspension(lun, now);
        self.refresh_and_offer(lun, true);
    }

    fn operand_sensed(&mut self, id: TransactionId, now: Time) {
        let t = self.pages.transactions[id];
        if self.ftl.is_out_of_reach(t.ppa.plane) {
            self.ftl.read_failed(&mut self.pages, &mut self.requests, id, now);
        } else {
            self.pages.probe.notify(|observer| observer.page_read(now, t.request, t.lpa, t.sectors, t.ppa));
        }
        self.ftl.end_read_of(t.ppa);
    }

    /// Its room is there for others meanwhile.
    #[cold]
    pub(super) fn operand_reads_again(&mut self, id: TransactionId, now: Time) {
        let page = self.pages.transactions[id];
        let unit = self.task_unit().reads_again(&page);
        unit.into_iter().for_each(|unit| self.use_room(unit, now));
    }

    fn use_room(&mut self, unit: usize, now: Time) {
        while let Some(next) = self.task_unit().next_waiting(unit) {
            match next {
                Waiting::Task(request) => self.issue_task(request, now),
                Waiting::Page(id) => {
                    self.pages.charge_page(id, Cause::Compute, now);
                    let lun = self.layout.lun_of(self.pages.transactions[id].ppa.plane);
                    self.task_unit().leaves_register(lun);
                    self.scheduler.line_up_data(id, Origin::Operand, lun);
                    self.refresh_and_offer(lun, true);
                }
            }
        }
    }

    pub(super) fn way_of_operand(&self, id: TransactionId) -> Direction {
        if self.pages.transactions[id].is(Flag::Computes) { Direction::ToChip } else { Direction::FromChip }
    }

    pub(super) fn send_operand(&mut self, lun: LunId, id: TransactionId, now: Time) {
        let (chip, direction) = (self.layout.chip_of(lun), self.way_of_operand(id));
        let (bytes, fabric) = (u64::from(self.pages.transactions[id].bytes), &self.paths.fabric);
        let (command, data) = match direction {
            Direction::ToChip => {
                (fabric.command_time(Operation::Program, 1), fabric.data_time(Operation::Program, bytes))
            }
            Direction::FromChip => (fabric.column_time(), fabric.data_time(Operation::Read, bytes)),
        };
        let port_free_at = fabric.port_free_at(chip, direction);
        self.charge_path_wait(id, port_free_at, now);
        let transfer = Transfer { chip, direction, command, data };
        let events = &mut self.events;
        let path = self.paths.start(transfer, Payload::Operand(lun, id), now, fabric_events!(events));
        self.watch_transfer(path, now);
    }

    #[cold]
    pub(super) fn operand_crossed(&mut self, id: TransactionId, lun: LunId, crossed: TransferDone, now: Time) {
        self.pages.charge_crossing(id, &crossed, now);
        let bytes = u64::from(self.pages.transactions[id].bytes);
        let flow = self.pages.transactions[id].flow;
        let direction = self.way_of_operand(id);
        if Paths::<F>::is_nowhere(crossed.path) {
            let request = self.pages.transactions[id].request;
            self.ftl.lost.note_request(&mut self.requests[request]);
        }
        self.release(crossed.path, now);
        if direction == Direction::ToChip {
            self.pages.charge_page(id, Cause::OperandTransfer, now);
            self.task_unit().count(flow, |counts| counts.in_bytes += bytes);
            return self.operand_is_there(id, now);
        }
        self.pages.charge_page(id, Cause::DataTransfer, now);
        self.task_unit().count(flow, |counts| counts.result_bytes += bytes);
        let t = &mut self.pages.transactions[id];
        t.ppa.plane = PlaneId(lun.0 * self.layout.planes_per_lun);
        t.state.stage = 0;
        self.pass_stages(id, now);
    }

    #[cold]
    pub(super) fn operand_copied(&mut self, id: TransactionId, now: Time) {
        let (flow, bytes) = (self.pages.transactions[id].flow, u64::from(self.pages.transactions[id].bytes));
        self.pages.charge_flash_pages(&[id], Cause::OperandTransfer, now);
        self.task_unit().count(flow, |counts| counts.direct_bytes += bytes);
        self.pages.transactions[id].set(Flag::Direct, false);
        let lun = self.layout.lun_of(self.pages.transactions[id].ppa.plane);
        let mut group = FlashPageGroup::of(id);
        while let Some(id) = group.next(&self.pages.transactions) {
            self.ftl.room.count_out(lun);
            self.operand_sensed(id, now);
        }
        self.operands_are_there(id, now);
    }
}
