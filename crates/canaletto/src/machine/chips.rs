//! At the chips: commands are formed and cross the fabric; data come back.

use super::{DATA_CLASSES, Machine, Payload};
use crate::config::design::{DataQueue, TransferOrder};
use crate::fabric::{self, Direction, DomainId, Fabric};
use crate::flash::address::{Layout, PlaneId, Ppa, UnitId};
use crate::flash::array::{Background, Charge, Command};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::gc::Collector;
use crate::ftl::hybrid::Hybrid;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::mates::{Mates, bytes_of};
use crate::scheduler::queues::{Look, Readiness};
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};
use crate::sim::time::Time;

/// What command formation sees of the blocks.
pub(super) struct Pages<'a> {
    blocks: &'a Blocks,
    layout: &'a Layout,
    collector: &'a Collector,
    hybrid: Option<&'a Hybrid>,
}

impl Readiness for Pages<'_> {
    fn ready(&self, t: &Transaction) -> bool {
        t.old_page != OldPage::Awaited && (t.ppa.is_bound() || self.has_page(t) && self.fills_page(t))
    }

    fn page(&self, t: &Transaction) -> u32 {
        match self.hybrid {
            _ if t.ppa.is_bound() => self.layout.flash_page(t.ppa),
            None => self.blocks.next_page(t.ppa.plane, t.frontier) >> self.layout.flash_shift,
            Some(hybrid) => hybrid.page_for(t, self.blocks).unwrap_or(0),
        }
    }

    fn plane(&self, t: &Transaction) -> u32 {
        self.layout.plane_in_unit(t.ppa.plane)
    }

    /// Hybrid mapping looks for sequences of writes. Its copies come in any order and have their places.
    fn keeps_order(&self, t: &Transaction) -> bool {
        self.hybrid.is_some() && t.operation == Operation::Program && t.origin != Origin::Gc
    }

    fn shares(&self, first: &Transaction, other: &Transaction) -> bool {
        match first.operation {
            Operation::Read => self.layout.share_flash_page(first.ppa, other.ppa) && first.copyback == other.copyback,
            Operation::Program => {
                other.ppa == Ppa::unbound(first.ppa.plane) && other.frontier == first.frontier && self.ready(other)
            }
            Operation::Erase => false,
        }
    }
}

impl Pages<'_> {
    /// Collection fills flash pages as far as it can: what it takes to move a block is then never more than the block.
    fn fills_page(&self, t: &Transaction) -> bool {
        let pages = self.layout.pages_per_flash_page();
        pages == 1 || t.origin != Origin::Gc || self.collector.fills_flash_page(t.ppa.plane, pages)
    }

    fn has_page(&self, t: &Transaction) -> bool {
        match self.hybrid {
            None => self.blocks.has_page(t.ppa.plane, t.frontier),
            Some(hybrid) => hybrid.page_for(t, self.blocks).is_some(),
        }
    }
}

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Notes the clocks from which a waiting transaction's blame is worked out when it is issued.
    pub(super) fn mark_wait(&mut self, id: TransactionId, unit: UnitId, now: Time) {
        let t = &mut self.transactions[id];
        t.background_marks = self.array.background_clocks(unit, now);
        self.interference.mark(id, self.array.flow_clocks(unit, now));
        if self.hybrid.is_some() {
            return self.mark_wait_for_merges(id, now);
        }
        if !t.ppa.is_bound() {
            if !self.blocks.note_stall(t.ppa.plane, t.frontier, now) {
                self.needs_collection.push(t.ppa.plane);
            }
            t.stall_mark = self.blocks.stall_clock(t.ppa.plane, t.frontier, now);
        }
    }

    /// Planes of the unit that can take a command now: none while it holds a path, whose data come first.
    pub(super) fn free_planes(&self, unit: UnitId) -> u64 {
        if self.held.is_holding(unit) { 0 } else { self.array.free_planes(unit) }
    }

    pub(super) fn domain_of(&self, unit: UnitId) -> DomainId {
        self.unit_domains[unit.index()]
    }

    /// Puts a unit in or out of its domain's round robin, and has the domain's paths offered if it is in.
    pub(super) fn refresh_ready(&mut self, unit: UnitId) {
        let ready = self.can_act(unit);
        let domain = self.domain_of(unit);
        let d = &mut self.domains[domain.index()];
        d.ready.set(unit.0 - d.first_unit, ready);
        if ready {
            self.touch(domain);
        }
    }

    pub(super) fn touch(&mut self, domain: DomainId) {
        self.touched.set(domain.0, true);
    }

    /// Has every domain's paths offered, for the round robin that notices each look.
    pub(super) fn touch_all_if_noticed(&mut self) {
        if self.queues.must_poll() {
            for domain in 0..self.domains.len() as u32 {
                self.touched.set(domain, true);
            }
        }
    }

    /// Offers free paths to what waits for them, in every domain where something has changed.
    pub(super) fn offer_paths(&mut self, now: Time) {
        self.run_collections(now);
        let domains = self.domains.len() as u32;
        let mut from = 0;
        while let Some(domain) = self.touched.first_in(from, domains) {
            self.offer(DomainId(domain), now);
            self.touched.set(domain, false);
            from = domain + 1;
        }
    }

    fn offer(&mut self, domain: DomainId, now: Time) {
        while self.fabric.may_start(domain) {
            let started = match self.choices.order {
                TransferOrder::DataFirst => self.start_data(domain, now) || self.start_commands(domain, now),
                TransferOrder::CommandsFirst => self.start_commands(domain, now) || self.start_data(domain, now),
            };
            if !started {
                break;
            }
        }
    }

    /// Starts a command: of a unit that waits in the middle of a copy, or else a new one.
    fn start_commands(&mut self, domain: DomainId, now: Time) -> bool {
        self.start_copyback(domain, now) || self.start_command(domain, now)
    }

    /// Starts the oldest waiting data that a path is free for, by classes.
    fn start_data(&mut self, domain: DomainId, now: Time) -> bool {
        for class in 0..DATA_CLASSES {
            let position = self.next_data(domain, class);
            if let Some(id) = position.and_then(|at| self.domains[domain.index()].data[class].remove(at)) {
                self.send_data(id, now);
                return true;
            }
        }
        false
    }

    /// The place in line of the data to send next, if a path is free for any.
    fn next_data(&self, domain: DomainId, class: usize) -> Option<usize> {
        let waiting = &self.domains[domain.index()].data[class];
        let free = |&id: &TransactionId| {
            let t = &self.transactions[id];
            let chip = self.layout.chip_of_plane(t.ppa.plane);
            if t.direct {
                return self.fabric.copy_is_free(chip, self.layout.chip_of_plane(t.to));
            }
            self.fabric.is_free(chip, Direction::FromChip)
        };
        match self.choices.data_queue {
            // Where all of a domain shares one path, the first is free or none is.
            DataQueue::Fifo if waiting.front().is_some_and(free) => Some(0),
            DataQueue::Fifo => waiting.iter().position(free),
            DataQueue::OldestRequest => {
                let arrival = |id: TransactionId| self.transactions[id].began;
                let free = waiting.iter().enumerate().filter(|(_, id)| free(id));
                free.min_by_key(|(_, id)| arrival(**id)).map(|(at, _)| at)
            }
        }
    }

    pub(super) fn send_data(&mut self, id: TransactionId, now: Time) {
        if self.transactions[id].direct {
            return self.send_to_chip(id, now);
        }
        let t = &self.transactions[id];
        let chip = self.layout.chip_of_plane(t.ppa.plane);
        let data = self.fabric.data_time(Operation::Read, bytes_of(id, &self.transactions));
        let port_free_at = self.fabric.port_free_at(chip, Direction::FromChip);
        let mut mates = Mates::of(id);
        while let Some(id) = mates.next(&self.transactions) {
            self.charge_path_wait(id, port_free_at, now);
        }
        let transfer = fabric::Transfer { chip, direction: Direction::FromChip, command: Time::ZERO, data };
        match self.held.take(self.layout.unit_of(self.transactions[id].ppa.plane)) {
            Some(path) => self.start_on_held_path(path, transfer, Payload::Data(id), now),
            None => self.start_transfer(transfer, Payload::Data(id), now),
        }
    }

    /// Starts the next command in round robin order among the domain's units.
    fn start_command(&mut self, domain: DomainId, now: Time) -> bool {
        if self.queues.must_poll() {
            return self.poll_all(domain, now);
        }
        let turn = self.domains[domain.index()].turn;
        let mut from = turn;
        let mut wrapped = false;
        loop {
            let d = &self.domains[domain.index()];
            let found = if wrapped { d.ready.first_in(from, turn) } else { d.ready.first_in(from, d.units) };
            let Some(place) = found else {
                if wrapped {
                    return false;
                }
                (from, wrapped) = (0, true);
                continue;
            };
            if self.try_command(domain, place, now) {
                return true;
            }
            from = place + 1;
        }
    }

    /// Visits every unit whether it has work or not, for the round robin that notices.
    fn poll_all(&mut self, domain: DomainId, now: Time) -> bool {
        let (turn, units) = (self.domains[domain.index()].turn, self.domains[domain.index()].units);
        for step in 0..units {
            let place = (turn + step) % units;
            let unit = UnitId(self.domains[domain.index()].first_unit + place);
            if self.free_planes(unit) == 0 && !self.can_act(unit) {
                self.queues.poll(unit);
            } else if self.try_command(domain, place, now) {
                return true;
            }
        }
        false
    }

    /// Forms a command for a unit and sends it, if a path is free and there is one.
    fn try_command(&mut self, domain: DomainId, place: u32, now: Time) -> bool {
        let unit = UnitId(self.domains[domain.index()].first_unit + place);
        if !self.fabric.is_free(self.layout.chip_of(unit), Direction::ToChip) {
            return false;
        }
        let Some(command) = self.next_command(unit, now) else {
            // Nothing here can be issued until something changes, which puts the unit back in.
            self.domains[domain.index()].ready.set(place, false);
            self.settle_suspension(unit, now);
            return false;
        };
        let d = &mut self.domains[domain.index()];
        d.turn = (place + 1) % d.units;
        self.send_command(unit, command, now);
        true
    }

    /// Forms the unit's next command. A unit at work may put that aside instead.
    fn next_command(&mut self, unit: UnitId, now: Time) -> Option<Command> {
        if self.suspensions.is_on() {
            if self.array.units[unit.index()].busy {
                self.try_suspend(unit, now);
                return None;
            }
            if self.suspension_is_over(unit, now) {
                return None;
            }
        }
        let look = Look {
            served: self.suspensions.served(unit),
            free: self.free_planes(unit),
            gc_urgent: self.collection_is_urgent(unit),
            now,
        };
        let (layout, collector) = (&self.layout, &self.collector);
        let world = Pages { blocks: &self.blocks, layout, collector, hybrid: self.hybrid.as_ref() };
        self.queues.next_command(unit, &look, &mut self.transactions, &world)
    }

    /// What command formation sees of the blocks.
    pub(super) fn pages_seen(&self) -> Pages<'_> {
        let (layout, collector) = (&self.layout, &self.collector);
        Pages { blocks: &self.blocks, layout, collector, hybrid: self.hybrid.as_ref() }
    }

    fn send_command(&mut self, unit: UnitId, command: Command, now: Time) {
        let chip = self.layout.chip_of(unit);
        let mut data = Time::ZERO;
        for &first in command.transactions() {
            let (mut waited, mut placed) = (Mates::of(first), Mates::of(first));
            while let Some(id) = waited.next(&self.transactions) {
                self.charge_wait(id, unit, now);
            }
            while let Some(id) = placed.next(&self.transactions) {
                self.bind(id, now);
            }
            if command.operation == Operation::Program {
                self.blocks.end_flash_page(self.transactions[first].ppa);
                data += self.fabric.data_time(command.operation, bytes_of(first, &self.transactions));
            }
        }
        let wires = self.fabric.command_time(command.operation, command.transactions().len());
        let charge = self.charge_of(&command);
        self.array.begin(unit, command, charge, now);
        self.suspensions.serves(unit);
        debug_assert!(self.leaves_suspended_pages_alone(unit), "read a page while its program is suspended");
        self.refresh_ready(unit);
        let transfer = fabric::Transfer { chip, direction: Direction::ToChip, command: wires, data };
        self.start_transfer(transfer, Payload::Command(unit), now);
    }

    /// Charges what a transaction that is issued now has waited for: a free page, then its chip, then a path.
    fn charge_wait(&mut self, id: TransactionId, unit: UnitId, now: Time) {
        let (plane, frontier) = (self.transactions[id].ppa.plane, self.transactions[id].frontier);
        if self.hybrid.is_some() {
            self.charge_wait_for_merges(id, now);
        } else if !self.transactions[id].ppa.is_bound() {
            self.blocks.note_stall(plane, frontier, now);
            let stalled = self.blocks.stall_clock(plane, frontier, now) - self.transactions[id].stall_mark;
            self.charge_page_up_to(id, Cause::FreeBlocks, stalled, now);
        }
        let port_free_at = self.fabric.port_free_at(self.layout.chip_of(unit), Direction::ToChip);
        let available = self.array.available_since(unit, plane).max(port_free_at);
        let t = &self.transactions[id];
        let mut own = available.saturating_sub(t.account.since);
        let marks = t.background_marks;
        let clocks = self.array.background_clocks(unit, now);
        for kind in Background::ALL {
            let worked = clocks[kind as usize] - marks[kind as usize];
            if worked > Time::ZERO {
                own = own - self.charge_page_up_to(id, kind.cause(), worked.min(own), now);
            }
        }
        self.interference.charge(id, self.array.flow_clocks(unit, now), own);
        self.charge_page_up_to(id, Cause::ChipBusyUser, own, now);
        self.charge_conflict(id, now);
    }

    /// Whose time a command takes: of several pages the first's.
    pub(super) fn charge_of(&self, command: &Command) -> Option<Charge> {
        let first = &self.transactions[command.transactions()[0]];
        let flow = self.interference.is_tracked().then_some(Charge::Flow(first.flow));
        first.background().map(Charge::Background).or(flow)
    }

    /// Charges what read data have waited for between array and wires: their own chip's port, then a path.
    pub(super) fn charge_path_wait(&mut self, id: TransactionId, port_free_at: Time, now: Time) {
        let own = port_free_at.saturating_sub(self.transactions[id].account.since);
        self.charge_page_up_to(id, Cause::ChipBusyUser, own, now);
        self.charge_conflict(id, now);
    }

    fn charge_conflict(&mut self, id: TransactionId, now: Time) {
        let t = &mut self.transactions[id];
        t.path_conflict |= t.account.since < now;
        self.charge_page(id, Cause::PathConflict, now);
    }

    /// Gives a transaction its page if it has none yet: pages of a block are programmed in the order in which their
    /// commands are formed, as flash demands.
    fn bind(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        if t.ppa.is_bound() {
            return;
        }
        if self.hybrid.is_some() {
            return self.bind_by_block(id);
        }
        let at = self.allocate(t.ppa.plane, t.frontier, t.lpa, t.sectors | t.merged);
        let at = at.expect("a write was issued without a page to write");
        self.blocks.program_begins(at);
        self.transactions[id].ppa = at;
        self.page_given(id);
        self.collector.copy_is_bound(&t);
        self.blocks.note_stall(at.plane, t.frontier, now);
    }

    /// Whether a plane of the unit must collect before it serves the host.
    pub(super) fn collection_is_urgent(&self, unit: UnitId) -> bool {
        let first = unit.0 * self.layout.planes_per_unit;
        let mut planes = (first..first + self.layout.planes_per_unit).map(PlaneId);
        match &self.hybrid {
            Some(hybrid) => hybrid.is_working() && planes.any(|plane| hybrid.is_busy(plane)),
            None => self.collector.is_working() && planes.any(|plane| self.collector.urgent(plane, &self.blocks)),
        }
    }
}
