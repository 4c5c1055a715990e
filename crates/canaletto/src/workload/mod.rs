//! What the drive is asked to do: synthetic generators and replayed traces.

pub mod replay;
