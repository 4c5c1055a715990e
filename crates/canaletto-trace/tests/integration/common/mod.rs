use std::io::{Cursor, Write};

use canaletto::workload::replay::Record;
use canaletto_trace::{Format, Options, TraceError, TraceReader, TraceWriter};

pub const NAME: &str = "trace.csv";

pub fn named(format: Format) -> Options {
    Options { format: Some(format), ..Options::default() }
}

/// Records before the end or the first error, and the error.
pub fn read(content: impl Into<Vec<u8>>, options: &Options) -> (Vec<Record>, Option<TraceError>) {
    match TraceReader::new(NAME, Cursor::new(content.into()), options) {
        Ok(reader) => drain(reader),
        Err(error) => (Vec::new(), Some(error)),
    }
}

pub fn drain(reader: TraceReader) -> (Vec<Record>, Option<TraceError>) {
    let mut records = Vec::new();
    for record in reader {
        match record {
            Ok(record) => records.push(record),
            Err(error) => return (records, Some(error)),
        }
    }
    (records, None)
}

pub fn refused(content: impl Into<Vec<u8>>) -> (usize, String) {
    let (records, error) = read(content, &Options::default());
    (records.len(), error.expect("a refusal").to_string())
}

pub fn mqsim(count: u64) -> String {
    (0..count).map(|i| format!("{} 0 {} 8 {}\n", i * 1000, i * 7919 % 1_000_003, i % 2)).collect()
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(content: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub fn xz(content: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// Rounded; without records that the format cannot hold.
pub fn written(format: Format, records: &[Record], rounds: bool) -> (Vec<u8>, Vec<Record>) {
    let mut writer = TraceWriter::new(format, Vec::new(), rounds).unwrap();
    let kept = records.iter().copied().filter(|record| writer.write(record).is_ok()).collect();
    (writer.finish().unwrap(), kept)
}
