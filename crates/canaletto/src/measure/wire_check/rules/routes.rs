//! Packets of a mesh go along the row, then along the column, hop by hop (Venice §3.2: dimension-order routing).

use std::rc::Rc;

use super::Check;
use crate::config::design::MeshController;
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open};
use crate::measure::wire_check::recording::Cycles;
use crate::measure::wire_check::shape::{Line, Node};

pub struct Routes {
    known: Rc<Known>,
}

impl Routes {
    pub fn new(known: &Rc<Known>) -> Routes {
        Routes { known: known.clone() }
    }

    fn wire(&self, from: Node, to: Node) -> u32 {
        let line = Line::Link(from, to);
        self.known.shape.wires.iter().position(|wire| wire.line == line).map_or(u32::MAX, |wire| wire as u32)
    }

    fn way(&self, open: &Open, controller: Option<u32>) -> Vec<u32> {
        let shape = &self.known.shape;
        let (chip, end) = (open.load.chip.0, controller.map_or(open.load.to.0, |controller| shape.entry(controller)));
        let (from, to) = if open.load.direction == Direction::ToChip { (end, chip) } else { (chip, end) };
        let ((mut row, mut column), (last_row, last_column)) = (shape.place(from), shape.place(to));
        let step = |at: u32, end: u32| if at < end { at + 1 } else { at - 1 };
        let mut nodes = vec![Node::Router(from)];
        while column != last_column {
            column = step(column, last_column);
            nodes.push(Node::Router(shape.at(row, column)));
        }
        while row != last_row {
            row = step(row, last_row);
            nodes.push(Node::Router(shape.at(row, column)));
        }
        match (controller, open.load.direction) {
            (Some(controller), Direction::ToChip) => nodes.insert(0, Node::Controller(controller)),
            (Some(controller), Direction::FromChip) => nodes.push(Node::Controller(controller)),
            (None, _) => {}
        }
        nodes.windows(2).map(|pair| self.wire(pair[0], pair[1])).collect()
    }

    fn controller(&self, packets: &[Cycles]) -> Option<u32> {
        packets.iter().find_map(|packet| match *self.known.shape.line(packet.wire)? {
            Line::Link(Node::Controller(c), _) | Line::Link(_, Node::Controller(c)) => Some(c),
            _ => None,
        })
    }

    fn check(&self, packets: &[Cycles], open: &Open, at: Time, found: &mut Found) {
        let (row, _) = self.known.shape.place(open.load.chip.0);
        let mut complain =
            |what: String, expected: String| found.add_of(open, &self.known, Rule::Route, at, &what, expected);
        let controller = self.controller(packets);
        if controller.is_some() == (open.load.carries == Carries::Copy) {
            let expected = "a link of a controller, unless it is a copy";
            return complain(format!("controller {controller:?}"), expected.into());
        }
        let own_row = self.known.design.fabric.mesh.controller == MeshController::OwnRow;
        if let Some(controller) = controller.filter(|&controller| own_row && controller != row) {
            complain(format!("has to do with controller {controller}"), format!("controller {row}, of the chip's row"));
        }
        let way = self.way(open, controller);
        if let Some(stray) = packets.iter().find(|packet| !way.contains(&packet.wire)) {
            let name = self.known.shape.name(stray.wire);
            return complain(format!("a packet on {name}"), "all on its way, X first, then Y".into());
        }
        let on = |wire: u32| packets.iter().filter(move |packet| packet.wire == wire);
        for pair in way.windows(2) {
            let (here, there) = (pair[0], pair[1]);
            if on(here).count() != on(there).count() {
                let (a, b) = (self.known.shape.name(here), self.known.shape.name(there));
                complain(
                    format!("{} packets on {a}, {} on {b}", on(here).count(), on(there).count()),
                    "as many".into(),
                );
                continue;
            }
            for (before, after) in on(here).zip(on(there)) {
                let length = |packet: &Cycles| (packet.what, packet.until.saturating_sub(packet.from));
                if length(before) != length(after) {
                    complain("a packet changes on its way".into(), "the same length on every link".into());
                }
                let soonest = before.from + self.known.lengths.mesh_hop();
                if after.from < soonest {
                    let name = self.known.shape.name(there);
                    complain(
                        format!("a packet on {name} at {}", ns(after.from)),
                        format!("a hop later, {}", ns(soonest)),
                    );
                }
            }
        }
        let last = packets.iter().map(|packet| packet.until).max().unwrap_or_default();
        let hop = if open.load.direction == Direction::ToChip { self.known.lengths.mesh_hop() } else { Time::ZERO };
        if at < last + hop {
            complain("it ends".into(), format!("an end at {} or later", ns(last + hop)));
        }
    }
}

impl Check for Routes {
    fn look_back(&mut self, over: &Open, at: Time, found: &mut Found) {
        let packets: Vec<Cycles> = over.crossed().copied().collect();
        if !packets.is_empty() {
            self.check(&packets, over, at, found);
        }
    }
}
