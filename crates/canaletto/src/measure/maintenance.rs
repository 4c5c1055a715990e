//! Garbage collection, wear and block states of a run.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Serialize;

use crate::JsonSchema;
use crate::engine::time::Time;
use crate::measure::intervals::Intervals;
use crate::measure::pseudo_slc::PslcSeries;

/// Page operations of an interval.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// Pages programmed for the host.
    pub host: u64,
    /// Pages programmed for copies.
    pub copied: u64,
    /// Of the host's pages, those programmed in the pseudo-SLC cache.
    pub cached: u64,
    /// Pages copied out of it.
    pub folded: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Time of collection jobs in progress, summed over planes.
    pub collecting: u128,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.host += other.host;
        self.copied += other.copied;
        self.cached += other.cached;
        self.folded += other.folded;
        self.erases += other.erases;
        self.collecting += other.collecting;
    }
}

/// Number, sum and maximum of durations.
#[derive(Clone, Copy, Default)]
pub struct Spans {
    count: u64,
    sum: u128,
    longest: Time,
}

impl Spans {
    /// Counts one duration.
    pub fn count(&mut self, length: Time) {
        self.count += 1;
        self.sum += u128::from(length.0);
        self.longest = self.longest.max(length);
    }

    /// Returns the number of durations.
    pub fn number(&self) -> u64 {
        self.count
    }

    fn mean_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 / 1e6)
    }

    fn longest_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.longest.us())
    }
}

/// Page operations over time.
#[derive(Default)]
pub struct Maintenance {
    work: Intervals<Work>,
    /// From the choice of a victim to its erase.
    jobs: Spans,
}

impl Maintenance {
    /// Counts a page programmed for the host.
    #[inline(always)]
    pub fn host_page(&mut self, now: Time) {
        self.work.at(now).host += 1;
    }

    /// Counts a page programmed for a copy.
    pub fn copy(&mut self, now: Time) {
        self.work.at(now).copied += 1;
    }

    /// Counts a page of the host as programmed in the pseudo-SLC cache.
    pub fn cached_page(&mut self, now: Time) {
        self.work.at(now).cached += 1;
    }

    /// Counts a page copied out of the pseudo-SLC cache.
    pub fn fold(&mut self, now: Time) {
        self.work.at(now).folded += 1;
    }

    /// Counts an erased block.
    pub fn erase(&mut self, now: Time) {
        self.work.at(now).erases += 1;
    }

    /// Counts a collection job that began at `since` and has ended.
    pub fn job(&mut self, since: Time, now: Time) {
        self.jobs.count(now - since);
        let work = self.work.at(now);
        work.collecting += u128::from((now - since).0);
    }

    /// Returns the pages programmed for the host, and for copies.
    pub fn totals(&self) -> (u64, u64) {
        let sum = |value: fn(&Work) -> u64| self.work.counts().iter().map(value).sum();
        (sum(|w| w.host), sum(|w| w.copied))
    }

    /// Returns the page operations over time, for results.
    pub fn series(&self) -> MaintenanceSeries {
        let work = self.work.counts();
        MaintenanceSeries {
            interval_us: self.work.width().us(),
            host_pages: work.iter().map(|w| w.host).collect(),
            pages_copied: work.iter().map(|w| w.copied).collect(),
            erases: work.iter().map(|w| w.erases).collect(),
        }
    }

    /// Returns the activity of the pseudo-SLC cache over time, for results.
    pub fn pslc_series(&self) -> PslcSeries {
        let work = self.work.counts();
        PslcSeries {
            interval_us: self.work.width().us(),
            host_pages: work.iter().map(|w| w.cached).collect(),
            pages_folded: work.iter().map(|w| w.folded).collect(),
        }
    }

    /// Returns the durations of collections, for results.
    pub fn durations(&self, epochs: &Spans) -> Durations {
        Durations {
            job_mean_us: self.jobs.mean_us(),
            job_max_us: self.jobs.longest_us(),
            epoch_mean_us: epochs.mean_us(),
            epoch_max_us: epochs.longest_us(),
        }
    }
}

/// Page operations over time. Every list has one value an interval, and the first interval begins with the run.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct MaintenanceSeries {
    /// Length of an interval, in microseconds.
    pub interval_us: f64,
    /// Pages programmed for the host.
    pub host_pages: Vec<u64>,
    /// Pages programmed for copies.
    pub pages_copied: Vec<u64>,
    /// Blocks erased.
    pub erases: Vec<u64>,
}

/// Durations of collections; null where there were none.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Durations {
    /// Mean time from the choice of a victim to its erase, in microseconds.
    pub job_mean_us: Option<f64>,
    /// Longest time from the choice of a victim to its erase, in microseconds.
    pub job_max_us: Option<f64>,
    /// Mean length of a device-wide epoch, in microseconds.
    pub epoch_mean_us: Option<f64>,
    /// Longest device-wide epoch, in microseconds.
    pub epoch_max_us: Option<f64>,
}

/// Merges of log blocks with data blocks, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Merges {
    /// Switch merges: a log block became the data block as it was.
    pub switch: u64,
    /// Partial merges: a log block became the data block after the rest had been copied into it.
    pub partial: u64,
    /// Full merges: all pages of a logical block were copied to a free block.
    pub full: u64,
}

/// Garbage collection.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct GcReport {
    /// Victims chosen.
    pub collections: u64,
    /// Victims by reason. Reasons that never occurred are left out.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Pages copied.
    pub pages_copied: u64,
    /// Pages copied to another plane.
    pub pages_copied_to_other_planes: u64,
    /// Pages copied straight from chip to chip.
    pub pages_copied_chip_to_chip: u64,
    /// Mean share, from 0 to 1, of valid pages in victims chosen for their space.
    pub valid_share_of_victims: Option<f64>,
    /// Merges of logical blocks, with hybrid mapping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merges: Option<Merges>,
    /// Device-wide epochs that ended.
    pub epochs: u64,
    /// Durations of collections, in microseconds.
    #[serde(flatten)]
    pub durations: Durations,
}

/// Wear of the blocks.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct WearReport {
    /// Fewest erases of a block, never-used blocks included.
    pub erases_min: u32,
    /// Mean number of erases of a block.
    pub erases_mean: f64,
    /// Most erases of a block, without the static pseudo-SLC cache's blocks.
    pub erases_max: u32,
    /// Retired blocks.
    pub bad_blocks: u64,
    /// Bytes that the host could write until blocks reach their endurance, with this write amplification and even wear;
    /// null without an endurance or without writes. Programs of the pseudo-SLC cache are left out.
    pub lifetime_bytes: Option<f64>,
}

/// State of all blocks at the end.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct BlocksReport {
    /// All blocks. Free, open, full and bad ones add up to it.
    pub total: u64,
    /// Blocks that were erased or never used.
    pub free: u64,
    /// Blocks being filled.
    pub open: u64,
    /// Full blocks.
    pub full: u64,
    /// Retired blocks.
    pub bad: u64,
    /// Free blocks of the plane with the fewest, and of the plane with the most.
    pub free_in_plane: (u32, u32),
    /// Full blocks by share of valid pages, in 20 equal steps from none to all.
    pub by_valid_share: [u64; VALID_BINS],
    /// Pages that hold valid data.
    pub valid_pages: u64,
}

/// Number of steps of [`BlocksReport::by_valid_share`].
pub const VALID_BINS: usize = 20;
