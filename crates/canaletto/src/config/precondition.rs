//! The state a drive is in before the run: every key, its unit, its default and its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a drive comes to its state before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionKind {
    /// Fresh out of the box: nothing was ever written.
    #[default]
    None,
    /// In the steady state of its garbage collection, computed: takes seconds for any drive.
    Steady,
    /// In the state that really writing it leaves it in, with the flows' own addresses: takes as long as that many writes.
    Replay,
}

impl PreconditionKind {
    /// The name used in results.
    pub fn name(self) -> &'static str {
        match self {
            PreconditionKind::None => "none",
            PreconditionKind::Steady => "steady",
            PreconditionKind::Replay => "replay",
        }
    }
}

/// Preconditioning: the state a drive is in before the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Precondition {
    /// How the drive comes to its state.
    pub kind: PreconditionKind,
    /// Share of the addresses that hold data; flows of a partitioned drive may have their own (`flow.occupancy`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub occupancy: f64,
}

impl Default for Precondition {
    fn default() -> Self {
        Precondition { kind: PreconditionKind::default(), occupancy: 1.0 }
    }
}
