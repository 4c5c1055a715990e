//! Each resource is refused until the picosecond at which it is free.

use crate::common;
use crate::common::preset;
use crate::common::script::{COMMAND, DATA, script, spent};
use canaletto::measure::blame::Cause;

/// The second entry comes one read request (32 B) and one entry (64 + 28 B) at 8 GB/s later.
const STAGGER: u64 = (32 + 92) * 1000 / 8;

#[test]
fn a_channel_is_granted_when_it_is_free() {
    let records = script(&[], &[(0, 0, false), (0, 8, false)]);
    // For the rest of the first command, and of the first data.
    let second = spent(&records, 1, Cause::PathConflict);
    assert_eq!(second, (COMMAND - STAGGER) + (DATA - COMMAND));
    assert_eq!(spent(&records, 0, Cause::PathConflict), 0);
    let apart = script(&[], &[(0, 0, false), (0, 1, false)]);
    assert_eq!(spent(&apart, 1, Cause::PathConflict), 0);
}

#[test]
fn a_plane_is_granted_when_its_register_is_empty() {
    let records = script(&[], &[(0, 0, false), (0, 128, false)]);
    assert_eq!(spent(&records, 0, Cause::ChipBusyUser), 0);
    // The command, tWB + tRR, tR and the data of the first.
    assert_eq!(spent(&records, 1, Cause::ChipBusyUser), COMMAND + 120_000 + 3_000_000 + DATA - STAGGER);
    assert_eq!(spent(&records, 1, Cause::PathConflict), 0);
}

#[test]
fn another_plane_joins_the_command() {
    let gap = |overrides: &[&str]| {
        let records = script(overrides, &[(0, 0, false), (0, 128, false), (0, 64, false)]);
        records.complete[2] - records.complete[1]
    };
    assert_eq!(gap(&["flash.multi_plane=any-page"]), DATA);
    assert!(gap(&["flash.multi_plane=off"]) > 3_000_000);
}

#[test]
fn writes_of_one_page_keep_their_order() {
    let records = script(&["ftl.unwritten_reads=zeroes"], &[(0, 0, true), (0, 0, true)]);
    let program = spent(&records, 0, Cause::ArrayProgram);
    assert!(spent(&records, 1, Cause::SamePage) > program / 2);
    assert!(records.complete[0] < records.complete[1]);
    assert_eq!(spent(&records, 1, Cause::ChipBusyUser), 0);
}

#[test]
fn the_host_link_is_granted_when_it_is_free() {
    let records = script(&[], &[(0, 0, false), (0, 1, false)]);
    let data = (4096 + 32 * 28) * 1000 / 8;
    let completion = (16 + 28) * 1000 / 8;
    let gap = records.complete[1] - records.complete[0];
    assert_eq!(gap, data + completion);
}

/// Without a page to complete partial writes from.
const ONE_PAGE: &[&str] = &["cache.capacity=4KiB", "ftl.unwritten_reads=zeroes"];

/// 4 KiB at the DRAM: one row of DDR4-3200, 32 bits.
const DRAM: u64 = 27_500 + 320_000;

/// The entry crosses behind the data of the first.
const NEXT_WRITE: u64 = (4096 + 32 * 28) * 1000 / 8 + STAGGER;

#[test]
fn the_caches_dram_is_granted_when_it_is_free() {
    let cache = |rate: &str| {
        let rate = format!("cache.dram.rate={rate}");
        let records = script(&["cache.capacity=1MiB", &rate], &[(0, 0, true), (0, 1, true)]);
        (spent(&records, 0, Cause::Cache), spent(&records, 1, Cause::Cache))
    };
    let slow = 27_500 + 1_000_000;
    assert_eq!(cache("4.096GB/s"), (slow, 2 * slow - NEXT_WRITE));
    assert_eq!(cache("12.8GB/s"), (DRAM, DRAM));
}

/// Twice through the DRAM, over the bus (tCS + 6 tWC + tWPST + tWPSTH, tADL + tWB in the chip), and programmed.
#[test]
fn the_write_buffer_is_granted_when_it_has_room() {
    let records = script(ONE_PAGE, &[(0, 0, true), (0, 1, true)]);
    let program = 20_000 + 150_000 + 21_000 + DATA + 170_000 + 100_000_000;
    assert_eq!(spent(&records, 0, Cause::WriteBuffer), 0);
    assert_eq!(spent(&records, 1, Cause::WriteBuffer), 2 * DRAM + program - NEXT_WRITE);
    assert_eq!(spent(&records, 1, Cause::Cache), DRAM);
}

#[test]
fn force_unit_access_waits_for_the_flash() {
    let flush = |protected: &str| {
        let protected = format!("cache.power_loss_protection={protected}");
        let design =
            preset("performance-optimized", &["cache.capacity=1MiB", "ftl.unwritten_reads=zeroes", &protected]);
        let workload =
            common::synthetic("requests = 1\nread_share = 0.0\nfua_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
        spent(&common::simulate(&design, &workload).records.unwrap(), 0, Cause::Flush)
    };
    assert_eq!(flush("true"), 0);
    assert_eq!(flush("false"), 2 * DRAM + 20_000 + 150_000 + 21_000 + DATA + 170_000 + 100_000_000);
}

#[test]
fn the_processor_is_granted_when_it_is_free() {
    let records = script(&["controller.firmware_per_request=2us"], &[(0, 0, false), (0, 1, false)]);
    let (first, second) = (spent(&records, 0, Cause::Firmware), spent(&records, 1, Cause::Firmware));
    assert_eq!((first, second), (2_000_000, 4_000_000 - STAGGER));
}
