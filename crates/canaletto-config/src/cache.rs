//! Keys of the data cache, which is write buffer and read cache in the controller's DRAM.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::{Duration, Rate, Size, in_bytes};

/// Requests of a flow that use the data cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheMode {
    /// Neither reads nor writes. Pages that another flow has cached are still found.
    Off,
    /// Writes. They are complete once their data are in DRAM, and reads find them there until they are evicted.
    #[default]
    Write,
    /// Reads. Pages read from flash are kept, and writes go to flash.
    Read,
    /// Reads and writes.
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

/// Division of the cache among flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// One cache for all flows. Its DRAM serves them first come, first served.
    #[default]
    Shared,
    /// An equal part for each flow. The DRAM serves flows by round robin.
    Equal,
}

/// Policy that chooses the dirty pages to write to flash, and the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Destage {
    /// Write-back of the least recently used dirty pages. It begins when more than `high_watermark` of the cache is
    /// dirty and ends at `low_watermark`. All dirty pages are written when the drive is idle. A write waits only while
    /// no page can be evicted.
    #[default]
    Watermarks,
    /// Policy of MQSim. A page's first write within a second goes to flash at once; later ones stay in the cache until
    /// eviction. The least recently used page is evicted, dirty or clean. A write waits while the destages in flight
    /// are at their limit.
    FirstWrites,
    /// `first-writes` as MQSim has it in detail. Any page is evicted, also one on its way to flash, and evicted pages of a
    /// request share a DRAM transfer. A page leaves when its newest write is on flash, with all it holds. Reads keep
    /// pages that were programmed; all others share one place.
    Mqsim,
}

/// Formula for the time of a DRAM transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DramTiming {
    /// tRCD + tCL for each row, tRP between rows, whole bursts at the rate.
    #[default]
    Exact,
    /// Integer formula of MQSim, in whole nanoseconds. Every second row after the first costs nothing.
    Mqsim,
}

/// DRAM of the cache: one channel that serves one transfer at a time. The defaults are DDR4-3200's with a bus of
/// 32 bits (JESD79-4: 22-22-22, bursts of eight, pages of 2 KiB in each of two chips).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheDram {
    /// Time from row activation to column command (tRCD).
    pub trcd: Duration,
    /// Time from column command to first data (tCL).
    pub tcl: Duration,
    /// Time to precharge before another row is activated (tRP).
    pub trp: Duration,
    /// Size of a row.
    pub row: Size,
    /// Rate of the data bus.
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub rate: Rate,
    /// Size of a burst. Transfers are whole bursts.
    pub burst: Size,
    /// Formula for the time of a transfer.
    pub timing: DramTiming,
}

/// Data cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cache {
    /// Data that the cache holds, in whole pages. `"0B"` stands for a drive without cache.
    pub capacity: Size,
    /// Requests that use the cache, for flows without a `cache` key.
    pub mode: CacheMode,
    /// Division of the cache among flows.
    pub sharing: Sharing,
    /// Whether cached data survive a loss of power (capacitors, as in server drives). Flushes and writes with force
    /// unit access are then complete once their data are in DRAM. Otherwise, as in client drives, they wait for the
    /// flash.
    pub power_loss_protection: bool,
    /// Whether reads wait in line behind writes that wait for room, in order of arrival (observed on SK hynix PE8110).
    /// Otherwise they pass.
    pub reads_wait: bool,
    /// Policy that chooses the dirty pages to write to flash, and the moment.
    pub destage: Destage,
    /// Share of dirty pages above which destaging begins.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub high_watermark: f64,
    /// Share of dirty pages at which destaging ends.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub low_watermark: f64,
    /// Idle time of the drive after which dirty pages are written to flash. `"0us"` turns this off.
    pub idle_destage: Duration,
    /// Largest number of flash pages in flight from the cache to flash, for each plane of the drive.
    #[schemars(range(min = 1, max = 1024))]
    pub destages_per_plane: u32,
    /// Whether a destaged page stays in the cache, clean, until its room is needed.
    pub keep_destaged: bool,
    /// DRAM of the cache. Its times replace `controller.dram` for data that pass through the cache.
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
            reads_wait: false,
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
