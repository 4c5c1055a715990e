//! The NBD protocol on the wire.
//!
//! Sections refer to `doc/proto.md` of <https://github.com/NetworkBlockDevice/nbd>. Numbers are in network byte order.

pub mod handshake;
pub mod reply;
pub mod request;

/// Smallest block that a client may request.
pub const SECTOR: u64 = canaletto::flash::address::SECTOR;

/// The largest that every client may count on (section "Block size constraints").
pub const LONGEST: u32 = 32 << 20;

/// A drive as clients see it.
#[derive(Debug, Clone)]
pub struct Export {
    /// The empty name also stands for it.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// In bytes: whole sectors.
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
