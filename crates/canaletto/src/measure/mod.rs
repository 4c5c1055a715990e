//! Measurements of a run.

// Modules whose types are no results need no comment where a name says all.
pub mod area;
pub mod blame;
pub mod cache;
#[allow(missing_docs)]
pub mod charges;
#[allow(missing_docs)]
pub mod compute;
pub mod cut_off;
pub mod energy;
pub mod fdp;
#[allow(missing_docs)]
pub mod flow_interference;
#[allow(missing_docs)]
pub mod histogram;
#[allow(missing_docs)]
pub mod intervals;
pub mod load;
pub mod maintenance;
pub mod map;
pub mod parity;
pub mod precondition;
#[allow(missing_docs)]
pub mod probe;
pub mod pseudo_slc;
#[allow(missing_docs)]
pub mod records;
pub mod replay;
pub mod report;
pub mod result;
#[allow(missing_docs)]
pub mod root_cause;
pub mod series;
#[allow(missing_docs)]
pub mod statistics;
#[allow(missing_docs)]
pub mod synthesis;
#[allow(missing_docs)]
pub mod timeline;
#[allow(missing_docs)]
pub mod wire_check;
pub mod zones;
