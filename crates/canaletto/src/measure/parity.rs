//! Parity of a run.

use serde::Serialize;

use crate::JsonSchema;

/// Activity of parity within superblocks (`ftl.parity`), warm-up included.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ParityReport {
    /// Pages of parity programmed. They count among `programs` and in `write_amplification`.
    pub pages_programmed: u64,
    /// Most stripes at any time that had begun and whose parity was not programmed.
    pub most_open_stripes: u32,
    /// Memory of the controller for these: a flash page for the exclusive or of each.
    pub peak_buffer_bytes: u64,
    /// Unreadable pages that were rebuilt from the others of their stripe.
    pub pages_rebuilt: u64,
    /// Reads of pages for that.
    pub rebuild_reads: u64,
    /// Energy of these programs and reads, in millijoules, which is part of the arrays' energy. Their transfers are not
    /// in it.
    pub energy_mj: f64,
    /// Valid pages on the lost die or channel at the end, which have not been rebuilt elsewhere yet.
    pub pages_left_to_rebuild: u64,
}
