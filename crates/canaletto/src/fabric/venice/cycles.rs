//! Commands over a circuit: chips are not modified (Venice §4.1), so that their pins take the cycles of a conventional command as they
//! are, without a packet's header.

use crate::config::design::Fabric as FabricConfig;
use crate::engine::time::Time;
use crate::fabric::packets::control_flits;
use crate::flash::address::Layout;
use crate::flash::interface::{CommandTable, Operation};

/// Times of commands and data on a circuit.
pub struct Cycles {
    /// Rate of a link.
    rate: u64,
    /// A stated time of every command.
    stated: Option<Time>,
    commands: CommandTable,
    /// Whether circuits carry the cycles and waits of full sequences.
    are_full: bool,
}

impl Cycles {
    /// The times of a validated design.
    pub fn new(config: &FabricConfig, layout: &Layout) -> Cycles {
        Cycles {
            rate: config.network_rate().0,
            stated: config.command_time.map(|stated| stated.time()),
            commands: CommandTable::new(config, layout.planes_per_die),
            are_full: config.has_full_sequences(),
        }
    }

    /// Rate of a link.
    pub fn rate(&self) -> f64 {
        self.rate as f64
    }

    /// Time of a byte on a link, the link's latency of Eq. 1.
    pub fn byte(&self) -> Time {
        Time::of_transfer(1, self.rate)
    }

    /// Time of a command to so many planes.
    pub fn command(&self, operation: Operation, planes: usize) -> Time {
        if self.are_full {
            return self.commands.get(operation, planes).wires;
        }
        let bytes = (control_flits(operation) - 1) * planes as u64;
        self.stated.unwrap_or_else(|| Time::of_transfer(bytes, self.rate))
    }

    /// Time of the program of what is in registers.
    pub fn copyback(&self, planes: usize) -> Time {
        match self.are_full {
            true => self.commands.copyback(planes).wires,
            false => self.command(Operation::Program, planes),
        }
    }

    /// Time of the change of column before a page.
    pub fn column(&self) -> Time {
        self.commands.page()
    }

    /// Time of a LUN's status.
    pub fn status(&self) -> Time {
        self.commands.status()
    }

    /// Time of the command to suspend or to resume.
    pub fn suspend(&self, resume: bool) -> Time {
        if resume { self.commands.resume() } else { self.commands.suspend() }
    }

    /// Time of data.
    pub fn data(&self, bytes: u64) -> Time {
        Time::of_transfer(bytes, self.rate)
    }
}
