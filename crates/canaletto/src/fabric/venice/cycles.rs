//! Commands over a circuit. Chips are not modified (Venice §4.1), so their pins take conventional cycles without a
//! packet's header.

use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::fabric::Direction;
use crate::fabric::packets::control_flits;
use crate::fabric::wire_times::WireTimes;
use crate::flash::address::Layout;
use crate::flash::interface::{CommandTable, Operation};

pub struct Cycles {
    rate: u64,
    stated: Option<Time>,
    commands: CommandTable,
    are_full: bool,
}

impl Cycles {
    pub fn new(config: &FabricConfig, layout: &Layout) -> Cycles {
        Cycles {
            rate: config.network_rate().0,
            stated: config.command_time.map(|stated| stated.time()),
            commands: CommandTable::new(config, layout.planes_per_die),
            are_full: config.has_full_sequences(),
        }
    }

    pub fn rate(&self) -> f64 {
        self.rate as f64
    }

    pub fn byte(&self) -> Time {
        Time::of_transfer(1, self.rate)
    }
}

impl WireTimes for Cycles {
    fn command(&self, operation: Operation, planes: usize) -> Time {
        if self.are_full {
            return self.commands.get(operation, planes).wires;
        }
        let bytes = (control_flits(operation) - 1) * planes as u64;
        self.stated.unwrap_or_else(|| Time::of_transfer(bytes, self.rate))
    }

    fn data(&self, _: Operation, bytes: u64) -> Time {
        Time::of_transfer(bytes, self.rate)
    }

    fn copyback(&self, planes: usize) -> Time {
        match self.are_full {
            true => self.commands.copyback(planes).wires,
            false => self.command(Operation::Program, planes),
        }
    }

    fn column(&self) -> Time {
        self.commands.page()
    }

    fn status(&self) -> (Direction, Time) {
        (Direction::ToChip, self.commands.status())
    }

    fn suspend(&self, resume: bool) -> Time {
        if resume { self.commands.resume() } else { self.commands.suspend() }
    }
}
