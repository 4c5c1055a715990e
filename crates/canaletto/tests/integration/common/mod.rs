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

/// Several settings may be in one text, with semicolons between.
fn loaded(name: &str, text: Option<&str>, settings: &[&str]) -> Result<Design, String> {
    let settings: Vec<String> = settings.iter().flat_map(|several| several.split("; ")).map(str::to_owned).collect();
    load_design(name, text, &settings).map_err(|e| e.to_string())
}

pub fn design(text: &str, settings: &[&str]) -> Design {
    loaded("test.toml", Some(text), settings).unwrap_or_else(|e| panic!("{e}"))
}

pub fn preset(name: &str, settings: &[&str]) -> Design {
    loaded(name, None, settings).unwrap_or_else(|e| panic!("{e}"))
}

/// The message; empty for a sound design.
pub fn refusal(text: Option<&str>, settings: &[&str]) -> String {
    let name = if text.is_some() { "test.toml" } else { "performance-optimized" };
    loaded(name, text, settings).err().unwrap_or_default()
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
