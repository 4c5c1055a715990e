use super::routes::{LinkId, Route};
use crate::engine::time::Time;
use crate::fabric::PathId;
use crate::fabric::trace::WireUse;
use crate::typed_id;

typed_id!(PacketId);

#[derive(Clone, Copy)]
pub struct Packet {
    pub length: Time,
    /// Its head has passed the router; at the source, the packets before it have left.
    pub ready: Time,
    /// As far as its buffer is concerned.
    pub from: Time,
    pub number: u64,
    pub path: PathId,
    pub behind: PacketId,
    pub after: PacketId,
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

/// At the far end of a link out of the network is a node, whose buffer holds what it has yet to send.
#[derive(Clone, Copy)]
pub struct Link {
    pub free_at: Time,
    pub wake_at: Time,
    pub taken: Time,
    pub leaving: Time,
    pub left_at: Time,
    pub carried: Time,
    /// It has not started to leave.
    pub head: PacketId,
    pub tail: PacketId,
    /// One per buffer, soonest ready first.
    pub line: PacketId,
    pub far: LinkId,
    pub wanted: u32,
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
    pub controller: Option<u32>,
}

#[derive(Clone, Copy, Default)]
pub struct Use {
    pub busy: Time,
    pub until: Time,
    pub idle: (Time, Time),
}

impl Use {
    /// It starts no sooner than any but the last one.
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
