//! The rules of `network.rs` as a plain simulation, moment by moment.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Bench, shape};
use crate::config::design::ControllerEdge;
use crate::config::units::{Duration, Rate, Size};
use crate::engine::time::Time;
use crate::fabric::Fabric;
use crate::fabric::mesh::Node;
use crate::fabric::tests::array;
use crate::flash::address::ChipId;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stop {
    Router(i32, i32),
    Chip(i32, i32),
    Controller(i32),
}

type Edge = (Stop, Stop);

#[derive(Clone)]
struct Sent {
    at: u64,
    length: u64,
    way: Vec<Edge>,
    starts: Vec<u64>,
}

impl Sent {
    fn ready(&self, hop: u64) -> u64 {
        self.starts.last().map_or(self.at, |start| start + hop)
    }

    fn has_left(&self, i: usize, t: u64) -> bool {
        self.starts.get(i + 1).is_some_and(|start| start + self.length <= t)
    }
}

fn way(columns: i32, edge: ControllerEdge, source: Node, destination: Node) -> Vec<Edge> {
    let ends = |node: Node| match node {
        Node::Chip(ChipId(c)) => {
            (Stop::Chip(c as i32 / columns, c as i32 % columns), (c as i32 / columns, c as i32 % columns))
        }
        Node::Controller(c) => {
            let east = edge == ControllerEdge::Alternating && c % 2 == 1;
            (Stop::Controller(c as i32), (c as i32, if east { columns - 1 } else { 0 }))
        }
    };
    let ((first, from), (last, to)) = (ends(source), ends(destination));
    let (mut row, mut column) = from;
    let mut stops = vec![first, Stop::Router(row, column)];
    while (row, column) != to {
        if column == to.1 {
            row += (to.0 - row).signum();
        } else {
            column += (to.1 - column).signum();
        }
        stops.push(Stop::Router(row, column));
    }
    stops.push(last);
    stops.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn run_by_the_rules(packets: &mut [Sent], hop: u64, buffer: u64) {
    // In the order in which they started; at sources, of creation.
    let mut order: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
    let before =
        |list: &[usize], id: usize| list.iter().position(|&p| p == id).unwrap().checked_sub(1).map(|i| list[i]);
    let mut t = 0;
    while packets.iter().any(|p| p.starts.len() < p.way.len()) {
        let mut wanted: BTreeMap<Edge, (u64, usize)> = BTreeMap::new();
        for (id, p) in packets.iter().enumerate() {
            let i = p.starts.len();
            if i == p.way.len() || p.ready(hop) > t {
                continue;
            }
            // The one before it in its buffer.
            let ahead = match i {
                0 => (0..id).rev().find(|&other| packets[other].way[0] == p.way[0] && packets[other].at <= t),
                _ => before(&order[&p.way[i - 1]], id),
            };
            let gone = |other: usize| match i {
                0 => packets[other].starts.first().is_some_and(|start| start + packets[other].length <= t),
                _ => {
                    let edge = packets[other].way.iter().position(|e| *e == p.way[i - 1]).unwrap();
                    packets[other].has_left(edge, t)
                }
            };
            if ahead.is_none_or(gone) {
                let claim = (p.ready(hop), id);
                wanted.entry(p.way[i]).and_modify(|first| *first = claim.min(*first)).or_insert(claim);
            }
        }
        for (edge, (_, id)) in wanted {
            let on_it = order.entry(edge).or_default();
            let place = |other: usize| packets[other].way.iter().position(|e| *e == edge).unwrap();
            let busy =
                on_it.last().is_some_and(|&other| packets[other].starts[place(other)] + packets[other].length > t);
            let there = on_it.iter().filter(|&&other| !packets[other].has_left(place(other), t));
            let taken: u64 = there.map(|&other| packets[other].length).sum();
            let is_sink = !matches!(edge.1, Stop::Router(..));
            if !busy && (is_sink || taken + packets[id].length <= buffer) {
                on_it.push(id);
                packets[id].starts.push(t);
            }
        }
        t += 1;
        assert!(t < 1_000_000, "the mesh is wedged");
    }
}

type Order = (u32, u32, u64, u64);

fn orders() -> impl Strategy<Value = Vec<Order>> {
    let pause = prop_oneof![3 => Just(0u64), 3 => 0u64..4, 1 => 0u64..40];
    prop::collection::vec((0u32..1000, 0u32..1000, pause, 1u64..14), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(400), ..ProptestConfig::default() })]

    #[test]
    fn packets_follow_the_rules(
        (rows, columns) in (1u32..5, 1u32..5),
        east in prop::bool::ANY,
        delay in 0u64..4,
        buffer in 14u64..40,
        few in prop::bool::ANY,
        orders in orders(),
    ) {
        let edge = if east { ControllerEdge::Alternating } else { ControllerEdge::West };
        let mut config = shape(edge);
        config.network.link_rate = Some(Rate(1_000_000_000_000));
        config.network.router_delay = Duration(delay);
        config.mesh.buffer = Size(buffer);
        let mut bench = Bench::new(&config, &array(rows, columns));
        bench.keep_paths = true;
        let nodes = rows * columns + rows;
        let node = |n: u32| match if few { n % nodes.min(4) * (nodes / 4).max(1) % nodes } else { n % nodes } {
            n if n < rows => Node::Controller(n),
            n => Node::Chip(ChipId(n - rows)),
        };
        let mut now = 0;
        let mut packets = Vec::new();
        let mut paths = BTreeMap::new();
        for (id, &(source, destination, pause, length)) in orders.iter().enumerate() {
            now += pause;
            let (source, destination) = (node(source), node(destination));
            if length % 2 == 0 { bench.run_before(Time(now)) } else { bench.run_until(Time(now)) }
            paths.insert(id, bench.send(source, destination, Time(length)));
            packets.push(Sent { at: now, length, way: way(columns as i32, edge, source, destination), starts: vec![] });
        }
        bench.run();
        let hop = 1 + delay;
        run_by_the_rules(&mut packets, hop, buffer);
        let mut spans = BTreeSet::new();
        for (id, p) in packets.iter().enumerate() {
            let crossed = bench.crossed[&paths[&id]];
            let waits: Vec<u64> = (0..p.way.len()).map(|i| p.starts[i] - if i == 0 { p.at } else { p.starts[i - 1] + hop }).collect();
            let of_chip = |i: &usize| matches!(p.way[*i], (Stop::Chip(..), _) | (_, Stop::Chip(..)));
            let port: u64 = (0..p.way.len()).filter(of_chip).map(|i| waits[i]).sum();
            prop_assert_eq!(crossed.at, Time(p.starts.last().unwrap() + p.length), "packet {} of {:?}", id, p.way);
            prop_assert_eq!(crossed.port, Time(port));
            prop_assert_eq!(crossed.conflict, Time(waits.iter().sum::<u64>() - port));
            for i in (0..p.way.len()).filter(|i| !of_chip(i)) {
                spans.insert((p.starts[i], p.starts[i] + p.length, p.way[i], id));
            }
        }
        let ids: BTreeMap<_, _> = paths.iter().map(|(id, path)| (*path, *id)).collect();
        let stop = |(row, column): (i32, i32)| {
            if column < 0 || column == columns as i32 { Stop::Controller(row) } else { Stop::Router(row, column) }
        };
        let traced = bench.spans().into_iter().map(|(wire, path, start, end)| {
            (start.0, end.0, (stop(wire.from), stop(wire.to)), ids[&path])
        });
        prop_assert_eq!(traced.collect::<BTreeSet<_>>(), spans);
        for (c, controller) in (0..).zip(bench.mesh.controllers()) {
            let at_work = |t: &u64| packets.iter().any(|p| {
                let of_it = |i: &usize| [p.way[*i].0, p.way[*i].1].contains(&Stop::Controller(c));
                (0..p.way.len()).filter(of_it).any(|i| (p.starts[i]..p.starts[i] + p.length).contains(t))
            });
            prop_assert_eq!(controller.busy, Time((0..bench.now.0).filter(at_work).count() as u64));
        }
        bench.assert_idle();
    }
}
