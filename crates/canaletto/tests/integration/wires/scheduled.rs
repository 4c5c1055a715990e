use canaletto::fabric::trace::WireUse;
use canaletto::measure::probe::Carries;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Fact};

use super::Fault;
use super::networks::outlives_its_reservation;
use super::tape::{NS, Tape, earlier, later};

const SITE: &str = "scheduled-mesh";

fn grant(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, load| c.what == WireUse::Handshake && load.carries == Carries::Command)
}

fn on_link(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| c.what == WireUse::Data && !tape.is_of_controller(c.wire))
}

pub const FAULTS: &[Fault] = &[
    Fault {
        name: "a row on the way that is told nothing",
        site: SITE,
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = grant(tape);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "a grant to another row",
        site: SITE,
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, c) = grant(tape);
            // Grants are the last three wires.
            let first = tape.shape.wires.len() as u32 - 3;
            tape.change(place, |c| c.wire = first + (c.wire - first + 1) % 3);
            assert!(c.wire >= first);
        },
    },
    Fault {
        name: "a grant that is short of a bit",
        site: SITE,
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = grant(tape);
            tape.change(place, |c| c.from = later(c.from, 2 * NS));
        },
    },
    Fault {
        name: "a grant before its way is found",
        site: SITE,
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = grant(tape);
            tape.change(place, |c| c.from = earlier(c.from, NS));
        },
    },
    Fault {
        name: "cycles before the routers are set",
        site: SITE,
        rule: Rule::Handshake,
        plant: |tape| {
            let (place, _) = grant(tape);
            tape.change(place, |c| (c.from, c.until) = (later(c.from, NS), later(c.until, NS)));
        },
    },
    Fault {
        name: "cycles on a link that has failed",
        site: "failed-links",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, _) = on_link(tape);
            let wires = 0..tape.shape.wires.len() as u32;
            let failed = wires.into_iter().find(|&wire| tape.shape.has_failed(wire)).expect("two have");
            tape.change(place, |c| c.wire = failed);
        },
    },
    Fault {
        name: "cycles of a controller that has failed",
        site: "failed-controller",
        rule: Rule::Reach,
        plant: |tape| {
            let (place, _) = on_link(tape);
            let wires = 0..tape.shape.wires.len() as u32;
            let failed = wires.into_iter().find(|&wire| tape.shape.has_failed(wire)).expect("one has");
            tape.change(place, |c| c.wire = failed);
        },
    },
    Fault {
        name: "a circuit with a gap",
        site: SITE,
        rule: Rule::Circuit,
        plant: |tape| {
            let (place, _) = on_link(tape);
            tape.entries.remove(place);
        },
    },
    Fault {
        name: "two circuits on a link at once",
        site: SITE,
        rule: Rule::Driver,
        plant: |tape| {
            let (_, c) = on_link(tape);
            let (_, other) =
                tape.cycles(|o, _| o.transfer != c.transfer && o.what == WireUse::Data && o.from > c.until);
            let middle = later(c.from, (c.until.0 - c.from.0) / 2);
            let stray = Cycles { wire: c.wire, from: middle, until: later(middle, NS), ..other };
            tape.insert(middle, Fact::Wire(stray));
        },
    },
    Fault {
        name: "cycles beyond the reservation of their link",
        site: SITE,
        rule: Rule::Reservation,
        plant: outlives_its_reservation,
    },
    Fault {
        name: "a port that two granted circuits come to",
        site: SITE,
        rule: Rule::Port,
        plant: |tape| {
            tape.share_port();
        },
    },
    Fault {
        name: "data that end before they are through the circuit",
        site: SITE,
        rule: Rule::End,
        plant: |tape| {
            let (_, c) = tape.data(Carries::Data);
            let place = tape.ends(c.transfer);
            tape.entries[place].at = earlier(tape.entries[place].at, 1);
        },
    },
];
