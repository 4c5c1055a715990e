//! From a free controller to a circuit: scouts on their way, failures and retries, and the transfer.

use super::{Event, Venice};
use crate::config::design::{Retry, Scouts, VeniceController};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::fabric::venice::circuit::State;
use crate::fabric::venice::grid::{Port, RouterId};
use crate::fabric::venice::routers::Exit;
use crate::fabric::venice::scout::Mode;
use crate::flash::address::ChipId;

impl Venice {
    /// The controller that would serve a chip now: the nearest free one, or that of its row.
    pub(super) fn choose(&self, chip: ChipId) -> Option<u32> {
        let router = RouterId(chip.0);
        let free = |&c: &u32| self.controllers[c as usize].is_free();
        match self.choice {
            VeniceController::OwnRow => Some(self.grid.place(router).0).filter(free),
            VeniceController::NearestFree => {
                (0..self.grid.rows).filter(free).min_by_key(|&c| self.grid.distance(c, router))
            }
        }
    }

    /// Sends a controller's scout on its way.
    pub(super) fn send_scout(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.counts.scouts += 1;
        self.searching += 1;
        self.routers.new_scout(id);
        let (router, entry) = self.grid.entry(id);
        let controller = &mut self.controllers[id as usize];
        controller.state = State::Searching;
        controller.packet.mode = Mode::Reserve;
        (controller.router, controller.entry) = (router, entry);
        controller.sent = now;
        self.trace.write(self.grid.controller_link(id).0, WireUse::Scout, PathId(id), now, now + self.hop);
        match self.scouts {
            Scouts::HopByHop => self.hops.push_back((now + self.hop, id)),
            Scouts::Atomic => {
                let mut at = now + self.hop;
                while !self.scout_at_router(id, at) {
                    at += self.hop;
                }
                later(self.back_from(id, at), Event::Back(id));
            }
        }
    }

    /// When a scout that has ended its search at a router at `now` is back at its controller: over the whole circuit, or, if
    /// it has none, over the controller's link, the last of its way back.
    pub(super) fn back_from(&self, id: u32, now: Time) -> Time {
        now + self.hop * self.controllers[id as usize].length()
    }

    /// The scout is at a router: forward or back. Returns whether its search has ended, at the chip or at the controller's
    /// own router with nothing left to try.
    pub(super) fn scout_at_router(&mut self, id: u32, now: Time) -> bool {
        let controller = &mut self.controllers[id as usize];
        let (at, mut input) = (controller.router, controller.entry);
        if controller.packet.mode == Mode::Cancel {
            // Back at a router that had sent it on by this port: the reservation goes, another output is tried.
            let exit = input;
            input = self.routers.cancel(id, at, Exit::To(exit));
            controller.path.pop();
            self.links[self.grid.beyond(at, exit).link.index()].free(now);
        }
        controller.packet.mode = Mode::Reserve;
        let port = match self.routers.find_output(&controller.packet, at, input) {
            Some(Exit::Ejection) => {
                controller.state = State::Reserved;
                return true;
            }
            Some(Exit::To(port)) => {
                controller.path.push((at, port));
                self.links[self.grid.beyond(at, port).link.index()].since = now;
                port
            }
            None if self.grid.entry(id) == (at, input) => return true,
            None => {
                controller.packet.mode = Mode::Cancel;
                input
            }
        };
        self.counts.hops += 1;
        let beyond = self.grid.beyond(at, port);
        (controller.router, controller.entry) = (beyond.router, port.opposite());
        let what = if controller.packet.mode == Mode::Reserve { WireUse::Scout } else { WireUse::Cancel };
        self.trace.write(beyond.link.0, what, PathId(id), now, now + self.hop);
        false
    }

    pub(super) fn trace_reservation(&mut self, id: u32, at: RouterId, exit: Port, now: Time) {
        if self.trace.is_on() {
            let link = self.grid.beyond(at, exit).link;
            self.trace.write(link.0, WireUse::Reserved, PathId(id), self.links[link.index()].since, now);
        }
    }

    /// The scout is back at its controller.
    pub(super) fn scout_back(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.searching -= 1;
        let controller = &mut self.controllers[id as usize];
        if controller.state == State::Reserved {
            controller.ready = now;
            self.count_detour(id);
            self.transfer(id, now, later);
        } else {
            self.counts.failed += 1;
            self.counts.failed_first += u64::from(controller.sent == controller.began);
            controller.state = State::Waiting;
            self.counts.missed += u64::from(self.could_find(id));
            match self.retry {
                Retry::Immediate => self.send_scout(id, now, later),
                Retry::OnRelease => self.waiting.push(id),
            }
        }
        // Scouts that search at the same time fail because of each other. Once none is under way, the first that could find a
        // way goes, alone, and finds it.
        if self.searching == 0 {
            if let Some(place) = (0..self.waiting.len()).find(|&place| self.could_find(self.waiting[place])) {
                let id = self.waiting.remove(place);
                self.send_scout(id, now, later);
            }
        }
    }

    /// Whether a scout of a waiting controller could find a way now. The hardware would find out by sending one after the
    /// other (`venice.retry = "immediate"`), and the futile ones would hold links that others need.
    pub(super) fn could_find(&mut self, id: u32) -> bool {
        let (source, _) = self.grid.entry(id);
        self.routers.is_connected(source, self.controllers[id as usize].packet.destination)
    }

    fn count_detour(&mut self, id: u32) {
        let controller = &self.controllers[id as usize];
        let shortest = self.grid.distance(id, controller.packet.destination);
        self.counts.detours += u64::from(controller.length() > u64::from(shortest));
    }

    /// Whether what comes in from a controller is led to the chip by the reservation tables.
    fn tables_lead_to(&self, id: u32, chip: RouterId) -> bool {
        let (mut at, mut entry) = self.grid.entry(id);
        while let Some(Exit::To(port)) = self.routers.exit(id, at, entry) {
            let Some((_, next)) = self.grid.neighbour(at, port) else { return false };
            (at, entry) = (next, port.opposite());
        }
        at == chip && self.routers.exit(id, at, entry) == Some(Exit::Ejection)
    }

    /// Sends the controller's transfer over its circuit: Eq. 1.
    pub(super) fn transfer(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        let controller = &mut self.controllers[id as usize];
        controller.state = State::Transferring;
        let (transfer, length) = (controller.transfer, controller.length());
        let controller = &self.controllers[id as usize];
        debug_assert!(self.tables_lead_to(id, RouterId(transfer.chip.0)));
        for &(at, exit) in &controller.path {
            let link = self.grid.beyond(at, exit).link;
            self.links[link.index()].active += transfer.time();
            self.trace.write_transfer(link.0, &transfer, PathId(id), now);
        }
        let own = self.grid.controller_link(id);
        self.links[own.index()].active += transfer.time();
        self.trace.write_transfer(own.0, &transfer, PathId(id), now);
        self.router_time += transfer.time() * length;
        later(now + transfer.time() + self.cycle * length, Event::TransferDone(id));
    }
}
