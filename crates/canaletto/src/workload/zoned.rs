//! Generated requests on a zoned drive.

use std::collections::VecDeque;

use crate::config::workload::{Synthetic, ZoneWork};
use crate::config::zns::ZoneShape;
use crate::engine::time::Time;
use crate::flash::address::SECTOR;
use crate::host::request::Kind;
use crate::limits::FlowRange;
use crate::workload::synthetic::Generator;
use crate::workload::wanted::Wanted;

#[derive(Clone, Copy)]
struct Slot {
    zone: u64,
    /// Sectors written.
    at: u64,
}

/// The working set is counted in writable sectors.
pub struct Zoned {
    /// Draws sizes, and addresses among the writable sectors.
    pub generator: Generator,
    work: Option<ZoneWork>,
    size: u64,
    capacity: u64,
    /// First zone of the namespace.
    base: u64,
    /// First zone of the working set, and number of zones.
    first: u64,
    count: u64,
    taken: u64,
    slots: Vec<Slot>,
    turn: usize,
    resets: VecDeque<u64>,
}

impl Zoned {
    /// # Errors
    /// A working set with too few zones.
    pub fn new(
        config: &Synthetic,
        streams: &str,
        seed: u64,
        range: &FlowRange,
        shape: &ZoneShape,
    ) -> Result<Zoned, String> {
        let (size, capacity) = (shape.size / SECTOR, shape.capacity / SECTOR);
        let (base, zones) = (range.first_sector / size, range.sectors / size);
        let sectors = zones * capacity;
        let (from, last) = config.used_range(0, sectors - 1);
        let (first, end) = (from.div_ceil(capacity), (last + 1) / capacity);
        let count = end.saturating_sub(first);
        let slots = u64::from(config.zones);
        if config.zone_work.is_some() && count < slots {
            return Err(format!(
                "zone_work: got a working set of {count} whole zones, expected at least the {slots} zones that are written at \
                 the same time"
            ));
        }
        let range = FlowRange { first_sector: 0, sectors, ..range.clone() };
        Ok(Zoned {
            generator: Generator::of(config, streams, seed, &range),
            work: config.zone_work,
            size,
            capacity,
            base,
            first: base + first,
            count,
            taken: 0,
            slots: vec![Slot { zone: 0, at: capacity }; slots as usize],
            turn: 0,
            resets: VecDeque::new(),
        })
    }

    pub fn next(&mut self, now: Time) -> Option<Wanted> {
        if !self.generator.goes_on(now) {
            return None;
        }
        if let Some(zone) = self.resets.pop_front() {
            return Some(self.command(Kind::Reset, zone));
        }
        let drawn = self.generator.next(now)?;
        match self.work {
            Some(_) if drawn.kind == Kind::Flush => Some(drawn),
            None => Some(self.spread(drawn)),
            Some(ZoneWork::Reset) => Some(self.next_command(Kind::Reset)),
            Some(ZoneWork::Finish) => Some(self.next_command(Kind::Finish)),
            Some(work) => self.next_write(work, drawn),
        }
    }

    fn spread(&self, drawn: Wanted) -> Wanted {
        let (zone, at) = (self.base + drawn.lba / self.capacity, drawn.lba % self.capacity);
        let sectors = u64::from(drawn.sectors).min(self.capacity);
        Wanted { lba: zone * self.size + at.min(self.capacity - sectors), sectors: sectors as u32, ..drawn }
    }

    fn command(&self, kind: Kind, zone: u64) -> Wanted {
        Wanted::of_zone(kind, zone * self.size)
    }

    fn next_command(&mut self, kind: Kind) -> Wanted {
        let zone = self.next_zone();
        self.command(kind, zone)
    }

    fn next_zone(&mut self) -> u64 {
        self.taken += 1;
        self.first + (self.taken - 1) % self.count
    }

    fn next_write(&mut self, work: ZoneWork, drawn: Wanted) -> Option<Wanted> {
        let turn = self.next_turn()?;
        if self.slots[turn].at == self.capacity {
            let ahead = self.taken + self.slots.len() as u64;
            if !self.is_written_once() && ahead >= self.count {
                self.resets.push_back(self.first + ahead % self.count);
            }
            self.slots[turn] = Slot { zone: self.next_zone(), at: 0 };
        }
        let Slot { zone, at } = self.slots[turn];
        let sectors = u64::from(drawn.sectors).min(self.capacity - at);
        self.slots[turn].at += sectors;
        let start = zone * self.size;
        let (kind, lba) = match work {
            ZoneWork::Append => (Kind::Append, start),
            _ => (Kind::Write, start + at),
        };
        Some(Wanted { kind, lba, sectors: sectors as u32, ..drawn })
    }

    /// Whether no zone is left that could be reset while others are written.
    fn is_written_once(&self) -> bool {
        self.count < 2 * self.slots.len() as u64
    }

    /// The slot that is written next; none once all zones are full that are written once.
    fn next_turn(&mut self) -> Option<usize> {
        let (slots, ends) = (self.slots.len(), self.is_written_once() && self.taken == self.count);
        let mut turns = (0..slots).map(|i| (self.turn + i) % slots);
        let turn = turns.find(|&turn| !ends || self.slots[turn].at < self.capacity)?;
        self.turn = (turn + 1) % slots;
        Some(turn)
    }
}
