use crate::common::{preset, simulate, synthetic};
use canaletto::Outcome;
use canaletto::measure::report::MappingReport;

const PER_PAGE: u64 = 1024;

fn mapping(outcome: &Outcome) -> &MappingReport {
    outcome.report.mapping.as_ref().expect("the table is cached")
}

fn one_by_one(overrides: &[&str], keys: &str) -> Outcome {
    simulate(
        &preset("performance-optimized", overrides),
        &synthetic(&format!("{keys}\nsize = \"4KiB\"\nqueue_depth = 1")),
    )
}

const READS: &str = "requests = 300\nread_share = 1.0";

/// Command, tR and as much of the translation page as crosses at 1.2 GB/s.
#[test]
fn a_miss_adds_a_read_of_the_translation_page() {
    let ideal = one_by_one(&[], READS).report.measures;
    for (unit, bytes) in [("page", 4096.0), ("sector", 512.0)] {
        let unit = format!("mapping.read_unit={unit}");
        let outcome = one_by_one(&["mapping.cache_capacity=8B", &unit], READS);
        let found = mapping(&outcome);
        assert_eq!((found.counts.misses, found.counts.hits, found.translation_reads), (300, 0, 300));
        let added_us = (170.0 + 120.0 + 3000.0 + bytes / 1.2) / 1e3;
        let measures = &outcome.report.measures;
        assert!((measures.blame_us.all["mapping_miss"] - added_us).abs() < 1e-3, "{:?}", measures.blame_us.all);
        for (ours, theirs) in [
            (measures.latency_us.all.mean, ideal.latency_us.all.mean),
            (measures.latency_us.all.max, ideal.latency_us.all.max),
        ] {
            let added = ours.unwrap() - theirs.unwrap();
            assert!((added - added_us).abs() < 1e-3, "{unit}: {added} us more, expected {added_us}");
        }
        assert_eq!(outcome.report.flash.reads, 600);
    }
}

#[test]
fn a_hit_costs_nothing() {
    let ideal = serde_json::to_value(&one_by_one(&[], READS).report.measures).unwrap();
    let empty = one_by_one(&["mapping.cache_capacity=8B", "mapping.initial_table=empty"], READS);
    assert_eq!(serde_json::to_value(&empty.report.measures).unwrap(), ideal);
    let again = "requests = 20000\nread_share = 1.0\nworking_set = 0.000001";
    let warm = one_by_one(&["mapping.cache_capacity=1MiB"], again);
    let found = mapping(&warm);
    assert!(found.counts.misses <= 400_000_000_000 / 4096 / 1_000_000 + 1 && found.counts.evictions == 0, "{found:?}");
    assert_eq!(found.counts.hits + found.counts.misses, 20000);
}

#[test]
fn neighbours_save_misses() {
    let reads = 3 * PER_PAGE;
    let keys = format!("requests = {reads}\nread_share = 1.0\naddresses = \"sequential\"\nalignment = \"4KiB\"");
    for (group, misses) in [(PER_PAGE, 4), (16, reads / 16 + 1), (1, reads)] {
        let group = format!("mapping.entries_per_miss={group}");
        let outcome = one_by_one(&["mapping.cache_capacity=64KiB", &group], &keys);
        let found = mapping(&outcome);
        assert!(found.counts.misses <= misses && found.counts.misses + 1 >= misses, "{group}: {found:?}");
        assert_eq!(found.counts.misses, found.translation_reads);
        assert_eq!(found.counts.hits + found.counts.misses, reads);
    }
}

/// DFTL's worst case: each write reads its translation page, and evicts the entry before it with a read and a program.
#[test]
fn a_changed_entry_leaves_with_a_read_and_a_program() {
    let outcome = one_by_one(&["mapping.cache_capacity=8B"], "requests = 500\nread_share = 0.0");
    let found = mapping(&outcome);
    assert_eq!((found.counts.misses, found.counts.evictions, found.counts.dirty_evictions), (500, 499, 499));
    assert_eq!((found.translation_reads, found.merge_reads), (500, 499));
    assert!((497..=499).contains(&found.translation_writes), "{found:?}");
    let amplification = outcome.report.flash.write_amplification.unwrap();
    assert!((amplification - 2.0).abs() < 0.01, "{amplification}");
}

#[test]
fn changed_entries_leave_together() {
    let writes = 8 * PER_PAGE;
    let keys = format!("requests = {writes}\nread_share = 0.0\naddresses = \"sequential\"\nalignment = \"4KiB\"");
    // When the oldest is evicted, all of its translation page are cached.
    let outcome = one_by_one(&["mapping.cache_capacity=16KiB"], &keys);
    let found = mapping(&outcome);
    assert!((6..=7).contains(&found.counts.dirty_evictions), "{found:?}");
    assert!(
        found.translation_writes <= found.counts.dirty_evictions
            && found.translation_writes + 1 >= found.counts.dirty_evictions
    );
    assert!(found.merge_reads <= 1, "{found:?}");
}

#[test]
fn misses_on_one_translation_page_share_a_read() {
    let keys = "requests = 1\nread_share = 1.0\nsize = \"256KiB\"\nalignment = \"256KiB\"\nqueue_depth = 1";
    let outcome = simulate(&preset("performance-optimized", &["mapping.cache_capacity=1MiB"]), &synthetic(keys));
    let found = mapping(&outcome);
    assert_eq!((found.counts.misses, found.counts.shared_misses, found.translation_reads), (64, 63, 1));
}
