//! A register is filled when empty, by a read that has ended; emptied when its data have crossed; no command to a plane
//! with a full register.

use std::rc::Rc;

use super::Check;
use crate::config::design::Design;
use crate::engine::time::Time;
use crate::flash::interface::Operation;
use crate::measure::probe::{ArrayStep, Carries, Load};
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Transfers};
use crate::measure::wire_check::recording::{Entry, Fact};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    Empty,
    Holds(Time),
    Leaving(u32),
    Crossed,
}

pub struct Registers {
    known: Rc<Known>,
    registers: Vec<Register>,
    read: Vec<Option<Time>>,
}

impl Registers {
    pub fn new(known: &Rc<Known>) -> Registers {
        let planes = known.luns() * known.planes_per_lun as usize;
        Registers { known: known.clone(), registers: vec![Register::Empty; planes], read: vec![None; planes] }
    }

    fn add(&self, rule: Rule, at: Time, plane: usize, what: &str, expected: &str, found: &mut Found) {
        found.add(rule, at, self.known.plane_name(plane), what.into(), expected);
    }

    fn command(&mut self, load: &Load, at: Time, found: &mut Found) {
        // MQSim's chips take no new command until all data have left; the second one of a copyback is none.
        let is_new = load.operation != Operation::Program || load.bytes > 0;
        let mask = if self.known.design.flash.busy_until_data_out && is_new { u64::MAX } else { load.planes };
        for plane in self.known.planes(load.lun.0, mask) {
            // Behind a cache register a page register is free once its page has moved.
            let behind =
                self.known.design.flash.cache_read && load.operation == Operation::Read && self.read[plane].is_none();
            if self.registers[plane] != Register::Empty && !behind {
                let what = format!("a command to {:?}", load.operation);
                self.add(Rule::Register, at, plane, &what, "an empty register", found);
            }
        }
    }

    fn data(&mut self, transfer: u32, load: &Load, at: Time, found: &mut Found) {
        for plane in self.known.planes(load.lun.0, load.planes) {
            match self.registers[plane] {
                Register::Holds(since) if since <= at => {}
                _ => self.add(Rule::Ready, at, plane, "its data set out", "data in its register", found),
            }
            self.registers[plane] = Register::Leaving(transfer);
        }
    }

    fn may_wait(&self) -> bool {
        let Design { flash, fabric, .. } = &self.known.design;
        self.known.lengths.is_full() || flash.cache_read || fabric.steps.is_some()
    }

    fn fill(&mut self, plane: usize, at: Time, found: &mut Found) {
        let may_wait = self.may_wait();
        if !self.read[plane].take().is_some_and(|ended| ended == at || may_wait && ended < at) {
            self.add(Rule::Register, at, plane, "its register is filled", "a read that ends now", found);
        }
        if self.registers[plane] != Register::Empty {
            self.add(Rule::Register, at, plane, "its register is overwritten", "that to have been drained", found);
        }
        self.registers[plane] = Register::Holds(at);
    }

    fn drain(&mut self, plane: usize, at: Time, found: &mut Found) {
        // A page that is copied back is used where it is.
        let is_kept = self.known.design.gc.copyback && matches!(self.registers[plane], Register::Holds(_));
        if self.registers[plane] != Register::Crossed && !is_kept {
            self.add(Rule::Register, at, plane, "its register is drained", "data that have crossed", found);
        }
        self.registers[plane] = Register::Empty;
    }
}

impl Check for Registers {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        match &entry.fact {
            Fact::PartsFail => {
                let per_lun = self.known.planes_per_lun;
                let lost = (0..).zip(&mut self.read).filter(|(plane, _)| self.known.will_be_cut_off(*plane / per_lun));
                lost.for_each(|(_, ended)| *ended = None);
            }
            Fact::Computed(plane) if matches!(self.registers[plane.index()], Register::Holds(_)) => {
                self.registers[plane.index()] = Register::Crossed;
            }
            Fact::Begins { load, .. } if load.apart => {}
            Fact::Begins { transfer, load, .. } => match load.carries {
                Carries::Command => self.command(load, entry.at, found),
                Carries::Control => {}
                Carries::Data | Carries::Copy => self.data(*transfer, load, entry.at, found),
            },
            Fact::Ends { transfer, path } => {
                let Some(open) = transfers.get(*path, *transfer) else { return };
                for plane in self.known.planes(open.load.lun.0, open.load.planes) {
                    if self.registers[plane] == Register::Leaving(*transfer) {
                        self.registers[plane] = Register::Crossed;
                    }
                }
            }
            Fact::Array { lun, planes, operation: Operation::Read, step: ArrayStep::Ends, .. } => {
                for plane in self.known.planes(lun.0, *planes) {
                    if self.read[plane].replace(entry.at).is_some() {
                        self.add(
                            Rule::Register,
                            entry.at,
                            plane,
                            "a read ends",
                            "data of the last one in the register",
                            found,
                        );
                    }
                }
            }
            Fact::Register { plane, filled: true } => self.fill(plane.index(), entry.at, found),
            Fact::Register { plane, filled: false } => self.drain(plane.index(), entry.at, found),
            _ => {}
        }
    }

    fn end(&mut self, now: Time, _: &Transfers, found: &mut Found) {
        for plane in 0..self.read.len() {
            if let Some(ended) = self.read[plane].filter(|&ended| ended < now && !self.may_wait()) {
                let what = format!("a read ended at {} and filled nothing", ns(ended));
                self.add(Rule::Register, now, plane, &what, "data in its register", found);
            }
        }
    }
}
