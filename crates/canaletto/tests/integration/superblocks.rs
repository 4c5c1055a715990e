use std::collections::BTreeMap;

use crate::common::seen::Seen;
use crate::common::{SMALL, design, refusal, simulate, synthetic};
use crate::swarm::shadow::Shadow;
use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::limits::Limits;
use canaletto::measure::report::Report;
use canaletto::{Outcome, RunOptions, Simulation};

const WRITES: &str = "requests = 6000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16";
const KINDS: [(&str, u32); 4] = [("die", 2), ("chip", 2), ("channel", 4), ("drive", 8)];

fn watch(design: &Design, workload: &Workload) -> (Outcome, Seen) {
    let mut shadow = Shadow::default();
    let options = RunOptions::default();
    let outcome = Simulation::new(design, workload, vec![None], &options).observed_by(&mut shadow).run(&mut |_| true);
    (outcome.unwrap_or_else(|e| panic!("{e}")), shadow.seen)
}

fn with(kind: &str, more: &[&str]) -> Design {
    design(SMALL, &[&[&*format!("ftl.superblock={kind}")], more].concat())
}

/// In blocks of one number, whatever `ftl.allocation` is.
#[test]
fn stripes_are_filled_page_by_page() {
    let one = synthetic("requests = 150\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1");
    for allocation in ["CWDP", "PDWC"] {
        let allocation = format!("ftl.allocation={allocation}");
        let (_, seen) = watch(&with("drive", &[&allocation]), &one);
        let pages = (0..150).map(|n| Ppa { plane: PlaneId(n % 8), block: n / 64, page: n / 8 % 8 });
        assert_eq!(seen.programmed, pages.collect::<Vec<_>>());
    }
    let (_, seen) = watch(&with("die", &[]), &one);
    let mut taken: BTreeMap<u32, Vec<Ppa>> = BTreeMap::new();
    seen.programmed.iter().for_each(|at| taken.entry(at.plane.0 / 2).or_default().push(*at));
    for (die, pages) in taken {
        let stripe = (0..).map(|n| Ppa { plane: PlaneId(die * 2 + n % 2), block: n / 16, page: n / 2 % 8 });
        assert!(pages.iter().copied().eq(stripe.take(pages.len())), "die {die}: {pages:?}");
    }
}

#[test]
fn blocks_of_a_superblock_are_erased_together() {
    for (kind, planes) in KINDS {
        let (outcome, seen) = watch(&with(kind, &[]), &synthetic(WRITES));
        let mut by_superblock: BTreeMap<(u32, u32), Vec<(u32, Time)>> = BTreeMap::new();
        for (now, plane, block) in &seen.erases {
            by_superblock.entry((plane.0 / planes, *block)).or_default().push((plane.0, *now));
        }
        let (mut whole, mut broken) = (0, 0);
        for erases in by_superblock.values() {
            for round in erases.chunks(planes as usize) {
                let mut found: Vec<u32> = round.iter().map(|erase| erase.0).collect();
                found.sort_unstable();
                found.dedup();
                assert_eq!(found.len(), round.len(), "{kind}: a block was erased twice before the others once");
                whole += u64::from(round.len() == planes as usize);
                broken += u64::from(round.len() < planes as usize);
            }
        }
        let groups = u64::from(8 / planes);
        assert!(whole > 20 && broken <= groups, "{kind}: {whole} superblocks erased, {broken} in part");
        let gc = &outcome.report.flash.gc;
        assert!(gc.collections >= whole && gc.collections <= whole + groups, "{kind}: {} collections", gc.collections);
        let wear = &outcome.report.flash.wear;
        assert_eq!(outcome.report.flash.erases, seen.erases.len() as u64);
        assert!(wear.erases_max > 0);
    }
}

/// As many as fill the drive four times.
fn amplification(kind: &str) -> f64 {
    let geometry =
        "channels = 2\nchips_per_channel = 2\nplanes_per_die = 2\nblocks_per_plane = 64\npages_per_block = 16";
    let text = format!("base = \"performance-optimized\"\n[geometry]\n{geometry}\n[ftl]\noverprovisioning = 0.2\n");
    let design = design(&text, &[&format!("ftl.superblock={kind}"), "gc.threshold=0.05"]);
    let pages = Limits::new(&design, &synthetic(WRITES)).unwrap().logical_pages;
    let requests = |n| format!("requests = {n}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16");
    let outcome = simulate(&design, &synthetic(&requests(6 * pages)));
    assert_eq!(outcome.report.measures.requests.failed, 0);
    outcome.report.flash.write_amplification.unwrap()
}

/// Valid pages of a larger unit stray less from the mean.
#[test]
fn larger_superblocks_amplify_more() {
    let [none, die, channel, drive] = ["none", "die", "channel", "drive"].map(amplification);
    assert!(die > 1.02 * none && channel > die && drive > die, "{none} {die} {channel} {drive}");
}

fn report(kind: &str, more: &[&str], workload: &str) -> Report {
    simulate(&with(kind, more), &synthetic(workload)).report
}

#[test]
fn superblocks_go_on_without_their_bad_blocks() {
    let large = ["geometry.blocks_per_plane=64", "ftl.overprovisioning=0.5", "flash.failures.factory_bad=0.1"];
    for (kind, _) in KINDS {
        let report = report(kind, &large, "requests = 20000\nread_share = 0.2\nsize = \"4KiB\"\nqueue_depth = 16");
        assert!((8 * 6..=8 * 7).contains(&report.flash.bad_blocks), "{kind}: {}", report.flash.bad_blocks);
        assert_eq!(report.measures.requests.failed, 0);
        assert!(report.flash.gc.collections > 10);
    }
}

#[test]
fn failures_shrink_superblocks() {
    for (kind, _) in KINDS {
        let few = ["flash.failures.program=0.0005", "flash.failures.erase=0.015"];
        let few = [&few[..], &["geometry.blocks_per_plane=32", "ftl.overprovisioning=0.5"]].concat();
        let some = report(kind, &few, "requests = 12000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16");
        let flash = &some.flash;
        assert!(flash.program_failures > 0 && flash.erase_failures > 0, "{kind}");
        assert!(flash.bad_blocks > 0 && flash.bad_blocks <= flash.program_failures + flash.erase_failures);
        assert_eq!(some.measures.requests.failed, 0, "{kind}");
        let none = report(kind, &["flash.failures.program=1.0", "ftl.overprovisioning=0.5"], WRITES);
        assert_eq!(none.measures.requests.failed, 6000, "{kind}");
        let stale = report(kind, &["flash.failures.erase=1.0", "ftl.overprovisioning=0.5"], WRITES);
        assert_eq!(stale.flash.erase_failures, stale.flash.erases, "{kind}");
    }
}

#[test]
fn superblocks_wear_out() {
    for (kind, _) in KINDS {
        let report = report(kind, &["wear.endurance=3", "ftl.overprovisioning=0.5"], WRITES);
        assert!(report.measures.requests.failed > 0 && report.flash.wear.erases_max <= 3, "{kind}");
    }
}

#[test]
fn superblocks_are_refreshed() {
    let report = report(
        "drive",
        &["refresh.read_limit=20"],
        "requests = 20000\nread_share = 0.9\nsize = \"4KiB\"\nqueue_depth = 8",
    );
    assert!(report.flash.gc.reasons.get("read_disturb").is_some_and(|&n| n > 3), "{:?}", report.flash.gc);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |settings: &[&str]| refusal(Some(SMALL), &[&["ftl.superblock=chip"], settings].concat());
    assert!(refused(&["ftl.write_placement=dynamic"]).contains("expected \"static\""));
    assert!(refused(&["ftl.write_placement=operands"]).contains("got \"operands\""));
    assert!(refused(&["gc.copyback=true"]).contains("expected false"));
    assert!(refused(&["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"]).contains("expected ftl.mapping = \"page\""));
    assert!(refused(&["mapping.cache_capacity=1KiB"]).contains("expected \"0B\""));
    let parts = "name = \"w\"\npartitioned = true\n[[flow]]\nname = \"a\"\nplanes = [0]\n[flow.synthetic]\nrequests = 3\n\
                 read_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8\n";
    let parts = canaletto::config::load_workload("w.toml", Some(parts), &[]).unwrap();
    let message = Limits::new(&with("chip", &[]), &parts).unwrap_err();
    assert!(message.contains("some planes of a chip"), "{message}");
    assert!(Limits::new(&with("none", &[]), &parts).is_ok());
}
