//! The steady state of garbage collection.
//!
//! [`distribution`] solves the fixed point of the mean-field model (uniform random writes). [`plane`] writes one plane
//! until it changes no more, which also covers hot and cold data and ages. Each checks the other. [`plan`] chooses,
//! [`known`] keeps what [`plane`] found, [`draw`] makes whole blocks, and [`seeded`] spreads logical pages over them
//! without storing anything per page.
//!
//! **Frontiers.** The host's writes and the collector's copies go to separate blocks here, while Van Houdt's model of
//! 2013 writes valid pages back into the victim. Under uniform writes both have the same fixed point, because pages are
//! all alike (`plane/tests.rs` measures it). With hot and cold data it matters (Van Houdt, Performance Evaluation 82,
//! 2014), and only [`plane`] is asked.

pub mod census;
pub mod classes;
pub mod distribution;
pub mod draw;
pub mod formulas;
pub mod group;
pub mod known;
pub mod permutation;
pub mod plan;
pub mod plane;
pub mod seeded;
pub mod victims;
