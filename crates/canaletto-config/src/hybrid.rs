//! Mapping schemes, and keys of the hybrid ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Granularity of the mapping table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MappingScheme {
    /// Page mapping: any page may lie anywhere in its plane.
    #[default]
    Page,
    /// Block mapping with at most one log block for each data block: block-associative sector translation (Kim et al.,
    /// IEEE Transactions on Consumer Electronics 48(2), 2002).
    Bast,
    /// Block mapping with one log block for a sequential stream and others shared by all data blocks: fully associative
    /// sector translation (Lee et al., ACM TECS 6(3), 2007).
    Fast,
    /// No mapping: every logical page has a fixed place that is overwritten. For memories that need no erase (phase
    /// change, 3D XPoint). Nothing is collected, erased or levelled.
    InPlace,
}

impl MappingScheme {
    /// Returns whether blocks are mapped, with log blocks for updates.
    pub fn is_hybrid(self) -> bool {
        matches!(self, MappingScheme::Bast | MappingScheme::Fast)
    }

    /// Returns the name used in designs.
    pub fn name(self) -> &'static str {
        match self {
            MappingScheme::Page => "page",
            MappingScheme::Bast => "bast",
            MappingScheme::Fast => "fast",
            MappingScheme::InPlace => "in-place",
        }
    }
}

/// Log block that `bast` merges when all log blocks are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogVictim {
    /// Log block that was written least recently.
    #[default]
    Lru,
    /// Log block that was opened first.
    Fifo,
}

/// Log blocks of `mapping = "bast"` and `"fast"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hybrid {
    /// Number of log blocks of each plane; the host can address as many blocks less. With `fast`, one of them is the
    /// sequential log block.
    #[schemars(range(min = 1, max = 1024))]
    pub log_blocks: u32,
    /// Log block that `bast` merges to make room. `fast` takes them in turn, as published.
    pub victim: LogVictim,
}

impl Default for Hybrid {
    fn default() -> Self {
        Hybrid { log_blocks: 8, victim: LogVictim::default() }
    }
}
