mod transfers;

use std::collections::BTreeMap;

use super::*;
use crate::config::design::{ControllerEdge, MeshController};
use crate::config::units::{Rate, Size};
use crate::fabric::tests::array;

fn shape(controllers: ControllerEdge) -> FabricConfig {
    let mut config = FabricConfig::new(FabricKind::Mesh, Rate(1_200_000_000));
    config.network.link_rate = Some(Rate(1_000_000_000));
    config.network.controllers = controllers;
    config.mesh.controller = MeshController::LeastLoaded;
    config
}

fn cases(usual: u32) -> u32 {
    std::env::var("CANALETTO_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Time,
    conflict: Time,
    port: Time,
}

struct Bench {
    mesh: Mesh,
    now: Time,
    pending: BTreeMap<(Time, u64), MeshEvent>,
    pushed: u64,
    crossed: BTreeMap<PathId, Arrival>,
    freed: Vec<Time>,
    keep_paths: bool,
}

impl Bench {
    fn new(config: &FabricConfig, layout: &Layout) -> Bench {
        let mut mesh = Mesh::new(config, layout);
        mesh.trace().switch_on();
        Bench {
            mesh,
            now: Time::ZERO,
            pending: BTreeMap::new(),
            pushed: 0,
            crossed: BTreeMap::new(),
            freed: Vec::new(),
            keep_paths: false,
        }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Mesh, Time, &mut dyn FnMut(Time, MeshEvent)) -> T) -> T {
        let (pending, pushed) = (&mut self.pending, &mut self.pushed);
        act(&mut self.mesh, self.now, &mut |time, event| {
            pending.insert((time, *pushed), event);
            *pushed += 1;
        })
    }

    fn send(&mut self, source: Node, destination: Node, length: Time) -> PathId {
        self.with(|mesh, now, mut later| mesh.send(source, destination, length, now, &mut later))
    }

    fn start(&mut self, transfer: Transfer) -> PathId {
        assert!(self.mesh.may_start(ALL) && self.mesh.is_free(transfer.chip, transfer.direction));
        self.with(|mesh, now, mut later| mesh.start(transfer, now, &mut later))
    }

    fn page(&self, chip: u32, direction: Direction) -> Transfer {
        let command =
            if direction == Direction::ToChip { self.mesh.command_time(Operation::Program, 1) } else { Time::ZERO };
        Transfer { chip: ChipId(chip), direction, command, data: self.mesh.data_time(Operation::Program, 4096) }
    }

    fn is_free(&self, chip: u32, direction: Direction) -> bool {
        self.mesh.is_free(ChipId(chip), direction)
    }

    fn step(&mut self) -> bool {
        let Some(((time, _), event)) = self.pending.pop_first() else { return false };
        assert!(time >= self.now, "an event was scheduled in the past");
        self.now = time;
        let happened = self.with(|mesh, now, mut later| mesh.handle(event, now, &mut later));
        self.freed.extend(happened.freed.map(|_| time));
        if let Some(crossed) = happened.crossed {
            assert_eq!(crossed.setup, Time::ZERO);
            self.crossed.insert(crossed.path, Arrival { at: time, conflict: crossed.conflict, port: crossed.port });
            if !self.keep_paths {
                self.with(|mesh, now, mut later| mesh.release(crossed.path, now, &mut later));
            }
        }
        true
    }

    fn run_before(&mut self, time: Time) {
        while self.pending.first_key_value().is_some_and(|((next, _), _)| *next < time) {
            self.step();
        }
        self.now = time;
    }

    fn run_until(&mut self, time: Time) {
        self.run_before(Time(time.0 + 1));
        self.now = time;
    }

    fn run(&mut self) {
        while self.step() {}
    }

    fn spans(&mut self) -> Vec<(Wire, PathId, Time, Time)> {
        let wires = self.mesh.wires();
        let spans = self.mesh.trace().drain();
        spans.map(|s| (wires[s.wire as usize].clone(), s.path, s.start, s.end)).collect()
    }

    fn assert_idle(&mut self) {
        if self.keep_paths {
            for path in std::mem::take(&mut self.crossed).into_keys() {
                self.with(|mesh, now, mut later| mesh.release(path, now, &mut later));
            }
        }
        assert!(self.pending.is_empty());
        let mesh = &mut self.mesh;
        assert!(mesh.controllers.loads.iter().chain(&mesh.controllers.idle_loads).all(|&load| load == Time::ZERO));
        assert!(mesh.idle_chips.iter().all(|&idle| idle));
        assert_eq!(mesh.idle_chip_count as usize, mesh.idle_chips.len());
        assert_eq!(mesh.idle_controller_count as usize, mesh.controllers.loads.len());
        mesh.network.assert_empty();
    }
}

#[test]
fn sources_are_refused_until_they_have_sent() {
    let mut bench = Bench::new(&shape(ControllerEdge::West), &array(1, 4));
    bench.run_until(Time::from_ns(5));
    let transfer = bench.page(2, Direction::FromChip);
    bench.start(transfer);
    let sent = Time::from_ns(5) + transfer.time();
    bench.run_until(Time(sent.0 - 1));
    assert!(!bench.is_free(2, Direction::FromChip));
    assert!(bench.is_free(3, Direction::FromChip) && bench.is_free(2, Direction::ToChip), "others are not concerned");
    bench.run_until(sent);
    assert!(bench.is_free(2, Direction::FromChip));
    assert_eq!(bench.freed, [sent]);
    assert_eq!(bench.mesh.port_free_at(ChipId(2), Direction::FromChip), sent);
    // No chip gets anything until the page is through.
    let now = sent + Time::from_ns(1000);
    bench.run_until(now);
    let transfer = bench.page(0, Direction::ToChip);
    bench.start(transfer);
    bench.run_until(Time((now + transfer.time()).0 - 1));
    assert!((0..4).all(|chip| !bench.is_free(chip, Direction::ToChip)));
    bench.run_until(now + transfer.time());
    assert!((0..4).all(|chip| bench.is_free(chip, Direction::ToChip)));
    bench.run();
    bench.assert_idle();
}

#[test]
fn everything_crosses() {
    let mut bench = crate::fabric::tests::Bench::<Mesh>::new(&shape(ControllerEdge::West), &array(4, 4));
    for chip in (0..16).chain(0..16) {
        if bench.is_free(chip, Direction::FromChip) {
            bench.start(bench.page(chip, Direction::FromChip));
        }
        if bench.is_free(chip, Direction::ToChip) {
            bench.start(bench.page(chip, Direction::ToChip));
        }
    }
    bench.run();
    assert_eq!(bench.crossed.len(), 16 + 4);
    assert!((0..16).all(|c| bench.is_free(c, Direction::FromChip) && bench.is_free(c, Direction::ToChip)));
    bench.fabric.network.assert_empty();
}

#[test]
fn unloaded_latency_is_hops_and_length() {
    for (rows, columns) in [(1, 1), (1, 7), (5, 1), (3, 4), (8, 8), (16, 4)] {
        for edge in [ControllerEdge::West, ControllerEdge::Alternating] {
            let mut bench = Bench::new(&shape(edge), &array(rows, columns));
            for (chip, controller) in (0..rows * columns).flat_map(|chip| (0..rows).map(move |c| (chip, c))) {
                let (row, column) = (chip / columns, chip % columns);
                let at = if edge == ControllerEdge::Alternating && controller % 2 == 1 { columns - 1 } else { 0 };
                let routers = u64::from(row.abs_diff(controller) + column.abs_diff(at) + 1);
                let nodes = [Node::Chip(ChipId(chip)), Node::Controller(controller)];
                for (source, destination) in [(nodes[0], nodes[1]), (nodes[1], nodes[0])] {
                    let sent = bench.now;
                    let path = bench.send(source, destination, Time::from_ns(100));
                    bench.run();
                    assert_eq!(bench.crossed[&path].at, sent + Time::from_ns(routers * 2 + 100));
                    assert_eq!(bench.crossed[&path].conflict + bench.crossed[&path].port, Time::ZERO);
                }
            }
            bench.assert_idle();
        }
    }
}

#[test]
fn a_link_is_granted_when_it_is_free() {
    let length = Time::from_ns(100);
    // Past router 1 at 2 ns it holds the link until 102 ns; the second wants it at 4 ns + later.
    for (later, wait) in [(97_999, 1), (98_000, 0), (98_001, 0), (0, 98_000)] {
        let mut bench = Bench::new(&shape(ControllerEdge::West), &array(1, 4));
        bench.send(Node::Chip(ChipId(1)), Node::Controller(0), length);
        bench.run_until(Time(later));
        let second = bench.send(Node::Chip(ChipId(2)), Node::Controller(0), length);
        bench.run();
        assert_eq!(bench.crossed[&second].conflict, Time(wait));
        assert_eq!(bench.crossed[&second].at, Time(later) + Time::from_ns(6 + 100) + Time(wait));
    }
}

#[test]
fn a_buffer_pushes_back_until_it_has_room() {
    let ns = Time::from_ns;
    let crossing = |buffer: u64| {
        let mut config = shape(ControllerEdge::West);
        config.mesh.buffer = Size(buffer);
        let mut bench = Bench::new(&config, &array(1, 3));
        let paths: Vec<PathId> =
            (0..3).map(|_| bench.send(Node::Chip(ChipId(1)), Node::Controller(0), ns(100))).collect();
        bench.run();
        bench.assert_idle();
        paths.iter().map(|path| bench.crossed[path].at).collect::<Vec<_>>()
    };
    assert_eq!(crossing(200), [ns(104), ns(204), ns(304)]);
    for buffer in [100, 199] {
        assert_eq!(crossing(buffer), [ns(104), ns(206), ns(308)]);
    }
}

#[test]
fn the_head_of_a_line_blocks_what_is_behind() {
    let ns = Time::from_ns;
    let chip = |c| Node::Chip(ChipId(c));
    // Chip 5 receives a long packet; one from controller 0 waits for it, and one for chip 2 waits behind that.
    let mut bench = Bench::new(&shape(ControllerEdge::West), &array(2, 3));
    bench.send(Node::Controller(1), chip(5), ns(5000));
    let first = bench.send(Node::Controller(0), chip(5), ns(4000));
    let behind = bench.send(Node::Controller(0), chip(2), ns(100));
    bench.run();
    // The last link is taken from 6 ns (3 routers) to 5006 ns.
    assert_eq!(bench.crossed[&first].at, ns(5006 + 4000));
    assert_eq!((bench.crossed[&first].conflict, bench.crossed[&first].port), (Time::ZERO, ns(5006 - 8)));
    assert_eq!(bench.crossed[&behind].at, ns(4000 + 6 + 100), "nothing is in its way but the link it shares");
    let mut config = shape(ControllerEdge::West);
    config.mesh.buffer = Size(5000);
    let mut bench = Bench::new(&config, &array(2, 3));
    bench.send(Node::Controller(1), chip(5), ns(5000));
    bench.run_until(ns(100));
    bench.send(chip(2), chip(5), ns(4000));
    let first = bench.send(Node::Controller(0), chip(5), ns(4000));
    let behind = bench.send(Node::Controller(0), chip(2), ns(100));
    bench.run();
    // From 5006 to 9006 ns. Then the next one leaves router 2 until 13006 ns.
    assert_eq!(bench.crossed[&first].at, ns(9006 + 2 + 4000));
    assert_eq!(bench.crossed[&behind].at, ns(13_006 + 100));
    bench.assert_idle();
}

#[test]
fn the_first_ready_goes_first() {
    let ns = Time::from_ns;
    let mut bench = Bench::new(&shape(ControllerEdge::West), &array(3, 1));
    let send = |bench: &mut Bench, chip| bench.send(Node::Chip(ChipId(chip)), Node::Controller(1), ns(100));
    send(&mut bench, 1);
    let (south, north) = (send(&mut bench, 2), send(&mut bench, 0));
    bench.run_until(ns(1));
    let late = send(&mut bench, 1);
    bench.run();
    let at = |path| bench.crossed[&path].at;
    assert_eq!([at(south), at(north), at(late)], [ns(202), ns(302), ns(402)]);
    let mut bench = Bench::new(&shape(ControllerEdge::West), &array(3, 1));
    send(&mut bench, 1);
    let (north, south) = (send(&mut bench, 0), send(&mut bench, 2));
    bench.run();
    assert_eq!([bench.crossed[&north].at, bench.crossed[&south].at], [ns(202), ns(302)]);
}

#[test]
fn a_controllers_use_is_a_union() {
    let ns = Time::from_ns;
    let mut bench = Bench::new(&shape(ControllerEdge::West), &array(1, 2));
    // It receives from 2 to 102 ns, sends from 1 to 31 ns and from 90 to 120 ns.
    bench.send(Node::Chip(ChipId(0)), Node::Controller(0), ns(100));
    bench.run_until(ns(1));
    bench.send(Node::Controller(0), Node::Chip(ChipId(1)), ns(30));
    bench.run_until(ns(90));
    bench.send(Node::Controller(0), Node::Chip(ChipId(1)), ns(30));
    bench.run();
    assert_eq!(bench.mesh.controllers()[0].busy, ns(119));
    let wires = bench.mesh.wires();
    let used: Vec<(&str, Time)> = wires.iter().map(|w| (w.name.as_str(), w.busy)).collect();
    assert_eq!(used[..2], [("link 0,0 to 0,1", ns(60)), ("link to controller 0", ns(100))]);
    assert_eq!(used[2..], [("link from controller 0", ns(60)), ("link 0,1 to 0,0", Time::ZERO)]);
    assert!(wires.iter().all(|w| w.busy == w.active));
    assert_eq!(bench.mesh.router_time(), ns(2 * 60 + 100).into());
}

#[test]
fn wires_are_the_links_between_packages() {
    for (rows, columns) in [(1, 1), (4, 3), (256, 256)] {
        let mesh = Mesh::new(&shape(ControllerEdge::Alternating), &array(rows, columns));
        let wires = mesh.wires();
        assert_eq!(wires.len() as u32, 2 * (rows * (columns - 1) + columns * (rows - 1) + rows));
        let of_controllers = wires.iter().filter(|w| w.kind == WireKind::ControllerLink);
        let last = columns as i32;
        assert!(of_controllers.clone().all(|w| [w.from.1, w.to.1].iter().any(|&c| c == -1 || c == last)));
        assert_eq!(of_controllers.count() as u32, 2 * rows);
    }
}

#[test]
fn narrow_links_take_four_times_as_long() {
    let mut config = shape(ControllerEdge::West);
    let wide = Mesh::new(&config, &array(2, 2));
    config.kind = FabricKind::Mesh2bit;
    let narrow = Mesh::new(&config, &array(2, 2));
    assert_eq!(wide.command_time(Operation::Read, 1), Time::from_ns(8));
    assert_eq!(wide.command_time(Operation::Erase, 2), Time::from_ns(12));
    assert_eq!(wide.data_time(Operation::Read, 4096), Time::from_ns(4099));
    assert_eq!(wide.data_time(Operation::Program, 16_384), Time::from_ns(16_384 + 4 * 3));
    assert_eq!(narrow.command_time(Operation::Read, 1), Time::from_ns(32));
    assert_eq!(narrow.data_time(Operation::Read, 4097), Time::from_ns(4 * (4097 + 2 * 3)));
    assert_eq!(wide.peak_rate(), 4.0 * narrow.peak_rate());
    assert!((wide.peak_rate() - 2e9 * 4096.0 / 4099.0).abs() < 1.0);
    assert_eq!(narrow.wires()[0].kind, WireKind::NarrowLink);
    assert_eq!(narrow.wires()[2].kind, WireKind::NarrowControllerLink);
}
