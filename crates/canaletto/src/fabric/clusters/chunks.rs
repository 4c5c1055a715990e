//! Data in parts (`fabric.clusters.chunk`): each crosses over its own circuit, with its ECC word. The transfer has
//! crossed when its last part has.
//!
//! ```text
//! circuit │ grant │ set-up │ request │ header │ part │ ECC word │ next column │         │ grant │ … the next part
//! chip                                                                        │ turns to it (tCCS)  │
//! ```
//! Between two parts others may use trunk and inner bus. A part that is ready goes before any transfer that has yet to
//! begin; its chip takes part in nothing else until the last one has crossed.

use std::collections::VecDeque;

use super::{Clusters, Event};
use crate::config::design::{Fabric as FabricConfig, interface_times};
use crate::engine::time::Time;
use crate::fabric::clusters::tree::TrunkId;
use crate::fabric::packets::{COLUMN_FLITS, DATA_HEADER_FLITS, Packets, READ_DATA_TRANSFER_FLITS};
use crate::fabric::wire_times::WireTimes;
use crate::fabric::{Direction, PathId, Transfer};
use crate::flash::interface::Operation;

/// Bytes of a part's ECC word: 72 bits of 1 KiB are corrected (72 × 14 bits).
const PARITY: u64 = 126;

pub struct Chunks {
    bytes: u64,
    /// Of every part but the last, to the chip and from it.
    written: Time,
    read: Time,
    turn: Time,
    /// In the order of waiting.
    waiting: VecDeque<PathId>,
}

impl Chunks {
    pub fn new(config: &FabricConfig, packets: &Packets) -> Chunks {
        let bytes = config.clusters.chunk.0;
        let written = DATA_HEADER_FLITS + bytes + PARITY + COLUMN_FLITS;
        Chunks {
            bytes,
            written: packets.flits(written),
            read: packets.flits(READ_DATA_TRANSFER_FLITS) + packets.flits(written),
            turn: interface_times(config.interface)["tCCS"].time.time(),
            waiting: VecDeque::new(),
        }
    }

    pub fn are_on(&self) -> bool {
        self.bytes > 0
    }

    /// The last part turns the chip to no further column.
    pub fn data_time(&self, packets: &Packets, operation: Operation, bytes: u64) -> Time {
        let whole = bytes.saturating_sub(1) / self.bytes;
        let each = if operation == Operation::Read { self.read } else { self.written };
        let rest = bytes - whole * self.bytes;
        each * whole + packets.data(operation, rest + PARITY)
    }

    fn first(&self, direction: Direction, left: Time) -> Time {
        match direction {
            _ if !self.are_on() => left,
            Direction::ToChip => left.min(self.written),
            Direction::FromChip => left.min(self.read),
        }
    }
}

impl Clusters {
    pub(super) fn send_part(&mut self, path: PathId, command: Time, now: Time, later: &mut impl FnMut(Time, Event)) {
        let begins = self.grant(path, self.tree.of(self.under_way[path].chip).switch, now);
        let crossing = &mut self.under_way[path];
        let (chip, direction) = (crossing.chip, crossing.direction);
        let data = self.chunks.first(direction, crossing.left);
        crossing.left = crossing.left - data;
        self.cross(path, Transfer { chip, direction, command, data }, begins, later);
    }

    pub(super) fn part_crossed(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.in_parts[self.under_way[path].chip.index()] = true;
        self.give_back(path, now);
        later(now + self.chunks.turn, Event::Turned(path));
        self.send_waiting(now, later);
    }

    pub(super) fn turned(&mut self, path: PathId, now: Time, later: &mut impl FnMut(Time, Event)) {
        self.under_way[path].ready = now;
        self.chunks.waiting.push_back(path);
        self.send_waiting(now, later);
    }

    pub(super) fn send_waiting(&mut self, now: Time, later: &mut impl FnMut(Time, Event)) {
        let mut place = 0;
        while let Some(&path) = self.chunks.waiting.get(place) {
            let chip = self.under_way[path].chip;
            if !self.has_way(chip) {
                place += 1;
                continue;
            }
            self.chunks.waiting.remove(place);
            let crossing = &mut self.under_way[path];
            crossing.conflict += now - crossing.ready;
            self.take_way(path, now);
            self.send_part(path, Time::ZERO, now, later);
        }
    }

    pub(super) fn take_way(&mut self, path: PathId, now: Time) {
        let ways = self.tree.of(self.under_way[path].chip);
        let trunk = self.first_free(ways.switch).expect("a transfer starts only if a trunk of its switch is free");
        self.under_way[path].trunk = trunk;
        self.take_trunk(trunk, path, now);
        self.take_bus(ways.bus, path, now);
    }

    pub(super) fn give_back(&mut self, path: PathId, now: Time) {
        let crossing = &mut self.under_way[path];
        let (chip, to) = (crossing.chip, crossing.to);
        let trunk = std::mem::replace(&mut crossing.trunk, TrunkId::NONE);
        let (source, destination) = (self.tree.of(chip).bus, self.tree.of(to).bus);
        self.give_bus_back(source, path, now);
        if source != destination {
            self.give_bus_back(destination, path, now);
        }
        if trunk.is_some() {
            self.trunks[trunk.index()].give_back(path, now);
            self.free += 1;
            self.tree.on_trunk(trunk).iter().for_each(|switch| self.free_trunks[switch.index()] += 1);
        }
    }
}
