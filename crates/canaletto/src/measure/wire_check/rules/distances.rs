//! Distances between the wires and the arrays: tWB, tADL and tDBSY before an array begins, tRR before its data.

use std::rc::Rc;

use super::Check;
use crate::config::design::{FabricKind, Turnarounds};
use crate::engine::time::Time;
use crate::fabric::trace::WireUse;
use crate::flash::interface::Operation;
use crate::measure::probe::{ArrayStep, Carries, Load};
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};

#[derive(Clone, Copy)]
struct Crossing {
    transfer: u32,
    load: Load,
    first: Time,
    last: Time,
}

pub struct Gaps {
    known: Rc<Known>,
    commands: Vec<Option<Crossing>>,
    /// When data of each plane's array, and of its register, may leave at the soonest.
    read: Vec<Time>,
    ready: Vec<Time>,
}

impl Gaps {
    pub fn new(known: &Rc<Known>) -> Gaps {
        let planes = known.luns() * known.planes_per_lun as usize;
        Gaps {
            known: known.clone(),
            commands: vec![None; planes],
            read: vec![Time::ZERO; planes],
            ready: vec![Time::ZERO; planes],
        }
    }

    fn cross(&mut self, cycles: &Cycles, open: &Open) {
        for plane in self.known.planes(open.load.lun.0, open.load.planes) {
            let known = &mut self.commands[plane];
            match known {
                Some(crossing) if crossing.transfer == cycles.transfer => {
                    crossing.first = crossing.first.min(cycles.from);
                    crossing.last = crossing.last.max(cycles.until);
                }
                _ => {
                    let (first, last) = (cycles.from, cycles.until);
                    *known = Some(Crossing { transfer: cycles.transfer, load: open.load, first, last });
                }
            }
        }
    }

    fn before_array(&self, load: &Load) -> Time {
        let lengths = &self.known.lengths;
        let planes = u64::from(load.planes.count_ones());
        let between = lengths.distances().before_array(load.operation, planes, load.bytes > 0);
        // Parts of a page cross at the same time where both buses are free.
        let is_split = self.known.kind == FabricKind::OmnibusSplit || self.known.splits_late();
        let abreast = if is_split { 2 } else { 1 };
        lengths.command(load) + Time(lengths.data(load).0 / abreast) + between
    }

    fn array_begins(&mut self, lun: u32, planes: u64, from: Time, found: &mut Found) {
        let plane = self.known.planes(lun, planes).next();
        let Some(Crossing { load, first, last, .. }) = plane.and_then(|plane| self.commands[plane]) else { return };
        let soonest = first + self.before_array(&load);
        // Turnarounds that hold the wires are cycles of the command.
        let on_wires = self.known.design.fabric.turnarounds == Turnarounds::OnWires;
        let after_last = if on_wires { last } else { last + Time::from_ns(self.known.lengths.distances().t_wb) };
        let soonest = soonest.max(after_last);
        if from < soonest {
            let what = format!("{:?} begins {} after its last cycle", load.operation, ns(from.saturating_sub(last)));
            let expected = format!("at {} or later (tWB, tADL, tDBSY)", ns(soonest));
            found.add(Rule::Distance, from, self.known.lun_name(lun), what, expected);
        }
        if load.operation == Operation::Read {
            let t_rr = Time::from_ns(self.known.lengths.distances().t_rr);
            let (t_r, _) = self.known.array_times(Operation::Read);
            for plane in self.known.planes(lun, load.planes) {
                self.read[plane] = first + self.before_array(&load) + t_r + t_rr;
            }
        }
    }

    fn data(&self, cycles: &Cycles, open: &Open, found: &mut Found) {
        for plane in self.known.planes(open.load.lun.0, open.load.planes) {
            if cycles.from < self.ready[plane] {
                let what = "its first data cycle".to_owned();
                let expected = format!("none before {} (tWB, tR, tRR)", ns(self.ready[plane]));
                found.add(Rule::Distance, cycles.from, self.known.plane_name(plane), what, expected);
            }
        }
    }
}

impl Check for Gaps {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        match &entry.fact {
            Fact::Wire(cycles) if matches!(cycles.what, WireUse::Command | WireUse::Data) => {
                let Some(open) = transfers.of(cycles) else { return };
                if open.load.carries == Carries::Command && !open.load.apart {
                    self.cross(cycles, open);
                } else if cycles.what == WireUse::Data {
                    self.data(cycles, open, found);
                }
            }
            Fact::Register { plane, filled: true } => self.ready[plane.index()] = self.read[plane.index()],
            Fact::Array { lun, planes, step: ArrayStep::Begins, from, .. } => {
                self.array_begins(lun.0, *planes, *from, found);
            }
            _ => {}
        }
    }
}
