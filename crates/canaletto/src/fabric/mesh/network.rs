//! Virtual cut-through: how packets get from buffer to buffer.
//!
//! ```text
//! source ─► │ p q r │ ─┐             a buffer at the far end of every link, first in first out;
//!                      ├─► link ─► │ s t … │ ─► …      the heads that want the same link stand in its line
//!           │ u v   │ ─┘
//! ```
//! A packet of length L (its time on a link) starts to cross a link at s, when
//! - the link is free: the packet before it started L' earlier, or more;
//! - the buffer at the far end has room for all of it, taken at s and given back when its last flit has left there (nodes
//!   take everything at once);
//! - it is the head of its buffer and the packet before it has left entirely;
//! - its head has arrived and passed the router: a flit time and the router's delay after its last start. At its source
//!   it is ready at once.
//!
//! Of several packets that wait for a link, the one whose head passed the router first goes first, ties going to the one
//! created first; it is not overtaken while it waits for room.
//!
//! All that decides a start at a moment t is settled before t: nothing follows from a start sooner than a flit time later.
//! So a link need only be looked at when something may start, and events of the same moment may happen in any order. A
//! packet that starts and finds nobody else at its next router who could take its next link starts over that one in
//! advance: one event every other hop where nothing is in the way.

use super::routes::{EAST, FROM_CHIP, FROM_CONTROLLER, Grid, LinkId, ROUTER_PORTS, Route, WEST};
use crate::fabric::PathId;
use crate::fabric::tape::{Tape, WireUse};
use crate::sim::arena::Slab;
use crate::sim::time::Time;
use crate::typed_id;

typed_id!(
    /// A packet on its way.
    PacketId
);

/// What can happen in a mesh.
#[derive(Debug, Clone, Copy)]
pub enum MeshEvent {
    /// Something may start to cross a link.
    Wake(LinkId),
    /// The last packet of a node has left it over this link.
    Sent(LinkId),
    /// The last packet of a path has arrived.
    Arrived(PathId),
}

/// A packet on its way.
#[derive(Clone, Copy)]
pub struct Packet {
    /// Time on a link.
    length: Time,
    /// When its head has passed the router; at the source, when the packets before it of the same leg have left.
    ready: Time,
    /// When it may start as far as its buffer is concerned: it is ready and the one before it has left.
    from: Time,
    /// Number in the order of creation.
    number: u64,
    path: PathId,
    /// The one behind it in its buffer.
    behind: PacketId,
    /// The one behind it in the line for its next link.
    after: PacketId,
    /// The link at whose far end it is.
    buffer: LinkId,
    /// The link it takes next.
    next: LinkId,
    route: Route,
    what: WireUse,
    /// Whether the path has crossed when it has.
    last: bool,
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
struct Link {
    /// When the last packet's last flit has been sent.
    free_at: Time,
    /// When the link is to be looked at next.
    wake_at: Time,
    /// Room taken in the buffer, by packets of this total length.
    taken: Time,
    /// Room of the packet that has started to leave the buffer, still taken until `left_at`.
    leaving: Time,
    left_at: Time,
    /// Time in use.
    carried: Time,
    /// Packets in the buffer that have not started to leave.
    head: PacketId,
    tail: PacketId,
    /// The packets that may start next, one from each buffer, soonest ready first.
    line: PacketId,
    /// How many packets in all buffers at the near end take this link next.
    wanted: u32,
    /// Whether one of them waits for room.
    starved: bool,
}

impl Link {
    const IDLE: Link = Link {
        free_at: Time::ZERO,
        wake_at: Time::MAX,
        taken: Time::ZERO,
        leaving: Time::ZERO,
        left_at: Time::ZERO,
        carried: Time::ZERO,
        head: PacketId::NONE,
        tail: PacketId::NONE,
        line: PacketId::NONE,
        wanted: 0,
        starved: false,
    };

    /// Gives back the room of a packet that has left.
    fn settle(&mut self, now: Time) {
        if self.left_at <= now {
            self.taken = self.taken - self.leaving;
            self.leaving = Time::ZERO;
        }
    }
}

/// A leg on its way.
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
struct Use {
    busy: Time,
    until: Time,
    /// The time before its last use in which it had none: arrivals are booked a hop before they start.
    idle: (Time, Time),
}

impl Use {
    fn book(&mut self, start: Time, end: Time) {
        if start >= self.until {
            self.idle = (self.until, start);
        } else if start < self.idle.1 {
            let within = self.idle.1.min(end);
            self.busy += within.saturating_sub(self.idle.0.max(start));
            self.idle.0 = within;
        }
        self.busy += end.saturating_sub(self.until.max(start));
        self.until = self.until.max(end);
    }
}

/// All links and what is on its way over them.
pub struct Network {
    links: Vec<Link>,
    packets: Slab<PacketId, Packet>,
    paths: Slab<PathId, Path>,
    /// See [`Grid::strides`].
    strides: [i32; 8],
    /// From the start on one link to the earliest on the next.
    hop: Time,
    /// Size of each buffer, as time on a link.
    buffer: Time,
    created: u64,
    /// Each controller's row by router, and its use by row.
    controller_of: Vec<u32>,
    uses: Vec<Use>,
    /// The place of each link among the wires.
    wire_of: Vec<u32>,
    /// What goes on, for timelines.
    pub tape: Tape,
}

impl Network {
    /// Idle links.
    pub fn new(grid: &Grid, hop: Time, buffer: Time) -> Network {
        let mut wire_of = vec![u32::MAX; grid.link_ids()];
        let mut controller_of = vec![u32::MAX; grid.routers() as usize];
        for (wire, link) in (0..).zip(grid.wires()) {
            wire_of[link.index()] = wire;
            if let Some(controller) = grid.controller_at(link) {
                controller_of[link.router() as usize] = controller;
            }
        }
        Network {
            links: vec![Link::IDLE; grid.link_ids()],
            packets: Slab::new(),
            paths: Slab::new(),
            strides: grid.strides(),
            hop,
            buffer,
            created: 0,
            controller_of,
            uses: vec![Use::default(); grid.rows() as usize],
            wire_of,
            tape: Tape::default(),
        }
    }

    /// From the start on one link to the earliest on the next.
    pub fn hop(&self) -> Time {
        self.hop
    }

    /// When a link's last packet has been sent.
    pub fn free_at(&self, link: LinkId) -> Time {
        self.links[link.index()].free_at
    }

    /// Time a link was in use.
    pub fn carried(&self, link: LinkId) -> Time {
        self.links[link.index()].carried
    }

    /// Time a controller sent or received.
    pub fn controller_busy(&self, controller: u32) -> Time {
        self.uses[controller as usize].busy
    }

    /// Lengths of the packets that crossed routers, summed over the routers.
    pub fn router_time(&self) -> Time {
        let of = |(i, link): (usize, &Link)| if LinkId(i as u32).is_injection() { 0 } else { link.carried.0 };
        Time(self.links.iter().enumerate().map(of).sum())
    }

    /// Nothing is on its way, and every buffer knows.
    #[cfg(test)]
    pub fn assert_empty(&mut self) {
        assert!(self.packets.is_empty() && self.paths.is_empty());
        for link in &mut self.links {
            link.settle(Time::MAX);
            assert!(link.taken == Time::ZERO && link.wanted == 0 && !link.starved);
            assert!(!link.head.is_some() && !link.line.is_some() && link.wake_at == Time::MAX);
        }
    }

    /// Opens a path.
    pub fn open(&mut self, unhindered: Time, load: Time, controller: Option<u32>) -> PathId {
        self.paths.insert(Path { unhindered, port: Time::ZERO, load, controller })
    }

    /// A path that is open.
    pub fn path(&self, path: PathId) -> Path {
        self.paths[path]
    }

    /// Closes a path that has crossed.
    pub fn close(&mut self, path: PathId) {
        self.paths.remove(path);
    }

    /// Adds a packet to those that wait at the near end of a link into the network. Returns its id if it is their first:
    /// then it is to be [set off](Network::set_off).
    pub fn enqueue(&mut self, injection: LinkId, packet: Packet) -> Option<PacketId> {
        let buffer = injection.opposite();
        self.created += 1;
        let id = self.packets.insert(Packet { number: self.created, buffer, next: injection, ..packet });
        self.links[injection.index()].wanted += 1;
        let queue = &mut self.links[buffer.index()];
        let before = std::mem::replace(&mut queue.tail, id);
        if queue.head.is_some() {
            self.packets[before].behind = id;
            return None;
        }
        queue.head = id;
        Some(id)
    }

    /// Sends a node's first packet on its way as soon as those before it have left.
    pub fn set_off(&mut self, id: PacketId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let Packet { buffer, next, .. } = self.packets[id];
        let left_at = self.links[buffer.index()].left_at;
        if left_at > now {
            self.line_up(id, left_at, later);
        } else {
            self.packets[id].from = now;
            self.links[next.index()].line = id;
            self.grant(next, now, later);
        }
    }

    /// Whether a node has nothing left to send and its link is free.
    pub fn has_sent_all(&self, injection: LinkId, now: Time) -> bool {
        let queue = &self.links[injection.opposite().index()];
        !queue.head.is_some() && queue.left_at <= now
    }

    /// Looks at a link, unless that was done before this came.
    pub fn wake(&mut self, id: LinkId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let link = &mut self.links[id.index()];
        if link.wake_at == now {
            link.wake_at = Time::MAX;
            self.grant(id, now, later);
        }
    }

    /// Has a link looked at at `time`, if that is not to happen before.
    fn wake_at(&mut self, id: LinkId, time: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let link = &mut self.links[id.index()];
        if time < link.wake_at {
            link.wake_at = time;
            later(time, MeshEvent::Wake(id));
        }
    }

    /// The head of a buffer gets in line for its next link, over which it may start at `from` or later.
    fn line_up(&mut self, id: PacketId, from: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let packet = &mut self.packets[id];
        packet.from = from;
        let (next, order) = (packet.next, (packet.ready, packet.number));
        let link = &self.links[next.index()];
        let time = from.max(link.free_at);
        let (mut before, mut after) = (PacketId::NONE, link.line);
        // Where one in front may start at the same time or sooner, it is that one which has the link looked at.
        let mut follows = false;
        while after.is_some() {
            let other = &self.packets[after];
            if order < (other.ready, other.number) {
                break;
            }
            follows |= other.from <= from;
            (before, after) = (after, other.after);
        }
        self.packets[id].after = after;
        match before.is_some() {
            true => self.packets[before].after = id,
            false => self.links[next.index()].line = id,
        }
        if !follows {
            self.wake_at(next, time, later);
        }
    }

    /// Starts the first in line that may start now, if there is room for it.
    fn grant(&mut self, id: LinkId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let link = &mut self.links[id.index()];
        if link.free_at > now {
            self.wake_next(id, later);
            return;
        }
        link.starved = false;
        let (mut before, mut chosen, mut sooner) = (PacketId::NONE, link.line, Time::MAX);
        let packet = loop {
            if !chosen.is_some() {
                self.wake_at(id, sooner, later);
                return;
            }
            let packet = &self.packets[chosen];
            if packet.from <= now {
                break packet;
            }
            sooner = sooner.min(packet.from);
            (before, chosen) = (chosen, packet.after);
        };
        let (length, after) = (packet.length, packet.after);
        if !self.take_room(id, length, now) {
            let link = &mut self.links[id.index()];
            link.starved = true;
            let given_back = if link.leaving > Time::ZERO { link.left_at } else { Time::MAX };
            self.wake_at(id, sooner.min(given_back), later);
            return;
        }
        match before.is_some() {
            true => self.packets[before].after = after,
            false => self.links[id.index()].line = after,
        }
        self.start(id, chosen, now, later);
        self.wake_next(id, later);
    }

    /// Takes room in the buffer at the far end of a link, if there is enough at `time`. Nodes have all the room in the
    /// world. A packet longer than the buffer (of a command with a stated time) takes the whole of it.
    fn take_room(&mut self, id: LinkId, length: Time, time: Time) -> bool {
        if id.is_ejection() {
            return true;
        }
        let link = &mut self.links[id.index()];
        link.settle(time);
        let taken = link.taken + length.min(self.buffer);
        let enough = taken <= self.buffer;
        if enough {
            link.taken = taken;
        }
        enough
    }

    /// Has a link looked at when it is free for the next in line.
    fn wake_next(&mut self, id: LinkId, later: &mut impl FnMut(Time, MeshEvent)) {
        let Link { mut line, free_at, .. } = self.links[id.index()];
        let mut soonest = Time::MAX;
        while line.is_some() {
            let packet = &self.packets[line];
            soonest = soonest.min(packet.from);
            line = packet.after;
        }
        if soonest < Time::MAX {
            self.wake_at(id, soonest.max(free_at), later);
        }
    }

    /// A packet starts to cross a link, in whose far buffer its room is taken, and the next one if nothing is in its way.
    fn start(&mut self, id: LinkId, packet: PacketId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let Some((next, ready)) = self.cross(id, packet, now, later) else { return };
        if self.is_undisputed(id, next, now) && self.take_room(next, self.packets[packet].length, ready) {
            if let Some((_, ready)) = self.cross(next, packet, ready, later) {
                self.line_up(packet, ready.max(self.links[next.index()].left_at), later);
            }
        } else {
            self.line_up(packet, ready.max(self.links[id.index()].left_at), later);
        }
    }

    /// Whether a packet that starts over `id` now and is the head of the buffer there, will start over `next` a hop later
    /// if there is room then: the link is free, and nobody else can want it by then who would go first.
    fn is_undisputed(&self, id: LinkId, next: LinkId, now: Time) -> bool {
        let (here, there) = (&self.links[id.index()], &self.links[next.index()]);
        // The packet occupies the link it starts over until it starts over the next, so that nobody asks for room there.
        let long = here.free_at >= now + self.hop;
        if !long || here.left_at > now || there.wanted != 1 || there.free_at > now + self.hop {
            return false;
        }
        // At this very moment others may yet start to that router, and have been created before.
        let (router, port) = (next.0 - next.port(), next.port());
        let starts = |link: u32| self.links.get(link as usize).is_some_and(|link| link.wake_at == now);
        let toward = |port: u32| starts(router.wrapping_add_signed(-self.strides[port as usize]).wrapping_add(port));
        let turns = port != EAST && port != WEST;
        let others = if turns { (0..ROUTER_PORTS).any(toward) } else { toward(port) };
        !(others || starts(router + FROM_CHIP) || starts(router + FROM_CONTROLLER))
    }

    /// A packet crosses a link from `now` on. If it comes to the head of the buffer there, returns its next link and when
    /// its head will have passed the router.
    fn cross(
        &mut self,
        id: LinkId,
        packet: PacketId,
        now: Time,
        later: &mut impl FnMut(Time, MeshEvent),
    ) -> Option<(LinkId, Time)> {
        let port = id.port();
        let p = &mut self.packets[packet];
        let Packet { length, buffer, behind, path, what, .. } = *p;
        let end = now + length;
        let link = &mut self.links[id.index()];
        link.free_at = end;
        link.carried += length;
        link.wanted -= 1;
        if self.tape.is_on() && !id.is_of_chip() {
            self.tape.write(self.wire_of[id.index()], what, path, now, end);
        }
        if id.is_ejection() {
            self.leave(buffer, behind, length, now, later);
            self.cross_edge(id, packet, now, later);
            self.packets.remove(packet);
            return None;
        }
        if port < ROUTER_PORTS {
            p.route.advance();
        } else {
            self.cross_edge(id, packet, now, later);
        }
        let far = (id.0 - port).wrapping_add_signed(self.strides[port as usize]);
        let p = &mut self.packets[packet];
        let (next, ready) = (LinkId(far + p.route.port()), now + self.hop);
        p.ready = ready;
        p.buffer = id;
        p.next = next;
        p.behind = PacketId::NONE;
        let link = &mut self.links[id.index()];
        let before = std::mem::replace(&mut link.tail, packet);
        let is_head = !link.head.is_some();
        if is_head {
            link.head = packet;
        } else {
            self.packets[before].behind = packet;
        }
        self.links[next.index()].wanted += 1;
        self.leave(buffer, behind, length, now, later);
        is_head.then_some((next, ready))
    }

    /// A packet crosses a link of a chip or controller from `now` on.
    fn cross_edge(&mut self, id: LinkId, packet: PacketId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let Packet { length, ready, behind, path, last, .. } = self.packets[packet];
        let end = now + length;
        if !id.is_of_chip() {
            self.uses[self.controller_of[id.router() as usize] as usize].book(now, end);
        } else if last {
            self.paths[path].port += now - ready;
        }
        if id.is_ejection() && last {
            later(end, MeshEvent::Arrived(path));
        } else if id.is_injection() && !behind.is_some() {
            later(end, MeshEvent::Sent(id));
        }
    }

    /// The head of a buffer starts to leave it, and `behind` comes to its head.
    fn leave(
        &mut self,
        buffer: LinkId,
        behind: PacketId,
        length: Time,
        now: Time,
        later: &mut impl FnMut(Time, MeshEvent),
    ) {
        let end = now + length;
        let link = &mut self.links[buffer.index()];
        debug_assert!(link.left_at <= now, "two packets leave a buffer at once");
        link.settle(now);
        link.leaving = if buffer.is_ejection() { Time::ZERO } else { length.min(self.buffer) };
        link.left_at = end;
        link.head = behind;
        if link.starved {
            self.wake_at(buffer, end, later);
        }
        if behind.is_some() {
            let from = self.packets[behind].ready.max(end);
            self.line_up(behind, from, later);
        }
    }
}
