//! Write frontiers and their lines: where writes get their pages from.

use crate::config::workload::Priority;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    /// Garbage collection's, for pages of the plane itself.
    Gc,
    /// Garbage collection's, for pages from other planes. It has no claim on the reserved blocks.
    Arrivals,
    /// The mapping table's: translation pages, of all streams in the first or of one stream each.
    Translation(u16),
    User(u16),
    /// Garbage collection's, for pages of one stream of the host, where moved data of streams stay apart.
    GcOf(u16),
    /// The pseudo-SLC cache's, of one stream of the host. Without room there, the host's takes the page.
    Cached(u16),
}

/// Frontiers of garbage collection in a plane.
pub(super) const OWN: usize = 2;

impl Frontier {
    #[inline]
    pub(super) fn index(self, streams: u16) -> usize {
        match self {
            Frontier::Gc => 0,
            Frontier::Arrivals => 1,
            Frontier::Translation(stream) => OWN + usize::from(stream),
            Frontier::User(stream) => OWN + usize::from(streams) + usize::from(stream),
            // Superblocks and a pseudo-SLC cache exclude each other.
            Frontier::Cached(stream) | Frontier::GcOf(stream) => OWN + 2 * usize::from(streams) + usize::from(stream),
        }
    }

    /// Whether it takes what collection moves within a plane or group.
    #[inline]
    pub fn is_of_collection(self) -> bool {
        matches!(self, Frontier::Gc | Frontier::GcOf(_))
    }

    pub fn native(self) -> Frontier {
        if let Frontier::Cached(stream) = self { Frontier::User(stream) } else { self }
    }
}

/// Writes of a frontier that may share a flash page: one priority class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// Where they get their pages from.
    pub frontier: Frontier,
    pub class: u8,
}

impl Line {
    pub const PARITY: u8 = Priority::COUNT as u8;
    pub(super) const CLASSES: usize = Priority::COUNT + 1;
}
