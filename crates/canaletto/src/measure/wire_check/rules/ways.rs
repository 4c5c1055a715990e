//! Ways over a custom fabric lead from a controller to the chip.

use std::rc::Rc;

use super::Check;
use crate::config::design::{CircuitRoute, FabricKind};
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::fabric::wires::Place;
use crate::measure::wire_check::found::{Found, Rule};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};
use crate::measure::wire_check::shape::Line;

pub struct Ways {
    known: Rc<Known>,
    is_on: bool,
    x_then_y: bool,
    crossed: Vec<Vec<u32>>,
}

impl Ways {
    pub fn new(known: &Rc<Known>) -> Ways {
        let x_then_y = known.design.fabric.custom.route == CircuitRoute::XThenY;
        Ways { known: known.clone(), is_on: known.kind == FabricKind::Custom, x_then_y, crossed: Vec::new() }
    }

    fn joint(&self, wire: u32) -> Option<(&[Place], bool)> {
        match &self.known.shape.wires.get(wire as usize)?.line {
            Line::Joint(ends, is_own) => Some((ends, *is_own)),
            _ => None,
        }
    }

    fn fault(&self, wires: &[u32], chip: Place) -> Option<String> {
        let joints: Option<Vec<(&[Place], bool)>> = wires.iter().map(|&wire| self.joint(wire)).collect();
        let Some(joints) = joints else { return Some("it crosses what is no link".into()) };
        let own = joints.iter().filter(|(_, is_own)| *is_own).count();
        if own != 1 || !joints[0].1 {
            return Some(format!("links of {own} controllers"));
        }
        if let Some(apart) = joints.windows(2).position(|pair| !pair[0].0.iter().any(|end| pair[1].0.contains(end))) {
            let name = |place: usize| self.known.shape.name(wires[place]);
            return Some(format!("{} and {} do not meet", name(apart), name(apart + 1)));
        }
        let is_down = |ends: &[Place]| ends.first().map(|end| end.1) == ends.last().map(|end| end.1);
        let mut along = joints.iter().skip(1).map(|(ends, _)| is_down(ends)).skip_while(|down| !down);
        if self.x_then_y && along.any(|down| !down) {
            return Some("it turns from its column to a row".into());
        }
        let reaches = joints.last().is_some_and(|(ends, _)| ends.contains(&chip));
        (!reaches).then(|| "it ends elsewhere".into())
    }

    fn check(&self, wires: &[u32], open: &Open, at: Time, found: &mut Found) {
        let (row, column) = self.known.shape.place(open.load.chip.0);
        if let Some(fault) = self.fault(wires, (row as i32, column as i32)) {
            let what = format!("transfer {}: {fault}", open.transfer);
            found.add(Rule::Route, at, format!("chip {row},{column}"), what, "links from a controller to the chip");
        }
    }
}

impl Check for Ways {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        if !self.is_on {
            return;
        }
        match &entry.fact {
            Fact::Begins { path, .. } => {
                if self.crossed.len() <= path.index() {
                    self.crossed.resize(path.index() + 1, Vec::new());
                }
                self.crossed[path.index()].clear();
            }
            Fact::Wire(cycles)
                if matches!(cycles.what, WireUse::Command | WireUse::Data) && transfers.of(cycles).is_some() =>
            {
                let crossed = &mut self.crossed[cycles.path.index()];
                if !crossed.contains(&cycles.wire) {
                    crossed.push(cycles.wire);
                }
            }
            Fact::Ends { transfer, path } => {
                if let Some(open) = transfers.get(*path, *transfer) {
                    let crossed = std::mem::take(&mut self.crossed[path.index()]);
                    if !crossed.is_empty() {
                        self.check(&crossed, open, entry.at, found);
                    }
                    self.crossed[path.index()] = crossed;
                }
            }
            _ => {}
        }
    }
}
