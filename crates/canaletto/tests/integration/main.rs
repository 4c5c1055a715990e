//! Parts put together: whole runs and whole fabrics. One binary, since linking one for each file takes longer than its tests.

mod alone;
mod attach;
mod common;
mod copyback;
mod failures;
mod features;
mod flin;
mod flits;
mod formulas;
mod gates;
mod hosts;
mod hybrid;
mod in_place;
mod key_changes;
mod keys;
mod layers;
mod mapping;
mod mesh_reference;
mod precondition;
mod refresh;
mod replay;
mod retries;
mod superblocks;
mod suspend;
mod swarm;
mod units;
