//! Alibaba block traces (2020): `419,W,8792731648,16384,1577808144360767`, one request a line, no header.
//!
//! Virtual disk, R or W, offset and length in bytes, time in µs since 1970 (github.com/alibaba/block-traces).

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, by_commas, checked, number, number32, scaled};

const MICROSECOND_NS: u64 = 1000;
const HEADER: &str = "device_id,opcode,offset,length,timestamp";

static DEVICE: Field = Field { name: "device_id", allowed: "a number, 0 to 2^32 - 1" };
static OPCODE: Field = Field { name: "opcode", allowed: "R or W" };
static OFFSET: Field = Field { name: "offset", allowed: "bytes, 0 to 2^64 - 1" };
static LENGTH: Field = Field { name: "length", allowed: "bytes, 1 to 2^32" };
static TIMESTAMP: Field = Field { name: "timestamp", allowed: "whole microseconds, 0 to 2^64 / 1000" };

#[derive(Debug, Default)]
pub(super) struct Alibaba;

impl TraceFormat for Alibaba {
    const NAME: &'static str = "alibaba";
    const DESCRIPTION: &'static str = "Alibaba block CSV: virtual disk, R or W, offset and length in bytes, time in µs";
    const LAYOUT: &'static str = HEADER;
    const UNIT_NS: Option<u64> = Some(MICROSECOND_NS);
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> = Holds::reads_and_writes(MICROSECOND_NS, 1);

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [device, opcode, offset, length, timestamp] = by_commas(line)?;
        let kind = match opcode {
            b"R" => Kind::Read,
            b"W" => Kind::Write,
            _ if line == HEADER.as_bytes() => return Ok(None),
            _ => return Err(Fault::text(&OPCODE, opcode)),
        };
        let device = number32(&DEVICE, device)?;
        let offset_bytes = number(&OFFSET, offset)?;
        let bytes = number(&LENGTH, length)?;
        let arrival_ns = scaled(&TIMESTAMP, timestamp, MICROSECOND_NS)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&OFFSET, offset), (&LENGTH, length)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let Record { arrival_ns, device, offset_bytes, bytes, .. } = *record;
        let kind = if record.kind == Kind::Write { "W" } else { "R" };
        writeln!(out, "{device},{kind},{offset_bytes},{bytes},{}", arrival_ns / MICROSECOND_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("419,W,8792731648,16384,1577808144360767", write(1_577_808_144_360_767_000, 419, 8_792_731_648, 16384)),
            ("0,R,0,1,0", read(0, 0, 0, 1)),
            (HEADER, None),
        ];
        let others = ["", "0,R,0,1", "0,X,0,1,0", "0,R,0.5,1,0", "0,20941264,8192,W,0.551706"];
        let bad = ["0,R,0,0,0", "4294967296,R,0,1,0", "0,R,18446744073709551615,1,0", "0,R,0,1,18446744073709552"];
        check::<Alibaba>(&lines, &others, &bad);
    }
}
