//! Commands and addresses before data, each for its least time.

use std::rc::Rc;

use super::Check;
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::measure::probe::Carries;
use crate::measure::wire_check::found::{Found, Rule, ns};
use crate::measure::wire_check::known::{Known, Open, Transfers};
use crate::measure::wire_check::recording::{Cycles, Entry, Fact};
use crate::measure::wire_check::shape::Line;

/// In their order; each may come in parts.
fn steps_of(carries: Carries, has_column: bool) -> &'static [WireUse] {
    match carries {
        Carries::Command => &[WireUse::Command, WireUse::Data],
        Carries::Control => &[WireUse::Command],
        Carries::Data if has_column => &[WireUse::Command, WireUse::Data],
        Carries::Data | Carries::Copy => &[WireUse::Data],
    }
}

#[derive(Clone, Copy)]
struct Progress {
    wire: u32,
    /// None if something else has crossed.
    step: Option<usize>,
    command: Time,
    data: Time,
}

#[derive(Default, Clone)]
struct Seen {
    transfer: u32,
    wires: Vec<Progress>,
}

pub struct Steps {
    known: Rc<Known>,
    seen: Vec<Seen>,
}

impl Steps {
    pub fn new(known: &Rc<Known>) -> Steps {
        Steps { known: known.clone(), seen: Vec::new() }
    }

    fn seen(&mut self, path: PathId) -> &mut Seen {
        if self.seen.len() <= path.index() {
            self.seen.resize(path.index() + 1, Seen::default());
        }
        &mut self.seen[path.index()]
    }

    fn cross(&mut self, cycles: &Cycles, open: &Open, found: &mut Found) {
        let splits = self.known.takes_several_wires();
        let has_column =
            self.known.lengths.command(&open.load) > Time::ZERO || self.known.design.fabric.steps.is_some();
        let steps = steps_of(open.load.carries, has_column);
        let known = self.known.clone();
        let wires = &mut self.seen(cycles.path).wires;
        let place = wires.iter().position(|progress| progress.wire == cycles.wire).unwrap_or_else(|| {
            let step = if splits { steps.iter().position(|&step| step == cycles.what) } else { Some(0) };
            wires.push(Progress { wire: cycles.wire, step, command: Time::ZERO, data: Time::ZERO });
            wires.len() - 1
        });
        let progress = &mut wires[place];
        let time = cycles.until.saturating_sub(cycles.from);
        match cycles.what {
            WireUse::Command => progress.command += time,
            _ => progress.data += time,
        }
        let next = progress.step.and_then(|now| (now..steps.len()).find(|&step| steps[step] == cycles.what));
        let is_due = !splits && progress.command == Time::ZERO && known.lengths.command(&open.load) > Time::ZERO;
        if next.is_none() || is_due {
            let what = format!("{:?} cycles of transfer {}", cycles.what, cycles.transfer);
            let expected = format!("{steps:?} in this order");
            found.add(Rule::Order, cycles.from, known.shape.name(cycles.wire), what, expected);
        } else {
            progress.step = next;
        }
    }

    fn is_trunk(&self, progress: &Progress) -> bool {
        matches!(self.known.shape.line(progress.wire), Some(Line::Trunk(_)))
    }

    /// Each once.
    fn wholes(&self, seen: &Seen) -> Vec<Progress> {
        if !self.known.takes_several_wires() {
            return seen.wires.clone();
        }
        let (trunks, others): (Vec<&Progress>, Vec<_>) =
            seen.wires.iter().partition(|progress| self.is_trunk(progress));
        let kinds = [trunks, others].into_iter().filter(|wires| !wires.is_empty());
        let sum = |wires: &[&Progress], time: fn(&Progress) -> Time| {
            wires.iter().map(|progress| time(progress)).fold(Time::ZERO, |sum, part| sum + part)
        };
        let whole = |wires: Vec<&Progress>| Progress {
            wire: wires[0].wire,
            step: None,
            command: sum(&wires, |on| on.command),
            data: sum(&wires, |on| on.data),
        };
        kinds.map(whole).collect()
    }

    fn count(&self, seen: &Seen, open: &Open, at: Time, found: &mut Found) {
        let (command, data) = (self.known.lengths.command(&open.load), self.known.lengths.data(&open.load));
        if command + data > Time::ZERO && seen.wires.is_empty() {
            let what = format!("transfer {} crosses without a cycle", open.transfer);
            found.add(Rule::Command, at, self.known.chip_name(open.load.chip), what, "cycles on a wire");
            return;
        }
        let each = self.wholes(seen);
        if let Some(short) = each.iter().find(|on| on.command < command) {
            let what = format!("commands of transfer {} take {}", open.transfer, ns(short.command));
            let expected = format!("at least {} for its cycles", ns(command));
            found.add(Rule::Command, at, self.known.shape.name(short.wire), what, expected);
        }
        if let Some(short) = each.iter().find(|on| on.data < data) {
            let what = format!("{} bytes of transfer {} take {}", open.load.bytes, open.transfer, ns(short.data));
            let expected = format!("at least {} at the rate of the wire", ns(data));
            found.add(Rule::Rate, at, self.known.shape.name(short.wire), what, expected);
        }
    }
}

impl Check for Steps {
    fn see(&mut self, entry: &Entry, transfers: &Transfers, found: &mut Found) {
        match &entry.fact {
            Fact::Begins { transfer, path, .. } => {
                let seen = self.seen(*path);
                seen.transfer = *transfer;
                seen.wires.clear();
            }
            Fact::Wire(cycles) if matches!(cycles.what, WireUse::Command | WireUse::Data) => {
                if let Some(open) = transfers.of(cycles) {
                    self.cross(cycles, open, found);
                }
            }
            Fact::Ends { transfer, path } => {
                if let Some(open) = transfers.get(*path, *transfer) {
                    let seen = std::mem::take(self.seen(*path));
                    self.count(&seen, open, entry.at, found);
                    *self.seen(*path) = seen;
                }
            }
            _ => {}
        }
    }
}
