//! Clocks of what a LUN does for the drive itself.

use crate::engine::time::Time;
use crate::measure::blame::Cause;

/// The drive's own work, by the cause of waits for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Background {
    GcRead,
    GcProgram,
    Erase,
    Mapping,
    /// A page of the pseudo-SLC cache is copied to native cells.
    Fold,
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
