use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::host::request::{Kind, Status};
use canaletto::workload::replay::Record;
use canaletto::{Outcome, RunOptions, run};

use crate::common::{design, script};

/// Four dies of two planes; superblocks of 8 blocks of 32 pages of 4 KiB, 1 MiB each.
const PLACED: &str = r#"
base = "performance-optimized"
name = "placed"
[geometry]
channels = 2
chips_per_channel = 2
blocks_per_plane = 64
pages_per_block = 32
[ftl]
superblock = "drive"
overprovisioning = 0.2
[fdp]
handles = 2
"#;

/// A flash cache: a log, and small objects that are overwritten anywhere.
fn cache_of(log_handle: u16) -> Workload {
    let text = format!(
        r#"
name = "cache"
[[flow]]
name = "objects"
[flow.synthetic]
requests = 60000
read_share = 0.0
size = "4KiB"
queue_depth = 8
working_set = 0.1
[[flow]]
name = "log"
handle = {log_handle}
[flow.synthetic]
requests = 60000
read_share = 0.0
size = "4KiB"
queue_depth = 8
addresses = "sequential"
working_set = 0.85
working_set_offset = "6MiB"
"#
    );
    load_workload("cache.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}"))
}

fn simulate(keys: &[&str], workload: &Workload) -> Result<Outcome, String> {
    let options = RunOptions { check_wires: true, ..RunOptions::default() };
    run(&design(PLACED, keys), workload, vec![None, None], &options, &mut |_| true).map_err(|e| e.to_string())
}

#[test]
fn handles_keep_what_is_overwritten_together_apart() {
    let together = simulate(&[], &cache_of(0)).unwrap().report.flash;
    let apart = simulate(&[], &cache_of(1)).unwrap().report.flash;
    let (without, with) = (together.write_amplification.unwrap(), apart.write_amplification.unwrap());
    assert!(without > 1.2 && (with - 1.0) < 0.5 * (without - 1.0), "{without} without handles, {with} with them");
    let fdp = apart.fdp.unwrap();
    assert_eq!((fdp.handles.len(), fdp.reclaim_unit_bytes, fdp.reclaim_groups), (2, 1 << 20, 1));
    assert_eq!(fdp.handles.iter().map(|handle| handle.host_pages).sum::<u64>(), apart.host_pages);
    assert!(fdp.handles[1].write_amplification.unwrap() < 1.05, "{:?}", fdp.handles);
    let copied = fdp.handles.iter().map(|handle| handle.copied_pages).sum::<u64>() + fdp.copied_from_shared;
    assert_eq!(copied, apart.gc.pages_copied);
    assert!(fdp.media_reallocated <= fdp.units_reclaimed && fdp.units_reclaimed > 0);
    let all_to_default = together.fdp.unwrap();
    assert_eq!(all_to_default.handles[1].host_pages, 0, "writes without a handle take the default");
}

#[test]
fn persistent_isolation_never_mixes_handles() {
    let initial = simulate(&[], &cache_of(1)).unwrap().report.flash.fdp.unwrap();
    let persistent = simulate(&["fdp.isolation=persistent"], &cache_of(1)).unwrap().report.flash.fdp.unwrap();
    assert!(initial.copied_from_shared > 0, "moved data are moved again out of shared units");
    assert_eq!(persistent.copied_from_shared, 0);
}

#[test]
fn units_of_handles_are_counted() {
    let report = simulate(&[], &cache_of(1)).unwrap().report.flash;
    let fdp = report.fdp.unwrap();
    let unit_pages = fdp.reclaim_unit_bytes / 4096;
    for handle in &fdp.handles {
        let filled = handle.host_pages + handle.unit_pages_left;
        assert_eq!((handle.units_opened * unit_pages, handle.units_not_full), (filled, 0), "{handle:?}");
    }
    let keys = ["ftl.mapping_unit=2KiB"];
    let short = simulate(&keys, &cache_of(1)).unwrap().report.flash;
    let not_full: u64 = short.fdp.unwrap().handles.iter().map(|handle| handle.units_not_full).sum();
    assert_eq!(not_full > 0, short.padding > 0, "{} pages of padding", short.padding);
}

#[test]
fn reclaim_groups_are_kept() {
    let text = r#"
name = "group"
[[flow]]
name = "a"
handle = 1
reclaim_group = 1
[flow.synthetic]
requests = 4000
read_share = 0.0
size = "4KiB"
queue_depth = 4
working_set = 0.4
"#;
    let workload = |text: &str| load_workload("group.toml", Some(text), &[]).unwrap();
    let busy = |superblock: &str| {
        let outcome = simulate(&[superblock], &workload(text)).unwrap();
        let chips = outcome.report.map.unwrap().chips;
        chips.into_iter().map(|chip| chip.array > 0.0).collect::<Vec<_>>()
    };
    assert_eq!(busy("ftl.superblock=channel"), [false, false, true, true]);
    let refused = |superblock: &str, text: &str| simulate(&[superblock], &workload(text)).err().unwrap();
    assert!(refused("ftl.superblock=drive", text).contains("got 1, expected 0 to 0, the reclaim groups of the drive"));
    let all = text.replace("working_set = 0.4", "working_set = 0.6");
    assert!(refused("ftl.superblock=channel", &all).contains("but the group holds"));
}

#[test]
fn a_handle_that_there_is_not_is_refused() {
    let refused = simulate(&[], &cache_of(2)).err().unwrap();
    assert!(refused.contains("handle: got 2, expected 0 to 1"), "{refused}");
    let refused = simulate(&["fdp.handles=0"], &cache_of(1)).err().unwrap();
    assert!(refused.contains("fdp.handles"), "{refused}");
}

#[test]
fn a_drive_that_its_handles_fill_is_refused() {
    let refused = simulate(&["fdp.handles=70"], &cache_of(1)).err().unwrap();
    assert!(refused.contains("69 are half filled by 70 reclaim unit handles (fdp.handles)"), "{refused}");
    let refused = simulate(&["fdp.handles=40", "fdp.isolation=persistent"], &cache_of(1)).err().unwrap();
    assert!(refused.contains("79 are half filled by 40 reclaim unit handles"), "{refused}");
}

/// One unit of 256 pages belongs to handle 1, and handle 0 writes half of it again. Of all other units, which hold data of
/// handle 0, each loses far less before collection begins: that one is its first victim, and 128 pages are moved.
#[test]
fn moved_pages_count_for_the_handle_that_wrote_them() {
    let pages = 51 * 256;
    let first = (0..256).map(|page| (Kind::Write, page, Some(1)));
    let rest = (256..pages).chain(0..128).map(|page| (Kind::Write, page, None));
    let again = (0..12 * 256).map(|i| (Kind::Write, 256 * (1 + i % 50) + i / 50, None));
    let requests: Vec<_> = first.chain(rest).chain(again).collect();
    for isolation in ["initial", "persistent"] {
        let outcome = replay(&[&format!("fdp.isolation={isolation}")], &requests).unwrap();
        let fdp = outcome.report.flash.fdp.unwrap();
        assert!(fdp.units_reclaimed > 0 && fdp.media_reallocated == fdp.units_reclaimed, "{fdp:?}");
        let placed = &fdp.handles[1];
        assert_eq!((placed.host_pages, placed.copied_pages), (256, 128), "{isolation}");
        assert_eq!(placed.write_amplification, Some(1.5));
        assert_eq!((placed.units_opened, placed.unit_pages_left), (1, 0));
    }
}

fn replay(keys: &[&str], requests: &[(Kind, u64, Option<u16>)]) -> Result<Outcome, String> {
    replay_at(1, keys, requests)
}

fn replay_at(depth: u32, keys: &[&str], requests: &[(Kind, u64, Option<u16>)]) -> Result<Outcome, String> {
    let text =
        format!("name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"script\"\nqueue_depth = {depth}\n");
    let workload = load_workload("w.toml", Some(&text), &[]).unwrap();
    let record = |&(kind, page, handle): &(Kind, u64, Option<u16>)| Record {
        arrival_ns: 0,
        device: 0,
        offset_bytes: page * 4096,
        bytes: if kind == Kind::Write { 4096 } else { 0 },
        kind,
        fua: false,
        zeroes: false,
        handle,
    };
    let input = script::input(requests.iter().map(record).collect());
    let options = RunOptions { check_wires: true, records: true, ..RunOptions::default() };
    run(&design(PLACED, keys), &workload, vec![Some(input)], &options, &mut |_| true).map_err(|e| e.to_string())
}

#[test]
fn requests_of_a_trace_name_handles() {
    let write = |page, handle| (Kind::Write, page, handle);
    let mut requests: Vec<_> = (0..8).map(|page| write(page, None)).collect();
    requests.extend((8..16).map(|page| write(page, Some(1))));
    requests.extend([(Kind::Update, 0, Some(1)), (Kind::Update, 0, Some(9)), write(24, Some(7))]);
    requests.extend((16..24).map(|page| write(page, Some(1))));
    requests.push((Kind::Update, 0, None));
    for keys in [&[][..], &["ftl.mapping_unit=2KiB"], &["cache.capacity=1MiB", "cache.mode=write"]] {
        let outcome = replay(keys, &requests).unwrap();
        let failed = outcome.records.as_ref().unwrap().status.iter().filter(|&&status| status != 0).count();
        let refused = outcome.records.as_ref().unwrap().status.contains(&(Status::InvalidField as u8));
        assert_eq!((failed, refused), (1, true), "an update of an unknown handle is refused");
        let fdp = outcome.report.flash.fdp.unwrap();
        assert_eq!(fdp.invalid_placements, 1);
        if keys.is_empty() {
            let handles: Vec<_> =
                fdp.handles.iter().map(|h| (h.host_pages, h.units_opened, h.units_not_full)).collect();
            assert_eq!(handles, [(9, 1, 1), (16, 2, 1)]);
            assert_eq!(
                fdp.handles.iter().map(|h| (h.updates, h.unit_pages_left)).collect::<Vec<_>>(),
                [(1, 0), (1, 248)]
            );
        } else {
            assert!(fdp.handles.iter().all(|handle| handle.updates == 1));
        }
    }
    let refused = replay(&["fdp.handles=0", "ftl.superblock=none"], &requests).err().unwrap();
    assert!(refused.contains("the trace names reclaim unit handles") && refused.contains("fdp.handles"), "{refused}");
}

/// Handles that are written in turn would else wait for one die at a time.
#[test]
fn handles_begin_on_different_dies() {
    let slowest = |handles: u64, keys: &[&str]| {
        let write = |i: u64| (Kind::Write, i, Some((i % handles) as u16));
        let count = format!("fdp.handles={handles}");
        let keys: Vec<_> = keys.iter().copied().chain([&*count, "ftl.overprovisioning=0.6"]).collect();
        let outcome = replay_at(64, &keys, &(0..64).map(write).collect::<Vec<_>>()).unwrap();
        outcome.records.unwrap().complete.into_iter().max().unwrap()
    };
    for keys in [&[][..], &["ftl.mapping_unit=2KiB"], &["fdp.isolation=persistent"]] {
        let (one, many) = (slowest(1, keys), slowest(8, keys));
        assert!(many < 2 * one, "{keys:?}: {many} ps with eight handles, {one} ps with one");
    }
}

#[test]
fn units_that_are_left_are_used_again() {
    for keys in [&[][..], &["ftl.mapping_unit=2KiB"], &["fdp.isolation=persistent"], &["ftl.superblock=channel"]] {
        let pages = 3000;
        let write = |i: u64| {
            let handle = (i / 50 % 2) as u16;
            let update = (i % 97 == 0).then_some((Kind::Update, 0, Some(handle)));
            update.into_iter().chain([(Kind::Write, i * 7919 % pages, Some(handle))])
        };
        let requests: Vec<_> = (0..30_000).flat_map(write).collect();
        let outcome = replay(keys, &requests).unwrap();
        assert_eq!(outcome.report.measures.requests.failed, 0);
        let flash = outcome.report.flash;
        let fdp = flash.fdp.unwrap();
        let updates: u64 = fdp.handles.iter().map(|handle| handle.updates).sum();
        let left: u64 = fdp.handles.iter().map(|handle| handle.units_not_full).sum();
        assert!(updates > 300 && left > 250 && fdp.units_reclaimed > 200, "{keys:?}: {updates} {left} {fdp:?}");
        assert_eq!(fdp.handles.iter().map(|handle| handle.host_pages).sum::<u64>(), flash.host_pages);
    }
}
