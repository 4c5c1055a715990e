//! One binary, because linking takes longer than the tests.

mod bad_input;
mod common;
mod every_format;
mod files;
mod fuzz;
mod packed;
mod properties;
mod real_traces;
