//! Merges of log blocks with data blocks, step by step.
//!
//! | merge | when | what |
//! | --- | --- | --- |
//! | switch | the log block holds pages of one logical block in order, and the data block nothing beyond | it becomes the data block |
//! | partial | it does, and the data block holds something beyond | that is copied behind it first |
//! | full | otherwise | all pages of the logical block are copied in order to a free block, which becomes the data block |
//!
//! Then the old data block is erased. A full merge is repeated for every logical block with valid pages in the log block,
//! which is then erased too.
//!
//! Writes wait while their plane merges. The merge of a logical block begins once no write is on its way to the blocks
//! that will be erased.

use super::{Addresses, NONE, Page, Plane};
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::measure::maintenance::Merges;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Copy(Ppa),
    Erase(Ppa),
    Wait,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Choose,
    Begin,
    Copy,
    Erase(u32),
    Erasing(u32),
    Done,
}

pub struct Job {
    /// None if a data block is moved for the sake of wear.
    log: u32,
    in_order: bool,
    pub since: Time,
    logical: u32,
    destination: u32,
    next: u32,
    copies: u32,
    phase: Phase,
}

pub(super) struct View<'a> {
    pub plane: PlaneId,
    pub blocks: &'a Blocks,
    pub addresses: &'a Addresses,
    pub copies_in_flight: u32,
}

impl View<'_> {
    fn next_valid(&self, block: u32, from: u32) -> Option<Ppa> {
        if block == NONE { None } else { self.blocks.next_valid(self.plane, block, from) }
    }

    fn is_being_programmed(&self, block: u32) -> bool {
        block != NONE && self.blocks.programs_in_flight(self.plane, block) > 0
    }
}

impl Job {
    pub(super) fn of_log(log: u32, in_order: bool, now: Time) -> Job {
        let phase = Phase::Choose;
        Job { log, in_order, since: now, logical: NONE, destination: NONE, next: 0, copies: 0, phase }
    }

    pub(super) fn of_data(logical: u32, now: Time) -> Job {
        Job { logical, phase: Phase::Begin, ..Job::of_log(NONE, false, now) }
    }

    pub(super) fn levels_wear(&self) -> bool {
        self.log == NONE
    }

    /// As far as nothing has to be waited for.
    pub(super) fn step(
        &mut self,
        state: &mut Plane,
        view: &View<'_>,
        locate: impl Fn(u64) -> Option<Ppa>,
        merges: &mut Merges,
    ) -> Step {
        loop {
            match self.phase {
                Phase::Choose if view.is_being_programmed(self.log) => return Step::Wait,
                Phase::Choose => self.choose(view),
                Phase::Begin if view.is_being_programmed(state.data_of(self.logical)) => return Step::Wait,
                Phase::Begin => self.begin(state, view, merges),
                Phase::Copy if self.copies >= view.copies_in_flight => return Step::Wait,
                Phase::Copy => match self.next_source(state, view, &locate) {
                    Some(from) => {
                        self.copies += 1;
                        state.unplaced.push_back(self.next - 1);
                        return Step::Copy(from);
                    }
                    None if self.copies > 0 => return Step::Wait,
                    None => self.settle(state),
                },
                Phase::Erase(block) => {
                    let at = Ppa { plane: view.plane, block, page: 0 };
                    if view.blocks.reads_in_flight(at) > 0 {
                        return Step::Wait;
                    }
                    self.phase = Phase::Erasing(block);
                    return Step::Erase(at);
                }
                Phase::Erasing(_) => return Step::Wait,
                Phase::Done => return Step::Done,
            }
        }
    }

    fn choose(&mut self, view: &View<'_>) {
        match view.next_valid(self.log, 0).and_then(|at| view.blocks.valid_lpa(at)) {
            Some(lpa) => {
                self.logical = view.addresses.page(lpa).logical;
                self.phase = Phase::Begin;
            }
            None => self.phase = Phase::Erase(self.log),
        }
    }

    fn begin(&mut self, state: &Plane, view: &View<'_>, merges: &mut Merges) {
        let data = state.data_of(self.logical);
        let written = if self.in_order { view.blocks.used(view.plane, self.log) } else { 0 };
        // An earlier merge may have moved pages of the log block.
        let whole = view.next_valid(data, 0).is_none_or(|first| first.page >= written);
        if self.in_order && whole {
            (self.destination, self.next) = (self.log, written);
            match view.next_valid(data, written) {
                Some(_) => merges.partial += 1,
                None => merges.switch += 1,
            }
        } else {
            (self.destination, self.next) = (NONE, 0);
            merges.full += 1;
        }
        self.phase = Phase::Copy;
    }

    fn keeps_log(&self) -> bool {
        self.log != NONE && self.destination == self.log
    }

    fn next_source(&mut self, state: &Plane, view: &View<'_>, locate: impl Fn(u64) -> Option<Ppa>) -> Option<Ppa> {
        if self.keeps_log() {
            let from = view.next_valid(state.data_of(self.logical), self.next)?;
            self.next = from.page + 1;
            return Some(from);
        }
        while u64::from(self.next) < view.addresses.pages_per_block {
            let lpa = view.addresses.lpa(view.plane, Page { logical: self.logical, offset: self.next });
            self.next += 1;
            let from = locate(lpa);
            if from.is_some() {
                return from;
            }
        }
        None
    }

    fn settle(&mut self, state: &mut Plane) {
        let old = state.data_of(self.logical);
        state.set_data(self.logical, self.destination);
        if self.keeps_log() {
            state.logs.retain(|log| log.block != self.log);
        }
        if old == NONE { self.go_on() } else { self.phase = Phase::Erase(old) }
    }

    fn go_on(&mut self) {
        let done = self.log == NONE || self.keeps_log();
        self.phase = if done { Phase::Done } else { Phase::Choose };
        (self.logical, self.destination) = (NONE, NONE);
    }

    pub(super) fn destination(&mut self, plane: PlaneId, blocks: &mut Blocks) -> u32 {
        if self.destination == NONE {
            self.destination = blocks.open_explicit(plane);
        }
        self.destination
    }

    pub(super) fn copy_done(&mut self) {
        self.copies -= 1;
    }

    pub(super) fn erase_done(&mut self, state: &mut Plane) {
        let Phase::Erasing(block) = self.phase else { unreachable!("a merge erases one block at a time") };
        if block == self.log {
            state.logs.retain(|log| log.block != block);
            self.phase = Phase::Done;
        } else {
            self.go_on();
        }
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "logical block {} merged with log block {} ({:?}, {} copies)",
            self.logical, self.log, self.phase, self.copies
        )
    }
}
