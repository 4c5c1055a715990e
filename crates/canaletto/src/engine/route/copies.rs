//! Copyback within a plane, and copies from chip to chip.

use super::{Event, Route, fabric_events};
use crate::engine::time::Time;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::paths::Payload;
use crate::fabric::{Direction, Fabric, Transfer};
use crate::flash::address::LunId;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Flag, TransactionId, stage};

impl<F: Fabric, P: Probe> Route<F, P> {
    /// Returns the first page. If only a part is valid, it goes through the controller.
    pub(super) fn bind_copyback(&mut self, first: TransactionId, lun: LunId, now: Time) -> Option<TransactionId> {
        let plane = self.pages.transactions[first].ppa.plane;
        let owner = self.pages.owner(first);
        let left = self.ftl.copies_left(&mut self.pages, first, lun);
        self.carry_out(now);
        let Some((left, valid)) = left else {
            self.flash.array.use_register(lun, 1 << self.layout.plane_in_lun(plane));
            self.pages.probe.notify(|observer| observer.register_drained(plane, owner, now));
            return None;
        };
        if self.ftl.bind_copyback(&mut self.pages, left, valid, now) {
            return Some(left);
        }
        self.scheduler.line_up_data(left, self.pages.transactions[left].origin, lun);
        None
    }

    pub(super) fn send_copyback(&mut self, lun: LunId, now: Time) {
        let page = |id| self.layout.flash_page(self.pages.transactions[id].ppa);
        let queues = &self.scheduler.queues;
        let command = self.flash.copybacks.take(lun, |first, id| queues.pages_share_command(page(first), page(id)));
        let mut planes = 0;
        for &id in command.transactions() {
            let plane = self.pages.transactions[id].ppa.plane;
            planes |= 1 << self.layout.plane_in_lun(plane);
            let owner = self.pages.owner(id);
            self.pages.probe.notify(|observer| observer.register_drained(plane, owner, now));
        }
        let chip = self.layout.chip_of(lun);
        let port_free_at = self.paths.fabric.port_free_at(chip, Direction::ToChip);
        command.transactions().iter().for_each(|&first| self.charge_path_wait(first, port_free_at, now));
        self.tell_sent(lun, port_free_at, now);
        let charge = self.flash.charge_of(&command, &self.pages);
        self.flash.array.use_register(lun, planes);
        self.flash.array.go_on(lun, command, charge, now);
        let wires = self.paths.fabric.copyback_time(command.transactions().len());
        let transfer = Transfer { chip, direction: Direction::ToChip, command: wires, data: Time::ZERO };
        let events = &mut self.events;
        let path = self.paths.start(transfer, Payload::Command(lun), now, fabric_events!(events));
        self.watch_transfer(path, now);
    }

    pub(super) fn send_to_chip(&mut self, id: TransactionId, now: Time) {
        let t = self.pages.transactions[id];
        let chips = (self.layout.chip_of_plane(t.ppa.plane), self.layout.chip_of_plane(t.to()));
        let bytes = u64::from(t.bytes);
        if t.is(Flag::Computes) {
            self.pages.transactions[id].state.stage = stage::FORWARDED;
            self.charge_path_wait(id, Time::ZERO, now);
        }
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.charge_page(id, Cause::PathConflict, now);
            self.pages.root_causes.data_sent(self.layout.lun_of(t.ppa.plane), Time::ZERO, now);
        }
        let events = &mut self.events;
        let path = self.paths.start_copy(chips, id, bytes, now, fabric_events!(events));
        self.watch_transfer(path, now);
    }

    pub(super) fn copy_crossed(&mut self, id: TransactionId, now: Time) {
        let lun = self.layout.lun_of(self.pages.transactions[id].ppa.plane);
        self.flash.drain_register(id, lun, &mut self.pages, now);
        if self.flash.cache_reads.is_on() {
            self.move_up(lun, self.pages.transactions[id].ppa.plane, now);
        }
        if self.pages.transactions[id].is(Flag::Computes) {
            self.operand_copied(id, now);
            return self.refresh(lun);
        }
        self.ftl.room.count_out(lun);
        if self.ftl.copy_crossed(&mut self.pages, id) {
            match self.paths.fabric.registers().map_or(Time::ZERO, PageRegisters::check_time) {
                Time::ZERO => self.ftl.program_copy(&mut self.pages, id),
                check => self.events.push(now + check, Event::CopyChecked(id)),
            }
        }
        self.carry_out(now);
        self.refresh(lun);
    }

    #[inline(never)]
    pub(super) fn copy_checked(&mut self, id: TransactionId, now: Time) {
        if self.pages.probe.follows_waits() {
            self.pages.root_causes.charge_page(id, Cause::Ecc, now);
        }
        let t = self.pages.transactions[id];
        let copies = self.ftl.copies_of(t.ppa);
        if self.flash.finds_errors(&t, copies, &self.ftl.upkeep.wear, now) {
            self.flash.count_retry();
            self.ftl.copy_through_controller(&mut self.pages, id, now);
        } else {
            self.ftl.program_copy(&mut self.pages, id);
        }
        self.carry_out(now);
    }
}
