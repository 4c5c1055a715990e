use super::*;
use crate::config::design::{ControllerEdge, FabricKind, TearDown};
use crate::config::units::Rate;
use crate::fabric::tests::{Bench, array};
use crate::fabric::trace::{WireSpan, WireUse};
use crate::fabric::venice::circuit::State;
use crate::fabric::venice::grid::{Port, RouterId};
use crate::fabric::venice::packet::Mode;
use crate::fabric::venice::routers::Hop;
use proptest::prelude::*;

fn config() -> FabricConfig {
    let mut config = FabricConfig::new(FabricKind::Venice, Rate(1_200_000_000));
    config.network.link_rate = Some(Rate(1_000_000_000));
    config
}

fn grid(rows: u32, columns: u32) -> Grid {
    Grid::new(rows, columns, ControllerEdge::West)
}

fn search(routers: &mut Routers, controller: u32, chip: u32) -> (Option<Vec<RouterId>>, u32) {
    let mut scout = routers.scout(controller, RouterId(chip), Time::ZERO);
    let (mut path, one) = (vec![scout.entry.router()], scout.due);
    loop {
        let hop = routers.hop(&mut scout);
        let hops = scout.hops(one) as u32;
        match hop {
            Hop::Arrived => return (Some(path), hops),
            Hop::Failed => return (None, hops),
            Hop::On if scout.packet.mode == Mode::Cancel => path.truncate(path.len() - 1),
            Hop::On => path.push(scout.entry.router()),
        }
    }
}

fn reachable(routers: &Routers, grid: &Grid, from: RouterId, to: RouterId, minimal: bool) -> bool {
    let apart = |a: RouterId| {
        let ((r, c), (tr, tc)) = (grid.place(a), grid.place(to));
        r.abs_diff(tr) + c.abs_diff(tc)
    };
    let (mut seen, mut open) = (vec![false; grid.routers() as usize], vec![from]);
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at.index()], true) {
            continue;
        }
        for port in Port::ALL.into_iter().filter(|&port| !routers.is_taken(at, port)) {
            let (_, next) = grid.neighbour(at, port).unwrap();
            if !minimal || apart(next) < apart(at) {
                open.push(next);
            }
        }
    }
    seen[to.index()]
}

fn routers_connect(grid: &Grid, blocked: u64, from: RouterId, to: RouterId) -> bool {
    let mut routers = Routers::new(grid.clone(), grid.rows, Time::from_ns(3));
    (0..grid.links()).filter(|l| blocked >> l & 1 == 1).for_each(|l| routers.fail(LinkId(l)));
    routers.is_connected(from, to)
}

/// FC0 → F0 → F1 → F6, FC1 → F5 → F6 → F7 → F8 and FC2 → F10 → F11 → F12 → F7 are held; FC3 wants F2.
#[test]
fn figure_8_finds_a_free_detour() {
    let grid = grid(4, 5);
    let mut routers = Routers::new(grid.clone(), grid.rows, Time::from_ns(3));
    routers.hold(0, &[0, 1, 6]);
    routers.hold(1, &[5, 6, 7, 8]);
    routers.hold(2, &[10, 11, 12, 7]);
    let source = grid.entry(3).router();
    assert!(!reachable(&routers, &grid, source, RouterId(2), true));
    let (path, _) = search(&mut routers, 3, 2);
    let path = path.expect("there is a free way");
    assert_eq!((path[0], *path.last().unwrap()), (RouterId(15), RouterId(2)));
    assert!(path.len() as u32 > grid.distance(3, RouterId(2)));
    // The link between 3 and 2 is the only free one at F2.
    assert_eq!(path[path.len() - 2], RouterId(3));
}

/// Each router tries each free output: at most two hops per output.
#[test]
fn a_lone_scout_fails_only_where_no_way_is_free() {
    let (mut searches, mut failures) = (0u64, 0u64);
    let mut check = |rows: u32, columns: u32, blocked: u64| {
        let grid = grid(rows, columns);
        for controller in 0..rows {
            for chip in 0..grid.routers() {
                let mut routers = Routers::new(grid.clone(), grid.rows, Time::from_ns(3));
                (0..grid.links()).filter(|l| blocked >> l & 1 == 1).for_each(|l| routers.fail(LinkId(l)));
                let source = grid.entry(controller).router();
                let exists = reachable(&routers, &grid, source, RouterId(chip), false);
                let (path, hops) = search(&mut routers, controller, chip);
                assert_eq!(routers_connect(&grid, blocked, source, RouterId(chip)), exists);
                assert_eq!(path.is_some(), exists, "{rows}x{columns}, links {blocked:b}, {controller} to {chip}");
                assert!(hops <= 2 * 4 * grid.routers());
                searches += 1;
                failures += u64::from(path.is_none());
            }
        }
    };
    for (rows, columns) in [(1, 1), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2)] {
        (0..1 << grid(rows, columns).links()).for_each(|blocked| check(rows, columns, blocked));
    }
    let mut random = crate::engine::random::Stream::named(1, "venice test");
    for (rows, columns) in [(3, 3), (4, 4), (3, 5)] {
        (0..400).for_each(|_| check(rows, columns, random.integer(0, 1 << 40) & random.integer(0, 1 << 40)));
    }
    assert!(failures > 1000 && searches > 2 * failures, "{failures} of {searches}");
}

/// d hops out (two flits and a router cycle) and d back, then Eq. 1.
#[test]
fn an_unloaded_transfer_takes_its_distance() {
    for (rows, columns) in [(8, 8), (4, 16), (1, 1), (3, 1)] {
        for scouts in [Scouts::HopByHop, Scouts::Atomic] {
            let mut config = config();
            config.venice.scouts = scouts;
            for chip in 0..rows * columns {
                let mut bench = Bench::<Venice>::new(&config, &array(rows, columns));
                let transfer = bench.page(chip, Direction::FromChip);
                assert_eq!(transfer.data, Time::from_ns(4096));
                bench.start(transfer);
                bench.run();
                let distance = u64::from(1 + chip % columns);
                let (crossed_at, crossed) = bench.crossed[0];
                assert_eq!(crossed.setup, Time::from_ns(2 * 3 * distance));
                assert_eq!(crossed.conflict + crossed.port, Time::ZERO);
                assert_eq!(crossed_at, crossed.setup + Time::from_ns(distance + 4096));
                assert!(bench.fabric.routers.is_idle());
            }
        }
    }
}

#[test]
fn a_clocked_transfer_waits_for_its_slot_and_for_strobes() {
    let mut config = config();
    (config.venice.scouts, config.venice.tear_down) = (Scouts::Clocked, TearDown::Wire);
    for (chip, at, slot) in [(2, 0, 0), (2, 1, 2), (6, 0, 1), (6, 1, 1)] {
        for direction in [Direction::FromChip, Direction::ToChip] {
            let mut bench = Bench::<Venice>::new(&config, &array(2, 4));
            bench.now = Time::from_ns(at);
            let transfer = bench.page(chip, direction);
            bench.start(transfer);
            bench.run();
            let (crossed_at, crossed) = bench.crossed[0];
            let crossings = if direction == Direction::FromChip { 2 } else { 1 };
            assert_eq!(crossed.setup, Time::from_ns(slot - at + 2 * 3 * 3));
            assert_eq!(crossed_at, Time::from_ns(slot + 2 * 3 * 3 + 3 * crossings) + transfer.time());
        }
    }
}

#[test]
fn clocked_scouts_go_in_the_order_of_their_numbers() {
    let mut config = config();
    (config.venice.scouts, config.venice.tear_down) = (Scouts::Clocked, TearDown::Wire);
    for chips in [[2, 8], [8, 2]] {
        let mut bench = Bench::<Venice>::new(&config, &array(3, 3));
        for chip in chips {
            bench.start(bench.page(chip, Direction::FromChip));
        }
        bench.run_until(Time::from_ns(2));
        let mut order = Vec::new();
        for ns in 3..9 {
            let arriving: Vec<u32> = bench.fabric.deciding(Time::from_ns(ns)).map(|(packet, _)| packet).collect();
            if arriving.len() == 2 {
                bench.fabric.under_way.put_lowest_number_first();
                order.push(bench.fabric.under_way.arriving_before(Time::MAX).unwrap().packet.controller);
            }
            bench.run_until(Time::from_ns(ns));
        }
        assert_eq!(order, [0, 0]);
    }
}

#[test]
fn ports_and_controllers_are_granted_when_they_are_free() {
    for (tear_down, hop) in [(TearDown::Packet, 3), (TearDown::Wire, 0)] {
        for (chip, distance) in [(0, 1), (3, 4)] {
            let mut config = config();
            config.venice.tear_down = tear_down;
            let mut bench = Bench::<Venice>::new(&config, &array(1, 4));
            bench.start(bench.page(chip, Direction::FromChip));
            assert!(!bench.is_free(1, Direction::ToChip), "no controller is free");
            let end = (2 * 3 + 1) * distance + 4096;
            let [controller, port] = [Time::from_ns(end + hop), Time::from_ns(end + hop * distance)];
            bench.run_until(Time(controller.0 - 1));
            assert!(!bench.is_free(1, Direction::ToChip));
            bench.run_until(controller);
            assert!(bench.is_free(1, Direction::ToChip));
            if port > controller {
                bench.run_until(Time(port.0 - 1));
                assert!(!bench.is_free(chip, Direction::ToChip), "its port is taken");
            }
            bench.run_until(port);
            assert!(bench.is_free(chip, Direction::ToChip));
            assert_eq!(bench.fabric.port_free_at(ChipId(chip), Direction::ToChip), port);
        }
    }
}

#[test]
fn a_circuit_is_torn_down_link_by_link() {
    let mut bench = Bench::<Venice>::new(&config(), &array(1, 4));
    bench.start(bench.page(3, Direction::FromChip));
    let end = (2 * 3 + 1) * 4 + 4096;
    // The controller's own link is none of the routers'.
    for (hops, reserved) in [(0, 3), (1, 3), (2, 2), (3, 1), (4, 0)] {
        bench.run_until(Time::from_ns(end + 3 * hops));
        assert_eq!(bench.fabric.routers.reserved(), reserved, "after {hops} hops");
    }
}

/// With a blocked link, controller 1's transfer cuts a chip off from controller 0. Returns the time from its first to
/// its last scout, and the end of the first transfer.
fn second_of_two(
    retry: Retry,
    tear_down: TearDown,
    blocked: (u32, u32),
    chips: [u32; 2],
) -> (Time, TransferDone, Counts) {
    let mut config = config();
    (config.venice.retry, config.venice.tear_down) = (retry, tear_down);
    let mut bench = Bench::<Venice>::new(&config, &array(2, 2));
    bench.fabric.routers.fail(grid(2, 2).link_between(RouterId(blocked.0), RouterId(blocked.1)));
    bench.start(bench.page(chips[0], Direction::FromChip));
    let later = Time::from_ns(100);
    bench.run_until(later);
    bench.start(bench.page(chips[1], Direction::FromChip));
    bench.run();
    let [(first, _), (_, second)] = bench.crossed[..] else { panic!("two transfers") };
    (first - later, second, bench.fabric.counts)
}

#[test]
fn a_failed_scout_goes_again_when_a_way_is_free() {
    // Chip 3 from controller 1 over router 2; then chip 2 from controller 0 over 0, 1 and 3.
    let cut_off = |retry, tear_down| second_of_two(retry, tear_down, (0, 2), [3, 2]);
    for (tear_down, hops) in [(TearDown::Wire, 0), (TearDown::Packet, 2)] {
        let (first, second, counts) = cut_off(Retry::Oracle, tear_down);
        assert_eq!(first, Time::from_ns(2 * 3 * 2 + 2 + 4096 - 100));
        assert_eq!(second.setup, Time::from_ns(2 * 3 * 4), "over chips 0, 1 and 3");
        assert_eq!((second.conflict, counts.failed, counts.woken), (first + Time::from_ns(3 * hops), 1, 1));
        let (first, second, counts) = cut_off(Retry::Immediate, tear_down);
        // It may set out before, and find the links free where it needs them.
        assert!(second.conflict + second.setup >= first && counts.failed > 50, "{counts:?}");
    }
}

#[test]
fn a_failed_scout_goes_again_after_the_interval() {
    for tear_down in [TearDown::Packet, TearDown::Wire] {
        let (first, second, counts) = second_of_two(Retry::Local, tear_down, (0, 2), [3, 2]);
        // Six hops out and back, then a microsecond.
        let each = Time::from_ns(6 * 3 + 1000);
        assert_eq!(second.conflict, each * counts.failed);
        assert!(second.conflict > first && second.conflict < first + each, "{counts:?}");
        assert_eq!((counts.failed, counts.woken), (4, 0));
    }
}

#[test]
fn a_failed_scout_goes_again_when_its_router_sees_a_circuit_end() {
    // Over routers 2, 0 and 1: controller 0 has no way anywhere.
    let across = |tear_down| second_of_two(Retry::Local, tear_down, (2, 3), [3, 1]);
    for (tear_down, hops) in [(TearDown::Wire, 0), (TearDown::Packet, 2)] {
        let (first, second, counts) = across(tear_down);
        assert_eq!((counts.woken, second.conflict), (1, first + Time::from_ns(3 * hops)), "{counts:?}");
    }
}

fn held_links(fabric: &Venice) -> u64 {
    let holds = |c: &&Controller| matches!(c.state, State::Reserved | State::Transferring);
    let circuits: u64 = fabric.controllers.iter().filter(holds).map(|c| c.length - 1).sum();
    circuits + u64::from(fabric.under_way.held_links())
}

fn soak(config: &FabricConfig, rows: u32, columns: u32, transfers: &[(u32, bool)]) -> Bench<Venice> {
    let mut bench = Bench::<Venice>::new(config, &array(rows, columns));
    bench.fabric.routers.trace.switch_on();
    let mut spans: Vec<WireSpan> = Vec::new();
    let mut wanted: Vec<Transfer> = transfers
        .iter()
        .map(|&(chip, read)| {
            let direction = if read { Direction::FromChip } else { Direction::ToChip };
            bench.page(chip % (rows * columns), direction)
        })
        .collect();
    let total = wanted.len();
    loop {
        // Of the first ones: there is a free chip among so many, and most looks find no free controller.
        let first = |bench: &Bench<Venice>, wanted: &[Transfer]| {
            wanted.iter().take(64).position(|transfer| bench.is_free(transfer.chip.0, transfer.direction))
        };
        while let Some(i) = first(&bench, &wanted) {
            bench.start(wanted.remove(i));
        }
        spans.extend(bench.fabric.routers.trace.drain());
        if !bench.step() {
            break;
        }
        spans.extend(bench.fabric.routers.trace.drain());
        let reserved = u64::from(bench.fabric.routers.reserved());
        assert_eq!(reserved, held_links(&bench.fabric), "each reserved link belongs to one scout or circuit");
    }
    assert_eq!(bench.crossed.len(), total, "every transfer crosses");
    assert!(bench.fabric.routers.is_idle() && bench.fabric.waiting.is_empty());
    let mut reserved: Vec<&WireSpan> = spans.iter().filter(|s| s.what == WireUse::Reserved).collect();
    reserved.sort_by_key(|s| (s.wire, s.start));
    assert!(reserved.windows(2).all(|p| p[0].wire != p[1].wire || p[0].end <= p[1].start), "two circuits on a link");
    let counts = bench.fabric.counts;
    let most = 8 * u64::from(rows * columns) + 1;
    assert!(bench.fabric.hops() <= most * counts.scouts, "{counts:?}");
    bench
}

fn modes() -> impl Strategy<Value = FabricConfig> {
    let scouts = prop::sample::select(vec![Scouts::Atomic, Scouts::HopByHop, Scouts::Clocked]);
    let retry = prop::sample::select(vec![Retry::Local, Retry::Oracle, Retry::Immediate]);
    let each = (scouts, retry, prop::bool::ANY, prop::bool::ANY, prop::bool::ANY);
    each.prop_map(|(scouts, retry, wire, own, two)| {
        let mut config = config();
        (config.venice.scouts, config.venice.retry) = (scouts, retry);
        if wire || scouts == Scouts::Clocked {
            config.venice.tear_down = TearDown::Wire;
        }
        config.venice.controller = if own { VeniceController::OwnRow } else { VeniceController::NearestFree };
        config.network.controllers = if two { ControllerEdge::Alternating } else { ControllerEdge::West };
        config
    })
}

proptest! {
    #[test]
    fn every_transfer_gets_through(
        config in modes(), rows in 1u32..6, columns in 1u32..6,
        transfers in prop::collection::vec((0u32..36, prop::bool::ANY), 1..60),
    ) {
        soak(&config, rows, columns, &transfers);
    }
}

#[test]
fn scouts_fail_under_load_only() {
    let mut random = crate::engine::random::Stream::named(1, "venice load");
    let transfers: Vec<(u32, bool)> = (0..4000).map(|_| (random.integer(0, 63) as u32, true)).collect();
    let counts = |scouts: Scouts| {
        let mut config = config();
        config.venice.scouts = scouts;
        soak(&config, 8, 8, &transfers).fabric.counts
    };
    let (hops, atomic) = (counts(Scouts::HopByHop), counts(Scouts::Atomic));
    println!("hop by hop {hops:?}\natomic {atomic:?}");
    for counts in [hops, atomic] {
        // Eight circuits of nine links fill two thirds of 112.
        assert!(counts.failed_first > 400 && counts.failed_first < 3000, "{counts:?}");
        assert!(counts.detours > 400 && counts.missed * 2 < counts.failed, "{counts:?}");
    }
    let mut bench = Bench::<Venice>::new(&config(), &array(8, 8));
    for &(chip, _) in &transfers[..200] {
        bench.start(bench.page(chip % 64, Direction::FromChip));
        bench.run();
    }
    assert_eq!((bench.fabric.counts.failed, bench.fabric.counts.detours), (0, 0));
}
