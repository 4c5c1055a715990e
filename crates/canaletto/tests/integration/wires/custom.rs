//! Faults of ways over a custom fabric: links that do not lead from a controller to the chip, and links that carry two transfers.

use canaletto::fabric::trace::WireUse;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Fact};
use canaletto::measure::wire_check::shape::Line;

use super::Fault;
use super::tape::Tape;

const SITE: &str = "custom";

/// Data on a link between routers.
fn between(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| {
        c.what == WireUse::Data && matches!(tape.shape.wires[c.wire as usize].line, Line::Joint(_, false))
    })
}

/// Data on a link of a controller.
fn own(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| {
        c.what == WireUse::Data && matches!(tape.shape.wires[c.wire as usize].line, Line::Joint(_, true))
    })
}

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "a link of a way that carries nothing",
        site: SITE,
        rule: Rule::Route,
        plant: |tape| {
            let (_, c) = between(tape);
            let is_of = |fact: &Fact| matches!(fact, Fact::Wire(on) if on.transfer == c.transfer && on.wire == c.wire);
            tape.entries.retain(|entry| !is_of(&entry.fact));
        },
    },
    Fault {
        name: "a way without a controller",
        site: SITE,
        rule: Rule::Route,
        plant: |tape| {
            let (_, c) = own(tape);
            let is_of = |fact: &Fact| matches!(fact, Fact::Wire(on) if on.transfer == c.transfer && on.wire == c.wire);
            // Those of a single link have nothing else to be seen by.
            let first = tape.entries.iter().position(|entry| is_of(&entry.fact)).expect("it was found there");
            let end = tape.shape.wires.iter().position(|wire| matches!(wire.line, Line::Joint(_, false)));
            for entry in &mut tape.entries[first..] {
                if let Fact::Wire(on) = &mut entry.fact {
                    if on.transfer == c.transfer && on.wire == c.wire {
                        on.wire = end.expect("a mesh has links between routers") as u32;
                    }
                }
            }
        },
    },
    Fault {
        name: "two transfers on a link",
        site: SITE,
        rule: Rule::Driver,
        plant: |tape| {
            let (place, c) = between(tape);
            let other = tape.entries[..place].iter().rev().find_map(|entry| match &entry.fact {
                Fact::Wire(on) if on.transfer != c.transfer && on.until > c.from && on.wire != c.wire => Some(on.wire),
                _ => None,
            });
            tape.change(place, |c| c.wire = other.expect("others cross meanwhile"));
        },
    },
];
