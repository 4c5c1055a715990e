//! Keys of trace replay: selection, pace, address range and repetition.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::SECTOR;
use crate::check::{Checked, require};
use crate::error::Problem;
use crate::reading::ReadOptions;
use crate::units::{Duration, Size, Span};

/// Treatment of addresses beyond the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutOfRange {
    /// Error that names the first such address.
    #[default]
    Refuse,
    /// Address modulo the capacity.
    Wrap,
    /// All addresses scaled by the ratio of the capacity to the trace's span, so that neighbours stay neighbours.
    Fit,
    /// As in MQSim: addresses beyond the last sector modulo the number of that sector, which is one less than the
    /// capacity. A request that runs over the end continues in the same way.
    Mqsim,
}

/// Meaning of a trace's device numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Devices {
    /// None: all devices share the addresses of the drive, as in MQSim.
    #[default]
    Ignore,
    /// Address spaces that follow one another on the drive, in the order of the device numbers.
    Offset,
}

/// Requests replayed from a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Name of the trace file.
    pub file: String,
    /// Format of the trace. Absent: detected from the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Parsing of the trace's lines.
    #[serde(default, skip_serializing_if = "ReadOptions::is_default")]
    pub read: ReadOptions,
    /// Time after the trace's first request from which requests are replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Span>,
    /// Time after the trace's first request at which replay ends. Requests at or after it are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
    /// Number of first requests (of those between `after` and `until`) to leave out.
    #[serde(default)]
    pub skip: u64,
    /// Sampling period: the first of every N remaining requests is replayed. Recorded times are kept, so that
    /// requests arrive less often. Absent: all requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Share of the remaining requests to replay, drawn request by request from a random stream of the run's seed.
    /// Recorded times are kept, as with `every`. Absent: all requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sample: Option<f64>,
    /// Largest number of requests to replay, from the beginning of the selection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests: Option<u64>,
    /// Number of times that the selection is replayed, at the same addresses. Each repetition begins one mean
    /// inter-arrival time after the last arrival of the one before.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repeat: u64,
    /// Number of outstanding requests of a closed loop, which ignores arrival times. Absent: open loop, at the recorded
    /// times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// Whether all requests arrive when the flow starts and wait for room in the submission queue. Their latency counts
    /// from the start; `device_response_us` does not.
    #[serde(default)]
    pub as_fast_as_possible: bool,
    /// Factor by which requests of an open loop arrive faster than recorded. Absent: recorded times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub speed: Option<f64>,
    /// Mean time between arrivals of an open loop. The recorded times are scaled to reach it, for which the trace is
    /// read once before the run. Absent: recorded times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// Simulated time at which the trace starts: arrival of its first request, unless `keep_start` is set.
    #[serde(default = "zero_time")]
    pub start: Duration,
    /// Meaning of device numbers.
    #[serde(default)]
    pub devices: Devices,
    /// Treatment of addresses beyond the drive, or beyond `region_size`.
    #[serde(default)]
    pub out_of_range: OutOfRange,
    /// Address of the drive at which the trace's address 0 lies.
    #[serde(default = "zero_size")]
    pub offset: Size,
    /// Size of the part of the drive, from `offset` on, that the trace uses. Absent: the rest of the drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region_size: Option<Size>,
    /// Whether the run starts at the trace's own time zero (MQSim) instead of its first request.
    #[serde(default)]
    pub keep_start: bool,
}

/// Several traces whose requests are merged into one stream in order of arrival. Each trace begins with its first
/// request at its own `start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Traces of the mix, each with its own selection, speed and place. At equal arrival times, the first trace's
    /// request goes first.
    #[schemars(length(min = 1, max = 64))]
    pub trace: Vec<Trace>,
    /// Largest number of requests of the stream, from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests: Option<u64>,
    /// Number of outstanding requests of a closed loop, which uses arrival times only for the order of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// Whether all requests arrive when the flow starts, in the order of their arrival times. See
    /// `trace.as_fast_as_possible`.
    #[serde(default)]
    pub as_fast_as_possible: bool,
    /// Factor by which the stream of an open loop arrives faster than its traces say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub speed: Option<f64>,
    /// Mean time between arrivals of the stream in an open loop, from its first to its last. All times are scaled to
    /// reach it, for which the traces are read once before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
}

/// Arrival process of replayed requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Number of outstanding requests of a closed loop.
    pub queue_depth: Option<u32>,
    /// Whether all requests arrive at the beginning.
    pub as_fast_as_possible: bool,
    /// Factor by which requests arrive faster than recorded.
    pub speed: Option<f64>,
    /// Mean time between arrivals.
    pub inter_arrival: Option<Duration>,
}

impl Trace {
    /// The replay of a whole file, as recorded.
    pub fn of_file(file: &str) -> Trace {
        Trace {
            file: file.to_owned(),
            format: None,
            read: ReadOptions::default(),
            after: None,
            until: None,
            skip: 0,
            every: None,
            sample: None,
            requests: None,
            repeat: 1,
            queue_depth: None,
            as_fast_as_possible: false,
            speed: None,
            inter_arrival: None,
            start: zero_time(),
            devices: Devices::default(),
            out_of_range: OutOfRange::default(),
            offset: zero_size(),
            region_size: None,
            keep_start: false,
        }
    }

    /// Arrival process.
    pub fn pace(&self) -> Pace {
        let Trace { queue_depth, as_fast_as_possible, speed, inter_arrival, .. } = *self;
        Pace { queue_depth, as_fast_as_possible, speed, inter_arrival }
    }

    /// If known without reading the trace.
    pub fn most_requests(&self) -> Option<u64> {
        self.requests.map(|each| each.saturating_mul(self.repeat))
    }
}

impl Mix {
    /// Arrival process.
    pub fn pace(&self) -> Pace {
        let Mix { queue_depth, as_fast_as_possible, speed, inter_arrival, .. } = *self;
        Pace { queue_depth, as_fast_as_possible, speed, inter_arrival }
    }

    /// If known without reading the traces.
    pub fn most_requests(&self) -> Option<u64> {
        let traces = self.trace.iter().try_fold(0u64, |sum, trace| sum.checked_add(trace.most_requests()?));
        traces.into_iter().chain(self.requests).min()
    }
}

pub(super) fn check_trace(trace: &Trace, key: &str) -> Checked {
    require(!trace.file.is_empty(), &format!("{key}.file"), || "got an empty name, expected a file".to_owned())?;
    check_pace(&trace.pace(), key)?;
    check_selection(trace, key)?;
    let sectors = |name: &str, size: Size, least: u64| {
        require(size.0 >= least && size.0 % SECTOR == 0, &format!("{key}.{name}"), || {
            format!("got \"{size}\", expected a multiple of 512 B{}", if least > 0 { " above 0" } else { "" })
        })
    };
    sectors("offset", trace.offset, 0)?;
    let has_window = trace.offset.0 > 0 || trace.region_size.is_some();
    require(trace.out_of_range != OutOfRange::Mqsim || !has_window, &format!("{key}.out_of_range"), || {
        "got \"mqsim\" together with offset or region_size, which MQSim does not have; expected \"wrap\"".to_owned()
    })?;
    trace.region_size.map_or(Ok(()), |room| sectors("region_size", room, SECTOR))
}

fn check_selection(trace: &Trace, key: &str) -> Checked {
    if let (Some(after), Some(until)) = (trace.after, trace.until) {
        require(after < until, &format!("{key}.after"), || {
            format!("got \"{after}\" with until = \"{until}\", expected an earlier time")
        })?;
    }
    require(trace.until != Some(Span(0)), &format!("{key}.until"), || "got 0, expected a time above 0".to_owned())?;
    require(trace.sample != Some(0.0), &format!("{key}.sample"), || "got 0, expected a share above 0".to_owned())?;
    require(trace.sample.is_none() || trace.every.is_none(), &format!("{key}.sample"), || {
        "given together with every; expected one of them".to_owned()
    })
}

pub(super) fn check_mix(mix: &Mix, key: &str) -> Checked {
    check_pace(&mix.pace(), key)?;
    for (i, trace) in mix.trace.iter().enumerate() {
        let key = format!("{key}.trace.{i}");
        check_trace(trace, &key)?;
        let closed = if trace.as_fast_as_possible { "as_fast_as_possible" } else { "queue_depth" };
        require(trace.pace().is_open(), &format!("{key}.{closed}"), || {
            "given for one trace of a mix, whose requests are merged by their times; expected it in flow.mix".to_owned()
        })?;
    }
    Ok(())
}

fn check_pace(pace: &Pace, key: &str) -> Checked {
    let given = [
        (pace.queue_depth.is_some(), "queue_depth (closed loop)"),
        (pace.as_fast_as_possible, "as_fast_as_possible (no times)"),
        (pace.speed.is_some(), "speed (open loop)"),
        (pace.inter_arrival.is_some(), "inter_arrival (open loop)"),
    ];
    let given: Vec<&str> = given.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
    if let [first, second, ..] = given[..] {
        return Err(Problem::new(key, format!("got both {first} and {second}, expected one")));
    }
    require(pace.inter_arrival != Some(zero_time()), &format!("{key}.inter_arrival"), || {
        "got 0, expected a time above 0; or as_fast_as_possible".to_owned()
    })
}

impl Pace {
    /// Whether requests arrive at stated times.
    pub fn is_open(&self) -> bool {
        self.queue_depth.is_none() && !self.as_fast_as_possible
    }
}

fn once() -> u64 {
    1
}
fn zero_time() -> Duration {
    Duration(0)
}
fn zero_size() -> Size {
    Size(0)
}
