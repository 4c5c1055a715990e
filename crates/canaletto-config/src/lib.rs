//! Configuration of drives, workloads and PCs, as typed structs.
//!
//! [`design`] and [`workload`] define every key; their doc comments become the JSON Schema. [`check`] holds the rules
//! between keys. [`own`] is the interface of user-defined parts.

// Things that configuration may not do stand in clippy.toml; its tests may do them.
#![cfg_attr(test, allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types))]

pub mod address;
pub mod area;
pub mod attach;
mod attach_check;
mod bus_load;
pub mod cache;
pub mod capacity;
pub mod check;
pub mod compute;
pub mod design;
pub mod energy;
pub mod error;
mod fabric;
mod fabric_failures;
pub mod fdp;
mod galois;
mod gc;
mod host;
mod hybrid;
mod ids;
mod in_place;
pub mod kinds;
mod latin;
pub mod load;
mod mapping;
mod mapping_unit;
pub mod medium;
pub mod mqsim;
pub mod named;
pub mod names;
pub mod namespace;
mod numbering;
mod numbers;
pub mod own;
mod parity;
pub mod pc;
mod precondition;
pub mod presets;
pub mod pseudo_slc;
pub mod reader;
pub mod reading;
mod refresh;
pub mod replay;
mod scheduler;
pub mod schema;
pub mod sequences;
pub mod setting;
mod superblock;
pub mod synthetic;
mod synthetic_check;
pub mod time;
pub mod units;
mod without_effect;
mod wording;
pub mod workload;
pub mod writer;
pub mod zns;

#[cfg(not(test))]
use canaletto_no_schema::JsonSchema;
#[cfg(test)]
use schemars::JsonSchema;

pub use error::ConfigError;
pub use load::{load_design, load_pc, load_workload, located, resolve_workload};
pub use presets::{Listing, presets, profiles};
pub use schema::{Kind, schema};
