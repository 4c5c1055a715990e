//! Measurements of a run, and the report made of them.

pub mod area;
pub mod blame;
pub mod cache;
pub mod charges;
pub mod cut_off;
pub mod energy;
pub mod flow_interference;
pub mod histogram;
pub mod intervals;
pub mod load;
pub mod maintenance;
pub mod map;
pub mod parity;
pub mod precondition;
pub mod probe;
pub mod pseudo_slc;
pub mod records;
pub mod replay;
pub mod report;
pub mod result;
pub mod root_cause;
pub mod series;
pub mod statistics;
pub mod synthesis;
pub mod timeline;
pub mod wire_check;
