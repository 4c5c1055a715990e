//! The end of a circuit: who frees it, and whose scouts are sent again.
//!
//! ```text
//! FC0 ──x── R0 ──x── R1 ══▶ R2 ══ chip      a packet in cancel mode follows the last byte: links behind it are free,
//!                                          the controller once it is at R0, the chip's port once it is at R2
//! ```
//! The paper has scouts cancel what they reserved (Venice §4.2, Fig. 6) and does not say how a circuit ends; the same
//! packet does both. With `venice.tear_down = "wire"` everything is free at once, as in `rtl/`.

use super::{Event, Venice};
use crate::config::design::Retry;
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::fabric::venice::circuit::State;
use crate::fabric::venice::grid::RouterId;
use crate::fabric::venice::packet::Mode;
use crate::fabric::venice::routers::Routers;
use crate::flash::address::ChipId;

impl Venice {
    pub(super) fn send_tear_down(&mut self, id: u32, now: Time) {
        let controller = &mut self.controllers[id as usize];
        controller.state = State::TearingDown;
        let length = controller.length;
        let mut packet = self.routers.packet(id, controller.destination(), now);
        packet.packet.mode = Mode::Cancel;
        packet.tears_down = true;
        packet.links = (length - 1) as u32;
        if self.grid.chip(id).is_none() {
            self.routers.trace.write(self.grid.controller_link(id).0, WireUse::Cancel, PathId(id), now, packet.due);
        }
        self.under_way.send(packet);
    }

    #[inline(never)]
    pub(super) fn tear_down_hop(&mut self, later: &mut impl FnMut(Time, Event)) -> bool {
        let packet = self.under_way.next_mut();
        let (now, id, at) = (packet.due, packet.packet.controller, packet.entry.router());
        let (before, ends) = self.routers.tear_down(packet);
        if ends {
            self.under_way.end();
            later(now, Event::PortFree(ChipId(at.0)));
        } else {
            self.under_way.hopped();
        }
        if before.is_none() {
            later(now, Event::ControllerFree(id));
        }
        let freed = [at, before.unwrap_or(at)];
        if self.routers.is_watched(freed[0]) || self.routers.is_watched(freed[1]) {
            self.note_who_sees(|_, router| freed.contains(&router));
        }
        self.wake(now, later) || before.is_none() || ends
    }

    pub(super) fn free_circuit(&mut self, id: u32, now: Time, later: &mut impl FnMut(Time, Event)) {
        let chip = self.controllers[id as usize].transfer.chip;
        self.note_who_sees(|routers, router| routers.holds(id, router));
        self.routers.release(id, RouterId(chip.0), now);
        self.free_controller(id, now);
        self.free_port(chip, now);
        self.wake(now, later);
    }

    fn note_who_sees(&mut self, is_on_circuit: impl Fn(&Routers, RouterId) -> bool) {
        if self.retry == Retry::Local {
            let (routers, grid) = (&self.routers, &self.grid);
            let sees = |&&id: &&u32| is_on_circuit(routers, grid.entry(id).router());
            self.looked_at.extend(self.waiting.iter().filter(sees));
        }
    }

    #[inline]
    fn wake(&mut self, now: Time, later: &mut impl FnMut(Time, Event)) -> bool {
        if self.retry == Retry::Oracle {
            self.looked_at.extend(&self.waiting);
        }
        !self.looked_at.is_empty() && self.wake_looked_at(now, later)
    }

    #[inline(never)]
    fn wake_looked_at(&mut self, now: Time, later: &mut impl FnMut(Time, Event)) -> bool {
        let before = self.waiting.len();
        for i in 0..self.looked_at.len() {
            let id = self.looked_at[i];
            if self.retry == Retry::Local || self.could_find(id) {
                self.waiting.retain(|&waits| waits != id);
                self.counts.woken += 1;
                self.send_scout(id, now, later);
            }
        }
        self.looked_at.clear();
        self.waiting.len() < before
    }

    pub(super) fn free_controller(&mut self, id: u32, now: Time) {
        self.controllers[id as usize].state = State::Free;
        if let Some(chip) = self.grid.chip(id) {
            return self.free_port(chip, now);
        }
        self.own_links[id as usize].free(now);
        self.free_controllers += 1;
    }

    pub(super) fn free_port(&mut self, chip: ChipId, now: Time) {
        self.port_taken[chip.index()] = false;
        self.port_free_at[chip.index()] = now;
    }
}
