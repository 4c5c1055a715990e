//! Values that user-defined parts are given: operations, transfers and places.

use crate::address::ChipId;
use crate::time::Time;
use crate::typed_id;

/// A place in the chip array: row and column.
pub type Place = (i32, i32);

typed_id!(
    /// A path in use, until it is given back.
    PathId
);
/// Which way a transfer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Commands, and the data of writes.
    ToChip,
    /// The data of reads.
    FromChip,
}

/// Data and commands that have to cross for one flash command.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The chip at the far end.
    pub chip: ChipId,
    /// Which way.
    pub direction: Direction,
    /// Time of commands and addresses on the wires, see `Fabric::command_time` of the engine.
    pub command: Time,
    /// Time of data on the wires, see `Fabric::data_time`.
    pub data: Time,
}

impl Transfer {
    /// Time on the wires in all.
    #[inline]
    pub fn time(&self) -> Time {
        self.command + self.data
    }
}

/// Kinds of array operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Page read.
    Read,
    /// Page program.
    Program,
    /// Block erase.
    Erase,
}

impl Operation {
    /// Number of operations.
    pub const COUNT: usize = 3;
}

/// Who wants a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A page of a host request.
    User,
    /// The read of the old page that a partial write needs.
    OldPage,
    /// A page of a host request that must be forgotten.
    Trim,
    /// A part of a host request that the data cache serves; it never reaches a chip.
    Cached,
    /// A page on its way from the data cache to flash.
    Destage,
    /// Garbage collection.
    Gc,
    /// The mapping table: one of its translation pages.
    Mapping,
    /// Parity: a page that holds it is programmed.
    Parity,
    /// The read of a page of which another one of its stripe is rebuilt.
    Rebuild,
    /// A page that a task computes on.
    Operand,
}

impl Origin {
    /// Kind of work for which it is done.
    pub fn work(self) -> Work {
        match self {
            Origin::User | Origin::OldPage | Origin::Trim | Origin::Cached | Origin::Operand => Work::Host,
            Origin::Parity | Origin::Rebuild => Work::Parity,
            Origin::Destage => Work::Cache,
            Origin::Gc => Work::Gc,
            Origin::Mapping => Work::Mapping,
        }
    }
}

/// Purpose of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Request of the host.
    Host,
    /// Destage of a page from the data cache.
    Cache,
    /// Collection of blocks, for any reason.
    Gc,
    /// Translation pages of the mapping table.
    Mapping,
    /// Parity of superblocks, and pages that are rebuilt from it.
    Parity,
}

impl Work {
    /// Names, in the order of their numbers.
    pub const NAMES: [&str; 5] = ["host", "cache", "gc", "mapping", "parity"];
}
