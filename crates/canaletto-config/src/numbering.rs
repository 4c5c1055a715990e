//! Keys of the numbering of chips.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// Chip of the array at which each channel and way of the FTL lies. `ftl.allocation` and flows' `channels` and `chips` count in
/// the FTL's numbers; wires, superblocks, groups of collection, maps and results in the array's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Numbering {
    /// Way j of channel i is chip j of row i: a channel of the FTL is a row of the array.
    #[default]
    RowMajor,
    /// A pair of orthogonal Latin squares: way j of channel i is in row i + j and column i + 2 j. The sums are in the
    /// finite field of as many elements as there are rows and columns. The chips of a channel, and of a way, then lie
    /// in different rows and columns, and traffic for one channel has all buses. The smaller of the array's sizes is a
    /// prime power of at least 3 (3, 4, 5, 7, 8, 9, 11, 13, 16, …), and the larger one a multiple of it.
    Latin,
}

impl Numbering {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            Numbering::RowMajor => "row-major",
            Numbering::Latin => "latin",
        }
    }
}
