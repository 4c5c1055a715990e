//! The steady state of garbage collection: how many pages are valid in each block of a drive that was written for long.
//!
//! Two ways lead there. [`distribution`] solves for the fixed point of the mean-field model (uniform random writes).
//! [`plane`] writes one plane until it changes no more, which also takes hot and cold data and choices that look at age. Each
//! checks the other. [`plan`] chooses between them, [`known`] keeps what [`plane`] found, [`draw`] makes whole blocks of
//! either, and [`seeded`] spreads a drive's logical pages over those without storing anything a page: so preconditioning
//! costs what is touched later, not what the drive holds.
//!
//! **Frontiers.** The host's writes and the collector's copies go to blocks of their own here, while Van Houdt's model of
//! 2013 writes a victim's valid pages back into the victim. Under uniform writes both have the same fixed point: per
//! victim with `j` valid pages, `j / b` blocks of copies and `(b - j) / b` blocks of host data become full, together one,
//! and it starts with `b` valid pages whichever it is, since a frontier fills in a share 1/blocks of the time a page lives;
//! pages are all alike, so those blocks decay alike (`plane/tests.rs` measures it). With hot and cold data it matters
//! (Van Houdt, "On the necessity of hot and cold data identification to reduce the write amplification in flash-based
//! SSDs", Performance Evaluation 82, 2014), and there only [`plane`], which keeps the frontiers apart as the engine does,
//! is asked.

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
