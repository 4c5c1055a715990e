//! A controller: what it transfers, and how far that has come.

use crate::engine::time::Time;
use crate::fabric::Transfer;
use crate::fabric::venice::grid::RouterId;
use crate::flash::address::ChipId;

/// Work of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Free,
    /// Its scout looks for a way.
    Searching,
    /// Its scout has reached the chip and returns over the circuit.
    Reserved,
    /// Its scout found no way; another is sent later.
    Waiting,
    /// Commands or data cross.
    Transferring,
    /// The packet that tears its circuit down is on its own link.
    TearingDown,
    /// Nothing any more.
    Failed,
}

/// A flash controller.
pub struct Controller {
    pub state: State,
    /// Its transfer.
    pub transfer: Transfer,
    /// When its first scout for this transfer was sent.
    pub began: Time,
    /// When the present one was.
    pub sent: Time,
    /// When its first scout for this transfer was sent, or it last gave way to others.
    pub patient_since: Time,
    /// When the timer of its last failed scout goes off.
    pub timer: Time,
    /// When its circuit was complete and the scout back.
    pub ready: Time,
    /// Scouts it has sent.
    pub scouts: u64,
    /// Links of its circuit, its own included; that one alone if its last scout found no way.
    pub length: u64,
}

impl Controller {
    /// A free controller.
    pub fn new() -> Controller {
        let transfer = Transfer {
            chip: ChipId::NONE,
            direction: crate::fabric::Direction::ToChip,
            command: Time::ZERO,
            data: Time::ZERO,
        };
        Controller {
            state: State::Free,
            transfer,
            began: Time::ZERO,
            sent: Time::ZERO,
            patient_since: Time::ZERO,
            timer: Time::ZERO,
            ready: Time::ZERO,
            scouts: 0,
            length: 1,
        }
    }

    /// Whether it may take a transfer.
    pub fn is_free(&self) -> bool {
        self.state == State::Free
    }

    /// Whether it lets others go first now, as its scouts have failed for a millisecond. Scouts that meet on the only way of both, in a
    /// single column of chips, come back at the same time and would meet again for ever.
    pub fn gives_way(&mut self, now: Time) -> bool {
        const PATIENCE: Time = Time::from_ns(1_000_000);
        let gives_way = now - self.patient_since >= PATIENCE;
        if gives_way {
            self.patient_since = now;
        }
        gives_way
    }

    /// The router of its transfer's chip.
    pub fn destination(&self) -> RouterId {
        RouterId(self.transfer.chip.0)
    }
}
