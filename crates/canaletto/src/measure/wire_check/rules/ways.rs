//! Ways over a custom fabric lead from a controller to the chip.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Check;
use crate::config::design::CircuitRoute;
use crate::engine::time::Time;
use crate::fabric::wires::Place;
use crate::measure::wire_check::found::{Found, Rule};
use crate::measure::wire_check::known::{Known, Open};
use crate::measure::wire_check::shape::Line;

pub struct Ways {
    known: Rc<Known>,
    x_then_y: bool,
}

impl Ways {
    pub fn new(known: &Rc<Known>) -> Ways {
        let x_then_y = known.design.fabric.custom.route == CircuitRoute::XThenY;
        Ways { known: known.clone(), x_then_y }
    }

    fn joint(&self, wire: u32) -> Option<(&[Place], bool)> {
        match self.known.shape.line(wire)? {
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
            found.add_of(open, &self.known, Rule::Route, at, &fault, "links from a controller to the chip");
        }
    }
}

impl Check for Ways {
    fn look_back(&mut self, over: &Open, at: Time, found: &mut Found) {
        let mut seen = BTreeSet::new();
        let wires: Vec<u32> = over.crossed().map(|cycles| cycles.wire).filter(|&wire| seen.insert(wire)).collect();
        if !wires.is_empty() {
            self.check(&wires, over, at, found);
        }
    }
}
