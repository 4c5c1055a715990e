//! A mesh of small routers next to the chips, whose circuits a central arbiter grants.
//!
//! ```text
//! controller 0 ── R0 ── R1 ── R2     links as those of Venice: 8 data pins, one circuit at a time, either way
//!                 │     │     │
//! controller 1 ── R3 ── R4 ── R5     a grant joins the routers of one row from the first to the last
//!
//! arbiter: search │ grant to each row on the way │ set-up │ the transfer takes the circuit
//! ```
//! All controllers are on one chip with the arbiter, which sees every circuit. A transfer starts where free links lead
//! from a free controller to its chip, whose port is free; otherwise it waits, which is a path conflict. The arbiter
//! finds ways ([`links`]), one after the other ([`arbiter`]), and sets the routers. A router keeps its setting until
//! the next grant, so nothing is torn down. Pages go from chip to chip over circuits ([`copies`]).
//!
//! Routers, links, commands and data are as in Venice (ISCA 2023) §4.1 with Eq. 1, without scouts. No paper has this
//! fabric (`docs/explanation/fabrics.md`).

mod arbiter;
mod copies;
mod links;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::config::design::Fabric as FabricConfig;
use crate::engine::arena::Slab;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::facts::{Arbiter as ArbiterFacts, ControllerPins, Facts, Interconnect};
use crate::fabric::failing::{Failed, sets_of_routers};
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::scheduled_mesh::arbiter::Arbiter;
use crate::fabric::scheduled_mesh::links::{Links, Source, Way};
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::venice;
use crate::fabric::venice::cycles::Cycles;
use crate::fabric::venice::grid::{Grid, RouterId};
use crate::fabric::wires::{ControllerUse, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

const PORTS: u32 = 5;

pub const FACTS: Facts = Facts {
    is_usual: false,
    interconnect: parts,
    failing: venice::failing::FROM_ANY,
    lines: |config, rows, columns| venice::circuit_lines(config, rows, columns, false),
    ..venice::FACTS
};

fn parts(config: &FabricConfig, rows: u32, columns: u32) -> Interconnect {
    let mesh = (venice::FACTS.interconnect)(config, rows, columns);
    // A clock is next to the pins.
    let grant_pads = config.scheduled_mesh.grant_width + 1;
    Interconnect {
        arbiter: Some(ArbiterFacts { cells: rows * columns, router_ports: PORTS, grant_pads }),
        controller_pins: Some(ControllerPins { buses: rows, bus_bits: mesh.link_bits, others: rows * grant_pads }),
        ..mesh
    }
}

const ALL: DomainId = DomainId(0);

pub struct ScheduledMesh {
    links: Links,
    arbiter: Arbiter,
    cycles: Cycles,
    under_way: Slab<PathId, Circuit>,
    spare: Vec<Way>,
    free_controllers: u32,
    port_taken: Vec<bool>,
    port_free_at: Vec<Time>,
    /// By router, once parts have failed.
    sets: Vec<Option<u32>>,
    registers: PageRegisters,
    router_time: TimeSum,
    detours: u64,
    trace: WireTrace,
}

struct Circuit {
    chip: ChipId,
    to: ChipId,
    way: Way,
    setup: Time,
}

#[derive(Clone, Copy, Debug)]
pub struct Crossed(PathId);

impl ScheduledMesh {
    fn set_up(&mut self, path: PathId, source: Source, now: Time) -> Time {
        let end = RouterId(self.under_way[path].to.0);
        let mut way = self.spare.pop().unwrap_or_default();
        let controller = self.links.trace_back(source, end, &mut way);
        if let Some(controller) = controller {
            self.free_controllers -= 1;
            self.detours += u64::from(way.links.len() as u32 > self.links.grid().distance(controller, end));
        }
        way.links.iter().for_each(|&link| self.links.take(link, now));
        let found = self.arbiter.search(way.links.len() as u64, now);
        let mut granted = found;
        for &row in &way.rows {
            let (from, until) = self.arbiter.grant(row, found);
            self.trace.write(self.grant_wire(row), WireUse::Handshake, path, from, until);
            granted = granted.max(until);
        }
        let ready = granted + self.arbiter.setup();
        let circuit = &mut self.under_way[path];
        circuit.setup = ready - now;
        circuit.way = way;
        ready
    }

    fn take_port(&mut self, chip: ChipId) {
        let taken = &mut self.port_taken[chip.index()];
        assert!(!*taken, "the port of chip {} takes one circuit", chip.0);
        *taken = true;
    }

    /// Eq. 1 of Venice.
    fn cross(&mut self, path: PathId, transfer: &Transfer, begins: Time, later: &mut impl FnMut(Time, Crossed)) {
        let way = &self.under_way[path].way;
        let (time, length) = (transfer.time(), way.links.len() as u64);
        for &link in way.links.iter().rev() {
            self.links.carry(link, time);
            self.trace.write_transfer(link.0, transfer, path, begins);
        }
        // Each router but a copy's source.
        let routers = length + u64::from(self.under_way[path].chip != self.under_way[path].to);
        self.router_time += time * routers;
        later(begins + time + self.cycles.byte() * length, Crossed(path));
    }

    fn grant_wire(&self, row: u32) -> u32 {
        self.links.grid().controller_link(self.links.grid().rows + row).0
    }
}

impl Fabric for ScheduledMesh {
    type Event = Crossed;
    type Times = Cycles;

    fn new(config: &FabricConfig, layout: &Layout) -> ScheduledMesh {
        let grid = Grid::new(layout.channels, layout.chips_per_channel, config.network.controllers);
        let chips = layout.chips() as usize;
        ScheduledMesh {
            arbiter: Arbiter::new(&config.scheduled_mesh, &grid),
            cycles: Cycles::new(config, layout),
            under_way: Slab::new(),
            spare: Vec::new(),
            free_controllers: grid.rows,
            port_taken: vec![false; chips],
            port_free_at: vec![Time::ZERO; chips],
            sets: Vec::new(),
            registers: PageRegisters::new(&config.omnibus, layout),
            router_time: TimeSum::ZERO,
            detours: 0,
            trace: WireTrace::default(),
            links: Links::new(grid),
        }
    }

    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: ChipId) -> DomainId {
        ALL
    }

    fn chips_of(&self, _: DomainId) -> Range<u32> {
        0..self.links.grid().routers()
    }

    fn may_start(&self, _: DomainId) -> bool {
        self.free_controllers > 0 || self.registers.are_in_use()
    }

    fn is_free(&self, chip: ChipId, _: Direction) -> bool {
        !self.port_taken[chip.index()] && self.links.distance(Source::Controllers, RouterId(chip.0)).is_some()
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.port_free_at[chip.index()]
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Crossed)) -> PathId {
        let chip = transfer.chip;
        self.take_port(chip);
        let path = self.under_way.insert(Circuit { chip, to: chip, way: Way::default(), setup: Time::ZERO });
        let begins = self.set_up(path, Source::Controllers, now);
        self.cross(path, &transfer, begins, later);
        path
    }

    fn start_on_held_path(
        &mut self,
        path: PathId,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, Crossed),
    ) {
        debug_assert!(self.under_way[path].chip == transfer.chip);
        self.under_way[path].setup = Time::ZERO;
        self.cross(path, &transfer, now, later);
    }

    fn handle(&mut self, Crossed(path): Crossed, now: Time, _: &mut impl FnMut(Time, Crossed)) -> FabricOutcome {
        let Circuit { chip, to, setup, .. } = self.under_way[path];
        self.port_free_at[chip.index()] = now;
        self.port_free_at[to.index()] = now;
        FabricOutcome { crossed: Some(TransferDone { setup, ..TransferDone::freely(path) }), freed: None }
    }

    fn release(&mut self, path: PathId, now: Time, _: &mut impl FnMut(Time, Crossed)) -> DomainId {
        let Circuit { chip, to, way, .. } = &mut self.under_way[path];
        for chip in [chip, to] {
            self.port_taken[chip.index()] = false;
            self.port_free_at[chip.index()] = now;
        }
        let mut way = std::mem::take(way);
        let between = self.links.grid().links();
        for &link in way.links.iter().rev() {
            let since = self.links.give_back(link, now);
            match link.0 < between {
                true => self.trace.write(link.0, WireUse::Reserved, path, since, now),
                false => self.free_controllers += 1,
            }
        }
        way.links.clear();
        way.rows.clear();
        self.spare.push(way);
        self.under_way.remove(path);
        ALL
    }

    fn lose(&mut self, failed: &Failed) {
        let links = venice::failing::links_that_fail(self.links.grid(), failed);
        for link in links {
            self.free_controllers -= u32::from(link.0 >= self.links.grid().links());
            self.links.fail(link);
        }
        let grid = self.links.grid();
        self.sets = sets_of_routers(grid.rows, grid.columns, failed);
    }

    fn times(&self) -> &Cycles {
        &self.cycles
    }

    fn peak_rate(&self) -> f64 {
        self.cycles.rate() * f64::from(self.links.grid().rows)
    }

    fn wires(&self) -> Vec<Wire> {
        let grid = self.links.grid();
        let links = grid.wires(|link| self.links.used(link));
        let grants = (0..).zip(self.arbiter.busy()).map(|(row, busy): (u32, Time)| {
            let (from, to) = ((row as i32, -1), (row as i32, grid.columns as i32 - 1));
            Wire { name: format!("grants to row {row}"), kind: WireKind::GrantBus, from, to, busy, active: busy }
        });
        links.chain(grants).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        let grid = self.links.grid();
        (0..grid.rows).map(|c| grid.controller_use(c, self.links.used(grid.controller_link(c)))).collect()
    }

    fn router_time(&self) -> TimeSum {
        self.router_time
    }

    fn arbiter_time(&self) -> Time {
        self.arbiter.searching()
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        [self.arbiter.counters(), vec![("detours", self.detours)]].concat()
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.trace
    }
}
