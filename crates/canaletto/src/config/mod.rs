//! Configuration: one truth, typed.

pub mod mqsim;
