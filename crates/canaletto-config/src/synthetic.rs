//! Keys of generated requests: kinds, sizes, addresses and arrivals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::{GRAIN, SECTOR};
use crate::units::{Duration, Size};

/// Distribution of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Addresses {
    /// Uniform over the working set.
    #[default]
    Uniform,
    /// Consecutive from a random start, wrapping around at the end.
    Sequential,
    /// Hot and cold region. A share `hot_share` of the working set (its beginning) receives 1 - `hot_share` of the
    /// requests.
    HotCold,
    /// Zipf's law. The k-th most popular place of the working set is requested in proportion to 1 / k^`zipf_exponent`.
    Zipf,
    /// Nested hot regions. A share `hot_share` of the places receives 1 - `hot_share` of the requests, and so does the
    /// same share of those places, and so on (fio's `random_distribution=pareto`).
    Pareto,
}

/// Source of a value of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Computed from the requests of the trace itself.
    Fitted,
    /// Stated in a publication.
    Published,
    /// Usual or neutral value.
    Assumed,
}

/// Size in a mix of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// Size of these requests, a multiple of 512 B, or of 64 B as `synthetic.size` says.
    pub size: Size,
    /// Share of these requests, in proportion to the others of the mix.
    #[schemars(range(min = 0.0))]
    pub share: f64,
}

/// Periodic variation of the arrival rate, such as a day's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diurnal {
    /// Length of a period. The first begins with the run; the rate is highest after a quarter of it and lowest after
    /// three quarters.
    pub period: Duration,
    /// Largest deviation of the rate from its mean, as a share of the mean. 0 is a constant rate, and with 1 the rate
    /// falls to 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub amplitude: f64,
}

/// Imbalance of load among channels.
///
/// The flow's addresses are taken to be interleaved page by page: the channel of a page is its number modulo
/// `channels`. This holds for static allocation that begins with the channel (`ftl.allocation = "CWDP"` and the like),
/// on a drive of that many channels whose pages have this size, for flows without `channels`. On other drives the same
/// pages receive more requests, wherever they lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelSkew {
    /// Share of the requests that begin on the busiest channel. Requests that continue a sequential run do not count. The
    /// least value is 1 / `channels`, which is a balanced load. The others begin on the remaining channels with equal
    /// probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
    /// Number of channels among which pages are interleaved.
    #[schemars(range(min = 2, max = 65_536))]
    pub channels: u32,
    /// Size of a page, a multiple of `alignment`.
    #[serde(default = "four_kib")]
    pub page: Size,
}

/// Part of a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HotPlace {
    /// The FTL's first channel among the flow's: a row of the array with `ftl.numbering = "row-major"`.
    Channel,
    /// The first chip of that channel.
    Chip,
    /// The chips that share the fabric's own narrowest way to the controllers, whatever the FTL's numbers: the chips of
    /// a bus, or of a row or column of routers. Fabrics and numberings are then compared without an advantage for the
    /// one whose lines happen to lie across the FTL's channels.
    WorstLine,
}

/// Load on one part of the drive.
///
/// Static allocation says which pages a place has (`ftl.allocation`, `ftl.numbering`, the flow's `channels` and the like). Writes of `ftl.write_placement = "dynamic"` go elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HotSpot {
    /// Part of the drive that receives the load.
    pub at: HotPlace,
    /// Share of the requests that begin there, on each of its pages with equal probability. Requests that continue a
    /// sequential run do not count. The least value is the place's share of the flow's planes, which is a balanced load. The others begin as
    /// `addresses` says, elsewhere.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
}

/// Distribution of the times between arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalTimes {
    /// Exponential, as of many independent sources.
    #[default]
    Exponential,
    /// All the same.
    Fixed,
}

/// Zone commands that a flow generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneWork {
    /// Writes at the write pointers.
    Write,
    /// Zone appends.
    Append,
    /// Resets of one zone after the other.
    Reset,
    /// Finishes of one zone after the other.
    Finish,
}

/// Generated requests. At least one of `queue_depth` and `inter_arrival` is given, and `size` or a mix of sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// Number of requests to generate; with `stop` the largest number.
    #[schemars(range(min = 1))]
    pub requests: u64,
    /// Simulated time after which no request is generated. Absent: only `requests` ends the flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// Share of reads among the requests that read or write.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub read_share: f64,
    /// Share of requests that deallocate their sectors (TRIM).
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub trim_share: f64,
    /// Share of requests that are flushes, which complete once every earlier completed write is on flash.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub flush_share: f64,
    /// Share of writes with force unit access, which complete only once they are on flash.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fua_share: f64,
    /// Share of writes that write zeroes. Their data do not cross the host link (NVM Express Write Zeroes, NVM Command
    /// Set §3.2.8); the drive writes them like others.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub write_zeroes_share: f64,
    /// Distribution of addresses.
    #[serde(default)]
    pub addresses: Addresses,
    /// Hot share of the working set for `addresses = "hot-cold"` and `"pareto"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub hot_share: Option<f64>,
    /// Exponent of Zipf's law for `addresses = "zipf"`. 0 is uniform; values around 1 are usual of storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub zipf_exponent: Option<f64>,
    /// Number of regions that hold the popular places for `addresses = "zipf"` and `"pareto"`, evenly spread over the
    /// working set. Within a region, neighbours are about equally popular. A place is a multiple of `alignment`.
    #[serde(default = "default_regions", skip_serializing_if = "is_default_regions")]
    #[schemars(range(min = 1, max = 65_536))]
    pub popular_regions: u32,
    /// Share of the addresses that are used, from the beginning or `working_set_offset`.
    #[serde(default = "whole")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub working_set: f64,
    /// Size of the working set, instead of `working_set`. It is cut to the addresses there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_set_size: Option<Size>,
    /// First address of the working set.
    #[serde(default = "zero_size", skip_serializing_if = "is_no_size")]
    pub working_set_offset: Size,
    /// Share of the requests that continue a sequential run, by beginning where the previous request of their kind
    /// (reads or others) ended. The first request of a run begins as `addresses` says.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 0.999))]
    pub sequential_share: f64,
    /// Mean number of requests of a sequential run, geometrically distributed. Runs are mixed with single requests to
    /// reach `sequential_share`. The least value is 1 / (1 - `sequential_share`), which is also the default: every
    /// request belongs to a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0))]
    pub run_length: Option<f64>,
    /// Share of the requests that begin where one of the last 1,024 of them did, with equal probability. Requests that
    /// continue a sequential run do not count. The others begin as `addresses` says.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub recent_share: f64,
    /// Zone commands instead of reads and writes, on a zoned drive: the zones of the working set in turn. A zone that is
    /// full and comes round again is reset before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_work: Option<ZoneWork>,
    /// Number of zones that `zone_work` writes at the same time, request by request.
    #[serde(default = "one_zone", skip_serializing_if = "is_one_zone")]
    #[schemars(range(min = 1, max = 65_536))]
    pub zones: u32,
    /// Imbalance of load among channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_skew: Option<ChannelSkew>,
    /// Load on one part of the drive, instead of `channel_skew`: a channel, a chip, or the fabric's worst line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot_spot: Option<HotSpot>,
    /// Alignment of addresses, which are rounded down to a multiple of it. Requests that continue a sequential run are
    /// exempt. Absent: the smallest size of the flow's requests, as `blockalign` of fio, so that requests of 16 KiB
    /// begin at multiples of 16 KiB. With `size_deviation`, `channel_skew` or `hot_spot` it is 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<Size>,
    /// Mean request size. With `host.protocol = "memory"` sizes and alignments of reads may be multiples of 64 B: below 512 B as
    /// they are, above with such a `size_unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// Unit of sizes, which are whole multiples of it, mixed so that `size` is their mean.
    #[serde(default = "sector")]
    pub size_unit: Size,
    /// Standard deviation of a normal distribution of sizes about `size` (at least one sector). `"0B"` turns this off.
    #[serde(default = "zero_size")]
    pub size_deviation: Size,
    /// Mix of sizes, instead of `size`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1024))]
    pub sizes: Vec<SizeShare>,
    /// Mix of sizes for requests that do not read, instead of `size` or `sizes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1024))]
    pub write_sizes: Vec<SizeShare>,
    /// Number of outstanding requests of a closed loop. With `inter_arrival`: the most that are outstanding in an open loop. A
    /// request that is due while they all are waits at its source: it arrives, and its latency begins, once one of them is
    /// complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub queue_depth: Option<u32>,
    /// Time between a completion and the request that follows it, in a closed loop.
    #[serde(default = "zero_time", skip_serializing_if = "is_no_time")]
    pub think_time: Duration,
    /// Mean time between arrivals of an open loop, exponentially distributed unless `arrivals` or `burstiness` says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter_arrival: Option<Duration>,
    /// Distribution of the times between arrivals: `"fixed"` is a `burstiness` of 0, `"exponential"` of 1.
    #[serde(default, skip_serializing_if = "is_default_arrivals")]
    pub arrivals: ArrivalTimes,
    /// Squared coefficient of variation (variance over squared mean) of the times between arrivals. 1 is exponential.
    /// Above 1 they are hyperexponential: bursts with pauses between them. Below 1 they are the sum of a constant and
    /// an exponential part; 0 is constant.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    #[schemars(range(min = 0.0, max = 1e9))]
    pub burstiness: f64,
    /// Share of the times between arrivals that lie within bursts, for a `burstiness` b above 1. The least value is (b
    /// - 1) / (b + 1), with which the requests of a burst arrive together. Absent: bursts take as much time as pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub burst_share: Option<f64>,
    /// Mean length of the periods in which requests arrive, exponentially distributed, beginning with the run. It needs
    /// `off_time`. `inter_arrival` stays the mean over all periods, so that it is shorter within these. Absent:
    /// requests arrive at all times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_time: Option<Duration>,
    /// Mean length of the periods without arrivals, exponentially distributed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_time: Option<Duration>,
    /// Periodic variation of the arrival rate. It also scales `on_time` and `off_time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diurnal: Option<Diurnal>,
    /// Simulated time at which the flow starts.
    #[serde(default = "zero_time")]
    pub start: Duration,
    /// Seed of MQSim's random number generator, from which values are then drawn in MQSim's order; requests of hot-cold
    /// addresses may run over the end of the flow's, as there. Absent: canaletto's own random streams, with the run's
    /// seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mqsim_seed: Option<u32>,
    /// Source of the value of each key of a profile.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub origin: BTreeMap<String, Origin>,
}

impl Default for Synthetic {
    /// One request; other values are set by name.
    fn default() -> Synthetic {
        Synthetic {
            requests: 1,
            stop: None,
            read_share: 1.0,
            trim_share: 0.0,
            flush_share: 0.0,
            fua_share: 0.0,
            write_zeroes_share: 0.0,
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
            zone_work: None,
            zones: 1,
            channel_skew: None,
            hot_spot: None,
            alignment: None,
            size: None,
            size_unit: sector(),
            size_deviation: zero_size(),
            sizes: Vec::new(),
            write_sizes: Vec::new(),
            queue_depth: None,
            think_time: zero_time(),
            inter_arrival: None,
            arrivals: ArrivalTimes::default(),
            burstiness: one(),
            burst_share: None,
            on_time: None,
            off_time: None,
            diurnal: None,
            start: zero_time(),
            mqsim_seed: None,
            origin: BTreeMap::new(),
        }
    }
}

impl Synthetic {
    /// None if `size` is given.
    pub fn mix(&self, reads: bool) -> Option<&[SizeShare]> {
        let mix = if reads || self.write_sizes.is_empty() { &self.sizes } else { &self.write_sizes };
        (!mix.is_empty()).then_some(mix)
    }

    /// In bytes.
    pub fn mean_bytes(&self, reads: bool) -> f64 {
        match self.mix(reads) {
            Some(mix) => {
                let shares: f64 = mix.iter().map(|each| each.share).sum();
                mix.iter().map(|each| each.size.0 as f64 * each.share).sum::<f64>() / shares
            }
            None => self.size.unwrap_or(Size(0)).0 as f64,
        }
    }

    /// In bytes, without `size_deviation`.
    pub fn largest_bytes(&self) -> u64 {
        let largest = |reads| match self.mix(reads) {
            Some(mix) => mix.iter().map(|each| each.size.0).max().unwrap_or(0),
            None => self.size.unwrap_or(Size(0)).0.next_multiple_of(self.unit_bytes()),
        };
        largest(true).max(largest(false))
    }

    /// In bytes, without `size_deviation`.
    fn smallest_bytes(&self) -> u64 {
        let smallest = |reads| match self.mix(reads) {
            Some(mix) => mix.iter().filter(|each| each.share > 0.0).map(|each| each.size.0).min().unwrap_or(0),
            None => {
                let (size, unit) = (self.size.unwrap_or(Size(0)).0, self.unit_bytes());
                (size - size % unit).max(unit)
            }
        };
        smallest(true).min(smallest(false))
    }

    /// Returns the unit of sizes, in bytes.
    pub fn unit_bytes(&self) -> u64 {
        if self.size.is_some_and(|size| size.0 < SECTOR) { GRAIN } else { self.size_unit.0 }
    }

    /// Returns the bytes of which places and sizes are multiples: a sector, or [`GRAIN`] for reads of parts of sectors.
    pub fn grain(&self) -> u64 {
        let sizes = self.sizes.iter().map(|each| each.size);
        let mut given = sizes.chain(self.alignment).chain([Size(self.unit_bytes())]);
        if given.all(|size| size.0 % SECTOR == 0) { SECTOR } else { GRAIN }
    }

    /// Alignment of addresses, in bytes.
    pub fn alignment(&self) -> Size {
        // Deviating sizes start at a sector; a busy channel or a hot spot is chosen page by page.
        let is_by_page = self.size_deviation.0 > 0 || self.channel_skew.is_some() || self.hot_spot.is_some();
        let usual = || if is_by_page { four_kib() } else { Size(self.smallest_bytes()) };
        self.alignment.unwrap_or_else(usual)
    }

    /// Squared coefficient of variation of the times between arrivals.
    pub fn variation(&self) -> f64 {
        if self.arrivals == ArrivalTimes::Fixed { 0.0 } else { self.burstiness }
    }

    /// Sectors of the working set among `sectors`.
    pub fn used_sectors(&self, sectors: u64) -> u64 {
        let there = sectors.saturating_sub(self.offset_sectors());
        match self.working_set_size {
            Some(size) => (size.0 / SECTOR).min(there),
            None => ((sectors as f64 * self.working_set) as u64).min(there),
        }
    }

    /// First and last sector of the working set among `first..=last`.
    pub fn used_range(&self, first: u64, last: u64) -> (u64, u64) {
        let (whole, first) = (last - first, first + self.offset_sectors());
        let used_last = match self.working_set_size {
            Some(size) => first + size.0 / SECTOR - 1,
            None => first + (whole as f64 * self.working_set) as u64,
        };
        (first, used_last.min(last))
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
fn is_default_arrivals(arrivals: &ArrivalTimes) -> bool {
    *arrivals == ArrivalTimes::default()
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
fn one_zone() -> u32 {
    1
}
fn is_one_zone(zones: &u32) -> bool {
    *zones == 1
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
