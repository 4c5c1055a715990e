//! Superblocks: which blocks are used together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::flash::address::Layout;

/// Planes whose blocks of equal number form a superblock: they are opened together, filled in stripes (page p of every plane,
/// then page p + 1), chosen as victims by their valid pages in sum, and erased together. Controllers keep one state for all of
/// them instead of one for each block; a reclaim unit of NVM Express's Flexible Data Placement is usually one, as are the
/// lines of FEMU (Li et al., FAST 2018).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Superblock {
    /// None: every plane uses its blocks on its own.
    #[default]
    None,
    /// The planes of a die.
    Die,
    /// Those of a chip.
    Chip,
    /// Those of the chips of a channel.
    Channel,
    /// All of the drive.
    Drive,
}

impl Superblock {
    /// The name used in designs.
    pub fn name(self) -> &'static str {
        match self {
            Superblock::None => "none",
            Superblock::Die => "die",
            Superblock::Chip => "chip",
            Superblock::Channel => "channel",
            Superblock::Drive => "drive",
        }
    }

    /// Planes of a group; planes are numbered so that these are neighbours.
    pub fn planes(self, layout: &Layout) -> u32 {
        let per_chip = layout.planes_per_die * layout.dies_per_chip;
        match self {
            Superblock::None => 1,
            Superblock::Die => layout.planes_per_die,
            Superblock::Chip => per_chip,
            Superblock::Channel => per_chip * layout.chips_per_channel,
            Superblock::Drive => layout.planes(),
        }
    }
}
