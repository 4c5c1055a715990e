//! Instruction counts of whole runs under callgrind: repeatable on noisy machines, for finding regressions.
//!
//! Each case runs with 20,000 and with 60,000 requests: a request costs a 40,000th of the difference, free of what
//! preparing a drive takes. Needs valgrind and `gungraun-runner` of the same version; `make bench-instructions` installs the
//! latter. `make instructions` judges the same cases by their ceilings.
#![allow(missing_docs)] // the macros' own items have none

use canaletto_benches::cases::Case;
use canaletto_benches::{COLLECTING, random};
use gungraun::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
#[bench::a_20_000(Case::A, 20_000)]
#[bench::a_60_000(Case::A, 60_000)]
#[bench::b_20_000(Case::B, 20_000)]
#[bench::b_60_000(Case::B, 60_000)]
#[bench::c_20_000(Case::C, 20_000)]
#[bench::c_60_000(Case::C, 60_000)]
#[bench::d_20_000(Case::D, 20_000)]
#[bench::d_60_000(Case::D, 60_000)]
fn case(case: Case, requests: u32) {
    case.run(requests);
}

#[library_benchmark]
fn writes_collecting() {
    random("performance-optimized", 0.0, 20_000, &COLLECTING);
}

library_benchmark_group!(name = runs, benchmarks = [case, writes_collecting]);
main!(library_benchmark_groups = runs);
