//! What the drive is asked to do: synthetic generators and replayed traces.

pub mod fill;
pub mod flow;
pub mod replay;
pub mod synthetic;
