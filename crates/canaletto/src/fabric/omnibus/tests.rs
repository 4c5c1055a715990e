mod copies;
mod late;

use proptest::prelude::*;

use super::*;
use crate::config::design::{ChipToChipEcc, ControlPlane as ControlPlaneConfig, Omnibus as OmnibusConfig};
use crate::config::units::{Duration, Rate, Size};
use crate::fabric::chip_to_chip::ChipToChip;
use crate::fabric::tests::{Bench, array, config};
use crate::fabric::trace::WireSpan;
use crate::flash::interface::Operation;

/// A flit per ns: a program of 4 KiB is 28 ns of command and 4099 flits, read data 4101.
const COMMAND: u64 = 28;
const WRITE: u64 = 4099;
const READ: u64 = 4101;
/// One more header and request; of a write one more header.
const READ_HALF: u64 = (READ + 5) / 2;
const WRITE_HALF: u64 = (WRITE + 3) / 2;
const AGREE: u64 = 10;

/// No message waits for another; answers take 5 ns.
fn unhindered() -> ControlPlaneConfig {
    ControlPlaneConfig { width: 4096, rate: Rate(1_000_000_000_000), delay: Duration(5_000) }
}

fn bench(rows: u32, columns: u32, kind: FabricKind) -> Bench<Omnibus> {
    let omnibus = OmnibusConfig { control: unhindered(), ..OmnibusConfig::default() };
    let config = FabricConfig { kind, omnibus, ..config(1_000_000_000, 0) };
    let mut bench = Bench::<Omnibus>::new(&config, &array(rows, columns));
    bench.fabric.trace.switch_on();
    bench
}

fn whole(rows: u32, columns: u32) -> Bench<Omnibus> {
    bench(rows, columns, FabricKind::Omnibus)
}

fn split(rows: u32, columns: u32) -> Bench<Omnibus> {
    bench(rows, columns, FabricKind::OmnibusSplit)
}

fn read(bench: &mut Bench<Omnibus>, chip: u32) -> PathId {
    let transfer = bench.page(chip, Direction::FromChip);
    bench.start(transfer)
}

fn traced(bench: &mut Bench<Omnibus>) -> Vec<(u32, WireUse, u64, u64)> {
    let mut spans: Vec<_> = bench.fabric.trace.drain().map(|s| (s.wire, s.what, s.start.ns(), s.end.ns())).collect();
    spans.sort_by_key(|s| (s.2, s.0));
    spans
}

fn crossed(bench: &Bench<Omnibus>) -> Vec<(u64, u64)> {
    bench.crossed.iter().map(|(time, crossed)| (time.ns(), crossed.setup.ns())).collect()
}

use WireUse::{Command, Data, Handshake};

#[test]
fn a_chip_is_refused_only_while_both_its_buses_are_taken() {
    let mut bench = whole(3, 3);
    let chip = 4;
    bench.now = Time::from_ns(7);
    read(&mut bench, chip);
    assert!(bench.is_free(chip, Direction::ToChip), "its column bus is free");
    let transfer = bench.page(chip, Direction::ToChip);
    bench.start(transfer);
    for other in [1, 3, 4, 5, 7] {
        let free = bench.is_free(other, Direction::FromChip);
        assert_eq!(free, other != chip, "chip {other} has one bus of its own");
    }
    let first_end = 7 + READ;
    bench.run_until(Time(first_end * 1000 - 1));
    assert!(!bench.is_free(chip, Direction::ToChip));
    bench.run_until(Time::from_ns(first_end));
    assert!(bench.is_free(chip, Direction::ToChip));
    assert_eq!(bench.fabric.port_free_at(ChipId(chip), Direction::ToChip), Time::from_ns(first_end));
    bench.run();
    let write_end = 7 + COMMAND + WRITE;
    let expected = [(1, Data, 7, first_end), (4, Command, 7, 7 + COMMAND), (4, Data, 7 + COMMAND, write_end)];
    assert_eq!(traced(&mut bench), expected);
    assert_eq!(crossed(&bench), [(first_end, 0), (write_end, 0)]);
}

/// Chip 1 has the row bus of controller 0 and the column bus of controller 1. A read is 4101 ns.
#[test]
fn a_controller_serves_one_transfer_at_a_time_where_it_is_told_to() {
    for (at_once, is_free) in [(1, false), (2, true)] {
        let omnibus =
            OmnibusConfig { control: unhindered(), transfers_per_controller: at_once, ..OmnibusConfig::default() };
        let config = FabricConfig { kind: FabricKind::Omnibus, omnibus, ..config(1_000_000_000, 0) };
        let mut bench = Bench::<Omnibus>::new(&config, &array(2, 2));
        assert_eq!(bench.fabric.peak_rate(), 1e9 * f64::from(2 * at_once));
        read(&mut bench, 0);
        bench.run_until(Time::from_ns(100));
        assert!(bench.is_free(1, Direction::FromChip) && bench.is_free(2, Direction::FromChip));
        read(&mut bench, 2);
        assert_eq!(bench.is_free(1, Direction::FromChip), is_free, "{at_once}");
        assert_eq!(bench.is_free(3, Direction::FromChip), is_free, "{at_once}");
        assert_eq!(bench.fabric.copy_is_free(ChipId(1), ChipId(3)), is_free, "{at_once}");
        bench.run_until(Time(READ * 1000 - 1));
        assert_eq!(bench.is_free(1, Direction::FromChip), is_free, "{at_once}");
        bench.run_until(Time::from_ns(READ));
        assert!(bench.is_free(1, Direction::FromChip));
        read(&mut bench, 1);
        bench.run();
        let times: Vec<u64> = crossed(&bench).into_iter().map(|(at, _)| at).collect();
        assert_eq!(times, [READ, READ + 100, 2 * READ]);
    }
}

#[test]
fn a_path_may_start_while_any_bus_is_free() {
    let mut bench = whole(2, 2);
    for chip in [0, 0, 3] {
        read(&mut bench, chip);
        assert!(bench.fabric.may_start(ALL));
    }
    read(&mut bench, 3);
    assert!(!bench.fabric.may_start(ALL));
    bench.step();
    assert!(bench.fabric.may_start(ALL));
}

#[test]
fn controllers_agree_only_where_two_are_concerned() {
    for chip in 0..9u32 {
        let mut bench = whole(3, 3);
        let (row, column) = (chip / 3, chip % 3);
        read(&mut bench, chip);
        read(&mut bench, chip);
        let agree = if row == column { 0 } else { AGREE };
        bench.run();
        let mut expected = vec![(row, Data, 0, READ)];
        if agree > 0 {
            expected.push((3 + column, Handshake, 0, AGREE));
        }
        expected.push((3 + column, Data, agree, agree + READ));
        expected.sort_by_key(|s: &(u32, WireUse, u64, u64)| (s.2, s.0));
        assert_eq!(traced(&mut bench), expected, "chip {chip}");
        assert_eq!(crossed(&bench), [(READ, 0), (READ + agree, agree)]);
        let wires = bench.fabric.wires();
        let column_bus = &wires[3 + column as usize];
        assert_eq!((column_bus.busy.ns(), column_bus.active.ns()), (READ + agree, READ));
    }
}

#[test]
fn halves_cross_side_by_side() {
    let mut bench = split(2, 2);
    read(&mut bench, 0);
    assert!(!bench.is_free(0, Direction::ToChip));
    bench.run();
    assert_eq!(traced(&mut bench), [(0, Data, 0, READ_HALF), (2, Data, 0, READ_HALF)]);
    assert_eq!(crossed(&bench), [(READ_HALF, 0)]);
    let mut bench = split(2, 2);
    let transfer = bench.page(1, Direction::ToChip);
    bench.start(transfer);
    bench.run();
    let end = COMMAND + WRITE_HALF;
    let expected = [
        (0, Command, 0, COMMAND),
        (3, Handshake, 0, AGREE),
        (3, Data, AGREE, AGREE + WRITE_HALF),
        (0, Data, COMMAND, end),
    ];
    assert_eq!(traced(&mut bench), expected);
    assert_eq!(crossed(&bench), [(end, 0)], "the half that was agreed on came before the other");
    assert_eq!(bench.fabric.port_free_at(ChipId(1), Direction::ToChip).ns(), end);
}

#[test]
fn the_last_half_decides_what_was_spent_on_setup() {
    let mut bench = split(2, 2);
    read(&mut bench, 1);
    bench.run();
    assert_eq!(crossed(&bench), [(AGREE + READ_HALF, AGREE)]);
}

#[test]
fn commands_cross_whole() {
    let mut bench = split(2, 2);
    let transfer = Transfer { data: Time::ZERO, ..bench.page(0, Direction::ToChip) };
    bench.start(transfer);
    assert!(bench.is_free(0, Direction::ToChip), "the column bus is free");
    bench.run();
    assert_eq!(traced(&mut bench), [(0, Command, 0, COMMAND)]);
}

#[test]
fn halves_add_up_to_the_flit() {
    for rate in [1_000_000_000, 1_200_000_000, 999_999_937, 7, 100_000_000_000] {
        let config = FabricConfig { kind: FabricKind::OmnibusSplit, ..config(rate, 0) };
        let fabric = Omnibus::new(&config, &array(1, 1));
        for bytes in [512, 513, 4095, 4096, 16384] {
            for (operation, direction, header) in
                [(Operation::Read, Direction::FromChip, 5), (Operation::Program, Direction::ToChip, 3)]
            {
                let data = fabric.data_time(operation, bytes);
                let transfer = Transfer { chip: ChipId(0), direction, command: Time::ZERO, data };
                let (first, second) = fabric.halves(&transfer);
                let flits = bytes + 2 * header;
                let time = |flits| Time::of_transfer(flits, rate);
                assert_eq!((first, second), (time(flits.div_ceil(2)), time(flits / 2)), "{bytes} B at {rate} B/s");
            }
        }
    }
}

#[test]
fn the_second_half_follows_on_the_same_bus() {
    let mut bench = split(2, 2);
    // Chip 3's column stays free.
    let transfer = bench.page(2, Direction::FromChip);
    bench.start(Transfer { data: transfer.data * 3, ..transfer });
    read(&mut bench, 3);
    assert!(!bench.is_free(3, Direction::ToChip) && !bench.is_free(2, Direction::ToChip));
    bench.run();
    let long = (3 * READ + 5) / 2;
    let expected = [
        (1, Data, 0, long),
        (2, Handshake, 0, AGREE),
        (3, Data, 0, READ_HALF),
        (2, Data, AGREE, AGREE + long),
        (3, Data, READ_HALF, 2 * READ_HALF),
    ];
    let mut seen = traced(&mut bench);
    seen.sort_by_key(|s| (s.2, s.0));
    assert_eq!(seen, expected);
    assert_eq!(crossed(&bench), [(2 * READ_HALF, 0), (AGREE + long, AGREE)]);
}

#[test]
fn each_half_is_agreed_on() {
    let mut bench = split(2, 2);
    let transfer = bench.page(3, Direction::ToChip);
    // Takes row 1 for long.
    bench.start(Transfer { command: Time::from_us(50), data: Time::ZERO, ..transfer });
    read(&mut bench, 2);
    bench.run();
    let half = AGREE + READ_HALF;
    assert_eq!(crossed(&bench)[0], (2 * half, 2 * AGREE));
    assert_eq!(bench.fabric.wires()[2].busy.ns(), 2 * half);
    assert_eq!(bench.fabric.wires()[2].active.ns(), 2 * READ_HALF);
}

#[test]
fn the_second_half_takes_what_is_free_first() {
    let mut bench = split(2, 2);
    let command = Transfer { command: Time::from_ns(100), data: Time::ZERO, ..bench.page(0, Direction::ToChip) };
    bench.start(command);
    read(&mut bench, 0);
    bench.run_until(Time(99_999));
    assert!(!bench.is_free(0, Direction::ToChip));
    bench.run_until(Time::from_ns(100));
    assert!(!bench.is_free(0, Direction::ToChip), "nobody else gets the row's bus");
    assert!(bench.is_free(1, Direction::ToChip), "over column 1");
    bench.run_until(Time::from_ns(READ_HALF));
    assert!(bench.is_free(0, Direction::ToChip), "the first half's bus is free though the transfer has not crossed");
    assert_eq!(crossed(&bench), [(100, 0)]);
    assert_eq!(bench.fabric.port_free_at(ChipId(0), Direction::ToChip).ns(), READ_HALF);
    bench.run();
    assert_eq!(crossed(&bench), [(100, 0), (100 + READ_HALF, 0)]);
    let expected = [(0, Command, 0, 100), (2, Data, 0, READ_HALF), (0, Data, 100, 100 + READ_HALF)];
    assert_eq!(traced(&mut bench), expected);
}

#[test]
fn second_halves_keep_their_order() {
    let mut bench = split(3, 3);
    let command = Transfer { command: Time::from_ns(500), data: Time::ZERO, ..bench.page(0, Direction::ToChip) };
    bench.start(command);
    read(&mut bench, 2);
    bench.now = Time::from_ns(1);
    read(&mut bench, 1);
    bench.run();
    let second_halves: Vec<_> = traced(&mut bench).into_iter().filter(|s| s.0 == 0 && s.1 == Data).collect();
    assert_eq!(second_halves, [(0, Data, 500, 500 + READ_HALF)]);
    // Chip 1's halves are both on column 1, each agreed on.
    assert_eq!(crossed(&bench)[1..], [(500 + READ_HALF, 0), (1 + 2 * (AGREE + READ_HALF), 2 * AGREE)]);
}

#[test]
fn held_paths_are_agreed_on_once() {
    let mut fabric = whole(2, 2).fabric;
    let mut events = Vec::new();
    let transfer = |command, data| Transfer {
        chip: ChipId(1),
        direction: Direction::ToChip,
        command: Time::from_ns(command),
        data: Time::from_ns(data),
    };
    let row = fabric.start(transfer(1000, 0), Time::ZERO, &mut |t, e| events.push((t.ns(), e)));
    let column = fabric.start(transfer(20, 0), Time::ZERO, &mut |t, e| events.push((t.ns(), e)));
    for message in 1..=2 {
        let (at, event) = events[message];
        fabric.handle(event, Time::from_ns(at), &mut |t, e| events.push((t.ns(), e)));
    }
    let (at, event) = events[3];
    assert_eq!(at, AGREE + 20);
    let happened = fabric.handle(event, Time::from_ns(at), &mut |_, _| ());
    assert_eq!(happened.crossed.map(|c| (c.path, c.setup.ns())), Some((column, AGREE)));
    assert!(!fabric.is_free(ChipId(1), Direction::FromChip) && row != column);
    fabric.start_on_held_path(column, transfer(0, 300), Time::from_ns(200), &mut |t, e| events.push((t.ns(), e)));
    let (at, event) = events[4];
    assert_eq!(at, 500);
    let happened = fabric.handle(event, Time::from_ns(at), &mut |_, _| ());
    assert_eq!(happened.crossed.map(|c| (c.path, c.setup)), Some((column, Time::ZERO)));
    fabric.release(column, Time::from_ns(600), &mut |_, _| ());
    let bus = &fabric.wires()[3];
    assert_eq!((bus.busy.ns(), bus.active.ns()), (600, 320));
}

/// (column bus, columns it joins).
#[test]
fn arrays_need_not_be_square() {
    let columns = |rows, columns| -> Vec<(i32, i32)> {
        let fabric = whole(rows, columns).fabric;
        let wires = fabric.wires();
        assert!(wires[..rows as usize].iter().all(|w| w.kind == crate::fabric::wires::WireKind::Channel));
        assert_eq!(fabric.controllers().len(), rows as usize);
        assert_eq!(fabric.peak_rate(), 1e9 * wires.len() as f64);
        wires[rows as usize..]
            .iter()
            .map(|w| {
                assert_eq!((w.from.0, w.to.0), (0, rows as i32 - 1));
                (w.from.1, w.to.1)
            })
            .collect()
    };
    assert_eq!(columns(4, 8), [(0, 1), (2, 3), (4, 5), (6, 7)]);
    assert_eq!(columns(8, 4), [(0, 0), (1, 1), (2, 2), (3, 3)]);
    assert_eq!(columns(1, 1), [(0, 0)]);
    assert_eq!(columns(3, 5), [(0, 1), (2, 3), (4, 4)]);
    assert_eq!(columns(4, 6), [(0, 1), (2, 2), (3, 4), (5, 5)], "each controller has columns to drive");
    assert_eq!(columns(8, 9)[6..], [(7, 7), (8, 8)]);
    assert_eq!(columns(1, 4), [(0, 3)]);
    let names: Vec<String> = whole(2, 3).fabric.wires().into_iter().map(|w| w.name).collect();
    assert_eq!(names, ["channel 0", "channel 1", "columns 0-1", "column 2"]);
}

#[test]
fn shared_columns_are_one_bus() {
    let mut bench = whole(2, 4);
    read(&mut bench, 0);
    read(&mut bench, 0);
    assert!(!bench.is_free(1, Direction::FromChip), "the same row, the same column bus");
    assert!(bench.is_free(2, Direction::FromChip) && bench.is_free(4, Direction::FromChip));
    let mut bench = whole(8, 4);
    for column in 0..4 {
        read(&mut bench, 24 + column);
    }
    bench.run();
    assert_eq!(crossed(&bench), [(READ, 0), (READ + AGREE, AGREE), (READ + AGREE, AGREE), (READ + AGREE, AGREE)]);
}

#[test]
fn controllers_count_overlaps_once() {
    let mut bench = whole(2, 2);
    read(&mut bench, 0);
    bench.run_until(Time::from_ns(1000));
    read(&mut bench, 0);
    bench.run();
    let busy: Vec<u64> = bench.fabric.controllers().iter().map(|c| c.busy.ns()).collect();
    assert_eq!(busy, [1000 + READ, 0]);
    bench.now = Time::from_us(10);
    read(&mut bench, 3);
    read(&mut bench, 3);
    bench.run();
    let busy: Vec<u64> = bench.fabric.controllers().iter().map(|c| c.busy.ns()).collect();
    assert_eq!(busy, [1000 + READ, READ]);
    assert_eq!(bench.fabric.controllers()[1].place, (1, -1));
}

struct Sent {
    transfer: Transfer,
    started: Time,
    /// (bus, from, until, what came last), agreements included.
    uses: Vec<(u32, Time, Time, WireUse)>,
    crossed: Option<Time>,
}

fn book(bench: &mut Bench<Omnibus>, owners: &[usize], sent: &mut [Sent]) {
    for WireSpan { wire, what, path, start, end } in bench.fabric.trace.drain() {
        let uses = &mut sent[owners[path.index()]].uses;
        match uses.last_mut() {
            Some(last) if last.3 != Data && what != Handshake => {
                assert_eq!((last.0, last.2), (wire, start));
                (last.2, last.3) = (end, what);
            }
            _ => uses.push((wire, start, end, what)),
        }
    }
}

/// Each at the first moment that `is_free` allows after its pause (chip, what, pause).
fn random_run(rows: u32, columns: u32, kind: FabricKind, transfers: &[(u32, u32, u64)]) -> (Bench<Omnibus>, Vec<Sent>) {
    let mut bench = bench(rows, columns, kind);
    let (mut sent, mut owners, mut seen) = (Vec::<Sent>::new(), Vec::<usize>::new(), 0);
    let mut settle = |bench: &mut Bench<Omnibus>, owners: &[usize], sent: &mut Vec<Sent>| {
        book(bench, owners, sent);
        for (at, crossed) in &bench.crossed[seen..] {
            let transfer = &mut sent[owners[crossed.path.index()]];
            assert_eq!(transfer.crossed.replace(*at), None, "a transfer has crossed twice");
        }
        seen = bench.crossed.len();
    };
    for &(chip, what, pause) in transfers {
        let chip = chip % (rows * columns);
        let until = bench.now + Time(pause);
        while bench.next_at().is_some_and(|at| at <= until) || !bench.is_free(chip, Direction::ToChip) {
            assert!(bench.step(), "chip {chip} is never free");
            settle(&mut bench, &owners, &mut sent);
        }
        bench.now = bench.now.max(until);
        let direction = if what % 2 == 0 { Direction::FromChip } else { Direction::ToChip };
        let page = bench.page(chip, direction);
        let data = if what % 3 == 0 && direction == Direction::ToChip { Time::ZERO } else { page.data };
        let transfer = Transfer { data, ..page };
        let path = bench.start(transfer);
        if owners.len() <= path.index() {
            owners.resize(path.index() + 1, 0);
        }
        owners[path.index()] = sent.len();
        sent.push(Sent { transfer, started: bench.now, uses: Vec::new(), crossed: None });
        settle(&mut bench, &owners, &mut sent);
    }
    while bench.step() {
        settle(&mut bench, &owners, &mut sent);
    }
    sent.iter_mut().for_each(|transfer| transfer.uses.sort_by_key(|used| used.1));
    (bench, sent)
}

fn taken_throughout(stays: &[(u32, Time, Time, usize)], bus: u32, from: Time, until: Time) -> bool {
    let mut at = from;
    for stay in stays.iter().filter(|s| s.0 == bus) {
        if stay.1 <= at && at < stay.2 {
            at = stay.2;
        }
    }
    at >= until
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_transfers(
        rows in 1u32..6,
        columns in 1u32..6,
        kind in prop::sample::select(vec![FabricKind::Omnibus, FabricKind::OmnibusSplit]),
        transfers in prop::collection::vec((0u32..36, 0u32..6, prop_oneof![Just(0u64), 0u64..3_000_000]), 1..80),
    ) {
        let (bench, sent) = random_run(rows, columns, kind, &transfers);
        prop_assert_eq!(bench.crossed.len(), transfers.len());
        prop_assert!(bench.fabric.transfers.is_empty() && bench.fabric.grid.free() == bench.fabric.grid.count());
        let mut stays: Vec<(u32, Time, Time, usize)> = Vec::new();
        for (n, transfer) in sent.iter().enumerate() {
            stays.extend(transfer.uses.iter().map(|&(bus, from, until, _)| (bus, from, until, n)));
        }
        stays.sort();
        for pair in stays.windows(2) {
            prop_assert!(pair[0].0 != pair[1].0 || pair[0].2 <= pair[1].1, "{:?} overlap", pair);
        }
        for (i, wire) in bench.fabric.wires().iter().enumerate() {
            let busy = stays.iter().filter(|s| s.0 == i as u32).fold(Time::ZERO, |sum, s| sum + (s.2 - s.1));
            prop_assert_eq!(wire.busy, busy);
        }
        for (n, transfer) in sent.iter().enumerate() {
            let Ways { row, column } = bench.fabric.grid.ways(transfer.transfer.chip);
            prop_assert!(transfer.uses.iter().all(|u| [row.0, column.0].contains(&u.0)));
            let halves = if kind == FabricKind::OmnibusSplit && transfer.transfer.data > Time::ZERO { 2 } else { 1 };
            prop_assert_eq!(transfer.uses.len(), halves);
            prop_assert_eq!(transfer.uses[0].1, transfer.started);
            prop_assert_eq!(transfer.uses.iter().map(|u| u.2).max(), transfer.crossed);
            if halves == 2 {
                let second = transfer.uses[1].1;
                for bus in [row.0, column.0] {
                    prop_assert!(taken_throughout(&stays, bus, transfer.started, second), "bus {bus} idles before {:?}", transfer.uses);
                }
                let between = stays.iter().filter(|s| [row.0, column.0].contains(&s.0) && s.3 != n);
                for stay in between.filter(|s| transfer.started < s.1 && s.1 < second) {
                    prop_assert!(stay.3 < n, "transfer {} overtakes {n}", stay.3);
                }
            }
        }
    }
}

/// To the picosecond.
#[test]
fn messages_cross_one_after_the_other() {
    let config = FabricConfig { kind: FabricKind::Omnibus, ..config(1_000_000_000, 0) };
    for (later, waits) in [(0, 2000), (500, 1500), (1999, 1), (2000, 0), (5001, 1999), (9000, 0)] {
        let mut bench = Bench::<Omnibus>::new(&config, &array(3, 3));
        // Rows 1 and 2 are busy, so these go over columns 0 and 1.
        for chip in [3, 6] {
            read(&mut bench, chip);
        }
        read(&mut bench, 3);
        bench.run_until(Time(later));
        bench.now = Time(later);
        read(&mut bench, 7);
        bench.run();
        let setups: Vec<u64> = bench.crossed.iter().map(|(_, crossed)| crossed.setup.0).filter(|&ps| ps > 0).collect();
        assert_eq!(setups, [10_000, 10_000 + waits], "{later} ps later");
        let counters: Vec<u64> = bench.fabric.counters().iter().map(|counter| counter.1).collect();
        assert_eq!(counters[..2], [4, u64::from(waits > 0)], "{later} ps later");
    }
}
