use crate::config::workload::Priority;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    Gc,
    /// For pages from other planes. No claim on the reserved blocks.
    Arrivals,
    /// Of all streams in the first or of one stream each.
    Translation(u16),
    User(u16),
    /// Where moved data of streams stay apart.
    GcOf(u16),
    /// Without room there, the host's frontier takes the page.
    Cached(u16),
}

pub(super) const OWN: usize = 2;

impl Frontier {
    #[inline]
    pub(super) fn index(self, streams: u16) -> usize {
        match self {
            Frontier::Gc => 0,
            Frontier::Arrivals => 1,
            Frontier::Translation(stream) => OWN + usize::from(stream),
            Frontier::User(stream) => OWN + usize::from(streams) + usize::from(stream),
            // These exclude each other.
            Frontier::Cached(stream) | Frontier::GcOf(stream) => OWN + 2 * usize::from(streams) + usize::from(stream),
        }
    }

    /// Within a plane or group.
    #[inline]
    pub fn is_of_collection(self) -> bool {
        matches!(self, Frontier::Gc | Frontier::GcOf(_))
    }

    pub fn native(self) -> Frontier {
        if let Frontier::Cached(stream) = self { Frontier::User(stream) } else { self }
    }
}

/// One priority class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub frontier: Frontier,
    pub class: u8,
}

impl Line {
    pub const PARITY: u8 = Priority::COUNT as u8;
    pub(super) const CLASSES: usize = Priority::COUNT + 1;
}
