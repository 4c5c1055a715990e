//! Scouts of Venice go a hop at a time, and nothing crosses before they are back (Venice §4.2, Fig. 6).

use std::rc::Rc;

use super::Check;
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::{Line, Node};

pub struct Scouts {
    known: Rc<Known>,
    hop: Time,
    hops: Vec<Vec<Cycles>>,
}

const KEPT: usize = 8;

impl Scouts {
    pub fn new(known: &Rc<Known>) -> Scouts {
        let (rows, columns) = (known.shape.rows, known.shape.columns);
        Scouts {
            hop: known.lengths.scout_hop(rows * columns, rows),
            known: known.clone(),
            hops: vec![Vec::new(); rows as usize],
        }
    }

    fn nodes(&self, wire: u32) -> Vec<Node> {
        match self.known.shape.line(wire) {
            Some(Line::Link(from, to)) => vec![*from, *to],
            _ => Vec::new(),
        }
    }

    fn hop(&mut self, cycles: &Cycles, found: &mut Found) {
        let name = self.known.shape.name(cycles.wire);
        let took = cycles.until.saturating_sub(cycles.from);
        if took != self.hop {
            let what = format!("a hop of {}", ns(took));
            found.add(Rule::Scout, cycles.from, name.clone(), what, format!("{} a hop", ns(self.hop)));
        }
        let nodes = self.nodes(cycles.wire);
        let sets_out = nodes.contains(&Node::Controller(cycles.path.0));
        let follows = |before: &Cycles| {
            before.until == cycles.from && self.nodes(before.wire).iter().any(|node| nodes.contains(node))
        };
        let Some(hops) = self.hops.get(cycles.path.index()) else { return };
        if !sets_out && !hops.iter().any(follows) {
            let what = format!("a packet of controller {} in {:?} mode", cycles.path.0, cycles.what);
            found.add(Rule::Scout, cycles.from, name, what, "one that comes from a neighbouring router just now");
        }
        let hops = &mut self.hops[cycles.path.index()];
        if hops.len() == KEPT {
            hops.remove(0);
        }
        hops.push(*cycles);
    }

    fn carries(&self, cycles: &Cycles, found: &mut Found) {
        let Some(hops) = self.hops.get(cycles.path.index()) else { return };
        let last = hops.iter().rev().find(|hop| hop.what == WireUse::Scout && hop.transfer == cycles.transfer);
        let back = last.map_or(Time::ZERO, |last| last.until + self.hop);
        if cycles.from < back {
            let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
            let expected = format!("none before the scout is back, {} at the soonest", ns(back));
            found.add(Rule::Scout, cycles.from, self.known.shape.name(cycles.wire), what, expected);
        }
    }
}

impl Check for Scouts {
    fn see(&mut self, entry: &Entry, _: &Transfers, found: &mut Found) {
        let Fact::Wire(cycles) = &entry.fact else { return };
        match cycles.what {
            WireUse::Scout | WireUse::Cancel => self.hop(cycles, found),
            WireUse::Command | WireUse::Data => self.carries(cycles, found),
            _ => {}
        }
    }
}
