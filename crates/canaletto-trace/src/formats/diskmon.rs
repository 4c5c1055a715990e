//! DiskMon logs (Sysinternals): `0 0.014580 0.00047684 0 Write 4227567 8`, one request a line.
//!
//! Number, time since the start in s, duration in s, disk, Read or Write, sector and length in sectors of 512 bytes,
//! separated by tabs. (DiskMon's option "clock time" has no fractions of a second and is refused.)

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, reads};
use crate::fields::{Fault, Field, by_whitespace, checked, decimal, number, number32, scaled, write_decimal};

const SECOND_NS: u64 = 1_000_000_000;
const SECTOR_BYTES: u64 = 512;

static NUMBER: Field = Field { name: "number", allowed: "a number, 0 to 2^64 - 1" };
static TIME: Field = Field { name: "time", allowed: "seconds, 0 to 18446744073" };
static DURATION: Field = Field { name: "duration", allowed: "seconds, 0 to 18446744073" };
static DISK: Field = Field { name: "disk", allowed: "a number, 0 to 2^32 - 1" };
static REQUEST: Field = Field { name: "request", allowed: "Read or Write" };
static SECTOR: Field = Field { name: "sector", allowed: "a 512-byte sector, 0 to 2^55 - 1" };
static LENGTH: Field = Field { name: "length", allowed: "a number of 512-byte sectors, 1 to 2^23" };

#[derive(Debug, Default)]
pub(super) struct DiskMon {
    written: u64,
}

impl TraceFormat for DiskMon {
    const NAME: &'static str = "diskmon";
    const DESCRIPTION: &'static str =
        "DiskMon logs: number, time and duration in s, disk, Read or Write, sector and length in 512-byte sectors";
    const LAYOUT: &'static str = "number time duration disk request sector length";
    const UNIT_NS: Option<u64> = Some(SECOND_NS);
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, SECTOR_BYTES);

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        if line.starts_with(b"#") {
            return Ok(None);
        }
        let [order, time, duration, disk, request, sector, length] = by_whitespace(line)?;
        let kind = match request {
            b"Read" => Kind::Read,
            b"Write" => Kind::Write,
            _ => return Err(Fault::text(&REQUEST, request)),
        };
        number(&NUMBER, order)?;
        decimal(&DURATION, duration, SECOND_NS)?;
        let arrival_ns = decimal(&TIME, time, SECOND_NS)?;
        let device = number32(&DISK, disk)?;
        let offset_bytes = scaled(&SECTOR, sector, SECTOR_BYTES)?;
        let bytes = scaled(&LENGTH, length, SECTOR_BYTES)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&SECTOR, sector), (&LENGTH, length)).map(Some)
    }

    fn fits(&mut self, line: &[u8]) -> bool {
        // Other formats have comments too.
        !line.starts_with(b"#") && reads(self, line)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}\t", self.written)?;
        write_decimal(out, record.arrival_ns, SECOND_NS)?;
        self.written += 1;
        let kind = if record.kind == Kind::Write { "Write" } else { "Read" };
        let (sector, length) = (record.offset_bytes / SECTOR_BYTES, record.bytes / SECTOR_BYTES);
        writeln!(out, "\t0.00000000\t{}\t{kind}\t{sector}\t{length}", record.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("0\t0.014580\t0.00047684\t1\tWrite\t4227567\t8", write(14_580_000, 1, 4_227_567 * 512, 4096)),
            ("7 1.5 0 0 Read 0 1", read(1_500_000_000, 0, 0, 512)),
            ("#\tTime\tDuration (s)\tDisk\tRequest\tSector\tLength", None),
        ];
        let others = ["", "0 1.5 0 0 Read 0", "0 1.5 0 0 R 0 1", "0 11:31:02 0 0 Read 0 1", "0 1.5 - 0 Read 0 1"];
        let bad = ["0 1.5 0 0 Read 0 0", "0 1.5 0 4294967296 Read 0 1", "0 1.5 0 0 Read 36028797018963968 1"];
        check::<DiskMon>(&lines, &others, &bad);
    }
}
