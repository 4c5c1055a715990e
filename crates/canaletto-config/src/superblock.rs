//! Keys of superblocks.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::address::Layout;

/// Planes whose blocks of equal number form a superblock. These blocks are opened together, filled in stripes (page p
/// of every plane, then page p + 1), chosen as victims by the sum of their valid pages, and erased together.
/// Controllers then keep one state for a superblock instead of one for each block. A reclaim unit of NVM Express's
/// Flexible Data Placement is usually one, as are the lines of FEMU (Li et al., FAST 2018).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Superblock {
    /// No superblocks: every plane uses its blocks on its own.
    #[default]
    None,
    /// Planes of a die.
    Die,
    /// Planes of a chip.
    Chip,
    /// Planes of the chips of a channel.
    Channel,
    /// All planes of the drive.
    Drive,
}

impl Superblock {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            Superblock::None => "none",
            Superblock::Die => "die",
            Superblock::Chip => "chip",
            Superblock::Channel => "channel",
            Superblock::Drive => "drive",
        }
    }

    /// Planes of a superblock, which are neighbours.
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
