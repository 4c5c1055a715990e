//! Keys of a workload: flows of generated or replayed requests.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::cache::CacheMode;
pub use crate::compute::{At, Task, TaskKind};
use crate::time::Time;
use crate::units::Duration;

pub use crate::replay::{Devices, Mix, OutOfRange, Pace, Trace};
pub use crate::synthetic::{
    Addresses, ArrivalTimes, ChannelSkew, Diurnal, HotPlace, HotSpot, Origin, SizeShare, Synthetic, ZoneWork,
};

/// Workload: one or more flows that run at the same time, each with its own queue pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    /// Name shown in results.
    pub name: String,
    /// One-line description for lists: kind of workload and source of its numbers.
    #[serde(default)]
    pub about: String,
    /// Whether the drive's capacity is divided among the flows, each with its own address range and write frontiers, as
    /// in MQSim. Otherwise all flows address the whole drive.
    #[serde(default)]
    pub partitioned: bool,
    /// Whether the last of several flows that start at the same time goes first, as MQSim's hash table happens to order
    /// two flows. Only ties depend on it.
    #[serde(default)]
    pub last_flow_first: bool,
    /// Mean time between arrivals of all open-loop flows together, while all of them last: one over the sum of their
    /// rates. The times of these flows (gaps, `start` and `stop`) are scaled by one factor to reach it. A synthetic
    /// flow counts with its `inter_arrival`, a replayed one with the mean from its first to its last arrival, for which
    /// its traces are read once before the run. Closed-loop flows are not scaled. Absent: no flow is scaled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// Flows of the workload.
    #[schemars(length(min = 1, max = 64))]
    pub flow: Vec<Flow>,
}

/// Flow of requests, with one of `synthetic`, `trace` and `mix`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Name shown in results.
    pub name: String,
    /// Priority class of the flow's flash transactions.
    #[serde(default)]
    pub priority: Priority,
    /// Number of threads: the flow is made that many times, with a queue pair and random streams for each. Keys such as
    /// `requests`, `queue_depth` and `inter_arrival` are per thread.
    #[serde(default = "one_thread", skip_serializing_if = "is_one_thread")]
    #[schemars(range(min = 1, max = 64))]
    pub threads: u32,
    /// Namespace of the flow's requests, by name or by number, counted from 1. Absent: the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Reclaim unit handle of the flow's writes, on a drive with data placement (`fdp.handles`). 0 is the default
    /// handle, which also takes the writes of flows that name none.
    #[serde(default, skip_serializing_if = "is_default_handle")]
    #[schemars(range(min = 0, max = 255))]
    pub handle: u16,
    /// Reclaim group of the flow's writes, on a drive with data placement: group 0 has the first planes. Absent: they go
    /// round all groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reclaim_group: Option<u32>,
    /// Requests of the flow that use the data cache. Absent: `cache.mode` of the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheMode>,
    /// Channels that hold the flow's data; needs `partitioned`. Absent: all channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<u32>>,
    /// Chips of each channel that hold the flow's data; needs `partitioned`. Absent: all chips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chips: Option<Vec<u32>>,
    /// Dies of each chip that hold the flow's data; needs `partitioned`. Absent: all dies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dies: Option<Vec<u32>>,
    /// Planes of each die that hold the flow's data; needs `partitioned`. Absent: all planes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planes: Option<Vec<u32>>,
    /// Share of the flow's addresses that hold data before the run, on a preconditioned drive; needs `partitioned`.
    /// Absent: `precondition.occupancy` of the design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub occupancy: Option<f64>,
    /// Tasks instead of reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute: Option<Task>,
    /// Generated requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<Synthetic>,
    /// Requests replayed from a trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// Requests replayed from several traces, merged into one stream.
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

    /// The workload with the values that follow others, and a flow per thread.
    #[must_use]
    pub fn spelt_out(mut self) -> Workload {
        self.flow = self.flow.iter().flat_map(Flow::each_thread).collect();
        for synthetic in self.flow.iter_mut().filter_map(|flow| flow.synthetic.as_mut()) {
            synthetic.alignment = Some(synthetic.alignment());
        }
        self
    }
}

impl Flow {
    /// Default values for all other keys.
    pub fn generated(name: &str, synthetic: Synthetic) -> Flow {
        Flow { synthetic: Some(synthetic), ..Flow::external(name) }
    }

    /// The flow with requests from outside.
    pub fn without_requests(&self) -> Flow {
        Flow { synthetic: None, trace: None, mix: None, ..self.clone() }
    }

    /// Named after the flow and the number of the thread.
    fn each_thread(&self) -> impl Iterator<Item = Flow> {
        let name = |thread| if self.threads == 1 { self.name.clone() } else { format!("{}.{thread}", self.name) };
        (0..self.threads).map(move |thread| Flow { name: name(thread), threads: 1, ..self.clone() })
    }

    /// Requests come from outside; default values for all keys.
    pub fn external(name: &str) -> Flow {
        Flow {
            name: name.to_owned(),
            priority: Priority::default(),
            namespace: None,
            handle: 0,
            reclaim_group: None,
            threads: one_thread(),
            cache: None,
            channels: None,
            chips: None,
            dies: None,
            planes: None,
            occupancy: None,
            compute: None,
            synthetic: None,
            trace: None,
            mix: None,
        }
    }
}

fn one_thread() -> u32 {
    1
}
fn is_one_thread(threads: &u32) -> bool {
    *threads == 1
}

fn is_default_handle(handle: &u16) -> bool {
    *handle == 0
}

/// Priority class of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Before all other classes.
    Urgent,
    /// Four turns of seven.
    #[default]
    High,
    /// Two turns of seven.
    Medium,
    /// One turn of seven.
    Low,
}

impl Priority {
    /// Number of classes.
    pub const COUNT: usize = 4;
}

/// Event that makes the next request arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Loop {
    /// Completion: this many requests are always outstanding.
    Closed(u32),
    /// Room in the submission queue: all requests arrive at the start.
    Unpaced,
    /// Arrival time.
    Open,
    /// Arrival time, with at most this many outstanding: a request that finds no place arrives once there is one.
    Limited(u32),
}

impl Loop {
    /// Whether requests have their own times.
    pub fn is_paced(self) -> bool {
        matches!(self, Loop::Open | Loop::Limited(_))
    }
}

impl Flow {
    /// Closed or open loop.
    pub fn looping(&self) -> Loop {
        let pace = self.trace.as_ref().map(Trace::pace).or(self.mix.as_ref().map(|mix| mix.pace()));
        if pace.is_some_and(|pace| pace.as_fast_as_possible) {
            return Loop::Unpaced;
        }
        let synthetic = self.synthetic.as_ref();
        let limited = synthetic.and_then(|s| s.inter_arrival.and(s.queue_depth));
        if let Some(depth) = limited {
            return Loop::Limited(depth);
        }
        let depth = synthetic.and_then(|s| s.queue_depth).or(pace.and_then(|pace| pace.queue_depth));
        depth.map_or(Loop::Open, Loop::Closed)
    }

    /// A trace in an open loop counts from there by itself, as the traces of a mix do.
    pub fn start(&self) -> Time {
        let trace = self.trace.as_ref().filter(|_| self.looping() != Loop::Open).map(|trace| trace.start);
        self.synthetic.as_ref().map(|s| s.start).or(trace).map_or(Time::ZERO, Duration::time)
    }

    /// Traces that the flow replays.
    pub fn traces(&self) -> &[Trace] {
        match (&self.trace, &self.mix) {
            (Some(trace), _) => std::slice::from_ref(trace),
            (None, Some(mix)) => &mix.trace,
            (None, None) => &[],
        }
    }

    /// Over the end of the flow's addresses, as MQSim's requests may.
    pub fn may_overrun(&self) -> bool {
        let hot_cold = |s: &Synthetic| s.mqsim_seed.is_some() && s.addresses == Addresses::HotCold;
        let traced = self.traces().iter().any(|trace| trace.out_of_range == OutOfRange::Mqsim);
        traced || self.synthetic.as_ref().is_some_and(hot_cold)
    }

    /// Last sector at which a page of a request may begin. Generated flows of MQSim end with their working set.
    pub fn last_start(&self, sectors: u64) -> u64 {
        let of_mqsim = self.synthetic.as_ref().filter(|s| s.mqsim_seed.is_some());
        of_mqsim.map_or(sectors - 1, |s| s.used_range(0, sectors - 1).1)
    }

    /// If known beforehand.
    pub fn most_requests(&self) -> Option<u64> {
        let synthetic = self.synthetic.as_ref().map(|s| s.requests);
        let replayed = || self.trace.as_ref().map_or_else(|| self.mix.as_ref()?.most_requests(), Trace::most_requests);
        synthetic.or_else(replayed)
    }
}
