//! Commands side by side in a LUN: reads of single planes, and a program loaded behind another.
//!
//! ```text
//! plane 0   │ tR │ data ──│                    independent plane reads: each plane reads its own page
//! plane 1        │ tR │   data ──│
//!
//! array     │ tPROG, page 1      │tCBSY│ tPROG, page 2 │
//! wires     ──│    ── data of page 2 ──│               cache program: data cross while the array works
//! ```
//! A command in work has a *lane*: a [`LunId`] with its own state in the [`Array`](super::array::Array), status and
//! events. Lanes beyond the LUNs are numbered behind them: one per plane, for its reads, then one per LUN, for a
//! program while the LUN's own lane has another.
//!
//! - Independent reads (JESD230G and ONFI 5.1 leave them to vendors, as independent or asynchronous plane reads): one
//!   page and command per plane. Programs and erases take the whole LUN; a waiting one holds further reads back.
//! - Cache program (ONFI 5.1 "Page Cache Program", 15h): the data of the next program cross to the cache registers
//!   while the array works, if nothing that goes before it waits. Its array begins tCBSY after the program before.

use std::ops::Range;

use crate::config::design::Flash;
use crate::engine::in_flight::PageWork;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
use crate::flash::FlashBackend;
use crate::flash::address::{Layout, LunId, PlaneId};
use crate::flash::array::{Clocks, Command};
use crate::flash::interface::Operation;
use crate::measure::probe::Probe;
use crate::scheduler::queues::FreePlanes;

#[derive(Clone, Copy, Default)]
struct Lun {
    reading: u64,
    /// The whole LUN becomes free.
    drains: bool,
    reads_ended_at: Time,
    programs: bool,
    loaded: Option<(LunId, Time)>,
    reads_at_work: u32,
    since: Time,
}

pub struct Lanes {
    luns: Vec<Lun>,
    planes: u32,
    planes_per_lun: u32,
    plane_reads: bool,
    cache_program: bool,
    busy: Time,
}

impl Lanes {
    pub fn new(config: &Flash, layout: &Layout) -> Lanes {
        let are_on = config.independent_plane_reads || config.cache_program;
        Lanes {
            luns: vec![Lun::default(); if are_on { layout.luns() as usize } else { 0 }],
            planes: layout.planes(),
            planes_per_lun: layout.planes_per_lun,
            plane_reads: config.independent_plane_reads,
            cache_program: config.cache_program,
            busy: config.cache_program_busy.time(),
        }
    }

    pub fn count(config: &Flash, layout: &Layout) -> usize {
        let more =
            if config.independent_plane_reads || config.cache_program { layout.planes() + layout.luns() } else { 0 };
        (layout.luns() + more) as usize
    }

    #[inline(always)]
    pub fn are_on(&self) -> bool {
        rarely(!self.luns.is_empty())
    }

    #[inline]
    pub fn lun_of(&self, lane: LunId) -> LunId {
        let luns = self.luns.len() as u32;
        match lane.0 {
            _ if luns == 0 || lane.0 < luns => lane,
            n if n < luns + self.planes => LunId((n - luns) / self.planes_per_lun),
            n => LunId(n - luns - self.planes),
        }
    }

    fn state(&mut self, lane: LunId) -> &mut Lun {
        let lun = self.lun_of(lane);
        &mut self.luns[lun.index()]
    }

    fn reader(&self, plane: PlaneId) -> LunId {
        LunId(self.luns.len() as u32 + plane.0)
    }

    fn second(&self, lun: LunId) -> LunId {
        LunId(self.luns.len() as u32 + self.planes + lun.0)
    }

    fn readers(&self, lun: LunId) -> Range<u32> {
        let first = self.luns.len() as u32 + lun.0 * self.planes_per_lun;
        first..first + self.planes_per_lun
    }

    pub fn drains(&self, lun: LunId) -> bool {
        self.luns[lun.index()].drains
    }

    pub fn set_drains(&mut self, lun: LunId, drains: bool) {
        self.luns[lun.index()].drains = drains;
    }

    pub fn load_programs(&self) -> bool {
        self.cache_program
    }

    pub fn is_reading(&self, lun: LunId) -> bool {
        self.luns.get(lun.index()).is_some_and(|lun| lun.reading != 0)
    }
}

impl FlashBackend {
    #[inline(always)]
    pub fn lun_of(&self, lane: LunId) -> LunId {
        if self.lanes.are_on() { self.lanes.lun_of(lane) } else { lane }
    }

    #[inline(always)]
    pub fn works_beside(&self, lane: LunId) -> bool {
        self.lanes.are_on() && {
            let lun = self.lanes.lun_of(lane);
            let all = [lun, self.lanes.second(lun)].into_iter().chain(self.lanes.readers(lun).map(LunId));
            all.into_iter().any(|other| other != lane && self.array.luns[other.index()].busy)
        }
    }

    pub fn free_beside(&self, lun: LunId, registers: FreePlanes) -> FreePlanes {
        let state = &self.lanes.luns[lun.index()];
        let (own, second) = (&self.array.luns[lun.index()], &self.array.luns[self.lanes.second(lun).index()]);
        let behind_program = match (own.busy, second.busy) {
            (false, false) if state.reading == 0 => return registers,
            (false, false) if state.drains => return FreePlanes::NONE,
            (false, false) => return FreePlanes { reads: registers.reads & !state.reading, ..FreePlanes::NONE },
            // Its own data must have crossed.
            (true, false) => own.command.operation == Operation::Program && own.due < Time::MAX,
            (false, true) => second.command.operation == Operation::Program && second.due < Time::MAX,
            (true, true) => false,
        };
        let programs = if self.lanes.cache_program && behind_program { registers.programs } else { 0 };
        FreePlanes { programs, ..FreePlanes::NONE }
    }

    pub fn lane_for<P: Probe>(&mut self, lun: LunId, command: &Command, work: &PageWork<P>) -> LunId {
        if command.operation == Operation::Read && self.lanes.plane_reads {
            let plane = work.transactions[command.transactions()[0]].ppa.plane;
            self.lanes.luns[lun.index()].reading |= 1 << self.layout.plane_in_lun(plane);
            return self.lanes.reader(plane);
        }
        self.lanes.luns[lun.index()].drains = false;
        if self.array.luns[lun.index()].busy { self.lanes.second(lun) } else { lun }
    }

    /// Returns whether another program has the array.
    #[inline(always)]
    pub fn waits_for_array<P: Probe>(&mut self, lane: LunId, work: &PageWork<P>, now: Time) -> bool {
        if !self.lanes.cache_program || self.command(lane).operation != Operation::Program {
            return false;
        }
        let soonest = now + self.time_to_begin(self.command(lane), work);
        let lun = self.lanes.state(lane);
        if lun.programs {
            lun.loaded = Some((lane, soonest));
        }
        lun.programs
    }

    #[inline(always)]
    pub(super) fn lane_works(&mut self, lane: LunId, begins: Time) {
        if !self.lanes.are_on() || self.is_plain_read(lane) {
            return;
        }
        let is_read = self.place_of_reader(lane).is_some();
        let is_program = self.command(lane).operation == Operation::Program;
        let lun = self.lanes.state(lane);
        lun.programs |= is_program;
        if is_read {
            lun.since = if lun.reads_at_work == 0 { begins } else { lun.since };
            lun.reads_at_work += 1;
        }
    }

    #[inline]
    pub fn is_plain_read(&self, lane: LunId) -> bool {
        !self.lanes.plane_reads && self.command(lane).operation == Operation::Read
    }

    /// Returns the lane of a program loaded behind it, and its beginning.
    pub fn lane_rests(&mut self, lane: LunId, now: Time) -> Option<(LunId, Time)> {
        let is_read = self.place_of_reader(lane).is_some();
        let id = self.lanes.lun_of(lane);
        let lun = &mut self.lanes.luns[id.index()];
        if is_read {
            lun.reads_at_work -= 1;
            if lun.reads_at_work == 0 {
                self.array.luns[id.index()].array_busy += now.saturating_sub(lun.since);
            }
            return None;
        }
        lun.programs = false;
        let loaded = lun.loaded.take();
        loaded.map(|(next, soonest)| (next, soonest.max(now + self.lanes.busy)))
    }

    pub(super) fn unload(&mut self, lun: LunId) -> Option<(LunId, Time)> {
        self.lanes.luns.get_mut(lun.index())?.loaded.take()
    }

    pub(super) fn load_again(&mut self, lane: LunId, soonest: Time) -> LunId {
        let lun = self.lanes.lun_of(lane);
        let loaded = if lane == lun { self.lanes.second(lun) } else { lun };
        self.lanes.luns[lun.index()].loaded = Some((loaded, soonest));
        loaded
    }

    /// Next to a program: data of the next one, or the status of the last one.
    pub fn has_half_done(&self, lane: LunId) -> bool {
        self.lanes.cache_program
            && self.works_beside(lane)
            && self.lanes.luns[self.lanes.lun_of(lane).index()].loaded.is_none()
    }

    /// Returns the part of `worked` that counts: reads of planes overlap.
    pub(super) fn lane_is_free(&mut self, lane: LunId, worked: Time, now: Time) -> Time {
        let id = self.lanes.lun_of(lane);
        if id == lane {
            return worked;
        }
        match self.place_of_reader(lane) {
            Some(place) => {
                let lun = &mut self.lanes.luns[id.index()];
                lun.reading &= !(1 << place);
                lun.reads_ended_at = now;
            }
            None => self.array.luns[id.index()].array_busy += worked,
        }
        Time::ZERO
    }

    fn place_of_reader(&self, lane: LunId) -> Option<u32> {
        let plane = lane.0.checked_sub(self.lanes.luns.len() as u32)?;
        (plane < self.lanes.planes).then(|| plane % self.lanes.planes_per_lun)
    }

    #[inline(always)]
    pub(super) fn reader_of(&self, plane: PlaneId) -> Option<LunId> {
        self.lanes.plane_reads.then(|| self.lanes.reader(plane))
    }

    /// Next to the LUN itself.
    #[inline]
    pub(super) fn lanes_before(
        &self,
        lun: LunId,
        operation: Operation,
        plane: PlaneId,
    ) -> impl Iterator<Item = LunId> + use<> {
        let readers = match operation {
            _ if !self.lanes.plane_reads => 0..0,
            Operation::Read => self.lanes.reader(plane).0..self.lanes.reader(plane).0 + 1,
            Operation::Program | Operation::Erase => self.lanes.readers(lun),
        };
        std::iter::once(self.lanes.second(lun)).chain(readers.map(LunId))
    }

    #[inline]
    pub(super) fn lanes_have_background_clocks(&self, lun: LunId, operation: Operation, plane: PlaneId) -> bool {
        let have = |lane| self.array.has_background_clocks(lane);
        let readers_have = || self.lanes.plane_reads && self.lanes_before(lun, operation, plane).any(have);
        have(lun) || have(self.lanes.second(lun)) || readers_have()
    }

    #[inline(never)]
    pub(super) fn background_clocks_of_lanes(
        &self,
        lun: LunId,
        operation: Operation,
        plane: PlaneId,
        now: Time,
    ) -> Clocks {
        let mut sum = self.array.background_clocks(lun, now);
        for lane in self.lanes_before(lun, operation, plane) {
            let clocks = self.array.background_clocks(lane, now);
            sum.iter_mut().zip(clocks).for_each(|(sum, clock)| *sum += clock);
        }
        sum
    }

    /// Registers apart.
    pub(super) fn lane_free_since(&self, lun: LunId, operation: Operation, plane: PlaneId) -> Time {
        let free_at = |lane| self.array.array_free_at(lane);
        let (own, second) = (free_at(lun), free_at(self.lanes.second(lun)));
        match operation {
            Operation::Read if self.lanes.plane_reads => own.max(second).max(free_at(self.lanes.reader(plane))),
            // Behind the program of the other lane.
            Operation::Program if self.array.luns[lun.index()].busy => second,
            Operation::Program if self.array.luns[self.lanes.second(lun).index()].busy => own,
            _ => own.max(second).max(self.lanes.luns[lun.index()].reads_ended_at),
        }
    }
}
