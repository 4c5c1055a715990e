//! Serial ATA with native command queuing (NCQ).
//!
//! Serial ATA 3.1: all frames (§10, FIS) share the link (§9.3). A queued command (§13.6) is a Register FIS,
//! acknowledged by another; data follow a DMA Setup FIS in Data FIS of at most 8 KiB, each of a write after a DMA
//! Activate FIS (but the first); a Set Device Bits FIS completes it. FLUSH CACHE and DATA SET MANAGEMENT are not
//! queued: the drive must be idle for them.

use std::collections::VecDeque;

use crate::config::design::Sata as SataConfig;
use crate::engine::time::Time;
use crate::host::message::Message;
use crate::host::request::{Kind, RequestId};

/// Serial ATA 3.1 §10.3.
const REGISTER: u64 = 20;
const DMA_SETUP: u64 = 28;
const DMA_ACTIVATE: u64 = 4;
const SET_DEVICE_BITS: u64 = 8;
const DATA_HEADER: u64 = 4;
/// §10.3.11.
const DATA_MOST: u64 = 8192;
/// One double word each: X_RDY, R_RDY, SOF, CRC, EOF, WTRM, R_OK, SYNC (§9.4).
const FRAME: u64 = 8 * 4;
/// After line coding; each further generation doubles it.
const FIRST_GENERATION: u64 = 150_000_000;

#[derive(Debug, Clone)]
pub struct SataTiming {
    rate: u64,
    gap: Time,
}

impl SataTiming {
    pub fn new(config: &SataConfig) -> SataTiming {
        SataTiming { rate: FIRST_GENERATION << (config.generation - 1), gap: config.frame_gap.time() }
    }

    fn frame(&self, bytes: u64) -> Time {
        Time::of_transfer(bytes + FRAME, self.rate) + self.gap
    }

    fn data(&self, bytes: u64) -> Time {
        let (full, rest) = (bytes / DATA_MOST, bytes % DATA_MOST);
        let last = if rest > 0 { self.frame(DATA_HEADER + rest) } else { Time::ZERO };
        self.frame(DATA_HEADER + DATA_MOST) * full + last
    }

    pub fn read(&self, bytes: u64) -> Time {
        self.frame(DMA_SETUP) + self.data(bytes)
    }

    pub fn of(&self, message: Message, data_bytes: u64) -> Time {
        match message {
            Message::ReadData(_) => self.read(data_bytes),
            Message::FetchData(_) => self.frame(DMA_SETUP),
            Message::WriteData(_) => {
                let further = data_bytes.div_ceil(DATA_MOST).saturating_sub(1);
                self.data(data_bytes) + self.frame(DMA_ACTIVATE) * further
            }
            Message::Completion { .. } => self.frame(SET_DEVICE_BITS),
            _ => self.frame(REGISTER),
        }
    }
}

/// Ranges of DATA SET MANAGEMENT: blocks of 512 B (ATA Command Set 3 §7.6).
pub const TRIM_BYTES: u64 = 512;

#[derive(Debug)]
pub struct CommandSlots {
    slots: u32,
    used: u32,
    /// Of every kind.
    queues_all: bool,
    alone: bool,
    waiting: VecDeque<RequestId>,
}

impl CommandSlots {
    pub fn new(config: &SataConfig) -> CommandSlots {
        CommandSlots { slots: config.slots, used: 0, queues_all: false, alone: false, waiting: VecDeque::new() }
    }

    pub fn of_memory(slots: u32) -> CommandSlots {
        CommandSlots { slots, used: 0, queues_all: true, alone: false, waiting: VecDeque::new() }
    }

    pub fn submit(&mut self, request: RequestId) {
        self.waiting.push_back(request);
    }

    pub fn has_room(&self) -> bool {
        self.waiting.is_empty() && self.used < self.slots && !self.alone
    }

    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub fn issue(&mut self, kind: impl Fn(RequestId) -> Kind) -> Option<RequestId> {
        let queued = is_queued(kind(*self.waiting.front()?)) || self.queues_all;
        if self.alone || self.used == self.slots || (!queued && self.used > 0) {
            return None;
        }
        self.alone = !queued;
        self.used += 1;
        self.waiting.pop_front()
    }

    pub fn complete(&mut self) {
        self.used -= 1;
        self.alone = false;
    }

    pub fn describe(&self) -> String {
        format!("{} commands waiting in the host, {} in the drive", self.waiting.len(), self.used)
    }
}

fn is_queued(kind: Kind) -> bool {
    matches!(kind, Kind::Read | Kind::Write)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_full_frame_of_6_gbit_takes_13_7_us() {
        let timing = SataTiming::new(&SataConfig::default());
        // 8 KiB, 4 B of header and 8 primitives at 600 MB/s.
        assert_eq!(timing.data(8192), Time::of_transfer(8228, 600_000_000));
        assert_eq!(timing.data(8192 + 512), timing.data(8192) + Time::of_transfer(548, 600_000_000));
    }

    #[test]
    fn what_is_not_queued_is_alone() {
        let mut slots = CommandSlots::new(&SataConfig { slots: 4, ..SataConfig::default() });
        let kinds = [Kind::Read, Kind::Write, Kind::Flush, Kind::Read];
        let of = |id: RequestId| kinds[id.index()];
        (0..4).for_each(|id| slots.submit(RequestId(id)));
        assert_eq!([0; 3].map(|_| slots.issue(of)), [Some(RequestId(0)), Some(RequestId(1)), None]);
        slots.complete();
        assert_eq!(slots.issue(of), None, "a read is still in the drive");
        slots.complete();
        assert_eq!([slots.issue(of), slots.issue(of)], [Some(RequestId(2)), None], "nothing beside a flush");
        slots.complete();
        assert_eq!(slots.issue(of), Some(RequestId(3)));
    }
}
