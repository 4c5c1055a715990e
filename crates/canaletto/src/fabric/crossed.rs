use crate::config::own::values::PathId;
use crate::engine::time::Time;

/// A transfer that has crossed, and what it spent its time on next to crossing.
#[derive(Debug, Clone, Copy)]
pub struct TransferDone {
    /// Its path, which stays taken until `Fabric::release`.
    pub path: PathId,
    /// Time that its command crossed before it was stopped.
    pub before: Time,
    /// Time it was stopped on the way because the path was not free.
    pub conflict: Time,
    /// Time that it waited for its own chip's port.
    pub port: Time,
    /// Time to set up its path: scouts, agreements, grants.
    pub setup: Time,
}

impl TransferDone {
    pub fn freely(path: PathId) -> TransferDone {
        TransferDone { path, before: Time::ZERO, conflict: Time::ZERO, port: Time::ZERO, setup: Time::ZERO }
    }

    /// Time between its command and its data.
    pub fn gap(&self) -> Time {
        if self.before > Time::ZERO { self.conflict } else { Time::ZERO }
    }

    #[inline]
    pub fn met_nothing(&self) -> bool {
        self.conflict + self.port + self.setup == Time::ZERO
    }
}
