//! A controller: its scout's search and the circuit it holds.

use crate::engine::time::Time;
use crate::fabric::Transfer;
use crate::fabric::venice::grid::{Port, RouterId};
use crate::fabric::venice::scout::{Mode, ScoutPacket};
use crate::flash::address::ChipId;

/// What a controller is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Free,
    /// Its scout looks for a way.
    Searching,
    /// Its scout has reached the chip and returns over the circuit.
    Reserved,
    /// Its scout found no way; another is sent when something is released.
    Waiting,
    /// Commands or data cross.
    Transferring,
}

/// A flash controller.
pub struct Controller {
    pub state: State,
    /// What it transfers.
    pub transfer: Transfer,
    pub packet: ScoutPacket,
    /// Where its scout is, and the port it came in by.
    pub router: RouterId,
    pub entry: Port,
    /// Routers that are reserved, each with its exit; the last one leads to where the scout is.
    pub path: Vec<(RouterId, Port)>,
    /// When its first scout for this transfer was sent.
    pub began: Time,
    /// When the present one was.
    pub sent: Time,
    /// When its circuit was complete and the scout back.
    pub ready: Time,
}

impl Controller {
    /// A free controller.
    pub fn new(id: u32) -> Controller {
        let transfer = Transfer {
            chip: ChipId::NONE,
            direction: crate::fabric::Direction::ToChip,
            command: Time::ZERO,
            data: Time::ZERO,
        };
        Controller {
            state: State::Free,
            transfer,
            packet: ScoutPacket { mode: Mode::Reserve, destination: RouterId::NONE, controller: id },
            router: RouterId::NONE,
            entry: Port::Left,
            path: Vec::new(),
            began: Time::ZERO,
            sent: Time::ZERO,
            ready: Time::ZERO,
        }
    }

    /// Whether it may take a transfer.
    pub fn is_free(&self) -> bool {
        self.state == State::Free
    }

    /// Links between it and where its scout is, its own included.
    pub fn length(&self) -> u64 {
        1 + self.path.len() as u64
    }
}
