//! How recorded requests are replayed: at which pace, where on the drive, how much of them, how often.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::check::{Checked, require};
use crate::config::error::Problem;
use crate::config::reading::ReadOptions;
use crate::config::units::{Duration, Size, Span};
use crate::flash::address::SECTOR;

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
    /// Only requests recorded at least this long after the trace's first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Span>,
    /// Only requests recorded less than this long after the trace's first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
    /// The first requests (of those between `after` and `until`) are left out.
    #[serde(default)]
    pub skip: u64,
    /// Only the first of every so many requests that are left. Times between those that stay are kept, so that they arrive
    /// more rarely. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub every: Option<u64>,
    /// Only this share of the requests that are left, drawn request by request from a random stream of the run's seed. Times
    /// are kept, as with `every`. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sample: Option<f64>,
    /// At most this many requests of what is left, from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests: Option<u64>,
    /// How many times what is left is replayed, at the same addresses. Each time begins after the last arrival of the one
    /// before and the mean time between its arrivals.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repeat: u64,
    /// Closed loop: arrival times are ignored and this many requests are always outstanding. Absent: open loop, at the
    /// recorded times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// Whether all requests are there when the flow starts and wait for room in the submission queue, which the drive
    /// empties as fast as it can. Their latency counts from the start; `device_response_us` does not.
    #[serde(default)]
    pub as_fast_as_possible: bool,
    /// Open loop: how many times as fast as recorded the requests arrive. Absent: at the recorded times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub speed: Option<f64>,
    /// Open loop: mean time between arrivals. The recorded times are scaled by the factor that leads to it, for which the
    /// trace is read once before the run. Absent: at the recorded times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// When its time begins, in simulated time: when its first request arrives, unless `keep_start`.
    #[serde(default = "zero_time")]
    pub start: Duration,
    /// What device numbers mean.
    #[serde(default)]
    pub devices: Devices,
    /// What to do with addresses beyond the drive, or beyond `room`.
    #[serde(default)]
    pub beyond: Beyond,
    /// Where on the drive its address 0 lies.
    #[serde(default = "zero_size")]
    pub offset: Size,
    /// How much of the drive it may use from `offset` on. Absent: all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Size>,
    /// Whether the run starts at the trace's own time zero (MQSim) or at its first request.
    #[serde(default)]
    pub keep_start: bool,
}

/// Several traces whose requests are merged, in order of arrival, into one stream. Each trace begins with its first request at
/// its own `start`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// The traces, each read, selected, sped up and placed as it says; of those that arrive at the same time the first goes
    /// first.
    #[schemars(length(min = 1, max = 64))]
    pub trace: Vec<Trace>,
    /// At most this many requests of the stream, from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub requests: Option<u64>,
    /// Closed loop: arrival times only say in which order requests come, and this many are always outstanding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// As that of a trace, with the arrival times for the order.
    #[serde(default)]
    pub as_fast_as_possible: bool,
    /// Open loop: how many times as fast the stream arrives as its traces say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub speed: Option<f64>,
    /// Open loop: mean time between arrivals of the stream, from its first to its last. All times are scaled by the factor
    /// that leads to it, for which the traces are read once before the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
}

/// What makes replayed requests arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Closed loop.
    pub queue_depth: Option<u32>,
    /// All at the beginning.
    pub as_fast_as_possible: bool,
    /// Faster or slower.
    pub speed: Option<f64>,
    /// At this mean time between arrivals.
    pub inter_arrival: Option<Duration>,
}

impl Trace {
    /// All of a file, as recorded.
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
            beyond: Beyond::default(),
            offset: zero_size(),
            room: None,
            keep_start: false,
        }
    }

    /// Its pace.
    pub fn pace(&self) -> Pace {
        let Trace { queue_depth, as_fast_as_possible, speed, inter_arrival, .. } = *self;
        Pace { queue_depth, as_fast_as_possible, speed, inter_arrival }
    }

    /// How many requests are replayed at the most, if that is known without reading the trace.
    pub fn most_requests(&self) -> Option<u64> {
        self.requests.map(|each| each.saturating_mul(self.repeat))
    }
}

impl Mix {
    /// Its pace.
    pub fn pace(&self) -> Pace {
        let Mix { queue_depth, as_fast_as_possible, speed, inter_arrival, .. } = *self;
        Pace { queue_depth, as_fast_as_possible, speed, inter_arrival }
    }

    /// As [`Trace::most_requests`].
    pub fn most_requests(&self) -> Option<u64> {
        let traces = self.trace.iter().try_fold(0u64, |sum, trace| sum.checked_add(trace.most_requests()?));
        traces.into_iter().chain(self.requests).min()
    }
}

/// Checks a trace of a flow.
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
    trace.room.map_or(Ok(()), |room| sectors("room", room, SECTOR))
}

/// Checks which part of a trace is replayed.
fn check_selection(trace: &Trace, key: &str) -> Checked {
    if let (Some(after), Some(until)) = (trace.after, trace.until) {
        require(after < until, &format!("{key}.after"), || {
            format!("got \"{after}\" with until = \"{until}\", expected an earlier time")
        })?;
    }
    require(trace.until != Some(Span(0)), &format!("{key}.until"), || "got 0, expected a time above 0".to_owned())?;
    require(trace.sample != Some(0.0), &format!("{key}.sample"), || "got 0, expected a share above 0".to_owned())?;
    require(trace.sample.is_none() || trace.every.is_none(), &format!("{key}.sample"), || {
        "given beside every; expected one of them".to_owned()
    })
}

/// Checks traces that become one stream.
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
    /// Whether times say when requests arrive.
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
