//! Instruction counts of whole runs under callgrind: repeatable on noisy machines, for finding regressions.
//!
//! Needs valgrind and `gungraun-runner` of the same version; `make bench-instructions` installs the latter.
#![allow(missing_docs)] // the macros' own items have none

use canaletto_benches::{COLLECTING, random};
use gungraun::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn reads() {
    random("performance-optimized", 1.0, 20_000, &[]);
}

#[library_benchmark]
fn writes_collecting() {
    random("performance-optimized", 0.0, 20_000, &COLLECTING);
}

library_benchmark_group!(name = runs, benchmarks = [reads, writes_collecting]);
main!(library_benchmark_groups = runs);
