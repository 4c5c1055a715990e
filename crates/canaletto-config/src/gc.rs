//! Keys of garbage collection and wear levelling, each with unit, default and source.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
pub use crate::kinds::VictimPolicy;
use crate::own::Own;
use crate::own::victims::VictimRule;

/// Planes that collect at the same time, and the trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Each plane on its own, when it is short of free blocks.
    #[default]
    Plane,
    /// Every plane at once (PaGC; Networked SSD §VII-A). An epoch, which `epoch_trigger` starts, collects
    /// `victims_per_plane` blocks of every plane and copies them to planes drawn at random.
    Parallel,
    /// A group of columns at once, while the other columns serve the host's writes. Groups take turns, epoch by epoch
    /// (spatial GC, Networked SSD §VI). Copies stay in their column.
    Spatial,
}

impl Scope {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Plane => "plane",
            Scope::Parallel => "parallel",
            Scope::Spatial => "spatial",
        }
    }
}

/// Shortage of free blocks that starts an epoch of collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EpochTrigger {
    /// Shortage in the whole device: the free blocks of all planes together are fewer than `threshold` of all blocks.
    #[default]
    Device,
    /// Shortage in any one plane. One plane of hundreds that is written more than the others then has all of them collect
    /// blocks that are still half valid.
    Plane,
}

/// Waits of host writes and collection for each other.
///
/// While a victim with v valid and r other pages is collected, each copy that ends earns r / v pages for host writes. A
/// flash page of each plane is granted in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// Neither waits for the other. Host writes stop when no superblock is free, until a victim is erased.
    #[default]
    None,
    /// Host writes wait for copies. Observed on enterprise drives, whose writes at saturation wait evenly.
    Writes,
    /// Host writes wait for copies, and copies wait for host writes, so that collection takes small steps.
    Both,
}

/// Garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gc {
    /// Choice of the block that a plane collects next.
    pub policy: VictimPolicy,
    /// Rules of `policy = "custom"`, if they differ from the rules of `greedy`.
    #[serde(skip)]
    pub rule: Option<Own<dyn VictimRule>>,
    /// Number of blocks drawn for `policy = "d-choices"`.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub choices: u32,
    /// Least share of invalid pages of a victim for `policy = "random-plus"`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_invalid_share: f64,
    /// Planes that collect at the same time, and the trigger.
    pub scope: Scope,
    /// Whether host requests go before copies and erases, page by page, until a plane falls to `hard_threshold`
    /// (semi-preemptible GC; Lee et al., ISPASS 2011). Otherwise a collection that has begun goes before host requests.
    pub preemptible: bool,
    /// Share of free blocks below which a plane collects, or an epoch starts. A plane always collects below
    /// `reserved_blocks` + 2 free blocks, and an epoch starts below that many a plane.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub threshold: f64,
    /// Share of free blocks at or below which collection goes before host requests. Above it, collection goes after
    /// them.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub hard_threshold: f64,
    /// Number of free blocks of a plane that only garbage collection may open. User writes wait until the plane has
    /// more.
    #[schemars(range(min = 1, max = 64))]
    pub reserved_blocks: u32,
    /// Number of copies of one victim in flight at a time. Where several mapping units share a flash page, flash pages
    /// are counted.
    #[schemars(range(min = 1, max = 64))]
    pub copies_in_flight: u32,
    /// Waits of host writes and collection for each other. Needs `ftl.superblock = "drive"`. Observed on enterprise
    /// drives, whose writes at saturation wait evenly.
    pub pacing: Pacing,
    /// Whether a copy within a plane is programmed from the page register it was read into (copyback), so that only two
    /// commands cross the fabric. Errors in the copied data are then not corrected.
    pub copyback: bool,
    /// Number of copies of the same data after which one passes the controller and its ECC engine. 0 turns this off.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub copyback_check_every: u32,
    /// Shortage of free blocks that starts an epoch of `scope = "parallel"` or `"spatial"`. Default: the device's,
    /// whose collection it is (Networked SSD §VII-A, Fig. 13(a)).
    pub epoch_trigger: EpochTrigger,
    /// Number of victims of each plane in an epoch of `scope = "parallel"` or `"spatial"`. A spatial epoch covers a
    /// part of the planes and takes as many times more victims of each (Networked SSD §VII-A), so that both reclaim the
    /// same number of blocks.
    #[schemars(range(min = 1, max = 64))]
    pub victims_per_plane: u32,
    /// Share of the columns that `scope = "spatial"` collects at a time, rounded to whole groups of equal width.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub group_share: f64,
}

impl Default for Gc {
    fn default() -> Self {
        Gc {
            policy: VictimPolicy::default(),
            rule: None,
            choices: 10,
            min_invalid_share: 0.25,
            scope: Scope::default(),
            preemptible: true,
            threshold: 0.02,
            hard_threshold: 0.005,
            reserved_blocks: 1,
            copies_in_flight: 2,
            pacing: Pacing::default(),
            copyback: false,
            copyback_check_every: 0,
            epoch_trigger: EpochTrigger::default(),
            victims_per_plane: 1,
            group_share: 0.5,
        }
    }
}

/// Wear levelling and endurance of blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wear {
    /// Whether the free block with the fewest erases is opened next (dynamic wear levelling). Otherwise the block that
    /// was erased first is opened next.
    pub dynamic: bool,
    /// Difference in erases between two blocks of a plane from which the less worn block is moved, with its data
    /// (static wear levelling). 0 turns this off.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub static_threshold: u32,
    /// Number of erases after which a block is retired. 0 turns this off.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub endurance: u32,
}

impl Default for Wear {
    fn default() -> Self {
        Wear { dynamic: true, static_threshold: 100, endurance: 0 }
    }
}
