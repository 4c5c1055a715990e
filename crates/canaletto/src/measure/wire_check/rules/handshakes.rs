//! Controllers agree on a bus that another one drives before anything crosses it (Networked SSD §V-D, Fig. 11).

use std::rc::Rc;

use super::Check;
use crate::fabric::trace::WireUse;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::Line;

pub struct Handshakes {
    known: Rc<Known>,
    last: Vec<Option<Cycles>>,
    first: Vec<(u32, u32)>,
}

impl Handshakes {
    pub fn new(known: &Rc<Known>) -> Handshakes {
        Handshakes { known: known.clone(), last: vec![None; known.shape.wires.len()], first: Vec::new() }
    }

    /// A copy needs both ends' controllers.
    fn agreements(&self, open: &Open, driver: u32) -> u64 {
        let row = |chip: u32| self.known.shape.place(chip).0;
        let (source, destination) = (row(open.load.chip.0), row(open.load.to.0));
        let hops = u64::from(source != driver) + u64::from(destination != driver);
        match hops {
            _ if self.known.is_on_held_path(&open.load) => 0,
            _ if source == destination => hops.min(1),
            hops => hops,
        }
    }

    fn agreed(&mut self, cycles: &Cycles, open: &Open, driver: u32, found: &mut Found) {
        let agreements = self.agreements(open, driver);
        let last = self.last[cycles.wire as usize].filter(|last| last.transfer == cycles.transfer);
        let follows = |last: &Cycles| last.until == cycles.from;
        if agreements > 0 && !last.is_some_and(|last| follows(&last)) {
            let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
            let expected = "controllers to have agreed on them just before";
            found.add(Rule::Handshake, cycles.from, self.known.shape.name(cycles.wire), what, expected);
        }
        if let Some(agreement) = last.filter(|last| last.what == WireUse::Handshake && follows(last)) {
            let (took, least) =
                (agreement.until.saturating_sub(agreement.from), self.known.lengths.agreement() * agreements);
            if took < least {
                let what = format!("controllers agree in {}", ns(took));
                let expected = format!("{} at the least", ns(least));
                found.add(Rule::Handshake, agreement.from, self.known.shape.name(cycles.wire), what, expected);
            }
        }
    }
}

impl Handshakes {
    fn joins(&mut self, cycles: &Cycles) -> bool {
        if !self.known.splits_late() {
            return false;
        }
        let place = cycles.path.index();
        if self.first.len() <= place {
            self.first.resize(place + 1, (u32::MAX, 0));
        }
        let (transfer, wire) = &mut self.first[place];
        if *transfer != cycles.transfer {
            (*transfer, *wire) = (cycles.transfer, cycles.wire);
        }
        *wire != cycles.wire
    }
}

impl Check for Handshakes {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        let Fact::Wire(cycles) = &entry.fact else { return };
        let Some(Line::Bus { driver, rows, .. }) = self.known.shape.line(cycles.wire) else {
            return;
        };
        let (is_another, driver) = (rows.len() > 1 || rows.start != *driver, *driver);
        if !self.joins(cycles) && is_another {
            if let Some(open) = transfers.of(cycles).filter(|_| cycles.what != WireUse::Handshake) {
                self.agreed(cycles, open, driver, found);
            }
            self.last[cycles.wire as usize] = Some(*cycles);
        }
    }
}
