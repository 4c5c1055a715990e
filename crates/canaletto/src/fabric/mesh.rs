//! The mesh (NoSSD): a buffered router at each chip; packets wait for each other hop by hop.
//!
//! ```text
//! controller 0 ⇄ ●──────●──────●      ● router, with a chip (⊡) behind it; every line is two directed links
//!                │⊡     │⊡     │⊡
//! controller 1 ⇄ ●──────●──────●      to chip (R, C): along the controller's row to column C, then along the column
//!                │⊡     │⊡     │⊡     back:           along the chip's row to the controller's column, then along that
//! ```
//! Network-on-SSD as two papers compare against it: a 2D mesh of routers with 16 KB of buffer per port and
//! dimension-order routing (Venice, ISCA 2023, §3.2 and §5). Links have eight data pins or, where a chip's pins are
//! held constant, of two (Networked SSD, MICRO 2022, Table III).
//!
//! Packets are framed as in §IV-B of the latter, but no chip is enabled and no data are asked for: a chip sends a page
//! by itself once it is read. Packets are switched by virtual cut-through (Dally & Towles, §13.2): one moves on as soon
//! as its head has passed the router, into a buffer with room for all of it. Rules: `mesh/network.rs`; ways:
//! `mesh/routes.rs`.

mod copies;
mod network;
mod parts;
mod routes;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use self::network::MeshEvent;
use self::network::Network;
use self::parts::{Packet, PacketId};
use self::routes::{Grid, ROUTER_PORTS};
pub use self::routes::{LinkId, Node};
use crate::config::design::{ControllerEdge, Fabric as FabricConfig, FabricKind, MeshController};
use crate::engine::time::{Time, TimeSum};
use crate::fabric::facts::{Facts, Interconnect, RouterKind, neighbours};
use crate::fabric::failing::{self, Failed, Failing};
use crate::fabric::lines::Line;
use crate::fabric::packets::{DATA_HEADER_FLITS, STATUS_REPORT_FLITS, SUSPEND_FLITS, control_flits};
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::wire_times::WireTimes;
use crate::fabric::wires::{ControllerUse, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};
use crate::flash::interface::Operation;

pub const WIDE: Facts = Facts {
    is_usual: true,
    holds_paths: false,
    routers: Some(RouterKind::Packet),
    interconnect: |_, rows, columns| links(rows, columns, 8),
    failing: Failing { parts: failing::of_network, cut_off },
    lines,
};

pub const NARROW: Facts = Facts {
    is_usual: false,
    routers: Some(RouterKind::NarrowPacket),
    interconnect: |_, rows, columns| links(rows, columns, 2),
    ..WIDE
};

/// A row's chips send along it, toward its controllers.
fn lines(config: &FabricConfig, rows: u32, columns: u32) -> Vec<Line> {
    let any_row = config.mesh.controller == MeshController::LeastLoaded;
    let ends = if any_row && config.network.controllers == ControllerEdge::Alternating && rows > 1 { 2 } else { 1 };
    Line::rows("row", rows, columns, |_| ends)
}

/// With X before Y there is no other way. A link fails both ways.
fn cut_off(config: &FabricConfig, rows: u32, columns: u32, failed: &Failed) -> Vec<ChipId> {
    let is_east = |row: u32| config.network.controllers == ControllerEdge::Alternating && row % 2 == 1;
    failing::without(rows * columns, |chip| {
        let (row, column) = (chip / columns, chip % columns);
        let on_way = if is_east(row) { column..columns } else { 0..column + 1 };
        let mut routers = on_way.map(|column| row * columns + column);
        let link = |router: u32| (router, router + 1);
        let has_link = |router: u32| !failed.links.contains(&link(router));
        !failed.controllers.contains(&row)
            && routers.clone().all(|router| !failed.routers.contains(&router))
            && routers.by_ref().skip(1).all(|router| has_link(router - 1))
    })
}

fn links(rows: u32, columns: u32, link_bits: u32) -> Interconnect {
    Interconnect { links: 2 * neighbours(rows, columns), link_bits, ..Interconnect::CHANNELS }
}

pub struct Mesh {
    grid: Grid,
    network: Network,
    controllers: Controllers,
    registers: Option<PageRegisters>,
    own_row: bool,
    narrow: bool,
    flit: Time,
    payload: u64,
    full_packet: Time,
    command_time: Option<Time>,
    page_bytes: u64,
    idle_chips: Vec<bool>,
    idle_chip_count: u32,
    idle_controller_count: u32,
}

struct Controllers {
    columns: Vec<u32>,
    at_one_edge: bool,
    loads: Vec<Time>,
    idle_loads: Vec<Time>,
}

impl Controllers {
    fn is_idle(&self, c: u32) -> bool {
        self.idle_loads[c as usize] != Time::MAX
    }

    fn set_idle(&mut self, c: u32, idle: bool) {
        self.idle_loads[c as usize] = if idle { self.loads[c as usize] } else { Time::MAX };
    }

    fn set_load(&mut self, c: u32, load: Time) {
        self.loads[c as usize] = load;
        self.set_idle(c, self.is_idle(c));
    }

    /// The least loaded that can start, then the nearest, then the lowest.
    fn choose(&self, (row, column): (u32, u32), direction: Direction) -> u32 {
        let loads = if direction == Direction::FromChip { &self.loads } else { &self.idle_loads };
        // None at one edge is nearer than the row's.
        if self.at_one_edge && loads[row as usize] == Time::ZERO {
            return row;
        }
        let least = loads.iter().min();
        let able = (0..).zip(loads).filter(|(_, load)| Some(*load) == least);
        let hops = |c: u32| self.columns[c as usize].abs_diff(column) + c.abs_diff(row);
        able.min_by_key(|(c, _)| hops(*c)).map_or(row, |(c, _)| c)
    }
}

const ALL: DomainId = DomainId(0);

impl Mesh {
    /// `length` is the packet's time on a link. Its path must be released.
    ///
    /// For checks any node may send to any other.
    pub fn send(
        &mut self,
        source: Node,
        destination: Node,
        length: Time,
        now: Time,
        later: &mut impl FnMut(Time, MeshEvent),
    ) -> PathId {
        assert!(length > Time::ZERO, "a packet has flits");
        self.send_all(source, destination, (Time::ZERO, length), length, now, later)
    }

    fn send_all(
        &mut self,
        source: Node,
        destination: Node,
        (mut command, mut data): (Time, Time),
        full: Time,
        now: Time,
        later: &mut impl FnMut(Time, MeshEvent),
    ) -> PathId {
        let (controller, injection) = (source.controller().or(destination.controller()), self.grid.injection(source));
        let (route, time) = (self.grid.route(source, destination), command + data);
        if let Some(controller) = controller {
            self.controllers.set_load(controller, self.controllers.loads[controller as usize] + time);
        }
        if time == Time::ZERO {
            // A command of no time waits for nothing.
            let path = self.network.open(now, time, controller);
            later(now, MeshEvent::Arrived(path));
            return path;
        }
        let path = self.network.open(now + time + self.network.hop() * route.routers(), time, controller);
        let (mut ready, mut first) = (now, PacketId::NONE);
        while ready < now + time {
            let (what, left) =
                if command > Time::ZERO { (WireUse::Command, &mut command) } else { (WireUse::Data, &mut data) };
            let length = if what == WireUse::Data { full.min(*left) } else { *left };
            *left = *left - length;
            let last = ready + length == now + time;
            let packet = Packet::new(path, last, what, length, ready, route);
            first = self.network.enqueue(injection, packet).unwrap_or(first);
            ready += length;
        }
        self.set_idle(source, false);
        if first.is_some() {
            self.network.set_off(first, now, later);
        }
        path
    }

    fn set_idle(&mut self, node: Node, idle: bool) -> bool {
        let (was_idle, count) = match node {
            Node::Chip(chip) => {
                (std::mem::replace(&mut self.idle_chips[chip.index()], idle), &mut self.idle_chip_count)
            }
            Node::Controller(c) => {
                let was_idle = self.controllers.is_idle(c);
                self.controllers.set_idle(c, idle);
                (was_idle, &mut self.idle_controller_count)
            }
        };
        *count = *count + u32::from(idle) - u32::from(was_idle);
        idle && !was_idle && (self.own_row || *count == 1 || node.controller().is_none())
    }
}

impl WireTimes for Mesh {
    fn command(&self, operation: Operation, planes: usize) -> Time {
        self.command_time.unwrap_or_else(|| self.flit * (control_flits(operation) * planes as u64))
    }

    fn data(&self, _: Operation, bytes: u64) -> Time {
        self.flit * (bytes + DATA_HEADER_FLITS * bytes.div_ceil(self.payload))
    }

    fn status(&self) -> (Direction, Time) {
        (Direction::FromChip, self.flit * STATUS_REPORT_FLITS)
    }

    fn suspend(&self, _: bool) -> Time {
        self.flit * SUSPEND_FLITS
    }
}

impl Fabric for Mesh {
    type Event = MeshEvent;
    type Times = Mesh;

    fn new(config: &FabricConfig, layout: &Layout) -> Mesh {
        let network = &config.network;
        let grid = Grid::new(layout, network.controllers);
        let narrow = config.kind == FabricKind::Mesh2bit;
        let flit = Time::of_transfer(if narrow { 4 } else { 1 }, config.network_rate().0);
        let buffer = Time(flit.0.saturating_mul(config.mesh.buffer.0));
        let no_load = vec![Time::ZERO; layout.channels as usize];
        let columns: Vec<u32> = (0..layout.channels).map(|c| grid.controller_column(c)).collect();
        let at_one_edge = columns.iter().all(|&column| column == columns[0]);
        Mesh {
            network: Network::new(&grid, flit + network.router_delay.time(), buffer),
            controllers: Controllers { columns, at_one_edge, loads: no_load.clone(), idle_loads: no_load },
            registers: network.chip_to_chip.then(|| PageRegisters::new(&config.omnibus, layout)),
            own_row: config.mesh.controller == MeshController::OwnRow,
            narrow,
            flit,
            payload: config.mesh.packet.0,
            full_packet: Time(flit.0.saturating_mul(DATA_HEADER_FLITS + config.mesh.packet.0)),
            command_time: config.command_time.map(|stated| stated.time()),
            page_bytes: layout.flash_page_bytes(),
            idle_chips: vec![true; layout.chips() as usize],
            idle_chip_count: layout.chips(),
            idle_controller_count: layout.channels,
            grid,
        }
    }

    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: ChipId) -> DomainId {
        ALL
    }

    fn chips_of(&self, _: DomainId) -> Range<u32> {
        0..self.idle_chips.len() as u32
    }

    fn may_start(&self, _: DomainId) -> bool {
        self.idle_controller_count + self.idle_chip_count > 0
    }

    fn is_free(&self, chip: ChipId, direction: Direction) -> bool {
        match direction {
            Direction::FromChip => self.idle_chips[chip.index()],
            Direction::ToChip if self.own_row => self.controllers.is_idle(self.grid.place(chip.0).0),
            Direction::ToChip => self.idle_controller_count > 0,
        }
    }

    /// A transfer waits in the network ([`TransferDone::port`]).
    fn port_free_at(&self, chip: ChipId, direction: Direction) -> Time {
        match direction {
            Direction::FromChip => self.network.free_at(self.grid.injection(Node::Chip(chip))),
            Direction::ToChip => Time::ZERO,
        }
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, MeshEvent)) -> PathId {
        let place = self.grid.place(transfer.chip.0);
        let controller = if self.own_row { place.0 } else { self.controllers.choose(place, transfer.direction) };
        let (chip, controller) = (Node::Chip(transfer.chip), Node::Controller(controller));
        let (source, destination) = match transfer.direction {
            Direction::ToChip => (controller, chip),
            Direction::FromChip => (chip, controller),
        };
        self.send_all(source, destination, (transfer.command, transfer.data), self.full_packet, now, later)
    }

    fn start_on_held_path(&mut self, _: PathId, _: Transfer, _: Time, _: &mut impl FnMut(Time, MeshEvent)) {
        unreachable!("packets hold no path: the configuration refuses fabric.hold_path for a mesh")
    }

    fn handle(&mut self, event: MeshEvent, now: Time, later: &mut impl FnMut(Time, MeshEvent)) -> FabricOutcome {
        match event {
            MeshEvent::Wake(link) => {
                self.network.wake(link, now, later);
                FabricOutcome::default()
            }
            MeshEvent::Sent(injection) => {
                if !self.network.has_sent_all(injection, now) {
                    return FabricOutcome::default();
                }
                let matters = self.set_idle(self.grid.source(injection), true);
                FabricOutcome { crossed: None, freed: matters.then_some(ALL) }
            }
            MeshEvent::Arrived(id) => {
                let path = self.network.path(id);
                if let Some(controller) = path.controller {
                    self.controllers.set_load(controller, self.controllers.loads[controller as usize] - path.load);
                }
                let conflict = now - path.unhindered - path.port;
                let crossed = TransferDone { conflict, port: path.port, ..TransferDone::freely(id) };
                FabricOutcome { crossed: Some(crossed), freed: None }
            }
        }
    }

    fn release(&mut self, path: PathId, _: Time, _: &mut impl FnMut(Time, MeshEvent)) -> DomainId {
        self.network.close(path);
        ALL
    }

    fn times(&self) -> &Mesh {
        self
    }

    fn peak_rate(&self) -> f64 {
        let page = self.page_bytes as f64 / self.data_time(Operation::Read, self.page_bytes).seconds();
        page * self.controllers.loads.len() as f64
    }

    fn ports(&self) -> u64 {
        2
    }

    fn wires(&self) -> Vec<Wire> {
        let kinds = match self.narrow {
            true => (WireKind::NarrowLink, WireKind::NarrowControllerLink),
            false => (WireKind::Link, WireKind::ControllerLink),
        };
        let wire = |link: LinkId| {
            let kind = if link.port() < ROUTER_PORTS { kinds.0 } else { kinds.1 };
            let (from, to) = self.grid.ends(link);
            let busy = self.network.carried(link);
            Wire { name: self.grid.name(link), kind, from, to, busy, active: busy }
        };
        self.grid.wires().map(wire).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        let each = |c: u32| ControllerUse {
            name: format!("controller {c}"),
            place: self.grid.controller_place(c),
            busy: self.network.controller_busy(c),
        };
        (0..self.grid.rows()).map(each).collect()
    }

    fn router_time(&self) -> TimeSum {
        self.network.router_time()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.network.trace
    }
}
