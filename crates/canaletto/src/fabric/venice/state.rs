//! State as the hardware's registers hold it, for `rtl/`. It costs nothing unless asked for.

use super::Venice;
use crate::engine::time::Time;
use crate::fabric::venice::circuit::State;
use crate::fabric::venice::grid::{Port, RouterId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    Idle,
    Searching,
    Waiting,
    Transferring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRow {
    pub packet: u32,
    pub entry: u32,
}

impl Venice {
    /// Four ports, then the chip.
    pub const EXITS: u32 = 5;

    pub fn table_row(&self, router: u32, exit: u32) -> Option<TableRow> {
        let row = self.routers.row(RouterId(router), (exit < 4).then(|| Port::numbered(exit as u8)));
        row.map(|(packet, entry)| TableRow { packet, entry })
    }

    pub fn register(&self, router: u32) -> u32 {
        self.routers.register(RouterId(router))
    }

    pub fn activity(&self, controller: u32) -> Activity {
        match self.controllers[controller as usize].state {
            State::Free | State::Failed => Activity::Idle,
            State::Searching | State::Reserved => Activity::Searching,
            State::Waiting => Activity::Waiting,
            // The hardware has wires for the end of a circuit.
            State::Transferring | State::TearingDown => Activity::Transferring,
        }
    }

    pub fn scouts_sent(&self, controller: u32) -> u64 {
        self.controllers[controller as usize].scouts
    }

    pub fn deciding(&self, now: Time) -> impl Iterator<Item = (u32, u32)> {
        self.under_way.arriving_at(now).map(|scout| (scout.packet.controller, scout.entry.router().0))
    }
}
