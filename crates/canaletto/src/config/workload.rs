//! What the drive is asked to do: flows of requests, generated or replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::cache::CacheMode;
use crate::config::reading::ReadOptions;

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
    /// The flows.
    #[schemars(length(min = 1, max = 64))]
    pub flow: Vec<Flow>,
}

/// One flow of requests: either `synthetic` or `trace` is given.
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
}

impl Workload {
    /// Flows that share the whole drive.
    pub fn of(name: &str, about: &str, flow: Vec<Flow>) -> Workload {
        Workload { name: name.to_owned(), about: about.to_owned(), partitioned: false, last_flow_first: false, flow }
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

/// What to do with addresses beyond the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// Stop with an error that names the first one.
    #[default]
    Refuse,
    /// Take the address modulo the capacity.
    Wrap,
    /// Scale all addresses by the ratio of capacity to the trace's span (keeps neighbours near each other).
    Fit,
}

/// What a trace's device numbers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Devices {
    /// Nothing: all devices share the addresses of the drive, as in MQSim.
    #[default]
    Ignore,
    /// Devices lie end to end, in the order of their numbers.
    Offset,
}

/// Replayed requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The trace file.
    pub file: String,
    /// Its format. Absent: found out from the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// How its lines are read.
    #[serde(default, skip_serializing_if = "ReadOptions::is_default")]
    pub read: ReadOptions,
    /// At most this many requests, from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests: Option<u64>,
    /// Closed loop: arrival times are ignored and this many requests are always outstanding. Absent: open loop, at the
    /// recorded times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// What device numbers mean.
    #[serde(default)]
    pub devices: Devices,
    /// What to do with addresses beyond the drive.
    #[serde(default)]
    pub beyond: Beyond,
    /// Whether the run starts at the trace's own time zero (MQSim) or at its first request.
    #[serde(default)]
    pub keep_start: bool,
}
