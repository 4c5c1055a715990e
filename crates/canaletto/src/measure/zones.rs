//! Results of zones.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::JsonSchema;

/// Namespace of a drive.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct NamespaceReport {
    /// Name in the design.
    pub name: String,
    /// Kind: conventional, zoned or placed.
    pub kind: &'static str,
    /// Size of its addresses, in bytes.
    pub size_bytes: u64,
    /// Names of the flows whose requests it takes.
    pub flows: Vec<String>,
}

/// Zones of all zoned namespaces.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct ZonesReport {
    /// Number of zones.
    pub count: u32,
    /// Distance between the first addresses of two zones, in bytes.
    pub size_bytes: u64,
    /// Writable part of a zone, in bytes.
    pub capacity_bytes: u64,
    /// Dies over which a zone is striped.
    pub dies: u32,
    /// Channels on which these dies are.
    pub channels: u32,
    /// Number of zones in each state at the end.
    pub states: BTreeMap<&'static str, u32>,
    /// Appends admitted.
    pub appends: u64,
    /// Resets admitted.
    pub resets: u64,
    /// Finishes admitted.
    pub finishes: u64,
    /// Blocks that resets erased.
    pub erased_blocks: u64,
    /// Pages, or mapping units, that finishes programmed without data.
    pub padding_pages: u64,
    /// Zones that the drive closed to open others.
    pub implicit_closes: u64,
    /// Refused requests by the status code of NVM Express.
    pub refused: BTreeMap<&'static str, u64>,
}
