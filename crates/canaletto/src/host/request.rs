//! A host request.

pub use crate::engine::ids::RequestId;
use crate::engine::ids::TransactionId;
use crate::engine::time::Time;
use crate::flash::address::SECTOR;
use crate::measure::charges::RequestCharges;

/// Operation that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    /// Forget sectors: NVM Express Dataset Management with the Deallocate attribute, TRIM in ATA.
    Trim,
    /// Put what was written before on flash (NVM Express Flush).
    Flush,
}

impl Kind {
    pub const COUNT: usize = 4;
}

#[derive(Clone, Copy)]
pub struct Request {
    pub number: u32,
    pub flow: u16,
    pub queue: u16,
    pub kind: Kind,
    pub zeroes: bool,
    /// For a write: whether it is complete only once it is on flash (force unit access).
    pub fua: bool,
    pub failed: bool,
    pub path_conflict: bool,
    pub lost: Time,
    /// First sector, in the flow's own addresses.
    pub lba: u64,
    /// Sectors.
    pub sectors: u32,
    pub outstanding: u32,
    pub unbegun: u32,
    pub cached: u32,
    pub arrival: Time,
    pub enqueue: Time,
    pub since: Time,
    pub charges: RequestCharges,
    /// Once it is done: the request's time is this page's.
    pub last_page: TransactionId,
}

impl Request {
    /// Bytes of user data that cross the host link for it.
    pub fn bytes(&self) -> u64 {
        match self.kind {
            Kind::Write if self.zeroes => 0,
            Kind::Read | Kind::Write => u64::from(self.sectors) * SECTOR,
            Kind::Trim | Kind::Flush => 0,
        }
    }
}
