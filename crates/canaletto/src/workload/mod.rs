//! What the drive is asked to do: synthetic generators and replayed traces.

pub mod arrivals;
pub mod fill;
pub mod flow;
pub mod places;
pub mod popularity;
pub mod replay;
pub mod synthetic;
pub mod traffic;
