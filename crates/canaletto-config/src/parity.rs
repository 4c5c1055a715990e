//! Keys of parity.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::Layout;

/// Parity within superblocks, a RAID 5 inside the drive (RAIN in Micron's data sheets). The pages of one number in the
/// planes of one number of a superblock's dies, or channels, form a stripe. One of them holds the exclusive or of the
/// others and is programmed once those are. Which die or channel has a superblock's parity goes round with its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Parity {
    /// No parity.
    #[default]
    None,
    /// Stripes with a page of each die: any one die can be lost.
    Die,
    /// Stripes with a page of each channel: any one channel can be lost.
    Channel,
}

impl Parity {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            Parity::None => "none",
            Parity::Die => "die",
            Parity::Channel => "channel",
        }
    }

    /// Neighbouring planes that are lost together; 0 without parity.
    pub fn unit_planes(self, layout: &Layout) -> u32 {
        match self {
            Parity::None => 0,
            Parity::Die => layout.planes_per_die,
            Parity::Channel => layout.planes() / layout.channels,
        }
    }
}
