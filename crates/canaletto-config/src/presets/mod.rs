//! Designs and workload profiles that ship. A new preset is a file here and a line in [`PRESETS`].

mod profiles;

use serde::{Deserialize, Serialize};

use crate::reader::read_text;

pub use profiles::{profile, profiles};

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
    "pcie3-z-nand",
    "pcie3-3d-xpoint",
    "pcie4-tlc-980pro",
    "pcie3-mlc-970pro",
    "pcie4-tlc-zn540",
    "pcie5-tlc-cm7",
    "pcie5-tlc-cm7r",
    "pcie4-tlc-pe8110",
    "pcie4-tlc-7450-pro",
    "pcie4-tlc-7450-max",
    "pcie4-tlc-pm9a3",
    "pcie4-tlc-p5520",
    "pcie3-tlc-wd-dc",
    "hbf-384",
    "hbf-1536",
    "hbf-3072",
);

/// Entry of a list of presets or profiles.
#[derive(Debug, Clone, Serialize)]
pub struct Listing {
    /// Name on the command line.
    pub name: String,
    /// One-line description.
    pub about: String,
}

/// TOML text of a preset.
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
    let about = |text| read_text::<About>(text).expect("presets are tested").about;
    PRESETS.iter().map(|(name, text)| Listing { name: (*name).to_owned(), about: about(text) }).collect()
}
