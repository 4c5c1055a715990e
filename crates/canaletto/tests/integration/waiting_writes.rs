use std::time::{Duration, Instant};

use crate::common::{preset, simulate, synthetic};

const STATIC: [&str; 6] = [
    "geometry.channels=1",
    "geometry.chips_per_channel=1",
    "precondition.kind=steady",
    "host.queues_per_flow=50",
    "host.queue_entries=1024",
    "host.fetch_limit=1024",
];

const DYNAMIC: [&str; 4] = [
    "geometry.blocks_per_plane=256",
    "geometry.pages_per_block=64",
    "ftl.write_placement=dynamic",
    "gc.scope=parallel",
];

fn time_of(drive: &[&str], requests: u32, depth: u32) -> Duration {
    let keys = format!("requests = {requests}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = {depth}");
    let began = Instant::now();
    let outcome = simulate(&preset("performance-optimized", drive), &synthetic(&keys));
    assert_eq!(outcome.report.measures.requests.completed, u64::from(requests));
    began.elapsed()
}

#[test]
fn a_command_does_not_look_at_all_writes_that_wait() {
    let (few, many) = (time_of(&STATIC, 20_000, 64), time_of(&STATIC, 20_000, 20_000));
    assert!(many < 8 * few, "20,000 outstanding: {many:?}, 64: {few:?}");
}

#[test]
fn writes_that_wait_for_room_do_not_look_for_a_plane_each() {
    let drive = [&STATIC[..], &DYNAMIC].concat();
    let (few, many) = (time_of(&drive, 5000, 64), time_of(&drive, 5000, 5000));
    assert!(many < 12 * few, "5,000 outstanding: {many:?}, 64: {few:?}");
}
