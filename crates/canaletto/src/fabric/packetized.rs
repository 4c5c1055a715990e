//! The packetized drive (pSSD): the buses of the conventional one, twice as wide, carrying packets.
//!
//! ```text
//! controller 0 ══╦══════╦══════╦══      16 data pins instead of 8: packets need no pins for control signals
//!              chip 0 chip 1 chip 2
//!
//! control packet   │ header │ commands … │ column … │ row … │
//! data packet      │ header │ size │ size │ payload …       │      one flit is 8 bits; two cross at a time
//! ```
//! Networked SSD (MICRO 2022) §IV-A and -B, Figs. 6 and 8. The chip is still selected by its enable pin, whose set-up
//! time (tCS) stays. Read data are asked for by a control packet of their own, "read data transfer". The paper gives the
//! fields but not the number of size flits; two hold any page.

use crate::config::design::Fabric as FabricConfig;
use crate::fabric::Fabric;
use crate::fabric::buses::{Buses, on_buses};
use crate::flash::address::Layout;
use crate::flash::interface::{Operation, constants};
use crate::sim::time::Time;

/// Flits of control packets: a header, then commands, column and row addresses (ONFI: two and three bytes).
const READ_FLITS: u64 = 1 + 2 + 5;
const PROGRAM_FLITS: u64 = 1 + 2 + 5;
const ERASE_FLITS: u64 = 1 + 2 + 3;
const READ_DATA_TRANSFER_FLITS: u64 = 1 + 1;
/// Flits of a data packet before its payload.
const DATA_HEADER_FLITS: u64 = 1 + 2;

/// Wide shared buses, one a channel.
pub struct Packetized {
    buses: Buses,
    /// Bytes a second of all 16 pins.
    rate: u64,
    chip_enable: Time,
}

impl Packetized {
    /// Flits go two at a time, so that an odd one takes as long as a pair.
    fn flits(&self, count: u64) -> Time {
        Time::of_transfer(count.next_multiple_of(2), self.rate)
    }
}

impl Fabric for Packetized {
    fn new(config: &FabricConfig, layout: &Layout) -> Packetized {
        Packetized {
            buses: Buses::new(layout.channels, layout.chips_per_channel, "channel"),
            rate: 2 * config.link_rate.0,
            chip_enable: Time::from_ns(constants(config.interface).t_cs),
        }
    }

    fn command_time(&self, operation: Operation, planes: usize) -> Time {
        let flits = match operation {
            Operation::Read => READ_FLITS,
            Operation::Program => PROGRAM_FLITS,
            Operation::Erase => ERASE_FLITS,
        };
        self.chip_enable + self.flits(flits) * planes as u64
    }

    fn data_time(&self, operation: Operation, bytes: u64) -> Time {
        let asked = if operation == Operation::Read { self.flits(READ_DATA_TRANSFER_FLITS) } else { Time::ZERO };
        asked + self.flits(DATA_HEADER_FLITS + bytes)
    }

    fn peak_rate(&self) -> f64 {
        self.rate as f64 * f64::from(self.buses.count())
    }

    on_buses!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::tests::{config, layout};

    /// At 1 GB/s for 8 pins two flits take 1 ns: 20 ns of chip enable and 4 ns of packet for a read, and a page of 4 KiB
    /// in 1 (read data transfer) + 2050 (4 flits with padding, then payload) ns.
    #[test]
    fn packets_take_their_flits() {
        let fabric = Packetized::new(&config(1_000_000_000, 0), &layout());
        assert_eq!(fabric.command_time(Operation::Read, 1), Time::from_ns(24));
        assert_eq!(fabric.command_time(Operation::Erase, 2), Time::from_ns(26));
        assert_eq!(fabric.data_time(Operation::Read, 4096), Time::from_ns(1 + 2050));
        assert_eq!(fabric.data_time(Operation::Program, 4096), Time::from_ns(2050));
    }
}
