//! MQSim's own input files: text in, typed structs out.
//!
//! Names, types, defaults and spellings come from CMU-SAFARI/MQSim, commit 7ec40e3 (`src/exec/*_Parameter_Set.cpp`).
//! Where MQSim reads another value than a number says (`1.5` is 1, 65540 is 4 in 16 bits) or takes a flag for true, so
//! does this module, and reports it. Other wrong values (`16abc`) are an [`XmlError`], and unknown tags unless it
//! ignores them. Tags without effect are reported as [`Ignored`].

mod device;
mod device_tags;
mod error;
mod ignored;
mod import;
mod tags;
mod values;
mod words;
mod workload;
mod workload_tags;
mod xml;

#[cfg(test)]
mod tests;

pub use device::{ControllerXml, DeviceXml, FlashXml, HostXml};
pub use device_tags::{parse_device, read_device};
pub use error::XmlError;
pub use ignored::{Ignored, IgnoredKind, TagLines};
pub use import::{ImportedScenario, import, rounded_rate};
pub use words::*;
pub use workload::{FlowKind, FlowXml, ScenarioXml, SyntheticXml, TraceXml};
pub use workload_tags::{parse_workload, read_workload};
