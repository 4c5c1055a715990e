//! All routers with the links between them: what scouts reserve and cancel hop by hop (Venice §4.2 and §4.3).

use crate::engine::time::Time;
use crate::fabric::trace::{WireTrace, WireUse};
use crate::fabric::venice::grid::{Grid, LinkId, LinkUse, Port, PortAt, RouterId};
use crate::fabric::venice::minimal::MinimalPorts;
use crate::fabric::venice::packet::Mode;
use crate::fabric::venice::reach::Reach;
use crate::fabric::venice::router::{Exit, Router, Row};
use crate::fabric::venice::scout::Scout;
use crate::fabric::{PathId, Transfer};

/// Step of a scout at a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hop {
    On,
    Arrived,
    Failed,
}

/// All routers and links, with the hardware's tables and nothing else (except [`Routers::is_connected`]).
pub struct Routers {
    grid: Grid,
    routers: Vec<Router>,
    minimal: MinimalPorts,
    /// By controller and router: the last scout that continued there, and in the lowest four bits the outputs it took.
    /// Plain numbers, so that untouched ones take no memory.
    tried: Vec<u64>,
    reach: Reach,
    hop: Time,
    pub hops: u64,
    pub trace: WireTrace,
}

/// Borrowed once per hop, so that nothing is looked up again.
struct Links<'a> {
    routers: &'a mut [Router],
    reach: &'a mut Reach,
}

impl Links<'_> {
    /// Reserves the link at an output. Returns the port at its far end.
    #[inline(always)]
    fn reserve(&mut self, at: RouterId, exit: (Port, u8), row: Row, now: Time) -> PortAt {
        let output = self.routers[at.index()].output_mut(exit.0);
        output.row = row;
        output.used.since = now;
        self.toggle(at, exit)
    }

    /// Clears a row and frees its link, for a scout in cancel mode or the end of a transfer. Returns the port of entry.
    ///
    /// # Panics If there is no such reservation.
    #[inline(always)]
    fn cancel(&mut self, packet: u32, at: RouterId, exit: PortAt, now: Time) -> PortAt {
        let output = self.routers[at.index()].output_mut(exit.port());
        let row = output.row.clear(packet);
        output.used.free(now);
        self.toggle(at, (exit.port(), exit.bit()));
        row.entry(at)
    }

    /// Toggles the link at an output at both ends. Returns the port at its far end.
    #[inline(always)]
    fn toggle(&mut self, at: RouterId, (port, bit): (Port, u8)) -> PortAt {
        let router = &mut self.routers[at.index()];
        router.free ^= bit;
        let far = router.output(port).far;
        self.routers[far.router().index()].free ^= far.bit();
        self.reach.toggle(at.min(far.router()), port);
        far
    }
}

impl Routers {
    pub fn new(grid: Grid, hop: Time) -> Routers {
        let minimal = MinimalPorts::new(grid.rows, grid.columns);
        Routers {
            routers: (0..grid.routers()).map(|id| Router::new(RouterId(id), &grid, &minimal)).collect(),
            minimal,
            tried: vec![0; grid.rows as usize * grid.routers() as usize],
            reach: Reach::new(&grid),
            hop,
            hops: 0,
            trace: WireTrace::default(),
            grid,
        }
    }

    pub fn fail(&mut self, link: LinkId) {
        let (output, _) = self.grid.outputs(link);
        if self.routers[output.router().index()].free & output.bit() != 0 {
            self.links().toggle(output.router(), (output.port(), output.bit()));
        }
    }

    fn links(&mut self) -> Links<'_> {
        Links { routers: &mut self.routers, reach: &mut self.reach }
    }

    pub fn scout(&self, controller: u32, destination: RouterId, number: u64, now: Time) -> Scout {
        let mut scout = Scout::new(controller, destination, number);
        scout.due = now + self.hop;
        scout.entry = self.grid.entry(controller);
        scout.toward = self.minimal.destination(self.grid.place(destination));
        scout.memory = controller * self.grid.routers();
        scout
    }

    /// A scout arrives at a router, forward or back: Algorithm 1.
    #[inline(always)]
    pub fn hop(&mut self, scout: &mut Scout) -> Hop {
        let (now, packet) = (scout.due, scout.packet.controller);
        let (at, mut entry) = (scout.entry.router(), scout.entry);
        let mut links = Links { routers: &mut self.routers, reach: &mut self.reach };
        if scout.packet.mode == Mode::Cancel {
            // Back at a router: the reservation goes, another output is tried.
            entry = links.cancel(packet, at, entry, now);
            scout.links -= 1;
        }
        let router = &mut links.routers[at.index()];
        if at == scout.packet.destination {
            router.ejection = Row::new(packet, entry);
            return Hop::Arrived;
        }
        // Each output may be reserved only once, which bounds the way (§4.3, livelock).
        let tried = &mut self.tried[scout.memory as usize + at.index()];
        let before = scout.outputs_of(*tried);
        let minimal = self.minimal.between(router.place, scout.toward);
        if let Some(output) = router.find_output(minimal, before, entry) {
            *tried = scout.remember(before | output.bit);
            scout.packet.mode = Mode::Reserve;
            scout.links += 1;
            scout.entry = links.reserve(at, (output.port, output.bit), Row::new(packet, entry), now);
        } else {
            let back = router.output(entry.port()).far;
            if !back.is_some() {
                return Hop::Failed;
            }
            scout.packet.mode = Mode::Cancel;
            scout.entry = back;
        }
        scout.due = now + self.hop;
        self.hops += 1;
        if self.trace.is_on() {
            self.trace_hop(scout, now);
        }
        Hop::On
    }

    #[cold]
    fn trace_hop(&mut self, scout: &Scout, now: Time) {
        let what = if scout.packet.mode == Mode::Reserve { WireUse::Scout } else { WireUse::Cancel };
        let link = self.grid.link(scout.entry);
        self.trace.write(link.0, what, PathId(scout.packet.controller), now, scout.due);
    }

    /// Gives up the circuit from a controller to a chip, beginning at the chip.
    ///
    /// # Panics
    /// If there is none.
    pub fn release(&mut self, controller: u32, chip: RouterId, now: Time) {
        if self.trace.is_on() {
            for (link, used) in self.traced_circuit(chip) {
                self.trace.write(link.0, WireUse::Reserved, PathId(controller), used.since, now);
            }
        }
        let mut links = Links { routers: &mut self.routers, reach: &mut self.reach };
        let entry = links.routers[chip.index()].ejection.clear(controller).entry(chip);
        let mut output = output_before(links.routers, entry);
        while let Some(exit) = output {
            let entry = links.cancel(controller, exit.router(), exit, now);
            output = output_before(links.routers, entry);
        }
    }

    /// A packet that tears its circuit down arrives at a router and frees the link behind it. Returns the routers at
    /// that link's ends (twice the same for the controller's own link), and whether the circuit is over.
    ///
    /// # Panics If there is no such circuit.
    pub fn tear_down(&mut self, packet: &mut Scout) -> ([RouterId; 2], bool) {
        let (now, controller, at) = (packet.due, packet.packet.controller, packet.entry.router());
        let exit = self.routers[at.index()].exit(controller, packet.entry).expect("the packet follows its circuit");
        let before = self.routers[at.index()].output(packet.entry.port()).far;
        let mut ends = [at; 2];
        if before.is_some() {
            if self.trace.is_on() {
                let since = self.routers[before.router().index()].output(before.port()).used.since;
                self.trace.write(self.grid.link(before).0, WireUse::Reserved, PathId(controller), since, now);
            }
            let mut links = Links { routers: &mut self.routers, reach: &mut self.reach };
            links.cancel(controller, before.router(), before, now);
            packet.links -= 1;
            ends[0] = before.router();
        }
        let Exit::To(port) = exit else {
            self.routers[at.index()].ejection.clear(controller);
            return (ends, true);
        };
        packet.entry = self.routers[at.index()].output(port).far;
        packet.due = now + self.hop;
        if self.trace.is_on() {
            self.trace.write(self.grid.link(packet.entry).0, WireUse::Cancel, PathId(controller), now, packet.due);
        }
        (ends, false)
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
        self.routers[entry.router().index()].exit(packet, entry)
    }

    /// Packet and entry port of the valid row for an exit (none: the chip).
    pub fn row(&self, at: RouterId, exit: Option<Port>) -> Option<(u32, u32)> {
        let router = &self.routers[at.index()];
        exit.map_or(router.ejection, |exit| router.output(exit).row).read()
    }

    pub fn register(&self, at: RouterId) -> u32 {
        self.routers[at.index()].register.state()
    }

    pub fn is_connected(&mut self, from: RouterId, to: RouterId) -> bool {
        self.reach.is_connected(from, to, &self.grid, |at| self.routers[at.index()].free)
    }
}

#[inline]
fn output_before(routers: &[Router], entry: PortAt) -> Option<PortAt> {
    Some(routers[entry.router().index()].output(entry.port()).far).filter(|far| far.is_some())
}

#[cfg(test)]
impl Routers {
    pub fn is_taken(&self, at: RouterId, port: Port) -> bool {
        self.routers[at.index()].free & port.bit() == 0
    }

    pub fn is_idle(&self) -> bool {
        self.routers.iter().all(Router::is_idle) && self.reserved() == 0
    }

    pub fn reserved(&self) -> u32 {
        let free: u32 = self.routers.iter().map(|router| router.free.count_ones()).sum();
        self.grid.links() - free / 2
    }

    pub fn hold(&mut self, packet: u32, routers: &[u32]) {
        let mut entry = self.grid.entry(packet);
        for pair in routers.windows(2) {
            let at = RouterId(pair[0]);
            let leads = |&port: &Port| self.grid.neighbour(at, port).is_some_and(|(_, next)| next.0 == pair[1]);
            let exit = Port::ALL.into_iter().find(leads).expect("neighbours");
            assert!(!self.is_taken(at, exit));
            entry = self.links().reserve(at, (exit, exit.bit()), Row::new(packet, entry), Time::ZERO);
        }
        self.routers[entry.router().index()].ejection = Row::new(packet, entry);
    }
}
