//! Results of tasks.

use serde::Serialize;

use crate::JsonSchema;
use crate::engine::time::Time;

#[derive(Debug, Clone, Default)]
pub struct TaskCounts {
    pub tasks: u64,
    pub operand_bytes: u64,
    pub out_bytes: u64,
    pub in_bytes: u64,
    pub direct_bytes: u64,
    pub result_bytes: u64,
    pub link_bytes: u64,
    pub busy: Time,
}

/// Tasks of a flow. Bytes and energy include the warm-up.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ComputeReport {
    /// Place of the computation.
    pub at: &'static str,
    /// Tasks begun.
    pub tasks: u64,
    /// Bytes of operands.
    pub operand_bytes: u64,
    /// Bytes of operands that crossed from chips to controllers.
    pub out_bytes: u64,
    /// Bytes of operands that crossed from controllers to the chips that combine them.
    pub in_bytes: u64,
    /// Bytes of operands that crossed from chip to chip.
    pub direct_bytes: u64,
    /// Bytes of results that crossed from chips to controllers.
    pub result_bytes: u64,
    /// Bytes that crossed the host link.
    pub link_bytes: u64,
    /// Time in which units worked, summed over units, in microseconds.
    pub busy_us: f64,
    /// Energy of the units, in millijoules.
    pub energy_mj: f64,
}

impl ComputeReport {
    pub fn of(at: &'static str, counts: &TaskCounts, energy_mj: f64) -> ComputeReport {
        ComputeReport {
            at,
            tasks: counts.tasks,
            operand_bytes: counts.operand_bytes,
            out_bytes: counts.out_bytes,
            in_bytes: counts.in_bytes,
            direct_bytes: counts.direct_bytes,
            result_bytes: counts.result_bytes,
            link_bytes: counts.link_bytes,
            busy_us: counts.busy.us(),
            energy_mj,
        }
    }
}
