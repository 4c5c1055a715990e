//! The mapping table's keys: all of it in DRAM, or a cache of it there and the table itself on flash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::Size;

/// Whose entries share the cache's memory. Flows whose addresses are not partitioned always share all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// All flows use the whole.
    #[default]
    Shared,
    /// Each flow of a partitioned workload has an equal part.
    Equal,
    /// Each flow of a partitioned workload has a cache of the full capacity: what MQSim builds for `SHARED`.
    FullEach,
}

/// What crosses from a chip when a missing entry is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadUnit {
    /// The whole translation page.
    #[default]
    Page,
    /// The 512 B that hold the entry, as MQSim.
    Sector,
}

/// Where the table is at the beginning of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InitialTable {
    /// All of it on flash, as on a drive in use: the first look-up of an address reads a translation page.
    #[default]
    OnFlash,
    /// Nowhere, as on a drive fresh from the factory: a translation page that was never written need not be read.
    Empty,
}

/// What becomes of changed entries that leave the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WriteBacks {
    /// Their translation page is written.
    #[default]
    Written,
    /// It is read to be merged, but never written, and its entries cost nothing from then on: MQSim queues the write, yet
    /// its scheduler never issues one.
    NeverIssued,
}

/// The page-level mapping table: all of it in DRAM, or a cache of single entries there and the table itself on flash, in
/// translation pages that are read, written and collected like data (Gupta et al., DFTL, ASPLOS 2009).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mapping {
    /// Memory for cached entries. `"0B"` keeps the whole table in DRAM: look-ups cost nothing, and the keys below say
    /// nothing.
    pub capacity: Size,
    /// Bytes that an entry takes in the cache (DFTL: a logical and a physical page number, 4 B each).
    #[schemars(range(min = 1, max = 64))]
    pub entry_bytes: u32,
    /// Bytes that an entry takes on a translation page, where its place says which logical page it is for (DFTL: 4 B). It
    /// decides how many entries share a translation page.
    #[schemars(range(min = 1, max = 64))]
    pub stored_bytes: u32,
    /// Whose entries share the memory.
    pub sharing: Sharing,
    /// Entries that a miss loads: the aligned group of so many around the missing one, as far as its translation page
    /// holds it. 1 loads nothing but the missing entry; as many as a translation page holds load all of it. Neighbours
    /// take free memory or that of old unchanged entries, never that of changed ones.
    #[schemars(range(min = 1, max = 65_536))]
    pub entries_per_miss: u32,
    /// What crosses from the chip on a miss.
    pub read_unit: ReadUnit,
    /// Where the table is at the beginning.
    pub initial_table: InitialTable,
    /// What becomes of changed entries that leave the cache.
    pub write_backs: WriteBacks,
}

impl Default for Mapping {
    fn default() -> Self {
        Mapping {
            capacity: Size(0),
            entry_bytes: 8,
            stored_bytes: 4,
            sharing: Sharing::default(),
            entries_per_miss: 1,
            read_unit: ReadUnit::default(),
            initial_table: InitialTable::default(),
            write_backs: WriteBacks::default(),
        }
    }
}

impl Mapping {
    /// Whether only a part of the table is in DRAM.
    pub fn is_cached(&self) -> bool {
        self.capacity.0 > 0
    }

    /// Entries that one of `streams` parts of the cache holds.
    pub fn entries(&self, streams: u16) -> u64 {
        let all = self.capacity.0 / u64::from(self.entry_bytes);
        match self.sharing {
            Sharing::Shared | Sharing::FullEach => all,
            Sharing::Equal => all / u64::from(streams),
        }
    }

    /// Entries on a translation page.
    pub fn entries_per_page(&self, page_bytes: u64) -> u64 {
        page_bytes / u64::from(self.stored_bytes)
    }
}
