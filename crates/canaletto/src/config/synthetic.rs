//! Generated requests: which, how large, where and when.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::{Duration, Size};
use crate::flash::address::SECTOR;

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
    /// The k-th most popular place of the working set is asked for in proportion to 1 / k^`zipf_exponent` (Zipf's law).
    Zipf,
    /// A share `hot_share` of the places receives 1 - `hot_share` of the requests, and so does the same share of those
    /// places, and so on (fio's `random_distribution=pareto`).
    Pareto,
}

/// Where a figure of a profile comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Computed from the requests of the trace itself.
    Fitted,
    /// Stated by a publication.
    Published,
    /// Neither: the value that is usual or does least.
    Assumed,
}

/// A size among those of a mix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// Size of these requests, a multiple of 512 B.
    pub size: Size,
    /// Their share, in proportion to the others of the mix.
    #[schemars(range(min = 0.0))]
    pub share: f64,
}

/// Arrivals that come and go in waves, such as those of a day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diurnal {
    /// Length of a wave. The first begins with the run, rises for a quarter of it and is lowest after three quarters.
    pub period: Duration,
    /// Largest deviation of the rate from its mean, as a share of the mean: 0 for none, 1 for a rate that falls to 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub amplitude: f64,
}

/// More requests for one channel than for the others.
///
/// The flow's addresses are taken to be interleaved page by page: the channel of a page is its number modulo `channels`.
/// That is so for static allocation that begins with the channel (`ftl.allocation = "CWDP"` and the like), on a drive of so
/// many channels whose pages have this size, for flows without `channels` of their own. On other drives the same pages are
/// busy, wherever they lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelSkew {
    /// Share of the requests that begin on the busiest channel, of those that do not continue a sequential run; at least
    /// 1 / `channels`, which is none. The others begin anywhere else with equal chance.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
    /// Channels among which pages are interleaved.
    #[schemars(range(min = 2, max = 65_536))]
    pub channels: u32,
    /// Size of a page, a multiple of `alignment`.
    #[serde(default = "four_kib")]
    pub page: Size,
}

/// Generated requests. Exactly one of `queue_depth` and `inter_arrival` is given, and `size` or a mix of sizes.
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
    /// Share of writes that write zeroes: their data do not cross the host link (NVM Express Write Zeroes, NVM Command Set
    /// §3.2.8; the drive writes them like others).
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub zeroes_share: f64,
    /// Where requests go.
    #[serde(default)]
    pub addresses: Addresses,
    /// For `hot-cold` and `pareto`: the hot share of the working set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub hot_share: Option<f64>,
    /// For `zipf`: how much more the popular places are asked for. 0 is uniform; around 1 is usual of storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub zipf_exponent: Option<f64>,
    /// For `zipf` and `pareto`: the popular places lie in this many regions, evenly spread over the working set; within
    /// one, neighbours are about as popular as each other. A place is a multiple of `alignment`.
    #[serde(default = "default_regions", skip_serializing_if = "is_default_regions")]
    #[schemars(range(min = 1, max = 65_536))]
    pub popular_regions: u32,
    /// Share of the addresses that are used, from the beginning or `working_set_offset`.
    #[serde(default = "whole")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub working_set: f64,
    /// The same in bytes, in place of `working_set`; all addresses, if there are fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_set_size: Option<Size>,
    /// The working set begins here instead of at the first address.
    #[serde(default = "zero_size", skip_serializing_if = "is_no_size")]
    pub working_set_offset: Size,
    /// Share of the requests that begin where the one before of their kind (reads or others) ended: those that continue a
    /// sequential run. The first of a run begins as `addresses` says.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 0.999))]
    pub sequential_share: f64,
    /// Mean number of requests of a sequential run, geometrically distributed; runs are then mixed with single requests as
    /// `sequential_share` asks for. At least 1 / (1 - `sequential_share`), which is the value if absent: every request
    /// belongs to a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0))]
    pub run_length: Option<f64>,
    /// Share of the requests, of those that do not continue a sequential run, that begin where one of the last 1,024 of
    /// them did (any of these with equal chance) instead of where `addresses` says.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub recent_share: f64,
    /// More requests for one channel than for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_skew: Option<ChannelSkew>,
    /// Addresses are rounded down to a multiple of this, but for requests that continue a sequential run.
    #[serde(default = "four_kib")]
    pub alignment: Size,
    /// Mean request size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Sizes are whole multiples of this, mixed so that `size` is their mean.
    #[serde(default = "sector")]
    pub size_unit: Size,
    /// Standard deviation of a normal distribution of sizes about `size` (at least one sector). 0 B: none.
    #[serde(default = "zero_size")]
    pub size_deviation: Size,
    /// A mix of sizes, in place of `size`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1024))]
    pub sizes: Vec<SizeShare>,
    /// A mix of sizes for requests that do not read, in place of the above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1024))]
    pub write_sizes: Vec<SizeShare>,
    /// Closed loop: this many requests are always outstanding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// Closed loop: time between a completion and the request that follows it.
    #[serde(default = "zero_time", skip_serializing_if = "is_no_time")]
    pub think_time: Duration,
    /// Open loop: mean time between arrivals, exponentially distributed unless `burstiness` says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// Squared coefficient of variation (variance over squared mean) of the times between arrivals. 1: exponential. Above:
    /// hyperexponential, bursts with pauses between them. Below: a constant and an exponential part; 0 is a metronome.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 0.0, max = 1e9))]
    pub burstiness: f64,
    /// For a `burstiness` b above 1: the share of the times between arrivals that are those within bursts; at least
    /// (b - 1) / (b + 1), with which the requests of a burst arrive together. Absent: bursts take as much time as pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub burst_share: Option<f64>,
    /// Mean length of the times in which requests arrive, exponentially distributed, beginning with the run; `off` is then
    /// given, too. `inter_arrival` stays the mean over all times: within these it is shorter. Absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Duration>,
    /// Mean length of the times between those of `on`, exponentially distributed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off: Option<Duration>,
    /// Waves of the rate, in which all of the above is faster and slower (also the times of `on` and `off`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diurnal: Option<Diurnal>,
    /// When the flow starts.
    #[serde(default = "zero_time")]
    pub start: Duration,
    /// Draw from MQSim's random number generator, in its order, with this seed. Absent: from canaletto's own streams and
    /// the run's seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mqsim_seed: Option<u32>,
    /// Of a profile: where the value of each key comes from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub origin: BTreeMap<String, Origin>,
}

impl Default for Synthetic {
    /// One request: what is to differ is set by name.
    fn default() -> Synthetic {
        Synthetic {
            requests: 1,
            stop: None,
            read_share: 1.0,
            trim_share: 0.0,
            flush_share: 0.0,
            fua_share: 0.0,
            zeroes_share: 0.0,
            addresses: Addresses::Uniform,
            hot_share: None,
            zipf_exponent: None,
            popular_regions: default_regions(),
            working_set: whole(),
            working_set_size: None,
            working_set_offset: zero_size(),
            sequential_share: 0.0,
            run_length: None,
            recent_share: 0.0,
            channel_skew: None,
            alignment: four_kib(),
            size: None,
            size_unit: sector(),
            size_deviation: zero_size(),
            sizes: Vec::new(),
            write_sizes: Vec::new(),
            queue_depth: None,
            think_time: zero_time(),
            inter_arrival: None,
            burstiness: one(),
            burst_share: None,
            on: None,
            off: None,
            diurnal: None,
            start: zero_time(),
            mqsim_seed: None,
            origin: BTreeMap::new(),
        }
    }
}

impl Synthetic {
    /// The mix that sizes are drawn from; none if `size` says them.
    pub fn mix(&self, reads: bool) -> Option<&[SizeShare]> {
        let mix = if reads || self.write_sizes.is_empty() { &self.sizes } else { &self.write_sizes };
        (!mix.is_empty()).then_some(mix)
    }

    /// Mean bytes of a request.
    pub fn mean_bytes(&self, reads: bool) -> f64 {
        match self.mix(reads) {
            Some(mix) => {
                let shares: f64 = mix.iter().map(|each| each.share).sum();
                mix.iter().map(|each| each.size.0 as f64 * each.share).sum::<f64>() / shares
            }
            None => self.size.unwrap_or(Size(0)).0 as f64,
        }
    }

    /// Bytes of the largest request, but for what `size_deviation` adds.
    pub fn largest_bytes(&self) -> u64 {
        let largest = |reads| match self.mix(reads) {
            Some(mix) => mix.iter().map(|each| each.size.0).max().unwrap_or(0),
            None => self.size.unwrap_or(Size(0)).0.next_multiple_of(self.size_unit.0),
        };
        largest(true).max(largest(false))
    }

    /// How many sectors of `sectors` are used.
    pub fn used_sectors(&self, sectors: u64) -> u64 {
        let there = sectors.saturating_sub(self.offset_sectors());
        match self.working_set_size {
            Some(size) => (size.0 / SECTOR).min(there),
            None => ((sectors as f64 * self.working_set) as u64).min(there),
        }
    }

    /// Sectors before the working set.
    pub fn offset_sectors(&self) -> u64 {
        self.working_set_offset.0 / SECTOR
    }
}

fn whole() -> f64 {
    1.0
}
fn one() -> f64 {
    1.0
}
fn is_one(value: &f64) -> bool {
    *value == 1.0
}
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
fn default_regions() -> u32 {
    1024
}
fn is_default_regions(value: &u32) -> bool {
    *value == default_regions()
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
fn is_no_size(size: &Size) -> bool {
    size.0 == 0
}
fn zero_time() -> Duration {
    Duration(0)
}
fn is_no_time(time: &Duration) -> bool {
    time.0 == 0
}
