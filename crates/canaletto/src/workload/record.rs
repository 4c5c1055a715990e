use std::sync::Arc;

use crate::host::request::Kind;

/// Request of a recorded trace, as its file states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Arrival time in nanoseconds, in the trace's own clock (only differences matter).
    pub arrival_ns: u64,
    /// Device, disk or volume number; 0 where the format has none.
    pub device: u32,
    pub offset_bytes: u64,
    /// Number of bytes: 0 of a flush, never 0 otherwise.
    pub bytes: u64,
    pub kind: Kind,
    /// For a write: whether it is complete only once it is on flash (force unit access).
    pub fua: bool,
    /// For a write: whether it writes zeroes, so that no data cross the link.
    pub zeroes: bool,
    /// Reclaim unit handle of a write or an update, if the trace states one.
    pub handle: Option<u16>,
}

impl Record {
    /// What records share that state no more than time, place and kind.
    pub const PLAIN: Record = Record {
        arrival_ns: 0,
        device: 0,
        offset_bytes: 0,
        bytes: 0,
        kind: Kind::Read,
        fua: false,
        zeroes: false,
        handle: None,
    };
}

/// Stream of [`Record`]s in order of arrival.
///
/// Dynamic dispatch happens once per batch.
pub trait RecordSource: Send {
    /// Replaces the contents of `batch` with the next records; leaves it empty at the end of the stream.
    ///
    /// # Errors
    /// A message with file, line and reason if the stream cannot continue.
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String>;

    /// Returns the share of the stream that has been read, if its length is known.
    fn share_read(&self) -> Option<f64> {
        None
    }
}

pub type Reopen = Arc<dyn Fn() -> Result<Box<dyn RecordSource>, String> + Send + Sync>;

/// A time on a clock slower by `factor`: exact for a factor of 1, else to the 53 bits of a double (to the picosecond
/// within the first two hours).
pub fn scaled(ps: u128, factor: f64) -> u128 {
    if factor == 1.0 { ps } else { (ps as f64 * factor).round() as u128 }
}
