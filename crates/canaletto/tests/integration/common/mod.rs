pub mod contents;
pub mod recovery;
pub mod script;
pub mod seen;

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::config::{load_design, load_workload};
use canaletto::{Outcome, RunOptions, run};

/// So small that collection comes early.
pub const SMALL: &str = r#"
base = "performance-optimized"
name = "small"
[geometry]
channels = 2
chips_per_channel = 2
blocks_per_plane = 16
pages_per_block = 8
[ftl]
overprovisioning = 0.3
[gc]
threshold = 0.2
hard_threshold = 0.1
"#;

pub const WIRES_LIMIT: [&str; 7] = [
    "link.lanes=32",
    "fabric.transfer_order=commands-first",
    "fabric.link_rate=300MB/s",
    "geometry.planes_per_die=4",
    "flash.multi_plane=off",
    "host.queue_entries=2048",
    "host.fetch_limit=1024",
];

pub fn design(text: &str, overrides: &[&str]) -> Design {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    load_design("test.toml", Some(text), &overrides).unwrap_or_else(|e| panic!("{e}"))
}

pub fn preset(name: &str, overrides: &[&str]) -> Design {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    load_design(name, None, &overrides).unwrap_or_else(|e| panic!("{e}"))
}

pub fn synthetic(keys: &str) -> Workload {
    let text = format!("name = \"test\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\n{keys}\n");
    load_workload("test.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

pub fn simulate(design: &Design, workload: &Workload) -> Outcome {
    let options = RunOptions { records: true, check_wires: true, ..RunOptions::default() };
    let traces = workload.flow.iter().map(|_| None).collect();
    run(design, workload, traces, &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}
