use crate::common;
use canaletto::Outcome;
use canaletto::config::design::Design;

const WIDE: &[&str] = &["geometry.page=16KiB", "geometry.blocks_per_plane=64", "geometry.pages_per_block=16"];

fn drive(unit: &str, overrides: &[&str]) -> Design {
    let unit = format!("ftl.mapping_unit={unit}");
    common::design(common::SMALL, &[WIDE, &[unit.as_str()], overrides].concat())
}

fn run(unit: &str, overrides: &[&str], keys: &str) -> Outcome {
    common::simulate(&drive(unit, overrides), &common::synthetic(keys))
}

fn latencies(outcome: &Outcome) -> Vec<u64> {
    let records = outcome.records.as_ref().expect("they were asked for");
    (0..records.len()).map(|i| records.complete[i] - records.arrival[i]).collect()
}

const CONTROLLER: [&str; 2] = ["controller.dram=2GB/s", "controller.system_bus=3GB/s"];

/// One array operation and one transfer each, written before or not.
#[test]
fn whole_pages_cost_what_they_cost_with_page_mapping() {
    for (reads, placement) in [(1.0, "static"), (0.0, "static"), (0.5, "static"), (0.0, "dynamic"), (0.5, "dynamic")] {
        let keys =
            format!("requests = 400\nread_share = {reads}\nsize = \"16KiB\"\nalignment = \"16KiB\"\nqueue_depth = 1");
        let placement = format!("ftl.write_placement={placement}");
        let overrides = [&CONTROLLER[..], &[placement.as_str()]].concat();
        let (pages, units) = (run("0B", &overrides, &keys), run("4KiB", &overrides, &keys));
        let (of_pages, of_units) = (&pages.report.flash, &units.report.flash);
        assert_eq!((of_pages.reads, of_pages.programs), (of_units.reads, of_units.programs), "{reads} {placement}");
        assert_eq!((4 * of_pages.host_pages, of_units.padding), (of_units.host_pages, 0));
        if reads == 0.0 {
            assert_eq!(latencies(&pages), latencies(&units), "{placement}");
        }
    }
}

#[test]
fn a_small_read_moves_its_unit_alone() {
    let keys = "requests = 300\nread_share = 1.0\nsize = \"4KiB\"\nalignment = \"4KiB\"\nqueue_depth = 1";
    let (pages, units) = (run("0B", &[], keys), run("4KiB", &[], keys));
    assert_eq!(latencies(&pages), latencies(&units));
    assert_eq!(units.report.flash.reads, 300);
}

#[test]
fn small_writes_share_programs() {
    let keys = "requests = 12000\nread_share = 0.0\nsize = \"4KiB\"\nalignment = \"4KiB\"\nqueue_depth = 512\nworking_set = 0.4";
    let roomy = [
        "gc.threshold=0.0",
        "gc.hard_threshold=0.0",
        "geometry.blocks_per_plane=512",
        "ftl.unwritten_reads=zeroes",
        "flash.multi_plane=any-page",
    ];
    for placement in ["static", "dynamic"] {
        let placement = format!("ftl.write_placement={placement}");
        let overrides = [&roomy[..], &[placement.as_str()]].concat();
        let (pages, units) = (run("0B", &overrides, keys), run("4KiB", &overrides, keys));
        let (of_pages, of_units) = (&pages.report.flash, &units.report.flash);
        assert_eq!((of_pages.programs, of_units.reads), (12000, 0));
        assert_eq!(of_units.host_pages + of_units.padding, 4 * of_units.programs);
        assert!(of_units.programs < 3300, "{} programs for 3000 pages' worth of units", of_units.programs);
        let iops = |outcome: &Outcome| outcome.report.measures.iops.expect("it took time");
        let speed = iops(&units) / iops(&pages);
        // A program waits for four times the data.
        assert!((3.4..4.0).contains(&speed), "{placement}: {speed} times as fast");
    }
}

#[test]
fn what_is_not_filled_is_padding() {
    let keys =
        "requests = 500\nread_share = 0.0\nsize = \"4KiB\"\nalignment = \"4KiB\"\nqueue_depth = 1\nworking_set = 0.1";
    let outcome = run("4KiB", &["gc.threshold=0.0", "gc.hard_threshold=0.0", "ftl.unwritten_reads=zeroes"], keys);
    let flash = &outcome.report.flash;
    assert_eq!((flash.programs, flash.host_pages, flash.padding), (500, 500, 1500));
    assert_eq!(flash.write_amplification, Some(4.0));
}

#[test]
fn collection_fills_its_pages() {
    let keys = "requests = 60000\nread_share = 0.0\nsize = \"4KiB\"\nalignment = \"4KiB\"\nqueue_depth = 256";
    for copyback in ["false", "true"] {
        let copyback = format!("gc.copyback={copyback}");
        let outcome = run("4KiB", &[&copyback], keys);
        let flash = &outcome.report.flash;
        let copied = flash.gc.pages_copied;
        assert!(copied > 20000, "{copied} copied");
        let most = flash.host_pages + copied + 3 * flash.gc.collections;
        assert!(4 * flash.programs < most + flash.host_pages / 20, "{} programs, {most} units", flash.programs);
        assert!(flash.reads < copied, "{} reads for {copied} copies", flash.reads);
    }
}

fn coarse(unit: &str, overrides: &[&str], keys: &str) -> Outcome {
    let unit = format!("ftl.mapping_unit={unit}");
    let roomy = ["gc.threshold=0.0", "gc.hard_threshold=0.0", "geometry.blocks_per_plane=256", unit.as_str()];
    common::simulate(&common::design(common::SMALL, &[&roomy[..], overrides].concat()), &common::synthetic(keys))
}

#[test]
fn a_part_of_a_large_unit_rewrites_it() {
    let keys = "requests = 300\nread_share = 0.0\nsize = \"4KiB\"\nalignment = \"4KiB\"\nqueue_depth = 4";
    let flash = coarse("16KiB", &[], keys).report.flash;
    assert_eq!((flash.host_pages, flash.programs, flash.reads), (300, 1200, 900));
    assert_eq!(flash.write_amplification, Some(4.0));
    let whole = keys.replace("4KiB", "16KiB");
    let flash = coarse("16KiB", &[], &whole).report.flash;
    assert_eq!((flash.host_pages, flash.programs, flash.reads), (1200, 1200, 0));
}

/// 1 + 2 + 3 + 4 programs.
#[test]
fn what_was_never_written_of_a_unit_stays_so() {
    let keys = "requests = 400\nread_share = 0.0\nsize = \"4KiB\"\naddresses = \"sequential\"\nqueue_depth = 1";
    let flash = coarse("16KiB", &["ftl.unwritten_reads=zeroes"], keys).report.flash;
    assert!((994..=1000).contains(&flash.programs), "{} programs", flash.programs);
    assert_eq!(flash.reads, flash.programs - 400);
}

#[test]
fn destages_rewrite_whole_units() {
    let keys = "requests = 400\nread_share = 0.0\nsize = \"4KiB\"\naddresses = \"sequential\"\nqueue_depth = 1";
    let cached = ["cache.capacity=256KiB", "cache.high_watermark=0.5", "cache.low_watermark=0.5"];
    let flash = coarse("16KiB", &cached, keys).report.flash;
    assert!(flash.host_pages > 330, "{} destaged", flash.host_pages);
    assert!(flash.programs < flash.host_pages + 8 && flash.reads < 8, "{flash:?}");
}

#[test]
fn a_part_of_a_large_unit_is_not_trimmed() {
    let keys = "requests = 500\nread_share = 0.0\ntrim_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1";
    let valid = |unit| {
        let outcome = coarse(unit, &["precondition.kind=steady"], keys);
        let before = outcome.report.precondition.expect("it was preconditioned").valid_pages;
        before - outcome.report.flash.blocks.valid_pages
    };
    assert_eq!(valid("16KiB"), 0);
    assert!(valid("4KiB") > 450);
}

#[test]
fn entries_count_units() {
    let keys = "requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 4";
    let misses = |unit: &str| {
        let unit = format!("ftl.mapping_unit={unit}");
        let design = common::design(common::SMALL, &[&unit, "mapping.cache_capacity=1440B"]);
        common::simulate(&design, &common::synthetic(keys)).report.mapping.expect("it is cached").counts.misses
    };
    assert!(misses("4KiB") > 2500);
    assert!(misses("16KiB") < 250);
    assert!(misses("1KiB") > misses("4KiB"));
}

/// It begins at a multiple of its size.
#[test]
fn a_request_of_a_page_reads_one_page() {
    for (size, reads) in [("4KiB", 2000), ("16KiB", 2000), ("32KiB", 4000)] {
        let flow = format!("requests = 2000\nread_share = 1.0\nsize = \"{size}\"\nqueue_depth = 8");
        assert_eq!(run("16KiB", &[], &flow).report.flash.reads, reads, "{size}");
    }
}
