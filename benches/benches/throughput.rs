//! Whole runs, in requests per second of one core.
#![allow(missing_docs)] // the macros' own items have none

use canaletto_benches::{COLLECTING, random};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn throughput(c: &mut Criterion) {
    const REQUESTS: u64 = 100_000;
    let mut group = c.benchmark_group("run");
    group.sample_size(10).throughput(Throughput::Elements(REQUESTS));
    for (name, preset, read_share, overrides) in [
        ("4k-reads", "performance-optimized", 1.0, &[][..]),
        ("4k-mixed", "performance-optimized", 0.7, &[]),
        ("4k-reads-tlc", "pcie4-tlc", 1.0, &[]),
        ("4k-writes-collecting", "performance-optimized", 0.0, &COLLECTING[..]),
    ] {
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| random(preset, read_share, REQUESTS, overrides))
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
