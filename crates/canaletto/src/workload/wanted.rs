//! Requests of flows, as they are wanted.

use crate::host::request::Kind;

/// Request of a flow, with sectors in the flow's own addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Kind of the request.
    pub kind: Kind,
    /// Whether a write must be on flash before it is complete.
    pub fua: bool,
    /// Whether a write writes zeroes.
    pub zeroes: bool,
    /// First sector.
    pub lba: u64,
    /// Number of sectors.
    pub sectors: u32,
}

impl Wanted {
    /// Reads sectors.
    pub fn read(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Read, fua: false, zeroes: false, lba, sectors }
    }

    /// Writes sectors.
    pub fn write(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Write, ..Wanted::read(lba, sectors) }
    }

    /// Writes zeroes to sectors, without data on the link.
    pub fn write_zeroes(lba: u64, sectors: u32) -> Wanted {
        Wanted { zeroes: true, ..Wanted::write(lba, sectors) }
    }

    /// Forgets sectors.
    pub fn trim(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Trim, ..Wanted::read(lba, sectors) }
    }

    /// Puts on flash what was written before.
    pub fn flush() -> Wanted {
        Wanted { kind: Kind::Flush, ..Wanted::read(0, 0) }
    }

    /// The same write, complete only once it is on flash.
    pub fn with_fua(self) -> Wanted {
        Wanted { fua: self.kind == Kind::Write, ..self }
    }
}
