use canaletto::config::{presets, profiles};

use super::flow;
use crate::case::Case;

const READS: &str = "requests = 400; read_share = 1.0; size = \"4KiB\"; queue_depth = 16";
const MIXED: &str = "requests = 400; read_share = 0.5; size = \"24KiB\"; queue_depth = 32; alignment = \"4KiB\"";
const OPEN: &str = "requests = 300; read_share = 0.3; size = \"6KiB\"; inter_arrival = \"15us\"; addresses = \"zipf\"; \
                    zipf_exponent = 1.1; alignment = \"512B\"";
const WRITES: &str = "requests = 800; read_share = 0.2; size = \"32KiB\"; queue_depth = 64; working_set = 0.1";
const FULL: &[&str] = &[
    "geometry.blocks_per_plane=64",
    "geometry.pages_per_block=12",
    "precondition.kind=steady",
    "cache.capacity=0B",
    "flash.pslc.static_size=0B",
    "flash.pslc.dynamic_size=0B",
];
/// Behind all others, so that those keep their drives.
const LATER: [&str; 8] =
    ["fs-data", "fs-nodes", "fs-reads", "cache-buckets", "cache-log", "cache-hits", "log-structured", "flash-cache"];
const FIRST: usize = 9;

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for preset in presets() {
        let name = &preset.name;
        let case = |what: &str, overrides: &[&str], traffic: &str| {
            Case::preset(&format!("preset/{name}/{what}"), name, overrides, &flow(traffic))
        };
        cases.push(case("reads", &[], READS));
        cases.push(case("mixed", &[], MIXED));
        cases.push(case("open", &[], OPEN));
        if name != "pcie3-3d-xpoint" {
            cases.push(case("steady", FULL, WRITES));
        }
    }
    cases.extend(of_profiles());
    cases
}

fn of_profiles() -> Vec<Case> {
    let presets = presets();
    let drives = presets.iter().take(FIRST).map(|preset| preset.name.as_str()).cycle();
    let case = |(profile, drive): (canaletto::config::Listing, &str)| {
        let flows = canaletto::config::load_workload(&profile.name, None, &[]).expect("a profile").flow.len();
        let requests: Vec<String> = (0..flows).map(|i| format!("flow.{i}.synthetic.requests=250")).collect();
        Case::profile(&format!("profile/{}/{drive}", profile.name), drive, &profile.name).set(&requests)
    };
    let (later, first): (Vec<_>, Vec<_>) = profiles().into_iter().partition(|each| LATER.contains(&&*each.name));
    first.into_iter().chain(later).zip(drives).map(case).collect()
}
