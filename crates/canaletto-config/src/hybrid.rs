//! Mapping schemes, and keys of the hybrid ones.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

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
    /// No mapping: every logical page has a fixed place that is overwritten. For memories that need no erase (phase
    /// change, 3D XPoint). Nothing is collected, erased or levelled.
    InPlace,
}

impl MappingScheme {
    /// Whether log blocks take updates.
    pub fn is_hybrid(self) -> bool {
        self == MappingScheme::Bast
    }

    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            MappingScheme::Page => "page",
            MappingScheme::Bast => "bast",
            MappingScheme::InPlace => "in-place",
        }
    }
}

/// Log blocks of `mapping = "bast"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hybrid {
    /// Number of log blocks of each plane; the host can address as many blocks less. The one written longest ago is merged to make
    /// room.
    #[schemars(range(min = 1, max = 1024))]
    pub log_blocks: u32,
}

impl Default for Hybrid {
    fn default() -> Self {
        Hybrid { log_blocks: 8 }
    }
}
