//! The packetized network drive (pnSSD): a row bus and a column bus for every chip.
//!
//! ```text
//!               v-bus 0  v-bus 1
//!                  │        │          controller c drives row bus c and column bus c, 8 data pins each; a transfer takes
//! controller 0 ────┼────────┼──── h 0  whichever of its chip's two buses is free, both can serve the chip at once
//!                chip 0   chip 1
//! controller 1 ────┼────────┼──── h 1  chip 2 over v-bus 0: controller 1, whose row it is, asks controller 0, which
//!                chip 2   chip 3       drives the bus: request and grant, then the packets
//! ```
//! Networked SSD (MICRO 2022) §V: topology §V-B (Fig. 9c), choice of path and *split* transfers §V-C (Fig. 10),
//! handshake §V-D (Fig. 11), arrays that are not square §V-E. Packets follow §IV-B, one flit at a time. Copies:
//! [`copies`]; messages of controllers: [`control`]; a page split while it crosses: [`late`].
//!
//! **Split** (§V-C): the data of a transfer go in two packets, each over the first free bus of the chip. If only one is
//! free, the second half waits for either, before any other transfer, and follows on the first bus at the latest. The
//! paper leaves open what the halves hold: here each is a data packet with its own header, of read data also with its
//! request. A write's command goes with the first half.

mod control;
pub mod copies;
mod grid;
mod late;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::config::design::{Fabric as FabricConfig, FabricKind};
use crate::engine::arena::Slab;
use crate::engine::time::Time;
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing::{Failed, Failing};
use crate::fabric::lines::Line;
use crate::fabric::omnibus::control::ControlPlane;
use crate::fabric::omnibus::grid::{BusId, Grid, Ways};
use crate::fabric::omnibus::late::Late;
use crate::fabric::packets::{DATA_HEADER_FLITS, Packets, READ_DATA_TRANSFER_FLITS};
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::wires::{ControllerUse, Wire};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

pub const WHOLE: Facts = Facts {
    is_usual: true,
    holds_paths: true,
    routers: None,
    interconnect: |_, _, _| Interconnect::PACKET_CHANNELS,
    failing: Failing { parts: grid::parts, cut_off: grid::cut_off },
    lines: |_, rows, columns| {
        let column_buses = grid::column_buses(rows, columns);
        let mut lines = Line::rows("channel", rows, columns, |_| 1 + column_buses);
        lines.extend(Line::columns(rows, columns, column_buses, |_| 1 + rows));
        lines
    },
};

pub const SPLIT: Facts = Facts { holds_paths: false, ..WHOLE };

/// Any transfer may free a bus for chips of any row.
const ALL: DomainId = DomainId(0);

pub struct Omnibus {
    grid: Grid,
    packets: Packets,
    split: bool,
    late: Late,
    control: ControlPlane,
    transfers: Slab<PathId, Crossing>,
    copies: PageRegisters,
    port_free_at: Vec<Time>,
    trace: WireTrace,
}

#[derive(Clone, Copy)]
struct Crossing {
    chip: ChipId,
    to: ChipId,
    direction: Direction,
    second: Time,
    left: u8,
    bus: BusId,
    first_bus: BusId,
    chunks: u32,
    data_from: Time,
    part_ends: Time,
    /// Of the bus whose packet crossed first.
    setup: Time,
}

impl Crossing {
    fn new(chip: ChipId, direction: Direction, bus: BusId) -> Crossing {
        let (second, none) = (Time::ZERO, Time::ZERO);
        Crossing {
            chip,
            to: chip,
            direction,
            second,
            left: 1,
            bus,
            first_bus: bus,
            chunks: 0,
            data_from: none,
            part_ends: none,
            setup: none,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Told(BusId),
    Arrived(BusId),
    Offered(BusId),
}

/// Request and grant.
const AGREEMENT: u32 = 2;

impl Omnibus {
    fn halves(&self, transfer: &Transfer) -> (Time, Time) {
        let again = match transfer.direction {
            Direction::ToChip => DATA_HEADER_FLITS,
            Direction::FromChip => DATA_HEADER_FLITS + READ_DATA_TRANSFER_FLITS,
        };
        let flits = self.packets.count(transfer.data) + again;
        let second = self.packets.flits(flits / 2);
        let first = if flits % 2 == 0 { second } else { self.packets.flits(flits / 2 + 1) };
        (first, second)
    }

    fn messages(&self, chip: ChipId, bus: BusId) -> u32 {
        if self.grid.bus(bus).driver == self.grid.row_controller(chip) { 0 } else { AGREEMENT }
    }

    fn send(
        &mut self,
        path: PathId,
        bus: BusId,
        transfer: Transfer,
        earlier: Time,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) {
        let messages = self.messages(transfer.chip, bus);
        self.take(path, bus, messages, transfer, now, later);
        self.grid.bus_mut(bus).setup = earlier;
    }

    fn take(
        &mut self,
        path: PathId,
        bus: BusId,
        messages: u32,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) {
        self.grid.take(bus, path, now);
        if messages == 0 {
            return self.cross(path, bus, transfer, now, later);
        }
        let taken = self.grid.bus_mut(bus);
        (taken.agreed, taken.messages) = (Some(transfer), messages);
        later(self.control.send(now), Event::Told(bus));
    }

    fn told(&mut self, bus: BusId, now: Time, later: &mut impl FnMut(Time, Event)) {
        let taken = self.grid.bus_mut(bus);
        taken.messages -= 1;
        if taken.messages > 0 {
            return later(self.control.send(now), Event::Told(bus));
        }
        let (path, since) = (taken.path, taken.since());
        taken.setup += now - since;
        let transfer = taken.agreed.take().expect("controllers agree on a transfer");
        self.trace.write(bus.0, WireUse::Handshake, path, since, now);
        self.cross(path, bus, transfer, now, later);
    }

    fn cross(&mut self, path: PathId, bus: BusId, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) {
        debug_assert!(self.grid.bus(bus).path == path);
        if self.late.is_on() {
            let crossing = &mut self.transfers[path];
            if crossing.first_bus != bus {
                return self.cross_end(path, bus, transfer, now, later);
            }
            (crossing.data_from, crossing.part_ends) = (now + transfer.command, now + transfer.time());
            if crossing.chunks > 0 {
                let Ways { row, column } = self.grid.ways(crossing.chip);
                later(crossing.data_from, Event::Offered(if bus == row { column } else { row }));
            }
        }
        let taken = self.grid.bus_mut(bus);
        taken.active += transfer.time();
        self.trace.write_transfer(bus.0, &transfer, path, now);
        later(now + transfer.time(), Event::Arrived(bus));
    }

    fn send_second(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) {
        let Crossing { chip, direction, second, .. } = self.transfers[path];
        match self.grid.first_free(chip) {
            Some(bus) => {
                let half = Transfer { chip, direction, command: Time::ZERO, data: second };
                self.send(path, bus, half, Time::ZERO, now, later);
            }
            None => {
                let Ways { row, column } = self.grid.ways(chip);
                self.grid.bus_mut(row).waiting.push_back(path);
                if !self.grid.is_kept(column) {
                    self.grid.bus_mut(column).waiting.push_back(path);
                }
            }
        }
    }

    fn give_back(&mut self, bus: BusId, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.grid.give_back(bus, now);
        let Some(path) = self.grid.bus_mut(bus).waiting.pop_front() else {
            if self.late.is_on() {
                later(now, Event::Offered(bus));
            }
            return;
        };
        let Crossing { chip, direction, second, left, .. } = self.transfers[path];
        let Ways { row, column } = self.grid.ways(chip);
        let other = if bus == row { column } else { row };
        let line = &mut self.grid.bus_mut(other).waiting;
        if let Some(place) = line.iter().position(|&waits| waits == path) {
            line.remove(place);
        }
        // It would have continued there.
        let earlier = if left == 1 { self.grid.bus(bus).setup } else { Time::ZERO };
        let half = Transfer { chip, direction, command: Time::ZERO, data: second };
        self.send(path, bus, half, earlier, now, later);
    }
}

impl Fabric for Omnibus {
    type Event = Event;
    type Times = Packets;

    fn new(config: &FabricConfig, layout: &Layout) -> Omnibus {
        let packets = Packets::new(config, 1);
        Omnibus {
            grid: Grid::new(layout, config.omnibus.transfers_per_controller),
            late: Late::new(config, &packets),
            packets,
            split: config.kind == FabricKind::OmnibusSplit,
            control: ControlPlane::new(&config.omnibus.control),
            transfers: Slab::new(),
            copies: PageRegisters::new(&config.omnibus, layout),
            port_free_at: vec![Time::ZERO; layout.chips() as usize],
            trace: WireTrace::default(),
        }
    }

    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: ChipId) -> DomainId {
        ALL
    }

    fn chips_of(&self, _: DomainId) -> Range<u32> {
        0..self.grid.chips()
    }

    fn may_start(&self, _: DomainId) -> bool {
        self.grid.free() > 0
    }

    fn is_free(&self, chip: ChipId, _: Direction) -> bool {
        self.grid.first_free(chip).is_some()
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.port_free_at[chip.index()]
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) -> PathId {
        let Transfer { chip, direction, data, .. } = transfer;
        let bus = self.grid.first_free(chip).expect("a transfer starts only if a bus of its chip is free");
        let in_halves = self.split && data > Time::ZERO;
        let (whole, chunks) = self.late.first(data);
        let (first, second) = if in_halves { self.halves(&transfer) } else { (whole, Time::ZERO) };
        let left = if in_halves { 2 } else { 1 };
        let path = self.transfers.insert(Crossing { second, left, chunks, ..Crossing::new(chip, direction, bus) });
        self.send(path, bus, Transfer { data: first, ..transfer }, Time::ZERO, now, later);
        if in_halves {
            self.send_second(path, now, later);
        }
        path
    }

    fn start_on_held_path(&mut self, path: PathId, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) {
        debug_assert!(!self.split && self.transfers[path].chip == transfer.chip);
        let bus = self.transfers[path].bus;
        self.transfers[path].left = 1;
        self.grid.bus_mut(bus).setup = Time::ZERO;
        self.cross(path, bus, transfer, now, later);
    }

    fn handle(&mut self, event: Event, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        let bus = match event {
            Event::Told(bus) => {
                self.told(bus, now, later);
                return FabricOutcome::default();
            }
            Event::Offered(bus) => {
                self.offer(bus, now, later);
                return FabricOutcome::default();
            }
            Event::Arrived(bus) => bus,
        };
        let path = self.grid.bus(bus).path;
        if self.next_chunk(path, bus, now, later) {
            return FabricOutcome::default();
        }
        let crossing = &mut self.transfers[path];
        crossing.left -= 1;
        crossing.bus = bus;
        self.port_free_at[crossing.chip.index()] = now;
        self.port_free_at[crossing.to.index()] = now;
        let copied = (crossing.chip != crossing.to).then_some((crossing.chip, crossing.to));
        if let Some((from, to)) = copied {
            self.tell_status(from, to, now);
        }
        if self.transfers[path].left == 0 {
            let of = if self.late.is_on() { self.transfers[path].first_bus } else { bus };
            let setup = if of == bus { self.grid.bus(bus).setup } else { self.transfers[path].setup };
            return FabricOutcome { crossed: Some(TransferDone { setup, ..TransferDone::freely(path) }), freed: None };
        }
        self.transfers[path].setup = self.grid.bus(bus).setup;
        self.give_back(bus, now, later);
        FabricOutcome { crossed: None, freed: self.grid.is_free(bus).then_some(ALL) }
    }

    fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> DomainId {
        debug_assert!(self.transfers[path].left == 0, "a path is given back before its transfer has crossed");
        let bus = self.transfers[path].bus;
        self.transfers.remove(path);
        self.give_back(bus, now, later);
        ALL
    }

    fn lose(&mut self, failed: &Failed) {
        self.grid.lose(failed);
    }

    fn times(&self) -> &Packets {
        &self.packets
    }

    fn peak_rate(&self) -> f64 {
        self.packets.rate() * f64::from(self.grid.at_once())
    }

    fn ports(&self) -> u64 {
        2
    }

    fn wires(&self) -> Vec<Wire> {
        self.grid.wires()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        self.grid.controllers()
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.control.counters().into_iter().chain(self.late.counters()).collect()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.trace
    }
}
