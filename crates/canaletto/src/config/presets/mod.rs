//! Designs and workload profiles that ship with canaletto. A new preset is a file here and a line in [`PRESETS`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::config::units::{Duration, Size};
use crate::config::workload::{Addresses, Flow, Priority, Synthetic, Workload};

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        /// Name and TOML text of every preset.
        const PRESETS: &[(&str, &str)] = &[$(($name, include_str!(concat!($name, ".toml")))),*];
    };
}

presets!(
    "performance-optimized",
    "cost-optimized",
    "networked-ssd",
    "mqsim-fast18",
    "pcie4-tlc",
    "pcie5-tlc",
    "pcie4-qlc",
);

const PROFILES: &str = include_str!("profiles.toml");

/// Requests of a profile unless said otherwise.
const PROFILE_REQUESTS: u64 = 100_000;

/// A name and what it stands for.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// The name.
    pub name: String,
    /// One line.
    pub about: String,
}

/// A profile as its file states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    read_share: f64,
    size: Size,
    inter_arrival: Duration,
    about: String,
}

/// The TOML text of a preset.
pub fn preset_text(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Names of all presets.
pub fn preset_names() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}

/// All design presets.
pub fn presets() -> Vec<Listing> {
    #[derive(Deserialize)]
    struct About {
        about: String,
    }
    let about = |text| toml::from_str::<About>(text).expect("presets are tested").about;
    PRESETS.iter().map(|(name, text)| Listing { name: (*name).to_owned(), about: about(text) }).collect()
}

fn profile_table() -> BTreeMap<String, Profile> {
    toml::from_str(PROFILES).expect("profiles are tested")
}

/// All workload profiles.
pub fn profiles() -> Vec<Listing> {
    profile_table().into_iter().map(|(name, p)| Listing { name, about: p.about }).collect()
}

/// A profile as a workload: exponential arrivals, uniform addresses, sizes in whole multiples of 4 KiB.
pub fn profile(name: &str) -> Option<Workload> {
    let profile = profile_table().remove(name)?;
    let page = Size(4096);
    let synthetic = Synthetic {
        trim_share: 0.0,
        flush_share: 0.0,
        fua_share: 0.0,
        requests: PROFILE_REQUESTS,
        stop: None,
        read_share: profile.read_share,
        addresses: Addresses::Uniform,
        hot_share: None,
        working_set: 1.0,
        alignment: page,
        size: profile.size,
        size_unit: page,
        size_deviation: Size(0),
        queue_depth: None,
        inter_arrival: Some(profile.inter_arrival),
        start: Duration(0),
        mqsim_seed: None,
    };
    let flow = Flow {
        cache: None,
        name: name.to_owned(),
        priority: Priority::default(),
        channels: None,
        chips: None,
        dies: None,
        planes: None,
        occupancy: None,
        synthetic: Some(synthetic),
        trace: None,
        mix: None,
    };
    let (partitioned, last_flow_first) = (false, false);
    let name = name.to_owned();
    Some(Workload { name, about: profile.about, partitioned, last_flow_first, inter_arrival: None, flow: vec![flow] })
}
