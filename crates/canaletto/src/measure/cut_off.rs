//! Chips cut off by failed parts of the interconnect.

use serde::Serialize;

use crate::JsonSchema;

/// Chips that failed parts of the interconnect (`fabric.failures`) cut off, warm-up included.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct CutOffReport {
    /// Chips that no controller reaches at the end.
    pub chips: u32,
    /// Pages that could be neither read nor rebuilt because of it, those that the drive wanted for itself included.
    pub pages_out_of_reach: u64,
    /// Requests that failed because of it.
    pub requests_failed: u64,
}
