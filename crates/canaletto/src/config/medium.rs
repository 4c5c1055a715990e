//! Keys of what flash cells and their controllers do beside reading, programming and erasing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::Duration;

/// Which array operations can be suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Suspendable {
    /// None.
    #[default]
    None,
    /// Erases.
    Erase,
    /// Programs.
    Program,
    /// Erases and programs.
    Both,
}

/// What an operation is suspended for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuspendFor {
    /// Reads for the host.
    #[default]
    Reads,
    /// Reads for the host, and writes of the host too if the operation is an erase: a program is suspended for reads alone.
    ReadsAndWrites,
}

/// Suspension of programs and erases (G. Wu and X. He, "Reducing SSD Read Latency via NAND Flash Program and Erase
/// Suspension", FAST 2012): a unit at work stops for reads that wait for it and goes on when none waits any more. Times
/// and limits are assumed: data sheets state the feature, rarely its figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Suspend {
    /// Operations that can be suspended.
    pub operations: Suspendable,
    /// What they are suspended for.
    #[serde(rename = "for")]
    pub served: SuspendFor,
    /// From the decision to suspend until the unit takes another command. The command that says so is one cycle and part
    /// of this time.
    pub suspend_time: Duration,
    /// From the decision to resume until the array works on; its command is part of it.
    pub resume_time: Duration,
    /// Suspensions of one operation at the most, so that it comes to an end.
    #[schemars(range(min = 1, max = 65_535))]
    pub limit: u32,
    /// An operation with less than this left is not suspended.
    pub min_remaining: Duration,
    /// How long a suspended unit takes further commands; what is under way then is finished, and the operation goes on.
    pub longest: Duration,
}

impl Default for Suspend {
    fn default() -> Self {
        Suspend {
            operations: Suspendable::None,
            served: SuspendFor::Reads,
            suspend_time: Duration::from_ns(20_000),
            resume_time: Duration::from_ns(5_000),
            limit: 8,
            min_remaining: Duration::from_ns(50_000),
            longest: Duration::from_ns(1_000_000),
        }
    }
}

/// Failures of operations, drawn when an operation ends, and blocks that are bad from the start. A failed program spends
/// its page, retires the block and looks for another page; a failed erase retires the block. A plane that can spare no
/// further block completes host writes whose program fails with an error, and goes on using its blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Failures {
    /// Probability that the program of a page fails.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub program: f64,
    /// Probability that the erase of a block fails.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub erase: f64,
    /// Probability that a page that has been read is illegible, however often it is read again: the host's request is
    /// completed with an error.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub read: f64,
    /// Share of blocks that are bad from the factory; each plane has its share of them, at random places.
    #[schemars(range(min = 0.0, max = 0.5))]
    pub factory_bad: f64,
}
