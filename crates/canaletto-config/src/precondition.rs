//! Keys of the state of a drive before the run, each with unit, default and source.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// Method that prepares the drive before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionKind {
    /// None: a fresh drive on which nothing was ever written.
    #[default]
    None,
    /// Computation of the steady state of garbage collection, which takes seconds for any drive.
    Steady,
    /// Simulation of the writes that fill the drive, with the flows' own addresses, which takes as long as that many
    /// writes.
    Replay,
}

impl PreconditionKind {
    /// Name in results.
    pub fn name(self) -> &'static str {
        match self {
            PreconditionKind::None => "none",
            PreconditionKind::Steady => "steady",
            PreconditionKind::Replay => "replay",
        }
    }
}

/// Preconditioning: the state of the drive before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Precondition {
    /// Method that prepares the drive.
    pub kind: PreconditionKind,
    /// Share of the addresses that hold data. Flows of a partitioned drive may have their own (`flow.occupancy`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub occupancy: f64,
}

impl Default for Precondition {
    fn default() -> Self {
        Precondition { kind: PreconditionKind::default(), occupancy: 1.0 }
    }
}
