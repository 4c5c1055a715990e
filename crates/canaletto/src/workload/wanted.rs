use crate::flash::address::SECTOR;
use crate::host::request::{Edges, Kind};

/// Request of a flow, with sectors in the flow's own addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    pub kind: Kind,
    /// Whether a write must be on flash before it is complete.
    pub fua: bool,
    pub zeroes: bool,
    pub lba: u64,
    pub sectors: u32,
    pub edges: Edges,
    /// Reclaim unit handle of a write or an update; none is the flow's.
    pub handle: Option<u16>,
}

impl Wanted {
    pub fn read(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Read, fua: false, zeroes: false, lba, sectors, edges: Edges::NONE, handle: None }
    }

    /// A read of bytes, which need not be whole sectors.
    pub fn read_bytes(first: u64, bytes: u64) -> Wanted {
        let (lba, end) = (first / SECTOR, (first + bytes).div_ceil(SECTOR));
        let (before, behind) = ((first % SECTOR) as u16, (end * SECTOR - first - bytes) as u16);
        Wanted { edges: Edges { before, behind }, ..Wanted::read(lba, (end - lba) as u32) }
    }

    pub fn bytes(&self) -> u64 {
        self.edges.left_of(self.sectors)
    }

    /// The first of them.
    pub fn first_byte(&self) -> u64 {
        self.lba * SECTOR + u64::from(self.edges.before)
    }

    pub fn write(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Write, ..Wanted::read(lba, sectors) }
    }

    pub fn write_zeroes(lba: u64, sectors: u32) -> Wanted {
        Wanted { zeroes: true, ..Wanted::write(lba, sectors) }
    }

    pub fn trim(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Trim, ..Wanted::read(lba, sectors) }
    }

    pub fn flush() -> Wanted {
        Wanted { kind: Kind::Flush, ..Wanted::read(0, 0) }
    }

    pub fn of_zone(kind: Kind, lba: u64) -> Wanted {
        Wanted { kind, ..Wanted::read(lba, 0) }
    }

    /// An update of a reclaim unit handle, by default the flow's.
    pub fn update() -> Wanted {
        Wanted { kind: Kind::Update, ..Wanted::flush() }
    }

    /// With the reclaim unit handle that it names.
    pub fn with_handle(self, handle: Option<u16>) -> Wanted {
        Wanted { handle, ..self }
    }

    pub fn append(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Append, ..Wanted::read(lba, sectors) }
    }

    pub fn with_fua(self) -> Wanted {
        Wanted { fua: self.kind == Kind::Write, ..self }
    }
}
