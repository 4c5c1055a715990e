//! Late split (`fabric.omnibus.late_split`): while a page crosses on one of its chip's buses and nobody else needs the
//! other bus, chunks from the page's end cross there.
//!
//! ```text
//! row bus     │ request │ header │ chunk 0 │ chunk 1 │              ┐ the transfer has crossed when both have
//! column bus         ·│ column │ tCCS │ header │ chunk 2 │ chunk 3 │┘
//!                    └ free: its controller tells the one that sends the page, in one message
//! ```
//! Chunks are whole ECC codewords. The second bus takes as many as end both soonest, in one packet, for which the chip
//! turns to the column of the first of them. Others go first: a free bus is offered to pages under way once everything
//! else of that moment has happened. No paper has it; Networked SSD §V-C splits pages before they begin
//! (`omnibus-split`).

use super::{BusId, Event, Omnibus};
use crate::config::design::{Fabric as FabricConfig, FabricKind, interface_times};
use crate::engine::time::Time;
use crate::fabric::packets::{COLUMN_FLITS, DATA_HEADER_FLITS, Packets};
use crate::fabric::trace::WireUse;
use crate::fabric::{PathId, Transfer};

pub struct Late {
    chunk: Time,
    column: Time,
    turn: Time,
    header: Time,
    joined: u64,
}

impl Late {
    pub fn new(config: &FabricConfig, packets: &Packets) -> Late {
        let bytes = if config.kind == FabricKind::Omnibus { config.omnibus.late_split.0 } else { 0 };
        Late {
            chunk: packets.flits(bytes),
            column: packets.flits(COLUMN_FLITS),
            turn: interface_times(config.interface)["tCCS"].time.time(),
            header: packets.flits(DATA_HEADER_FLITS),
            joined: 0,
        }
    }

    pub fn is_on(&self) -> bool {
        self.chunk > Time::ZERO
    }

    pub fn first(&self, data: Time) -> (Time, u32) {
        if !self.is_on() || data < self.chunk * 2 {
            return (data, 0);
        }
        let chunks = data.0 / self.chunk.0 - 1;
        (data - self.chunk * chunks, chunks as u32)
    }

    /// Chunks for the second bus, ready after `ready`; the first ends after `ends` and has `left` more. None if the
    /// first alone ends as soon.
    fn share(&self, ends: Time, left: u32, ready: Time) -> u32 {
        let both =
            |taken: u32| (ends + self.chunk * u64::from(left - taken)).max(ready + self.chunk * u64::from(taken));
        let alone = ends + self.chunk * u64::from(left);
        let best = (1..=left).min_by_key(|&taken| both(taken)).filter(|&taken| both(taken) < alone);
        best.unwrap_or(0)
    }

    pub fn counters(&self) -> Option<(&'static str, u64)> {
        self.is_on().then_some(("late_splits", self.joined))
    }
}

impl Omnibus {
    pub(super) fn next_chunk(
        &mut self,
        path: PathId,
        bus: BusId,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) -> bool {
        let crossing = &mut self.transfers[path];
        if crossing.chunks == 0 || crossing.first_bus != bus {
            return false;
        }
        crossing.chunks -= 1;
        let (chip, direction) = (crossing.chip, crossing.direction);
        self.cross(path, bus, Transfer { chip, direction, command: Time::ZERO, data: self.late.chunk }, now, later);
        true
    }

    pub(super) fn offer(&mut self, bus: BusId, now: Time, later: &mut impl FnMut(Time, Event)) {
        if !self.grid.is_free(bus) || self.grid.is_kept(bus) {
            return;
        }
        let Some(path) = self.longest_beside(bus, now) else { return };
        let crossing = &self.transfers[path];
        let (chip, direction, first_bus) = (crossing.chip, crossing.direction, crossing.first_bus);
        let messages = u32::from(self.grid.bus(bus).driver != self.grid.bus(first_bus).driver);
        let told = if messages > 0 { self.control.least() } else { Time::ZERO };
        let ready = told + self.late.column + self.late.turn + self.late.header;
        let share = self.late.share(crossing.part_ends - now, crossing.chunks, ready);
        if share == 0 {
            return;
        }
        let crossing = &mut self.transfers[path];
        crossing.chunks -= share;
        crossing.left += 1;
        self.late.joined += 1;
        let data = self.late.header + self.late.chunk * u64::from(share);
        self.take(path, bus, messages, Transfer { chip, direction, command: Time::ZERO, data }, now, later);
    }

    /// A transfer on another bus of a chip on this one; the lowest bus on a tie.
    fn longest_beside(&self, bus: BusId, now: Time) -> Option<PathId> {
        let crosses = |other: &BusId| {
            let taken = self.grid.bus(*other);
            let is_crossing = taken.path.is_some() && taken.agreed.is_none() && !self.grid.has_failed(*other);
            let crossing = is_crossing.then(|| &self.transfers[taken.path])?;
            let ways = self.grid.ways(crossing.chip);
            let may_join = crossing.first_bus == *other
                && crossing.chunks > 0
                && crossing.left == 1
                && crossing.data_from <= now
                && (ways.row == bus || ways.column == bus);
            may_join.then_some((taken.path, crossing.chunks))
        };
        let pages = (0..self.grid.count()).map(BusId).filter_map(|other| crosses(&other));
        pages.rev().max_by_key(|&(_, chunks)| chunks).map(|(path, _)| path)
    }

    pub(super) fn cross_end(
        &mut self,
        path: PathId,
        bus: BusId,
        transfer: Transfer,
        now: Time,
        later: &mut impl FnMut(Time, Event),
    ) {
        let turned = now + self.late.column;
        let begins = turned + self.late.turn;
        self.grid.bus_mut(bus).active += self.late.column + transfer.data;
        self.trace.write(bus.0, WireUse::Data, path, now, turned);
        self.trace.write(bus.0, WireUse::Data, path, begins, begins + transfer.data);
        later(begins + transfer.data, Event::Arrived(bus));
    }
}
