//! Parts of a mesh: packets, links with their buffers, transfers, and the controllers' books.

use super::routes::{LinkId, Route};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::typed_id;

typed_id!(PacketId);

#[derive(Clone, Copy)]
pub struct Packet {
    pub length: Time,
    /// When its head has passed the router; at the source, when the transfer's packets before it have left.
    pub ready: Time,
    /// When it may start as far as its buffer is concerned.
    pub from: Time,
    pub number: u64,
    pub path: PathId,
    pub behind: PacketId,
    pub after: PacketId,
    /// The link at whose far end it is.
    pub buffer: LinkId,
    pub next: LinkId,
    pub route: Route,
    pub what: WireUse,
    pub last: bool,
}

impl Packet {
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
/// At the far end of a link out of the network is a node, whose buffer holds what it has yet to send.
#[derive(Clone, Copy)]
pub struct Link {
    pub free_at: Time,
    pub wake_at: Time,
    /// Room taken in the buffer, by packets of this total length.
    pub taken: Time,
    /// Room of the packet that is leaving, taken until `left_at`.
    pub leaving: Time,
    /// When the last one that started to leave has left.
    pub left_at: Time,
    pub carried: Time,
    /// The first of the packets in the buffer that have not started to leave.
    pub head: PacketId,
    pub tail: PacketId,
    /// The packets that may start next, one per buffer, soonest ready first.
    pub line: PacketId,
    pub far: LinkId,
    /// Packets at the near end whose next link is this one.
    pub wanted: u32,
    /// Whether one of them waits for room.
    pub starved: bool,
}

impl Link {
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

    pub fn settle(&mut self, now: Time) {
        if self.left_at <= now {
            self.taken = self.taken - self.leaving;
            self.leaving = Time::ZERO;
        }
    }
}

#[derive(Clone, Copy)]
pub struct Path {
    pub unhindered: Time,
    pub port: Time,
    pub load: Time,
    /// The controller it comes from or goes to.
    pub controller: Option<u32>,
}

#[derive(Clone, Copy, Default)]
pub struct Use {
    pub busy: Time,
    pub until: Time,
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
