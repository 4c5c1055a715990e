//! Keys of trace parsing.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

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
    /// Unit of the trace's times. Absent: the unit of the format; of a CSV file the unit that `columns` states, or else ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<TimeUnit>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { on_error: OnError::Stop, sort_window: 65_536, events: None, columns: None, time_unit: None }
    }
}

impl ReadOptions {
    /// Whether all keys have their defaults.
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

/// Unit of recorded times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Second,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Millisecond,
    /// Microseconds.
    #[serde(rename = "us")]
    Microsecond,
    /// Ticks of 100 ns.
    #[serde(rename = "100ns")]
    Tick,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanosecond,
}

impl TimeUnit {
    /// Every unit, the longest first.
    pub const ALL: [TimeUnit; 5] =
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Tick, TimeUnit::Nanosecond];

    /// Name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            TimeUnit::Second => "s",
            TimeUnit::Millisecond => "ms",
            TimeUnit::Microsecond => "us",
            TimeUnit::Tick => "100ns",
            TimeUnit::Nanosecond => "ns",
        }
    }

    /// Length in nanoseconds.
    pub fn ns(self) -> u64 {
        match self {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1000,
            TimeUnit::Tick => 100,
            TimeUnit::Nanosecond => 1,
        }
    }
}
