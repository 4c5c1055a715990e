//! How trace files are read. The engine never sees a file; whoever opens one for it does as told here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a trace file is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReadOptions {
    /// What a line that is no request of the format, or one with an impossible value, does.
    pub on_error: OnError,
    /// Lines may be out of order by as many requests as are held back to be sorted by time (32 bytes each). Traces sorted by
    /// completion (SYSTOR '17) need as many as are ever outstanding. A line that comes later than that is an error; 0: any
    /// line that is out of order is.
    #[schemars(range(max = 16_777_216))]
    pub sort_window: u32,
    /// Which event of a request is taken to be its arrival, in blkparse text. Absent: D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<BlockEvent>,
    /// Which columns of a CSV file hold what, such as "time=ts:ms,offset=lba:sectors,size=len,kind=op,device=disk": a name
    /// of the header or #1, #2, … and the unit. Absent: the columns that `trace convert` writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { on_error: OnError::Stop, sort_window: 65_536, events: None, columns: None }
    }
}

impl ReadOptions {
    /// Whether nothing is asked for.
    pub fn is_default(&self) -> bool {
        *self == ReadOptions::default()
    }
}

/// What a bad line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// It ends everything with an error that names the line.
    #[default]
    Stop,
    /// It is left out; results say how many were.
    Skip,
}

/// Steps of a request through Linux's block layer (blkparse(1)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BlockEvent {
    /// Queued: as the file system asked for it, before merging.
    Q,
    /// Issued to the driver: what the drive got.
    D,
    /// Completed, at that time.
    C,
}
