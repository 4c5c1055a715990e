use super::*;

fn copy(bench: &mut Bench<Omnibus>, from: u32, to: u32) -> (u64, u64) {
    let time = bench.fabric.copy_time(4096);
    bench.with(|fabric, now, mut later| fabric.start_copy(ChipId(from), ChipId(to), time, now, &mut later));
    bench.run();
    (bench.crossed[0].1.setup.ns(), bench.fabric.counters()[0].1)
}

/// Fig. 11 on four rows: the bus of column 0 is controller 0's.
#[test]
fn copies_are_agreed_on_as_in_figure_11() {
    let cases = [
        ("source", 0, 4, 1, 1),
        ("destination", 8, 0, 1, 1),
        ("intermediate", 8, 12, 2, 2),
        ("intermediate, other way", 12, 8, 2, 2),
        ("source in column 2", 10, 2, 1, 1),
    ];
    for (what, from, to, agreements, told) in cases {
        let mut bench = whole(4, 4);
        assert!(bench.fabric.can_copy(ChipId(from), ChipId(to)));
        assert_eq!(copy(&mut bench, from, to), (agreements * AGREE, 2 * agreements + told), "{what}");
    }
    // Nothing to agree on if its controller is their row's, else one question.
    assert_eq!(copy(&mut whole(2, 4), 0, 1), (0, 0));
    assert_eq!(copy(&mut whole(2, 4), 2, 3), (AGREE, 3));
    // 20 ns of chip enable, header and command, three flits of header, the page.
    assert_eq!(whole(4, 4).fabric.copy_time(4096).ns(), 20 + 2 + 3 + 4096);
}

#[test]
fn copies_stay_on_their_column_bus() {
    let fabric = whole(2, 4).fabric;
    let can = |from, to| fabric.can_copy(ChipId(from), ChipId(to));
    assert!(can(0, 4) && can(0, 5) && can(0, 1) && can(6, 3));
    assert!(!can(0, 0) && !can(0, 2) && !can(0, 6));
}

#[test]
fn copies_take_a_register_until_it_is_programmed() {
    for kind in [FabricKind::Omnibus, FabricKind::OmnibusSplit] {
        let mut fabric = bench(3, 3, kind).fabric;
        let (from, to) = (ChipId(0), ChipId(3));
        let time = fabric.copy_time(4096);
        let mut now = Time::ZERO;
        for _ in 0..2 {
            assert!(fabric.copy_is_free(from, to) && fabric.copies.reserve(to));
            let mut event = None;
            let path = fabric.start_copy(from, to, time, now, &mut |t, e| event = Some((t, e)));
            assert!(!fabric.copy_is_free(ChipId(6), from), "its bus is taken");
            assert!(fabric.is_free(from, Direction::FromChip), "rows are not");
            let (end, happened) = loop {
                let (at, due) = event.take().unwrap();
                let happened = fabric.handle(due, at, &mut |t, e| event = Some((t, e)));
                if happened.crossed.is_some() {
                    break (at, happened);
                }
            };
            assert_eq!(happened.crossed.map(|c| (c.path, c.setup.ns())), Some((path, AGREE)));
            assert!(!fabric.copy_is_free(ChipId(6), from), "until it is given back");
            fabric.release(path, end, &mut |_, _| ());
            now = end;
        }
        assert_eq!(fabric.port_free_at(from, Direction::FromChip), now);
        assert_eq!(fabric.port_free_at(to, Direction::FromChip), now);
        assert!(!fabric.copies.reserve(to), "no register is left");
        assert!(fabric.copies.reserve(ChipId(6)), "other chips have theirs");
        fabric.copies.release(to);
        assert!(fabric.copies.reserve(to));
        assert!(fabric.transfers.is_empty());
        assert_eq!(fabric.wires()[3].busy.ns(), 2 * (time.ns() + AGREE));
    }
}

#[test]
#[should_panic(expected = "a register of chip 3 is given back twice")]
fn registers_are_given_back_once() {
    whole(3, 3).fabric.copies.release(ChipId(3));
}

#[test]
fn copies_are_checked_as_told() {
    let fabric = |chip_to_chip_ecc, every| {
        let mut config = config(1_000_000_000, 0);
        config.omnibus = OmnibusConfig {
            chip_to_chip_ecc,
            detect_time: Duration(1_000_000),
            via_controller_every: every,
            v_page_registers: 1,
            ..config.omnibus
        };
        Bench::<Omnibus>::new(&config, &array(2, 2)).fabric
    };
    assert!((0..9).all(|n| !fabric(ChipToChipEcc::None, 3).copies.must_check(n)));
    let detecting = fabric(ChipToChipEcc::Detect, 3);
    assert!(!detecting.copies.must_check(9) && detecting.copies.check_time() == Time::from_us(1));
    assert_eq!(fabric(ChipToChipEcc::None, 3).copies.check_time(), Time::ZERO);
    let third = fabric(ChipToChipEcc::ViaController, 3);
    assert_eq!([0, 1, 2].map(|n| third.copies.must_check(n)), [false, false, true]);
    assert!(fabric(ChipToChipEcc::ViaController, 1).copies.must_check(0));
    let mut one = fabric(ChipToChipEcc::None, 3);
    assert!(one.copies.reserve(ChipId(2)) && !one.copies.reserve(ChipId(2)), "one register only");
}

#[test]
fn kept_columns_carry_copies_only() {
    for kind in [FabricKind::Omnibus, FabricKind::OmnibusSplit] {
        let mut fabric = bench(3, 3, kind).fabric;
        fabric.keep_columns(|chip| chip.0 % 3 == 1);
        let transfer = |chip| Transfer {
            chip: ChipId(chip),
            direction: Direction::ToChip,
            command: Time::from_ns(9),
            data: Time::ZERO,
        };
        fabric.start(transfer(1), Time::ZERO, &mut |_, _| ());
        assert!(!fabric.is_free(ChipId(1), Direction::ToChip), "its row is taken, its column kept");
        assert!(fabric.is_free(ChipId(0), Direction::ToChip), "another column of the row");
        assert!(fabric.is_free(ChipId(4), Direction::ToChip), "another row of the column");
        assert!(fabric.copy_is_free(ChipId(1), ChipId(4)));
        fabric.keep_columns(|_| false);
        assert!(fabric.is_free(ChipId(1), Direction::ToChip));
    }
}
