use canaletto::Outcome;
use canaletto::config::design::Design;
use canaletto::drive::{Drive, DriveOptions, Wanted};
use canaletto::engine::time::Time;
use canaletto::host::request::Kind;

use crate::common::{design, refusal, simulate, synthetic};

/// 48 blocks of 48 pages, or of 16 as pseudo-SLC.
const TLC: &str = r#"
base = "performance-optimized"
name = "tlc"
[geometry]
channels = 4
chips_per_channel = 1
planes_per_die = 1
blocks_per_plane = 48
pages_per_block = 48
[flash]
cell = "tlc"
read = "60us"
program = "500us"
erase = "3ms"
[flash.pslc]
read = "20us"
program = "100us"
erase = "2ms"
idle_time = "0us"
[ftl]
overprovisioning = 0.3
unwritten_reads = "zeroes"
"#;

const PLANES: u64 = 4;
const PAGES: u64 = 16;
const DATA_US: f64 = 4.096 / 1.2;
/// tCS + 6 tWC + tWPST + tWPSTH on the wires, tADL + tWB in the chip.
const PROGRAM_COMMAND_US: f64 = 0.191 + 0.170;
/// tCS + 6 tWC on the wires, tWB + tRR in the chip.
const READ_COMMAND_US: f64 = 0.170 + 0.120;

fn tlc(overrides: &[&str]) -> Design {
    design(TLC, overrides)
}

fn written(design: &Design, pages: u64) -> Outcome {
    let keys =
        format!("requests = {pages}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 64\naddresses = \"sequential\"");
    simulate(design, &synthetic(&keys))
}

#[test]
fn writes_are_fast_until_the_cache_is_full() {
    let blocks = 4;
    let capacity = blocks * PAGES * PLANES;
    // To the byte, or a byte more than three.
    for size in [capacity * 4096, (capacity - PAGES * PLANES) * 4096 + 1] {
        let design = tlc(&[&format!("flash.pslc.static_size={size}B")]);
        let each = |program_us: f64| (program_us + DATA_US + PROGRAM_COMMAND_US) / PLANES as f64;
        for (pages, native) in [(capacity, 0), (2 * capacity, capacity)] {
            let outcome = written(&design, pages);
            let cache = outcome.report.flash.pslc.as_ref().unwrap();
            assert_eq!((cache.static_pages, cache.dynamic_pages), (capacity, 0));
            assert_eq!((cache.host_pages, cache.programs, cache.blocks_used), (capacity, capacity, blocks * PLANES));
            assert_eq!(outcome.report.flash.host_pages, pages);
            let expected = capacity as f64 * each(100.0) + native as f64 * each(500.0);
            let found = outcome.report.measures.execution_time_us.unwrap();
            assert!((found / expected - 1.0).abs() < 0.01, "{pages} pages in {found} us, expected {expected}");
        }
    }
}

#[test]
fn the_cliff_is_where_the_cache_ends() {
    let capacity = 4 * PAGES * PLANES;
    let design = tlc(&[&format!("flash.pslc.static_size={}B", capacity * 4096)]);
    let outcome = written(&design, 2 * capacity);
    let mut ends = outcome.records.unwrap().complete;
    ends.sort_unstable();
    let (half, span) = (capacity as usize, |of: &[u64]| (of[of.len() - 1] - of[0]) as f64);
    let ratio = span(&ends[half..]) / span(&ends[..half]);
    let expected = (500.0 + DATA_US + PROGRAM_COMMAND_US) / (100.0 + DATA_US + PROGRAM_COMMAND_US);
    assert!((ratio / expected - 1.0).abs() < 0.03, "{ratio}, expected {expected}");
    let cache = outcome.report.flash.pslc.unwrap();
    let (before, after) = cache.series.host_pages.split_at(cache.series.host_pages.len() / 3);
    assert!(before.iter().sum::<u64>() > 9 * after.iter().sum::<u64>(), "{:?}", cache.series);
}

fn submit_pages(drive: &mut Drive, at: Time, pages: u64, kind: Kind) {
    for page in 0..pages {
        let wanted = Wanted { kind, ..Wanted::read(page * 8, 8) };
        drive.submit(at, wanted, page).unwrap();
    }
}

/// Read, controller, program; then erase.
#[test]
fn folding_takes_what_its_steps_take() {
    let pages = 4 * PAGES * PLANES;
    let size = format!("flash.pslc.static_size={}B", pages * 4096);
    let design = tlc(&[&size, "flash.pslc.idle_time=5ms"]);
    let mut drive = Drive::new(&design, &DriveOptions::default()).unwrap();
    submit_pages(&mut drive, Time::ZERO, pages, Kind::Write);
    drive.advance_to(Time::from_us(1_000_000)).unwrap();
    let report = drive.report();
    let cache = report.flash.pslc.as_ref().unwrap();
    assert_eq!((cache.host_pages, cache.pages_folded, cache.blocks_folded), (pages, pages, pages / PAGES));
    assert_eq!((cache.reads, cache.erases, cache.blocks_used, cache.valid_pages), (pages, pages / PAGES, 0, 0));
    assert_eq!((report.flash.programs, report.flash.gc.pages_copied), (2 * pages, 0));
    assert_eq!(report.flash.write_amplification, Some(2.0));
    assert_eq!(cache.erases_max, 1);

    let page_us = READ_COMMAND_US + 20.0 + DATA_US + PROGRAM_COMMAND_US + 500.0 + DATA_US;
    let block_us = PAGES as f64 * page_us + 2000.0;
    let last = report.measures.last_completion_us.unwrap();
    // Fresh drives, as a drive cannot be set back.
    let looked_at = last + 5000.0 + 1.5 * block_us;
    let mut drive = Drive::new(&design, &DriveOptions::default()).unwrap();
    submit_pages(&mut drive, Time::ZERO, pages, Kind::Write);
    drive.advance_to(Time::from_us(looked_at as u64)).unwrap();
    let folded = drive.report().flash.pslc.unwrap().pages_folded as f64 / PLANES as f64;
    let expected = PAGES as f64 + (0.5 * block_us) / page_us;
    assert!((folded - expected).abs() <= 1.5, "{folded} pages a plane, expected {expected}");
}

#[test]
fn a_pause_makes_room() {
    let pages = 4 * PAGES * PLANES;
    let size = format!("flash.pslc.static_size={}B", pages * 4096);
    let folded_after = |pause_us: u64, idle: &str| {
        let design = tlc(&[&size, &format!("flash.pslc.idle_time={idle}")]);
        let mut drive = Drive::new(&design, &DriveOptions::default()).unwrap();
        submit_pages(&mut drive, Time::ZERO, pages, Kind::Write);
        let second = Time::from_us(8_000 + pause_us);
        drive.advance_to(second).unwrap();
        submit_pages(&mut drive, second, pages, Kind::Write);
        drive.advance_to(Time::from_us(10_000_000)).unwrap();
        drive.report().flash.pslc.unwrap()
    };
    let (none, long) = (folded_after(100_000, "0us"), folded_after(400_000, "5ms"));
    assert_eq!((none.host_pages, none.pages_folded), (pages, 0), "what does not fit goes to native blocks");
    assert_eq!(long.host_pages, 2 * pages);
    let short = folded_after(5_000 + 20_000, "5ms");
    assert!(short.host_pages > pages && short.host_pages < 2 * pages, "{}", short.host_pages);
}

#[test]
fn reads_find_data_in_the_cache() {
    let pages = PAGES * PLANES;
    let latency = |size: &str| {
        let design = tlc(&[size]);
        let mut drive = Drive::new(&design, &DriveOptions::default()).unwrap();
        submit_pages(&mut drive, Time::ZERO, pages, Kind::Write);
        drive.advance_to(Time::from_us(100_000)).unwrap();
        for page in 0..pages {
            drive.submit(Time::from_us(200_000 + 1000 * page), Wanted::read(page * 8, 8), page).unwrap();
        }
        drive.advance_to(Time::from_us(1_000_000)).unwrap();
        drive.report().measures.latency_us.read.mean.unwrap()
    };
    let (cached, native) = (latency("flash.pslc.static_size=1MiB"), latency("flash.pslc.static_size=0B"));
    assert!((native - cached - 40.0).abs() < 1e-6, "{native} us in native cells, {cached} us in the cache");
}

#[test]
fn waits_for_folding_are_blamed_on_it() {
    let design = tlc(&[
        "flash.pslc.static_size=1MiB; flash.pslc.high_watermark=0.3; flash.pslc.low_watermark=0.0",
        "ftl.unwritten_reads=assume-page-written",
    ]);
    let keys = "requests = 4000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 8\nworking_set = 0.3";
    let outcome = simulate(&design, &synthetic(keys));
    let (cache, blame) = (outcome.report.flash.pslc.unwrap(), &outcome.report.measures.blame_us.all);
    assert!(cache.pages_folded > 500 && cache.energy_mj > 0.0, "{cache:?}");
    assert!(blame["chip_busy_folding"] > 10.0 && blame.contains_key("chip_busy_erase"), "{blame:?}");
    assert!(!blame.contains_key("chip_busy_gc_read"), "{blame:?}");
    assert!(cache.energy_mj < outcome.report.energy.energy_mj.array);
}

#[test]
fn a_dynamic_cache_shrinks_as_the_drive_fills() {
    let cached = |precondition: &str, occupancy: &str| {
        let design = tlc(&["flash.pslc.dynamic_size=1GiB", "ftl.overprovisioning=0.15", precondition, occupancy]);
        let outcome = written(&design, 2000);
        let cache = outcome.report.flash.pslc.unwrap();
        assert_eq!(outcome.report.flash.host_pages, 2000);
        cache.host_pages
    };
    let (fresh, half, full) = (
        cached("precondition.kind=none", "precondition.occupancy=1.0"),
        cached("precondition.kind=steady", "precondition.occupancy=0.5"),
        cached("precondition.kind=steady", "precondition.occupancy=1.0"),
    );
    assert!(fresh > 1500 && fresh > 2 * half.min(full), "{fresh}, {half}, {full}");
    assert!(full < 100, "{full}");
}

#[test]
fn a_worn_out_cache_is_gone() {
    let design = tlc(&[
        "flash.pslc.static_size=1MiB; flash.pslc.endurance=3; flash.pslc.high_watermark=0.3",
        "flash.pslc.low_watermark=0.0",
    ]);
    let keys = "requests = 8000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16\nworking_set = 0.2";
    let outcome = simulate(&design, &synthetic(keys));
    let cache = outcome.report.flash.pslc.unwrap();
    let most = 3 * cache.static_pages;
    assert_eq!((cache.host_pages, cache.erases_max, cache.blocks_used), (most, 3, 0), "{most}");
    assert_eq!(outcome.report.flash.wear.bad_blocks, cache.static_pages / PAGES);
    assert_eq!(outcome.report.measures.requests.failed, 0);
}

#[test]
fn keys_that_do_not_go_together() {
    let refused = |overrides: &[&str]| refusal(Some(TLC), overrides);
    let on = "flash.pslc.static_size=1MiB";
    for (overrides, key, words) in [
        (&["flash.pslc.low_watermark=0.5", "flash.pslc.high_watermark=0.4"][..], "flash.pslc.low_watermark", "at most"),
        (&["flash.pslc.program=0us"], "flash.pslc.program", "above 0"),
        (&["flash.pslc.read=0us"], "flash.pslc.read", "above 0"),
        (&["flash.pslc.static_size=1GiB"], "flash.pslc.static_size", "of the 48 blocks of every plane"),
        (&["flash.pslc.static_size=3"], "flash.pslc.static_size", "got 3"),
        (&["flash.pslc.dynamic_size=-1MiB"], "flash.pslc.dynamic_size", "-1MiB"),
        (&[on, "flash.cell=slc"], "flash.cell", "one bit anyway"),
        (&[on, "geometry.pages_per_block=2"], "geometry.pages_per_block", "at least 3"),
        (&[on, "ftl.superblock=die"], "ftl.superblock", "expected \"none\""),
        (&[on, "gc.scope=parallel", "ftl.write_placement=dynamic"], "gc.scope", "expected \"plane\""),
        (&[on, "ftl.mapping=bast"], "ftl.mapping", "expected \"page\""),
    ] {
        let message = refused(overrides);
        assert!(message.contains(key) && message.contains(words), "{overrides:?}: {message}");
    }
}
