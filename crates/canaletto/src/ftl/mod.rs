//! The flash translation layer: where pages are, where they go, and how space is reclaimed.

pub mod bad_blocks;
pub mod blocks;
pub mod cmt;
pub mod directory;
pub mod dynamic;
pub mod gc;
pub mod hybrid;
pub mod in_place;
pub mod index;
pub mod mapping;
pub mod placement;
pub mod precondition;
pub mod recovery;
pub mod steady;
