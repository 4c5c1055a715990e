//! Keys of the mapping table, which is in DRAM or on flash with a cache in DRAM.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::Size;

/// Division of the mapping cache among flows. Flows whose addresses are not partitioned always share all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// All flows use the whole cache.
    #[default]
    Shared,
    /// Each flow of a partitioned workload has an equal part.
    Equal,
    /// Each flow of a partitioned workload has a cache of the full capacity, as MQSim builds for `SHARED`.
    FullPerFlow,
}

/// Data that cross from a chip when a missing entry is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadUnit {
    /// The whole translation page.
    #[default]
    Page,
    /// The 512 B that hold the entry, as in MQSim.
    Sector,
}

/// Place of the mapping table at the beginning of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialTable {
    /// On flash, as on a drive in use. The first look-up of an address reads a translation page.
    #[default]
    OnFlash,
    /// On flash, as MQSim puts it there: in the order of its addresses, a page after the other in each plane. A last
    /// translation page that is used in part does not exist, and look-ups in it are free until it does.
    WholePages,
    /// None, as on a drive fresh from the factory. A translation page that was never written need not be read.
    Empty,
}

/// Treatment of changed entries that leave the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteBacks {
    /// Their translation page is written.
    #[default]
    Written,
    /// Their translation page is read for the merge and gets a new place, but is never written. Look-ups wait for that
    /// read, and are free from then on. MQSim queues the write, yet its scheduler never issues one.
    NeverIssued,
}

/// Order in which the pages go on that have waited for a translation page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Waiters {
    /// The order in which they came, entry by entry.
    #[default]
    InOrder,
    /// Of each entry reads before writes, as in MQSim.
    ReadsFirst,
}

/// Page-level mapping table. Either all of it is in DRAM, or single entries are cached there and the table is on flash.
/// Its translation pages are read, written and collected like data (Gupta et al., DFTL, ASPLOS 2009).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mapping {
    /// DRAM for cached entries. `"0B"` keeps the whole table in DRAM: look-ups cost nothing, and the other keys of
    /// `mapping` have no effect.
    pub cache_capacity: Size,
    /// Size of an entry in the cache, in bytes (DFTL: a logical and a physical page number, 4 B each).
    #[schemars(range(min = 1, max = 64))]
    pub cached_entry_bytes: u32,
    /// Size of an entry on a translation page, in bytes, where its position gives the logical page (DFTL: 4 B). It
    /// determines the number of entries of a translation page.
    #[schemars(range(min = 1, max = 64))]
    pub flash_entry_bytes: u32,
    /// Division of the mapping cache among flows.
    pub sharing: Sharing,
    /// Number of entries that a miss loads: the aligned group around the missing one, within its translation page. 1
    /// loads the missing entry alone. The number of entries of a translation page loads all of it. Neighbours take free
    /// memory or replace old unchanged entries, never changed ones.
    #[schemars(range(min = 1, max = 65_536))]
    pub entries_per_miss: u32,
    /// Data that cross from the chip on a miss.
    pub read_unit: ReadUnit,
    /// Place of the mapping table at the beginning of a run.
    pub initial_table: InitialTable,
    /// Treatment of changed entries that leave the cache.
    pub write_backs: WriteBacks,
    /// Order in which the pages go on that have waited for a translation page.
    pub waiters: Waiters,
}

impl Default for Mapping {
    fn default() -> Self {
        Mapping {
            cache_capacity: Size(0),
            cached_entry_bytes: 8,
            flash_entry_bytes: 4,
            sharing: Sharing::default(),
            entries_per_miss: 1,
            read_unit: ReadUnit::default(),
            initial_table: InitialTable::default(),
            write_backs: WriteBacks::default(),
            waiters: Waiters::default(),
        }
    }
}

impl Mapping {
    /// Whether only a part of the table is in DRAM.
    pub fn is_cached(&self) -> bool {
        self.cache_capacity.0 > 0
    }

    /// Entries in one of `streams` parts of the cache.
    pub fn entries(&self, streams: u16) -> u64 {
        let all = self.cache_capacity.0 / u64::from(self.cached_entry_bytes);
        match self.sharing {
            Sharing::Shared | Sharing::FullPerFlow => all,
            Sharing::Equal => all / u64::from(streams),
        }
    }

    /// Entries on a translation page.
    pub fn entries_per_page(&self, page_bytes: u64) -> u64 {
        page_bytes / u64::from(self.flash_entry_bytes)
    }
}
