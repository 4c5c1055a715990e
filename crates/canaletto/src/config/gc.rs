//! Garbage collection and wear: every key, its unit, its default and its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::ftl::gc::policy::VictimPolicy;

/// Where and when blocks are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Each plane on its own, when it is short of free blocks.
    #[default]
    Plane,
    /// Every plane at once, when any of them is short (PaGC; Networked SSD §VII-A): a device-wide epoch with `victims`
    /// blocks of every plane, copied to planes drawn at random.
    Parallel,
    /// A group of columns at once, when any plane is short, while the others serve the host's writes; groups take turns
    /// (spatial GC, Networked SSD §VI). Copies stay in their column.
    Spatial,
}

/// Garbage collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gc {
    /// Which block of a plane is collected.
    pub policy: VictimPolicy,
    /// For `d-choices`: how many blocks are drawn.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub choices: u32,
    /// For `random-plus`: the least share of invalid pages.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub invalid_share: f64,
    /// Where and when.
    pub scope: Scope,
    /// Whether host requests go before copies and erases until a plane falls to `hard_threshold`, at every page (semi-preemptible
    /// GC; Lee et al., ISPASS 2011). Otherwise collection, once begun, goes before host requests.
    pub preemptible: bool,
    /// A plane collects while its share of free blocks is below this (and always below `reserved_blocks` + 2).
    #[schemars(range(min = 0.0, max = 0.9))]
    pub threshold: f64,
    /// At or below this share of free blocks collection goes before host requests; above it, after them.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub hard_threshold: f64,
    /// Free blocks of a plane that only garbage collection may open; user writes wait for them to be exceeded.
    #[schemars(range(min = 1, max = 64))]
    pub reserved_blocks: u32,
    /// Copies of one victim under way at a time, counted in pages of flash where several mapping units share one.
    #[schemars(range(min = 1, max = 64))]
    pub copies_in_flight: u32,
    /// Whether a copy within a plane is programmed from the page register it was read into, so that only two commands
    /// cross the fabric (copyback). Errors in the copied data are then not corrected.
    pub copyback: bool,
    /// Every so many copies of the same data one passes the controller and its ECC engine even so; 0 is never.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub copyback_check_every: u32,
    /// For `parallel` and `spatial`: victims of each plane in an epoch. `spatial` collects fewer planes at a time and takes
    /// as many times more (Networked SSD §VII-A), so that epochs win the same.
    #[schemars(range(min = 1, max = 64))]
    pub victims: u32,
    /// For `spatial`: the share of columns that is collected at a time (rounded to whole groups of equal width).
    #[schemars(range(min = 0.01, max = 1.0))]
    pub group_share: f64,
}

impl Default for Gc {
    fn default() -> Self {
        Gc {
            policy: VictimPolicy::default(),
            choices: 10,
            invalid_share: 0.25,
            scope: Scope::default(),
            preemptible: true,
            threshold: 0.02,
            hard_threshold: 0.005,
            reserved_blocks: 1,
            copies_in_flight: 2,
            copyback: false,
            copyback_check_every: 0,
            victims: 1,
            group_share: 0.5,
        }
    }
}

/// Wear levelling and the life of blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wear {
    /// Whether a free block is the one erased least often (dynamic wear levelling), not the one erased first.
    pub dynamic: bool,
    /// A plane's block erased least often is moved, cold data and all, when another one has been erased this many times
    /// more (static wear levelling). 0: never.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub static_difference: u32,
    /// Erases after which a block is retired. 0: never.
    #[schemars(range(min = 0, max = 10_000_000))]
    pub endurance: u32,
}

impl Default for Wear {
    fn default() -> Self {
        Wear { dynamic: true, static_difference: 100, endurance: 0 }
    }
}
