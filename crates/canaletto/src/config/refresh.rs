//! Refresh: every key, its unit, its default and its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::Duration;

/// Blocks whose data are moved before they are lost: because their neighbours were read too often, or because they are old.
/// Off by default: limits belong to a chip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Refresh {
    /// Page reads of a block since its erase after which its valid pages are moved and it is erased; reads for copies count.
    /// 0: never. Reads add errors in proportion to their number, the more the more worn the block is (Cai et al., "Read
    /// Disturb Errors in MLC NAND Flash Memory", DSN 2015); 100000 is a usual limit of drives (QNX Neutrino, "Read
    /// degradation monitoring with automatic refresh").
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub reads: u32,
    /// Age of a block's oldest data, in days, from which on they are moved while nothing more urgent is to do. 0: never.
    /// Data found when the run begins are `flash.errors.age_days` old by then. Refreshing from every few days to once a year is what Cai et
    /// al., "Flash Correct-and-Refresh", ICCD 2012, look at.
    #[schemars(range(min = 0.0, max = 36_500.0))]
    pub age_days: f64,
    /// Time from one look at a block to the next: blocks are looked at one after the other, plane by plane, so that a drive
    /// whose data are all of an age is not rewritten at once. Assumed.
    pub interval: Duration,
}

impl Refresh {
    /// Whether anything is ever moved.
    pub fn is_on(&self) -> bool {
        self.reads > 0 || self.age_days > 0.0
    }
}

impl Default for Refresh {
    fn default() -> Self {
        Refresh { reads: 0, age_days: 0.0, interval: Duration::from_ns(10_000_000) }
    }
}
