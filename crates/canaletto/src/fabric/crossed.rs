use crate::config::own::values::PathId;
use crate::engine::time::Time;

#[derive(Debug, Clone, Copy)]
pub struct TransferDone {
    /// Taken until `Fabric::release`.
    pub path: PathId,
    pub before: Time,
    /// On the way.
    pub conflict: Time,
    pub port: Time,
    /// Scouts, agreements, grants.
    pub setup: Time,
}

impl TransferDone {
    pub fn freely(path: PathId) -> TransferDone {
        TransferDone { path, before: Time::ZERO, conflict: Time::ZERO, port: Time::ZERO, setup: Time::ZERO }
    }

    pub fn gap(&self) -> Time {
        if self.before > Time::ZERO { self.conflict } else { Time::ZERO }
    }

    #[inline]
    pub fn met_nothing(&self) -> bool {
        self.conflict + self.port + self.setup == Time::ZERO
    }
}
