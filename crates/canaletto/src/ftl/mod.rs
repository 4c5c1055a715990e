//! The flash translation layer: where pages are, where they go, and how space is won back.

pub mod blocks;
pub mod gc;
pub mod hybrid;
pub mod mapping;
pub mod placement;
pub mod spread;
pub mod steady;
