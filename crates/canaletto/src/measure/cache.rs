//! Activity of the data cache.

use serde::Serialize;

use crate::JsonSchema;

/// Pages of reads, by result of the look-up.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct CachedReads {
    /// Pages with all requested sectors in the cache.
    pub hits: u64,
    /// Pages with some requested sectors in the cache; the others came from flash.
    pub partial: u64,
    /// Pages without requested sectors in the cache.
    pub misses: u64,
}

/// Pages of writes, by state of the page in the cache.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct CachedWrites {
    /// Pages that were in the cache already, clean or dirty.
    pub merged: u64,
    /// Pages that were inserted.
    pub inserted: u64,
    /// Requests that waited for room.
    pub waited: u64,
}

/// Activity of the data cache, warm-up included.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct CacheCounts {
    /// Pages read.
    pub reads: CachedReads,
    /// Pages written.
    pub writes: CachedWrites,
    /// Pages kept after a read from flash.
    pub filled: u64,
    /// Written pages that found no room on a worn-out drive, or whose rest is out of reach: their data are lost.
    pub lost: u64,
    /// Pages written from the cache to flash.
    pub destaged: u64,
    /// Clean pages evicted.
    pub evicted_clean: u64,
    /// Dirty pages evicted, by a write to flash.
    pub evicted_dirty: u64,
    /// Pages removed by trims.
    pub trimmed: u64,
    /// Largest number of dirty pages at a time.
    pub dirty_pages_max: u64,
    /// Flushes of a drive with a cache.
    pub flushes: u64,
}

/// Data cache in a report.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct CacheReport {
    /// Capacity, in pages.
    pub capacity_pages: u64,
    /// Whether its data survive a loss of power.
    pub power_loss_protection: bool,
    /// Dirty pages at the end of the run.
    pub dirty_pages: u64,
    /// Activity during the run.
    #[serde(flatten)]
    pub counts: CacheCounts,
}
