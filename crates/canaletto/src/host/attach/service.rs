use crate::config::attach::{Attachment, Ddr, PortInterface};
use crate::config::design::{LaneRate, Link, LinkKind, LinkRounding};
use crate::config::pc::{FixedSsd, Internals};
use crate::config::units::Rate;
use crate::engine::time::Time;
use crate::host::attach::steps::Step;
use crate::host::link::LinkTiming;

/// Start, type, check and end (Serial ATA 2.6 §9.4, a double word each).
const FRAME_OVERHEAD: u64 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    Hit,
    Miss,
    Write,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crossing {
    North,
    South,
    Down,
    Up,
    Ata,
    MemoryRead,
    MemoryWrite,
    PortRead,
    PortWrite,
    DirectRead,
    DirectWrite,
    Inside(Work, u8),
    Network,
    Processor(Time),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Load {
    Data,
    Request,
    Message(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    pub crossing: Crossing,
    pub load: Load,
}

#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub stream: u64,
    pub offset: u64,
    pub bytes: u64,
}

/// One chunk at a time, each with its own line.
pub const STATIONS: [&str; 12] = [
    "north bridge",
    "south bridge",
    "bridge link down",
    "bridge link up",
    "ATA",
    "main memory channel",
    "drive's DRAM interface",
    "direct path",
    "inside of port 1",
    "inside of port 2",
    "network",
    "processor",
];

/// Bytes of a row: eight chips with pages of 1 KiB.
const ROW: u64 = 8192;

/// Bytes of the smallest access, a burst of eight on 64 bits.
const BURST: u64 = 64;

/// Time that a channel loses between a read and a write, or between two ranks (tWTR of DDR2-800, JESD79-2).
const TURNAROUND: Time = Time(7_500);

struct Channel {
    ddr: Ddr,
    rate: Rate,
    row: Option<(u64, u64)>,
    /// To the drive, and a write.
    last: Option<(bool, bool)>,
}

impl Channel {
    fn new(ddr: &Ddr, rate: Rate) -> Channel {
        Channel { ddr: ddr.clone(), rate, row: None, last: None }
    }

    fn access(&mut self, bytes: u64, access: (bool, bool)) -> Time {
        let turns = self.last.replace(access).is_some_and(|last| last != access);
        let turn = if turns { TURNAROUND } else { Time::ZERO };
        turn + Time::of_transfer(bytes.next_multiple_of(BURST), self.rate.0)
    }

    fn memory(&mut self, place: &Place, writes: bool) -> Time {
        let row = Some((place.stream, place.offset / ROW));
        let ddr = &self.ddr;
        let opened = if self.row == row { Time::ZERO } else { ddr.trp.time() + ddr.trcd.time() + ddr.tcl.time() };
        self.row = row;
        opened + self.access(place.bytes, (false, writes))
    }

    fn drive(&mut self, bytes: u64, writes: bool) -> Time {
        self.ddr.tcl.time() + self.ddr.dqs_delay.time() + self.access(bytes, (true, writes))
    }
}

pub struct Service {
    attachment: Attachment,
    ssd: FixedSsd,
    network: Rate,
    link: LinkTiming,
    ata_rate: Rate,
    framed: bool,
    /// Main memory's first port, the drive's own channel, main memory's second port.
    channels: [Channel; 3],
}

impl Service {
    pub fn new(attachment: &Attachment, ssd: &FixedSsd, network: Rate) -> Service {
        let bridges = &attachment.bridges;
        let link = LinkTiming::new(&Link {
            kind: LinkKind::Pcie,
            lanes: bridges.lanes,
            lane_rate: LaneRate::Is(bridges.lane_rate),
            latency: bridges.latency,
            max_payload: bridges.max_payload,
            packet_overhead_bytes: None,
            rounding: LinkRounding::Exact,
        });
        let channel = |rate| Channel::new(&attachment.ddr, rate);
        Service {
            ssd: ssd.clone(),
            network,
            link,
            ata_rate: attachment.ata_rate(),
            framed: attachment.port() == PortInterface::Sata,
            channels: [channel(attachment.ddr.rate), channel(attachment.ddr.rate), channel(attachment.direct.rate)],
            attachment: attachment.clone(),
        }
    }

    pub fn station(&self, crossing: Crossing) -> usize {
        match crossing {
            Crossing::North => 0,
            Crossing::South => 1,
            Crossing::Down => 2,
            Crossing::Up => 3,
            Crossing::Ata => 4,
            Crossing::MemoryRead | Crossing::MemoryWrite => 5,
            Crossing::PortRead | Crossing::PortWrite => self.port_channel() + 5,
            Crossing::DirectRead | Crossing::DirectWrite => 7,
            Crossing::Inside(_, port) => match self.ssd.internals {
                Internals::PerPort => 8 + usize::from(port),
                Internals::Shared => 8,
            },
            Crossing::Network => 10,
            Crossing::Processor(_) => 11,
        }
    }

    fn port_channel(&self) -> usize {
        usize::from(!self.attachment.ddr.shared)
    }

    pub fn time(&mut self, hop: Hop, place: Place) -> Time {
        let bytes = match hop.load {
            Load::Data => place.bytes,
            Load::Message(bytes) => u64::from(bytes),
            Load::Request => 0,
        };
        let place = Place { bytes, ..place };
        match hop.crossing {
            Crossing::North => self.attachment.bridges.north_arbitration.time(),
            Crossing::South => self.attachment.bridges.south_arbitration.time(),
            Crossing::Down | Crossing::Up if hop.load == Load::Request => self.link.read_request(),
            Crossing::Down | Crossing::Up => self.link.data(bytes),
            Crossing::Ata => self.ata(&place),
            Crossing::MemoryRead => self.channels[0].memory(&place, false),
            Crossing::MemoryWrite => self.channels[0].memory(&place, true),
            Crossing::PortRead => self.channels[self.port_channel()].drive(bytes, false),
            Crossing::PortWrite => self.channels[self.port_channel()].drive(bytes, true),
            Crossing::DirectRead => self.channels[2].memory(&place, false),
            Crossing::DirectWrite => self.channels[2].memory(&place, true),
            Crossing::Inside(work, _) => Time::of_transfer(bytes, self.inside(work).0.0),
            Crossing::Network => Time::of_transfer(bytes, self.network.0),
            Crossing::Processor(time) => time,
        }
    }

    fn ata(&self, place: &Place) -> Time {
        let ata = &self.attachment.ata;
        if self.framed && place.offset % ata.frame.0 == 0 {
            let bytes = place.bytes + FRAME_OVERHEAD;
            return ata.handshake.time() + Time::of_transfer(bytes, self.ata_rate.0);
        }
        Time::of_transfer(place.bytes, self.ata_rate.0)
    }

    fn inside(&self, work: Work) -> (Rate, Time) {
        let ssd = &self.ssd;
        match work {
            Work::Hit => (ssd.hit_rate, ssd.hit_latency.time()),
            Work::Miss => (ssd.miss_rate, ssd.miss_latency.time()),
            Work::Write => (ssd.write_rate, ssd.write_latency.time()),
        }
    }

    pub fn latency(&self, crossing: Crossing) -> Time {
        match crossing {
            Crossing::Down | Crossing::Up => self.link.latency,
            Crossing::Inside(work, _) => self.inside(work).1,
            _ => Time::ZERO,
        }
    }
}

impl Crossing {
    pub fn step(self) -> Step {
        match self {
            Crossing::North => Step::NorthBridge,
            Crossing::South => Step::SouthBridge,
            Crossing::Down | Crossing::Up => Step::BridgeLink,
            Crossing::Ata => Step::Ata,
            Crossing::MemoryRead | Crossing::MemoryWrite => Step::Memory,
            Crossing::PortRead | Crossing::PortWrite => Step::DramInterface,
            Crossing::DirectRead | Crossing::DirectWrite => Step::DirectPath,
            Crossing::Inside(..) => Step::Inside,
            Crossing::Network => Step::Network,
            Crossing::Processor(_) => Step::Driver,
        }
    }
}
