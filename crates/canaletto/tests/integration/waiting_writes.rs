//! Many writes that wait for one chip.

use std::time::{Duration, Instant};

use crate::common::{preset, simulate, synthetic};

const DRIVE: [&str; 6] = [
    "geometry.channels=1",
    "geometry.chips_per_channel=1",
    "precondition.kind=steady",
    "host.queues_per_flow=50",
    "host.queue_entries=1024",
    "host.fetch_limit=1024",
];

fn time_of(depth: u32) -> Duration {
    let keys = format!("requests = 20000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = {depth}");
    let began = Instant::now();
    let outcome = simulate(&preset("performance-optimized", &DRIVE), &synthetic(&keys));
    assert_eq!(outcome.report.measures.requests.completed, 20_000);
    began.elapsed()
}

/// A command that finds no second plane's page of its number looks at one write per plane, not at all that wait.
#[test]
fn a_command_does_not_look_at_all_writes_that_wait() {
    let (few, many) = (time_of(64), time_of(20_000));
    assert!(many < 8 * few, "20,000 outstanding: {many:?}, 64: {few:?}");
}
