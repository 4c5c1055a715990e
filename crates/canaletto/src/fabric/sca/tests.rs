use super::*;
use crate::fabric::FabricKind;
use crate::fabric::tests::{Bench, config, layout, of};
use crate::flash::interface::Operation;

const PAGE: Time = Time::from_ns(4096);

fn bench() -> Bench<Sca> {
    Bench::new(&config(1_000_000_000, 0), &layout())
}

fn command(chip: u32) -> Transfer {
    Transfer { chip: ChipId(chip), direction: Direction::ToChip, command: Time::from_ns(125), data: Time::ZERO }
}

fn fetched(chip: u32) -> Transfer {
    Transfer { chip: ChipId(chip), direction: Direction::FromChip, command: Time::from_ns(155), data: PAGE }
}

/// 15 ns per packet of 12 bits on two pins at 400 MT/s, behind 20 ns of chip enable.
#[test]
fn packets_take_their_bits() {
    let sca = bench().fabric;
    let ns = |operation, planes| sca.command_time(operation, planes).ns();
    assert_eq!((ns(Operation::Read, 1), ns(Operation::Read, 4)), (20 + 7 * 15, 20 + 28 * 15));
    assert_eq!((ns(Operation::Program, 1), ns(Operation::Program, 2)), (20 + 10 * 15, 20 + 20 * 15));
    assert_eq!((ns(Operation::Erase, 1), ns(Operation::Erase, 2)), (20 + 5 * 15, 20 + 10 * 15));
    assert_eq!(sca.data_time(Operation::Read, 4096), PAGE);
}

#[test]
fn other_widths_and_rates() {
    let read = |ca_width, rate| {
        let mut keys = of(FabricKind::Sca);
        (keys.sca.ca_width, keys.sca.ca_rate.0) = (ca_width, rate);
        Sca::new(&keys, &layout()).command_time(Operation::Read, 1).ns()
    };
    assert_eq!(read(1, 1_000_000_000), 20 + 7 * 12);
    assert_eq!(read(3, 1_000_000_000), 20 + 7 * 5);
    assert_eq!(read(8, 1_000_000_000), 20 + 7 * 2);
    assert_eq!(read(8, 500_000_000), 20 + 7 * 4);
}

#[test]
fn commands_cross_while_data_do() {
    let mut bench = bench();
    bench.now = Time::from_ns(5);
    bench.start(fetched(0));
    let commanded = Time::from_ns(5 + 155);
    bench.run_until(Time(commanded.0 - 1));
    assert!(!bench.is_free(1, Direction::ToChip) && !bench.is_free(1, Direction::FromChip));
    assert!(bench.is_free(4, Direction::FromChip), "the other channel has pins of its own");
    bench.run_until(commanded);
    assert!(bench.is_free(1, Direction::ToChip) && bench.is_free(1, Direction::FromChip));
    assert!(!bench.is_free(0, Direction::ToChip) && !bench.is_free(0, Direction::FromChip));
    bench.start(command(1));
    bench.run_until(commanded + Time(125_000 - 1));
    assert!(!bench.is_free(2, Direction::ToChip));
    bench.run_until(commanded + Time::from_ns(125));
    assert!(bench.is_free(1, Direction::ToChip) && bench.crossed.len() == 1);
    bench.run_until(commanded + PAGE);
    assert!(bench.is_free(0, Direction::ToChip) && bench.crossed.len() == 2);
    assert!(bench.crossed.iter().all(|(_, done)| done.met_nothing()));
    assert_eq!(bench.fabric.port_free_at(ChipId(0), Direction::ToChip), commanded + PAGE);
    let busy: Vec<Time> = bench.fabric.wires().into_iter().map(|wire| wire.busy).collect();
    assert_eq!(busy, [PAGE, Time::ZERO, Time::from_ns(155 + 125), Time::ZERO]);
    assert_eq!(bench.fabric.controllers()[0].busy, Time::from_ns(155) + PAGE);
}

#[test]
fn data_follow_each_other() {
    let mut bench = bench();
    bench.start(fetched(0));
    bench.run_until(Time::from_ns(155));
    bench.start(fetched(1));
    bench.run_until(Time::from_ns(310));
    assert!(!bench.is_free(2, Direction::FromChip) && !bench.fabric.takes_data(ChipId(2)));
    assert!(bench.is_free(2, Direction::ToChip));
    let end = Time::from_ns(155) + PAGE;
    bench.run_until(Time(end.0 - 1));
    assert!(!bench.is_free(2, Direction::FromChip));
    bench.run_until(end);
    assert!(bench.is_free(2, Direction::FromChip) && bench.fabric.takes_data(ChipId(2)));
    bench.run();
    let told: Vec<_> = bench.crossed.iter().map(|&(time, done)| (time, done.before, done.conflict)).collect();
    assert_eq!(told, [(end, Time::ZERO, Time::ZERO), (end + PAGE, Time::from_ns(155), PAGE - Time::from_ns(155))]);
}

#[test]
fn luns_share_the_pins_of_their_chip() {
    let mut wide = layout();
    wide.luns_per_chip = 2;
    let mut bench = Bench::<Sca>::new(&config(1_000_000_000, 0), &wide);
    bench.start(fetched(0));
    bench.run_until(Time::from_ns(155));
    assert!(bench.is_free(0, Direction::ToChip));
    bench.start(fetched(0));
    bench.run_until(Time::from_ns(310));
    assert!(!bench.is_free(0, Direction::ToChip));
    bench.run();
    assert_eq!(bench.fabric.port_free_at(ChipId(0), Direction::ToChip), Time::from_ns(155) + PAGE);
}
