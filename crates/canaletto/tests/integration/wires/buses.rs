//! Faults on buses.

use canaletto::fabric::trace::WireUse;
use canaletto::flash::interface::Operation;
use canaletto::measure::probe::{Carries, Load};
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Entry, Fact};
use canaletto::measure::wire_check::shape::Line;

use super::Fault;
use super::tape::{NS, OTHER, Tape, earlier, later};

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
    let middle = later(c.from, (c.until.0 - c.from.0) / 2);
    let stray = Cycles { wire: c.wire, from: middle, until: later(middle, NS), ..other };
    tape.insert(middle, Fact::Wire(stray));
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
    Fault {
        name: "data on a bus that has failed",
        site: "failed-bus",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, _) = tape.cycles(is_data(Carries::Data));
            let failed = (0..tape.shape.wires.len() as u32).find(|&wire| tape.shape.has_failed(wire)).expect("one has");
            tape.change(place, |c| c.wire = failed);
        },
    },
    Fault {
        name: "data that skip a hop",
        site: "daisy-chain",
        rule: Rule::End,
        plant: |tape| {
            // Of the second of three chips, on the link of the first one.
            let (place, _) =
                tape.cycles(|c, load| is_data(Carries::Data)(c, load) && c.wire % 6 == 3 && load.chip.0 % 3 == 1);
            tape.change(place, |c| {
                (c.from, c.until) = (
                    canaletto::engine::time::Time(c.from.0 - 10_000),
                    canaletto::engine::time::Time(c.until.0 - 10_000),
                )
            });
        },
    },
    Fault {
        name: "data that go the long way around",
        site: "ring",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, _) = tape.cycles(|c, load| is_data(Carries::Data)(c, load) && load.chip.0 % 3 == 2);
            tape.change(place, |c| c.wire -= c.wire % 4);
        },
    },
    Fault { name: "a second driver amid data", site: "sca", rule: Rule::Driver, plant: drives_in_between },
    Fault {
        name: "data twice as fast as the pins",
        site: "sca",
        rule: Rule::Rate,
        plant: |tape| {
            let (place, _) = tape.cycles(is_data(Carries::Data));
            tape.change(place, half_as_long);
        },
    },
    Fault { name: "commands on the data pins", site: "sca", rule: Rule::Driver, plant: on_the_data_pins },
    Fault {
        name: "a status in a quarter of the time",
        site: "full",
        rule: Rule::Command,
        plant: |tape| {
            let (place, _) = tape.cycles(is_control);
            tape.change(place, half_as_long);
            tape.change(place, half_as_long);
        },
    },
    Fault {
        name: "a change of column in a quarter of the time",
        site: "full",
        rule: Rule::Command,
        plant: |tape| {
            let (place, _) = tape.cycles(is_column_change);
            tape.change(place, half_as_long);
            tape.change(place, half_as_long);
        },
    },
    Fault {
        name: "data without a change of column",
        site: "full",
        rule: Rule::Order,
        plant: |tape| {
            let (place, _) = tape.cycles(is_column_change);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "a transfer starts before the one before has left the bus",
        site: "bus",
        rule: Rule::Driver,
        plant: starts_early,
    },
    Fault { name: "a second driver amid data", site: "bus", rule: Rule::Driver, plant: drives_in_between },
    Fault { name: "a second driver amid packets", site: "packetized", rule: Rule::Driver, plant: drives_in_between },
    Fault { name: "a second driver on a path of its own", site: "ideal", rule: Rule::Driver, plant: drives_in_between },
    Fault { name: "a second driver on a row or column", site: "omnibus", rule: Rule::Driver, plant: drives_in_between },
    Fault {
        name: "a half starts before its bus is free",
        site: "omnibus-split",
        rule: Rule::Driver,
        plant: starts_early,
    },
    Fault {
        name: "cycles that take no time",
        site: "bus",
        rule: Rule::Span,
        plant: |tape| {
            let (place, _) = tape.cycles(is_command);
            tape.change(place, |c| c.until = c.from);
        },
    },
    Fault {
        name: "cycles that end before they begin",
        site: "bus",
        rule: Rule::Span,
        plant: |tape| {
            let (place, _) = tape.data(Carries::Data);
            tape.change(place, |c| c.until = earlier(c.from, NS));
        },
    },
    Fault {
        name: "a wire that is none",
        site: "bus",
        rule: Rule::Span,
        plant: |tape| {
            let (place, _) = tape.cycles(is_command);
            tape.change(place, |c| c.wire = 77);
        },
    },
    Fault {
        name: "cycles before their transfer begins",
        site: "bus",
        rule: Rule::Span,
        plant: |tape| {
            let (place, _) = tape.cycles(is_command);
            tape.change(place, |c| c.from = earlier(c.from, NS));
        },
    },
    Fault {
        name: "cycles of a transfer that has ended",
        site: "bus",
        rule: Rule::Span,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            tape.insert(
                later(c.until, NS),
                Fact::Wire(Cycles { from: later(c.until, NS), until: later(c.until, 2 * NS), ..c }),
            );
        },
    },
    Fault { name: "commands on the bus of another row", site: "bus", rule: Rule::Reach, plant: of_another_row },
    Fault {
        name: "commands on the wide bus of another row",
        site: "packetized",
        rule: Rule::Reach,
        plant: of_another_row,
    },
    Fault { name: "commands on the path of another chip", site: "ideal", rule: Rule::Reach, plant: of_another_row },
    Fault {
        name: "a chip that is not on the bus",
        site: "bus",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, ..) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
            if let Fact::Begins { load, .. } = &mut tape.entries[place].fact {
                (load.chip.0, load.to.0) = ((load.chip.0 + 3) % 9, (load.chip.0 + 3) % 9);
            }
        },
    },
    Fault {
        name: "the column of another chip",
        site: "omnibus",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, _) = tape.cycles(|c, load| is_command(c, load) && is_column(tape, c.wire));
            tape.change(place, |c| c.wire = 3 + (c.wire - 2) % 3);
        },
    },
    Fault {
        name: "a half on the bus of another row",
        site: "omnibus-split",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, _) = tape.cycles(|c, load| is_data(Carries::Data)(c, load) && c.wire < 3);
            tape.change(place, |c| c.wire = (c.wire + 1) % 3);
        },
    },
    Fault {
        name: "a port that two transfers take at once",
        site: "bus",
        rule: Rule::Port,
        plant: |tape| {
            tape.share_port();
        },
    },
    Fault {
        name: "addresses after the data of a program",
        site: "bus",
        rule: Rule::Order,
        plant: |tape| {
            let (place, command) = tape.cycles(|c, l| is_command(c, l) && l.bytes > 0);
            let (other, data) = tape.find_from(place, |_, entry| match entry.fact {
                Fact::Wire(c) => (c.transfer == command.transfer && c.what == WireUse::Data).then_some(c),
                _ => None,
            });
            let length = data.until.0 - data.from.0;
            tape.change(other, |c| (c.from, c.until) = (command.from, later(command.from, length)));
            tape.change(place, |c| (c.from, c.until) = (later(command.from, length), data.until));
        },
    },
    Fault {
        name: "data without a command",
        site: "bus",
        rule: Rule::Order,
        plant: |tape| {
            let (_, c) = tape.cycles(|c, l| is_command(c, l) && l.bytes > 0);
            tape.remove_cycles(|o| o.transfer == c.transfer && o.what == WireUse::Command);
        },
    },
    Fault {
        name: "commands among the data of a read",
        site: "packetized",
        rule: Rule::Order,
        plant: |tape| {
            let (place, _) = tape.data(Carries::Data);
            tape.change(place, |c| c.what = WireUse::Command);
        },
    },
    Fault {
        name: "a command that is short of a cycle",
        site: "bus",
        rule: Rule::Command,
        plant: |tape| {
            let (place, _) = tape.cycles(|c, l| is_command(c, l) && l.operation == Operation::Read);
            tape.change(place, |c| c.until = earlier(c.until, 25 * NS));
        },
    },
    Fault {
        name: "a command packet without its header",
        site: "packetized",
        rule: Rule::Command,
        plant: |tape| {
            let (place, c) = tape.cycles(is_command);
            assert!(c.until.0 - c.from.0 > 2 * NS);
            tape.change(place, |c| c.until = earlier(c.until, 2 * NS));
        },
    },
    Fault {
        name: "a command that never crosses",
        site: "omnibus",
        rule: Rule::Command,
        plant: |tape| {
            let (_, c) = tape.cycles(|c, l| is_command(c, l) && l.bytes == 0);
            tape.remove_cycles(|o| o.transfer == c.transfer);
        },
    },
    Fault {
        name: "data twice as fast as the bus",
        site: "bus",
        rule: Rule::Rate,
        plant: |tape| {
            let (place, _) = tape.data(Carries::Command);
            tape.change(place, half_as_long);
        },
    },
    Fault {
        name: "data twice as fast as two lanes",
        site: "packetized",
        rule: Rule::Rate,
        plant: |tape| {
            let (place, _) = tape.data(Carries::Data);
            tape.change(place, half_as_long);
        },
    },
    Fault {
        name: "a packet without its payload's last byte",
        site: "omnibus",
        rule: Rule::Rate,
        plant: |tape| {
            let (place, _) = tape.data(Carries::Data);
            tape.change(place, |c| c.until = earlier(c.until, NS));
        },
    },
    Fault {
        name: "a half that goes missing",
        site: "omnibus-split",
        rule: Rule::Rate,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            tape.remove_cycles(|o| (o.transfer, o.from, o.wire) == (c.transfer, c.from, c.wire));
        },
    },
    Fault {
        name: "a transfer that ends before its last cycle",
        site: "bus",
        rule: Rule::End,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let place = tape.ends(c.transfer);
            tape.entries[place].at = earlier(tape.entries[place].at, NS);
        },
    },
    Fault {
        name: "a transfer that ends long after its last cycle",
        site: "ideal",
        rule: Rule::End,
        plant: |tape| {
            let (_, c) = tape.cycles(is_command);
            let place = tape.ends(c.transfer);
            tape.entries[place].at = later(tape.entries[place].at, NS);
        },
    },
    Fault {
        name: "a transfer that never ends",
        site: "bus",
        rule: Rule::End,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let place = tape.ends(c.transfer);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "a transfer that ends twice",
        site: "omnibus",
        rule: Rule::End,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let Entry { at, fact } = tape.entries[tape.ends(c.transfer)];
            tape.insert(at, fact);
        },
    },
    Fault {
        name: "a column that nobody has agreed on",
        site: "omnibus",
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = agreement(tape);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "controllers that agree without a grant",
        site: "omnibus",
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = agreement(tape);
            tape.change(place, |c| c.from = later(c.from, (c.until.0 - c.from.0) / 2));
        },
    },
    Fault {
        name: "data before controllers have agreed",
        site: "omnibus-split",
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = agreement(tape);
            tape.change(place, |c| c.until = later(c.until, NS / 2));
        },
    },
    Fault {
        name: "an agreement on a bus in use",
        site: "omnibus",
        rule: Rule::Driver,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let middle = later(c.from, 10 * NS);
            let stray =
                Cycles { what: WireUse::Handshake, transfer: OTHER, from: middle, until: later(middle, 5 * NS), ..c };
            tape.insert(stray.until, Fact::Wire(stray));
        },
    },
    Fault {
        name: "a controller that drives both of its buses",
        site: "one-transfer",
        rule: Rule::Driver,
        plant: |tape| {
            let (one, other) = tape.overlapping();
            let driver = |wire: u32| match &tape.shape.wires[wire as usize].line {
                Line::Bus { driver, .. } => *driver,
                _ => unreachable!("its wires are buses"),
            };
            let wires = 0..tape.shape.wires.len() as u32;
            let beside = wires.into_iter().find(|&wire| wire != one.wire && driver(wire) == driver(one.wire));
            tape.change_all(other.transfer, |c| c.wire = beside.expect("a row bus and a column bus"));
        },
    },
];
