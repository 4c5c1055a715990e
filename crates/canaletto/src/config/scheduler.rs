//! Order of flash commands: every key, its unit, its default and its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::{Duration, Size};

/// When weighted round robin among priority classes moves on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// When a command is issued.
    #[default]
    Served,
    /// Whenever the queues are looked at, as MQSim: how often that is changes the outcome.
    Polled,
}

/// How a unit's transactions are put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// As they come, the first that can be issued; reads before writes before erases.
    #[default]
    OutOfOrder,
    /// FLIN (Tavakkol et al., ISCA 2018): fair among flows. Flows of low intensity go first, whoever is slowed down most is
    /// moved forward, and reads and writes take turns by how long they have waited for what they take.
    Flin,
}

/// Scheduler of flash transactions: out of order across units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Scheduler {
    /// How a unit's transactions are put in order.
    pub policy: Policy,
    /// Whether flows' priority classes count: urgent first, then high, medium and low in turns weighted 4 : 2 : 1.
    pub priorities: bool,
    /// When the turn among classes moves on.
    pub turn: Turn,
    /// What `policy = "flin"` goes by.
    pub flin: Flin,
}

/// What `policy = "flin"` goes by. The values are those that MQSim's authors, who are FLIN's, have beside their class of
/// that name (MQSim, `SSD_Device.cpp`; it is commented out there).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Flin {
    /// How long transactions are counted before flows are told apart by them anew; until the first time all are of high
    /// intensity.
    pub epoch: Duration,
    /// A flow is of low intensity in reads at a unit if it read fewer pages there within the last epoch than make up the
    /// unit's even share of this.
    pub read_threshold: Size,
    /// Likewise for writes.
    pub write_threshold: Size,
    /// Below this fairness, the least of the waiting flows' mean slowdowns over the largest, the flow of high intensity that is
    /// slowed down most goes before the others of high intensity.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fairness_threshold: f64,
}

impl Default for Scheduler {
    fn default() -> Self {
        Scheduler { policy: Policy::default(), priorities: true, turn: Turn::default(), flin: Flin::default() }
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
