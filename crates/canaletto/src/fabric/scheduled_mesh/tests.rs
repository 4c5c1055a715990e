use super::*;
use crate::config::design::{ControllerEdge, ScheduledMesh as Keys};
use crate::config::units::Duration;
use crate::fabric::FabricKind;
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::tests::{Bench, array, of};
use crate::fabric::venice::grid::LinkId;
use proptest::prelude::*;

/// A byte per ns: seven of a program's command, 4096 of a page.
const COMMAND: u64 = 7;
const PAGE: u64 = 4096;
const SETUP: u64 = 20;
/// Eleven bits to a row of eight, on two pins of 400 MT/s.
const GRANT: u64 = 15;

/// To the first cycle, with a grant per row.
fn granted(links: u64) -> u64 {
    2 * links + GRANT + SETUP
}

fn bench_of(rows: u32, columns: u32, keys: Keys, edge: ControllerEdge) -> Bench<ScheduledMesh> {
    let mut config = of(FabricKind::ScheduledMesh);
    (config.scheduled_mesh, config.network.controllers) = (keys, edge);
    let mut bench = Bench::<ScheduledMesh>::new(&config, &array(rows, columns));
    bench.fabric.trace.switch_on();
    bench
}

fn bench(rows: u32, columns: u32) -> Bench<ScheduledMesh> {
    bench_of(rows, columns, Keys::default(), ControllerEdge::West)
}

fn send(bench: &mut Bench<ScheduledMesh>, chip: u32, direction: Direction) -> PathId {
    let transfer = bench.page(chip, direction);
    bench.start(transfer)
}

fn traced(bench: &mut Bench<ScheduledMesh>) -> Vec<(String, WireUse, u64, u64)> {
    let names: Vec<String> = bench.fabric.wires().into_iter().map(|wire| wire.name).collect();
    let spans = bench.fabric.trace.drain();
    let mut spans: Vec<_> = spans.map(|s| (names[s.wire as usize].clone(), s.what, s.start.ns(), s.end.ns())).collect();
    spans.sort_by_key(|s| (s.2, s.3));
    spans
}

fn crossed(bench: &Bench<ScheduledMesh>) -> Vec<(u64, u64)> {
    bench.crossed.iter().map(|(time, done)| (time.ns(), done.setup.ns())).collect()
}

use WireUse::{Command, Data, Handshake, Reserved};

#[test]
fn a_transfer_takes_search_grant_and_its_circuit() {
    let mut bench = bench(8, 8);
    bench.now = Time::from_ns(7);
    send(&mut bench, 10, Direction::ToChip);
    bench.run();
    let (search, begins) = (7 + 2 * 3, 7 + granted(3));
    let end = begins + COMMAND + PAGE + 3;
    let on = |wire: &str, what, from, until| (wire.to_owned(), what, from, until);
    let links = ["link of controller 1", "link 1,0 to 1,1", "link 1,1 to 1,2"];
    let mut expected = vec![];
    expected.extend([links[1], links[2]].map(|link| on(link, Reserved, 7, end)));
    expected.push(on("grants to row 1", Handshake, search, search + GRANT));
    expected.extend(links.map(|link| on(link, Command, begins, begins + COMMAND)));
    expected.extend(links.map(|link| on(link, Data, begins + COMMAND, begins + COMMAND + PAGE)));
    assert_eq!(traced(&mut bench), expected);
    assert_eq!(crossed(&bench), [(end, granted(3))]);
    assert_eq!(bench.fabric.port_free_at(ChipId(10), Direction::ToChip), Time::from_ns(end));
    let busy = Time::from_ns(end - 7);
    let used: Vec<_> = bench.fabric.wires().into_iter().filter(|wire| wire.busy == busy).map(|w| w.name).collect();
    assert_eq!(used, [links[1], links[2], links[0]], "taken from the decision to the last byte");
    assert_eq!(bench.fabric.controllers()[1].busy, busy);
    assert_eq!(bench.fabric.router_time(), (Time::from_ns(COMMAND + PAGE) * 3).into());
    assert_eq!(bench.fabric.arbiter_time(), Time::from_ns(6));
}

#[test]
fn a_way_goes_along_the_row_of_its_controller() {
    let mut bench = bench(8, 8);
    send(&mut bench, 2, Direction::FromChip);
    traced(&mut bench);
    bench.now = Time::from_ns(100);
    send(&mut bench, 3, Direction::FromChip);
    let spans = traced(&mut bench);
    let (search, begins) = (100 + 2 * 5, 100 + granted(5));
    let grants: Vec<_> = spans.iter().filter(|span| span.1 == Handshake).cloned().collect();
    let grant = |row: u32| (format!("grants to row {row}"), Handshake, search, search + GRANT);
    assert_eq!(grants, [grant(0), grant(1)]);
    let links: Vec<_> = spans.iter().filter(|span| span.1 == Data).map(|span| (span.0.as_str(), span.2)).collect();
    let names = ["link of controller 1", "link 1,0 to 1,1", "link 1,1 to 1,2", "link 1,2 to 1,3", "link 0,3 to 1,3"];
    assert_eq!(links, names.map(|name| (name, begins)));
    assert_eq!(bench.fabric.counters().last(), Some(&("detours", 0)));
}

#[test]
fn a_way_is_granted_when_its_links_are_free() {
    // The first link cuts off the chips behind.
    let mut bench = bench_of(1, 4, Keys::default(), ControllerEdge::West);
    let path = send(&mut bench, 2, Direction::ToChip);
    assert_eq!(path, PathId(0));
    assert!((0..4).all(|chip| !bench.is_free(chip, Direction::FromChip)), "the one controller is taken");
    // A bit for the way, and twice two for the column and two for the link.
    let end = Time::from_ns(2 * 3 + 12 + SETUP + COMMAND + PAGE + 3) + Time(500);
    bench.run_until(Time(end.0 - 1));
    assert!(!bench.is_free(2, Direction::ToChip) && !bench.is_free(0, Direction::ToChip));
    bench.run_until(end);
    assert!((0..4).all(|chip| bench.is_free(chip, Direction::FromChip)));
    assert_eq!(bench.fabric.port_free_at(ChipId(2), Direction::ToChip), end);
}

#[test]
fn detours_are_taken_where_no_shortest_way_is_free() {
    let mut bench = bench(2, 3);
    // Controller 1 reaches chip 1 through the second row.
    send(&mut bench, 2, Direction::ToChip);
    assert!(bench.is_free(1, Direction::ToChip) && bench.is_free(0, Direction::ToChip));
    assert!(!bench.is_free(2, Direction::FromChip), "its port is taken");
    send(&mut bench, 0, Direction::ToChip);
    assert!(!bench.is_free(1, Direction::ToChip), "no controller is left");
    bench.run();
    assert_eq!(bench.fabric.counters().last(), Some(&("detours", 0)));
    // Row 1's reaches chip 1 through chip 3.
    let mut bench = bench_of(2, 2, Keys::default(), ControllerEdge::West);
    for link in [0, 2] {
        bench.fabric.links.take(LinkId(link), Time::ZERO);
    }
    let own = send(&mut bench, 0, Direction::ToChip);
    assert!(bench.is_free(1, Direction::ToChip));
    bench.fabric.links.take(LinkId(3), Time::ZERO);
    assert!(!bench.is_free(1, Direction::ToChip), "nothing leads to chip 1 any more");
    assert!(bench.is_free(3, Direction::ToChip) && own == PathId(0));
}

#[test]
fn a_detour_is_counted() {
    let mut bench = bench(2, 2);
    // Chip 3 is reached from controller 0, then from controller 1 around chip 0's router.
    bench.fabric.links.take(LinkId(1), Time::ZERO);
    bench.fabric.links.take(bench.fabric.links.grid().controller_link(0), Time::ZERO);
    bench.fabric.free_controllers -= 1;
    send(&mut bench, 3, Direction::ToChip);
    bench.run();
    assert_eq!(bench.fabric.counters().last(), Some(&("detours", 1)));
    // Two runs, whose grants follow each other; seven bits take 10 ns.
    assert_eq!(crossed(&bench)[0].1, 2 * 4 + 2 * 10 + SETUP);
}

#[test]
fn searches_wait_for_each_other() {
    let mut bench = bench_of(8, 8, Keys { search_step: Duration(50_000), ..Keys::default() }, ControllerEdge::West);
    for chip in [0, 9] {
        send(&mut bench, chip, Direction::FromChip);
    }
    bench.run();
    let mut setups: Vec<u64> = crossed(&bench).iter().map(|done| done.1).collect();
    setups.sort_unstable();
    assert_eq!(setups, [100 + GRANT + SETUP, 100 + 200 + GRANT + SETUP]);
    assert_eq!(
        bench.fabric.counters(),
        [("grants", 2), ("grants_delayed", 0), ("grants_waited_ns", 0), ("searches_waited_ns", 100), ("detours", 0)]
    );
    assert_eq!(bench.fabric.arbiter_time(), Time::from_ns(300));
}

#[test]
fn what_follows_on_a_held_path_is_not_granted_again() {
    let mut bench = bench(1, 2);
    let command = Transfer { data: Time::ZERO, ..bench.page(1, Direction::ToChip) };
    let path = bench.start(command);
    bench.with(|fabric, now, mut later| fabric.handle(Crossed(path), now, &mut later));
    assert!(!bench.is_free(0, Direction::FromChip));
    let page = bench.page(1, Direction::FromChip);
    bench.now = Time::from_ns(5000);
    traced(&mut bench);
    bench.with(|fabric, now, mut later| fabric.start_on_held_path(path, page, now, &mut later));
    let spans = traced(&mut bench);
    assert!(spans.len() == 2 && spans.iter().all(|span| span.1 == Data && span.2 == 5000), "{spans:?}");
    let done = bench.with(|fabric, now, mut later| fabric.handle(Crossed(path), now, &mut later));
    assert_eq!(done.crossed.map(|done| done.setup), Some(Time::ZERO));
}

#[test]
fn copies_take_links_alone() {
    let mut bench = bench(2, 4);
    for chip in [0, 4] {
        send(&mut bench, chip, Direction::ToChip);
    }
    let (from, to) = (ChipId(1), ChipId(7));
    assert!(bench.fabric.can_copy(from, to) && !bench.fabric.can_copy(from, from));
    assert!(bench.fabric.copy_is_free(from, to) && !bench.fabric.copy_is_free(from, ChipId(4)), "its port is taken");
    assert!(!bench.fabric.may_start(ALL));
    assert!(bench.fabric.registers.reserve(to) && bench.fabric.may_start(ALL));
    traced(&mut bench);
    let time = bench.fabric.copy_time(4096);
    assert_eq!(time, Time::from_ns(PAGE));
    let before = bench.fabric.router_time();
    bench.with(|fabric, now, mut later| fabric.start_copy(from, to, time, now, &mut later));
    assert!(!bench.fabric.copy_is_free(ChipId(2), to) && !bench.fabric.copy_is_free(from, ChipId(2)));
    let spans = traced(&mut bench);
    let names: Vec<_> = spans.iter().map(|span| span.0.as_str()).collect();
    let links = ["link 0,1 to 0,2", "link 0,2 to 0,3", "link 0,3 to 1,3"];
    assert_eq!(names, [&["grants to row 0", "grants to row 1"], &links[..]].concat());
    assert_eq!(bench.fabric.router_time(), before + (time * 4).into());
    bench.run();
    // Nine bits to rows of four take 12.5 ns. Two searches of 2 ns came before.
    let end = Time(2 * 12_500) + Time::from_ns(2 * 2 + SETUP + PAGE + 3);
    assert!(bench.crossed.iter().any(|(at, _)| *at == end), "{:?}", bench.crossed);
    assert!(bench.fabric.copy_is_free(from, to));
    assert_eq!(bench.fabric.port_free_at(to, Direction::ToChip), end);
    assert_eq!(bench.fabric.port_free_at(from, Direction::ToChip), end);
}

proptest! {
    #[test]
    fn every_transfer_gets_through(
        rows in 1u32..6, columns in 1u32..6, two_edges in prop::bool::ANY,
        transfers in prop::collection::vec((0u32..36, prop::bool::ANY), 1..60),
    ) {
        let edge = if two_edges { ControllerEdge::Alternating } else { ControllerEdge::West };
        let mut bench = bench_of(rows, columns, Keys::default(), edge);
        let direction = |read| if read { Direction::FromChip } else { Direction::ToChip };
        let pages = transfers.iter().map(|&(chip, read)| bench.page(chip % (rows * columns), direction(read)));
        let mut wanted: Vec<Transfer> = pages.collect();
        loop {
            while let Some(i) = wanted.iter().position(|transfer| bench.is_free(transfer.chip.0, transfer.direction)) {
                bench.start(wanted.remove(i));
            }
            if !bench.step() {
                break;
            }
        }
        prop_assert_eq!(bench.crossed.len(), transfers.len());
        let mut reserved: Vec<_> = traced(&mut bench).into_iter().filter(|span| span.1 == Reserved).collect();
        reserved.sort_by(|a, b| (&a.0, a.2).cmp(&(&b.0, b.2)));
        prop_assert!(reserved.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].3 <= pair[1].2));
        prop_assert_eq!(bench.fabric.free_controllers, rows);
        prop_assert!((0..rows * columns).all(|chip| bench.is_free(chip, Direction::ToChip)));
    }
}
