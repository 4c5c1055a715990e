//! Parts put together: whole runs and whole fabrics. One binary, since linking one for each file takes longer than its tests.

#![allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)] // the engine's rules, not its tests'

mod alone;
mod attach;
mod common;
mod copyback;
mod drive;
mod extremes;
mod failed_parts;
mod failures;
mod flin;
mod flits;
mod formulas;
mod gates;
mod gathering;
mod hosts;
mod hybrid;
mod in_place;
mod key_changes;
mod keys;
mod layers;
mod limited;
mod mapping;
mod mesh_reference;
mod numbering;
mod outer_code;
mod overrun;
mod own_rules;
mod parity;
mod pipelines;
mod precondition;
mod pseudo_slc;
mod refresh;
mod replay;
mod retries;
mod root_causes;
mod sequences;
mod single_columns;
mod spans;
mod superblocks;
mod suspend;
mod swarm;
mod transfer_order;
mod trims;
mod units;
mod wires;
