//! Parts of a mesh: packets, links with their buffers, transfers, and the controllers' books.

use super::routes::{LinkId, Route};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::typed_id;

typed_id!(
    /// A packet on its way.
    PacketId
);

/// A packet on its way.
#[derive(Clone, Copy)]
pub struct Packet {
    /// Time on a link.
    pub length: Time,
    /// When its head has passed the router; at the source, when the packets before it of the same transfer have left.
    pub ready: Time,
    /// When it may start as far as its buffer is concerned: it is ready and the one before it has left.
    pub from: Time,
    /// Number in the order of creation.
    pub number: u64,
    /// Path to which it belongs.
    pub path: PathId,
    /// The one behind it in its buffer.
    pub behind: PacketId,
    /// The one behind it in the line for its next link.
    pub after: PacketId,
    /// The link at whose far end it is.
    pub buffer: LinkId,
    /// The link it takes next.
    pub next: LinkId,
    /// Where it goes from there.
    pub route: Route,
    /// Its load.
    pub what: WireUse,
    /// Whether the path has crossed when it has.
    pub last: bool,
}

impl Packet {
    /// A packet at its source.
    pub fn new(path: PathId, last: bool, what: WireUse, length: Time, ready: Time, route: Route) -> Packet {
        Packet {
            length,
            ready,
            from: ready,
            number: 0,
            path,
            behind: PacketId::NONE,
            after: PacketId::NONE,
            buffer: LinkId::NONE,
            next: LinkId::NONE,
            route,
            what,
            last,
        }
    }
}

/// A directed link and the buffer at its far end.
///
/// The far end of a link out of the network is a node: what it holds there is what the node has yet to send.
#[derive(Clone, Copy)]
pub struct Link {
    /// When the last packet's last flit has been sent.
    pub free_at: Time,
    /// When the link must be looked at next.
    pub wake_at: Time,
    /// Room taken in the buffer, by packets of this total length.
    pub taken: Time,
    /// Room of the packet that has started to leave the buffer, still taken until `left_at`.
    pub leaving: Time,
    /// When the last one that started to leave has left.
    pub left_at: Time,
    /// Time in use.
    pub carried: Time,
    /// The first of the packets in the buffer that have not started to leave.
    pub head: PacketId,
    /// The last of them.
    pub tail: PacketId,
    /// The packets that may start next, one from each buffer, soonest ready first.
    pub line: PacketId,
    /// The first link of the router at the far end.
    pub far: LinkId,
    /// How many packets in all buffers at the near end take this link next.
    pub wanted: u32,
    /// Whether one of them waits for room.
    pub starved: bool,
}

impl Link {
    /// A link that nothing crossed yet.
    pub const IDLE: Link = Link {
        free_at: Time::ZERO,
        wake_at: Time::MAX,
        taken: Time::ZERO,
        leaving: Time::ZERO,
        left_at: Time::ZERO,
        carried: Time::ZERO,
        head: PacketId::NONE,
        tail: PacketId::NONE,
        line: PacketId::NONE,
        far: LinkId::NONE,
        wanted: 0,
        starved: false,
    };

    /// Gives back the room of a packet that has left.
    pub fn settle(&mut self, now: Time) {
        if self.left_at <= now {
            self.taken = self.taken - self.leaving;
            self.leaving = Time::ZERO;
        }
    }
}

/// A transfer on its way.
#[derive(Clone, Copy)]
pub struct Path {
    /// When it would have crossed alone.
    pub unhindered: Time,
    /// Time its last packet waited for links of chips.
    pub port: Time,
    /// Time on the wires.
    pub load: Time,
    /// The controller it comes from or goes to.
    pub controller: Option<u32>,
}

/// The time in which a controller sends or receives.
#[derive(Clone, Copy, Default)]
pub struct Use {
    /// How long, so far.
    pub busy: Time,
    /// Up to when.
    pub until: Time,
    /// The time before its last use in which it had none: arrivals are booked a hop before they start.
    pub idle: (Time, Time),
}

impl Use {
    /// Counts a use, which starts no sooner than any but the last one did.
    pub fn book(&mut self, start: Time, end: Time) {
        if start >= self.until {
            self.idle = (self.until, start);
        } else if start < self.idle.1 {
            let within = self.idle.1.min(end);
            self.busy += within.saturating_sub(self.idle.0.max(start));
            self.idle.0 = self.idle.0.max(within);
        }
        self.busy += end.saturating_sub(self.until.max(start));
        self.until = self.until.max(end);
    }
}
