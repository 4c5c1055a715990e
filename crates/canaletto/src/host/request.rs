//! A host request.

pub use crate::engine::ids::RequestId;
use crate::engine::ids::TransactionId;
use crate::engine::time::Time;
use crate::flash::address::SECTOR;
use crate::measure::charges::RequestCharges;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    Write,
    /// Forget sectors: NVM Express Dataset Management with the Deallocate attribute, TRIM in ATA.
    Trim,
    /// Put what was written before on flash (NVM Express Flush).
    Flush,
    /// Write sectors at the write pointer of a zone (Zone Append).
    Append,
    /// Empty a zone (Zone Management Send, Reset Zone).
    Reset,
    /// Make a zone full (Finish Zone).
    Finish,
    /// Open a zone (Open Zone).
    Open,
    /// Close a zone (Close Zone).
    Close,
    /// Make a reclaim unit handle take another unit (I/O Management Send, Reclaim Unit Handle Update).
    Update,
    /// A task: read sectors, compute on them and return the result.
    Compute,
}

impl Kind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Kind; 11] = [
        Kind::Read,
        Kind::Write,
        Kind::Trim,
        Kind::Flush,
        Kind::Append,
        Kind::Reset,
        Kind::Finish,
        Kind::Open,
        Kind::Close,
        Kind::Update,
        Kind::Compute,
    ];

    /// Number of classes in which latencies are counted: one for each of the first kinds, and one for commands to zones.
    pub const CLASSES: usize = 5;
    pub const OF_ZONES: usize = 4;

    #[inline(always)]
    pub fn returns_data(self) -> bool {
        matches!(self, Kind::Read | Kind::Compute)
    }

    /// Whether it concerns a zone as a whole: it has no sectors.
    pub fn is_of_zone(self) -> bool {
        self.class() == Kind::OF_ZONES
    }

    /// Returns the class in which latencies are counted. Appends are writes, tasks reads, and updates flushes.
    #[inline(always)]
    pub fn class(self) -> usize {
        match self {
            Kind::Append => Kind::Write as usize,
            Kind::Compute => Kind::Read as usize,
            Kind::Update => Kind::Flush as usize,
            kind => (kind as usize).min(Kind::OF_ZONES),
        }
    }
}

/// Result of a request, with the status code of NVM Express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    Success = 0x00,
    InvalidField = 0x02,
    /// A part of the request failed: data could not be read, or not be written.
    Failed = 0x06,
    /// The command crosses the end of a zone, or of its capacity.
    ZoneBoundaryError = 0xb8,
    ZoneIsFull = 0xb9,
    ZoneIsReadOnly = 0xba,
    ZoneIsOffline = 0xbb,
    /// The write does not begin at the write pointer.
    ZoneInvalidWrite = 0xbc,
    TooManyActiveZones = 0xbd,
    TooManyOpenZones = 0xbe,
    /// The zone's state does not allow the command.
    InvalidTransition = 0xbf,
}

impl Status {
    /// Statuses of commands to zones that are refused.
    pub const REFUSALS: [Status; 9] = [
        Status::InvalidField,
        Status::ZoneBoundaryError,
        Status::ZoneIsFull,
        Status::ZoneIsReadOnly,
        Status::ZoneIsOffline,
        Status::ZoneInvalidWrite,
        Status::TooManyActiveZones,
        Status::TooManyOpenZones,
        Status::InvalidTransition,
    ];

    /// Returns the name used in results: the standard's.
    pub fn name(self) -> &'static str {
        match self {
            Status::Success => "successful_completion",
            Status::InvalidField => "invalid_field_in_command",
            Status::Failed => "internal_error",
            Status::ZoneBoundaryError => "zone_boundary_error",
            Status::ZoneIsFull => "zone_is_full",
            Status::ZoneIsReadOnly => "zone_is_read_only",
            Status::ZoneIsOffline => "zone_is_offline",
            Status::ZoneInvalidWrite => "zone_invalid_write",
            Status::TooManyActiveZones => "too_many_active_zones",
            Status::TooManyOpenZones => "too_many_open_zones",
            Status::InvalidTransition => "zone_invalid_state_transition",
        }
    }
}

/// Bytes of its first and last sector that a read leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Edges {
    /// Of the first sector, before the read.
    pub before: u16,
    /// Of the last sector, behind it.
    pub behind: u16,
}

impl Edges {
    /// Whole sectors.
    pub const NONE: Edges = Edges { before: 0, behind: 0 };

    /// Bytes that are left of that many sectors.
    pub fn left_of(self, sectors: u32) -> u64 {
        u64::from(sectors) * SECTOR - u64::from(self.before) - u64::from(self.behind)
    }
}

#[derive(Clone, Copy)]
pub struct Request {
    pub number: u32,
    pub flow: u16,
    pub queue: u16,
    /// Reclaim unit handle, or other stream, of a write or an update.
    pub stream: u16,
    pub kind: Kind,
    pub zeroes: bool,
    /// For a write: whether it is complete only once it is on flash (force unit access).
    pub fua: bool,
    pub status: Status,
    pub path_conflict: bool,
    pub edges: Edges,
    pub lost: Time,
    /// First sector, in the flow's own addresses.
    pub lba: u64,
    pub sectors: u32,
    pub outstanding: u32,
    pub unbegun: u32,
    /// Of a write, its pages that the write buffer has taken. Of a task that has begun, the bytes of its result.
    pub held: u32,
    pub arrival: Time,
    pub enqueue: Time,
    pub since: Time,
    pub charges: RequestCharges,
    /// Once it is done: the request's time is this page's.
    pub last_page: TransactionId,
}

impl Request {
    /// Bytes of user data that cross the host link for it.
    #[inline(always)]
    pub fn bytes(&self) -> u64 {
        if self.kind == Kind::Read || self.kind == Kind::Write && !self.zeroes {
            return self.edges.left_of(self.sectors);
        }
        self.other_bytes()
    }

    #[inline(never)]
    fn other_bytes(&self) -> u64 {
        match self.kind {
            Kind::Append => self.edges.left_of(self.sectors),
            Kind::Compute => u64::from(self.held),
            _ => 0,
        }
    }

    /// Whether any part of it failed: it is completed with an error status.
    #[inline]
    pub fn has_failed(&self) -> bool {
        self.status != Status::Success
    }
}
