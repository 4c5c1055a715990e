use super::*;
use crate::config::design::Clusters as Keys;
use crate::config::units::Size;
use crate::fabric::FabricKind;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::clusters::tree::offsets;
use crate::fabric::tests::{Bench, array, of};

/// Two flits per ns. A program of 4 KiB: 20 ns of chip enable, 4 ns of command, 2050 ns of data (4099 flits).
const COMMAND: u64 = 24;
const WRITE: u64 = 2050;
const REQUEST: u64 = 1;
const GRANT: u64 = 10;
const SETUP: u64 = 20;
const DELAY: u64 = 2;

fn bench_of(rows: u32, columns: u32, keys: Keys) -> Bench<Clusters> {
    let mut config = of(FabricKind::Clusters);
    config.clusters = keys;
    let mut bench = Bench::<Clusters>::new(&config, &array(rows, columns));
    bench.fabric.trace.switch_on();
    bench
}

fn bench(rows: u32, columns: u32) -> Bench<Clusters> {
    bench_of(rows, columns, Keys::default())
}

fn send(bench: &mut Bench<Clusters>, chip: u32, direction: Direction) -> PathId {
    let transfer = bench.page(chip, direction);
    bench.start(transfer)
}

fn traced(bench: &mut Bench<Clusters>) -> Vec<(String, WireUse, u64, u64)> {
    let names: Vec<String> = bench.fabric.wires().into_iter().map(|wire| wire.name).collect();
    let spans = bench.fabric.trace.drain();
    let mut spans: Vec<_> = spans.map(|s| (names[s.wire as usize].clone(), s.what, s.start.ns(), s.end.ns())).collect();
    spans.sort_by_key(|s| (s.2, s.3));
    spans
}

use WireUse::{Command, Data, Handshake};

#[test]
fn trunks_are_spread() {
    assert_eq!(offsets(1, 8), [0]);
    assert_eq!(offsets(3, 8), [0, 1, 3]);
    assert_eq!(offsets(4, 8), [0, 1, 3, 4]);
    assert_eq!(offsets(2, 2), [0, 1]);
    assert_eq!(offsets(1, 1), [0]);
    for (trunks, most) in [(2, 1), (3, 1), (4, 2), (8, 8)] {
        let tree = Tree::new(&Keys { trunks: Some(trunks), ..Keys::default() }, &array(8, 8));
        for a in 0..8 {
            assert_eq!(tree.on_trunk(TrunkId(a)).len(), trunks as usize);
            assert_eq!(tree.trunks(SwitchId(a))[0], TrunkId(a));
            let of = |switch| tree.trunks(SwitchId(switch));
            let in_common = |b: u32| of(a).iter().filter(|trunk| of(b).contains(trunk)).count();
            assert!((0..8).filter(|&b| b != a).all(|b| in_common(b) <= most), "{trunks} trunks, switch {a}");
        }
    }
    let tree = Tree::new(&Keys { chips_per_switch: 16, ..Keys::default() }, &array(8, 8));
    assert!((0..8).all(|c| tree.on_trunk(TrunkId(c)).len() == 2));
}

#[test]
fn switches_of_odd_arrays() {
    let fabric = bench(2, 5).fabric;
    let names: Vec<_> = fabric.wires().into_iter().map(|wire| (wire.name, wire.from, wire.to)).collect();
    let wire = |name: &str, from, to| (name.to_owned(), from, to);
    assert_eq!(
        names,
        [
            wire("trunk 0", (0, -1), (0, 0)),
            wire("trunk 1", (1, -1), (1, 0)),
            wire("inner bus 0.0", (0, 0), (0, 1)),
            wire("inner bus 0.1", (0, 2), (0, 3)),
            wire("inner bus 0.2", (0, 4), (1, 0)),
            wire("inner bus 0.3", (1, 1), (1, 2)),
            wire("inner bus 1.0", (1, 3), (1, 4)),
            wire("grants to switch 0", (0, -1), (0, 0)),
            wire("grants to switch 1", (1, -1), (1, 3)),
        ]
    );
    assert_eq!(fabric.peak_rate(), 4e9);
}

#[test]
fn a_transfer_takes_grant_setup_and_both_wires() {
    let mut bench = bench(8, 8);
    bench.now = Time::from_ns(7);
    send(&mut bench, 9, Direction::ToChip);
    bench.run();
    let (first, end) = (7 + GRANT + SETUP, 7 + GRANT + SETUP + COMMAND + WRITE + DELAY);
    let on = |wire: &str, what, from, until| (wire.to_owned(), what, from, until);
    assert_eq!(
        traced(&mut bench),
        [
            on("grants to switch 1", Handshake, 7, 7 + GRANT),
            on("trunk 1", Command, first, first + COMMAND),
            on("inner bus 1.0", Command, first + DELAY, first + DELAY + COMMAND),
            on("trunk 1", Data, first + COMMAND, end - DELAY),
            on("inner bus 1.0", Data, first + DELAY + COMMAND, end),
        ]
    );
    send(&mut bench, 9, Direction::FromChip);
    bench.run();
    let begins = end + GRANT + SETUP;
    let back = begins + REQUEST + 2 * DELAY;
    assert_eq!(
        traced(&mut bench),
        [
            on("grants to switch 1", Handshake, end, end + GRANT),
            on("trunk 1", Data, begins, begins + REQUEST),
            on("inner bus 1.0", Data, begins + DELAY, begins + DELAY + REQUEST + WRITE),
            on("trunk 1", Data, back, back + WRITE),
        ]
    );
    let crossed: Vec<_> = bench.crossed.iter().map(|(time, done)| (time.ns(), done.setup.ns())).collect();
    assert_eq!(crossed, [(end, GRANT + SETUP), (back + WRITE, GRANT + SETUP)]);
    assert_eq!(bench.fabric.port_free_at(ChipId(9), Direction::ToChip), Time::from_ns(back + WRITE));
    let busy = Time::from_ns(back + WRITE - 7);
    let used: Vec<_> = bench.fabric.wires().into_iter().filter(|wire| wire.busy == busy).map(|w| w.name).collect();
    assert_eq!(used, ["trunk 1", "inner bus 1.0"], "both are taken from the decision to the last byte");
    assert_eq!(bench.fabric.controllers()[1].busy, busy);
}

#[test]
fn an_inner_bus_is_granted_when_it_is_free() {
    let mut bench = bench(8, 8);
    send(&mut bench, 0, Direction::ToChip);
    for chip in 1..8 {
        assert_eq!(bench.is_free(chip, Direction::FromChip), chip != 1, "chips 0 and 1 share a bus");
    }
    let end = Time::from_ns(GRANT + SETUP + COMMAND + WRITE + DELAY);
    bench.run_until(Time(end.0 - 1));
    assert!(!bench.is_free(1, Direction::ToChip) && !bench.is_free(0, Direction::FromChip));
    bench.run_until(end);
    assert!(bench.is_free(1, Direction::ToChip) && bench.is_free(0, Direction::FromChip));
    assert_eq!(bench.fabric.port_free_at(ChipId(1), Direction::ToChip), Time::ZERO, "its own port was free");
}

#[test]
fn a_trunk_is_granted_when_it_is_free() {
    let mut bench = bench_of(8, 8, Keys { trunks: Some(2), ..Keys::default() });
    // Switch 7 hangs on trunks 7 and 0.
    send(&mut bench, 2, Direction::ToChip);
    bench.run_until(Time::from_ns(100));
    send(&mut bench, 8, Direction::ToChip);
    for (chip, free) in [(0, false), (4, false), (10, true), (56, true), (16, true)] {
        assert_eq!(bench.is_free(chip, Direction::FromChip), free, "chip {chip}");
    }
    let end = Time::from_ns(GRANT + SETUP + COMMAND + WRITE + DELAY);
    bench.run_until(Time(end.0 - 1));
    assert!(!bench.is_free(0, Direction::ToChip));
    bench.run_until(end);
    assert!(bench.is_free(0, Direction::ToChip));
}

#[test]
fn grants_wait_for_each_other() {
    let mut bench = bench(8, 8);
    for chip in [0, 2, 16] {
        send(&mut bench, chip, Direction::FromChip);
    }
    bench.run();
    let mut setups: Vec<_> = bench.crossed.iter().map(|(_, done)| done.setup.ns()).collect();
    setups.sort_unstable();
    assert_eq!(setups, [GRANT + SETUP, GRANT + SETUP, 2 * GRANT + SETUP]);
    assert_eq!(bench.fabric.counters(), [("grants", 3), ("grants_delayed", 1), ("grants_waited_ns", 10)]);
}

#[test]
fn what_follows_on_a_held_path_needs_no_grant() {
    let mut bench = bench(8, 8);
    let command = Transfer { data: Time::ZERO, ..bench.page(0, Direction::ToChip) };
    let path = bench.start(command);
    // The engine keeps the path.
    let crossed = Time::from_ns(GRANT + SETUP + COMMAND + DELAY);
    let event = Event::Crossed(path);
    bench.now = crossed;
    let outcome = bench.with(|fabric, now, mut later| fabric.handle(event, now, &mut later));
    assert_eq!(outcome.crossed.map(|done| done.setup), Some(Time::from_ns(GRANT + SETUP)));
    assert!(!bench.is_free(0, Direction::FromChip) && !bench.is_free(1, Direction::FromChip));
    let page = bench.page(0, Direction::FromChip);
    bench.now = Time::from_ns(5000);
    traced(&mut bench);
    bench.with(|fabric, now, mut later| fabric.start_on_held_path(path, page, now, &mut later));
    let spans = traced(&mut bench);
    assert!(spans.iter().all(|span| span.1 == Data) && spans[0].2 == 5000, "{spans:?}");
    let outcome = bench.with(|fabric, now, mut later| fabric.handle(event, now, &mut later));
    assert_eq!(outcome.crossed.map(|done| done.setup), Some(Time::ZERO));
}

#[test]
fn copies_take_inner_buses_alone() {
    for (to, buses) in [(5, 2), (1, 1)] {
        let mut bench = bench(8, 8);
        let (from, to) = (ChipId(0), ChipId(to));
        assert!(bench.fabric.can_copy(from, to) && !bench.fabric.can_copy(from, ChipId(8)));
        for chip in [8, 24, 58, 60] {
            send(&mut bench, chip, Direction::ToChip);
        }
        let time = bench.fabric.copy_time(4096);
        assert_eq!(time, Time::from_ns(20 + REQUEST + WRITE));
        let before = bench.fabric.router_time();
        assert!(bench.fabric.copy_is_free(from, to));
        traced(&mut bench);
        bench.with(|fabric, now, mut later| fabric.start_copy(from, to, time, now, &mut later));
        assert!(!bench.fabric.copy_is_free(to, from) && !bench.fabric.copy_is_free(ChipId(1), ChipId(2)));
        let spans = traced(&mut bench);
        let wires: Vec<_> = spans.iter().map(|span| span.0.as_str()).collect();
        let expected: &[&str] = match buses {
            2 => &["grants to switch 0", "inner bus 0.0", "inner bus 0.2"],
            _ => &["grants to switch 0", "inner bus 0.0"],
        };
        assert_eq!(wires, expected);
        let crosses_switch = if buses == 2 { time } else { Time::ZERO };
        assert_eq!(bench.fabric.router_time(), before + crosses_switch.into());
        bench.run();
        let end = Time::from_ns(GRANT + SETUP) + time + Time::from_ns(if buses == 2 { DELAY } else { 0 });
        assert!(bench.crossed.iter().any(|(at, _)| *at == end));
        assert!(bench.fabric.copy_is_free(from, to));
        assert_eq!(bench.fabric.port_free_at(to, Direction::ToChip), end);
    }
}

/// The wires are free while the chip turns. 1157 flits go as 1158.
#[test]
fn parts_leave_the_wires_to_others() {
    let keys = Keys { chunk: Size(1024), ..Keys::default() };
    let mut bench = bench_of(8, 8, keys);
    // Header, part, ECC word and the next column; no column at last.
    let (part, last) = ((3 + 1024 + 126 + 4u64).div_ceil(2), (3 + 1024 + 126u64).div_ceil(2));
    assert_eq!(bench.fabric.data_time(Operation::Read, 4096), Time::from_ns(3 * (REQUEST + part) + REQUEST + last));
    assert_eq!(bench.fabric.data_time(Operation::Program, 4096), Time::from_ns(3 * part + last));
    send(&mut bench, 0, Direction::FromChip);
    let circuit = GRANT + SETUP + REQUEST + part + 2 * DELAY;
    bench.run_until(Time::from_ns(circuit) - Time(1));
    assert!(!bench.is_free(1, Direction::ToChip));
    bench.run_until(Time::from_ns(circuit));
    assert!(bench.is_free(1, Direction::ToChip) && !bench.is_free(0, Direction::ToChip), "the chip is amid a page");
    // A command to the bus's other chip crosses while chip 0 turns.
    let command = Transfer { data: Time::ZERO, ..bench.page(1, Direction::ToChip) };
    let took = GRANT + SETUP + COMMAND + DELAY;
    bench.start(command);
    bench.run_until(Time::from_ns(circuit + 290));
    assert_eq!(bench.crossed.len(), 1);
    bench.start(command);
    bench.run();
    let waited = took - 10;
    let end = 3 * (circuit + 300) + waited + circuit - part + last;
    let (at, done) = bench.crossed[bench.crossed.len() - 1];
    assert_eq!((at.ns(), done.conflict.ns(), done.setup.ns()), (end, waited, 4 * (GRANT + SETUP)));
    assert_eq!(bench.fabric.port_free_at(ChipId(0), Direction::FromChip), at);
    assert!(bench.is_free(0, Direction::ToChip));
}
