//! Venice: a mesh of small routers, in which scouts reserve a conflict-free circuit for each transfer.
//!
//! ```text
//! FC0 ── R0 ── R1 ── R2      1. the nearest free controller sends a scout: two flits, Fig. 6
//!        │     │     │       2. each router reserves a free link towards the chip, else any other, else sends the scout
//! FC1 ── R3 ── R4 ── R5         back, which cancels (Algorithm 1)
//!        │     │     │       3. the scout returns over what it reserved, and the transfer takes the circuit:
//! FC2 ── R6 ── R7 ── R8         (distance + size / width) × link latency (Eq. 1)
//! ```
//! Venice (ISCA 2023) §4: network §4.1, reservation §4.2 with Figs. 6 and 7, routing and its limits §4.3 with Algorithm 1.
//!
//! Decided here, because the paper leaves it open: a scout takes two flits and a router cycle per hop, also on its way
//! back; when a transfer has ended a packet of the same size follows its circuit and frees link after link
//! ([`tear_down`]); the chip's port is taken when the scout is sent; a controller whose scout found no way sends
//! another when there may be a way, or after a while (`venice.retry`). Chips are not modified (§4.1): commands and data
//! cross without packet headers.
//!
//! `rtl/` holds the same as hardware; with `venice.scouts = "clocked"` both agree cycle by cycle (`docs/explanation/rtl.md`).

mod choice;
mod circuit;
mod copies;
pub(super) mod cycles;
pub(super) mod failing;
pub mod grid;
mod minimal;
#[cfg(test)]
mod model;
pub mod packet;
mod reach;
pub(super) mod router;
mod routers;
mod scout;
mod search;
mod slots;
pub mod state;
mod tear_down;
#[cfg(test)]
mod tests;
mod under_way;

use std::ops::Range;

use crate::config::design::{ControllerEdge, Fabric as FabricConfig, Retry, Scouts, TearDown, VeniceController};
use crate::engine::time::{Time, TimeSum};
use crate::fabric::facts::{Facts, Interconnect, RouterKind, neighbours};
use crate::fabric::failing::{Failed, sets_of_routers};
use crate::fabric::lines::Line;
use crate::fabric::page_registers::PageRegisters;
use crate::fabric::trace::WireTrace;
use crate::fabric::venice::circuit::{Controller, State};
use crate::fabric::venice::cycles::Cycles;
use crate::fabric::venice::failing::{controllers_that_fail, links_that_fail};
use crate::fabric::venice::grid::LinkUse;
use crate::fabric::venice::grid::{Grid, LinkId};
use crate::fabric::venice::packet::ScoutFormat;
use crate::fabric::venice::routers::Routers;
use crate::fabric::venice::under_way::UnderWay;
use crate::fabric::wires::{ControllerUse, Wire};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

/// One 8-bit link between neighbours, used either way; routers next to the chips.
pub const FACTS: Facts = Facts {
    is_usual: true,
    holds_paths: true,
    routers: Some(RouterKind::Circuit),
    interconnect: |_, rows, columns| Interconnect {
        links: neighbours(rows, columns),
        link_bits: 8,
        routers_on_board: true,
        ..Interconnect::CHANNELS
    },
    failing: failing::OF_VENICE,
    lines,
};

fn lines(config: &FabricConfig, rows: u32, columns: u32) -> Vec<Line> {
    circuit_lines(config, rows, columns, config.venice.controller == VeniceController::OwnRow)
}

/// Links and controllers of a line bound its transfers.
pub(super) fn circuit_lines(config: &FabricConfig, rows: u32, columns: u32, own_row: bool) -> Vec<Line> {
    let neighbours = |line: u32, lines: u32| u32::from(line > 0) + u32::from(line + 1 < lines);
    let row = |row| if own_row { 1 } else { rows.min(1 + neighbours(row, rows) * columns) };
    let east = if config.network.controllers == ControllerEdge::Alternating { rows / 2 } else { 0 };
    let controllers = |column| if column == 0 { rows - east } else { 0 } + if column + 1 == columns { east } else { 0 };
    let column = |column| rows.min(controllers(column) + neighbours(column, columns) * rows);
    let mut lines = Line::rows("row", rows, columns, row);
    lines.extend(Line::columns(rows, columns, columns, column));
    lines
}

#[derive(Debug, Clone, Copy)]
pub enum Event {
    Depart(u32),
    Back(u32),
    RetryTimer(u32),
    TransferDone(u32),
    ControllerFree(u32),
    PortFree(ChipId),
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub scouts: u64,
    pub failed: u64,
    pub failed_first: u64,
    pub missed: u64,
    pub woken: u64,
    pub detours: u64,
    /// Of scouts whose search has ended.
    pub hops: u64,
}

pub struct Venice {
    grid: Grid,
    routers: Routers,
    /// Controllers, then chips that send pages to others, if they do.
    controllers: Vec<Controller>,
    registers: Option<PageRegisters>,
    own_links: Vec<LinkUse>,
    sets: Vec<Option<u32>>,
    free_controllers: u32,
    waiting: Vec<u32>,
    looked_at: Vec<u32>,
    searching: u32,
    under_way: UnderWay,
    port_taken: Vec<bool>,
    port_free_at: Vec<Time>,
    router_time: TimeSum,
    cycles: Cycles,
    cycle: Time,
    hop: Time,
    travel: Scouts,
    retry: Retry,
    retry_interval: Time,
    tear_down: TearDown,
    choice: VeniceController,
    counts: Counts,
}

impl Fabric for Venice {
    type Event = Event;
    type Times = Cycles;

    fn new(config: &FabricConfig, layout: &Layout) -> Venice {
        let grid = Grid::new(layout.channels, layout.chips_per_channel, config.network.controllers);
        let cycles = Cycles::new(config, layout);
        let cycle = cycles.byte();
        let format = ScoutFormat::new(layout.chips(), layout.channels);
        let hop = cycle * format.cycles() + config.network.router_delay.time();
        let chips = layout.chips() as usize;
        let registers = config.network.chip_to_chip.then(|| PageRegisters::new(&config.omnibus, layout));
        let sources = grid.rows + if registers.is_some() { layout.chips() } else { 0 };
        let routers = Routers::new(grid.clone(), sources, hop);
        Venice {
            routers,
            controllers: (0..sources).map(|_| Controller::new()).collect(),
            registers,
            own_links: vec![LinkUse::default(); grid.rows as usize],
            sets: Vec::new(),
            free_controllers: grid.rows,
            waiting: Vec::with_capacity(grid.rows as usize),
            looked_at: Vec::with_capacity(grid.rows as usize),
            searching: 0,
            under_way: UnderWay::new(),
            port_taken: vec![false; chips],
            port_free_at: vec![Time::ZERO; chips],
            grid,
            router_time: TimeSum::ZERO,
            cycles,
            cycle,
            hop,
            travel: config.venice.scouts,
            retry: config.venice.retries(),
            retry_interval: config.venice.retry_interval.time(),
            tear_down: config.venice.tears_down(),
            choice: config.venice.controller,
            counts: Counts::default(),
        }
    }

    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: ChipId) -> DomainId {
        DomainId(0)
    }

    fn chips_of(&self, _: DomainId) -> Range<u32> {
        0..self.grid.routers()
    }

    fn may_start(&self, _: DomainId) -> bool {
        // Pages from chip to chip need no controller.
        self.free_controllers > 0 || self.registers.is_some()
    }

    fn is_free(&self, chip: ChipId, _: Direction) -> bool {
        !self.port_taken[chip.index()]
            && match self.choice {
                VeniceController::NearestFree if self.sets.is_empty() => self.free_controllers > 0,
                VeniceController::NearestFree | VeniceController::OwnRow => self.choose(chip).is_some(),
            }
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.port_free_at[chip.index()]
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) -> PathId {
        let id = self.choose(transfer.chip).expect("a transfer starts only where a controller is free");
        assert!(!self.port_taken[transfer.chip.index()], "the port of chip {} takes one circuit", transfer.chip.0);
        self.port_taken[transfer.chip.index()] = true;
        self.free_controllers -= 1;
        let controller = &mut self.controllers[id as usize];
        controller.transfer = transfer;
        controller.began = now;
        controller.patient_since = now;
        self.own_links[id as usize].since = now;
        self.send_scout(id, now, later);
        PathId(id)
    }

    fn start_on_held_path(&mut self, path: PathId, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) {
        let controller = &mut self.controllers[path.index()];
        controller.transfer = transfer;
        (controller.began, controller.sent, controller.ready) = (now, now, now);
        self.transfer(path.0, now, later);
    }

    fn handle(&mut self, event: Event, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        match event {
            Event::Depart(id) => {
                self.depart(id, now, later);
                FabricOutcome::default()
            }
            Event::Back(id) => {
                self.scout_back(id, now, later);
                FabricOutcome::default()
            }
            Event::RetryTimer(id) => {
                self.retry_after_interval(id, now, later);
                FabricOutcome::default()
            }
            Event::ControllerFree(id) => {
                self.free_controller(id, now);
                FabricOutcome { crossed: None, freed: Some(DomainId(0)) }
            }
            Event::PortFree(chip) => {
                self.free_port(chip, now);
                FabricOutcome { crossed: None, freed: Some(DomainId(0)) }
            }
            Event::TransferDone(id) => {
                let controller = &self.controllers[id as usize];
                self.port_free_at[controller.transfer.chip.index()] = now;
                let crossed = TransferDone {
                    conflict: controller.sent - controller.began,
                    setup: controller.ready - controller.sent,
                    ..TransferDone::freely(PathId(id))
                };
                FabricOutcome { crossed: Some(crossed), freed: None }
            }
        }
    }

    #[inline]
    fn next_step(&self) -> Time {
        self.under_way.next_arrival()
    }

    #[inline]
    fn step(&mut self, _: Time, until: Time, later: &mut impl FnMut(Time, Event)) {
        self.let_scouts_hop(until, later);
    }

    fn is_at_rest(&self) -> bool {
        let failed = self.controllers.iter().filter(|controller| controller.state == State::Failed).count();
        self.free_controllers + failed as u32 == self.grid.rows && !self.port_taken.contains(&true)
    }

    fn lose(&mut self, failed: &Failed) {
        for link in links_that_fail(&self.grid, failed).into_iter().filter(|link| link.0 < self.grid.links()) {
            self.routers.fail(link);
        }
        for controller in controllers_that_fail(&self.grid, failed) {
            self.controllers[controller as usize].state = State::Failed;
            self.free_controllers -= 1;
        }
        self.sets = sets_of_routers(self.grid.rows, self.grid.columns, failed);
    }

    fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> DomainId {
        match self.tear_down {
            TearDown::Packet => self.send_tear_down(path.0, now),
            TearDown::Wire => self.free_circuit(path.0, now, later),
        }
        DomainId(0)
    }

    fn times(&self) -> &Cycles {
        &self.cycles
    }

    fn peak_rate(&self) -> f64 {
        self.cycles.rate() * f64::from(self.grid.rows)
    }

    fn wires(&self) -> Vec<Wire> {
        let between = self.grid.links();
        let used = |link: LinkId| match link.0.checked_sub(between) {
            None => self.routers.link_use(link),
            Some(controller) => self.own_links[controller as usize],
        };
        self.grid.wires(used).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        (0..).zip(&self.own_links).map(|(c, own)| self.grid.controller_use(c, *own)).collect()
    }

    fn router_time(&self) -> TimeSum {
        self.router_time
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let Counts { scouts, failed, failed_first, missed, woken, detours, .. } = self.counts;
        vec![
            ("scouts", scouts),
            ("scouts_failed", failed),
            ("first_scouts_failed", failed_first),
            ("scouts_failed_beside_a_free_way", missed),
            ("scouts_sent_again_after_a_circuit", woken),
            ("detours", detours),
            ("scout_hops", self.hops()),
        ]
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.routers.trace
    }
}
