//! Packets on the command pins: a header and a byte each.
//!
//! ```text
//! read      │ 00h │ five of address │ 30h │                     for each plane
//! program   │ 80h │ five of address │ 12h │ SCE │ … data … │ SCT │ 10h │     for each plane
//! erase     │ 60h │ three of address │ D0h │                    for each plane
//! column    │ 06h │ five of address │ E0h │ SCE │ … data … │ SCT │     for each page, with full sequences
//! status    │ 78h │ three of address │ … chip … │ status │            on CA both ways, which waits for the chip (assumed)
//! ```
//! JESD230G §10: each byte of command and address is a packet, a header of four bits and a body of eight, two bits at a
//! time on both edges of the clock. SCE opens a burst of data, which SCT ends; 12h ends the address of a program.
//! Packets after a burst are counted with those before it.

use crate::config::design::{Fabric as FabricConfig, interface_times};
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::fabric::wire_times::WireTimes;
use crate::flash::interface::{CommandTable, Operation};

const HEADER_BITS: u64 = 4;
const BODY_BITS: u64 = 8;

const BURST_PACKETS: u64 = 2;

fn packets(operation: Operation) -> u64 {
    match operation {
        Operation::Read => 1 + 5 + 1,
        Operation::Program => 1 + 5 + 1 + BURST_PACKETS + 1,
        Operation::Erase => 1 + 3 + 1,
    }
}

pub struct CommandPackets {
    edges: u64,
    rate: u64,
    data_rate: u64,
    chip_enable: Time,
    command_time: Option<Time>,
    turns_to_column: bool,
    status_in_chip: Time,
}

impl CommandPackets {
    pub fn new(config: &FabricConfig) -> CommandPackets {
        let width = u64::from(config.sca.ca_width);
        CommandPackets {
            edges: HEADER_BITS.div_ceil(width) + BODY_BITS.div_ceil(width),
            rate: config.sca.ca_rate.0,
            data_rate: config.link_rate.0,
            chip_enable: interface_times(config.interface)["tCS"].time.time(),
            command_time: config.command_time.map(|stated| stated.time()),
            turns_to_column: config.has_full_sequences() && config.sequence_table().page.is_some(),
            status_in_chip: CommandTable::new(config, 1).status_in_chip(),
        }
    }

    fn time(&self, packets: u64) -> Time {
        self.chip_enable + Time::of_transfer(packets * self.edges, self.rate)
    }

    pub fn data_rate(&self) -> f64 {
        self.data_rate as f64
    }
}

impl WireTimes for CommandPackets {
    fn command(&self, operation: Operation, planes: usize) -> Time {
        self.command_time.unwrap_or_else(|| self.time(packets(operation) * planes as u64))
    }

    fn data(&self, _: Operation, bytes: u64) -> Time {
        Time::of_transfer(bytes, self.data_rate)
    }

    fn copyback(&self, planes: usize) -> Time {
        self.command_time.unwrap_or_else(|| self.time((1 + 5 + 1) * planes as u64))
    }

    fn column(&self) -> Time {
        if self.turns_to_column { self.time(1 + 5 + 1 + BURST_PACKETS) } else { Time::ZERO }
    }

    fn status(&self) -> (Direction, Time) {
        (Direction::ToChip, self.time(1 + 3 + 1) + self.status_in_chip)
    }

    fn suspend(&self, _: bool) -> Time {
        self.time(1 + 3)
    }
}
