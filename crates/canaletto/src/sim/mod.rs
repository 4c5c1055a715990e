//! The engine's ground: time, events, arenas and randomness.

pub mod arena;
pub mod events;
pub mod mrg;
pub mod random;
pub mod ring;
pub mod time;
