use crate::engine::time::Time;
use crate::measure::blame::Cause;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Background {
    GcRead,
    GcProgram,
    Erase,
    Mapping,
    Fold,
    Parity,
}

impl Background {
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

/// Differences give the part of a wait.
pub type Clocks = [Time; Background::ALL.len()];
