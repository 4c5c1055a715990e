//! Chips in a ring that begins and ends at the controller, with links of eight data pins one way.
//!
//! ```text
//!              ┌──► chip 0 ──► chip 1 ──► chip 2 ──┐
//! controller 0 ◄───────────────────────────────────┘
//! ```
//! HLNAND (R. Schuetz et al., "HyperLink NAND Flash Architecture for Mass Storage Applications", NVSMW 2007. MOSAID's
//! HLNAND2: 800 MB/s): commands and data of writes go on to their chip, data of reads go on to the controller. Commands
//! and data are the packets of Networked SSD §IV on eight pins.

use std::ops::Range;

use crate::fabric::Direction;
pub use crate::fabric::chains::FACTS;
use crate::fabric::chains::{Chains, Course};

pub enum Around {}

impl Course for Around {
    fn links(columns: u32) -> u32 {
        columns + 1
    }

    fn ends(link: u32, columns: u32) -> (i32, i32) {
        let to = if link == columns { -1 } else { link as i32 };
        (link as i32 - 1, to)
    }

    fn way(direction: Direction, column: u32, columns: u32) -> Range<u32> {
        match direction {
            Direction::ToChip => 0..column + 1,
            Direction::FromChip => column + 1..columns + 1,
        }
    }
}

pub type Ring = Chains<Around>;
