//! A host request.

pub use crate::engine::ids::RequestId;
use crate::engine::ids::TransactionId;
use crate::engine::time::Time;
use crate::flash::address::SECTOR;
use crate::measure::charges::RequestCharges;

/// Operation that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Read sectors.
    Read,
    /// Write sectors.
    Write,
    /// Forget sectors: NVM Express Dataset Management with the Deallocate attribute, TRIM in ATA.
    Trim,
    /// Put what was written before on flash (NVM Express Flush).
    Flush,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 4;
}

/// A request for consecutive sectors.
#[derive(Clone, Copy)]
pub struct Request {
    /// Its number: requests are counted as they are generated.
    pub number: u32,
    /// Index of its flow.
    pub flow: u16,
    /// The queue that it takes.
    pub queue: u16,
    /// Operation that it asks for.
    pub kind: Kind,
    /// For a write: whether it writes zeroes, so that no data cross the link (NVM Express Write Zeroes).
    pub zeroes: bool,
    /// For a write: whether it is complete only once it is on flash (force unit access).
    pub fua: bool,
    /// Whether any part of it failed: it is completed with an error status.
    pub failed: bool,
    /// Whether one of its transactions met a path conflict.
    pub path_conflict: bool,
    /// Time its pages lost to path conflicts.
    pub lost: Time,
    /// First sector, in the flow's own addresses.
    pub lba: u64,
    /// Sectors.
    pub sectors: u32,
    /// Page transactions not yet finished, those not yet begun included.
    pub outstanding: u32,
    /// Page transactions not yet begun, of a request with more pages than may be in flight.
    pub unbegun: u32,
    /// Pages of a write that the data cache has taken.
    pub cached: u32,
    /// When the host wanted it.
    pub arrival: Time,
    /// When it was placed in the submission queue.
    pub enqueue: Time,
    /// Time up to which everything is charged.
    pub since: Time,
    /// Where the time went, but for the last page's.
    pub charges: RequestCharges,
    /// The last page, once it is done: where its time went the request's did. It is kept as long as the request.
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
