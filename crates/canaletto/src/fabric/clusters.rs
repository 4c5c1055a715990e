//! Clusters of chips behind switches, each of which hangs on the trunks of several controllers.
//!
//! ```text
//! controller 0 ══╦═════════╦══ trunk 0      16 data pins a trunk and an inner bus; a transfer takes any free trunk of its
//! controller 1 ══║══╦══╦═══║══ trunk 1      chip's switch and the chip's inner bus
//!              switch 0   switch 1
//!               ║   ║      ║   ║ inner buses
//!              chips      chips
//!
//! arbiter ─ grant ─▶ switch │ set-up │ packets cross trunk, switch and inner bus at once │
//! ```
//! All controllers are on one chip, and so is the arbiter: a transfer starts where its trunk and inner bus are free;
//! otherwise it waits, which is a path conflict. The arbiter tells the switch over separate pins ([`grants`]). Which
//! switch hangs on which trunks: [`tree`]. Data in parts: [`chunks`]; copies: [`copies`].
//!
//! A switch passes bytes on after a while and has no buffer, so a circuit crosses at the rate of its slower wire.
//! Packets follow Networked SSD (MICRO 2022) §IV-B, two flits at a time. No paper has this fabric
//! (`docs/explanation/fabrics.md`).

mod chunks;
mod copies;
mod grants;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::arena::Slab;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::clusters::chunks::Chunks;
use crate::fabric::clusters::tree::{BusId, SwitchId, Tree, TrunkId};
use crate::fabric::facts::{ControllerPins, Facts, Interconnect, RouterKind, Switches};
use crate::fabric::failing::{Failed, Failing};
use crate::fabric::grants::Grants;
use crate::fabric::lines::Line as ChipLine;
use crate::fabric::packets::{Packets, READ_DATA_TRANSFER_FLITS};
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::wire_times::WireTimes;
use crate::fabric::wires::{ControllerUse, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};
use crate::flash::interface::Operation;

const LANES: u64 = 2;

pub const FACTS: Facts = Facts {
    is_usual: false,
    holds_paths: true,
    routers: Some(RouterKind::Switch),
    interconnect: parts,
    failing: Failing { parts: tree::parts, cut_off: tree::cut_off },
    lines,
};

/// As many transfer at a time as a row has chips, at most.
fn lines(config: &FabricConfig, rows: u32, columns: u32) -> Vec<ChipLine> {
    let keys = &config.clusters;
    let (count, per_switch, per_bus) = (rows * columns, keys.chips_per_switch, keys.chips_per_bus());
    let each = (columns / per_bus * per_bus).clamp(per_bus, per_switch);
    let line = |first: u32| {
        let switch = first / per_switch;
        let end = (first + each).min((switch + 1) * per_switch).min(count);
        let ways = keys.trunks(rows).min((end - first).div_ceil(per_bus));
        let name = match each == per_switch {
            true => format!("switch {switch}"),
            false => format!("chips {first}-{} of switch {switch}", end - 1),
        };
        ChipLine { name, chips: (first..end).map(ChipId).collect(), ways }
    };
    let firsts = (0..count).filter(|chip| chip % per_switch % each == 0);
    firsts.map(line).collect()
}

fn parts(config: &FabricConfig, rows: u32, columns: u32) -> Interconnect {
    let keys = &config.clusters;
    let count = (rows * columns).div_ceil(keys.chips_per_switch);
    let chips = keys.chips_per_switch.min(rows * columns);
    // A clock is next to the pins.
    let grants = keys.grant_width + 1;
    let switches = Switches {
        count,
        buses: keys.trunks(rows) + chips.div_ceil(keys.chips_per_bus()),
        other_pads: chips + grants,
        bus_bits: 8 * LANES as u32,
    };
    let pins = ControllerPins { buses: rows, bus_bits: switches.bus_bits, others: count * grants };
    Interconnect { switches: Some(switches), controller_pins: Some(pins), ..Interconnect::PACKET_CHANNELS }
}

const FAILED: PathId = PathId(u32::MAX - 1);

/// Any transfer may free a trunk for chips of any switch.
const ALL: DomainId = DomainId(0);

pub struct Clusters {
    tree: Tree,
    packets: Packets,
    grants: Grants,
    setup: Time,
    delay: Time,
    trunks: Vec<Line>,
    buses: Vec<Line>,
    free_trunks: Vec<u32>,
    free_buses: u32,
    free: u32,
    under_way: Slab<PathId, Crossing>,
    chunks: Chunks,
    in_parts: Vec<bool>,
    registers: PageRegisters,
    port_free_at: Vec<Time>,
    crossed: TimeSum,
    trace: WireTrace,
}

#[derive(Clone, Copy)]
struct Line {
    path: PathId,
    since: Time,
    busy: Time,
    active: Time,
}

#[derive(Clone, Copy)]
struct Crossing {
    chip: ChipId,
    to: ChipId,
    trunk: TrunkId,
    direction: Direction,
    left: Time,
    ready: Time,
    conflict: Time,
    /// From decisions until the first flits.
    setup: Time,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Crossed(PathId),
    Turned(PathId),
}

impl Crossing {
    /// On a trunk if both chips are the same.
    fn new(chip: ChipId, to: ChipId, direction: Direction, left: Time) -> Crossing {
        let (trunk, none) = (TrunkId::NONE, Time::ZERO);
        Crossing { chip, to, trunk, direction, left, ready: none, conflict: none, setup: none }
    }
}

impl Line {
    const IDLE: Line = Line { path: PathId::NONE, since: Time::ZERO, busy: Time::ZERO, active: Time::ZERO };

    fn is_free(&self) -> bool {
        !self.path.is_some()
    }

    fn take(&mut self, path: PathId, now: Time) {
        assert!(self.is_free(), "a wire carries the circuits {} and {} at once", self.path.0, path.0);
        (self.path, self.since) = (path, now);
    }

    fn give_back(&mut self, path: PathId, now: Time) {
        assert!(self.path == path, "the wire of circuit {} is given back by {}", self.path.0, path.0);
        self.path = PathId::NONE;
        self.busy += now - self.since;
    }
}

impl Clusters {
    fn first_free(&self, switch: SwitchId) -> Option<TrunkId> {
        self.tree.trunks(switch).iter().copied().find(|trunk| self.trunks[trunk.index()].is_free())
    }

    /// Behind the trunks.
    fn bus_wire(&self, bus: BusId) -> u32 {
        self.tree.controllers() + bus.0
    }

    fn grant_wire(&self, switch: SwitchId) -> u32 {
        self.tree.controllers() + self.tree.buses() + switch.0
    }

    fn has_way(&self, chip: ChipId) -> bool {
        let ways = self.tree.of(chip);
        self.buses[ways.bus.index()].is_free() && self.free_trunks[ways.switch.index()] > 0
    }

    fn grant(&mut self, path: PathId, switch: SwitchId, now: Time) -> Time {
        let (from, until) = self.grants.send(switch.0, now);
        self.trace.write(self.grant_wire(switch), WireUse::Handshake, path, from, until);
        let begins = until + self.setup;
        self.under_way[path].setup += begins - now;
        begins
    }

    fn take_trunk(&mut self, trunk: TrunkId, path: PathId, now: Time) {
        self.trunks[trunk.index()].take(path, now);
        self.free -= 1;
        self.tree.on_trunk(trunk).iter().for_each(|switch| self.free_trunks[switch.index()] -= 1);
    }

    fn take_bus(&mut self, bus: BusId, path: PathId, now: Time) {
        self.buses[bus.index()].take(path, now);
        self.free_buses -= 1;
    }

    fn give_bus_back(&mut self, bus: BusId, path: PathId, now: Time) {
        self.buses[bus.index()].give_back(path, now);
        self.free_buses += 1;
    }

    fn carry(&mut self, wire: u32, path: PathId, what: WireUse, from: Time, time: Time) {
        let place = wire as usize;
        let line = match self.trunks.get_mut(place) {
            Some(trunk) => trunk,
            None => &mut self.buses[place - self.tree.controllers() as usize],
        };
        line.active += time;
        if time > Time::ZERO {
            self.trace.write(wire, what, path, from, from + time);
        }
    }

    /// ```text
    /// to the chip      trunk │ command │ data │           from it      trunk │ request │   │   │ data │
    ///              inner bus   │ command │ data │                  inner bus   │ request │ data │
    /// ```
    /// Commands come with data to write. Read data are asked for, and come back through the switch.
    fn cross(&mut self, path: PathId, transfer: Transfer, begins: Time, later: &mut impl FnMut(Time, Event)) {
        let Crossing { chip, trunk, .. } = self.under_way[path];
        let Transfer { direction, command, data, .. } = transfer;
        let (trunk, bus) = (trunk.0, self.bus_wire(self.tree.of(chip).bus));
        let behind = begins + self.delay;
        self.carry(trunk, path, WireUse::Command, begins, command);
        self.carry(bus, path, WireUse::Command, behind, command);
        self.carry(bus, path, WireUse::Data, behind + command, data);
        let (begins, behind) = (begins + command, behind + command);
        self.crossed += transfer.time();
        if direction == Direction::ToChip {
            self.carry(trunk, path, WireUse::Data, begins, data);
            return later(behind + data, Event::Crossed(path));
        }
        let request = self.packets.flits(READ_DATA_TRANSFER_FLITS).min(data);
        let back = behind + request + self.delay;
        self.carry(trunk, path, WireUse::Data, begins, request);
        self.carry(trunk, path, WireUse::Data, back, data - request);
        later(back + (data - request), Event::Crossed(path));
    }
}

impl WireTimes for Clusters {
    fn command(&self, operation: Operation, planes: usize) -> Time {
        self.packets.command(operation, planes)
    }

    fn data(&self, operation: Operation, bytes: u64) -> Time {
        match self.chunks.are_on() {
            true => self.chunks.data_time(&self.packets, operation, bytes),
            false => self.packets.data(operation, bytes),
        }
    }

    fn status(&self) -> (Direction, Time) {
        let (direction, time) = self.packets.status();
        (direction, time + self.delay)
    }

    fn suspend(&self, resume: bool) -> Time {
        self.packets.suspend(resume)
    }
}

impl Fabric for Clusters {
    type Event = Event;
    type Times = Clusters;

    fn new(config: &FabricConfig, layout: &Layout) -> Clusters {
        let keys = &config.clusters;
        let (tree, packets) = (Tree::new(keys, layout), Packets::new(config, LANES));
        Clusters {
            chunks: Chunks::new(config, &packets),
            in_parts: vec![false; layout.chips() as usize],
            packets,
            grants: grants::lines(keys, tree.controllers(), tree.switches()),
            setup: keys.setup.time(),
            delay: keys.delay.time(),
            trunks: vec![Line::IDLE; tree.controllers() as usize],
            buses: vec![Line::IDLE; tree.buses() as usize],
            free_trunks: vec![keys.trunks(tree.controllers()); tree.switches() as usize],
            free_buses: tree.buses(),
            free: tree.controllers(),
            under_way: Slab::new(),
            registers: PageRegisters::new(&config.omnibus, layout),
            port_free_at: vec![Time::ZERO; layout.chips() as usize],
            crossed: TimeSum::ZERO,
            trace: WireTrace::default(),
            tree,
        }
    }

    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: ChipId) -> DomainId {
        ALL
    }

    fn chips_of(&self, _: DomainId) -> Range<u32> {
        0..self.tree.chips()
    }

    fn may_start(&self, _: DomainId) -> bool {
        self.free_buses > 0 && (self.free > 0 || self.registers.are_in_use())
    }

    fn is_free(&self, chip: ChipId, _: Direction) -> bool {
        self.has_way(chip) && !self.in_parts[chip.index()]
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.port_free_at[chip.index()]
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) -> PathId {
        let Transfer { chip, direction, command, data } = transfer;
        let path = self.under_way.insert(Crossing::new(chip, chip, direction, data));
        self.take_way(path, now);
        self.send_part(path, command, now, later);
        path
    }

    fn start_on_held_path(&mut self, path: PathId, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) {
        debug_assert!(self.under_way[path].chip == transfer.chip);
        self.under_way[path].setup = Time::ZERO;
        self.cross(path, transfer, now, later);
    }

    fn handle(&mut self, event: Event, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        let path = match event {
            Event::Crossed(path) => path,
            Event::Turned(path) => {
                self.turned(path, now, later);
                return FabricOutcome::default();
            }
        };
        let Crossing { chip, to, setup, conflict, left, .. } = self.under_way[path];
        if left > Time::ZERO {
            self.part_crossed(path, now, later);
            return FabricOutcome { crossed: None, freed: Some(ALL) };
        }
        self.in_parts[chip.index()] = false;
        self.port_free_at[chip.index()] = now;
        self.port_free_at[to.index()] = now;
        let done = TransferDone { setup, conflict, ..TransferDone::freely(path) };
        FabricOutcome { crossed: Some(done), freed: None }
    }

    fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> DomainId {
        self.give_back(path, now);
        self.under_way.remove(path);
        self.send_waiting(now, later);
        ALL
    }

    fn lose(&mut self, failed: &Failed) {
        for &trunk in &failed.controllers {
            self.take_trunk(TrunkId(trunk), FAILED, Time::ZERO);
        }
        for bus in (0..self.tree.buses()).map(BusId) {
            let (SwitchId(switch), _) = self.tree.within(bus);
            if failed.buses.contains(&bus.0) || failed.switches.contains(&switch) {
                self.take_bus(bus, FAILED, Time::ZERO);
            }
        }
    }

    fn times(&self) -> &Clusters {
        self
    }

    fn peak_rate(&self) -> f64 {
        let trunks = (0..self.tree.controllers()).filter(|&trunk| !self.tree.on_trunk(TrunkId(trunk)).is_empty());
        self.packets.rate() * (trunks.count() as f64).min(f64::from(self.tree.buses()))
    }

    fn router_time(&self) -> TimeSum {
        self.crossed
    }

    fn wires(&self) -> Vec<Wire> {
        let trunk = |(c, line): (usize, &Line)| {
            let (name, kind, row) = (format!("trunk {c}"), WireKind::Trunk, c as i32);
            Wire { name, kind, from: (row, -1), to: (row, 0), busy: line.busy, active: line.active }
        };
        let bus = |(bus, line): (u32, &Line)| {
            let (switch, number) = self.tree.within(BusId(bus));
            let (from, to) = self.tree.ends_of_bus(BusId(bus));
            let name = format!("inner bus {}.{number}", switch.0);
            Wire { name, kind: WireKind::InnerBus, from, to, busy: line.busy, active: line.active }
        };
        let grants = |(switch, busy): (u32, Time)| {
            let to = self.tree.place_of_switch(SwitchId(switch));
            let (name, kind) = (format!("grants to switch {switch}"), WireKind::GrantLine);
            Wire { name, kind, from: (to.0, -1), to, busy, active: busy }
        };
        let (trunks, buses) = (self.trunks.iter().enumerate().map(trunk), (0..).zip(&self.buses).map(bus));
        trunks.chain(buses).chain((0..).zip(self.grants.busy()).map(grants)).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        let each = |(c, line): (usize, &Line)| ControllerUse {
            name: format!("controller {c}"),
            place: (c as i32, -1),
            busy: line.busy,
        };
        self.trunks.iter().enumerate().map(each).collect()
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        self.grants.counters()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.trace
    }
}
