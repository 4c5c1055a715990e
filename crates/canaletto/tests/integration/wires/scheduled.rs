use canaletto::fabric::trace::WireUse;
use canaletto::measure::probe::Carries;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::Cycles;

use super::networks::outlives_its_reservation;
use super::tape::{NS, Tape, earlier, later};
use super::{Fault, fault};

const SITE: &str = "scheduled-mesh";

fn grant(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, load| c.what == WireUse::Handshake && load.carries == Carries::Command)
}

fn on_link(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| c.what == WireUse::Data && !tape.is_of_controller(c.wire))
}

pub const FAULTS: &[Fault] = &[
    fault(SITE, Rule::Handshake, "a row on the way that is told nothing", |tape| tape.remove(grant(tape).0)),
    fault(SITE, Rule::Handshake, "a grant to another row", |tape| {
        let (place, c) = grant(tape);
        // Grants are the last three wires.
        let first = tape.shape.wires.len() as u32 - 3;
        tape.change(place, |c| c.wire = first + (c.wire - first + 1) % 3);
        assert!(c.wire >= first);
    }),
    fault(SITE, Rule::Handshake, "a grant that is short of a bit", |tape| {
        tape.change(grant(tape).0, |c| c.from = later(c.from, 2 * NS))
    }),
    fault(SITE, Rule::Handshake, "a grant before its way is found", |tape| {
        tape.change(grant(tape).0, |c| c.from = earlier(c.from, NS))
    }),
    fault(SITE, Rule::Handshake, "cycles before the routers are set", |tape| {
        tape.change(grant(tape).0, |c| (c.from, c.until) = (later(c.from, NS), later(c.until, NS)))
    }),
    fault("failed-links", Rule::Reach, "cycles on a link that has failed", |tape| tape.move_to_failed(on_link(tape).0)),
    fault("failed-controller", Rule::Reach, "cycles of a controller that has failed", |tape| {
        tape.move_to_failed(on_link(tape).0)
    }),
    fault(SITE, Rule::Circuit, "a circuit with a gap", |tape| tape.remove(on_link(tape).0)),
    fault(SITE, Rule::Driver, "two circuits on a link at once", |tape| {
        let (_, c) = on_link(tape);
        let (_, other) = tape.cycles(|o, _| o.transfer != c.transfer && o.what == WireUse::Data && o.from > c.until);
        tape.cross_amid(c, other);
    }),
    fault(SITE, Rule::Reservation, "cycles beyond the reservation of their link", outlives_its_reservation),
    fault(SITE, Rule::Port, "a port that two granted circuits come to", |tape| tape.share_port()),
    fault(SITE, Rule::End, "data that end before they are through the circuit", |tape| {
        tape.end_earlier(tape.data(Carries::Data).1, 1)
    }),
];
