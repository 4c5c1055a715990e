//! State of network and controllers at a moment, as the hardware's registers hold it: what `rtl/` is compared with.
//!
//! Nothing of it is kept during a run; it costs nothing unless asked for.

use super::Venice;
use crate::engine::time::Time;
use crate::fabric::venice::circuit::State;
use crate::fabric::venice::grid::{Port, RouterId};

/// Work of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    Idle,
    /// Its scout is on its way, or waits for its slot.
    Searching,
    /// Its scout has failed.
    Waiting,
    /// Commands or data cross.
    Transferring,
}

/// A valid row of a reservation table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRow {
    /// The packet's number.
    pub packet: u32,
    /// The port, 0 to 3, by which it came in.
    pub entry: u32,
}

impl Venice {
    /// Exits of a router's reservation table: its four ports, then its chip.
    pub const EXITS: u32 = 5;

    /// The row of a router's reservation table for an exit; none if it is not valid.
    pub fn table_row(&self, router: u32, exit: u32) -> Option<TableRow> {
        let row = self.routers.row(RouterId(router), (exit < 4).then(|| Port::numbered(exit as u8)));
        row.map(|(packet, entry)| TableRow { packet, entry })
    }

    /// State of a router's register, 1 to 3.
    pub fn register(&self, router: u32) -> u32 {
        self.routers.register(RouterId(router))
    }

    /// Work of a controller.
    pub fn activity(&self, controller: u32) -> Activity {
        match self.controllers[controller as usize].state {
            State::Free | State::Failed => Activity::Idle,
            State::Searching | State::Reserved => Activity::Searching,
            State::Waiting => Activity::Waiting,
            // The hardware has wires for the end of a circuit.
            State::Transferring | State::TearingDown => Activity::Transferring,
        }
    }

    /// Scouts that a controller has sent so far.
    pub fn scouts_sent(&self, controller: u32) -> u64 {
        self.controllers[controller as usize].scouts
    }

    /// Scouts that routers decide about at a moment: packet number and router.
    pub fn deciding(&self, now: Time) -> impl Iterator<Item = (u32, u32)> {
        self.under_way.arriving_at(now).map(|scout| (scout.packet.controller, scout.entry.router().0))
    }
}
