//! A wire has one driver at a time, and a controller that serves one transfer at a time (`fabric.omnibus.transfers_per_controller`)
//! drives one of its buses.

use std::rc::Rc;

use super::Check;
use crate::config::design::{FabricKind, Scouts};
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::Line;

pub struct Drivers {
    known: Rc<Known>,
    last: Vec<Option<Cycles>>,
    served: Vec<Option<Cycles>>,
}

impl Drivers {
    pub fn new(known: &Rc<Known>) -> Drivers {
        let is_alone = known.kind == FabricKind::Omnibus && known.design.fabric.omnibus.transfers_per_controller == 1;
        let controllers = if is_alone { known.shape.rows as usize } else { 0 };
        Drivers { known: known.clone(), last: vec![None; known.shape.wires.len()], served: vec![None; controllers] }
    }

    fn serve(&mut self, cycles: &Cycles, found: &mut Found) {
        let Some(Line::Bus { driver, .. }) = self.known.shape.line(cycles.wire) else {
            return;
        };
        let Some(last) = self.served.get_mut(*driver as usize) else { return };
        if let Some(other) = last.filter(|other| other.wire != cycles.wire && cycles.from < other.until) {
            let what = format!("controller {driver} serves transfer {}", cycles.transfer);
            let (name, until) = (self.known.shape.name(other.wire), ns(other.until));
            let expected = format!("a controller that is free; it drives {name} until {until}");
            found.add(Rule::Driver, cycles.from, self.known.shape.name(cycles.wire), what, expected);
        }
        if last.is_none_or(|last| last.until <= cycles.until) {
            *last = Some(*cycles);
        }
    }

    /// A reservation is no signal. An atomic scout reserves its way at once, so others may pass it.
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
        self.serve(cycles, found);
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
