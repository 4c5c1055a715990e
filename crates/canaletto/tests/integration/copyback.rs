use crate::common::{SMALL, design, simulate, synthetic};
use canaletto::engine::time::Time;
use canaletto::measure::report::Report;
use canaletto::measure::timeline::Windows;
use canaletto::{RunOptions, Simulation};

const WRITES: &str = "requests = 4000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1";
const ONE_PLANE: [&str; 3] = ["geometry.channels=1", "geometry.chips_per_channel=1", "geometry.planes_per_die=1"];

fn report(overrides: &[&str]) -> Report {
    simulate(&design(SMALL, overrides), &synthetic(WRITES)).report
}

fn spans(overrides: &[&str], kind: &str) -> Vec<(u64, u64)> {
    let design = design(SMALL, &[&ONE_PLANE[..], overrides].concat());
    let windows = Windows { windows: vec![(Time::ZERO, Time::from_us(100_000))], limit: 1_000_000 };
    let (workload, options) = (synthetic(WRITES), RunOptions::default());
    let run = Simulation::new(&design, &workload, vec![None], &options).timeline(windows, &mut |_| true);
    let (header, all) = run.unwrap_or_else(|e| panic!("{e}"));
    let kind = header.kinds.iter().position(|k| *k == kind).expect("a kind of span") as u8;
    let spans = &all.spans;
    let of_copies = (0..spans.kind.len()).filter(|&i| spans.kind[i] == kind && spans.request[i] == u32::MAX);
    let mut found: Vec<(u64, u64)> = of_copies.map(|i| (spans.start[i], spans.end[i])).collect();
    found.sort_unstable();
    found
}

/// tCS + 6 tWC + tWPST + tWPSTH on the wires, tADL + tWB in the chip, no data.
#[test]
fn a_copy_is_two_array_operations_and_a_command_between_them() {
    let copyback = ["gc.copyback=true"];
    let (reads, programs) = (spans(&copyback, "array_read"), spans(&copyback, "array_program"));
    assert!(reads.len() > 50);
    let command = 1_000 * (20 + 150 + 6 + 15 + 70 + 100);
    let mut copied = 0;
    for (start, end) in &programs {
        assert_eq!(end - start, 100_000_000);
        assert!(reads.iter().any(|read| read.1 + command == *start), "a program at {start} without its read");
        copied += 1;
    }
    assert!(copied > 50);
    assert!(spans(&copyback, "data").is_empty(), "data of copies crossed");
    assert!(!spans(&[], "data").is_empty());
}

#[test]
fn copies_stay_off_the_wires() {
    let (plain, inside) = (report(&[]), report(&["gc.copyback=true"]));
    assert!(plain.flash.gc.pages_copied > 200 && plain.flash.copybacks == 0);
    assert!(inside.flash.copybacks > 200);
    assert!(inside.flash.copybacks >= inside.flash.gc.pages_copied);
    let bus = |report: &Report| {
        let used = report.utilisation.iter().filter(|u| u.part.starts_with("channel"));
        used.map(|u| u.share).sum::<f64>() * report.measures.execution_time_us.unwrap()
    };
    assert!(bus(&inside) < 0.8 * bus(&plain), "{} of {} us", bus(&inside), bus(&plain));
}

#[test]
fn copies_are_checked_now_and_then() {
    let share = |every: &str| {
        let report = report(&["gc.copyback=true", &format!("gc.copyback_check_every={every}")]);
        report.flash.copybacks as f64 / report.flash.gc.pages_copied as f64
    };
    assert_eq!(share("1"), 0.0);
    let (second, third, never) = (share("2"), share("3"), share("0"));
    assert!(second >= 0.5 && second < third && third < never, "{second}, {third}, {never}");
    assert!(never > 0.99);
}
