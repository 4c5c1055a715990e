//! Clocks of what a LUN does for the drive itself.

use crate::engine::time::Time;
use crate::measure::blame::Cause;

/// Work that the host did not ask for, told apart because waits for it are blamed apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Background {
    /// Garbage collection reads.
    GcRead,
    /// Garbage collection programs.
    GcProgram,
    /// A block is erased.
    Erase,
    /// A mapping table's page is read or programmed.
    Mapping,
    /// A page of the pseudo-SLC cache is copied to native cells.
    Fold,
    /// Parity is programmed, or a page read of which another one is rebuilt.
    Parity,
}

impl Background {
    /// Every kind, in the order of the clocks.
    pub const ALL: [Background; 6] = [
        Background::GcRead,
        Background::GcProgram,
        Background::Erase,
        Background::Mapping,
        Background::Fold,
        Background::Parity,
    ];

    /// Cause to which a wait for it is charged.
    pub fn cause(self) -> Cause {
        match self {
            Background::GcRead => Cause::ChipBusyGcRead,
            Background::GcProgram => Cause::ChipBusyGcProgram,
            Background::Erase => Cause::ChipBusyErase,
            Background::Mapping => Cause::ChipBusyMapping,
            Background::Fold => Cause::ChipBusyFolding,
            Background::Parity => Cause::ChipBusyParity,
        }
    }
}

/// Time a LUN has spent on each kind of background work; differences tell how much of a wait that was.
pub type Clocks = [Time; Background::ALL.len()];
