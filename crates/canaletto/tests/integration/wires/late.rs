use canaletto::fabric::trace::WireUse;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::{Cycles, Fact};

use super::tape::{NS, Tape, earlier, later};
use super::{Fault, fault};

const SITE: &str = "late-split";

fn crosses_elsewhere(tape: &Tape, c: &Cycles, before: u64) -> bool {
    let is_it = |o: &Cycles| {
        (o.transfer, o.what) == (c.transfer, WireUse::Data) && o.wire != c.wire && o.from.0 < before && o.from <= c.from
    };
    tape.entries.iter().any(|entry| matches!(&entry.fact, Fact::Wire(o) if is_it(o)))
}

fn message(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| c.what == WireUse::Handshake && crosses_elsewhere(tape, c, c.until.0))
}

fn packet(tape: &Tape) -> (usize, Cycles) {
    tape.cycles(|c, _| {
        c.what == WireUse::Data && c.until.0 - c.from.0 < 5 * NS && crosses_elsewhere(tape, c, c.until.0)
    })
}

pub const FAULTS: &[Fault] = &[
    fault(SITE, Rule::Handshake, "a bus that joins untold", |tape| tape.remove(message(tape).0)),
    fault(SITE, Rule::Handshake, "a message in less time than it takes", |tape| {
        tape.change(message(tape).0, |c| c.from = later(c.from, NS))
    }),
    fault(SITE, Rule::Distance, "the end of a page before its chip has turned to it", |tape| {
        let (_, asked) = packet(tape);
        let (place, _) = tape.cycles(|c, _| {
            (c.transfer, c.wire, c.what) == (asked.transfer, asked.wire, WireUse::Data) && c.from > asked.until
        });
        tape.change(place, |c| c.from = earlier(c.from, NS));
    }),
    fault(SITE, Rule::Command, "a packet for the column without its last flit", |tape| {
        tape.change(packet(tape).0, |c| c.until = earlier(c.until, NS))
    }),
];
