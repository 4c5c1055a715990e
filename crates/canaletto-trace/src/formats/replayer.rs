//! The "replayer" format: `1017.077 0 11544100864 4096 1`, one request a line.
//!
//! Time in ms, disk, offset and size in bytes, 1 reads and 0 writes (github.com/huaicheng/replayer; Heimdall's traces
//! are cut into it). DiskSim's lines have the same shape but count sectors ([`super::disksim`]): a line is of this
//! format if its time has a point and its extent is whole sectors of 512 bytes.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, by_whitespace, checked, decimal, number, number32, write_decimal};

const MILLISECOND_NS: u64 = 1_000_000;
const SECTOR_BYTES: u64 = 512;

static TIME: Field = Field { name: "time", allowed: "milliseconds, 0 to 18446744073709" };
static DISK: Field = Field { name: "disk", allowed: "a number, 0 to 2^32 - 1" };
static OFFSET: Field = Field { name: "offset", allowed: "bytes, 0 to 2^64 - 1" };
static SIZE: Field = Field { name: "size", allowed: "bytes, 1 to 2^32" };
static TYPE: Field = Field { name: "type", allowed: "1 (read) or 0 (write)" };

#[derive(Debug, Default)]
pub(super) struct Replayer;

impl TraceFormat for Replayer {
    const NAME: &'static str = "replayer";
    const DESCRIPTION: &'static str =
        "replayer, as in Heimdall: time in ms, disk, offset and size in bytes, 1 = read or 0 = write";
    const LAYOUT: &'static str = "time disk offset size type";
    const UNIT_NS: Option<u64> = Some(MILLISECOND_NS);
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, 1);

    fn fits(&mut self, line: &[u8]) -> bool {
        let in_sectors = |r: &Record| r.offset_bytes % SECTOR_BYTES == 0 && r.bytes % SECTOR_BYTES == 0;
        line.contains(&b'.') && matches!(self.parse(line), Ok(Some(record)) if in_sectors(&record))
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [time, disk, offset, size, kind] = by_whitespace(line)?;
        let kind = match kind {
            b"0" => Kind::Write,
            b"1" => Kind::Read,
            _ => return Err(Fault::text(&TYPE, kind)),
        };
        let arrival_ns = decimal(&TIME, time, MILLISECOND_NS)?;
        let device = number32(&DISK, disk)?;
        let offset_bytes = number(&OFFSET, offset)?;
        let bytes = number(&SIZE, size)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&OFFSET, offset), (&SIZE, size)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        write_decimal(out, record.arrival_ns, MILLISECOND_NS)?;
        let kind = u8::from(record.kind == Kind::Read);
        writeln!(out, " {} {} {} {kind}", record.device, record.offset_bytes, record.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("1017.077 2 11544100864 4096 1", read(1_017_077_000, 2, 11_544_100_864, 4096)),
            ("5 0 1 3 0", write(5_000_000, 0, 1, 3)),
        ];
        let others = ["", "1.0 0 0 512", "1.0 0 0 512 2", "1.0 0 0 512 1 1", "x 0 0 512 1"];
        let bad = ["1.0 0 0 0 1", "18446744073710.0 0 0 1 1", "1.0 4294967296 0 1 1", "1.0 0 18446744073709551615 1 1"];
        check::<Replayer>(&lines, &others, &bad);
    }

    #[test]
    fn whole_milliseconds_and_odd_extents_are_not_guessed_at() {
        let fits = |line: &str| Replayer.fits(line.as_bytes());
        assert!(fits("0.000 0 11562803200 4096 1"));
        assert!(!fits("0 0 11562803200 4096 1") && !fits("0.000 0 303567 7 0"));
    }
}
