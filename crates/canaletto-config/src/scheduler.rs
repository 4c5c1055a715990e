//! Keys of the transaction scheduler, each with unit, default and source.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
pub use crate::kinds::Policy;
use crate::own::Own;
use crate::own::order::OrderRule;
use crate::units::{Duration, Size};

/// Event that advances the weighted round robin among priority classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoundRobinAdvance {
    /// Issue of a command.
    #[default]
    OnIssue,
    /// Any inspection of the queues, as in MQSim. Results then depend on the number of inspections.
    OnPoll,
}

/// Moments at which queued transactions are offered free paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Looks {
    /// Once per event, when all its consequences are known.
    #[default]
    EventEnd,
    /// After each batch, as in MQSim: the pages of a request, the read of a translation page, the pages that waited for
    /// one. The path and the LUN whose work has just ended are offered last.
    EachBatch,
}

/// Scheduler of flash transactions, out of order across LUNs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scheduler {
    /// Order of the transactions of a LUN.
    pub policy: Policy,
    /// Rules of `policy = "custom"`, if they are not order of arrival.
    #[serde(skip)]
    pub rule: Option<Own<dyn OrderRule>>,
    /// Whether priority classes of flows count: urgent first, then high, medium and low in a round robin weighted 4 : 2
    /// : 1.
    pub priorities: bool,
    /// Event that advances the weighted round robin among priority classes.
    pub round_robin_advance: RoundRobinAdvance,
    /// Moments at which queued transactions are offered free paths.
    pub looks: Looks,
    /// Keys of `policy = "flin"`.
    pub flin: Flin,
}

/// Keys of `policy = "flin"`. The values are those that MQSim's authors, who are FLIN's, have next to their class
/// of that name (MQSim, `SSD_Device.cpp`; it is commented out there).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Flin {
    /// Time for which transactions are counted before flows are classified again. In the first epoch all flows are of
    /// high intensity.
    pub epoch: Duration,
    /// Data that a flow of low read intensity reads within an epoch from the whole drive at most. The threshold of a
    /// LUN is its even share of this.
    pub read_threshold: Size,
    /// Data that a flow of low write intensity writes within an epoch to the whole drive at most. The threshold of a
    /// LUN is its even share of this.
    pub write_threshold: Size,
    /// Fairness below which the flow of high intensity with the largest slowdown goes before the others of high
    /// intensity. Fairness is the smallest mean slowdown of the waiting flows over the largest.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fairness_threshold: f64,
}

impl Default for Scheduler {
    fn default() -> Self {
        Scheduler {
            policy: Policy::default(),
            rule: None,
            priorities: true,
            round_robin_advance: RoundRobinAdvance::default(),
            looks: Looks::default(),
            flin: Flin::default(),
        }
    }
}

impl Default for Flin {
    fn default() -> Self {
        Flin {
            epoch: Duration::from_ns(10_000_000),
            read_threshold: Size(32 << 20),
            write_threshold: Size(256 << 10),
            fairness_threshold: 0.6,
        }
    }
}
