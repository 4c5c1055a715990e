//! The cases by which speed is judged: what a request costs on a drive that has nothing special (`docs/speed.md`).

use canaletto::config::design::Design;
use canaletto::config::load_design;
use canaletto::config::workload::Workload;
use canaletto::{Outcome, RunOptions, run};

use crate::{mqsim, random_4k};

/// A case. In each, 64 requests of 4 KiB are in flight at any time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// Random reads on the drive of MQSim's `perf-randread-4k-qd64`, with MQSim's semantics.
    A,
    /// Random reads on the preset `performance-optimized`.
    B,
    /// Random writes on the drive of case B in its steady state, in which they make it collect.
    C,
    /// The reads of case B over the fabric `venice`.
    D,
    /// The reads of case B, whose waits are followed to their root causes.
    R,
}

impl Case {
    /// Every case.
    pub const ALL: [Case; 5] = [Case::A, Case::B, Case::C, Case::D, Case::R];

    /// The case of a letter.
    pub fn named(letter: &str) -> Option<Case> {
        Case::ALL.into_iter().find(|case| format!("{case:?}") == letter)
    }

    /// Simulates this many requests.
    ///
    /// # Panics
    /// If the engine does not take the case's configuration.
    pub fn run(self, requests: u32) -> Outcome {
        let (design, workload) = self.configuration(requests);
        let options = RunOptions { root_causes: self == Case::R, ..RunOptions::default() };
        run(&design, &workload, vec![None], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
    }

    fn configuration(self, requests: u32) -> (Design, Workload) {
        match self {
            Case::A => {
                let imported = mqsim::random_reads(requests);
                (imported.design, imported.workload)
            }
            Case::B | Case::R => (preset(&[]), random_4k(1.0, requests.into(), 64)),
            Case::C => (preset(&["precondition.kind=steady"]), random_4k(0.0, requests.into(), 64)),
            Case::D => (preset(&["fabric.kind=venice"]), random_4k(1.0, requests.into(), 64)),
        }
    }
}

fn preset(overrides: &[&str]) -> Design {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    load_design("performance-optimized", None, &overrides).unwrap_or_else(|e| panic!("{e}"))
}
