//! A mesh of routers simulated cycle by cycle and flit by flit: slow, plain, and independent of the engine.
//!
//! ```text
//!   controller 0 == router 0,0 == router 0,1 == ...      == : a link each way
//!                      ||   \\        ||   \\
//!                      ||  chip 0,0   ||  chip 0,1
//!   controller 1 == router 1,0 == router 1,1 == ...
//! ```
//!
//! A flit is what a link carries in a cycle. Every link that ends at a router has a FIFO of `Case::buffer` flits there.
//! Controllers and chips have an unbounded queue for what they send. A packet starts on a link in the first cycle in
//! which
//!
//! - the link is idle,
//! - the FIFO at its far end has room for the whole packet, reserved from that cycle until its last flit has left
//!   that FIFO,
//! - the packet heads its own FIFO,
//! - its head flit has been in the router for the router's delay (none at the source),
//! - no other packet of which the last two hold, and which became ready earlier (or in the same cycle, with a smaller
//!   number), wants the link.
//!
//! From then on one of its flits leaves every cycle and arrives in the next.

mod by_hand;

use std::collections::{BTreeMap, VecDeque};

/// End of a link; rows and columns count from the north-west.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    Controller(usize),
    Chip(usize, usize),
    Router(usize, usize),
}

/// The FIFO at its far end has the same name; a source's queue is called (source, source).
pub type Link = (Node, Node);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// The source sends the smaller number of a cycle first.
    pub at: u64,
    pub from: Node,
    pub to: Node,
    pub flits: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    pub rows: usize,
    pub columns: usize,
    /// Whether the controllers of odd rows are at the east edge instead of the west edge.
    pub two_edges: bool,
    /// From a head flit's arrival at a router until it may leave.
    pub delay: u64,
    pub buffer: u64,
    pub packets: Vec<Packet>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossing {
    pub crossed: u64,
    pub starts: Vec<u64>,
    pub port: u64,
    pub conflict: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    pub cycle: u64,
    pub link: Link,
    pub packet: usize,
    pub flit: u64,
}

impl Case {
    pub fn place(&self, node: Node) -> (usize, usize) {
        match node {
            Node::Controller(row) if self.two_edges && row % 2 == 1 => (row, self.columns - 1),
            Node::Controller(row) => (row, 0),
            Node::Chip(row, column) | Node::Router(row, column) => (row, column),
        }
    }

    pub fn next(&self, at: Node, to: Node) -> Node {
        let (row, column) = self.place(at);
        let (to_row, to_column) = self.place(to);
        match at {
            Node::Controller(_) | Node::Chip(..) => Node::Router(row, column),
            Node::Router(..) if column < to_column => Node::Router(row, column + 1),
            Node::Router(..) if column > to_column => Node::Router(row, column - 1),
            Node::Router(..) if row < to_row => Node::Router(row + 1, column),
            Node::Router(..) if row > to_row => Node::Router(row - 1, column),
            Node::Router(..) => to,
        }
    }

    pub fn route(&self, packet: &Packet) -> Vec<Link> {
        let mut at = packet.from;
        let mut links = Vec::new();
        while links.is_empty() || at != packet.to {
            let next = self.next(at, packet.to);
            links.push((at, next));
            at = next;
        }
        links
    }

    fn links(&self) -> Vec<Link> {
        let mut pairs = Vec::new();
        for row in 0..self.rows {
            let (_, edge) = self.place(Node::Controller(row));
            pairs.push((Node::Controller(row), Node::Router(row, edge)));
            for column in 0..self.columns {
                let here = Node::Router(row, column);
                pairs.push((Node::Chip(row, column), here));
                if column + 1 < self.columns {
                    pairs.push((here, Node::Router(row, column + 1)));
                }
                if row + 1 < self.rows {
                    pairs.push((here, Node::Router(row + 1, column)));
                }
            }
        }
        pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect()
    }
}

#[derive(Debug, Clone, Copy)]
struct Flit {
    packet: usize,
    number: u64,
    arrived: u64,
}

#[derive(Debug, Default)]
struct Fifo {
    flits: VecDeque<Flit>,
    reserved: u64,
}

#[derive(Debug, Default)]
struct Wire {
    /// Its FIFO, and the number of the flit that leaves next.
    crossing: Option<(Link, usize, u64)>,
    carries: Option<(usize, u64)>,
}

struct Mesh<'a> {
    case: &'a Case,
    cycle: u64,
    wires: BTreeMap<Link, Wire>,
    fifos: BTreeMap<Link, Fifo>,
    crossings: Vec<Crossing>,
    crossed: usize,
    carried: Vec<Carried>,
}

impl<'a> Mesh<'a> {
    fn new(case: &'a Case) -> Mesh<'a> {
        let links = case.links();
        let sources = links.iter().filter(|(from, _)| !is_router(*from)).map(|&(from, _)| (from, from));
        let buffers = links.iter().filter(|(_, to)| is_router(*to)).copied();
        Mesh {
            case,
            cycle: 0,
            fifos: sources.chain(buffers).map(|name| (name, Fifo::default())).collect(),
            wires: links.into_iter().map(|link| (link, Wire::default())).collect(),
            crossings: vec![Crossing { crossed: 0, starts: Vec::new(), port: 0, conflict: 0 }; case.packets.len()],
            crossed: 0,
            carried: Vec::new(),
        }
    }

    fn step(&mut self) {
        self.inject();
        self.arrive();
        self.start();
        self.leave();
        self.cycle += 1;
    }

    fn inject(&mut self) {
        for (number, packet) in self.case.packets.iter().enumerate().filter(|(_, p)| p.at == self.cycle) {
            let queue = self.fifos.get_mut(&(packet.from, packet.from)).expect("a controller or chip of the mesh");
            queue.reserved += packet.flits;
            queue.flits.extend((0..packet.flits).map(|k| Flit { packet: number, number: k, arrived: packet.at }));
        }
    }

    fn arrive(&mut self) {
        for (link, wire) in &mut self.wires {
            let Some((packet, number)) = wire.carries.take() else { continue };
            if let Some(fifo) = self.fifos.get_mut(link) {
                fifo.flits.push_back(Flit { packet, number, arrived: self.cycle });
                assert!(fifo.flits.len() as u64 <= fifo.reserved && fifo.reserved <= self.case.buffer, "{link:?}");
            } else if number + 1 == self.case.packets[packet].flits {
                assert_eq!(link.1, self.case.packets[packet].to);
                self.crossings[packet].crossed = self.cycle;
                self.crossed += 1;
            }
        }
    }

    fn start(&mut self) {
        for link in self.case.links() {
            if self.wires[&link].crossing.is_some() {
                continue;
            }
            let candidates = self.fifos.keys().filter_map(|&fifo| self.candidate(fifo, link));
            let Some((ready, packet, from)) = candidates.min() else { continue };
            let flits = self.case.packets[packet].flits;
            if let Some(far) = self.fifos.get_mut(&link) {
                if far.reserved + flits > self.case.buffer {
                    continue;
                }
                far.reserved += flits;
            }
            self.wires.get_mut(&link).unwrap().crossing = Some((from, packet, 0));
            let crossing = &mut self.crossings[packet];
            crossing.starts.push(self.cycle);
            let is_port = [link.0, link.1].iter().any(|n| matches!(n, Node::Chip(..)));
            *(if is_port { &mut crossing.port } else { &mut crossing.conflict }) += self.cycle - ready;
        }
    }

    /// Since when it is ready, its number, its FIFO.
    fn candidate(&self, fifo: Link, link: Link) -> Option<(u64, usize, Link)> {
        let at = fifo.1;
        // Where the first flit is not a packet's head, the packet is leaving.
        let head = self.fifos[&fifo].flits.front().filter(|flit| flit.number == 0)?;
        let ready = head.arrived + if is_router(at) { self.case.delay } else { 0 };
        let wants = (at, self.case.next(at, self.case.packets[head.packet].to));
        (ready <= self.cycle && wants == link).then_some((ready, head.packet, fifo))
    }

    fn leave(&mut self) {
        for (&link, wire) in &mut self.wires {
            let Some((from, packet, number)) = wire.crossing else { continue };
            let fifo = self.fifos.get_mut(&from).unwrap();
            let flit = fifo.flits.pop_front().expect("no flit is late");
            assert_eq!((flit.packet, flit.number), (packet, number), "one packet after the other on {link:?}");
            assert!(flit.arrived <= self.cycle && wire.carries.is_none());
            wire.carries = Some((packet, number));
            wire.crossing = Some((from, packet, number + 1));
            self.carried.push(Carried { cycle: self.cycle, link, packet, flit: number });
            let flits = self.case.packets[packet].flits;
            if number + 1 == flits {
                fifo.reserved -= flits;
                wire.crossing = None;
            }
        }
    }
}

fn is_router(node: Node) -> bool {
    matches!(node, Node::Router(..))
}

pub fn record(case: &Case) -> (Vec<Crossing>, Vec<Carried>) {
    for packet in &case.packets {
        assert!((1..=case.buffer).contains(&packet.flits), "a packet must fit into a buffer: {packet:?}");
        assert!(!is_router(packet.from) && !is_router(packet.to), "{packet:?}");
    }
    // In every cycle at least one flit moves or one head flit waits in a router.
    let work = |p: &Packet| case.route(p).len() as u64 * (p.flits + case.delay + 1);
    let latest = case.packets.iter().map(|p| p.at).max().unwrap_or(0) + case.packets.iter().map(work).sum::<u64>();
    let mut mesh = Mesh::new(case);
    while mesh.crossed < case.packets.len() {
        assert!(mesh.cycle <= latest, "deadlock: {case:?}");
        mesh.step();
    }
    (mesh.crossings, mesh.carried)
}

pub fn run(case: &Case) -> Vec<Crossing> {
    record(case).0
}
