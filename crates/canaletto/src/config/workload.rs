//! What the drive is asked to do: flows of requests, generated or replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::cache::CacheMode;
use crate::config::units::{Duration, Size};

pub use crate::config::replay::{Beyond, Devices, Mix, Pace, Trace};

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

/// Where requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Addresses {
    /// Uniformly over the working set.
    #[default]
    Uniform,
    /// One after the other, from a random start, round and round.
    Sequential,
    /// A share `hot_share` of the working set (its beginning) receives 1 - `hot_share` of the requests.
    HotCold,
}

/// Generated requests. Exactly one of `queue_depth` and `inter_arrival` is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// Requests to generate (with `stop`: at the most).
    #[schemars(range(min = 1))]
    pub requests: u64,
    /// No request is generated after this time. Absent: only `requests` ends the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// Share of requests that read.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub read_share: f64,
    /// Share of requests that deallocate their sectors (TRIM) instead of reading or writing them.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub trim_share: f64,
    /// Share of requests that are flushes: complete once every write completed before is on flash.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub flush_share: f64,
    /// Share of writes with force unit access: complete only once they are on flash.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fua_share: f64,
    /// Where requests go.
    #[serde(default)]
    pub addresses: Addresses,
    /// For `hot-cold`: the hot share of the working set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub hot_share: Option<f64>,
    /// Share of the addresses that are used, from the beginning.
    #[serde(default = "whole")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub working_set: f64,
    /// Addresses are rounded down to a multiple of this.
    #[serde(default = "four_kib")]
    pub alignment: Size,
    /// Mean request size.
    pub size: Size,
    /// Sizes are whole multiples of this, mixed so that `size` is their mean.
    #[serde(default = "sector")]
    pub size_unit: Size,
    /// Standard deviation of a normal distribution of sizes about `size` (at least one sector). 0 B: none.
    #[serde(default = "zero_size")]
    pub size_deviation: Size,
    /// Closed loop: this many requests are always outstanding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// Open loop: mean time between arrivals, exponentially distributed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// When the flow starts.
    #[serde(default = "zero_time")]
    pub start: Duration,
    /// Draw from MQSim's random number generator, in its order, with this seed. Absent: from canaletto's own streams and
    /// the run's seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mqsim_seed: Option<u32>,
}

fn whole() -> f64 {
    1.0
}
fn four_kib() -> Size {
    Size(4096)
}
fn sector() -> Size {
    Size(512)
}
fn zero_size() -> Size {
    Size(0)
}
fn zero_time() -> Duration {
    Duration(0)
}
