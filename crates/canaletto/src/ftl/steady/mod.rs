//! The steady state of garbage collection: how many pages are valid in each block of a drive that was written for long.
//!
//! Two ways lead there. [`distribution`] solves for the fixed point of the mean-field model (uniform random writes);
//! [`plane`] writes one plane until it changes no more, which also takes hot and cold data and choices that look at age.
//! Each checks the other. [`plan`] chooses between them, [`draw`] makes whole blocks of what they say, and [`seeded`]
//! spreads a drive's logical pages over those without storing anything a page: so preconditioning costs what is touched
//! later, not what the drive holds.
//!
//! **Frontiers.** The host's writes and the collector's copies go to blocks of their own here, while Van Houdt's model of
//! 2013 writes a victim's valid pages back into the victim. Under uniform writes both have the same fixed point: per
//! victim with `j` valid pages, `j / b` blocks of copies and `(b - j) / b` blocks of host data become full, together one,
//! and it starts with `b` valid pages whichever it is, since a frontier fills in a share 1/blocks of the time a page lives;
//! pages are all alike, so those blocks decay alike (`plane/tests.rs` measures it). With hot and cold data it matters
//! (Van Houdt, "On the necessity of hot and cold data identification to reduce the write amplification in flash-based
//! SSDs", Performance Evaluation 82, 2014), and there only [`plane`], which keeps the frontiers apart as the engine does,
//! is asked.

pub mod candidates;
pub mod classes;
pub mod distribution;
pub mod draw;
pub mod formulas;
pub mod group;
pub mod permutation;
pub mod plan;
pub mod plane;
mod random_plus;
pub mod seeded;

/// How a victim is chosen among the full blocks of a plane. One without an invalid page is never collected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// The fewest valid pages.
    Greedy,
    /// The fewest valid pages among so many different blocks drawn at random.
    DChoices(u32),
    /// Any, with equal chance.
    Random,
    /// Any, with equal chance, of those with at least `invalid` invalid pages; if as many draws as there are blocks find
    /// none, any.
    RandomPlus {
        /// Invalid pages a victim should have.
        invalid: u32,
    },
    /// The one that was filled first.
    Fifo,
    /// The highest `age × (1 - u) / 2u`, where `u` is the valid share and `age` the time since the block was filled
    /// (Kawaguchi, Nishioka and Motoda, "A flash-memory based file system", USENIX 1995).
    CostBenefit,
}
