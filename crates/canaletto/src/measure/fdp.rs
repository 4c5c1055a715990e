//! Flexible Data Placement.

use serde::Serialize;

use crate::JsonSchema;

/// Counts of a reclaim unit handle.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct HandleReport {
    /// Number of the handle; 0 is the default.
    pub handle: u32,
    /// Pages, or mapping units, that the host wrote to it.
    pub host_pages: u64,
    /// Pages that collection moved out of reclaim units with its data alone.
    pub copied_pages: u64,
    /// Reclaim units that it has taken: changes of the handle to another unit.
    pub units_opened: u64,
    /// Of these, units in which pages were spent without data (event Reclaim Unit Not Fully Written To).
    pub units_not_full: u64,
    /// Updates by the host (Reclaim Unit Handle Update), each of which leaves the units that the handle has begun.
    pub updates: u64,
    /// Pages left at the end in the units that it fills, one in each reclaim group (available media writes).
    pub unit_pages_left: u64,
    /// Pages written and moved by pages written. Moves out of shared reclaim units are not counted.
    pub write_amplification: Option<f64>,
}

/// Flexible Data Placement.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct FdpReport {
    /// Isolation of moved data: initial or persistent.
    pub isolation: &'static str,
    /// Number of reclaim groups.
    pub reclaim_groups: u32,
    /// Size of a reclaim unit, in bytes.
    pub reclaim_unit_bytes: u64,
    /// Counts of each handle.
    pub handles: Vec<HandleReport>,
    /// Pages moved out of reclaim units that several handles share, which initial isolation allows.
    pub copied_from_shared: u64,
    /// Reclaim units that collection emptied.
    pub units_reclaimed: u64,
    /// Of these, units whose valid data were moved (event Media Reallocated).
    pub media_reallocated: u64,
    /// Writes with an unknown handle, which took the default (event Invalid Placement Identifier).
    pub invalid_placements: u64,
}
