use std::sync::Arc;

use canaletto::TraceInput;
use canaletto::host::request::Kind;
use canaletto::workload::replay::{Record, RecordSource};

use crate::key_changes::canned;

struct Batches(std::vec::IntoIter<Record>);

impl RecordSource for Batches {
    fn next_batch(&mut self, batch: &mut Vec<Record>) -> Result<(), String> {
        batch.clear();
        batch.extend(self.0.by_ref().take(7));
        Ok(())
    }
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

pub fn open(name: &str) -> TraceInput {
    let records = match name {
        "mixed" => mixed(600),
        "bursts" => bursts(),
        "disks" => disks(),
        "journal" => journal(),
        _ => return canned(),
    };
    let open = move || Ok(Box::new(Batches(records.clone().into_iter())) as Box<dyn RecordSource>);
    TraceInput { source: open().unwrap(), again: Some(Arc::new(open)) }
}

const READ_MOSTLY: [Kind; 4] = [Kind::Read, Kind::Read, Kind::Read, Kind::Write];

/// Reads and writes of several sizes, most within the small drive, about 10 µs apart.
pub fn mixed(requests: u64) -> Vec<Record> {
    let (mut numbers, mut arrival_ns) = (Numbers(11), 5_000_000);
    let mut record = |_| {
        arrival_ns += 1 + numbers.below(20_000);
        Record {
            arrival_ns,
            device: 0,
            offset_bytes: numbers.below(5000) * 512,
            bytes: (1 + numbers.below(24)) * 512,
            kind: READ_MOSTLY[numbers.below(4) as usize],
            ..Record::PLAIN
        }
    };
    (0..requests).map(&mut record).collect()
}

fn bursts() -> Vec<Record> {
    let mut numbers = Numbers(12);
    let mut record = |i: u64| Record {
        arrival_ns: (i / 40) * 900_000,
        device: 0,
        offset_bytes: numbers.below(if i % 2 == 0 { 60 } else { 600 }) * 4096,
        bytes: 4096,
        kind: if i % 2 == 0 { Kind::Write } else { Kind::Read },
        ..Record::PLAIN
    };
    (0..800).map(&mut record).collect()
}

fn disks() -> Vec<Record> {
    let mut numbers = Numbers(13);
    let mut record = |i: u64| Record {
        arrival_ns: i * 4000,
        device: numbers.below(3) as u32 * 2,
        offset_bytes: numbers.below(700) * 4096,
        bytes: (1 + numbers.below(4)) * 4096,
        kind: READ_MOSTLY[numbers.below(4) as usize],
        ..Record::PLAIN
    };
    (0..500).map(&mut record).collect()
}

fn journal() -> Vec<Record> {
    let mut numbers = Numbers(14);
    let mut record = |i: u64| {
        let kind = match i % 25 {
            7 | 15 => Kind::Flush,
            24 => Kind::Trim,
            n if n % 5 == 0 => Kind::Read,
            _ => Kind::Write,
        };
        let bytes = match kind {
            Kind::Flush => 0,
            Kind::Trim => 16 * 4096,
            _ => 1024 * (1 + numbers.below(12)),
        };
        let offset_bytes = if kind == Kind::Flush { 0 } else { (i * 3 % 500) * 4096 };
        Record { arrival_ns: i * 8000, device: 0, offset_bytes, bytes, kind, ..Record::PLAIN }
    };
    (0..600).map(&mut record).collect()
}
