//! Readers and writers of traces, from outside. One binary, since linking one for each file takes longer than its tests.

mod bad_input;
mod common;
mod every_format;
mod files;
mod fuzz;
mod packed;
mod properties;
mod real_traces;
