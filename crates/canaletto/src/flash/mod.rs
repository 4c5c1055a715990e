//! The flash array: who is where, what is busy, and how long operations take.

pub mod address;
pub mod array;
pub mod failures;
pub mod interface;
pub mod reliability;
pub mod suspend;
pub mod timing;
pub mod wear;
