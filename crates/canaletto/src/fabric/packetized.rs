//! The packetized drive (pSSD): the buses of the conventional one, twice as wide, carrying packets.
//!
//! ```text
//! controller 0 ══╦══════╦══════╦══      16 data pins instead of 8: packets need no pins for control signals;
//!              chip 0 chip 1 chip 2     two flits cross at a time
//! ```
//! Networked SSD (MICRO 2022) §IV-A and -B, Figs. 6 and 8. The chip is still selected by its enable pin, whose set-up
//! time (tCS) stays. Read data are asked for by their own control packet, "read data transfer".

use crate::config::design::Fabric as FabricConfig;
use crate::fabric::buses::{Buses, Kind, SharedBuses};
use crate::fabric::facts::{Facts, Interconnect};
use crate::fabric::failing;
use crate::fabric::lines::Line;
use crate::fabric::packets::Packets;
use crate::fabric::wires::WireKind;
use crate::flash::address::Layout;

pub const FACTS: Facts = Facts {
    is_usual: true,
    holds_paths: true,
    routers: None,
    interconnect: |_, _, _| Interconnect::PACKET_CHANNELS,
    failing: failing::ROWS,
    lines: |_, rows, columns| Line::rows("channel", rows, columns, |_| 1),
};

pub enum WideChannels {}

impl Kind for WideChannels {
    type Times = Packets;

    fn new(config: &FabricConfig, layout: &Layout) -> (Buses, Packets) {
        (Buses::new(layout, WireKind::WideChannel), Packets::new(config, 2))
    }

    fn rate(times: &Packets) -> f64 {
        times.rate()
    }
}

pub type Packetized = SharedBuses<WideChannels>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::time::Time;
    use crate::fabric::Fabric;
    use crate::fabric::tests::{config, layout};
    use crate::flash::interface::Operation;

    /// Two flits per ns: 20 ns of chip enable and 4 ns of packet per read, 1 + 2050 ns per page of 4 KiB.
    #[test]
    fn packets_take_their_flits() {
        let fabric = Packetized::new(&config(1_000_000_000, 0), &layout());
        assert_eq!(fabric.command_time(Operation::Read, 1), Time::from_ns(24));
        assert_eq!(fabric.command_time(Operation::Erase, 2), Time::from_ns(26));
        assert_eq!(fabric.data_time(Operation::Read, 4096), Time::from_ns(1 + 2050));
        assert_eq!(fabric.data_time(Operation::Program, 4096), Time::from_ns(2050));
    }
}
