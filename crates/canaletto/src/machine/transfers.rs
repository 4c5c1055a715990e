//! Transfers on the fabric: started, crossed, their paths given back or held.

use super::{Carried, Event, Machine, Payload};
use crate::fabric::{self, Direction, Fabric, PathId, TransferDone};
use crate::flash::address::UnitId;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::mates::Mates;
use crate::scheduler::transaction::TransactionId;
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    pub(super) fn start_transfer(&mut self, transfer: fabric::Transfer, carries: Payload, now: Time) {
        let events = &mut self.events;
        let path = self.fabric.start(transfer, now, &mut |time, event| events.push(time, Event::Fabric(event)));
        self.carry(path, Carried { what: carries, transfer });
    }

    /// Notes what a path has begun to carry.
    fn carry(&mut self, path: PathId, carried: Carried) {
        if self.carried.len() <= path.index() {
            self.carried.resize(path.index() + 1, carried);
        }
        self.carried[path.index()] = carried;
        self.watch_wires();
    }

    pub(super) fn start_on_held_path(&mut self, path: PathId, transfer: fabric::Transfer, carries: Payload, now: Time) {
        let events = &mut self.events;
        self.carried[path.index()] = Carried { what: carries, transfer };
        self.fabric.start_on_held_path(path, transfer, now, &mut |time, event| events.push(time, Event::Fabric(event)));
        self.watch_wires();
    }

    /// Something the fabric scheduled happens.
    pub(super) fn fabric_event(&mut self, event: F::Event, now: Time) {
        let events = &mut self.events;
        let happened = self.fabric.handle(event, now, &mut |time, event| events.push(time, Event::Fabric(event)));
        self.watch_wires();
        if let Some(domain) = happened.freed {
            self.touch(domain);
        }
        if let Some(crossed) = happened.crossed {
            self.transfer_done(crossed, now);
        }
    }

    fn release(&mut self, path: PathId, now: Time) {
        let events = &mut self.events;
        let domain = self.fabric.release(path, now, &mut |time, event| events.push(time, Event::Fabric(event)));
        self.watch_wires();
        self.touch(domain);
    }

    /// A transfer has crossed: its path is free for the next, unless it is held until the array is done.
    fn transfer_done(&mut self, crossed: TransferDone, now: Time) {
        let path = crossed.path;
        let Carried { what, transfer } = self.carried[path.index()];
        self.array.port_used(transfer.chip, transfer.time());
        self.transfer_time += transfer.time();
        self.probe.port_used(transfer.chip, self.carried_for(what), transfer.command, transfer.data, now);
        let unit = match what {
            Payload::Command(unit) => {
                self.command_crossed(unit, &crossed, now);
                if self.choices.hold_path {
                    self.held.hold(unit, path);
                    return;
                }
                unit
            }
            Payload::Data(id) => {
                let mut mates = Mates::of(id);
                while let Some(id) = mates.next(&self.transactions) {
                    self.charge_crossing(id, &crossed, now);
                    self.charge_page(id, Cause::DataTransfer, now);
                }
                let plane = self.transactions[id].ppa.plane;
                let unit = self.layout.unit_of(plane);
                self.array.drain_register(unit, plane, self.layout.plane_in_unit(plane), now);
                self.probe.register_drained(plane, self.owner(id), now);
                let mut mates = Mates::of(id);
                while let Some(id) = mates.part(&mut self.transactions) {
                    self.count_out(unit);
                    self.read_transferred(id, now);
                }
                self.settle_suspension(unit, now);
                self.refresh_ready(unit);
                unit
            }
            Payload::Copy(id) => {
                let plane = self.transactions[id].ppa.plane;
                let unit = self.layout.unit_of(plane);
                self.array.drain_register(unit, plane, self.layout.plane_in_unit(plane), now);
                self.probe.register_drained(plane, self.owner(id), now);
                self.count_out(unit);
                self.copy_crossed(id, now);
                self.refresh_ready(unit);
                return self.release(path, now);
            }
        };
        match self.held.next_page(unit) {
            Some(id) => {
                self.held.hold(unit, path);
                self.send_data(id, now);
            }
            None => self.give_back(unit, path, now),
        }
    }

    /// Sends a page from its chip straight to another one.
    pub(super) fn send_to_chip(&mut self, id: TransactionId, now: Time) {
        let t = &self.transactions[id];
        let (from, to) = (self.layout.chip_of_plane(t.ppa.plane), self.layout.chip_of_plane(t.to));
        let data = self.fabric.copy_time(u64::from(t.bytes));
        let transfer = fabric::Transfer { chip: from, direction: Direction::FromChip, command: Time::ZERO, data };
        let events = &mut self.events;
        let mut later = |time, event| events.push(time, Event::Fabric(event));
        let path = self.fabric.start_copy(from, to, data, now, &mut later);
        self.carry(path, Carried { what: Payload::Copy(id), transfer });
    }

    /// Charges what a transfer spent its time on beside crossing.
    pub(super) fn charge_crossing(&mut self, id: TransactionId, crossed: &TransferDone, now: Time) {
        if crossed.conflict > Time::ZERO {
            self.transactions[id].path_conflict = true;
        }
        self.charge_page_up_to(id, Cause::PathConflict, crossed.conflict, now);
        self.charge_page_up_to(id, Cause::ChipBusyUser, crossed.port, now);
        self.charge_page_up_to(id, Cause::PathReservation, crossed.setup, now);
    }

    pub(super) fn release_held(&mut self, unit: UnitId, now: Time) {
        if let Some(path) = self.held.take(unit) {
            self.give_back(unit, path, now);
        }
    }

    /// Gives back a path that the unit may have held.
    fn give_back(&mut self, unit: UnitId, path: PathId, now: Time) {
        if self.held.let_go(unit) {
            self.refresh_ready(unit);
        }
        self.release(path, now);
    }
}
