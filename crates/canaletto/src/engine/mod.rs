// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

pub mod arena;
pub mod error;
pub mod events;
pub mod fifo;
pub mod ids;
pub mod in_flight;
pub mod index;
pub mod memory;
pub mod mrg;
pub mod precondition;
pub mod prepared;
pub mod random;
pub mod rarely;
pub mod ring;
pub mod route;
pub mod run;

pub use canaletto_config::time;
