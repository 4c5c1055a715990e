//! The NBD protocol: what goes over the wire, and nothing of sockets, threads or drives.
//!
//! Sections refer to the protocol's document, `doc/proto.md` of <https://github.com/NetworkBlockDevice/nbd>. Numbers are
//! sent in network byte order.

pub mod handshake;
pub mod reply;
pub mod request;

/// Sector of the drive, and smallest block that a client may ask for.
pub const SECTOR: u64 = canaletto::flash::address::SECTOR;

/// Longest read or write: the largest that every client may count on (section "Block size constraints").
pub const LONGEST: u32 = 32 << 20;

/// A drive as clients see it.
#[derive(Debug, Clone)]
pub struct Export {
    /// Name of the drive. The empty name stands for it, too.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Size in bytes: whole sectors.
    pub bytes: u64,
    /// Size of requests that suit the drive: a power of two.
    pub preferred: u32,
}

/// Error values (section "Error values").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Errno {
    /// Input/output error.
    Io = 5,
    /// Invalid argument.
    Invalid = 22,
    /// No space left on device.
    NoSpace = 28,
}
