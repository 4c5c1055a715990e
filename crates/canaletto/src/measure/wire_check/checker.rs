use std::rc::Rc;

use crate::config::design::Design;
use crate::engine::time::Time;
use crate::measure::wire_check::found::Found;
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};
use crate::measure::wire_check::rules::{self, Check};

pub struct Checker {
    known: Rc<Known>,
    parts_failed: bool,
    rules: Vec<Box<dyn Check>>,
    transfers: Transfers,
    found: Found,
}

impl Checker {
    pub fn new(design: &Design) -> Checker {
        let known = Rc::new(Known::new(design));
        let (transfers, found) = (Transfers::default(), Found::default());
        Checker { rules: rules::all(&known), known, parts_failed: false, transfers, found }
    }

    pub fn see(&mut self, entry: &Entry) {
        self.parts_failed |= entry.fact == Fact::PartsFail;
        if self.parts_failed && self.is_cut_off(entry) {
            return;
        }
        self.found.uses += u64::from(matches!(entry.fact, Fact::Wire(_)));
        for rule in &mut self.rules {
            rule.see(entry, &self.transfers, &mut self.found);
        }
        match entry.fact {
            Fact::Begins { transfer, path, load } => {
                *self.transfers.place(path) = Some(Open { transfer, load, began: entry.at, cycles: Vec::new() });
            }
            Fact::Wire(cycles) => self.transfers.cross(cycles),
            Fact::Ends { transfer, path } => {
                if let Some(over) = self.transfers.take(path, transfer) {
                    self.rules.iter_mut().for_each(|rule| rule.look_back(&over, entry.at, &mut self.found));
                }
            }
            _ => {}
        }
    }

    fn is_cut_off(&self, entry: &Entry) -> bool {
        match entry.fact {
            Fact::Array { lun, .. } => self.known.will_be_cut_off(lun.0),
            Fact::Register { plane, .. } => self.known.will_be_cut_off(plane.0 / self.known.planes_per_lun),
            _ => false,
        }
    }

    pub fn finish(&mut self, now: Time) -> &Found {
        for rule in &mut self.rules {
            rule.end(now, &self.transfers, &mut self.found);
        }
        &self.found
    }
}

pub fn check(design: &Design, recording: &[Entry]) -> Found {
    let mut checker = Checker::new(design);
    recording.iter().for_each(|entry| checker.see(entry));
    checker.finish(recording.last().map_or(Time::ZERO, |entry| entry.at));
    checker.found
}
