//! Transfers cross the fabric; their paths are given back, or held for the data that follow.

use super::{Event, Route, fabric_events};
use crate::engine::features::Features;
use crate::engine::time::Time;
use crate::fabric::paths::{Carried, Payload};
use crate::fabric::{Fabric, PathId, TransferDone};
use crate::flash::Decoded;
use crate::flash::address::LunId;
use crate::flash::interface::Operation;
use crate::flash::suspend::Phase;
use crate::measure::blame::Cause;
use crate::measure::probe::{Owner, Probe};
use crate::scheduler::flash_page_group::FlashPageGroup;
use crate::scheduler::transaction::{Origin, TransactionId};

impl<F: Fabric, P: Probe, X: Features> Route<'_, F, P, X> {
    /// Something the fabric scheduled happens.
    #[inline(always)]
    pub(super) fn fabric_event(&mut self, event: F::Event, now: Time) {
        let events = &mut self.events;
        let outcome = self.paths.fabric.handle(event, now, fabric_events!(events));
        self.watch_wires();
        if let Some(domain) = outcome.freed {
            self.scheduler.touch(domain);
        }
        if let Some(crossed) = outcome.crossed {
            self.transfer_done(crossed, now);
        }
    }

    /// A transfer has crossed: its path is free for the next, unless it is held until the array is done.
    #[inline(always)]
    fn transfer_done(&mut self, crossed: TransferDone, now: Time) {
        let path = crossed.path;
        let Carried { payload, transfer } = self.paths.done(path);
        self.flash.array.port_used(transfer.chip, transfer.time());
        if P::WATCHES_WIRES {
            let owner = self.owner_of(payload);
            self.work.probe.port_used(transfer.chip, owner, transfer.command, transfer.data, now);
        }
        match payload {
            Payload::Command(lun) => {
                self.command_crossed(lun, &crossed, now);
                if !self.paths.hold(lun, path) {
                    self.next_on_path(lun, path, now);
                }
            }
            Payload::Data(id) => {
                let lun = self.data_crossed(id, &crossed, now);
                self.next_on_path(lun, path, now);
            }
            Payload::Copy(id) => {
                self.copy_crossed(id, now);
                self.release(path, now);
            }
        }
    }

    /// Sends what else the LUN has for its held path, or gives the path back.
    #[inline(always)]
    fn next_on_path(&mut self, lun: LunId, path: PathId, now: Time) {
        match self.paths.next_page(lun) {
            Some(id) => {
                self.paths.hold(lun, path);
                self.send_data(id, now);
            }
            None => self.give_back(lun, path, now),
        }
    }

    /// A LUN's command has crossed: its array begins.
    #[inline(always)]
    fn command_crossed(&mut self, lun: LunId, crossed: &TransferDone, now: Time) {
        let command = self.flash.command(lun);
        let with_data = command.operation == Operation::Program;
        for &first in command.transactions() {
            let mut group = FlashPageGroup::<X>::of(first);
            while let Some(id) = group.next(&self.work.transactions) {
                self.work.charge_crossing(id, crossed, now);
                if with_data {
                    let wires = self.paths.fabric.command_time(command.operation, command.transactions().len());
                    self.work.charge_page_up_to(id, Cause::CommandTransfer, wires, now);
                    self.work.charge_page(id, Cause::DataTransfer, now);
                } else {
                    self.work.charge_page(id, Cause::CommandTransfer, now);
                }
            }
        }
        let ends = self.flash.work(lun, &mut self.work, now);
        if X::SUSPENSION && self.flash.phase(lun) == Phase::Working {
            self.refresh(lun);
        }
        self.events.push(ends, Event::ArrayDone(lun));
    }

    /// Read data have left their chip. Returns their LUN.
    #[inline(always)]
    fn data_crossed(&mut self, first: TransactionId, crossed: &TransferDone, now: Time) -> LunId {
        let mut group = FlashPageGroup::<X>::of(first);
        while let Some(id) = group.next(&self.work.transactions) {
            self.work.charge_crossing(id, crossed, now);
            self.work.charge_page(id, Cause::DataTransfer, now);
        }
        let lun = self.layout.lun_of(self.work.transactions[first].ppa.plane);
        self.flash.drain_register(first, lun, &mut self.work, now);
        let mut group = FlashPageGroup::<X>::of(first);
        while let Some(id) = group.part(&mut self.work.transactions) {
            self.ftl.count_out(lun);
            self.page_read(id, now);
        }
        self.settle_suspension(lun, now);
        self.refresh(lun);
        lun
    }

    /// A page's data have left the chip: whether they can be corrected shows behind the ECC engine.
    #[inline(always)]
    fn page_read(&mut self, id: TransactionId, now: Time) {
        match self.flash.decode(id, self.ftl.wear(), &self.work, now) {
            Decoded::Legible => {
                let t = &self.work.transactions[id];
                match t.origin {
                    Origin::User => {
                        self.work.probe.page_read(now, t.request, t.lpa, t.sectors, t.ppa);
                        self.keep_read(id, now);
                    }
                    Origin::Mapping => self.work.probe.translation_read(now, t.lpa, t.ppa),
                    Origin::OldPage | Origin::Gc | Origin::Trim | Origin::Cached | Origin::Destage => {}
                }
            }
            // A page that the ECC engine cannot correct is read again once the engine is done with it.
            Decoded::ReadAgain if !self.controller.has_ecc() => return self.read_again(id, now),
            Decoded::ReadAgain => {
                self.work.transactions[id].ecc_failed = true;
                return self.pass_stages(id, now);
            }
            Decoded::Lost => self.ftl.read_failed(&mut self.work, id, now),
        }
        self.ftl.end_read_of(self.work.transactions[id].ppa);
        if X::FAILURES && !self.controller.has_ecc() {
            self.work.transactions[id].retrying = false;
        }
        self.pass_stages(id, now);
    }

    /// Gives back the path that the LUN holds, if it does.
    #[inline]
    pub(super) fn release_held(&mut self, lun: LunId, now: Time) {
        if let Some(path) = self.paths.take_held(lun) {
            self.give_back(lun, path, now);
        }
    }

    /// Gives back a path that the LUN may have held.
    #[inline(always)]
    fn give_back(&mut self, lun: LunId, path: PathId, now: Time) {
        if self.paths.let_go(lun) {
            self.refresh(lun);
        }
        self.release(path, now);
    }

    #[inline(always)]
    fn release(&mut self, path: PathId, now: Time) {
        let events = &mut self.events;
        let domain = self.paths.release(path, now, fabric_events!(events));
        self.watch_wires();
        self.scheduler.touch(domain);
    }

    /// Passes what the fabric has traced on to the watcher.
    #[inline]
    pub(super) fn watch_wires(&mut self) {
        if P::WATCHES_WIRES {
            let spans: Vec<_> = self.paths.fabric.trace().drain().collect();
            for span in spans {
                let owner = self.owner_of(self.paths.carried(span.path).payload);
                self.work.probe.wire_used(&span, owner);
            }
        }
    }

    /// Whom a transfer is for: of several pages of one command the first.
    fn owner_of(&self, payload: Payload) -> Owner {
        match payload {
            Payload::Command(lun) => self.work.owner(self.flash.command(lun).transactions()[0]),
            Payload::Data(id) | Payload::Copy(id) => self.work.owner(id),
        }
    }
}
