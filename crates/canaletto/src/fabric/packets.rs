//! Packets on the wires: headers and flits, as the packetized interfaces frame commands and data.
//!
//! ```text
//! control packet   │ header │ commands … │ column … │ row … │
//! data packet      │ header │ size │ size │ payload …       │      one flit is 8 bits
//! ```
//! Networked SSD (MICRO 2022) §IV-B, Fig. 8. The paper gives the fields but not the number of size flits; two hold any
//! page.

use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::flash::interface::{Operation, constants};

/// Flits of a data packet before its payload.
pub const DATA_HEADER_FLITS: u64 = 1 + 2;

/// Flits of the control packet that asks for read data, "read data transfer": a header and a command.
pub const READ_DATA_TRANSFER_FLITS: u64 = 1 + 1;

/// Flits of a command's control packet, for each plane: a header, then commands, column and row addresses (ONFI: two and
/// three bytes).
pub fn control_flits(operation: Operation) -> u64 {
    match operation {
        Operation::Read | Operation::Program => 1 + 2 + 5,
        Operation::Erase => 1 + 2 + 3,
    }
}

/// Packets on a bus of `lanes` × 8 data pins, where the chip is still selected by its enable pin and asked for its data.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Packets {
    lanes: u64,
    /// Bytes a second of all pins.
    rate: u64,
    chip_enable: Time,
    /// A stated time of every command.
    command_time: Option<Time>,
}

impl Packets {
    /// The packets of a validated design.
    pub fn new(config: &FabricConfig, lanes: u64) -> Packets {
        let chip_enable = Time::from_ns(constants(config.interface).t_cs);
        let command_time = config.command_time.map(|stated| stated.time());
        Packets { lanes, rate: lanes * config.link_rate.0, chip_enable, command_time }
    }

    /// Flits go `lanes` at a time.
    pub fn flits(&self, count: u64) -> Time {
        Time::of_transfer(count.next_multiple_of(self.lanes), self.rate)
    }

    /// How many flits take this long on one lane: the inverse of [`Packets::flits`].
    pub fn count(&self, time: Time) -> u64 {
        (u128::from(time.0) * u128::from(self.rate) / 1_000_000_000_000) as u64
    }

    /// Time to select a chip.
    pub fn chip_enable(&self) -> Time {
        self.chip_enable
    }

    /// A command's packets, one for each plane.
    pub fn command_time(&self, operation: Operation, planes: usize) -> Time {
        self.command_time.unwrap_or_else(|| self.chip_enable + self.flits(control_flits(operation)) * planes as u64)
    }

    /// A page's data packet, and for a read the packet that asks for it.
    pub fn data_time(&self, operation: Operation, bytes: u64) -> Time {
        let asked = if operation == Operation::Read { self.flits(READ_DATA_TRANSFER_FLITS) } else { Time::ZERO };
        asked + self.flits(DATA_HEADER_FLITS + bytes)
    }

    /// Bytes a second.
    pub fn rate(&self) -> f64 {
        self.rate as f64
    }
}
