//! Virtual cut-through: how packets get from buffer to buffer.
//!
//! ```text
//! source ─► │ p q r │ ─┐             a buffer at the far end of every link, first in first out;
//!                      ├─► link ─► │ s t … │ ─► …      the heads that want the same link stand in its line
//!           │ u v   │ ─┘
//! ```
//! A packet of length L (its time on a link) starts to cross a link at s, when
//! - the link is free: the packet before it started L' earlier, or more;
//! - the buffer at the far end has room for all of it, taken at s and given back when its last flit has left there;
//! - it is the head of its buffer and the packet before it has left entirely;
//! - its head has arrived and passed the router: a flit time and the router's delay after its last start.
//!
//! Of several packets that wait for a link, the one whose head passed the router first goes first, then the one created
//! first.
//!
//! All that decides a start at a moment t is settled before t, because nothing follows from a start sooner than a flit
//! time later. So events of one moment may happen in any order. A packet that starts and finds no rival for its next
//! link starts over that one in advance: one event every other hop.

use super::parts::{Link, Packet, PacketId, Path, Use};
use super::routes::{EAST, FROM_CHIP, FROM_CONTROLLER, Grid, LinkId, ROUTER_PORTS, WEST};
use crate::engine::arena::Slab;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::PathId;
use crate::fabric::trace::WireTrace;

#[derive(Debug, Clone, Copy)]
pub enum MeshEvent {
    Wake(LinkId),
    Sent(LinkId),
    Arrived(PathId),
}

pub struct Network {
    links: Vec<Link>,
    packets: Slab<PacketId, Packet>,
    paths: Slab<PathId, Path>,
    strides: [i32; ROUTER_PORTS as usize],
    /// Between the earliest starts on two links.
    hop: Time,
    buffer: Time,
    created: u64,
    controller_of: Vec<u32>,
    uses: Vec<Use>,
    wire_of: Vec<u32>,
    pub trace: WireTrace,
}

impl Network {
    pub fn new(grid: &Grid, hop: Time, buffer: Time) -> Network {
        let mut wire_of = vec![u32::MAX; grid.links().count()];
        let mut controller_of = vec![u32::MAX; grid.routers() as usize];
        for (wire, link) in (0..).zip(grid.wires()) {
            wire_of[link.index()] = wire;
            if let Some(controller) = grid.controller_at(link) {
                controller_of[link.router() as usize] = controller;
            }
        }
        Network {
            links: grid.links().map(|link| Link { far: grid.far(link), ..Link::IDLE }).collect(),
            packets: Slab::new(),
            paths: Slab::new(),
            strides: grid.strides(),
            hop,
            buffer,
            created: 0,
            controller_of,
            uses: vec![Use::default(); grid.rows() as usize],
            wire_of,
            trace: WireTrace::default(),
        }
    }

    pub fn hop(&self) -> Time {
        self.hop
    }

    pub fn free_at(&self, link: LinkId) -> Time {
        self.links[link.index()].free_at
    }

    pub fn carried(&self, link: LinkId) -> Time {
        self.links[link.index()].carried
    }

    pub fn controller_busy(&self, controller: u32) -> Time {
        self.uses[controller as usize].busy
    }

    pub fn router_time(&self) -> TimeSum {
        let of = |(i, link): (usize, &Link)| (!LinkId(i as u32).is_injection()).then_some(link.carried);
        self.links.iter().enumerate().filter_map(of).sum()
    }

    #[cfg(test)]
    pub fn assert_empty(&mut self) {
        assert!(self.packets.is_empty() && self.paths.is_empty());
        for link in &mut self.links {
            link.settle(Time::MAX);
            assert!(link.taken == Time::ZERO && link.wanted == 0 && !link.starved);
            assert!(!link.head.is_some() && !link.line.is_some() && link.wake_at == Time::MAX);
        }
    }

    pub fn open(&mut self, unhindered: Time, load: Time, controller: Option<u32>) -> PathId {
        self.paths.insert(Path { unhindered, port: Time::ZERO, load, controller })
    }

    pub fn path(&self, path: PathId) -> Path {
        self.paths[path]
    }

    pub fn close(&mut self, path: PathId) {
        self.paths.remove(path);
    }

    /// Returns its id if it is the first: then [`Network::set_off`] must follow.
    pub fn enqueue(&mut self, injection: LinkId, packet: Packet) -> Option<PacketId> {
        let buffer = injection.opposite();
        self.created += 1;
        let id = self.packets.insert(Packet { number: self.created, buffer, next: injection, ..packet });
        self.links[injection.index()].wanted += 1;
        self.links[buffer.index()].taken += packet.length.min(self.buffer);
        self.append(buffer, id).then_some(id)
    }

    /// As soon as those before it have left.
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

    pub fn has_sent_all(&self, injection: LinkId, now: Time) -> bool {
        let queue = &self.links[injection.opposite().index()];
        !queue.head.is_some() && queue.left_at <= now
    }

    pub fn wake(&mut self, id: LinkId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let link = &mut self.links[id.index()];
        if link.wake_at == now {
            link.wake_at = Time::MAX;
            self.grant(id, now, later);
        }
    }

    fn wake_at(&mut self, id: LinkId, time: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let link = &mut self.links[id.index()];
        if time < link.wake_at {
            link.wake_at = time;
            later(time, MeshEvent::Wake(id));
        }
    }

    fn line_up(&mut self, id: PacketId, from: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let packet = &mut self.packets[id];
        packet.from = from;
        let (next, order) = (packet.next, (packet.ready, packet.number));
        let link = &self.links[next.index()];
        let time = from.max(link.free_at);
        let (mut before, mut after) = (PacketId::NONE, link.line);
        // One in front that may start as soon has the link looked at.
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

    /// Nodes have unlimited room. A packet longer than the buffer takes all of it.
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

    fn start(&mut self, id: LinkId, packet: PacketId, now: Time, later: &mut impl FnMut(Time, MeshEvent)) {
        let (mut id, mut start, mut in_advance) = (id, now, false);
        while let Some((next, ready)) = self.cross(id, packet, start, later) {
            let clear = !in_advance && self.is_undisputed(id, next, now);
            if !clear || !self.take_room(next, self.packets[packet].length, ready) {
                self.line_up(packet, ready.max(self.links[id.index()].left_at), later);
                break;
            }
            (id, start, in_advance) = (next, ready, true);
        }
    }

    fn is_undisputed(&self, id: LinkId, next: LinkId, now: Time) -> bool {
        let (here, there) = (&self.links[id.index()], &self.links[next.index()]);
        // Short packets would be booked further ahead of each other than a controller's account allows.
        let long = here.free_at >= now + self.hop;
        if !long || here.left_at > now || there.wanted != 1 || there.free_at > now + self.hop {
            return false;
        }
        // Others may yet start to that router at this moment, and have been created before.
        let (router, port) = (next.0 - next.port(), next.port());
        let starts = |link: u32| self.links.get(link as usize).is_some_and(|link| link.wake_at == now);
        let toward = |port: u32| starts(router.wrapping_add_signed(-self.strides[port as usize]).wrapping_add(port));
        let turns = port != EAST && port != WEST;
        let others = if turns { (0..ROUTER_PORTS).any(toward) } else { toward(port) };
        !(others || starts(router + FROM_CHIP) || starts(router + FROM_CONTROLLER))
    }

    #[inline]
    fn cross(
        &mut self,
        id: LinkId,
        packet: PacketId,
        now: Time,
        later: &mut impl FnMut(Time, MeshEvent),
    ) -> Option<(LinkId, Time)> {
        let port = id.port();
        let Packet { length, buffer, behind, path, what, .. } = self.packets[packet];
        let link = &mut self.links[id.index()];
        link.free_at = now + length;
        link.carried += length;
        link.wanted -= 1;
        if self.trace.is_on() && !id.is_of_chip() {
            self.trace.write(self.wire_of[id.index()], what, path, now, now + length);
        }
        if port >= ROUTER_PORTS {
            self.cross_edge(id, packet, now, later);
        }
        let onward = if id.is_ejection() {
            self.packets.remove(packet);
            None
        } else {
            self.arrive(id, packet, now + self.hop)
        };
        self.leave(buffer, behind, length, now, later);
        onward
    }

    #[inline(always)]
    fn arrive(&mut self, id: LinkId, packet: PacketId, ready: Time) -> Option<(LinkId, Time)> {
        let p = &mut self.packets[packet];
        let next = LinkId(self.links[id.index()].far.0 + p.route.take());
        p.ready = ready;
        p.buffer = id;
        p.next = next;
        p.behind = PacketId::NONE;
        self.links[next.index()].wanted += 1;
        self.append(id, packet).then_some((next, ready))
    }

    #[inline]
    fn append(&mut self, buffer: LinkId, packet: PacketId) -> bool {
        let link = &mut self.links[buffer.index()];
        let before = std::mem::replace(&mut link.tail, packet);
        let is_head = !link.head.is_some();
        if is_head {
            link.head = packet;
        } else {
            self.packets[before].behind = packet;
        }
        is_head
    }

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

    #[inline]
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
        link.taken = link.taken - link.leaving;
        link.leaving = length.min(self.buffer);
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
