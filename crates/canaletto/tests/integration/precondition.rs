use std::sync::Arc;

use crate::common::{design, preset, refusal, synthetic};
use canaletto::config::design::Design;
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::ftl::steady::formulas;
use canaletto::host::request::Kind;
use canaletto::limits::Limits;
use canaletto::measure::report::Report;
use canaletto::workload::replay::{Record, RecordSource};
use canaletto::{RunError, RunOptions, TraceInput, run};

fn drive(kind: &str, geometry: &str, changes: &[&str]) -> Design {
    let text = format!("base = \"performance-optimized\"\n[geometry]\n{geometry}\n[precondition]\nkind = \"{kind}\"\n");
    design(&text, changes)
}

/// As many as write the logical pages `turnovers` times.
fn writes(design: &Design, turnovers: f64, more: &str) -> Workload {
    let page = design.mapping_unit();
    let with = |requests: u64| {
        format!("requests = {requests}\nread_share = 0.2\nsize = \"{page}B\"\nalignment = \"{page}B\"\n{more}")
    };
    let limits = Limits::new(design, &synthetic(&with(1))).unwrap();
    synthetic(&with((limits.logical_pages as f64 * turnovers / 0.8) as u64))
}

/// Without the check of the wires, which takes longer than these runs.
fn simulate(design: &Design, workload: &Workload, seed: u64) -> Report {
    let options = RunOptions { seed, ..RunOptions::default() };
    run(design, workload, vec![None], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}")).report
}

fn figures(design: &Design, workload: &Workload, seeds: u64) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for seed in 1..=seeds {
        let report = simulate(design, workload, seed);
        let latency = &report.measures.latency_us.all;
        let found = [report.flash.write_amplification, latency.mean, latency.p99];
        sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += found.unwrap() / seeds as f64);
    }
    sums
}

/// Within 3 %, the 99th percentile within `tail`, which with large pages varies by 10 % between seeds. Runs after the
/// computed state are short, so that a wrong one shows.
fn agree(geometry: &str, changes: &[&str], more: &str, seeds: u64, tail: f64) {
    // On the cliff the percentile differs more from seed to seed than in time.
    let replays = if geometry == LARGE_PAGES { seeds } else { seeds.div_ceil(3) };
    let [steady, replay] = [("steady", seeds), ("replay", replays)].map(|(kind, runs)| {
        let design = drive(kind, geometry, changes);
        figures(&design, &writes(&design, seeds as f64 / runs as f64, more), runs)
    });
    println!("{changes:?} {more:?}: steady {steady:.3?}, replay {replay:.3?}");
    let limits = [("write amplification", 0.03), ("mean latency", 0.03), ("p99 latency", tail)];
    for ((name, allowed), (a, b)) in limits.iter().zip(steady.iter().zip(replay)) {
        assert!((a - b).abs() <= allowed * b, "{name}: {a} steady, {b} replayed; {changes:?} {more:?}");
    }
}

const QUARTER: &str =
    "channels = 2\nchips_per_channel = 2\nplanes_per_die = 2\nblocks_per_plane = 128\npages_per_block = 64";

const LARGE_PAGES: &str = "channels = 2\nchips_per_channel = 1\nplanes_per_die = 2\nblocks_per_plane = 128\npages_per_block = 256\npage = \"16KiB\"";

const FOUR: &str =
    "channels = 4\nchips_per_channel = 2\nplanes_per_die = 2\nblocks_per_plane = 512\npages_per_block = 128";

fn policy_agrees(policy: &str) {
    agree(QUARTER, &[&format!("gc.policy={policy}"), "ftl.overprovisioning=0.2"], "queue_depth = 16", 6, 0.05);
}

#[test]
fn greedy_steady_is_what_writing_leads_to() {
    policy_agrees("greedy");
}

#[test]
fn d_choices_steady_is_what_writing_leads_to() {
    policy_agrees("d-choices");
}

#[test]
fn random_steady_is_what_writing_leads_to() {
    policy_agrees("random");
}

#[test]
fn fifo_steady_is_what_writing_leads_to() {
    policy_agrees("fifo");
}

#[test]
fn superblocks_steady_is_what_writing_leads_to() {
    for kind in ["die", "drive"] {
        let superblock = format!("ftl.superblock={kind}");
        agree(QUARTER, &[&superblock, "ftl.overprovisioning=0.2"], "queue_depth = 16", 2, 0.1);
    }
}

#[test]
fn large_pages_steady_is_what_writing_leads_to() {
    agree(LARGE_PAGES, &["ftl.overprovisioning=0.25"], "queue_depth = 8", 6, 0.05);
}

const SHARED_PAGES: &str = "channels = 2\nchips_per_channel = 2\nplanes_per_die = 2\nblocks_per_plane = 64\npages_per_block = 32\npage = \"16KiB\"";

#[test]
fn small_units_steady_is_what_writing_leads_to() {
    agree(SHARED_PAGES, &["ftl.mapping_unit=4KiB", "ftl.overprovisioning=0.25"], "queue_depth = 256", 4, 0.1);
}

#[test]
fn hot_and_cold_steady_is_what_writing_leads_to() {
    let hot = "queue_depth = 16\naddresses = \"hot-cold\"\nhot_share = 0.2";
    agree(QUARTER, &["ftl.overprovisioning=0.2"], hot, 3, 0.1);
}

#[test]
fn zipf_steady_is_what_writing_leads_to() {
    let zipf = "queue_depth = 16\naddresses = \"zipf\"\nzipf_exponent = 0.9\npopular_regions = 64";
    agree(QUARTER, &["ftl.overprovisioning=0.2"], zipf, 3, 0.1);
}

/// It takes a twelfth of all writes and two fifths of its plane's, which amplify less.
#[test]
fn the_most_popular_page_lies_on_one_plane() {
    let changes = ["ftl.overprovisioning=0.1", "gc.preemptible=false"];
    for (exponent, allowed) in [(1.0, 0.03), (1.2, 0.05)] {
        let zipf = format!("queue_depth = 16\naddresses = \"zipf\"\nzipf_exponent = {exponent}");
        let [(before, during), (_, replayed)] = ["steady", "replay"].map(|kind| {
            let design = drive(kind, QUARTER, &changes);
            let report = simulate(&design, &writes(&design, 3.0, &zipf), 1);
            (report.precondition.unwrap().write_amplification.unwrap(), report.flash.write_amplification.unwrap())
        });
        println!("zipf {exponent}: {before} before, {during} during, {replayed} replayed");
        assert!(
            (before / replayed - 1.0).abs() < allowed,
            "{exponent}: {before} before the run, {replayed} after replay"
        );
        assert!(
            (during / replayed - 1.0).abs() < allowed,
            "{exponent}: {during} after steady, {replayed} after replay"
        );
    }
}

/// Some minutes: `cargo test --release --test integration -- --ignored --nocapture four_gigabytes`.
#[test]
#[ignore = "writes four gigabytes eighty times"]
fn four_gigabytes_steady_is_what_writing_leads_to() {
    for policy in ["greedy", "d-choices"] {
        agree(FOUR, &[&format!("gc.policy={policy}"), "ftl.overprovisioning=0.12"], "queue_depth = 64", 4, 0.1);
    }
}

#[test]
fn occupancy_counts_like_space() {
    let changes = ["precondition.occupancy=0.8", "ftl.overprovisioning=0.1", "ftl.unwritten_reads=zeroes"];
    for kind in ["steady", "replay"] {
        let design = drive(kind, QUARTER, &changes);
        let state = simulate(&design, &writes(&design, 0.01, "queue_depth = 8"), 1).precondition.unwrap();
        let logical = 8 * (128 * 64 * 9 / 10);
        assert!(state.valid_pages.abs_diff(logical * 8 / 10) <= 8, "{state:?}");
        assert_eq!(state.blocks.free + state.blocks.open + state.blocks.full + state.blocks.bad, state.blocks.total);
        assert_eq!((state.blocks.total, state.pages), (1024, 65536));
        assert_eq!((state.free_blocks.min, state.free_blocks.max), (3, 3));
        let expected = formulas::greedy((0.72 * 128.0 - 1.0) / (128.0 - 3.0 - 2.0), 64);
        let found = state.write_amplification.unwrap();
        assert!((found / expected - 1.0).abs() < 0.03, "{kind}: {found} for {expected}");
    }
}

/// Spread over all addresses, write amplification would climb by a third.
#[test]
fn an_occupied_working_set_is_all_there_is() {
    for kind in ["steady", "replay"] {
        let changes = ["precondition.occupancy=0.9", "ftl.overprovisioning=0.1", "gc.preemptible=false"];
        let design = drive(kind, QUARTER, &changes);
        let report = simulate(&design, &writes(&design, 2.0, "queue_depth = 16\nworking_set = 0.9"), 1);
        let before = report.precondition.unwrap().write_amplification.unwrap();
        let measured = report.flash.write_amplification.unwrap();
        println!("{kind}: {measured} after {before}");
        assert!((measured / before - 1.0).abs() < 0.03, "{kind}: {measured} after {before}");
    }
}

/// Returns the write amplification (measured, and of the initial state) and the share of valid pages in full blocks.
fn collected(policy: &str, overprovisioning: f64) -> (f64, f64, f64) {
    let geometry =
        "channels = 1\nchips_per_channel = 1\nplanes_per_die = 2\nblocks_per_plane = 512\npages_per_block = 64";
    let space = format!("ftl.overprovisioning={overprovisioning}");
    let mut changes = vec![space.as_str(), "gc.preemptible=false"];
    changes.extend(policy.split(' '));
    let design = drive("steady", geometry, &changes);
    let report = simulate(&design, &writes(&design, 10.0 * overprovisioning, "queue_depth = 4"), 1);
    let promised = report.precondition.unwrap().write_amplification.unwrap();
    let load = (512.0 * (1.0 - overprovisioning) - 1.0) / (512.0 - 10.5 - 2.0);
    (report.flash.write_amplification.unwrap(), promised, load)
}

fn within_2_percent(what: &str, measured: f64, expected: f64) {
    println!("{what}: {measured} for {expected}");
    assert!((measured / expected - 1.0).abs() < 0.02, "{what}: {measured} for {expected}");
}

/// Greedy (Desnoyers 2012), and first in first out.
#[test]
fn write_amplification_follows_the_formulas() {
    for overprovisioning in [0.1, 0.2, 0.35] {
        let (measured, _, load) = collected("gc.policy=greedy", overprovisioning);
        within_2_percent(&format!("greedy {overprovisioning}"), measured, formulas::greedy(load, 64));
        let (measured, _, load) = collected("gc.policy=fifo", overprovisioning);
        within_2_percent(&format!("fifo {overprovisioning}"), measured, formulas::fifo(load));
    }
}

/// The fixed point of the mean field (Van Houdt, SIGMETRICS 2013); at its ends, random and greedy.
#[test]
fn write_amplification_of_d_choices_follows_the_mean_field() {
    for overprovisioning in [0.1, 0.2, 0.35] {
        for choices in [2, 8] {
            let policy = format!("gc.policy=d-choices gc.choices={choices}");
            let (measured, promised, load) = collected(&policy, overprovisioning);
            within_2_percent(&format!("{policy} {overprovisioning}"), measured, promised);
            assert!(measured < formulas::random(load) && measured > formulas::greedy(load, 64), "{measured} at {load}");
        }
    }
}

struct Skewed {
    left: u64,
    state: u64,
}

impl RecordSource for Skewed {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        batch.clear();
        for _ in 0..self.left.min(1000) {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (draw, place) = ((self.state >> 60) % 10, (self.state >> 33) % 6500);
            let page = if draw == 0 { place } else { place / 10 };
            batch.push(Record {
                arrival_ns: 0,
                device: 0,
                offset_bytes: page * 4096,
                bytes: 4096,
                kind: Kind::Write,
                ..Record::PLAIN
            });
        }
        self.left -= batch.len() as u64;
        Ok(())
    }
}

fn skewed() -> Box<dyn RecordSource> {
    Box::new(Skewed { left: 200_000, state: 1 })
}

#[test]
fn skew_of_a_trace_is_honoured() {
    let text = "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"x\"\nqueue_depth = 16\n";
    let workload = canaletto::config::load_workload("w.toml", Some(text), &[]).unwrap();
    let [steady, replay] = ["steady", "replay"].map(|kind| {
        let small =
            "channels = 1\nchips_per_channel = 1\nplanes_per_die = 2\nblocks_per_plane = 64\npages_per_block = 64";
        let design = drive(kind, small, &["ftl.overprovisioning=0.2"]);
        let input = TraceInput { source: skewed(), again: Some(Arc::new(|| Ok(skewed()))) };
        let outcome = run(&design, &workload, vec![Some(input)], &RunOptions::default(), &mut |_| true).unwrap();
        (outcome.report.flash.write_amplification.unwrap(), outcome.report.measures.latency_us.all.mean.unwrap())
    });
    println!("steady {steady:?}, replay {replay:?}");
    assert!((steady.0 / replay.0 - 1.0).abs() < 0.03, "{steady:?} {replay:?}");
    assert!((steady.1 / replay.1 - 1.0).abs() < 0.03, "{steady:?} {replay:?}");
}

#[test]
fn planes_that_no_flow_addresses_do_not_count() {
    let found = |channels: &str, more: &[&str]| {
        let text = format!(
            "name = \"w\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{channels}[flow.synthetic]\nrequests = 500\n\
             read_share = 0.2\nsize = \"4KiB\"\nqueue_depth = 4\n"
        );
        let workload = load_workload("w.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}"));
        let report = simulate(&drive("steady", QUARTER, more), &workload, 1);
        (report.precondition.unwrap(), report.measures.requests.completed)
    };
    let (one, completed) = found("channels = [1]\n", &["precondition.occupancy=0.8"]);
    let (both, _) = found("", &["precondition.occupancy=0.8"]);
    assert_eq!(completed, 500);
    assert_eq!(one.write_amplification, both.write_amplification, "each plane in use is as full");
    assert!(one.valid_pages * 2 <= both.valid_pages + 8, "{} of {}", one.valid_pages, both.valid_pages);
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |changes: &[&str]| refusal(None, changes);
    let fresh = refused(&["precondition.occupancy=0.5"]);
    assert!(fresh.contains("precondition.occupancy") && fresh.contains("expected precondition.kind"), "{fresh}");
    let no_spare = ["ftl.overprovisioning=0.0", "ftl.min_spare_blocks=0", "gc.threshold=0.0", "gc.hard_threshold=0.0"];
    let full = drive("steady", QUARTER, &no_spare);
    let workload = synthetic("requests = 10\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 1");
    let error = run(&full, &workload, vec![None], &RunOptions::default(), &mut |_| true).err().unwrap().to_string();
    assert!(error.contains("need 131 of a plane's 128 blocks; expected a lower precondition.occupancy"), "{error}");
}

const LITTLE: [&str; 7] = [
    "geometry.channels=2",
    "geometry.chips_per_channel=2",
    "geometry.dies_per_chip=1",
    "geometry.planes_per_die=2",
    "geometry.blocks_per_plane=32",
    "geometry.pages_per_block=8",
    "ftl.overprovisioning=0.15",
];

fn on_little(changes: &[&str], seed: u64) -> Result<Report, RunError> {
    let design = preset("performance-optimized", &[&LITTLE[..], changes].concat());
    let workload = synthetic("requests = 700\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 20");
    let options = RunOptions { seed, ..RunOptions::default() };
    run(&design, &workload, vec![None], &options, &mut |_| true).map(|outcome| outcome.report)
}

#[test]
fn a_drive_that_wears_out_before_the_run_is_refused() {
    for superblock in ["ftl.superblock=none", "ftl.superblock=drive"] {
        let found = on_little(&["precondition.kind=replay", "wear.endurance=5", superblock], 1);
        let told = found.expect_err(superblock).to_string();
        assert!(told.contains("wore it out"), "{superblock}: {told}");
    }
}

#[test]
fn no_cache_takes_part_in_the_preparation() {
    let amplification = |cache| {
        let report = on_little(&["precondition.kind=replay", cache], 1).unwrap();
        report.precondition.unwrap().write_amplification.unwrap()
    };
    assert_eq!(amplification("cache.capacity=0B"), amplification("cache.capacity=1MiB"));
}

#[test]
fn a_full_drive_with_parity_has_room_with_any_seed() {
    for seed in 1..=20 {
        let changes =
            ["precondition.kind=steady", "ftl.superblock=drive", "ftl.parity=die", "ftl.overprovisioning=0.07"];
        on_little(&[&changes[..], &["geometry.blocks_per_plane=16"]].concat(), seed)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
