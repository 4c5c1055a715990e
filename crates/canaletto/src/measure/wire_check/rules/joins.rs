//! The end of a page on a second bus (`fabric.omnibus.late_split`): its controller has told the first one, and the chip
//! has turned to the column.

use std::rc::Rc;

use super::Check;
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::Line;

pub struct Joins {
    known: Rc<Known>,
    is_on: bool,
    cycles: Vec<Vec<Cycles>>,
}

impl Joins {
    pub fn new(known: &Rc<Known>) -> Joins {
        Joins { known: known.clone(), is_on: known.splits_late(), cycles: Vec::new() }
    }

    fn driver(&self, wire: u32) -> Option<u32> {
        match self.known.shape.wires.get(wire as usize)?.line {
            Line::Bus { driver, .. } => Some(driver),
            _ => None,
        }
    }

    fn add(&self, rule: Rule, open: &Open, at: Time, what: &str, expected: String, found: &mut Found) {
        let (row, column) = self.known.shape.place(open.load.chip.0);
        let what = format!("transfer {}: {what}", open.transfer);
        found.add(rule, at, format!("chip {row},{column}"), what, expected);
    }

    fn check(&self, cycles: &[Cycles], open: &Open, found: &mut Found) {
        let is_data = |c: &&Cycles| matches!(c.what, WireUse::Command | WireUse::Data);
        let Some(first) = cycles.iter().filter(is_data).map(|c| c.wire).next() else { return };
        // Each time with a packet for the column.
        let joined: Vec<&Cycles> = cycles.iter().filter(|c| c.wire != first).collect();
        let (message, packet) = self.known.lengths.join();
        let turn = Time::from_ns(self.known.lengths.distances().t_ccs);
        let mut told: Option<&Cycles> = None;
        let mut asked: Option<&Cycles> = None;
        for c in joined {
            match (c.what, asked) {
                (WireUse::Handshake, _) => told = Some(c),
                (_, None) => {
                    self.check_told(told.take(), c, first, message, open, found);
                    if c.until.saturating_sub(c.from) < packet {
                        let expected = format!("{} at the least", ns(packet));
                        self.add(Rule::Command, open, c.from, "a packet for the column takes less", expected, found);
                    }
                    asked = Some(c);
                }
                (_, Some(packet)) => {
                    if c.from < packet.until + turn {
                        let expected = format!("{} or later (tCCS)", ns(packet.until + turn));
                        self.add(Rule::Distance, open, c.from, "the end of its page", expected, found);
                    }
                    asked = None;
                }
            }
        }
    }

    fn check_told(
        &self,
        told: Option<&Cycles>,
        joins: &Cycles,
        first: u32,
        message: Time,
        open: &Open,
        found: &mut Found,
    ) {
        if self.driver(first) == self.driver(joins.wire) {
            return;
        }
        let is_told = told.is_some_and(|t| t.until == joins.from && t.until.saturating_sub(t.from) >= message);
        if !is_told {
            let expected = format!("a message of {} just before", ns(message));
            self.add(Rule::Handshake, open, joins.from, "a bus joins", expected, found);
        }
    }
}

impl Check for Joins {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        if !self.is_on {
            return;
        }
        match &entry.fact {
            Fact::Begins { path, .. } => {
                if self.cycles.len() <= path.index() {
                    self.cycles.resize(path.index() + 1, Vec::new());
                }
                self.cycles[path.index()].clear();
            }
            Fact::Wire(cycles) if transfers.of(cycles).is_some() => self.cycles[cycles.path.index()].push(*cycles),
            Fact::Ends { transfer, path } => {
                if let Some(open) = transfers.get(*path, *transfer) {
                    self.check(&self.cycles[path.index()], open, found);
                }
            }
            _ => {}
        }
    }
}
