use super::*;

fn late() -> Bench<Omnibus> {
    let omnibus = OmnibusConfig { control: unhindered(), late_split: Size(1024), ..OmnibusConfig::default() };
    let config = FabricConfig { kind: FabricKind::Omnibus, omnibus, ..config(1_000_000_000, 0) };
    let mut bench = Bench::<Omnibus>::new(&config, &array(3, 3));
    bench.fabric.trace.switch_on();
    bench
}

/// Four flits for the column, tCCS, and three of header: then two chunks.
const TURNED: u64 = 4 + 300;
const END: u64 = TURNED + 3 + 2 * 1024;

#[test]
fn the_end_of_a_page_goes_over_the_other_bus() {
    let mut bench = late();
    read(&mut bench, 4);
    bench.run_until(Time::from_ns(2053) - Time(1));
    assert!(!bench.fabric.grid.is_free(BusId(1)) && !bench.fabric.grid.is_free(BusId(4)));
    bench.run_until(Time::from_ns(2053));
    assert!(bench.fabric.grid.is_free(BusId(1)) && !bench.fabric.grid.is_free(BusId(4)), "its beginning has crossed");
    bench.run();
    let expected = [(1, Data, 0, 1029), (4, Data, 0, 4), (4, Data, TURNED, END), (1, Data, 1029, 2053)];
    assert_eq!(traced(&mut bench), expected);
    assert_eq!(crossed(&bench), [(END, 0)]);
    assert_eq!(bench.fabric.counters().last(), Some(&("late_splits", 1)));
    assert_eq!(bench.fabric.port_free_at(ChipId(4), Direction::ToChip), Time::from_ns(END));
}

#[test]
fn a_bus_joins_after_a_message_and_the_command() {
    let mut bench = late();
    read(&mut bench, 5);
    bench.run();
    let told = 5;
    let expected = [
        (1, Data, 0, 1029),
        (5, Handshake, 0, told),
        (5, Data, told, told + 4),
        (5, Data, told + TURNED, told + END),
        (1, Data, 1029, 2053),
    ];
    assert_eq!(traced(&mut bench), expected);
    assert_eq!(crossed(&bench), [(told + END, 0)]);
    let mut bench = late();
    let transfer = bench.page(4, Direction::ToChip);
    bench.start(transfer);
    bench.run();
    let expected = [
        (1, Command, 0, COMMAND),
        (1, Data, COMMAND, COMMAND + 1027),
        (4, Data, COMMAND, COMMAND + 4),
        (4, Data, COMMAND + TURNED, COMMAND + END),
        (1, Data, COMMAND + 1027, COMMAND + 2051),
    ];
    assert_eq!(traced(&mut bench), expected);
}

#[test]
fn others_go_before_the_end_of_a_page() {
    let mut bench = late();
    read(&mut bench, 4);
    let command = Transfer { data: Time::ZERO, ..bench.page(4, Direction::ToChip) };
    bench.start(command);
    bench.run();
    let expected = [
        (1, Data, 0, 1029),
        (4, Command, 0, COMMAND),
        (4, Data, COMMAND, COMMAND + 4),
        (4, Data, COMMAND + TURNED, COMMAND + END),
        (1, Data, 1029, 2053),
    ];
    assert_eq!(traced(&mut bench), expected);
    // Two pages of one chip keep each other from it.
    let mut bench = late();
    read(&mut bench, 4);
    read(&mut bench, 4);
    bench.run();
    assert_eq!(crossed(&bench), [(READ, 0), (READ, 0)]);
    assert_eq!(bench.fabric.counters().last(), Some(&("late_splits", 0)));
}

proptest! {
    #[test]
    fn pages_that_are_split_late_get_through(transfers in prop::collection::vec((0u32..9, prop::bool::ANY, 0u64..3000), 1..40)) {
        let mut bench = late();
        let count = transfers.len();
        let mut wanted: std::collections::VecDeque<_> = transfers.into();
        loop {
            while let Some(&(chip, is_read, _)) = wanted.front() {
                let direction = if is_read { Direction::FromChip } else { Direction::ToChip };
                if !bench.is_free(chip, direction) {
                    break;
                }
                let transfer = bench.page(chip, direction);
                bench.start(transfer);
                let (.., pause) = wanted.pop_front().expect("there is one");
                let then = bench.now + Time::from_ns(pause);
                bench.run_until(then);
            }
            if !bench.step() && wanted.is_empty() {
                break;
            }
        }
        prop_assert_eq!(bench.crossed.len(), count);
        prop_assert_eq!(bench.fabric.grid.free(), bench.fabric.grid.count());
        let mut spans = traced(&mut bench);
        spans.sort_by_key(|span| (span.0, span.2));
        prop_assert!(spans.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].3 <= pair[1].2));
    }
}
