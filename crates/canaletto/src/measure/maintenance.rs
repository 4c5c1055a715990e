//! What the drive did to its flash beside serving the host: collection, wear, and what its blocks hold in the end.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Serialize;

use crate::measure::intervals::Intervals;
use crate::sim::time::Time;

/// Page operations of an interval.
#[derive(Clone, Copy, Default)]
pub struct Work {
    /// Pages programmed for the host.
    pub host: u64,
    /// Pages programmed for copies.
    pub copied: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Time jobs of collection were under way, summed over planes.
    pub collecting: u128,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.host += other.host;
        self.copied += other.copied;
        self.erases += other.erases;
        self.collecting += other.collecting;
    }
}

/// Lengths of things that happened.
#[derive(Clone, Copy, Default)]
pub struct Spans {
    count: u64,
    sum: u128,
    longest: Time,
}

impl Spans {
    /// Counts one.
    pub fn count(&mut self, length: Time) {
        self.count += 1;
        self.sum += u128::from(length.0);
        self.longest = self.longest.max(length);
    }

    /// How many were counted.
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
    /// A page is programmed for the host.
    pub fn host_page(&mut self, now: Time) {
        self.work.at(now).host += 1;
    }

    /// A page is programmed for a copy.
    pub fn copy(&mut self, now: Time) {
        self.work.at(now).copied += 1;
    }

    /// A block is erased.
    pub fn erase(&mut self, now: Time) {
        self.work.at(now).erases += 1;
    }

    /// A job begun at `since` has ended.
    pub fn job(&mut self, since: Time, now: Time) {
        self.jobs.count(now - since);
        let work = self.work.at(now);
        work.collecting += u128::from((now - since).0);
    }

    /// Pages programmed for the host, and for copies.
    pub fn totals(&self) -> (u64, u64) {
        let sum = |value: fn(&Work) -> u64| self.work.counts().iter().map(value).sum();
        (sum(|w| w.host), sum(|w| w.copied))
    }

    /// Over time, for results.
    pub fn series(&self) -> MaintenanceSeries {
        let work = self.work.counts();
        MaintenanceSeries {
            interval_us: self.work.width().us(),
            host_pages: work.iter().map(|w| w.host).collect(),
            pages_copied: work.iter().map(|w| w.copied).collect(),
            erases: work.iter().map(|w| w.erases).collect(),
        }
    }

    /// How long collections took, for results.
    pub fn durations(&self, epochs: &Spans) -> Durations {
        Durations {
            job_mean_us: self.jobs.mean_us(),
            job_max_us: self.jobs.longest_us(),
            epoch_mean_us: epochs.mean_us(),
            epoch_max_us: epochs.longest_us(),
        }
    }
}

/// Page operations over time; every list has one value an interval, the first interval beginning with the run.
#[derive(Debug, Clone, Serialize)]
pub struct MaintenanceSeries {
    /// Length of an interval, microseconds.
    pub interval_us: f64,
    /// Pages programmed for the host.
    pub host_pages: Vec<u64>,
    /// Pages programmed for copies.
    pub pages_copied: Vec<u64>,
    /// Blocks erased.
    pub erases: Vec<u64>,
}

/// How long collections took; null where there were none.
#[derive(Debug, Clone, Serialize)]
pub struct Durations {
    /// From the choice of a victim to its erase, mean.
    pub job_mean_us: Option<f64>,
    /// The longest.
    pub job_max_us: Option<f64>,
    /// A device-wide epoch, mean.
    pub epoch_mean_us: Option<f64>,
    /// The longest.
    pub epoch_max_us: Option<f64>,
}

/// Merges of log blocks with data blocks, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Merges {
    /// A log block became the data block as it was.
    pub switch: u64,
    /// A log block became the data block once the rest had been copied into it.
    pub partial: u64,
    /// All pages of a logical block were copied to a free block.
    pub full: u64,
}

/// Garbage collection.
#[derive(Debug, Clone, Serialize)]
pub struct GcReport {
    /// Victims chosen.
    pub collections: u64,
    /// Of these, by reason; reasons that never occurred are left out.
    pub reasons: BTreeMap<&'static str, u64>,
    /// Pages copied.
    pub pages_copied: u64,
    /// Of these, to another plane.
    pub pages_copied_elsewhere: u64,
    /// Of these, straight from chip to chip.
    pub pages_copied_directly: u64,
    /// Share of valid pages in victims chosen for their space, mean.
    pub valid_share_of_victims: Option<f64>,
    /// Of hybrid mapping: merges of logical blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merges: Option<Merges>,
    /// Device-wide epochs that ended.
    pub epochs: u64,
    /// How long they took.
    #[serde(flatten)]
    pub durations: Durations,
}

/// How worn blocks are.
#[derive(Debug, Clone, Serialize)]
pub struct WearReport {
    /// Erases of the block erased least often, never-used ones included.
    pub erases_min: u32,
    /// Mean over all blocks.
    pub erases_mean: f64,
    /// Of the block erased most often.
    pub erases_max: u32,
    /// Blocks not to be used again.
    pub bad_blocks: u64,
    /// Bytes the host could write until blocks reach their limit of erases, with this write amplification and even wear; null
    /// without a limit or without writes.
    pub lifetime_bytes: Option<f64>,
}

/// What all blocks hold at the end.
#[derive(Debug, Clone, Default, Serialize)]
pub struct BlocksReport {
    /// Blocks in all; free, open, full and bad ones add up to it.
    pub total: u64,
    /// Erased, or never used.
    pub free: u64,
    /// Being filled.
    pub open: u64,
    /// Full.
    pub full: u64,
    /// Not to be used again.
    pub bad: u64,
    /// Free blocks of the plane that has fewest, and of the one that has most.
    pub free_in_plane: (u32, u32),
    /// Full blocks by share of valid pages, in [`VALID_BINS`] equal steps from none to all.
    pub by_valid_share: [u64; VALID_BINS],
    /// Pages that hold valid data.
    pub valid_pages: u64,
}

/// Steps of [`BlocksReport::by_valid_share`].
pub const VALID_BINS: usize = 20;
