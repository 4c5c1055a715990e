use canaletto::fabric::trace::WireUse;
use canaletto::flash::interface::Operation;
use canaletto::measure::probe::{Carries, Load};
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Entry, Fact};
use canaletto::measure::wire_check::shape::Line;

use super::tape::{NS, OTHER, Tape, earlier, later};
use super::{Fault, fault};

fn is_data(carries: Carries) -> impl Fn(&Cycles, &Load) -> bool {
    move |c, load| c.what == WireUse::Data && load.carries == carries
}

fn is_command(c: &Cycles, load: &Load) -> bool {
    c.what == WireUse::Command && load.carries == Carries::Command
}

fn back_to_back(tape: &Tape) -> (usize, Cycles) {
    let cycles: Vec<Cycles> = tape
        .entries
        .iter()
        .filter_map(|entry| match entry.fact {
            Fact::Wire(c) => Some(c),
            _ => None,
        })
        .collect();
    tape.cycles(|c, _| cycles.iter().any(|b| b.wire == c.wire && b.until == c.from && b.transfer != c.transfer))
}

fn starts_early(tape: &mut Tape) {
    let (place, _) = back_to_back(tape);
    tape.change(place, |c| c.from = earlier(c.from, 1));
}

fn drives_in_between(tape: &mut Tape) {
    let (_, c) = tape.cycles(is_data(Carries::Data));
    let (_, other) = tape.cycles(|o, _| o.transfer != c.transfer && o.from > c.until);
    tape.cross_amid(c, other);
}

fn of_another_row(tape: &mut Tape) {
    let (place, _) = tape.cycles(is_command);
    tape.change(place, |c| c.wire = (c.wire + 1) % 3);
}

fn is_column(tape: &Tape, wire: u32) -> bool {
    matches!(&tape.shape.wires[wire as usize].line, Line::Bus { rows, .. } if rows.len() > 1)
}

fn agreement(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| c.what == WireUse::Handshake)
}

fn half_as_long(c: &mut Cycles) {
    c.until = later(c.from, (c.until.0 - c.from.0) / 2);
}

fn is_control(c: &Cycles, load: &Load) -> bool {
    c.what == WireUse::Command && load.carries == Carries::Control
}

/// A channel's command pins are numbered three behind.
fn on_the_data_pins(tape: &mut Tape) {
    let data: Vec<Cycles> = tape
        .entries
        .iter()
        .filter_map(|entry| match entry.fact {
            Fact::Wire(c) if c.what == WireUse::Data => Some(c),
            _ => None,
        })
        .collect();
    let amid = |c: &Cycles, d: &Cycles| d.wire + 3 == c.wire && d.from < c.from && c.until < d.until;
    let (place, _) = tape.cycles(|c, load| is_command(c, load) && data.iter().any(|d| amid(c, d)));
    tape.change(place, |c| c.wire -= 3);
}

fn is_column_change(c: &Cycles, load: &Load) -> bool {
    c.what == WireUse::Command && load.carries == Carries::Data
}

pub const FAULTS: &[Fault] = &[
    fault("failed-bus", Rule::Reach, "data on a bus that has failed", |tape| {
        let (place, _) = tape.cycles(is_data(Carries::Data));
        tape.move_to_failed(place);
    }),
    fault("daisy-chain", Rule::End, "data that skip a hop", |tape| {
        // Of the second of three chips, on the link of the first one.
        let (place, _) =
            tape.cycles(|c, load| is_data(Carries::Data)(c, load) && c.wire % 6 == 3 && load.chip.0 % 3 == 1);
        tape.change(place, |c| (c.from, c.until) = (earlier(c.from, 10 * NS), earlier(c.until, 10 * NS)));
    }),
    fault("ring", Rule::Reach, "data that go the long way around", |tape| {
        tape.change(tape.cycles(|c, load| is_data(Carries::Data)(c, load) && load.chip.0 % 3 == 2).0, |c| {
            c.wire -= c.wire % 4
        })
    }),
    fault("sca", Rule::Driver, "a second driver amid data", drives_in_between),
    fault("sca", Rule::Rate, "data twice as fast as the pins", |tape| {
        tape.change(tape.cycles(is_data(Carries::Data)).0, half_as_long)
    }),
    fault("sca", Rule::Driver, "commands on the data pins", on_the_data_pins),
    fault("full", Rule::Command, "a status in a quarter of the time", |tape| {
        let (place, _) = tape.cycles(is_control);
        tape.change(place, half_as_long);
        tape.change(place, half_as_long);
    }),
    fault("full", Rule::Command, "a change of column in a quarter of the time", |tape| {
        let (place, _) = tape.cycles(is_column_change);
        tape.change(place, half_as_long);
        tape.change(place, half_as_long);
    }),
    fault("full", Rule::Order, "data without a change of column", |tape| tape.remove(tape.cycles(is_column_change).0)),
    fault("bus", Rule::Driver, "a transfer starts before the one before has left the bus", starts_early),
    fault("bus", Rule::Driver, "a second driver amid data", drives_in_between),
    fault("packetized", Rule::Driver, "a second driver amid packets", drives_in_between),
    fault("ideal", Rule::Driver, "a second driver on a path of its own", drives_in_between),
    fault("omnibus", Rule::Driver, "a second driver on a row or column", drives_in_between),
    fault("omnibus-split", Rule::Driver, "a half starts before its bus is free", starts_early),
    fault("bus", Rule::Span, "cycles that take no time", |tape| {
        tape.change(tape.cycles(is_command).0, |c| c.until = c.from)
    }),
    fault("bus", Rule::Span, "cycles that end before they begin", |tape| {
        tape.change(tape.data(Carries::Data).0, |c| c.until = earlier(c.from, NS))
    }),
    fault("bus", Rule::Span, "a wire that is none", |tape| tape.change(tape.cycles(is_command).0, |c| c.wire = 77)),
    fault("bus", Rule::Span, "cycles before their transfer begins", |tape| {
        tape.change(tape.cycles(is_command).0, |c| c.from = earlier(c.from, NS))
    }),
    fault("bus", Rule::Span, "cycles of a transfer that has ended", |tape| {
        let (_, c) = tape.data(Carries::Data);
        tape.insert(
            later(c.until, NS),
            Fact::Wire(Cycles { from: later(c.until, NS), until: later(c.until, 2 * NS), ..c }),
        );
    }),
    fault("bus", Rule::Reach, "commands on the bus of another row", of_another_row),
    fault("packetized", Rule::Reach, "commands on the wide bus of another row", of_another_row),
    fault("ideal", Rule::Reach, "commands on the path of another chip", of_another_row),
    fault("bus", Rule::Reach, "a chip that is not on the bus", |tape| {
        let (place, ..) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
        if let Fact::Begins { load, .. } = &mut tape.entries[place].fact {
            (load.chip.0, load.to.0) = ((load.chip.0 + 3) % 9, (load.chip.0 + 3) % 9);
        }
    }),
    fault("omnibus", Rule::Reach, "the column of another chip", |tape| {
        tape.change(tape.cycles(|c, load| is_command(c, load) && is_column(tape, c.wire)).0, |c| {
            c.wire = 3 + (c.wire - 2) % 3
        })
    }),
    fault("omnibus-split", Rule::Reach, "a half on the bus of another row", |tape| {
        tape.change(tape.cycles(|c, load| is_data(Carries::Data)(c, load) && c.wire < 3).0, |c| {
            c.wire = (c.wire + 1) % 3
        })
    }),
    fault("bus", Rule::Port, "a port that two transfers take at once", |tape| tape.share_port()),
    fault("bus", Rule::Order, "addresses after the data of a program", |tape| {
        let (place, command) = tape.cycles(|c, l| is_command(c, l) && l.bytes > 0);
        let (other, data) = tape.find_from(place, |_, entry| match entry.fact {
            Fact::Wire(c) => (c.transfer == command.transfer && c.what == WireUse::Data).then_some(c),
            _ => None,
        });
        let length = data.until.0 - data.from.0;
        tape.change(other, |c| (c.from, c.until) = (command.from, later(command.from, length)));
        tape.change(place, |c| (c.from, c.until) = (later(command.from, length), data.until));
    }),
    fault("bus", Rule::Order, "data without a command", |tape| {
        let (_, c) = tape.cycles(|c, l| is_command(c, l) && l.bytes > 0);
        tape.remove_cycles(|o| o.transfer == c.transfer && o.what == WireUse::Command);
    }),
    fault("packetized", Rule::Order, "commands among the data of a read", |tape| {
        tape.change(tape.data(Carries::Data).0, |c| c.what = WireUse::Command)
    }),
    fault("bus", Rule::Command, "a command that is short of a cycle", |tape| {
        tape.change(tape.cycles(|c, l| is_command(c, l) && l.operation == Operation::Read).0, |c| {
            c.until = earlier(c.until, 25 * NS)
        })
    }),
    fault("packetized", Rule::Command, "a command packet without its header", |tape| {
        let (place, c) = tape.cycles(is_command);
        assert!(c.until.0 - c.from.0 > 2 * NS);
        tape.change(place, |c| c.until = earlier(c.until, 2 * NS));
    }),
    fault("omnibus", Rule::Command, "a command that never crosses", |tape| {
        let (_, c) = tape.cycles(|c, l| is_command(c, l) && l.bytes == 0);
        tape.remove_cycles(|o| o.transfer == c.transfer);
    }),
    fault("bus", Rule::Rate, "data twice as fast as the bus", |tape| {
        tape.change(tape.data(Carries::Command).0, half_as_long)
    }),
    fault("packetized", Rule::Rate, "data twice as fast as two lanes", |tape| {
        tape.change(tape.data(Carries::Data).0, half_as_long)
    }),
    fault("omnibus", Rule::Rate, "a packet without its payload's last byte", |tape| {
        tape.change(tape.data(Carries::Data).0, |c| c.until = earlier(c.until, NS))
    }),
    fault("omnibus-split", Rule::Rate, "a half that goes missing", |tape| {
        let (_, c) = tape.data(Carries::Data);
        tape.remove_cycles(|o| (o.transfer, o.from, o.wire) == (c.transfer, c.from, c.wire));
    }),
    fault("bus", Rule::End, "a transfer that ends before its last cycle", |tape| {
        tape.end_earlier(tape.data(Carries::Data).1, NS)
    }),
    fault("ideal", Rule::End, "a transfer that ends long after its last cycle", |tape| {
        let (_, c) = tape.cycles(is_command);
        let place = tape.ends(c.transfer);
        tape.entries[place].at = later(tape.entries[place].at, NS);
    }),
    fault("bus", Rule::End, "a transfer that never ends", |tape| {
        tape.remove(tape.ends(tape.data(Carries::Data).1.transfer))
    }),
    fault("omnibus", Rule::End, "a transfer that ends twice", |tape| {
        let (_, c) = tape.data(Carries::Data);
        let Entry { at, fact } = tape.entries[tape.ends(c.transfer)];
        tape.insert(at, fact);
    }),
    fault("omnibus", Rule::Handshake, "a column that nobody has agreed on", |tape| tape.remove(agreement(tape).0)),
    fault("omnibus", Rule::Handshake, "controllers that agree without a grant", |tape| {
        tape.change(agreement(tape).0, |c| c.from = later(c.from, (c.until.0 - c.from.0) / 2))
    }),
    fault("omnibus-split", Rule::Handshake, "data before controllers have agreed", |tape| {
        tape.change(agreement(tape).0, |c| c.until = later(c.until, NS / 2))
    }),
    fault("omnibus", Rule::Driver, "an agreement on a bus in use", |tape| {
        let (_, c) = tape.data(Carries::Data);
        let middle = later(c.from, 10 * NS);
        let stray =
            Cycles { what: WireUse::Handshake, transfer: OTHER, from: middle, until: later(middle, 5 * NS), ..c };
        tape.insert(stray.until, Fact::Wire(stray));
    }),
    fault("one-transfer", Rule::Driver, "a controller that drives both of its buses", |tape| {
        let (one, other) = tape.overlapping();
        let driver = |wire: u32| match &tape.shape.wires[wire as usize].line {
            Line::Bus { driver, .. } => *driver,
            _ => unreachable!("its wires are buses"),
        };
        let wires = 0..tape.shape.wires.len() as u32;
        let beside = wires.into_iter().find(|&wire| wire != one.wire && driver(wire) == driver(one.wire));
        tape.change_all(other.transfer, |c| c.wire = beside.expect("a row bus and a column bus"));
    }),
];
