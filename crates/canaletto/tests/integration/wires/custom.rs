use canaletto::fabric::trace::WireUse;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Entry, Fact};
use canaletto::measure::wire_check::shape::Line;

use super::tape::Tape;
use super::{Fault, fault};

const SITE: &str = "custom";

fn between(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| {
        c.what == WireUse::Data && matches!(tape.shape.wires[c.wire as usize].line, Line::Joint(_, false))
    })
}

fn own(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| {
        c.what == WireUse::Data && matches!(tape.shape.wires[c.wire as usize].line, Line::Joint(_, true))
    })
}

pub const FAULTS: &[Fault] = &[
    fault(SITE, Rule::Route, "a link of a way that carries nothing", |tape| {
        let (_, c) = between(tape);
        tape.remove_cycles(|on| on.transfer == c.transfer && on.wire == c.wire);
    }),
    fault(SITE, Rule::Route, "a way without a controller", |tape| {
        let (_, c) = own(tape);
        let is_of = |fact: &Fact| matches!(fact, Fact::Wire(on) if on.transfer == c.transfer && on.wire == c.wire);
        // A single link has no other sign.
        let first = tape.entries.iter().position(|entry| is_of(&entry.fact)).expect("it was found there");
        let end = tape.shape.wires.iter().position(|wire| matches!(wire.line, Line::Joint(_, false)));
        for entry in &mut tape.entries[first..] {
            if let Fact::Wire(on) = &mut entry.fact {
                if on.transfer == c.transfer && on.wire == c.wire {
                    on.wire = end.expect("a mesh has links between routers") as u32;
                }
            }
        }
    }),
    fault(SITE, Rule::Route, "a way that begins between routers", |tape| {
        let is_alone = |c: &Cycles| {
            tape.entries.iter().all(|entry| match &entry.fact {
                Fact::Wire(on) => on.transfer != c.transfer || on.wire == c.wire,
                _ => true,
            })
        };
        let ends = |wire: u32| match &tape.shape.wires[wire as usize].line {
            Line::Joint(ends, is_own) => (ends.clone(), *is_own),
            _ => unreachable!("its wires are links"),
        };
        let (place, c) = tape.cycles(|c, _| c.what == WireUse::Data && ends(c.wire).1 && is_alone(c));
        let meets = |wire: &u32| !ends(*wire).1 && ends(*wire).0.iter().any(|end| ends(c.wire).0.contains(end));
        let wire = (0..tape.shape.wires.len() as u32).find(meets).expect("a router has other links");
        let first = tape.entries[..=place]
            .iter()
            .position(|entry| matches!(entry.fact, Fact::Wire(on) if on.transfer == c.transfer))
            .expect("it was found there");
        let at = tape.entries[first].at;
        tape.entries.insert(first, Entry { at, fact: Fact::Wire(Cycles { wire, until: c.from, from: at, ..c }) });
    }),
    fault(SITE, Rule::Driver, "two transfers on a link", |tape| {
        let (place, c) = between(tape);
        let other = tape.entries[..place].iter().rev().find_map(|entry| match &entry.fact {
            Fact::Wire(on) if on.transfer != c.transfer && on.until > c.from && on.wire != c.wire => Some(on.wire),
            _ => None,
        });
        tape.change(place, |c| c.wire = other.expect("others cross meanwhile"));
    }),
];
