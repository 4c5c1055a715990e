//! Keys of trace parsing. The engine itself opens no file; its caller reads traces by these keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parsing of a trace file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReadOptions {
    /// Treatment of a line that is no request of the format, or has an impossible value.
    pub on_error: OnError,
    /// Number of requests that are held back to be sorted by time (32 B each). Traces sorted by completion (SYSTOR '17)
    /// need as many as are ever outstanding. A line that is later than the window allows is an error; with 0, any line
    /// out of order is.
    #[schemars(range(max = 16_777_216))]
    pub sort_window: u32,
    /// Event that counts as a request's arrival, in blkparse text. Absent: D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<BlockEvent>,
    /// Columns of a CSV file, such as "time=ts:ms,offset=lba:sectors,size=len,kind=op,device=disk": for each, a name of
    /// the header or #1, #2, … and the unit. Absent: the columns that `trace convert` writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { on_error: OnError::Stop, sort_window: 65_536, events: None, columns: None }
    }
}

impl ReadOptions {
    /// Returns whether all keys have their defaults.
    pub fn is_default(&self) -> bool {
        *self == ReadOptions::default()
    }
}

/// Treatment of a bad line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// Error that names the line.
    #[default]
    Stop,
    /// Line left out and counted in the results.
    Skip,
}

/// Event of a request in Linux's block layer (blkparse(1)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BlockEvent {
    /// Queued: as the file system requested it, before merging.
    Q,
    /// Issued to the driver: as the drive received it.
    D,
    /// Completed; its time counts as the arrival.
    C,
}
