//! Wires and their ends, from the configuration alone, numbered as timelines number them.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::config::design::{Clusters, ControllerEdge, Design, FabricKind};
use crate::fabric::custom::{links_of, name_of, places_of_controllers};
use crate::fabric::failing::{Failed, failed};
use crate::fabric::loss::chips_cut_off;
use crate::fabric::wires::Place;
use crate::flash::address::ChipId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    Router(u32),
    Controller(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Bus { rows: Range<u32>, columns: Range<u32>, driver: u32 },
    Link(Node, Node),
    Trunk(Vec<u32>),
    Inner(u32, Range<u32>),
    Grants(u32),
    RowGrants(u32),
    Joint(Vec<Place>, bool),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wire {
    pub name: String,
    pub line: Line,
}

#[derive(Debug, Clone)]
pub struct Shape {
    pub rows: u32,
    pub columns: u32,
    pub wires: Vec<Wire>,
    edge: ControllerEdge,
    chips_per_switch: u32,
    failed: BTreeSet<u32>,
    pub cut_off: Vec<ChipId>,
}

impl Shape {
    pub fn line(&self, wire: u32) -> Option<&Line> {
        self.wires.get(wire as usize).map(|wire| &wire.line)
    }

    pub fn new(design: &Design) -> Shape {
        let (rows, columns) = (design.geometry.channels, design.geometry.chips_per_channel);
        let edge = design.fabric.network.controllers;
        let chips_per_switch = design.fabric.clusters.chips_per_switch;
        let (none, cut_off) = (BTreeSet::new(), chips_cut_off(design));
        let mut shape = Shape { rows, columns, wires: Vec::new(), edge, chips_per_switch, failed: none, cut_off };
        shape.wires = match design.fabric.kind {
            FabricKind::Bus | FabricKind::Packetized => shape.row_buses(),
            FabricKind::Sca => [shape.row_buses(), shape.command_buses()].concat(),
            FabricKind::Ideal => shape.paths(),
            FabricKind::Omnibus | FabricKind::OmnibusSplit => [shape.row_buses(), shape.column_buses()].concat(),
            FabricKind::Mesh | FabricKind::Mesh2bit => shape.directed_links(),
            FabricKind::Venice => shape.links(),
            FabricKind::Custom => shape.joints(design),
            FabricKind::ScheduledMesh => [shape.links(), shape.row_grants()].concat(),
            FabricKind::Clusters => shape.clusters(&design.fabric.clusters),
            FabricKind::DaisyChain => shape.chains(false),
            FabricKind::Ring => shape.chains(true),
        };
        let (kind, failed) = (design.fabric.kind, failed(&design.fabric, rows, columns));
        let fails = |(number, wire): (u32, &Wire)| shape.fails(kind, number, wire, &failed).then_some(number);
        shape.failed = (0..).zip(&shape.wires).filter_map(fails).collect();
        shape
    }

    fn fails(&self, kind: FabricKind, number: u32, wire: &Wire, failed: &Failed) -> bool {
        if matches!(kind, FabricKind::DaisyChain | FabricKind::Ring) {
            let row = number / (self.wires.len() as u32 / self.rows);
            return failed.buses.contains(&row) || failed.controllers.contains(&row);
        }
        let node_fails = |node: &Node| match node {
            Node::Router(router) => failed.routers.contains(router),
            Node::Controller(controller) => failed.controllers.contains(controller),
        };
        match &wire.line {
            Line::Bus { driver, .. } => {
                // Command pins come behind all channels.
                let bus = if kind == FabricKind::Sca { number % self.rows } else { number };
                failed.buses.contains(&bus) || failed.controllers.contains(driver)
            }
            Line::Link(from, to) => {
                let is_link = |&(one, other): &(u32, u32)| {
                    [(*from, *to), (*to, *from)].contains(&(Node::Router(one), Node::Router(other)))
                };
                node_fails(from) || node_fails(to) || failed.links.iter().any(is_link)
            }
            Line::Trunk(_) => failed.controllers.contains(&number),
            Line::Inner(switch, _) => failed.switches.contains(switch) || failed.buses.contains(&(number - self.rows)),
            Line::Grants(switch) => failed.switches.contains(switch),
            Line::RowGrants(_) | Line::Joint(..) => false,
        }
    }

    pub fn name(&self, wire: u32) -> String {
        self.wires.get(wire as usize).map_or_else(|| format!("wire {wire}"), |wire| wire.name.clone())
    }

    pub fn place(&self, chip: u32) -> (u32, u32) {
        (chip / self.columns, chip % self.columns)
    }

    pub fn at(&self, row: u32, column: u32) -> u32 {
        row * self.columns + column
    }

    /// West, or east in odd rows.
    pub fn entry(&self, controller: u32) -> u32 {
        self.at(controller, if self.is_east(controller) { self.columns - 1 } else { 0 })
    }

    pub fn has_failed(&self, wire: u32) -> bool {
        self.failed.contains(&wire)
    }

    pub fn switch_of(&self, chip: u32) -> u32 {
        chip / self.chips_per_switch
    }

    fn is_east(&self, controller: u32) -> bool {
        self.edge == ControllerEdge::Alternating && controller % 2 == 1
    }

    fn row_buses(&self) -> Vec<Wire> {
        let bus = |row| Line::Bus { rows: row..row + 1, columns: 0..self.columns, driver: row };
        (0..self.rows).map(|row| Wire { name: format!("channel {row}"), line: bus(row) }).collect()
    }

    fn chains(&self, is_ring: bool) -> Vec<Wire> {
        let row_of = |row: u32| {
            let node = |column: Option<u32>| column.map_or(Node::Controller(row), |at| Node::Router(self.at(row, at)));
            let out = (0..self.columns).map(move |to| (node(to.checked_sub(1)), node(Some(to))));
            let last = self.columns - 1;
            let back: Vec<_> = match is_ring {
                true => vec![(node(Some(last)), node(None))],
                false => (0..self.columns).map(|from| (node(Some(from)), node(from.checked_sub(1)))).collect(),
            };
            let named = move |(number, (from, to))| Wire {
                name: format!("link {number} of channel {row}"),
                line: Line::Link(from, to),
            };
            out.chain(back).enumerate().map(named).collect::<Vec<_>>()
        };
        (0..self.rows).flat_map(row_of).collect()
    }

    pub fn is_on_chain(&self, from: Node, to: Node, chip: u32, comes_back: bool, is_ring: bool) -> bool {
        let (row, column) = self.place(chip);
        let at = |node: Node| match node {
            Node::Controller(row) => (row, None),
            Node::Router(router) => (self.place(router).0, Some(self.place(router).1)),
        };
        let ((in_row, from), (_, to)) = (at(from), at(to));
        let goes_out = to > from;
        in_row == row
            && match (comes_back, is_ring) {
                (false, _) => goes_out && to.is_some_and(|to| to <= column),
                (true, true) => from.is_some_and(|from| from >= column),
                (true, false) => !goes_out && from.is_some_and(|from| from <= column),
            }
    }

    /// JESD230G §10.
    fn command_buses(&self) -> Vec<Wire> {
        let named = |bus: Wire| Wire { name: format!("command {}", bus.name), ..bus };
        self.row_buses().into_iter().map(named).collect()
    }

    fn paths(&self) -> Vec<Wire> {
        let path = |chip| {
            let (row, column) = self.place(chip);
            let line = Line::Bus { rows: row..row + 1, columns: column..column + 1, driver: row };
            Wire { name: format!("path to chip {row},{column}"), line }
        };
        (0..self.rows * self.columns).map(path).collect()
    }

    /// Adjacent columns share buses where there are more columns than controllers (Networked SSD §V-E).
    fn column_buses(&self) -> Vec<Wire> {
        let buses = self.rows.min(self.columns);
        let bus = |driver: u32| {
            let mut columns = (0..self.columns).filter(|column| column * buses / self.columns == driver);
            let first = columns.next().expect("there are as many columns as buses");
            let last = columns.next_back().unwrap_or(first);
            let name = if first == last { format!("column {first}") } else { format!("columns {first}-{last}") };
            Wire { name, line: Line::Bus { rows: 0..self.rows, columns: first..last + 1, driver } }
        };
        (0..buses).map(bus).collect()
    }

    /// Switch by switch.
    fn clusters(&self, keys: &Clusters) -> Vec<Wire> {
        let chips = self.rows * self.columns;
        let switches = chips.div_ceil(keys.chips_per_switch);
        let steps = trunk_steps(keys.trunks.unwrap_or(4).min(self.rows), self.rows);
        let hangs_on = |switch: u32, trunk: u32| {
            let own = switch * self.rows / switches;
            steps.iter().any(|step| (own + step) % self.rows == trunk)
        };
        let trunk = |c| Wire {
            name: format!("trunk {c}"),
            line: Line::Trunk((0..switches).filter(|&switch| hangs_on(switch, c)).collect()),
        };
        let each = keys.chips_per_switch / keys.inner_buses;
        let buses = |switch: u32| {
            let end = ((switch + 1) * keys.chips_per_switch).min(chips);
            let firsts = (switch * keys.chips_per_switch..end).step_by(each as usize);
            let inner = move |(number, first): (u32, u32)| Wire {
                name: format!("inner bus {switch}.{number}"),
                line: Line::Inner(switch, first..(first + each).min(end)),
            };
            (0..).zip(firsts).map(inner)
        };
        let grants = |switch| Wire { name: format!("grants to switch {switch}"), line: Line::Grants(switch) };
        (0..self.rows).map(trunk).chain((0..switches).flat_map(buses)).chain((0..switches).map(grants)).collect()
    }

    fn between(&self, from: u32, to: u32) -> Wire {
        let ((a, b), (c, d)) = (self.place(from), self.place(to));
        Wire { name: format!("link {a},{b} to {c},{d}"), line: Line::Link(Node::Router(from), Node::Router(to)) }
    }

    fn links(&self) -> Vec<Wire> {
        let chips = 0..self.rows * self.columns;
        let along_rows = chips.clone().filter(|chip| chip % self.columns + 1 < self.columns);
        let along_columns = chips.filter(|chip| chip / self.columns + 1 < self.rows);
        let own = |c| {
            let line = Line::Link(Node::Controller(c), Node::Router(self.entry(c)));
            Wire { name: format!("link of controller {c}"), line }
        };
        along_rows
            .map(|chip| self.between(chip, chip + 1))
            .chain(along_columns.map(|chip| self.between(chip, chip + self.columns)))
            .chain((0..self.rows).map(own))
            .collect()
    }

    fn joints(&self, design: &Design) -> Vec<Wire> {
        let controllers = places_of_controllers(&design.fabric, self.rows, self.columns);
        let named = |(number, ends): (u32, Vec<Place>)| {
            let is_own = ends.iter().any(|end| controllers.contains(end));
            Wire { name: name_of(number, &ends, &controllers), line: Line::Joint(ends, is_own) }
        };
        (0..).zip(links_of(&design.fabric, self.rows, self.columns)).map(named).collect()
    }

    fn row_grants(&self) -> Vec<Wire> {
        let grants = |row| Wire { name: format!("grants to row {row}"), line: Line::RowGrants(row) };
        (0..self.rows).map(grants).collect()
    }

    /// Router by router: east, west, south, north, to a controller and from it.
    fn directed_links(&self) -> Vec<Wire> {
        let mut wires = Vec::new();
        for chip in 0..self.rows * self.columns {
            let (row, column) = self.place(chip);
            if column + 1 < self.columns {
                wires.push(self.between(chip, chip + 1));
            }
            if column > 0 {
                wires.push(self.between(chip, chip - 1));
            }
            if row + 1 < self.rows {
                wires.push(self.between(chip, chip + self.columns));
            }
            if row > 0 {
                wires.push(self.between(chip, chip - self.columns));
            }
            if self.entry(row) == chip {
                let (router, controller) = (Node::Router(chip), Node::Controller(row));
                let to = Line::Link(router, controller);
                wires.push(Wire { name: format!("link to controller {row}"), line: to });
                let from = Line::Link(controller, router);
                wires.push(Wire { name: format!("link from controller {row}"), line: from });
            }
        }
        wires
    }
}

/// Each the shortest after which two switches share the fewest trunks.
fn trunk_steps(trunks: u32, controllers: u32) -> Vec<u32> {
    let mut steps = vec![0];
    while steps.len() < trunks as usize {
        let in_common = |next: u32| {
            let all: BTreeSet<u32> = steps.iter().copied().chain([next]).collect();
            let at =
                |distance: u32| all.iter().filter(|&step| all.contains(&((step + distance) % controllers))).count();
            (1..controllers).map(at).max()
        };
        let left = (0..controllers).filter(|step| !steps.contains(step));
        let next = left.min_by_key(|&next| in_common(next)).expect("there are as many controllers");
        steps.push(next);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_design;
    use crate::config::named::Named;
    use crate::fabric::{Fabric, with_fabric};

    #[test]
    fn wires_are_named_as_the_fabrics_name_them() {
        for &kind in FabricKind::ALL {
            for (rows, columns, edge) in [(8, 8, "west"), (2, 5, "alternating"), (3, 1, "alternating"), (1, 4, "west")]
            {
                let set = [
                    format!("fabric.kind={}", kind.name()),
                    format!("geometry.channels={rows}"),
                    format!("geometry.chips_per_channel={columns}"),
                    format!("fabric.network.controllers={edge}"),
                ];
                let design = load_design("performance-optimized", None, &set).unwrap_or_else(|e| panic!("{e}"));
                let layout = design.layout();
                let stated = with_fabric!(kind, F => F::new(&design.fabric, &layout).wires());
                let names: Vec<String> = stated.into_iter().map(|wire| wire.name).collect();
                let shape = Shape::new(&design);
                assert_eq!(shape.wires.iter().map(|wire| wire.name.clone()).collect::<Vec<_>>(), names, "{kind:?}");
            }
        }
    }
}
