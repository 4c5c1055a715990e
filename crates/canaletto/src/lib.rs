//! A fast, exact, deterministic simulator of solid-state drives.
//!
//! Bytes and configurations in, results out: nothing in this crate touches files, threads, clocks or the environment.

pub mod config;
pub mod workload;
