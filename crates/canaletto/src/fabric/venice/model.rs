//! Algorithm 1 as plainly as possible, to check the tables.

use std::collections::{BTreeMap, BTreeSet};

use super::packet::Mode;
use super::routers::{Hop, Routers};
use super::scout::Scout;
use crate::config::design::ControllerEdge;
use crate::engine::time::Time;
use crate::fabric::venice::grid::{Grid, LinkId, Port, RouterId};
use proptest::prelude::*;

struct Model {
    grid: Grid,
    taken: BTreeSet<LinkId>,
    table: BTreeMap<(RouterId, Option<u8>), (u32, Port)>,
    registers: Vec<usize>,
}

#[derive(Clone)]
struct ModelScout {
    packet: u32,
    destination: RouterId,
    at: RouterId,
    entry: Port,
    goes_back: bool,
    tried: BTreeSet<(RouterId, u8)>,
}

impl Model {
    fn new(grid: &Grid) -> Model {
        let registers = (0..grid.routers()).map(|r| r as usize % 3 + 1).collect();
        Model { grid: grid.clone(), taken: BTreeSet::new(), table: BTreeMap::new(), registers }
    }

    fn scout(&self, controller: u32, chip: u32) -> ModelScout {
        let entry = self.grid.entry(controller);
        ModelScout {
            packet: controller,
            destination: RouterId(chip),
            at: entry.router(),
            entry: entry.port(),
            goes_back: false,
            tried: BTreeSet::new(),
        }
    }

    fn cancel(&mut self, packet: u32, at: RouterId, exit: Option<Port>) -> Port {
        let (owner, entry) = self.table.remove(&(at, exit.map(|port| port as u8))).expect("a reservation");
        assert_eq!(owner, packet);
        if let Some((link, _)) = exit.and_then(|exit| self.grid.neighbour(at, exit)) {
            assert!(self.taken.remove(&link));
        }
        entry
    }

    fn hop(&mut self, scout: &mut ModelScout) -> Hop {
        let at = scout.at;
        if scout.goes_back {
            scout.entry = self.cancel(scout.packet, at, Some(scout.entry));
        }
        if at == scout.destination {
            self.table.insert((at, None), (scout.packet, scout.entry));
            return Hop::Arrived;
        }
        let output = self.choose(scout);
        if let Some(output) = output {
            scout.tried.insert((at, output as u8));
            self.table.insert((at, Some(output as u8)), (scout.packet, scout.entry));
            self.taken.insert(self.grid.neighbour(at, output).expect("a link").0);
        }
        let port = output.unwrap_or(scout.entry);
        let Some((_, next)) = self.grid.neighbour(at, port) else { return Hop::Failed };
        (scout.at, scout.entry, scout.goes_back) = (next, port.opposite(), output.is_none());
        Hop::On
    }

    fn choose(&mut self, scout: &ModelScout) -> Option<Port> {
        let at = scout.at;
        let next = |port: Port| self.grid.neighbour(at, port).filter(|(link, _)| !self.taken.contains(link));
        let distance = |from: RouterId| {
            let (from, to) = (self.grid.place(from), self.grid.place(scout.destination));
            from.0.abs_diff(to.0) + from.1.abs_diff(to.1)
        };
        let untried = |port: &Port| !scout.tried.contains(&(at, *port as u8));
        let free: Vec<Port> = Port::ALL.into_iter().filter(|&p| next(p).is_some()).filter(untried).collect();
        let nearer = |port: &&Port| next(**port).is_some_and(|(_, next)| distance(next) < distance(at));
        let mut outputs: Vec<Port> = free.iter().filter(nearer).copied().collect();
        if outputs.is_empty() {
            outputs = free.into_iter().filter(|&port| port != scout.entry).collect();
        }
        if outputs.len() > 1 {
            // x² + x + 1: 1, 3, 2 and round again.
            let register = &mut self.registers[at.index()];
            *register = [0, 3, 1, 2][*register];
            return Some(outputs[(*register - 1) % outputs.len()]);
        }
        outputs.pop()
    }

    fn release(&mut self, packet: u32, chip: RouterId) {
        let (mut at, mut entry) = (chip, self.cancel(packet, chip, None));
        while let Some((_, before)) = self.grid.neighbour(at, entry) {
            at = before;
            entry = self.cancel(packet, at, Some(entry.opposite()));
        }
    }
}

proptest! {
    #[test]
    fn routers_do_as_algorithm_1_says(
        rows in 1u32..7, columns in 1u32..7, alternating: bool,
        actions in prop::collection::vec((0u32..6, 0u32..36, 1u8..40), 0..120),
    ) {
        let edge = if alternating { ControllerEdge::Alternating } else { ControllerEdge::West };
        let grid = Grid::new(rows, columns, edge);
        let (mut routers, mut model) = (Routers::new(grid.clone(), grid.rows, Time::from_ns(3)), Model::new(&grid));
        let mut under_way: BTreeMap<u32, (Scout, ModelScout)> = BTreeMap::new();
        let mut circuits: BTreeMap<u32, RouterId> = BTreeMap::new();
        for (number, (controller, chip, hops)) in (1..).zip(actions) {
            let (controller, chip) = (controller % rows, chip % grid.routers());
            if let Some(chip) = circuits.remove(&controller) {
                routers.release(controller, chip, Time::from_us(number));
                model.release(controller, chip);
                continue;
            }
            let is_wanted = under_way.values().any(|(_, scout)| scout.destination.0 == chip);
            if !under_way.contains_key(&controller) && !is_wanted && circuits.values().all(|taken| taken.0 != chip) {
                let scout = routers.scout(controller, RouterId(chip), Time::from_us(number));
                under_way.insert(controller, (scout, model.scout(controller, chip)));
            }
            for _ in 0..hops {
                let Some((scout, expected)) = under_way.get_mut(&controller) else { break };
                let hop = routers.hop(scout);
                prop_assert_eq!(hop, model.hop(expected));
                if hop != Hop::On {
                    if hop == Hop::Arrived {
                        circuits.insert(controller, expected.destination);
                    }
                    under_way.remove(&controller);
                    break;
                }
                prop_assert_eq!((scout.entry.router(), scout.entry.port()), (expected.at, expected.entry));
                prop_assert_eq!(scout.packet.mode == Mode::Cancel, expected.goes_back);
            }
            prop_assert_eq!(routers.reserved() as usize, model.taken.len());
        }
    }
}
