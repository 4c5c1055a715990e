//! Commands to a LUN at work: status, suspension, resumption.
//!
//! With full sequences (`fabric.sequences`) they take the wires, and a LUN stays busy until the controller knows that
//! its array is done.

use super::{Event, Route, fabric_events};
use crate::engine::time::Time;
use crate::fabric::paths::Payload;
use crate::fabric::{Direction, DomainId, Fabric, PathId, Transfer, TransferDone};
use crate::flash::address::LunId;
use crate::flash::interface::{Control, Operation};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::Midway;
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::Flag;

impl<F: Fabric, P: Probe> Route<F, P> {
    /// From the array's shortest time on.
    #[inline(always)]
    pub(super) fn schedule_polls(&mut self, lun: LunId) {
        if !self.flash.statuses.is_empty() {
            self.schedule_first_poll(lun);
        }
    }

    #[inline(never)]
    fn schedule_first_poll(&mut self, lun: LunId) {
        let first = self.flash.first_poll(lun, &self.pages, self.events.now());
        if let Some(time) = first {
            self.events.push(time, Event::Poll(lun));
        }
    }

    #[inline(never)]
    pub(super) fn poll(&mut self, lun: LunId, now: Time) {
        if self.flash.statuses.take_due(lun, now) {
            self.ask_for_status(lun, now);
        }
    }

    #[inline(never)]
    pub(super) fn array_awaits_status(&mut self, lun: LunId, now: Time) {
        let command = *self.flash.command(lun);
        match command.operation {
            Operation::Read => self.pages.charge_flash_pages(command.transactions(), Cause::ArrayRead, now),
            Operation::Program => self.pages.charge_flash_pages(command.transactions(), Cause::ArrayProgram, now),
            Operation::Erase => {}
        }
        if self.flash.statuses.array_done(lun) {
            self.ask_for_status(lun, now);
        }
    }

    fn ask_for_status(&mut self, lun: LunId, now: Time) {
        self.flash.statuses.ask(lun);
        if self.flash.statuses.is_done(lun) {
            let command = *self.flash.command(lun);
            self.pages.charge_flash_pages(command.transactions(), Cause::Status, now);
            self.tell_ended(lun, true, now);
        }
        match self.paths.is_holding(lun) {
            true => self.send_control(lun, Control::Status, now),
            false => self.line_up_midway(lun, Midway::Control(Control::Status)),
        }
    }

    pub(super) fn line_up_midway(&mut self, lun: LunId, what: Midway) {
        let domain = self.scheduler.domain_of(self.flash.lun_of(lun));
        self.scheduler.line_up_midway(domain, lun, what);
        self.scheduler.touch(domain);
    }

    pub(super) fn start_midway(&mut self, domain: DomainId, now: Time) -> bool {
        let (paths, layout, flash, pages) = (&self.paths, &self.layout, &self.flash, &self.pages);
        let is_free = |lun, what| {
            let direction = match what {
                Midway::Control(Control::Status) => paths.fabric.status().0,
                Midway::Control(_) | Midway::Copyback => Direction::ToChip,
                Midway::Operand(id) if pages.transactions[id].is(Flag::Computes) => Direction::ToChip,
                Midway::Operand(_) => Direction::FromChip,
            };
            let chip = layout.chip_of(flash.lun_of(lun));
            let brings_data = matches!((what, direction), (Midway::Operand(_), Direction::ToChip));
            paths.is_free(chip, direction) && (!brings_data || paths.takes_data(chip))
        };
        match self.scheduler.next_midway(domain, is_free) {
            Some((lun, Midway::Operand(id))) => self.send_operand(lun, id, now),
            Some((lun, Midway::Copyback)) => self.send_copyback(lun, now),
            Some((lun, Midway::Control(control))) => self.send_control(lun, control, now),
            None => return false,
        }
        true
    }

    pub(super) fn send_control(&mut self, lun: LunId, control: Control, now: Time) {
        let chip = self.layout.chip_of(self.flash.lun_of(lun));
        let fabric = &self.paths.fabric;
        let (direction, command) = match control {
            Control::Status => fabric.status(),
            Control::Suspend => (Direction::ToChip, fabric.suspend_time(false)),
            Control::Resume => (Direction::ToChip, fabric.suspend_time(true)),
        };
        if control == Control::Status && self.flash.statuses.sets_out(lun) {
            self.charge_wait_for_control(lun, fabric.port_free_at(chip, direction), now);
        }
        let transfer = Transfer { chip, direction, command, data: Time::ZERO };
        let events = &mut self.events;
        let path = self.paths.start_data(lun, transfer, Payload::Control(lun, control), now, fabric_events!(events));
        self.watch_transfer(path, now);
    }

    pub(super) fn charge_wait_for_control(&mut self, lun: LunId, port_free_at: Time, now: Time) {
        let command = *self.flash.command(lun);
        command.transactions().iter().for_each(|&first| self.charge_path_wait(first, port_free_at, now));
        self.tell_sent(lun, port_free_at, now);
    }

    #[inline(never)]
    pub(super) fn control_crossed(&mut self, lun: LunId, control: Control, crossed: TransferDone, now: Time) {
        match control {
            Control::Status => return self.status_crossed(lun, &crossed, now),
            Control::Suspend => self.suspend_crossed(lun, now),
            Control::Resume => {
                let time = self.flash.begin_resumption(lun, &mut self.pages, now);
                self.events.push(time, Event::ArrayDone(lun));
            }
        }
        self.release(crossed.path, now);
        self.refresh(self.flash.lun_of(lun));
    }

    fn status_crossed(&mut self, lun: LunId, crossed: &TransferDone, now: Time) {
        let command = *self.flash.command(lun);
        self.return_path(lun, crossed.path, command.operation, now);
        if let Some(next) = self.flash.statuses.read(lun, now) {
            self.events.push(next, Event::Poll(lun));
            return self.refresh(self.flash.lun_of(lun));
        }
        for &first in command.transactions() {
            let mut group = FlashPageGroup::of(first);
            while let Some(id) = group.next(&self.pages.transactions) {
                self.pages.charge_crossing(id, crossed, now);
                self.pages.charge_page(id, Cause::Status, now);
            }
        }
        if self.flash.statuses.was_done(lun) {
            self.tell_crossed(lun, crossed, now);
        }
        self.command_done(lun, now);
    }

    fn return_path(&mut self, lun: LunId, path: PathId, operation: Operation, now: Time) {
        if !self.paths.is_holding(lun) || !self.paths.hold(lun, path, operation) {
            self.release(path, now);
        }
    }
}
