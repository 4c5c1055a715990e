//! Chips in a daisy chain, with links of eight data pins each way between neighbours.
//!
//! ```text
//!              ┌──► ┌──► ┌──►
//! controller 0 │ chip 0 │ chip 1 │ chip 2      a link drives one pad, whatever the number of chips
//!              ◄──┘ ◄──┘ ◄──┘
//! ```
//! Kioxia's bridge chips (A. Tokiwa et al., and the press releases of 2020 and 2021) send both ways at the same time.
//! Commands and data are the packets of Networked SSD §IV on eight pins.

use std::ops::Range;

use crate::fabric::Direction;
pub use crate::fabric::chains::FACTS;
use crate::fabric::chains::{Chains, Course};

/// Links out come first.
pub enum OutAndBack {}

impl Course for OutAndBack {
    fn links(columns: u32) -> u32 {
        2 * columns
    }

    fn ends(link: u32, columns: u32) -> (i32, i32) {
        let chip = (link % columns) as i32;
        if link < columns { (chip - 1, chip) } else { (chip, chip - 1) }
    }

    fn way(direction: Direction, column: u32, columns: u32) -> Range<u32> {
        match direction {
            Direction::ToChip => 0..column + 1,
            Direction::FromChip => Range { start: columns + column, end: columns - 1 },
        }
    }
}

pub type DaisyChain = Chains<OutAndBack>;
