//! A user-defined fabric in Rust: a bus for each row, and which of its chips goes first.
//!
//! `cargo run --release --example own_fabric` prints what it reaches next to the same buses of the engine. `docs/reference/own-parts.md`
//! has the same in Python.

#![allow(clippy::disallowed_macros)] // the engine's rules, not a program's

use std::sync::Arc;

use canaletto::config::design::Blueprint;
use canaletto::config::own::fabric::{Grants, Plan, Plans, View};
use canaletto::config::{load_design, load_workload};
use canaletto::{RunOptions, run};

/// Rows and columns of the array.
const SHAPE: (i32, i32) = (8, 8);

/// The bus goes to the longest wait.
#[derive(Debug)]
struct Oldest;

impl Plans for Oldest {
    fn begin(&self) -> Box<dyn Plan> {
        Box::new(Oldest)
    }
}

impl Plan for Oldest {
    fn decide(&mut self, view: &View<'_>, grants: &mut Grants) -> Result<(), String> {
        for bus in (0..SHAPE.0 as u32).filter(|&bus| !view.taken[bus as usize]) {
            // In the order in which they came.
            let oldest = view.waiting.iter().find(|asked| asked.transfer.chip.0 / SHAPE.1 as u32 == bus);
            oldest.into_iter().for_each(|asked| grants.grant(asked.path, [bus]));
        }
        Ok(())
    }
}

fn main() {
    let settings = |fabric: &str| [format!("fabric.kind={fabric}"), "fabric.network.link_rate=1.2GB/s".to_owned()];
    let text = "name = \"reads\"\n[[flow]]\nname = \"reads\"\n[flow.synthetic]\nrequests = 50000\nread_share = 1.0\n\
                size = \"4KiB\"\nqueue_depth = 64\n";
    let workload = load_workload("reads.toml", Some(text), &[]).expect("the workload is sound");
    for fabric in ["bus", "custom"] {
        let mut design = load_design("performance-optimized", None, &settings(fabric)).expect("the drive is sound");
        if fabric == "custom" {
            // Each controller at column -1, then the chips of its row.
            let links = (0..SHAPE.0).map(|row| (-1..SHAPE.1).map(|column| (row, column)).collect()).collect();
            design.fabric.blueprint =
                Some(Blueprint { name: "Oldest".to_owned(), links: Arc::new(links), plans: Arc::new(Oldest) });
        }
        let outcome = run(&design, &workload, vec![None], &RunOptions::default(), &mut |_| true).expect("it runs");
        let rate = outcome.report.measures.bandwidth_mb_s.expect("there are reads");
        println!("{fabric}: {rate:.0} MB/s");
    }
}
