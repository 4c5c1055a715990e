//! A wire has one driver at a time.

use std::rc::Rc;

use super::Check;
use crate::config::design::Scouts;
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};

pub struct Drivers {
    known: Rc<Known>,
    /// The last use of each wire.
    last: Vec<Option<Cycles>>,
}

impl Drivers {
    pub fn new(known: &Rc<Known>) -> Drivers {
        Drivers { known: known.clone(), last: vec![None; known.shape.wires.len()] }
    }

    /// Whether cycles drive their wire. A reservation is a state of routers, not a signal; an atomic scout reserves its way at
    /// once and only takes the time of its hops, so that others may pass it.
    fn drive(&self, what: WireUse) -> bool {
        match what {
            WireUse::Command | WireUse::Data | WireUse::Handshake => true,
            WireUse::Scout | WireUse::Cancel => self.known.design.fabric.venice.scouts != Scouts::Atomic,
            WireUse::Reserved => false,
        }
    }
}

impl Check for Drivers {
    fn see(&mut self, entry: &Entry, _: &Transfers, found: &mut Found) {
        let Fact::Wire(cycles) = &entry.fact else { return };
        if !self.drive(cycles.what) {
            return;
        }
        let Some(last) = self.last.get_mut(cycles.wire as usize) else { return };
        let until = last.map_or(Time::ZERO, |last| last.until);
        if let Some(other) = last.filter(|other| cycles.from < other.until) {
            let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
            let expected = format!(
                "a wire that is free; {:?} cycles of transfer {} are on it until {}",
                other.what,
                other.transfer,
                ns(other.until)
            );
            found.add(Rule::Driver, cycles.from, self.known.shape.name(cycles.wire), what, expected);
        }
        if cycles.until >= until {
            *last = Some(*cycles);
        }
    }
}
