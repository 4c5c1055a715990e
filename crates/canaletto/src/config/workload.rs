//! What the drive is asked to do: flows of requests, generated or replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::cache::CacheMode;
use crate::config::units::Duration;

pub use crate::config::replay::{Beyond, Devices, Mix, Pace, Trace};
pub use crate::config::synthetic::{Addresses, ChannelSkew, Diurnal, Origin, SizeShare, Synthetic};

/// A workload: one or more flows that run at the same time, each with a queue pair of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Name shown in results.
    pub name: String,
    /// One line for lists: what this is and where its figures come from.
    #[serde(default)]
    pub about: String,
    /// Whether the drive's capacity is divided among the flows, each then having an address range and write frontiers
    /// of its own, as in MQSim. Otherwise all flows address the whole drive.
    #[serde(default)]
    pub partitioned: bool,
    /// Whether of flows that start at the same time the last one goes first (the order in which MQSim's hash table happens
    /// to start two flows); only ties depend on it.
    #[serde(default)]
    pub last_flow_first: bool,
    /// Mean time between arrivals of all open-loop flows together, while all of them last: one over the sum of their rates.
    /// The clocks of these flows are scaled by one factor for that: gaps, `start` and `stop`. A synthetic flow counts with its
    /// `inter_arrival`, a replayed one with the mean from its first to its last arrival, for which its traces are read once
    /// before the run. Flows in a closed loop stay as they are. Absent: no flow is scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// The flows.
    #[schemars(length(min = 1, max = 64))]
    pub flow: Vec<Flow>,
}

/// One flow of requests: one of `synthetic`, `trace` and `mix` is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Name shown in results.
    pub name: String,
    /// Priority class of its flash transactions.
    #[serde(default)]
    pub priority: Priority,
    /// What of its data goes through the drive's data cache. Absent: as `cache.mode` of the design says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheMode>,
    /// Channels that hold its data; needs `partitioned`. Absent: all. Likewise for the three below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<u32>>,
    /// Chips of each channel that hold its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chips: Option<Vec<u32>>,
    /// Dies of each chip that hold its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dies: Option<Vec<u32>>,
    /// Planes of each die that hold its data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<Vec<u32>>,
    /// Share of its addresses that hold data before the run, on a preconditioned drive; needs `partitioned`. Absent: the
    /// design's `precondition.occupancy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub occupancy: Option<f64>,
    /// Generated requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<Synthetic>,
    /// Replayed requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Replayed requests of several traces, merged into one stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Mix>,
}

impl Workload {
    /// Flows that share the whole drive.
    pub fn of(name: &str, about: &str, flow: Vec<Flow>) -> Workload {
        Workload {
            name: name.to_owned(),
            about: about.to_owned(),
            partitioned: false,
            last_flow_first: false,
            inter_arrival: None,
            flow,
        }
    }
}

impl Flow {
    /// A flow of generated requests, without anything special.
    pub fn generated(name: &str, synthetic: Synthetic) -> Flow {
        Flow {
            name: name.to_owned(),
            priority: Priority::default(),
            cache: None,
            channels: None,
            chips: None,
            dies: None,
            planes: None,
            occupancy: None,
            synthetic: Some(synthetic),
            trace: None,
            mix: None,
        }
    }
}

/// Priority class of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Always first.
    Urgent,
    /// Four turns of seven.
    #[default]
    High,
    /// Two turns of seven.
    Medium,
    /// One turn of seven.
    Low,
}
