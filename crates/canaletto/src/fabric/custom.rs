//! Circuits over user-defined links: a [`Blueprint`](crate::config::own::fabric::Blueprint) names the links, and
//! decides who gets which way.
//!
//! ```text
//! engine ─ a transfer waits, a link is free ─> plan        asked once an instant, for all that wait
//! engine <────────── transfer 7: links 3, 12 ─ plan        a way is checked, then taken until its transfer has crossed
//! ```
//! Without a blueprint links are Venice's mesh, and transfers get a shortest way over free links at once, the first to
//! come first: a bound for any search in that mesh. `fabric.custom.route = "x-then-y"` gives them one way alone, which
//! is NoSSD with circuits ([`x_then_y`]).
//!
//! Links carry eight data pins at `fabric.network.link_rate`; commands and data are as on a circuit of Venice (ISCA
//! 2023, §4.1 with Eq. 1). A place where circuits can turn has a router. Every decision of a plan takes
//! `fabric.custom.grant_delay`; its cost in wires is unknown.

#[cfg(test)]
mod tests;
mod ways;
mod x_then_y;

use std::ops::Range;

use self::ways::Ways;
use self::x_then_y::XThenY;
use crate::config::design::{CircuitRoute, Fabric as FabricConfig};
use crate::config::own::fabric::{Asked, Grants, Plan, View};
use crate::engine::arena::Slab;
use crate::engine::memory::end_run;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing::Failing;
use crate::fabric::lines::Line;
use crate::fabric::trace::WireTrace;
use crate::fabric::venice;
use crate::fabric::venice::cycles::Cycles;
use crate::fabric::venice::grid::Grid;
use crate::fabric::venice::grid::LinkUse;
use crate::fabric::wires::{ControllerUse, Place, Wire, WireKind};
use crate::fabric::{Direction, DomainId, Fabric, FabricOutcome, PathId, Transfer, TransferDone};
use crate::flash::address::{ChipId, Layout};

pub const FACTS: Facts =
    Facts { is_usual: false, interconnect: parts, failing: Failing::NOTHING, lines, ..venice::FACTS };

fn parts(config: &FabricConfig, rows: u32, columns: u32) -> Interconnect {
    let mesh = (venice::FACTS.interconnect)(config, rows, columns);
    match &config.blueprint {
        None => mesh,
        Some(blueprint) => {
            let controllers = places_of_controllers(config, rows, columns);
            // A channel has as many connectors to controllers and chips (Venice §6.6).
            let inner = blueprint.links.iter().filter(|ends| !ends.iter().any(|end| controllers.contains(end)));
            Interconnect { links: inner.count() as u32, ..mesh }
        }
    }
}

fn lines(config: &FabricConfig, rows: u32, columns: u32) -> Vec<Line> {
    let Some(blueprint) = &config.blueprint else {
        return venice::circuit_lines(config, rows, columns, false);
    };
    let leads_out = |ends: &[Place], is_inside: &dyn Fn(Place) -> bool| {
        ends.iter().any(|&end| is_inside(end)) && !ends.iter().all(|&end| is_inside(end))
    };
    let ways = |is_inside: &dyn Fn(Place) -> bool| {
        let count = blueprint.links.iter().filter(|ends| leads_out(ends, is_inside)).count() as u32;
        count.clamp(1, rows)
    };
    let is_chip = |(row, column): Place| (0..rows as i32).contains(&row) && (0..columns as i32).contains(&column);
    let row = |row: u32| ways(&|place| is_chip(place) && place.0 == row as i32);
    let column = |column: u32| ways(&|place| is_chip(place) && place.1 == column as i32);
    let mut lines = Line::rows("row", rows, columns, row);
    lines.extend(Line::columns(rows, columns, columns, column));
    lines
}

pub fn places_of_controllers(config: &FabricConfig, rows: u32, columns: u32) -> Vec<Place> {
    let grid = Grid::new(rows, columns, config.network.controllers);
    (0..rows).map(|controller| grid.controller_place(controller)).collect()
}

pub fn links_of(config: &FabricConfig, rows: u32, columns: u32) -> Vec<Vec<Place>> {
    match &config.blueprint {
        Some(blueprint) => blueprint.links.to_vec(),
        None => {
            let grid = Grid::new(rows, columns, config.network.controllers);
            grid.wires(|_| LinkUse::default()).map(|wire| vec![wire.from, wire.to]).collect()
        }
    }
}

pub fn routers(config: &FabricConfig, rows: u32, columns: u32) -> u32 {
    let controllers = places_of_controllers(config, rows, columns);
    Ways::new(&links_of(config, rows, columns), &chips(rows, columns), &controllers).routers()
}

fn chips(rows: u32, columns: u32) -> Vec<Place> {
    (0..rows as i32).flat_map(|row| (0..columns as i32).map(move |column| (row, column))).collect()
}

pub fn name_of(number: u32, ends: &[Place], controllers: &[Place]) -> String {
    match *ends {
        [a, b] if !controllers.contains(&a) && !controllers.contains(&b) => {
            format!("link {number} from {},{} to {},{}", a.0, a.1, b.0, b.1)
        }
        [_, _] => format!("link {number} of a controller"),
        _ => format!("bus {number}"),
    }
}

const ALL: DomainId = DomainId(0);

struct Circuit {
    transfer: Transfer,
    waited: (Time, Time),
    controller: u32,
    links: Vec<u32>,
}

struct Controller {
    place: Place,
    transfers: u32,
    since: Time,
    busy: Time,
}

pub struct Custom {
    name: String,
    columns: u32,
    ends: Vec<Vec<Place>>,
    controllers: Vec<Controller>,
    ways: Ways,
    is_mesh: bool,
    cycles: Cycles,
    grant_delay: Time,
    taken: Vec<bool>,
    used: Vec<LinkUse>,
    circuits: Slab<PathId, Circuit>,
    spare: Vec<Vec<u32>>,
    under_way: u32,
    waiting: Vec<Asked>,
    arrived: u32,
    freed: Vec<u32>,
    is_due: bool,
    decisions: u64,
    port_taken: Vec<bool>,
    port_free_at: Vec<Time>,
    router_time: TimeSum,
    trace: WireTrace,
    grants: Grants,
    scratch: Vec<bool>,
    plan: Option<Box<dyn Plan>>,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    Decide,
    Crossed(PathId),
}

impl Custom {
    fn decide_later(&mut self, now: Time, later: &mut impl FnMut(Time, Event)) {
        if !std::mem::replace(&mut self.is_due, true) {
            later(now, Event::Decide);
        }
    }

    fn decide(&mut self, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.is_due = false;
        if self.waiting.is_empty() || !self.ways.has_free_controller(&self.taken) {
            return;
        }
        self.decisions += 1;
        let mut grants = std::mem::take(&mut self.grants);
        let arrived = self.arrived as usize;
        let view = View { now, waiting: &self.waiting, arrived, freed: &self.freed, taken: &self.taken };
        match &mut self.plan {
            None => self.ways.grant_shortest(&view, &mut self.scratch, &mut grants),
            Some(plan) => plan.decide(&view, &mut grants).unwrap_or_else(|why| end_run(why)),
        }
        self.arrived = 0;
        self.freed.clear();
        for (path, links) in grants.iter() {
            self.begin(path, links, now, later);
        }
        grants.clear();
        self.grants = grants;
        if let Some(asked) = self.waiting.first().filter(|_| self.under_way == 0) {
            let (fabric, transfer) = (&self.name, self.name_of(asked));
            end_run(format!("fabric {fabric}: no way for {transfer} though all links are free, expected one"));
        }
    }

    fn name_of(&self, asked: &Asked) -> String {
        let Transfer { chip, direction, .. } = asked.transfer;
        let way = if direction == Direction::ToChip { "to" } else { "from" };
        format!("transfer {} {way} chip {},{}", asked.path.0, chip.0 / self.columns, chip.0 % self.columns)
    }

    fn begin(&mut self, path: PathId, links: &[u32], now: Time, later: &mut impl FnMut(Time, Event)) {
        let Some(place) = self.waiting.iter().position(|asked| asked.path == path) else {
            let waiting = self.waiting.iter().map(|asked| self.name_of(asked)).collect::<Vec<_>>().join("; ");
            let (fabric, given) = (&self.name, path.0);
            end_run(format!("fabric {fabric}: a way for transfer {given}, expected one that waits: {waiting}"));
        };
        let asked = self.waiting.remove(place);
        let (fabric, transfer) = (&self.name, self.name_of(&asked));
        let refuse = |why: String| -> ! {
            end_run(format!(
                "fabric {fabric}: the way of {transfer}: links {links:?}: {why}; expected free links, each once, that lead one after \
                 the other from a controller to the chip"
            ))
        };
        for (place, &link) in links.iter().enumerate() {
            match self.taken.get(link as usize) {
                None => refuse(format!("there is no link {link}, expected one below {}", self.taken.len())),
                Some(true) if links[..place].contains(&link) => refuse(format!("link {link} is there twice")),
                Some(true) => refuse(format!("another transfer has link {link}")),
                Some(false) => self.taken[link as usize] = true,
            }
        }
        let controller = self.ways.check(links, asked.transfer.chip.0).unwrap_or_else(|why| refuse(why));
        let circuit = &mut self.circuits[path];
        (circuit.waited, circuit.controller) = ((now - asked.since, self.grant_delay), controller);
        circuit.links.extend_from_slice(links);
        for &link in links {
            self.used[link as usize].since = now;
        }
        let controller = &mut self.controllers[controller as usize];
        if controller.transfers == 0 {
            controller.since = now;
        }
        controller.transfers += 1;
        self.under_way += 1;
        let begins = now + self.grant_delay;
        self.cross(path, begins, later);
    }

    fn cross(&mut self, path: PathId, begins: Time, later: &mut impl FnMut(Time, Event)) {
        let Circuit { transfer, links, .. } = &self.circuits[path];
        let time = transfer.time();
        for &link in links {
            self.used[link as usize].active += time;
            self.trace.write_transfer(link, transfer, path, begins);
        }
        let has_router = self.is_mesh || self.ways.has_router(transfer.chip.0);
        let routers = links.len() as u64 - 1 + u64::from(has_router);
        self.router_time += time * routers;
        later(begins + time + self.cycles.byte() * routers, Event::Crossed(path));
    }
}

impl ChipToChip<Event> for Custom {}

impl Fabric for Custom {
    type Event = Event;
    type Times = Cycles;

    fn new(config: &FabricConfig, layout: &Layout) -> Custom {
        let (rows, columns) = (layout.channels, layout.chips_per_channel);
        let ends = links_of(config, rows, columns);
        let places = places_of_controllers(config, rows, columns);
        let controller = |&place| Controller { place, transfers: 0, since: Time::ZERO, busy: Time::ZERO };
        let chips = layout.chips() as usize;
        Custom {
            name: config.blueprint.as_ref().map_or_else(|| "custom".into(), |blueprint| blueprint.name.clone()),
            columns,
            ways: Ways::new(&ends, &self::chips(rows, columns), &places),
            controllers: places.iter().map(controller).collect(),
            is_mesh: config.blueprint.is_none(),
            cycles: Cycles::new(config, layout),
            grant_delay: config.custom.grant_delay.time(),
            taken: vec![false; ends.len()],
            used: vec![LinkUse::default(); ends.len()],
            circuits: Slab::new(),
            spare: Vec::new(),
            under_way: 0,
            waiting: Vec::new(),
            arrived: 0,
            freed: Vec::new(),
            is_due: false,
            decisions: 0,
            port_taken: vec![false; chips],
            port_free_at: vec![Time::ZERO; chips],
            router_time: TimeSum::ZERO,
            trace: WireTrace::default(),
            grants: Grants::default(),
            scratch: Vec::new(),
            plan: match (&config.blueprint, config.custom.route) {
                (Some(blueprint), _) => Some(blueprint.plans.begin()),
                (None, CircuitRoute::XThenY) => Some(Box::new(XThenY::new(&ends, layout, &places))),
                (None, CircuitRoute::Shortest) => None,
            },
            ends,
        }
    }

    fn domains(&self) -> u32 {
        1
    }

    fn domain_of(&self, _: ChipId) -> DomainId {
        ALL
    }

    fn chips_of(&self, _: DomainId) -> Range<u32> {
        0..self.port_taken.len() as u32
    }

    fn may_start(&self, _: DomainId) -> bool {
        true
    }

    fn is_free(&self, chip: ChipId, _: Direction) -> bool {
        !self.port_taken[chip.index()]
    }

    fn port_free_at(&self, chip: ChipId, _: Direction) -> Time {
        self.port_free_at[chip.index()]
    }

    fn start(&mut self, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) -> PathId {
        self.port_taken[transfer.chip.index()] = true;
        let links = self.spare.pop().unwrap_or_default();
        let circuit = Circuit { transfer, waited: (Time::ZERO, Time::ZERO), controller: 0, links };
        let path = self.circuits.insert(circuit);
        self.waiting.push(Asked { path, transfer, since: now });
        self.arrived += 1;
        self.decide_later(now, later);
        path
    }

    fn start_on_held_path(&mut self, path: PathId, transfer: Transfer, now: Time, later: &mut impl FnMut(Time, Event)) {
        let circuit = &mut self.circuits[path];
        (circuit.transfer, circuit.waited) = (transfer, (Time::ZERO, Time::ZERO));
        self.cross(path, now, later);
    }

    fn handle(&mut self, event: Event, now: Time, later: &mut impl FnMut(Time, Event)) -> FabricOutcome {
        let Event::Crossed(path) = event else {
            self.decide(now, later);
            return FabricOutcome::default();
        };
        let Circuit { transfer, waited: (conflict, setup), .. } = self.circuits[path];
        self.port_free_at[transfer.chip.index()] = now;
        let crossed = TransferDone { conflict, setup, ..TransferDone::freely(path) };
        FabricOutcome { crossed: Some(crossed), freed: None }
    }

    fn release(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) -> DomainId {
        let Circuit { transfer, controller, links, .. } = &mut self.circuits[path];
        self.port_taken[transfer.chip.index()] = false;
        self.port_free_at[transfer.chip.index()] = now;
        for &link in links.iter() {
            self.taken[link as usize] = false;
            self.used[link as usize].free(now);
        }
        let controller = &mut self.controllers[*controller as usize];
        controller.transfers -= 1;
        if controller.transfers == 0 {
            controller.busy += now - controller.since;
        }
        self.freed.extend_from_slice(links);
        links.clear();
        self.spare.push(std::mem::take(links));
        self.circuits.remove(path);
        self.under_way -= 1;
        if !self.waiting.is_empty() {
            self.decide_later(now, later);
        }
        ALL
    }

    fn times(&self) -> &Cycles {
        &self.cycles
    }

    fn peak_rate(&self) -> f64 {
        self.cycles.rate() * self.ways.own_links() as f64
    }

    fn wires(&self) -> Vec<Wire> {
        let controllers: Vec<Place> = self.controllers.iter().map(|controller| controller.place).collect();
        let wire = |(number, (ends, used)): (u32, (&Vec<Place>, &LinkUse))| Wire {
            name: name_of(number, ends, &controllers),
            kind: match ends.len() {
                2 if ends.iter().any(|end| controllers.contains(end)) => WireKind::ControllerLink,
                2 => WireKind::Link,
                _ => WireKind::Channel,
            },
            from: ends[0],
            to: ends[ends.len() - 1],
            busy: used.busy,
            active: used.active,
        };
        (0..).zip(self.ends.iter().zip(&self.used)).map(wire).collect()
    }

    fn controllers(&self) -> Vec<ControllerUse> {
        let each = |(c, controller): (usize, &Controller)| ControllerUse {
            name: format!("controller {c}"),
            place: controller.place,
            busy: controller.busy,
        };
        self.controllers.iter().enumerate().map(each).collect()
    }

    fn router_time(&self) -> TimeSum {
        self.router_time
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        vec![("decisions", self.decisions)]
    }

    fn trace(&mut self) -> &mut WireTrace {
        &mut self.trace
    }
}
