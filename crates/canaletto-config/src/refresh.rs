//! Keys of refresh, each with unit, default and source.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::Duration;

/// Refresh: blocks are moved after too many reads (read disturb) or when their data are too old (retention). Off by
/// default, because limits are a property of the chip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Refresh {
    /// Number of page reads of a block since its erase after which its valid pages are moved and it is erased; reads
    /// for copies count. 0 turns this off. Errors grow in proportion to the reads, and faster in worn blocks: Cai et
    /// al., "Read Disturb Errors in MLC NAND Flash Memory", DSN 2015. 100000 is a usual limit of drives (QNX Neutrino,
    /// "Read degradation monitoring with automatic refresh").
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub read_limit: u32,
    /// Age of a block's oldest data, in days, after which they are moved while nothing more urgent is to do. 0 turns
    /// this off. Data written before the run are `flash.errors.initial_age_days` old when it begins. Cai et al., "Flash
    /// Correct-and-Refresh", ICCD 2012, study intervals from a few days to a year.
    #[schemars(range(min = 0.0, max = 36_500.0))]
    pub age_limit_days: f64,
    /// Time between two blocks of the refresh scan. It visits blocks one after the other, plane by plane, so that data
    /// of one age are not all rewritten at once. Assumed: 10 ms.
    pub scan_interval: Duration,
}

impl Refresh {
    /// Whether anything is ever moved.
    pub fn is_on(&self) -> bool {
        self.read_limit > 0 || self.age_limit_days > 0.0
    }
}

impl Default for Refresh {
    fn default() -> Self {
        Refresh { read_limit: 0, age_limit_days: 0.0, scan_interval: Duration::from_ns(10_000_000) }
    }
}
