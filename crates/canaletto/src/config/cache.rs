//! The data cache: a write buffer and read cache in the controller's DRAM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::{Duration, Rate, Size};

/// What of a flow's data goes through the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheMode {
    /// Nothing. Pages that another flow has put there are found all the same.
    Off,
    /// Writes: they are complete once their data are in DRAM, and reads find them there until they are evicted.
    #[default]
    Write,
    /// Reads: pages read from flash are kept; writes go to flash.
    Read,
    /// Both.
    ReadWrite,
}

impl CacheMode {
    /// Whether writes are complete once they are in DRAM.
    pub fn writes(self) -> bool {
        matches!(self, CacheMode::Write | CacheMode::ReadWrite)
    }

    /// Whether pages read from flash are kept.
    pub fn reads(self) -> bool {
        matches!(self, CacheMode::Read | CacheMode::ReadWrite)
    }
}

/// How flows share the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// One cache for all, its DRAM first come, first served.
    #[default]
    Shared,
    /// An equal part for each flow, the DRAM serving flows in turns.
    Equal,
}

/// Which dirty pages are written to flash, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Destage {
    /// Write-back: the coldest dirty pages, once more than `high_watermark` of the cache is dirty, until no more than
    /// `low_watermark` is; all of them when the drive is idle. A write waits only while no page can be given up.
    #[default]
    Watermarks,
    /// As MQSim: a page's first write within a second goes to flash at once, later ones stay in the cache until they are
    /// evicted; the least recently used page is evicted, dirty or clean. A write waits while the destages in flight are
    /// at their limit.
    FirstWrites,
}

/// How the time of a DRAM transfer is worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DramTiming {
    /// tRCD + tCL for each row, tRP between rows, whole bursts at the rate.
    #[default]
    Exact,
    /// MQSim's integer formula, in whole nanoseconds: half of a transfer's further rows cost nothing.
    Mqsim,
}

/// The cache's DRAM: one channel that serves one transfer at a time. The defaults are those of DDR4-3200 with a bus of 32
/// bits (JESD79-4: 22-22-22, bursts of eight, pages of 2 KiB in each of two chips).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheDram {
    /// Row activation to column command (tRCD).
    pub trcd: Duration,
    /// Column command to first data (tCL).
    pub tcl: Duration,
    /// Precharge (tRP), before another row is activated.
    pub trp: Duration,
    /// Bytes of a row.
    pub row: Size,
    /// Rate of the data bus.
    pub rate: Rate,
    /// Bytes of a burst: transfers are whole bursts.
    pub burst: Size,
    /// How times are worked out.
    pub timing: DramTiming,
}

/// The data cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cache {
    /// Bytes of data it holds, in whole pages. 0 B: there is no cache.
    pub capacity: Size,
    /// What goes through it, for flows that do not say so themselves.
    pub mode: CacheMode,
    /// How flows share it.
    pub sharing: Sharing,
    /// Whether what is in the cache survives a loss of power (capacitors, as in drives for servers): flushes and writes
    /// with force unit access are then complete once their data are in DRAM. Otherwise, as in drives for clients, they
    /// wait for the flash.
    pub power_loss_protection: bool,
    /// Which dirty pages are written to flash, and when.
    pub destage: Destage,
    /// Share of the cache that may be dirty before it is written to flash.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub high_watermark: f64,
    /// Share of the cache that stays dirty when that ends.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub low_watermark: f64,
    /// Dirty pages are written to flash when the drive has had no request for this time. 0: never.
    pub idle_destage: Duration,
    /// Pages of flash on their way from the cache to flash at the most, for each plane of the drive.
    #[schemars(range(min = 1, max = 1024))]
    pub destages_per_plane: u32,
    /// Whether a page that has been written to flash stays in the cache, clean, until its room is needed.
    pub keep_destaged: bool,
    /// The cache's DRAM. Its times take the place of `controller.dram` for data that go through the cache.
    pub dram: CacheDram,
}

impl Default for CacheDram {
    fn default() -> Self {
        CacheDram {
            trcd: Duration(13_750),
            tcl: Duration(13_750),
            trp: Duration(13_750),
            row: Size(4096),
            rate: Rate(12_800_000_000),
            burst: Size(32),
            timing: DramTiming::default(),
        }
    }
}

impl Default for Cache {
    fn default() -> Self {
        Cache {
            capacity: Size(0),
            mode: CacheMode::default(),
            sharing: Sharing::default(),
            power_loss_protection: true,
            destage: Destage::default(),
            high_watermark: 0.5,
            low_watermark: 0.4,
            idle_destage: Duration(1_000_000_000),
            destages_per_plane: 4,
            keep_destaged: true,
            dram: CacheDram::default(),
        }
    }
}
