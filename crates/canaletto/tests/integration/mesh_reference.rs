//! The mesh against a reference that moves every flit in every cycle, itself tested against the rules of
//! `flits/mod.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::flits::{self, Case, Crossing, Link, Node, Packet};
use canaletto::config::design::{ControllerEdge, Fabric as Config, FabricKind, Geometry};
use canaletto::config::units::{Duration, Rate, Size};
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

/// A span of a link between routers, or of a controller's: its start, and the packet.
type Spans = BTreeSet<(u64, Link, usize)>;

/// A flit time is a nanosecond. Also returns the spans, and how long each controller is busy.
fn engine(case: &Case) -> (Vec<Crossing>, Spans, Vec<u64>) {
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
    mesh.trace().switch_on();
    let node = |node: Node| match node {
        Node::Chip(row, column) => mesh::Node::Chip(ChipId((row * case.columns + column) as u32)),
        Node::Controller(row) => mesh::Node::Controller(row as u32),
        Node::Router(..) => unreachable!("routers send nothing of their own"),
    };
    let (mut pending, mut pushed) = (BTreeMap::new(), 0);
    let (mut paths, mut crossed) = (BTreeMap::new(), BTreeMap::new());
    let mut injections = case.packets.iter().enumerate().peekable();
    loop {
        // At the same moment some packets are sent before what is due, others after it.
        let due = pending.first_key_value().map(|(&(at, _), _)| at);
        let sends = injections.next_if(|(number, packet)| {
            let at = Time::from_ns(packet.at);
            due.is_none_or(|due| at < due || at == due && number % 2 == 0)
        });
        let mut later = |pending: &mut BTreeMap<_, _>, time, event| {
            pending.insert((time, pushed), event);
            pushed += 1;
        };
        if let Some((number, Packet { at, from, to, flits })) = sends {
            let (now, length) = (Time::from_ns(*at), Time::from_ns(*flits));
            let path = mesh.send(node(*from), node(*to), length, now, &mut |t, e| later(&mut pending, t, e));
            paths.insert(path, number);
        } else if let Some(((now, _), event)) = pending.pop_first() {
            if let Some(done) = mesh.handle(event, now, &mut |t, e| later(&mut pending, t, e)).crossed {
                let (port, conflict) = (done.port.ns(), done.conflict.ns());
                crossed.insert(paths[&done.path], Crossing { crossed: now.ns(), starts: Vec::new(), port, conflict });
            }
        } else {
            break;
        }
    }
    let stop = |(row, column): (i32, i32)| match usize::try_from(column) {
        Ok(column) if column < case.columns => Node::Router(row as usize, column),
        _ => Node::Controller(row as usize),
    };
    let links: Vec<Link> = mesh.wires().iter().map(|wire| (stop(wire.from), stop(wire.to))).collect();
    let spans = mesh.trace().drain().map(|span| (span.start.ns(), links[span.wire as usize], paths[&span.path]));
    let spans = spans.collect();
    let busy = mesh.controllers().iter().map(|controller| controller.busy.ns()).collect();
    (crossed.into_values().collect(), spans, busy)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn the_engines_mesh_is_the_reference(mut case in prop_oneof![cases(false), cases(true)]) {
        case.packets.sort_by_key(|packet| packet.at);
        let reference = flits::run(&case);
        let (crossings, spans, busy) = engine(&case);
        let is_of_chip = |link: &Link| [link.0, link.1].iter().any(|node| matches!(node, Node::Chip(..)));
        let (mut expected, mut at_work) = (Spans::new(), vec![BTreeSet::new(); case.rows]);
        for (number, (packet, crossing)) in case.packets.iter().zip(&reference).enumerate() {
            for (link, &start) in case.route(packet).into_iter().zip(&crossing.starts) {
                if !is_of_chip(&link) {
                    expected.insert((start, link, number));
                }
                for node in [link.0, link.1] {
                    if let Node::Controller(row) = node {
                        at_work[row].extend(start..start + packet.flits);
                    }
                }
            }
        }
        prop_assert_eq!(spans, expected);
        prop_assert_eq!(busy, at_work.iter().map(|cycles| cycles.len() as u64).collect::<Vec<_>>());
        let reference = reference.into_iter().map(|crossing| Crossing { starts: Vec::new(), ..crossing });
        prop_assert_eq!(crossings, reference.collect::<Vec<_>>());
    }
}
