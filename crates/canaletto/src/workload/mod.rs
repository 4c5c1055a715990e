//! What the drive is asked to do: synthetic generators and replayed traces.

pub mod fill;
pub mod flow;
pub mod part;
pub mod plan;
pub mod replay;
pub mod selection;
pub mod sources;
pub mod synthetic;
pub mod window;
