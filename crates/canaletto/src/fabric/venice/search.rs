//! From a free controller to a circuit: scouts, failures, retries, and the transfer.

use super::{Event, Venice};
use crate::config::design::{Retry, Scouts, VeniceController};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::fabric::venice::circuit::State;
use crate::fabric::venice::grid::{PortAt, RouterId};
use crate::fabric::venice::router::Exit;
use crate::fabric::venice::routers::Hop;
use crate::fabric::venice::scout::Scout;
use crate::flash::address::ChipId;

impl Venice {
    pub(super) fn choose(&self, chip: ChipId) -> Option<u32> {
        let router = RouterId(chip.0);
        let free = |&c: &u32| self.controllers[c as usize].is_free() && self.is_joined(c, router);
        match self.choice {
            VeniceController::OwnRow => Some(self.grid.place(router).0).filter(free),
            VeniceController::NearestFree => {
                (0..self.grid.rows).filter(free).min_by_key(|&c| self.grid.distance(c, router))
            }
        }
    }

    fn is_joined(&self, controller: u32, router: RouterId) -> bool {
        self.sets.is_empty() || self.sets[self.grid.entry(controller).router().index()] == self.sets[router.index()]
    }

    pub(super) fn send_scout(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.counts.scouts += 1;
        self.searching += 1;
        let controller = &mut self.controllers[id as usize];
        controller.state = State::Searching;
        controller.scouts += 1;
        controller.sent = now;
        if self.grid.chip(id).is_none() {
            self.routers.watch(self.grid.entry(id).router(), false);
        }
        match self.slot(id, now) {
            slot if slot > now => later(slot, Event::Depart(id)),
            _ => self.depart(id, now, later),
        }
    }

    pub(super) fn depart(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        let controller = &self.controllers[id as usize];
        let mut scout = self.routers.scout(id, controller.destination(), now);
        if self.grid.chip(id).is_none() {
            self.routers.trace.write(self.grid.controller_link(id).0, WireUse::Scout, PathId(id), now, scout.due);
        }
        match self.travel {
            Scouts::HopByHop | Scouts::Clocked => self.under_way.send(scout),
            Scouts::Atomic => loop {
                let hop = self.routers.hop(&mut scout);
                if hop != Hop::On {
                    let back = self.search_ended(&scout, hop);
                    return later(back, Event::Back(id));
                }
            },
        }
    }

    #[inline]
    pub(super) fn let_scouts_hop(&mut self, until: Time, later: &mut impl FnMut(Time, Event)) {
        loop {
            if self.travel == Scouts::Clocked {
                self.under_way.put_lowest_number_first();
            }
            let Some(scout) = self.under_way.arriving_before(until) else { return };
            if scout.tears_down {
                if self.tear_down_hop(later) {
                    return;
                }
                continue;
            }
            let end = match self.travel {
                Scouts::Clocked => self.routers.let_one_hop(&mut self.under_way),
                _ => self.routers.let_hop(&mut self.under_way, until, self.retry == Retry::Oracle),
            };
            if let Some(end) = end {
                let scout = self.under_way.end();
                let back = self.search_ended(&scout, end);
                return later(back, Event::Back(scout.packet.controller));
            }
        }
    }

    fn search_ended(&mut self, scout: &Scout, end: Hop) -> Time {
        self.counts.hops += scout.hops(self.hop);
        let controller = &mut self.controllers[scout.packet.controller as usize];
        if end == Hop::Arrived {
            controller.state = State::Reserved;
        }
        controller.length = scout.length();
        scout.due + self.hop * controller.length
    }

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
            if self.grid.chip(id).is_none() {
                self.routers.watch(self.grid.entry(id).router(), true);
            }
            let gives_way = controller.gives_way(now);
            let intervals = if gives_way { 2 + u64::from(id) } else { 1 };
            self.counts.missed += u64::from(self.could_find(id));
            match self.retry {
                Retry::Immediate if !gives_way => self.send_scout(id, now, later),
                Retry::Immediate | Retry::Local => self.wait_for_timer(id, intervals, now, later),
                Retry::Oracle => self.waiting.push(id),
            }
        }
        // Scouts that search together fail because of each other. Once none is under way, the first that would find a
        // way goes.
        if self.retry == Retry::Oracle && self.searching == 0 {
            if let Some(place) = (0..self.waiting.len()).find(|&place| self.could_find(self.waiting[place])) {
                let id = self.waiting.remove(place);
                self.send_scout(id, now, later);
            }
        }
    }

    pub(super) fn hops(&self) -> u64 {
        self.counts.hops + self.under_way.searching().map(|scout| scout.hops(self.hop)).sum::<u64>()
    }

    fn wait_for_timer(&mut self, id: u32, intervals: u64, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.waiting.push(id);
        let timer = now + self.retry_interval * intervals;
        self.controllers[id as usize].timer = timer;
        later(timer, Event::RetryTimer(id));
    }

    pub(super) fn retry_after_interval(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        let controller = &self.controllers[id as usize];
        if controller.state == State::Waiting && controller.timer == now {
            self.waiting.retain(|&waits| waits != id);
            self.send_scout(id, now, later);
        }
    }

    /// Only an oracle can answer.
    pub(super) fn could_find(&mut self, id: u32) -> bool {
        let source = self.grid.entry(id).router();
        self.routers.is_connected(source, self.controllers[id as usize].destination())
    }

    fn count_detour(&mut self, id: u32) {
        if self.grid.chip(id).is_some() {
            return;
        }
        let controller = &self.controllers[id as usize];
        let shortest = self.grid.distance(id, controller.destination());
        self.counts.detours += u64::from(controller.length > u64::from(shortest));
    }

    fn tables_lead_to(&self, id: u32, chip: RouterId) -> bool {
        let mut entry = self.grid.entry(id);
        while let Some(Exit::To(port)) = self.routers.exit(id, entry) {
            let Some((_, next)) = self.grid.neighbour(entry.router(), port) else { return false };
            entry = PortAt::new(next, port.opposite());
        }
        entry.router() == chip && self.routers.exit(id, entry) == Some(Exit::Ejection)
    }

    /// Eq. 1.
    pub(super) fn transfer(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        let controller = &mut self.controllers[id as usize];
        controller.state = State::Transferring;
        let (transfer, length) = (controller.transfer, controller.length);
        let chip = controller.destination();
        debug_assert!(self.tables_lead_to(id, chip));
        self.routers.carry(id, &transfer, now);
        if let Some(own) = self.own_links.get_mut(id as usize) {
            own.active += transfer.time();
            self.routers.trace.write_transfer(self.grid.controller_link(id).0, &transfer, PathId(id), now);
        }
        self.router_time += transfer.time() * length;
        let crossings = self.crossings(transfer.direction);
        later(now + transfer.time() + self.cycle * (length * crossings), Event::TransferDone(id));
    }
}
