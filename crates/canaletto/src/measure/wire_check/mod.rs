//! An independent checker of the wires: whatever a fabric puts on a wire is checked against rules.
//!
//! ```text
//! fabric ── spans ──┐
//! route ─ transfers ┼─▶ Recorder ── entries in order of time ─▶ Checker ─▶ rules/, one file a rule ─▶ violations
//! chips ─── steps ──┘   (recording.rs)                          (checker.rs)
//! ```
//!
//! The checker shares nothing with the fabrics. From the configuration it derives which wires there are ([`shape`]),
//! how long commands and data take at the least ([`lengths`]) and which distances the standard asks for
//! ([`distances`]). It keeps the state of each wire, LUN and register from what is reported.

pub mod checker;
pub mod distances;
pub mod found;
pub mod known;
pub mod lengths;
pub mod recording;
pub mod rules;
pub mod shape;

use crate::config::compute::At;
use crate::config::design::Design;
use crate::config::workload::Workload;
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireSpan;
use crate::flash::address::{LunId, PlaneId};
use crate::flash::interface::Operation;
use crate::measure::probe::{ArrayStep, Load, Observer, Owner};
use crate::measure::wire_check::checker::Checker;
use crate::measure::wire_check::found::Found;
use crate::measure::wire_check::recording::{Entry, Fact, Recorder};

pub struct WireCheck {
    recorder: Recorder,
    checker: Checker,
    pub kept: Option<Vec<Entry>>,
}

impl WireCheck {
    /// Reads may sense several pages at once only if a flow computes in the array.
    pub fn of(design: &Design, workload: &Workload) -> WireCheck {
        let mut design = design.clone();
        if !workload.flow.iter().any(|flow| flow.compute.is_some_and(|task| task.at == At::Array)) {
            design.compute.array.longer.0 = 0;
        }
        WireCheck::new(&design, false)
    }

    /// `keep` the recording, which takes memory.
    pub fn new(design: &Design, keep: bool) -> WireCheck {
        WireCheck { recorder: Recorder::new(), checker: Checker::new(design), kept: keep.then(Vec::new) }
    }

    pub fn finish(&mut self) -> &Found {
        while let Some(entry) = self.recorder.take(Time::MAX) {
            self.check(&entry);
        }
        self.checker.finish(self.recorder.now)
    }

    fn note(&mut self, at: Time, fact: Fact) {
        self.recorder.note(at, fact);
    }

    fn note_now(&mut self, now: Time, fact: Fact) {
        while let Some(entry) = self.recorder.take(now) {
            self.check(&entry);
        }
        self.note(now, fact);
    }

    fn check(&mut self, entry: &Entry) {
        self.checker.see(entry);
        if let Some(kept) = &mut self.kept {
            kept.push(*entry);
        }
    }
}

impl Observer for WireCheck {
    fn watches_wires(&self) -> bool {
        true
    }

    fn follows_waits(&self) -> bool {
        true
    }

    fn parts_failed(&mut self, now: Time) {
        self.note_now(now, Fact::PartsFail);
    }

    fn transfer_begins(&mut self, path: PathId, load: &Load, now: Time) {
        let transfer = self.recorder.begin(path);
        self.note_now(now, Fact::Begins { transfer, path, load: *load });
    }

    fn transfer_ends(&mut self, path: PathId, now: Time) {
        let transfer = self.recorder.transfer_on(path);
        self.note_now(now, Fact::Ends { transfer, path });
    }

    fn wire_used(&mut self, span: &WireSpan, _: Owner) {
        let (at, cycles) = self.recorder.cycles(span);
        self.note(at, Fact::Wire(cycles));
    }

    fn array_steps(&mut self, lun: LunId, planes: u64, operation: Operation, step: ArrayStep, span: (Time, Time)) {
        // The chip must have seen the command: this lies ahead.
        let at = if step == ArrayStep::Begins { self.recorder.now } else { span.0 };
        self.note_now(at, Fact::Array { lun, planes, operation, step, from: span.0, until: span.1 });
    }

    fn register_computed(&mut self, plane: PlaneId, now: Time) {
        self.note_now(now, Fact::Computed(plane));
    }

    fn register_filled(&mut self, plane: PlaneId, now: Time) {
        self.note_now(now, Fact::Register { plane, filled: true });
    }

    fn register_drained(&mut self, plane: PlaneId, _: Owner, now: Time) {
        self.note_now(now, Fact::Register { plane, filled: false });
    }
}
