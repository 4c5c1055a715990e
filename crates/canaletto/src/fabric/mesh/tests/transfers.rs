use crate::engine::time::TimeSum;
use proptest::prelude::*;

use super::*;
use crate::config::units::Duration;

fn chosen(config: &FabricConfig, layout: &Layout, transfers: &[(u32, Direction)]) -> Vec<u32> {
    let mut bench = Bench::new(config, layout);
    let before = |bench: &Bench| bench.mesh.controllers.loads.clone();
    transfers
        .iter()
        .map(|&(chip, direction)| {
            let loads = before(&bench);
            bench.start(bench.page(chip, direction));
            (0..).zip(before(&bench)).find(|(c, load)| *load != loads[*c as usize]).unwrap().0
        })
        .collect()
}

#[test]
fn the_least_loaded_controller_serves() {
    use Direction::{FromChip, ToChip};
    let config = shape(ControllerEdge::West);
    let layout = array(4, 4);
    // Chips 4 to 7 are in row 1. Rows 0 and 2 are equally near once its own controller is loaded.
    let rows = chosen(&config, &layout, &[(4, FromChip), (5, FromChip), (6, FromChip), (7, FromChip), (0, FromChip)]);
    assert_eq!(rows, [1, 0, 2, 3, 0]);
    // Command and data are longer than data alone.
    let rows = chosen(&config, &layout, &[(4, ToChip), (12, FromChip), (4, FromChip), (5, FromChip), (6, FromChip)]);
    assert_eq!(rows, [1, 3, 0, 2, 0]);
    // The other three receive more than controller 1 sends, but it is still sending.
    let mut bench = Bench::new(&config, &layout);
    bench.start(Transfer { data: Time::ZERO, ..bench.page(4, ToChip) });
    for chip in [0, 8, 12] {
        bench.start(bench.page(chip, FromChip));
    }
    bench.start(bench.page(5, ToChip));
    let load = |bench: &Bench, c: usize| bench.mesh.controllers.loads[c];
    assert!(load(&bench, 0) > load(&bench, 2) && load(&bench, 1) < load(&bench, 2));
    // Alternating: chip 7 is next to its controller, chip 4 nearer to row 0's.
    let config = shape(ControllerEdge::Alternating);
    assert_eq!(chosen(&config, &layout, &[(7, FromChip)]), [1]);
    assert_eq!(chosen(&config, &layout, &[(4, FromChip)]), [0]);
    let config = FabricConfig {
        mesh: crate::config::design::Mesh { controller: MeshController::OwnRow, ..config.mesh.clone() },
        ..config
    };
    assert_eq!(chosen(&config, &layout, &[(4, FromChip), (5, FromChip), (6, ToChip)]), [1, 1, 1]);
}

#[test]
fn own_row_waits_for_its_own_controller() {
    let mut config = shape(ControllerEdge::West);
    config.mesh.controller = MeshController::OwnRow;
    let mut bench = Bench::new(&config, &array(2, 2));
    bench.start(bench.page(0, Direction::ToChip));
    assert!(!bench.is_free(1, Direction::ToChip) && bench.is_free(2, Direction::ToChip));
    bench.run();
    assert_eq!(bench.freed.len(), 1);
    bench.assert_idle();
}

#[test]
fn only_what_lets_others_start_is_reported() {
    let mut bench = Bench::new(&shape(ControllerEdge::West), &array(2, 2));
    bench.start(bench.page(0, Direction::ToChip));
    bench.run();
    assert_eq!(bench.freed.len(), 0);
    bench.start(bench.page(0, Direction::ToChip));
    bench.start(bench.page(0, Direction::ToChip));
    assert!(!bench.is_free(2, Direction::ToChip));
    bench.run();
    assert_eq!(bench.freed.len(), 1);
}

#[test]
fn transfers_are_cut_into_packets() {
    let mut config = shape(ControllerEdge::West);
    config.mesh.packet = Size(1000);
    let mut bench = Bench::new(&config, &array(1, 2));
    let transfer = bench.page(1, Direction::ToChip);
    assert_eq!(transfer.time(), Time::from_ns(8 + 4096 + 5 * 3));
    let path = bench.start(transfer);
    bench.run();
    let arrival = bench.crossed[&path];
    assert_eq!(
        (arrival.at, arrival.conflict, arrival.port),
        (transfer.time() + Time::from_ns(4), Time::ZERO, Time::ZERO)
    );
    let lengths: Vec<u64> =
        bench.spans().iter().filter(|s| s.0.name.contains("from")).map(|s| (s.3 - s.2).ns()).collect();
    assert_eq!(lengths, [8, 1003, 1003, 1003, 1003, 99]);
}

#[test]
fn stated_commands_always_cross() {
    let mut config = shape(ControllerEdge::West);
    config.mesh.buffer = Size(5000);
    for (stated, at) in [(0, 0), (1_000_000_000, 1_000_004_000)] {
        config.command_time = Some(Duration(stated));
        let mut bench = Bench::new(&config, &array(1, 2));
        let command = bench.mesh.command_time(Operation::Read, 2);
        assert_eq!(command, Time(stated));
        let transfer = |chip| Transfer { chip: ChipId(chip), direction: Direction::ToChip, command, data: Time::ZERO };
        let path = bench.start(transfer(1));
        bench.run();
        assert_eq!(bench.crossed[&path].at, Time(at));
        bench.start(transfer(0));
        bench.run();
        bench.assert_idle();
    }
}

type Try = (u32, bool, usize, u64);

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200), ..ProptestConfig::default() })]

    #[test]
    fn transfers_cross_and_account_for_their_time(
        (rows, columns) in (1u32..6, 1u32..6),
        (east, own_row, narrow) in (prop::bool::ANY, prop::bool::ANY, prop::bool::ANY),
        (packet, spare) in (64u64..3000, 64u64..4000),
        delay in 0u64..5000,
        tries in prop::collection::vec((0u32..1000, prop::bool::ANY, 1usize..4, 0u64..9_000_000), 1..60),
    ) {
        let tries: Vec<Try> = tries;
        let mut config = shape(if east { ControllerEdge::Alternating } else { ControllerEdge::West });
        config.kind = if narrow { FabricKind::Mesh2bit } else { FabricKind::Mesh };
        config.network.router_delay = Duration(delay);
        config.mesh.packet = Size(packet);
        config.mesh.buffer = Size(packet + spare);
        config.mesh.controller = if own_row { MeshController::OwnRow } else { MeshController::LeastLoaded };
        let mut bench = Bench::new(&config, &array(rows, columns));
        bench.keep_paths = true;
        let mut started = Vec::new();
        for (chip, to_chip, planes, pause) in tries {
            bench.run_until(bench.now + Time(pause));
            let chip = chip % (rows * columns);
            let direction = if to_chip { Direction::ToChip } else { Direction::FromChip };
            if !bench.is_free(chip, direction) {
                continue;
            }
            let mut transfer = bench.page(chip, direction);
            transfer.data = if to_chip && planes == 2 { Time::ZERO } else { transfer.data * planes as u64 };
            let loads = bench.mesh.controllers.loads.clone();
            let path = bench.start(transfer);
            let controller = (0..rows).find(|&c| bench.mesh.controllers.loads[c as usize] > loads[c as usize]).unwrap();
            let at = bench.mesh.controllers.columns[controller as usize];
            let routers = (chip / columns).abs_diff(controller) + (chip % columns).abs_diff(at) + 1;
            prop_assert!(!own_row || controller == chip / columns);
            let unloaded = transfer.time() + (bench.mesh.flit + Time(delay)) * u64::from(routers);
            started.push((path, transfer, routers, bench.now + unloaded));
        }
        bench.run();
        let mut on_wires = 0;
        for (path, transfer, routers, unhindered) in &started {
            let arrival = bench.crossed[path];
            prop_assert_eq!(*unhindered + arrival.conflict + arrival.port, arrival.at);
            on_wires += transfer.time().0 * u64::from(*routers);
        }
        let wires = bench.mesh.wires();
        prop_assert_eq!(wires.iter().map(|w| w.busy.0).sum::<u64>(), on_wires);
        let crossed: TimeSum = started.iter().map(|s| s.1.time() * u64::from(s.2)).sum();
        prop_assert_eq!(bench.mesh.router_time(), crossed);
        let mut free_at: BTreeMap<String, Time> = BTreeMap::new();
        let mut spans = bench.spans();
        spans.sort_by_key(|span| span.2);
        for (wire, _, start, end) in spans {
            let free = free_at.entry(wire.name.clone()).or_default();
            prop_assert!(start >= *free, "{} carries two packets at {:?}", wire.name, start);
            *free = end;
        }
        prop_assert!(bench.mesh.controllers().iter().all(|c| c.busy <= bench.now));
        bench.assert_idle();
    }
}
