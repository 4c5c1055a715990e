use crate::engine::time::Time;
use crate::fabric::Transfer;
use crate::fabric::venice::grid::RouterId;
use crate::flash::address::ChipId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Free,
    Searching,
    Reserved,
    Waiting,
    Transferring,
    TearingDown,
    Failed,
}

pub struct Controller {
    pub state: State,
    pub transfer: Transfer,
    pub began: Time,
    pub sent: Time,
    pub patient_since: Time,
    pub timer: Time,
    pub ready: Time,
    pub scouts: u64,
    pub length: u64,
}

impl Controller {
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

    pub fn is_free(&self) -> bool {
        self.state == State::Free
    }

    /// Its scouts failed for a millisecond: two that meet on the only way of both would meet again for ever.
    pub fn gives_way(&mut self, now: Time) -> bool {
        const PATIENCE: Time = Time::from_ns(1_000_000);
        let gives_way = now - self.patient_since >= PATIENCE;
        if gives_way {
            self.patient_since = now;
        }
        gives_way
    }

    pub fn destination(&self) -> RouterId {
        RouterId(self.transfer.chip.0)
    }
}
