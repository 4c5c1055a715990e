//! A host request.

use crate::measure::blame::Account;
use crate::sim::time::Time;
use crate::typed_id;

typed_id!(
    /// A host request in flight.
    RequestId
);

/// A read or write of consecutive sectors.
#[derive(Clone, Copy)]
pub struct Request {
    /// Its number: requests are counted as they are generated.
    pub number: u32,
    /// Index of its flow.
    pub flow: u16,
    /// Whether it writes.
    pub write: bool,
    /// Whether one of its transactions met a path conflict.
    pub path_conflict: bool,
    /// Time its pages lost to path conflicts.
    pub lost: Time,
    /// First sector, in the flow's own addresses.
    pub lba: u64,
    /// Sectors.
    pub sectors: u32,
    /// Page transactions not yet finished.
    pub outstanding: u32,
    /// When the host wanted it.
    pub arrival: Time,
    /// When it was placed in the submission queue.
    pub enqueue: Time,
    /// Where the time went.
    pub account: Account,
}

impl Request {
    /// Bytes it moves.
    pub fn bytes(&self) -> u64 {
        u64::from(self.sectors) * crate::flash::address::SECTOR
    }
}
