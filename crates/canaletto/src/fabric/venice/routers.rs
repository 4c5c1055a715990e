//! All routers and links: what scouts reserve and cancel hop by hop (Venice §4.2 and §4.3).

use crate::engine::time::Time;
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::venice::grid::{Grid, LinkId, LinkUse, MOST_ROUTERS, Port, PortAt, RouterId};
use crate::fabric::venice::minimal::{self, MinimalPorts};
use crate::fabric::venice::packet::Mode;
use crate::fabric::venice::reach::{Free, Reach};
use crate::fabric::venice::router::{Exit, Holder, Router, Row, find_output};
use crate::fabric::venice::scout::Scout;
use crate::fabric::venice::under_way::UnderWay;
use crate::fabric::{PathId, Transfer};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hop {
    On,
    Arrived,
    Failed,
}

/// With the hardware's tables alone (except [`Routers::is_connected`]).
pub struct Routers {
    grid: Grid,
    routers: Vec<Router>,
    free: Free,
    minimal: MinimalPorts,
    /// By controller and router: the outputs that its last scout took.
    tried: Vec<u8>,
    reach: Reach,
    hop: Time,
    pub trace: WireTrace,
}

struct Network<'a> {
    routers: &'a mut [Router],
    free: &'a mut [u8; MOST_ROUTERS],
    minimal: &'a minimal::Table,
    tried: &'a mut [u8],
    hop: Time,
}

impl Network<'_> {
    /// A scout in cancel mode (or the end of a transfer) comes back over an output: its row is cleared. Returns the
    /// port the packet had come in by.
    #[inline(always)]
    fn cancel(&mut self, holder: Holder, exit: PortAt, now: Time) -> PortAt {
        cancel_at(&mut self.routers[exit.router().index()], self.free, holder, exit, now)
    }

    /// Algorithm 1. The scout is then on its way to the next router, unless it stays.
    #[inline(always)]
    fn hop(&mut self, scout: &mut Scout) -> Hop {
        let (now, holder) = (scout.due, scout.holder);
        let (at, mut entry) = (scout.entry.router(), scout.entry);
        let router = &mut self.routers[at.index()];
        if scout.packet.mode == Mode::Cancel {
            // The reservation goes, another output is tried.
            entry = cancel_at(router, self.free, holder, entry, now);
            scout.links -= 1;
        } else if at == scout.packet.destination {
            router.ejection = Row::new(holder, entry);
            return Hop::Arrived;
        }
        // Each output may be reserved only once, which bounds the way (§4.3, livelock).
        let tried = &mut self.tried[scout.memory as usize + at.index()];
        let minimal = minimal::between(self.minimal, router.place, scout.toward);
        let outputs = find_output(self.free[at.index()] & !*tried, minimal, entry);
        if outputs != 0 {
            let chosen = router.register.choose(outputs);
            *tried |= chosen.bit;
            let output = router.output_mut(chosen.port);
            output.row = Row::new(holder, entry);
            output.used.since = now;
            scout.packet.mode = Mode::Reserve;
            scout.links += 1;
            scout.entry = output.far;
            toggle(self.free, at, chosen.bit, output.far);
        } else {
            let back = router.output(entry.port()).far;
            // Back at the controller, or at the chip.
            if !back.is_some() || entry.bit() == 0 {
                return Hop::Failed;
            }
            scout.packet.mode = Mode::Cancel;
            scout.entry = back;
        }
        scout.due = now + self.hop;
        Hop::On
    }

    /// A packet that tears its circuit down is on its way to the next router, if there is one. Returns the output by
    /// which it came (none: the controller's own link), and whether this is the chip's router.
    #[inline(always)]
    fn follow(&mut self, packet: &mut Scout) -> (PortAt, bool) {
        let at = packet.entry.router();
        let router = &mut self.routers[at.index()];
        let exit = router.exit(packet.holder, packet.entry).expect("the packet follows its circuit");
        let before = if packet.entry.bit() == 0 { PortAt::NONE } else { router.output(packet.entry.port()).far };
        if let Exit::To(port) = exit {
            packet.entry = router.output(port).far;
            packet.due += self.hop;
        } else {
            router.ejection.clear(packet.holder, at);
        }
        (before, exit == Exit::Ejection)
    }

    /// Where nobody hears of it: inside the circuit, and nobody waits. Returns whether it did.
    #[inline(never)]
    fn tears_down_unseen(&mut self, packet: &mut Scout) -> bool {
        let (now, at) = (packet.due, packet.entry.router());
        let router = &self.routers[at.index()];
        let before = router.output(packet.entry.port()).far;
        let is_inside = at != packet.packet.destination && packet.entry.bit() != 0 && before.is_some();
        if !is_inside || router.is_watched || self.routers[before.router().index()].is_watched {
            return false;
        }
        self.follow(packet);
        packet.links -= 1;
        self.cancel(packet.holder, before, now);
        true
    }
}

#[inline(always)]
fn cancel_at(router: &mut Router, free: &mut [u8; MOST_ROUTERS], holder: Holder, exit: PortAt, now: Time) -> PortAt {
    let (at, output) = (exit.router(), router.output_mut(exit.port()));
    let (entry, far) = (output.row.clear(holder, at), output.far);
    output.used.free(now);
    toggle(free, at, exit.bit(), far);
    entry
}

/// At both ends.
#[inline(always)]
fn toggle(free: &mut [u8; MOST_ROUTERS], at: RouterId, bit: u8, far: PortAt) {
    free[at.index()] ^= bit;
    free[far.router().index()] ^= far.bit();
}

impl Routers {
    pub fn new(grid: Grid, sources: u32, hop: Time) -> Routers {
        let minimal = MinimalPorts::new(grid.rows, grid.columns);
        Routers {
            routers: (0..grid.routers()).map(|id| Router::new(RouterId(id), &grid, &minimal)).collect(),
            free: Reach::all_free(&grid),
            minimal,
            tried: vec![0; sources as usize * grid.routers() as usize],
            reach: Reach::new(&grid),
            hop,
            trace: WireTrace::default(),
            grid,
        }
    }

    pub fn fail(&mut self, link: LinkId) {
        let (output, far) = self.grid.outputs(link);
        if self.free[output.router().index()] & output.bit() != 0 {
            toggle(&mut self.free, output.router(), output.bit(), far);
        }
    }

    fn network(&mut self) -> Network<'_> {
        Network {
            routers: &mut self.routers,
            free: &mut self.free,
            minimal: self.minimal.table(),
            tried: &mut self.tried,
            hop: self.hop,
        }
    }

    pub fn packet(&self, controller: u32, destination: RouterId, now: Time) -> Scout {
        let mut packet = Scout::new(controller, destination, now + self.hop);
        packet.entry = self.grid.entry(controller);
        packet
    }

    /// Which has tried no output yet.
    pub fn scout(&mut self, controller: u32, destination: RouterId, now: Time) -> Scout {
        let mut scout = self.packet(controller, destination, now);
        scout.toward = self.minimal.destination(self.grid.place(destination));
        scout.memory = controller * self.grid.routers();
        self.tried[scout.memory as usize..][..self.routers.len()].fill(0);
        scout
    }

    pub fn hop(&mut self, scout: &mut Scout) -> Hop {
        let now = scout.due;
        let hop = self.network().hop(scout);
        if hop == Hop::On && self.trace.is_on() {
            self.trace_hop(scout, now);
        }
        hop
    }

    /// Until the next one arrives no sooner than `until`, ends its search, or frees links of which others hear: of all
    /// links, if `all_are_told`.
    pub fn let_hop(&mut self, under_way: &mut UnderWay, until: Time, all_are_told: bool) -> Option<Hop> {
        if self.trace.is_on() {
            return self.let_one_hop(under_way);
        }
        let mut network = self.network();
        let (scouts, first) = under_way.line();
        let mut next = *first;
        let end = loop {
            let Some(packet) = scouts.get_mut(next).filter(|packet| packet.due < until) else { break None };
            if !packet.tears_down {
                match network.hop(packet) {
                    Hop::On => {}
                    end => break Some(end),
                }
            } else if all_are_told || !network.tears_down_unseen(packet) {
                break None;
            }
            next += 1;
            if next == scouts.len() {
                next = 0;
            }
        };
        *first = next;
        end
    }

    #[inline(never)]
    pub fn let_one_hop(&mut self, under_way: &mut UnderWay) -> Option<Hop> {
        let end = Some(self.hop(under_way.next_mut())).filter(|&hop| hop != Hop::On);
        if end.is_none() {
            under_way.hopped();
        }
        end
    }

    #[cold]
    fn trace_hop(&mut self, scout: &Scout, now: Time) {
        let what = if scout.packet.mode == Mode::Reserve { WireUse::Scout } else { WireUse::Cancel };
        let link = self.grid.link(scout.entry);
        self.trace.write(link.0, what, PathId(scout.packet.controller), now, scout.due);
    }

    pub fn release(&mut self, controller: u32, chip: RouterId, now: Time) {
        if self.trace.is_on() {
            for (link, used) in self.traced_circuit(chip) {
                self.trace.write(link.0, WireUse::Reserved, PathId(controller), used.since, now);
            }
        }
        let (mut network, holder) = (self.network(), Holder::new(controller));
        let entry = network.routers[chip.index()].ejection.clear(holder, chip);
        let mut output = output_before(network.routers, entry);
        while let Some(exit) = output {
            let entry = network.cancel(holder, exit, now);
            output = output_before(network.routers, entry);
        }
    }

    /// Frees the link by which it came. Returns the router at the link's other end (none: the controller), and whether
    /// the circuit ends here.
    #[inline(always)]
    pub fn tear_down(&mut self, packet: &mut Scout) -> (Option<RouterId>, bool) {
        let now = packet.due;
        let (before, ends) = self.network().follow(packet);
        if self.trace.is_on() {
            self.trace_tear_down(packet, before, ends, now);
        }
        if before.is_some() {
            packet.links -= 1;
            self.network().cancel(packet.holder, before, now);
        }
        (before.is_some().then(|| before.router()), ends)
    }

    pub fn watch(&mut self, at: RouterId, is_watched: bool) {
        self.routers[at.index()].is_watched = is_watched;
    }

    pub fn is_watched(&self, at: RouterId) -> bool {
        self.routers[at.index()].is_watched
    }

    #[cold]
    fn trace_tear_down(&mut self, packet: &Scout, before: PortAt, ends: bool, now: Time) {
        let path = PathId(packet.packet.controller);
        if before.is_some() {
            let since = self.routers[before.router().index()].output(before.port()).used.since;
            self.trace.write(self.grid.link(before).0, WireUse::Reserved, path, since, now);
        }
        if !ends {
            self.trace.write(self.grid.link(packet.entry).0, WireUse::Cancel, path, now, packet.due);
        }
    }

    pub fn holds(&self, packet: u32, at: RouterId) -> bool {
        let router = &self.routers[at.index()];
        let is_its = |row: Row| row.read().is_some_and(|(holder, _)| holder == packet);
        is_its(router.ejection) || Port::ALL.into_iter().any(|port| is_its(router.output(port).row))
    }

    pub fn carry(&mut self, controller: u32, transfer: &Transfer, now: Time) {
        let (chip, time) = (RouterId(transfer.chip.0), transfer.time());
        let mut output = self.last_output(chip);
        while let Some(exit) = output {
            let crossed = self.routers[exit.router().index()].output_mut(exit.port());
            crossed.used.active += time;
            let entry = crossed.row.entry(exit.router());
            output = output_before(&self.routers, entry);
        }
        if self.trace.is_on() {
            for (link, _) in self.traced_circuit(chip) {
                self.trace.write_transfer(link.0, transfer, PathId(controller), now);
            }
        }
    }

    fn last_output(&self, chip: RouterId) -> Option<PortAt> {
        output_before(&self.routers, self.routers[chip.index()].ejection.entry(chip))
    }

    fn traced_circuit(&self, chip: RouterId) -> Vec<(LinkId, LinkUse)> {
        let mut links = Vec::new();
        let mut output = self.last_output(chip);
        while let Some(exit) = output {
            let crossed = self.routers[exit.router().index()].output(exit.port());
            links.push((self.grid.link(exit), crossed.used));
            output = output_before(&self.routers, crossed.row.entry(exit.router()));
        }
        links.reverse();
        links
    }

    pub fn link_use(&self, link: LinkId) -> LinkUse {
        let (there, back) = self.grid.outputs(link);
        let [there, back] =
            [there, back].map(|output| self.routers[output.router().index()].output(output.port()).used);
        LinkUse { since: there.since.max(back.since), busy: there.busy + back.busy, active: there.active + back.active }
    }

    pub fn exit(&self, packet: u32, entry: PortAt) -> Option<Exit> {
        self.routers[entry.router().index()].exit(Holder::new(packet), entry)
    }

    pub fn row(&self, at: RouterId, exit: Option<Port>) -> Option<(u32, u32)> {
        let router = &self.routers[at.index()];
        exit.map_or(router.ejection, |exit| router.output(exit).row).read()
    }

    pub fn register(&self, at: RouterId) -> u32 {
        self.routers[at.index()].register.state()
    }

    pub fn is_connected(&mut self, from: RouterId, to: RouterId) -> bool {
        self.reach.is_connected(from, to, &self.grid, &self.free)
    }
}

#[inline]
fn output_before(routers: &[Router], entry: PortAt) -> Option<PortAt> {
    let far = routers[entry.router().index()].output(entry.port()).far;
    (far.is_some() && entry.bit() != 0).then_some(far)
}

#[cfg(test)]
impl Routers {
    pub fn is_taken(&self, at: RouterId, port: Port) -> bool {
        self.free[at.index()] & port.bit() == 0
    }

    pub fn is_idle(&self) -> bool {
        self.routers.iter().all(Router::is_idle) && self.reserved() == 0
    }

    pub fn reserved(&self) -> u32 {
        let free: u32 = self.free[..self.routers.len()].iter().map(|free| free.count_ones()).sum();
        self.grid.links() - free / 2
    }

    pub fn hold(&mut self, packet: u32, routers: &[u32]) {
        let mut entry = self.grid.entry(packet);
        for pair in routers.windows(2) {
            let at = RouterId(pair[0]);
            let leads = |&port: &Port| self.grid.neighbour(at, port).is_some_and(|(_, next)| next.0 == pair[1]);
            let exit = Port::ALL.into_iter().find(leads).expect("neighbours");
            assert!(!self.is_taken(at, exit));
            let output = self.routers[at.index()].output_mut(exit);
            (output.row, output.used.since) = (Row::new(Holder::new(packet), entry), Time::ZERO);
            entry = output.far;
            toggle(&mut self.free, at, exit.bit(), entry);
        }
        self.routers[entry.router().index()].ejection = Row::new(Holder::new(packet), entry);
    }
}
