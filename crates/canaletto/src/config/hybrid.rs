//! How logical pages are mapped: by page, by block with log blocks beside, or not at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the mapping table maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MappingScheme {
    /// Pages: any page may lie anywhere in its plane.
    #[default]
    Page,
    /// Blocks, with at most one log block for each: block-associative sector translation (Kim et al., IEEE Transactions on
    /// Consumer Electronics 48(2), 2002).
    Bast,
    /// Blocks, with one log block for a sequential stream and others that all share: fully associative sector translation
    /// (Lee et al., ACM TECS 6(3), 2007).
    Fast,
    /// Nothing: every logical page has a place of its own, where it is written over and over. For memories that need no
    /// erase (phase change, 3D XPoint); nothing is collected, erased or levelled.
    InPlace,
}

impl MappingScheme {
    /// Whether blocks are mapped, with log blocks beside.
    pub fn is_hybrid(self) -> bool {
        matches!(self, MappingScheme::Bast | MappingScheme::Fast)
    }

    /// The name used in designs.
    pub fn name(self) -> &'static str {
        match self {
            MappingScheme::Page => "page",
            MappingScheme::Bast => "bast",
            MappingScheme::Fast => "fast",
            MappingScheme::InPlace => "in-place",
        }
    }
}

/// Which log block `bast` merges when all are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LogVictim {
    /// The one written to longest ago.
    #[default]
    Lru,
    /// The one opened longest ago.
    Fifo,
}

/// Log blocks of `mapping = "bast"` and `"fast"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hybrid {
    /// Log blocks of each plane; the host sees as many blocks less. For `fast`, one of them is the sequential one.
    #[schemars(range(min = 1, max = 1024))]
    pub log_blocks: u32,
    /// For `bast`: which log block makes room for another. `fast` takes them in turns, as published.
    pub victim: LogVictim,
}

impl Default for Hybrid {
    fn default() -> Self {
        Hybrid { log_blocks: 8, victim: LogVictim::default() }
    }
}
