//! Parts of the engine on their own.
#![allow(missing_docs)] // the macros' own items have none

use canaletto::engine::events::{Due, EventQueue};
use canaletto::engine::random::Stream;
use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::ftl::mapping::{Entry, MappingTable};
use canaletto::measure::blame::{Cause, Ledger};
use canaletto::measure::histogram::Histogram;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// Pop one, push one, with `pending` events in the queue.
fn events(c: &mut Criterion) {
    let mut group = c.benchmark_group("events");
    for pending in [16u64, 256, 65_536] {
        let mut queue = EventQueue::new();
        let mut delays = Stream::named(1, "bench");
        for _ in 0..pending {
            queue.push(Time(delays.integer(0, 10_000)), 0u32);
        }
        group.bench_function(BenchmarkId::new("hold", pending), |b| {
            b.iter(|| {
                if let Some((now, Due::Event(event))) = queue.pop() {
                    queue.push(now + Time(delays.integer(1, 10_000)), event);
                }
            });
        });
    }
}

fn mapping(c: &mut Criterion) {
    const PAGES: u64 = 100_000_000;
    let mut table = MappingTable::new(PAGES);
    let mut addresses = Stream::named(1, "bench");
    let at = Entry::At(Ppa { plane: PlaneId(1), block: 2, page: 3 });
    for _ in 0..1_000_000 {
        table.set(addresses.integer(0, PAGES - 1), at);
    }
    c.bench_function("mapping/look up", |b| b.iter(|| black_box(table.get(addresses.integer(0, PAGES - 1)))));
    c.bench_function("mapping/set", |b| b.iter(|| table.set(addresses.integer(0, PAGES - 1), at)));
}

fn histogram(c: &mut Criterion) {
    let mut histogram = Histogram::default();
    let mut latencies = Stream::named(1, "bench");
    let mut ledger = Ledger::EMPTY;
    ledger.charge(Cause::ArrayRead, Time::from_us(3));
    c.bench_function("histogram/record", |b| {
        b.iter(|| histogram.record_blamed(Time(latencies.exponential(20e6) as u64), &ledger, Some(&ledger)));
    });
}

criterion_group!(benches, events, mapping, histogram);
criterion_main!(benches);
