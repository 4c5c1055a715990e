use std::collections::BTreeMap;

use canaletto::config::design::Design;
use canaletto::engine::time::Time;
use canaletto::fabric::trace::WireUse;
use canaletto::fabric::{Direction, PathId};
use canaletto::flash::address::LunId;
use canaletto::flash::interface::Operation;
use canaletto::measure::probe::{ArrayStep, Carries, Load};
use canaletto::measure::wire_check::recording::{Cycles, Entry, Fact};
use canaletto::measure::wire_check::shape::{Line, Node, Shape};

pub const NS: u64 = 1000;

pub const OTHER_PATH: PathId = PathId(900);

pub const OTHER: u32 = 9_000_000;

pub struct Tape {
    pub entries: Vec<Entry>,
    pub shape: Shape,
    loads: BTreeMap<u32, Load>,
}

fn place(fact: &Fact, at: Time) -> Time {
    match fact {
        Fact::Wire(c) if matches!(c.what, WireUse::Reserved | WireUse::Handshake) => c.until,
        Fact::Wire(c) => c.from,
        _ => at,
    }
}

impl Tape {
    pub fn new(design: &Design, entries: Vec<Entry>) -> Tape {
        let loads = entries.iter().filter_map(|entry| match entry.fact {
            Fact::Begins { transfer, load, .. } => Some((transfer, load)),
            _ => None,
        });
        Tape { loads: loads.collect(), shape: Shape::new(design), entries }
    }

    pub fn sorted(mut self) -> Vec<Entry> {
        for entry in &mut self.entries {
            entry.at = place(&entry.fact, entry.at);
        }
        self.entries.sort_by_key(|entry| entry.at);
        self.entries
    }

    pub fn load(&self, transfer: u32) -> Load {
        self.loads[&transfer]
    }

    pub fn find_from<T>(&self, from: usize, wanted: impl Fn(usize, &Entry) -> Option<T>) -> (usize, T) {
        let found = (from..self.entries.len()).find_map(|i| Some((i, wanted(i, &self.entries[i])?)));
        found.expect("the recording has such an entry")
    }

    pub fn cycles(&self, wanted: impl Fn(&Cycles, &Load) -> bool) -> (usize, Cycles) {
        self.find_from(self.entries.len() / 4, |_, entry| match entry.fact {
            Fact::Wire(c) => self.loads.get(&c.transfer).is_some_and(|load| wanted(&c, load)).then_some(c),
            _ => None,
        })
    }

    pub fn overlapping(&self) -> (Cycles, Cycles) {
        let is_one = |c: &Cycles, load: &Load| c.what == WireUse::Data && load.direction == Direction::FromChip;
        let beside = |c: &Cycles, o: &Cycles| {
            let chips = [c, o].map(|cycles| self.load(cycles.transfer).chip);
            chips[0] != chips[1] && o.from > c.from && o.from < c.until
        };
        let all: Vec<Cycles> = self
            .entries
            .iter()
            .filter_map(|entry| match entry.fact {
                Fact::Wire(c) => is_one(&c, self.loads.get(&c.transfer)?).then_some(c),
                _ => None,
            })
            .collect();
        let pair = |(i, c): (usize, &Cycles)| Some((*c, *all[i + 1..].iter().take(99).find(|o| beside(c, o))?));
        all.iter().enumerate().find_map(pair).expect("two cross at the same time")
    }

    pub fn share_port(&mut self) {
        let (one, other) = self.overlapping();
        let chip = self.load(one.transfer).chip;
        for entry in &mut self.entries {
            match &mut entry.fact {
                Fact::Begins { transfer, load, .. } if *transfer == other.transfer => {
                    (load.chip, load.to) = (chip, chip)
                }
                _ => {}
            }
        }
    }

    pub fn data(&self, carries: Carries) -> (usize, Cycles) {
        self.cycles(|c, load| c.what == WireUse::Data && load.carries == carries)
    }

    pub fn begins(&self, from: usize, wanted: impl Fn(&Load) -> bool) -> (usize, u32, Load) {
        let (i, (transfer, load)) = self.find_from(from, |_, entry| match entry.fact {
            Fact::Begins { transfer, load, .. } => wanted(&load).then_some((transfer, load)),
            _ => None,
        });
        (i, transfer, load)
    }

    pub fn ends(&self, transfer: u32) -> usize {
        self.find_from(0, |_, entry| {
            matches!(entry.fact, Fact::Ends { transfer: t, .. } if t == transfer).then_some(())
        })
        .0
    }

    pub fn step(&self, wanted: ArrayStep, operation: impl Fn(Operation) -> bool) -> usize {
        self.step_from(self.entries.len() / 4, wanted, operation)
    }

    pub fn step_from(&self, from: usize, wanted: ArrayStep, operation: impl Fn(Operation) -> bool) -> usize {
        let is_one = |_: usize, entry: &Entry| match entry.fact {
            Fact::Array { step, operation: o, .. } => (step == wanted && operation(o)).then_some(()),
            _ => None,
        };
        self.find_from(from, is_one).0
    }

    fn step_of(&self, place: usize) -> Option<(LunId, ArrayStep)> {
        match self.entries[place].fact {
            Fact::Array { lun, step, .. } => Some((lun, step)),
            _ => None,
        }
    }

    pub fn next_step(&self, after: usize, wanted: ArrayStep) -> usize {
        let lun = self.step_of(after).expect("a step").0;
        (after + 1..self.entries.len()).find(|&i| self.step_of(i) == Some((lun, wanted))).expect("a further step")
    }

    /// With no other step between them, once the drive is busy.
    pub fn steps(&self, first: ArrayStep, then: ArrayStep, fits: impl Fn(usize, usize) -> bool) -> (usize, usize) {
        let following = |place: usize| {
            let (lun, _) = self.step_of(place).filter(|(_, step)| *step == first)?;
            let is_its = |&i: &usize| self.step_of(i).is_some_and(|(of, _)| of == lun);
            let next = (place + 1..self.entries.len()).find(is_its)?;
            (self.step_of(next) == Some((lun, then)) && fits(place, next)).then_some((place, next))
        };
        (self.entries.len() / 4..self.entries.len()).find_map(following).expect("two such steps")
    }

    pub fn register(&self, from: usize, wanted: bool) -> usize {
        let is_one = |_: usize, entry: &Entry| {
            matches!(entry.fact, Fact::Register { filled, .. } if filled == wanted).then_some(())
        };
        self.find_from(from, is_one).0
    }

    pub fn change(&mut self, place: usize, change: impl Fn(&mut Cycles)) {
        match &mut self.entries[place].fact {
            Fact::Wire(cycles) => change(cycles),
            other => panic!("{other:?} are no cycles"),
        }
    }

    pub fn remove(&mut self, place: usize) {
        self.entries.remove(place);
    }

    pub fn move_earlier(&mut self, place: usize, by: u64) {
        self.entries[place].at = earlier(self.entries[place].at, by);
    }

    pub fn end_earlier(&mut self, cycles: Cycles, by: u64) {
        self.move_earlier(self.ends(cycles.transfer), by);
    }

    pub fn move_to_failed(&mut self, place: usize) {
        let failed = (0..self.shape.wires.len() as u32).find(|&wire| self.shape.has_failed(wire));
        self.change(place, |c| c.wire = failed.expect("one has"));
    }

    /// Cycles of another transfer in the middle of these.
    pub fn cross_amid(&mut self, c: Cycles, other: Cycles) {
        let middle = later(c.from, (c.until.0 - c.from.0) / 2);
        let stray = Cycles { wire: c.wire, from: middle, until: later(middle, NS), ..other };
        self.insert(middle, Fact::Wire(stray));
    }

    pub fn change_all(&mut self, transfer: u32, change: impl Fn(&mut Cycles)) {
        for entry in &mut self.entries {
            if let Fact::Wire(cycles) = &mut entry.fact {
                if cycles.transfer == transfer {
                    change(cycles);
                }
            }
        }
    }

    pub fn remove_cycles(&mut self, wanted: impl Fn(&Cycles) -> bool) {
        self.entries.retain(|entry| !matches!(&entry.fact, Fact::Wire(cycles) if wanted(cycles)));
    }

    pub fn insert(&mut self, at: Time, fact: Fact) {
        let before = self.entries.partition_point(|entry| entry.at <= at);
        self.entries.insert(before, Entry { at, fact });
    }

    pub fn command(&mut self, at: Time, load: Load) {
        self.insert(at, Fact::Begins { transfer: OTHER, path: OTHER_PATH, load });
    }

    pub fn wire(&self, from: Node, to: Node) -> u32 {
        self.shape.wires.iter().position(|w| w.line == Line::Link(from, to)).expect("neighbours") as u32
    }

    pub fn is_of_controller(&self, wire: u32) -> bool {
        let line = &self.shape.wires[wire as usize].line;
        matches!(line, Line::Link(Node::Controller(_), _) | Line::Link(_, Node::Controller(_)))
    }
}

pub fn earlier(time: Time, by: u64) -> Time {
    Time(time.0 - by)
}

pub fn later(time: Time, by: u64) -> Time {
    Time(time.0 + by)
}
