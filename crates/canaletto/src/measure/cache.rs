//! What the data cache did.

use serde::Serialize;

/// Pages that reads looked for.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CachedReads {
    /// All sectors wanted were in the cache.
    pub hits: u64,
    /// Some were; the others came from flash.
    pub partial: u64,
    /// None was.
    pub misses: u64,
}

/// Pages that were written into the cache.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CachedWrites {
    /// The page was there already, clean or dirty.
    pub merged: u64,
    /// It took a new place.
    pub inserted: u64,
    /// Requests that had to wait for room.
    pub waited: u64,
}

/// What the data cache did, warm-up included.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CacheCounts {
    /// Pages read.
    pub reads: CachedReads,
    /// Pages written.
    pub writes: CachedWrites,
    /// Pages read from flash that were kept.
    pub filled: u64,
    /// Written pages that found no place on flash because the drive is worn out: their data are lost.
    pub lost: u64,
    /// Pages written from the cache to flash.
    pub destaged: u64,
    /// Clean pages given up for others.
    pub evicted_clean: u64,
    /// Dirty pages given up for others, by writing them to flash.
    pub evicted_dirty: u64,
    /// Trimmed pages whose data the cache forgot.
    pub trimmed: u64,
    /// Most pages at a time that held what flash did not.
    pub dirty_pages_max: u64,
    /// Flushes that came while there was a cache.
    pub flushes: u64,
}

/// The data cache in a report.
#[derive(Debug, Clone, Serialize)]
pub struct CacheReport {
    /// Pages it may hold.
    pub capacity_pages: u64,
    /// Whether a loss of power spares it.
    pub power_loss_protection: bool,
    /// Pages at the end of the run that held what flash did not.
    pub dirty_pages: u64,
    /// What happened.
    #[serde(flatten)]
    pub counts: CacheCounts,
}
