//! Configuration: one truth, typed.

pub mod design;
pub mod mqsim;
pub mod units;
pub mod workload;
