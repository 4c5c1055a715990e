use crate::common::{preset, synthetic};
use canaletto::drive::{Drive, DriveOptions, Wanted};
use canaletto::engine::time::Time;
use canaletto::fabric::PathId;
use canaletto::measure::probe::{Carries, Load, Observer};
use canaletto::{Outcome, RunOptions, Simulation};

const MEMORY: [&str; 4] = ["host.protocol=memory", "link.kind=ucie", "link.lanes=64", "link.lane_rate=1GB/s"];
const READS: &str =
    "requests = 400\nread_share = 1.0\nalignment = \"64B\"\nworking_set_size = \"64KiB\"\nqueue_depth = 4";

#[derive(Default)]
struct Crossed(u64);

impl Observer for Crossed {
    fn watches_wires(&self) -> bool {
        true
    }

    fn transfer_begins(&mut self, _: PathId, load: &Load, _: Time) {
        if load.carries == Carries::Data {
            self.0 += load.bytes;
        }
    }
}

fn run(keys: &[&str], size: &str) -> (Outcome, u64) {
    let design = preset("performance-optimized", &[&MEMORY[..], keys].concat());
    let workload = synthetic(&format!("{READS}\nsize = \"{size}B\"\nsize_unit = \"64B\""));
    let options = RunOptions { records: true, ..RunOptions::default() };
    let mut crossed = Crossed::default();
    let simulation = Simulation::new(&design, &workload, vec![None], &options);
    (simulation.observed_by(&mut crossed).run(&mut |_| true).unwrap(), crossed.0)
}

fn bytes_of(outcome: &Outcome) -> Vec<u64> {
    let rows = outcome.records.as_ref().unwrap();
    let left_out = |i: usize| u64::from(rows.edges.before[i]) + u64::from(rows.edges.behind[i]);
    (0..rows.len()).map(|i| u64::from(rows.sectors[i]) * 512 - left_out(i)).collect()
}

#[test]
fn what_was_asked_for_crosses() {
    for size in ["64", "320", "576", "4096", "12288"] {
        for fabric in ["bus", "omnibus-split", "venice", "ring", "daisy-chain"] {
            let kind = format!("fabric.kind={fabric}");
            let (outcome, crossed) = run(&[&kind], size);
            let asked = 400 * size.parse::<u64>().unwrap();
            assert_eq!((outcome.report.measures.requests.bytes, crossed), (asked, asked), "{size} B, {fabric}");
            assert!(bytes_of(&outcome).iter().all(|bytes| 400 * bytes == asked));
        }
    }
}

/// The data cache and an outer code read whole sectors and codewords of flash, and give what was asked for.
#[test]
fn what_the_drive_reads_besides_is_not_the_hosts() {
    let outer = ["controller.ecc.codeword=512B", "controller.ecc.outer.codeword=4KiB", "ftl.mapping_unit=512B"];
    let fails = [&outer[..], &["controller.ecc.outer.inner_failure=0.5"]].concat();
    for (keys, least) in [(&["cache.capacity=1MiB"][..], 0), (&fails, 2 * 400 * 320)] {
        let (outcome, crossed) = run(keys, "320");
        assert_eq!(outcome.report.measures.requests.bytes, 400 * 320);
        assert!(crossed >= least, "{crossed} B");
        assert!(bytes_of(&outcome).iter().all(|&bytes| bytes == 320));
    }
}

/// A snapshot has them too. Whole sectors are read of a drive with NVMe.
#[test]
fn a_stepped_drive_reads_bytes() {
    for (keys, left_out) in [(&MEMORY[..], (100, 348)), (&[], (0, 0))] {
        let mut drive = Drive::new(&preset("performance-optimized", keys), &DriveOptions::default()).unwrap();
        drive.submit(Time::ZERO, Wanted::read_bytes(100, 64), 0).unwrap();
        let mut again = Drive::restore(&drive.snapshot().unwrap()).unwrap();
        for drive in [&mut drive, &mut again] {
            drive.advance_to_completion(Time::LATEST).unwrap();
            let rows = drive.take_completions().rows;
            let edges = rows.edges.before.first().copied().zip(rows.edges.behind.first().copied());
            assert_eq!((rows.sectors[0], edges.unwrap_or_default()), (1, left_out));
        }
        let mut nothing = Wanted::read(0, 1);
        nothing.edges.before = 512;
        assert!(drive.submit(Time::LATEST, nothing, 0).is_err());
    }
}
