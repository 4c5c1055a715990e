use canaletto::fabric::Direction;
use canaletto::fabric::trace::WireUse;
use canaletto::measure::probe::{Carries, Load};
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Fact};
use canaletto::measure::wire_check::shape::Node;

use super::tape::{NS, Tape, earlier, later};
use super::{Fault, fault};

fn on_its_way(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, load| {
        c.what == WireUse::Data && load.direction == Direction::ToChip && !tape.is_of_controller(c.wire)
    })
}

fn is_tail(tape: &Tape, c: &Cycles, load: &Load) -> bool {
    c.what == WireUse::Data && load.carries == Carries::Data && tape.is_of_controller(c.wire)
}

fn on_circuit(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| c.what == WireUse::Data && !tape.is_of_controller(c.wire))
}

fn reservation(tape: &Tape, c: &Cycles) -> usize {
    tape.find_from(0, |_, entry| match entry.fact {
        Fact::Wire(r) => {
            let is_it = r.what == WireUse::Reserved && r.wire == c.wire && r.from <= c.from && r.until >= c.until;
            is_it.then_some(())
        }
        _ => None,
    })
    .0
}

fn vanishes(tape: &mut Tape) {
    tape.remove(on_its_way(tape).0);
}

fn shortened(tape: &mut Tape) {
    tape.change(on_its_way(tape).0, |c| c.until = earlier(c.until, NS));
}

fn not_at_once(tape: &mut Tape) {
    let (_, c) = on_its_way(tape);
    let (_, other) = tape.cycles(|o, _| o.transfer != c.transfer && o.from > c.until && o.what == WireUse::Data);
    let stray = Cycles { wire: c.wire, from: later(c.from, NS), until: c.until, ..other };
    tape.insert(stray.from, Fact::Wire(stray));
}

pub fn outlives_its_reservation(tape: &mut Tape) {
    let (_, c) = on_circuit(tape);
    let place = reservation(tape, &c);
    tape.change(place, |r| r.until = earlier(c.until, NS));
}

fn reserved_before_its_scout(tape: &mut Tape) {
    let (_, c) = on_circuit(tape);
    let place = reservation(tape, &c);
    tape.change(place, |r| r.from = earlier(r.from, NS));
}

fn over_a_taken_link(tape: &mut Tape) {
    let (_, c) = on_circuit(tape);
    let (_, scout) = tape.cycles(|s, _| s.what == WireUse::Scout && s.path != c.path);
    let length = scout.until.0 - scout.from.0;
    let stray = Cycles { wire: c.wire, from: c.from, until: later(c.from, length), ..scout };
    tape.insert(stray.from, Fact::Wire(stray));
}

pub const FAULTS: &[Fault] = &[
    fault("mesh", Rule::Route, "a packet beside its way", |tape| {
        // A packet through row 1 goes Y first.
        let (place, c) = tape.cycles(|c, load| {
            c.what == WireUse::Data
                && load.direction == Direction::ToChip
                && load.chip.0 == 8
                && !tape.is_of_controller(c.wire)
        });
        let wire = tape.wire(Node::Router(6), Node::Router(3));
        assert_ne!(c.wire, wire);
        tape.change(place, |c| c.wire = wire);
    }),
    fault("mesh", Rule::Route, "a packet to another row's controller", |tape| {
        let (_, c) = tape.cycles(|c, load| is_tail(tape, c, load));
        let row = tape.load(c.transfer).chip.0 / 3;
        let other = (row + 1) % 3;
        let wire = tape.wire(Node::Router(other * 3), Node::Controller(other));
        tape.change_all(c.transfer, |o| {
            if o.wire == c.wire {
                o.wire = wire;
            }
        });
    }),
    fault("mesh", Rule::Route, "a packet that is at the next router at once", |tape| {
        // The first link is the controller's.
        let (_, c) = on_its_way(tape);
        let (_, own) = tape.find_from(0, |_, entry| match entry.fact {
            Fact::Wire(o) => {
                (o.transfer == c.transfer && o.what == c.what && tape.is_of_controller(o.wire)).then_some(o)
            }
            _ => None,
        });
        tape.change_all(c.transfer, |o| {
            if (o.wire, o.what) == (c.wire, c.what) {
                (o.from, o.until) = (own.from, own.until);
            }
        });
    }),
    fault("mesh", Rule::Route, "a packet that vanishes", vanishes),
    fault("mesh-2bit", Rule::Route, "a narrow packet that vanishes", vanishes),
    fault("mesh", Rule::Route, "a packet that loses a flit", shortened),
    fault("mesh-2bit", Rule::Route, "a narrow packet that loses a flit", shortened),
    fault("mesh", Rule::Route, "a packet that arrives before its last hop", |tape| {
        let (_, c) = tape.cycles(|c, load| is_tail(tape, c, load));
        tape.end_earlier(c, NS);
    }),
    fault("mesh", Rule::Driver, "two packets at once on a link", not_at_once),
    fault("mesh-2bit", Rule::Driver, "two packets at once on a narrow link", not_at_once),
    fault("mesh-2bit", Rule::Rate, "two pins that carry what takes eight", |tape| {
        let (_, c) = on_its_way(tape);
        tape.change_all(c.transfer, |c| c.until = later(c.from, (c.until.0 - c.from.0) / 4));
    }),
    fault("venice", Rule::Reservation, "data beyond their reservation", outlives_its_reservation),
    fault("venice-wire", Rule::Reservation, "data beyond their wired reservation", outlives_its_reservation),
    fault("venice", Rule::Reservation, "a link that is reserved before its scout", reserved_before_its_scout),
    fault("venice", Rule::Reservation, "a link that two circuits reserve", over_a_taken_link),
    fault("venice-wire", Rule::Reservation, "a link that two circuits take by wire", over_a_taken_link),
    fault("venice", Rule::Driver, "a scout on a link that carries data", over_a_taken_link),
    fault("venice", Rule::Reservation, "a link that is given up by another controller", |tape| {
        tape.change(tape.cycles(|c, _| c.what == WireUse::Cancel && !tape.is_of_controller(c.wire)).0, |c| {
            c.path.0 = (c.path.0 + 1) % 3
        })
    }),
    fault("venice", Rule::Reservation, "a circuit that is torn down while it carries data", |tape| {
        let (place, _) = tape.cycles(|c, _| c.what == WireUse::Cancel && !tape.is_of_controller(c.wire));
        let Fact::Wire(cancel) = tape.entries[place].fact else { unreachable!() };
        let (_, c) = tape.cycles(|c, _| c.what == WireUse::Data && c.wire == cancel.wire && c.path == cancel.path);
        let middle = later(c.from, NS);
        tape.insert(
            middle,
            Fact::Wire(Cycles { from: middle, until: later(middle, cancel.until.0 - cancel.from.0), ..cancel }),
        );
    }),
    fault("venice", Rule::Circuit, "a circuit without one of its links", |tape| tape.remove(on_circuit(tape).0)),
    fault("venice-wire", Rule::Circuit, "a circuit that leads to another chip", |tape| {
        let (place, _, _) = tape.begins(tape.entries.len() / 4, |load| load.carries == Carries::Data);
        if let Fact::Begins { load, .. } = &mut tape.entries[place].fact {
            (load.chip.0, load.to.0) = ((load.chip.0 + 1) % 9, (load.chip.0 + 1) % 9);
        }
    }),
    fault("venice", Rule::Port, "a port that two circuits come to at once", |tape| tape.share_port()),
    fault("venice", Rule::Scout, "data before the scout is back", |tape| {
        let (_, c) = on_circuit(tape);
        let (_, scout) = tape.find_from(0, |_, entry| match entry.fact {
            Fact::Wire(s) => (s.transfer == c.transfer && s.what == WireUse::Scout && s.wire == c.wire).then_some(s),
            _ => None,
        });
        tape.change_all(c.transfer, |o| {
            if o.what == WireUse::Data {
                o.from = scout.until;
            }
        });
    }),
    fault("venice", Rule::Scout, "a scout that hops in no time", |tape| {
        tape.change(tape.cycles(|c, _| c.what == WireUse::Scout).0, |c| c.until = later(c.from, 1))
    }),
    fault("venice", Rule::Scout, "a scout that leaves out a router", |tape| {
        // It came from its controller: its first hop goes missing.
        let (_, hop) = tape.cycles(|c, _| c.what == WireUse::Scout && !tape.is_of_controller(c.wire));
        let (own, _) = tape.find_from(0, |_, entry| match entry.fact {
            Fact::Wire(c) => (c.path == hop.path && c.until == hop.from && c.what == WireUse::Scout).then_some(()),
            _ => None,
        });
        tape.entries.remove(own);
    }),
    fault("venice", Rule::End, "a transfer that ends before its last byte is through the circuit", |tape| {
        tape.end_earlier(tape.data(Carries::Data).1, 1)
    }),
];
