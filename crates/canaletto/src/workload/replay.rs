//! Recorded requests, read one batch at a time so that a trace of any length replays in constant memory.

/// One request of a recorded trace, as its file states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Arrival time, nanoseconds, in the trace's own clock (only differences matter).
    pub arrival_ns: u64,
    /// Device, disk or volume number; 0 where the format has none.
    pub device: u32,
    /// First byte addressed on that device.
    pub offset_bytes: u64,
    /// Bytes moved; never 0.
    pub bytes: u64,
    /// Whether the request writes (otherwise it reads).
    pub write: bool,
}

/// A stream of [`Record`]s.
///
/// Dynamic dispatch happens once a batch, not once a request.
pub trait RecordSource: Send {
    /// Replaces the contents of `batch` with the next records; leaves it empty at the end of the stream.
    ///
    /// # Errors
    /// The message says where (file and line) and why the stream cannot go on.
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String>;
}
