//! Packets on the wires: headers and flits.
//!
//! ```text
//! control packet   │ header │ commands … │ column … │ row … │
//! data packet      │ header │ size │ size │ payload …       │      one flit is 8 bits
//! ```
//! Networked SSD (MICRO 2022) §IV-B, Fig. 8. The paper gives the fields but not the number of size flits; two hold any
//! page.

use crate::config::design::{Fabric as FabricConfig, interface_times};
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::fabric::wire_times::WireTimes;
use crate::flash::interface::{CommandTable, Operation};

pub const DATA_HEADER_FLITS: u64 = 1 + 2;

/// "Read data transfer": a header and a command.
pub const READ_DATA_TRANSFER_FLITS: u64 = 1 + 1;

/// Header, command and two of column. Assumed.
pub const COLUMN_FLITS: u64 = 1 + 1 + 2;

/// A request of header, command and row address (three bytes), an answer of header and status. Assumed.
pub const STATUS_FLITS: u64 = (1 + 1 + 3) + STATUS_REPORT_FLITS;

pub const STATUS_REPORT_FLITS: u64 = 1 + 1;

/// Header, command and row address. Assumed.
pub const SUSPEND_FLITS: u64 = 1 + 1 + 3;

/// By a control packet's T, C and R bits (§IV-B2).
pub struct ControlFields {
    pub commands: u64,
    pub column: u64,
    pub row: u64,
}

pub fn control_fields(operation: Operation) -> ControlFields {
    match operation {
        Operation::Read | Operation::Program => ControlFields { commands: 2, column: 2, row: 3 },
        Operation::Erase => ControlFields { commands: 2, column: 0, row: 3 },
    }
}

/// For each plane: the header, and what its bits announce.
pub fn control_flits(operation: Operation) -> u64 {
    let ControlFields { commands, column, row } = control_fields(operation);
    1 + commands + column + row
}

/// On `lanes` × 8 data pins. The chip is selected by its enable pin and asked for its data.
pub struct Packets {
    lanes: u64,
    rate: u64,
    chip_enable: Time,
    command_time: Option<Time>,
    status_in_chip: Time,
}

impl Packets {
    pub fn new(config: &FabricConfig, lanes: u64) -> Packets {
        let chip_enable = interface_times(config.interface)["tCS"].time.time();
        let command_time = config.command_time.map(|stated| stated.time());
        let status_in_chip = CommandTable::new(config, 1).status_in_chip();
        Packets { lanes, rate: lanes * config.link_rate.0, chip_enable, command_time, status_in_chip }
    }

    pub fn flits(&self, count: u64) -> Time {
        Time::of_transfer(count.next_multiple_of(self.lanes), self.rate)
    }

    pub fn count(&self, time: Time) -> u64 {
        (u128::from(time.0) * u128::from(self.rate) / 1_000_000_000_000) as u64
    }

    pub fn chip_enable(&self) -> Time {
        self.chip_enable
    }

    pub fn rate(&self) -> f64 {
        self.rate as f64
    }
}

impl WireTimes for Packets {
    fn command(&self, operation: Operation, planes: usize) -> Time {
        self.command_time.unwrap_or_else(|| self.chip_enable + self.flits(control_flits(operation)) * planes as u64)
    }

    fn data(&self, operation: Operation, bytes: u64) -> Time {
        let asked = if operation == Operation::Read { self.flits(READ_DATA_TRANSFER_FLITS) } else { Time::ZERO };
        asked + self.flits(DATA_HEADER_FLITS + bytes)
    }

    fn status(&self) -> (Direction, Time) {
        let time = self.chip_enable
            + self.flits(STATUS_FLITS - STATUS_REPORT_FLITS)
            + self.status_in_chip
            + self.flits(STATUS_REPORT_FLITS);
        (Direction::ToChip, time)
    }

    fn suspend(&self, _: bool) -> Time {
        self.chip_enable + self.flits(SUSPEND_FLITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bits each for T, C and R (§IV-B3). The two size flits hold every page.
    #[test]
    fn a_header_of_one_flit_announces_its_packet() {
        for operation in [Operation::Read, Operation::Program, Operation::Erase] {
            let ControlFields { commands, column, row } = control_fields(operation);
            assert!([commands, column, row].into_iter().all(|field| field < 1 << 2));
            assert_eq!(control_flits(operation), 1 + commands + column + row);
        }
        assert_eq!((control_flits(Operation::Read), control_flits(Operation::Erase)), (8, 6));
        const { assert!(64 * 1024 <= 1 << (8 * (DATA_HEADER_FLITS - 1))) };
    }
}
