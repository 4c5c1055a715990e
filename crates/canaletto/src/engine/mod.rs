//! The engine: what is in flight, which features a run has, and the way from station to station.

pub mod features;
pub mod in_flight;
pub mod precondition;
pub mod route;
