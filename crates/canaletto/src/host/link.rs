//! The link between host and drive, first come first served: PCI Express, or Serial ATA, where only one end sends at a
//! time.
//!
//! Packets of PCI Express as MQSim counts them (payload split at the maximum payload size, framing + data link layer +
//! header per packet).

use crate::config::design::{Design, Link as LinkConfig, LinkKind, LinkRounding, Protocol};
use crate::engine::fifo::Fifo;
use crate::engine::rarely::rarely;
use crate::engine::time::Time;
pub use crate::host::message::Message;
use crate::host::request::RequestId;
use crate::host::sata::SataTiming;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    ToDevice,
    ToHost,
}

impl Direction {
    /// The direction whose messages on the wires end in a slot of the event queue.
    #[inline(always)]
    pub fn of_slot(slot: usize) -> Direction {
        if slot == Direction::ToDevice as usize { Direction::ToDevice } else { Direction::ToHost }
    }
}

/// NVM Express Base 2.0 §3.1.4 counts four bytes for a doorbell, of which MQSim sends two; a completion entry has
/// sixteen.
pub const DOORBELL_BYTES: u64 = 2;
pub const COMPLETION_BYTES: u64 = 16;

#[derive(Debug, Clone)]
pub struct LinkTiming {
    lanes: u64,
    lane_rate: u64,
    max_payload: u64,
    overhead: u64,
    request: u64,
    rounding: LinkRounding,
    pub latency: Time,
}

impl LinkTiming {
    pub fn new(config: &LinkConfig) -> LinkTiming {
        LinkTiming {
            lanes: u64::from(config.lanes),
            lane_rate: config.lane_rate.rate().0,
            max_payload: config.max_payload.0,
            overhead: u64::from(config.overhead()),
            request: u64::from(config.request()),
            rounding: config.rounding,
            latency: config.latency.time(),
        }
    }

    pub fn data(&self, bytes: u64) -> Time {
        let (full, rest) = (bytes / self.max_payload, bytes % self.max_payload);
        let last = if rest > 0 { rest + self.overhead } else { 0 };
        self.wire(full * (self.max_payload + self.overhead) + last)
    }

    pub fn read_request(&self) -> Time {
        self.wire(self.overhead + self.request)
    }

    fn wire(&self, bytes: u64) -> Time {
        match self.rounding {
            LinkRounding::Exact => Time::of_transfer(bytes, self.lanes * self.lane_rate),
            LinkRounding::LaneNanoseconds => {
                let cycles = bytes.div_ceil(self.lanes);
                // Far below 2^64 / 10^9 for any message.
                Time::from_ns(cycles.saturating_mul(1_000_000_000) / self.lane_rate)
            }
        }
    }
}

struct Lane {
    is_used: bool,
    /// Or was last.
    on_wires: Message,
    /// With their times on the wires.
    waiting: Fifo<(Message, Time)>,
    /// Sent, but not yet arrived because of the link's latency.
    flying: Fifo<Message>,
    busy: Time,
}

impl Lane {
    fn new() -> Lane {
        let (waiting, flying) = (Fifo::new(), Fifo::new());
        Lane { is_used: false, on_wires: Message::Accepted, waiting, flying, busy: Time::ZERO }
    }
}

struct Times {
    timing: Timing,
    fixed: [Time; Message::KINDS],
    last_data: (u64, Time),
}

const UNKNOWN: Time = Time::MAX;

enum Timing {
    PciExpress { link: LinkTiming, entry_bytes: u64 },
    Memory(LinkTiming),
    Sata(SataTiming),
}

impl Times {
    fn new(timing: Timing) -> Times {
        let fixed = timing.fixed();
        Times { timing, fixed, last_data: (0, Time::ZERO) }
    }

    /// Worked out at once where the kind of message is known.
    #[inline(always)]
    fn of(&mut self, message: Message, data_bytes: u64) -> Time {
        let fixed = self.fixed[message.kind()];
        let is_one = !matches!(message, Message::Entries { count, .. } if count != 1);
        match message {
            _ if fixed != UNKNOWN && is_one => fixed,
            // Where its time depends on nothing else, it has been noted.
            Message::ReadData(_) | Message::WriteData(_) if data_bytes == self.last_data.0 && data_bytes > 0 => {
                self.last_data.1
            }
            _ => self.worked_out(message, data_bytes),
        }
    }

    #[inline(never)]
    fn worked_out(&mut self, message: Message, data_bytes: u64) -> Time {
        match (&self.timing, message) {
            (Timing::PciExpress { link, entry_bytes }, Message::Entries { count, .. }) => {
                link.data(u64::from(count) * entry_bytes)
            }
            (Timing::Memory(link), Message::Command(_)) => link.read_request() + link.data(data_bytes),
            (Timing::Memory(link), Message::Completion { .. }) => link.read_request(),
            (Timing::PciExpress { link, .. } | Timing::Memory(link), _) => {
                if self.last_data.0 != data_bytes {
                    self.last_data = (data_bytes, link.data(data_bytes));
                }
                self.last_data.1
            }
            (Timing::Sata(timing), _) => timing.of(message, data_bytes),
        }
    }
}

impl Timing {
    fn fixed(&self) -> [Time; Message::KINDS] {
        let mut fixed = [UNKNOWN; Message::KINDS];
        if let Timing::PciExpress { link, entry_bytes } = self {
            let id = RequestId::NONE;
            for (message, time) in [
                (Message::SubmissionDoorbell { queue: 0, tail: 0 }, link.data(DOORBELL_BYTES)),
                (Message::CompletionDoorbell { queue: 0 }, link.data(DOORBELL_BYTES)),
                (Message::FetchEntries { queue: 0, count: 1 }, link.read_request()),
                (Message::FetchData(id), link.read_request()),
                (Message::FetchList(id), link.read_request()),
                (Message::Entries { queue: 0, count: 1 }, link.data(*entry_bytes)),
                (Message::Completion { request: id, head: 0 }, link.data(COMPLETION_BYTES)),
            ] {
                fixed[message.kind()] = time;
            }
        }
        fixed
    }
}

pub fn read_time(design: &Design, bytes: u64) -> Time {
    match design.host.protocol {
        Protocol::Nvme | Protocol::Memory => LinkTiming::new(&design.link).data(bytes),
        Protocol::Sata => SataTiming::new(&design.host.sata).read(bytes),
    }
}

pub struct Link {
    times: Times,
    latency: Time,
    lanes: [Lane; 2],
    /// Only one end sends at a time: all messages take the first lane.
    half_duplex: bool,
}

impl Link {
    pub fn new(design: &Design) -> Link {
        match design.host.protocol {
            Protocol::Nvme => {
                let link = LinkTiming::new(&design.link);
                let (latency, entry_bytes) = (link.latency, u64::from(design.host.submission_entry_bytes));
                Link::with(Timing::PciExpress { link, entry_bytes }, latency, false)
            }
            Protocol::Memory => {
                let link = LinkTiming::new(&design.link);
                let latency = link.latency;
                Link::with(Timing::Memory(link), latency, design.link.kind == LinkKind::Hbm)
            }
            Protocol::Sata => Link::with(Timing::Sata(SataTiming::new(&design.host.sata)), Time::ZERO, true),
        }
    }

    fn with(timing: Timing, latency: Time, half_duplex: bool) -> Link {
        Link { times: Times::new(timing), latency, lanes: [Lane::new(), Lane::new()], half_duplex }
    }

    #[inline]
    pub fn lane(&self, direction: Direction) -> Direction {
        if self.half_duplex { Direction::ToDevice } else { direction }
    }

    pub fn is_half_duplex(&self) -> bool {
        self.half_duplex
    }

    /// Returns when the message leaves the wires if it goes out at once.
    #[inline(always)]
    pub fn send(&mut self, lane: Direction, message: Message, data_bytes: u64, now: Time) -> Option<Time> {
        let time = self.times.of(message, data_bytes);
        let lane = &mut self.lanes[lane as usize];
        if lane.is_used {
            lane.waiting.push((message, time));
            return None;
        }
        // Where both ends share the wires, what follows from a message goes before those that wait.
        (lane.is_used, lane.on_wires) = (true, message);
        lane.busy += time;
        Some(now + time)
    }

    /// It arrives at once without a latency.
    #[inline(always)]
    pub fn sent(&mut self, direction: Direction) -> Message {
        let lane = &mut self.lanes[direction as usize];
        debug_assert!(lane.is_used, "nothing was on the link");
        lane.is_used = false;
        lane.on_wires
    }

    #[inline(always)]
    pub fn has_latency(&self) -> bool {
        rarely(self.latency > Time::ZERO)
    }

    /// Returns when it [arrives](Link::arrived).
    pub fn fly(&mut self, direction: Direction, message: Message, now: Time) -> Time {
        self.lanes[direction as usize].flying.push(message);
        now + self.latency
    }

    #[inline(always)]
    pub fn next_departure(&mut self, direction: Direction, now: Time) -> Option<Time> {
        let lane = &mut self.lanes[direction as usize];
        if lane.is_used || lane.waiting.is_empty() {
            return None;
        }
        let (message, time) = lane.waiting.take_first();
        (lane.is_used, lane.on_wires) = (true, message);
        lane.busy += time;
        Some(now + time)
    }

    #[inline(always)]
    pub fn waiting(&self, direction: Direction, place: usize) -> Option<Message> {
        self.lanes[direction as usize].waiting.get(place).map(|&(message, _)| message)
    }

    pub fn arrived(&mut self, direction: Direction) -> Message {
        self.lanes[direction as usize].flying.pop().expect("nothing was flying")
    }

    pub fn busy(&self, direction: Direction) -> Time {
        self.lanes[direction as usize].busy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::design::{LaneRate, LinkKind};
    use crate::config::units::{Duration, Rate, Size};

    /// MQSim's own numbers at 4 lanes of 2 GB/s (reference notes, §1).
    #[test]
    fn times_are_those_of_mqsim() {
        let timing = LinkTiming::new(&LinkConfig {
            kind: LinkKind::Pcie,
            lanes: 4,
            lane_rate: LaneRate::Is(Rate(2_000_000_000)),
            latency: Duration(0),
            max_payload: Size(128),
            packet_overhead_bytes: None,
            rounding: LinkRounding::LaneNanoseconds,
        });
        assert_eq!(timing.data(2).ns(), 4);
        assert_eq!(timing.read_request().ns(), 4);
        assert_eq!(timing.data(72).ns(), 12);
        assert_eq!(timing.data(16).ns(), 5);
        assert_eq!(timing.data(4096).ns(), 624);
        assert_eq!(timing.data(65536).ns(), 9984);
    }
}
