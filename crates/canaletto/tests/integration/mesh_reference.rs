//! The mesh against a reference that moves every flit in every cycle, itself tested against the rules of
//! `flits/mod.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::flits::{self, Case, Crossing, Link, Node, Packet};
use canaletto::config::design::{ControllerEdge, Fabric as Config, FabricKind, Geometry};
use canaletto::config::units::{Duration, Rate, Size};
use canaletto::engine::events::{Due, EventQueue};
use canaletto::engine::time::Time;
use canaletto::fabric::Fabric;
use canaletto::fabric::mesh::{self, Mesh};
use canaletto::flash::address::{ChipId, Layout};
use proptest::prelude::*;

fn end(rows: usize, columns: usize, chip: bool) -> impl Strategy<Value = Node> {
    (0..rows, 0..columns).prop_map(move |(r, c)| if chip { Node::Chip(r, c) } else { Node::Controller(r) })
}

fn packet(rows: usize, columns: usize, longest: u64, anywhere: bool) -> impl Strategy<Value = Packet> {
    (any::<bool>(), any::<bool>()).prop_flat_map(move |(from_chip, to_chip)| {
        let to_chip = if anywhere { to_chip } else { !from_chip };
        (0..30u64, end(rows, columns, from_chip), end(rows, columns, to_chip), 1..=longest)
            .prop_map(|(at, from, to, flits)| Packet { at, from, to, flits })
    })
}

fn cases(anywhere: bool) -> impl Strategy<Value = Case> {
    (1..=4usize, 1..=4usize, any::<bool>(), 0..=3u64, 1..=10u64).prop_flat_map(
        move |(rows, columns, two_edges, delay, longest)| {
            let packets = prop::collection::vec(packet(rows, columns, longest, anywhere), 1..=30);
            (longest..=3 * longest, packets).prop_map(move |(buffer, packets)| Case {
                rows,
                columns,
                two_edges,
                delay,
                buffer,
                packets,
            })
        },
    )
}

#[derive(Debug)]
struct Visit {
    packet: usize,
    flits: u64,
    link: Link,
    fifo: Link,
    /// When it came into that FIFO: the order of the FIFO.
    entered: (u64, usize),
    ready: u64,
    /// When it is ready and heads its FIFO.
    candidate: u64,
    start: u64,
    gone: u64,
}

impl Visit {
    fn is_busy(&self, t: u64) -> bool {
        (self.start..self.start + self.flits).contains(&t)
    }

    fn holds_space(&self, t: u64) -> bool {
        (self.start..self.gone).contains(&t)
    }

    /// As far as other packets of its link are concerned.
    fn may_start(&self, t: u64, others: &[&Visit], buffer: u64) -> bool {
        let taken: u64 = others.iter().filter(|o| o.holds_space(t)).map(|o| o.flits).sum();
        let is_next = |o: &Visit| o.candidate <= t && t <= o.start && (o.ready, o.packet) < (self.ready, self.packet);
        let is_sink = !matches!(self.link.1, Node::Router(..));
        !others.iter().any(|o| o.is_busy(t) || is_next(o)) && (is_sink || taken + self.flits <= buffer)
    }
}

fn visits(case: &Case, crossings: &[Crossing]) -> Vec<Visit> {
    let mut visits = Vec::new();
    for (number, (packet, crossing)) in case.packets.iter().zip(crossings).enumerate() {
        let (mut fifo, mut entered, mut ready) = ((packet.from, packet.from), packet.at, packet.at);
        for (i, (link, &start)) in case.route(packet).into_iter().zip(&crossing.starts).enumerate() {
            let gone = crossing.starts.get(i + 1).map_or(0, |next| next + packet.flits);
            let (packet, flits, entered_as) = (number, packet.flits, (entered, number));
            visits.push(Visit { packet, flits, link, fifo, entered: entered_as, ready, candidate: ready, start, gone });
            (fifo, entered, ready) = (link, start, start + 1 + case.delay);
        }
    }
    visits.sort_by_key(|v| (v.fifo, v.entered));
    for i in 1..visits.len() {
        let before = &visits[i - 1];
        if before.fifo == visits[i].fifo {
            visits[i].candidate = visits[i].ready.max(before.start + before.flits);
        }
    }
    visits
}

fn every_start_is_due(case: &Case, crossings: &[Crossing]) -> Result<(), TestCaseError> {
    let visits = visits(case, crossings);
    for visit in &visits {
        let others: Vec<&Visit> = visits.iter().filter(|o| o.link == visit.link && o.packet != visit.packet).collect();
        prop_assert!(visit.start >= visit.candidate, "too early: {visit:?}");
        prop_assert!(visit.may_start(visit.start, &others, case.buffer), "not its turn: {visit:?}");
        let missed = (visit.candidate..visit.start).find(|&t| visit.may_start(t, &others, case.buffer));
        prop_assert_eq!(missed, None, "too late: {:?}", visit);
    }
    Ok(())
}

fn every_packet_crosses(case: &Case, crossings: &[Crossing]) -> Result<(), TestCaseError> {
    prop_assert_eq!(crossings.len(), case.packets.len());
    for (packet, crossing) in case.packets.iter().zip(crossings) {
        let ((r, c), (to_r, to_c)) = (case.place(packet.from), case.place(packet.to));
        let hops = r.abs_diff(to_r) + c.abs_diff(to_c);
        prop_assert_eq!(crossing.starts.len(), hops + 2);
        prop_assert_eq!(crossing.crossed, crossing.starts[hops + 1] + packet.flits);
        let alone = (hops as u64 + 1) * (1 + case.delay) + packet.flits;
        prop_assert_eq!(crossing.crossed, packet.at + alone + crossing.port + crossing.conflict);
    }
    Ok(())
}

fn capacities_are_kept(case: &Case) -> Result<(), TestCaseError> {
    let (crossings, carried) = flits::record(case);
    let slots: BTreeSet<_> = carried.iter().map(|c| (c.cycle, c.link)).collect();
    prop_assert_eq!(slots.len(), carried.len(), "two flits on one link");
    let left: BTreeMap<_, u64> = carried.iter().map(|c| ((c.packet, c.flit, c.link), c.cycle)).collect();
    prop_assert_eq!(left.len(), carried.len(), "a flit crossed a link twice");
    let mut held: BTreeMap<(Link, u64), u64> = BTreeMap::new();
    let mut expected = 0;
    for (number, packet) in case.packets.iter().enumerate() {
        let route = case.route(packet);
        for flit in 0..packet.flits {
            let cycles: Vec<u64> = route.iter().map(|&link| left[&(number, flit, link)]).collect();
            let follows: Vec<u64> = crossings[number].starts.iter().map(|start| start + flit).collect();
            prop_assert_eq!(&cycles, &follows);
            expected += cycles.len();
            for (i, &link) in route[..route.len() - 1].iter().enumerate() {
                prop_assert!(cycles[i] < cycles[i + 1], "a flit left before it arrived");
                (cycles[i] + 1..=cycles[i + 1]).for_each(|t| *held.entry((link, t)).or_default() += 1);
            }
        }
    }
    prop_assert_eq!(expected, carried.len(), "a flit went astray");
    prop_assert!(held.values().all(|&flits| flits <= case.buffer), "a buffer overflowed");
    Ok(())
}

fn pairs_stay_in_order(case: &Case, crossings: &[Crossing]) -> Result<(), TestCaseError> {
    let mut sent: Vec<usize> = (0..case.packets.len()).collect();
    sent.sort_by_key(|&i| (case.packets[i].at, i));
    let mut last: BTreeMap<(Node, Node), u64> = BTreeMap::new();
    for i in sent {
        let Packet { from, to, .. } = case.packets[i];
        let before = last.insert((from, to), crossings[i].crossed);
        prop_assert!(before < Some(crossings[i].crossed), "packet {i} overtook another");
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_reference_keeps_its_rules(case in prop_oneof![cases(false), cases(true)]) {
        let crossings = flits::run(&case);
        every_packet_crosses(&case, &crossings)?;
        every_start_is_due(&case, &crossings)?;
        capacities_are_kept(&case)?;
        pairs_stay_in_order(&case, &crossings)?;
    }
}

/// A flit time is a nanosecond.
fn engine(case: &Case) -> Vec<Crossing> {
    let mut config = Config::new(FabricKind::Mesh, Rate(1_000_000_000));
    config.network.router_delay = Duration(case.delay * 1000);
    config.network.controllers = if case.two_edges { ControllerEdge::Alternating } else { ControllerEdge::West };
    config.mesh.buffer = Size(case.buffer);
    let geometry = Geometry {
        channels: case.rows as u32,
        chips_per_channel: case.columns as u32,
        dies_per_chip: 1,
        planes_per_die: 1,
        blocks_per_plane: 4,
        pages_per_block: 1,
        page: Size(512),
    };
    let mut mesh = Mesh::new(&config, &Layout::new(&geometry, true));
    let node = |node: Node| match node {
        Node::Chip(row, column) => mesh::Node::Chip(ChipId((row * case.columns + column) as u32)),
        Node::Controller(row) => mesh::Node::Controller(row as u32),
        Node::Router(..) => unreachable!("routers send nothing of their own"),
    };
    let mut crossings = vec![Crossing { crossed: 0, starts: Vec::new(), port: 0, conflict: 0 }; case.packets.len()];
    let mut events = EventQueue::new();
    let mut numbers = BTreeMap::new();
    for (number, packet) in case.packets.iter().enumerate() {
        events.push(Time::from_ns(packet.at), Happening::Injection(number));
    }
    while let Some((now, Due::Event(happening))) = events.pop() {
        let mut later = |time, event| events.push(time, Happening::Inside(event));
        match happening {
            Happening::Injection(number) => {
                let Packet { from, to, flits, .. } = case.packets[number];
                let path = mesh.send(node(from), node(to), Time::from_ns(flits), now, &mut later);
                numbers.insert(path, number);
            }
            Happening::Inside(event) => {
                if let Some(crossed) = mesh.handle(event, now, &mut later).crossed {
                    let crossing = &mut crossings[numbers[&crossed.path]];
                    crossing.crossed = now.ns();
                    (crossing.port, crossing.conflict) = (crossed.port.ns(), crossed.conflict.ns());
                    mesh.release(crossed.path, now, &mut later);
                }
            }
        }
    }
    crossings
}

#[derive(Clone, Copy)]
enum Happening {
    Injection(usize),
    Inside(mesh::MeshEvent),
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_engines_mesh_is_the_reference(mut case in cases(false)) {
        case.packets.sort_by_key(|packet| packet.at);
        let reference = flits::run(&case).into_iter().map(|crossing| Crossing { starts: Vec::new(), ..crossing });
        prop_assert_eq!(engine(&case), reference.collect::<Vec<_>>());
    }
}
