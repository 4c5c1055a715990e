use canaletto::fabric::trace::WireUse;
use canaletto::measure::probe::Carries;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Fact};
use canaletto::measure::wire_check::shape::Line;

use super::tape::{NS, Tape, earlier, later};
use super::{Fault, fault};

fn line<'a>(tape: &'a Tape, c: &Cycles) -> &'a Line {
    &tape.shape.wires[c.wire as usize].line
}

fn is_on_trunk(tape: &Tape, c: &Cycles) -> bool {
    matches!(line(tape, c), Line::Trunk(_))
}

fn command(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, load| c.what == WireUse::Command && load.carries == Carries::Command && is_on_trunk(tape, c))
}

fn grant(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, load| c.what == WireUse::Handshake && load.carries == Carries::Command)
}

fn another_bus(tape: &Tape, chip: u32) -> u32 {
    let leads = |line: &Line| matches!(line, Line::Inner(_, chips) if !chips.contains(&chip));
    tape.shape.wires.iter().position(|wire| leads(&wire.line)).expect("there are several") as u32
}

pub const FAULTS: &[Fault] = &[
    fault("clusters", Rule::Handshake, "a grant that goes missing", |tape| tape.remove(grant(tape).0)),
    fault("clusters", Rule::Handshake, "a grant that is short of a bit", |tape| {
        tape.change(grant(tape).0, |c| c.from = later(c.from, 2 * NS))
    }),
    fault("clusters", Rule::Handshake, "cycles before the switch is set up", |tape| {
        tape.change(grant(tape).0, |c| (c.from, c.until) = (later(c.from, NS), later(c.until, NS)))
    }),
    fault("clusters", Rule::Reach, "a grant to another switch", |tape| {
        let (place, c) = grant(tape);
        let Line::Grants(switch) = line(tape, &c) else { panic!("{c:?}") };
        let wire = if *switch == 0 { c.wire + 1 } else { c.wire - 1 };
        tape.change(place, |c| c.wire = wire);
    }),
    fault("clusters", Rule::Reach, "an inner bus of other chips", |tape| {
        let (place, c) = tape.cycles(|c, _| c.what == WireUse::Data && !is_on_trunk(tape, c));
        let wire = another_bus(tape, tape.load(c.transfer).chip.0);
        tape.change(place, |c| c.wire = wire);
    }),
    fault("clusters", Rule::Circuit, "commands that leave the trunk for another", |tape| {
        let (_, c) = command(tape);
        let other = Cycles { wire: (c.wire + 1) % 3, until: later(c.from, NS), ..c };
        tape.insert(other.from, Fact::Wire(other));
    }),
    fault("clusters", Rule::Circuit, "commands that never come to the chip", |tape| {
        let (_, c) = command(tape);
        tape.remove_cycles(|o| o.transfer == c.transfer && o.wire != c.wire && o.what != WireUse::Handshake);
    }),
    fault("clusters", Rule::Circuit, "bytes that pass the switch at once", |tape| {
        let (_, c) = command(tape);
        tape.change_all(c.transfer, |o| {
            if o.wire == c.wire {
                (o.from, o.until) = (later(o.from, NS), later(o.until, NS));
            }
        });
    }),
    fault("clusters", Rule::Driver, "two chips of an inner bus at once", |tape| {
        let (_, c) = tape.cycles(|c, _| c.what == WireUse::Data && !is_on_trunk(tape, c));
        let (_, other) = tape.cycles(|o, _| o.transfer != c.transfer && o.from > c.until);
        tape.cross_amid(c, other);
    }),
    fault("chunks", Rule::Distance, "a part before its chip has turned to it", |tape| {
        let (_, first) = tape.cycles(|c, load| c.what == WireUse::Data && load.carries == Carries::Data);
        let (place, second) =
            tape.cycles(|c, _| c.transfer == first.transfer && c.what == WireUse::Handshake && c.from > first.until);
        tape.change(place, |c| c.from = earlier(second.from, 5 * NS));
    }),
    fault("chunks", Rule::Rate, "a part that goes missing", |tape| {
        let (_, c) =
            tape.cycles(|c, load| c.what == WireUse::Data && load.carries == Carries::Command && is_on_trunk(tape, c));
        tape.remove_cycles(|o| (o.transfer, o.from, o.wire) == (c.transfer, c.from, c.wire));
    }),
    fault("clusters", Rule::Rate, "a packet without its payload's last bytes", |tape| {
        tape.change(
            tape.cycles(|c, load| c.what == WireUse::Data && load.carries == Carries::Command && is_on_trunk(tape, c))
                .0,
            |c| c.until = earlier(c.until, NS),
        )
    }),
];
