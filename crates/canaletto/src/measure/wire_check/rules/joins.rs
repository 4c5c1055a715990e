//! The end of a page on a second bus (`fabric.omnibus.late_split`): its controller has told the first one, and the chip
//! has turned to the column.

use std::rc::Rc;

use super::Check;
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open};
use crate::measure::wire_check::recording::Cycles;
use crate::measure::wire_check::shape::Line;

pub struct Joins {
    known: Rc<Known>,
}

impl Joins {
    pub fn new(known: &Rc<Known>) -> Joins {
        Joins { known: known.clone() }
    }

    fn driver(&self, wire: u32) -> Option<u32> {
        match self.known.shape.line(wire)? {
            Line::Bus { driver, .. } => Some(*driver),
            _ => None,
        }
    }

    fn check(&self, open: &Open, found: &mut Found) {
        let Some(first) = open.crossed().map(|c| c.wire).next() else { return };
        // Each time with a packet for the column.
        let joined: Vec<&Cycles> = open.cycles.iter().filter(|c| c.wire != first).collect();
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
                        found.add_of(
                            open,
                            &self.known,
                            Rule::Command,
                            c.from,
                            "a packet for the column takes less",
                            expected,
                        );
                    }
                    asked = Some(c);
                }
                (_, Some(packet)) => {
                    if c.from < packet.until + turn {
                        let expected = format!("{} or later (tCCS)", ns(packet.until + turn));
                        found.add_of(open, &self.known, Rule::Distance, c.from, "the end of its page", expected);
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
            found.add_of(open, &self.known, Rule::Handshake, joins.from, "a bus joins", expected);
        }
    }
}

impl Check for Joins {
    fn look_back(&mut self, over: &Open, _: Time, found: &mut Found) {
        self.check(over, found);
    }
}
