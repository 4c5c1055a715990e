//! Tencent block traces (CBS, 2018): `1538323200,4247200,128,1,1058`, one request a line, at times after headings.
//!
//! Time in whole seconds since 1970, offset and size in sectors of 512 bytes, 0 reads and 1 writes, volume (SNIA IOTTA
//! 27917). Requests of a second keep the order of their lines.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, are_headings, by_commas, checked, number32, scaled};

const SECOND_NS: u64 = 1_000_000_000;
const SECTOR_BYTES: u64 = 512;

static TIMESTAMP: Field = Field { name: "timestamp", allowed: "whole seconds, 0 to 18446744073" };
static OFFSET: Field = Field { name: "offset", allowed: "a 512-byte sector, 0 to 2^55 - 1" };
static SIZE: Field = Field { name: "size", allowed: "a number of 512-byte sectors, 1 to 2^23" };
static TYPE: Field = Field { name: "type", allowed: "0 (read) or 1 (write)" };
static VOLUME: Field = Field { name: "volume", allowed: "a number, 0 to 2^32 - 1" };

const HEADINGS: &[&[&str]] = &[
    &["timestamp", "time"],
    &["offset", "lba"],
    &["size", "length"],
    &["iotype", "type", "op"],
    &["volumeid", "volume"],
];

#[derive(Debug, Default)]
pub(super) struct Tencent;

impl TraceFormat for Tencent {
    const NAME: &'static str = "tencent";
    const DESCRIPTION: &'static str =
        "Tencent block CSV: time in whole s, offset and size in 512-byte sectors, 0 = read or 1 = write, volume";
    const LAYOUT: &'static str = "timestamp,offset,size,type,volume";
    const UNIT_NS: Option<u64> = Some(SECOND_NS);
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> = Holds::reads_and_writes(SECOND_NS, SECTOR_BYTES);

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [timestamp, offset, size, kind, volume] = by_commas(line)?;
        let kind = match kind {
            b"0" => Kind::Read,
            b"1" => Kind::Write,
            _ if are_headings(line, HEADINGS) => return Ok(None),
            _ => return Err(Fault::text(&TYPE, kind)),
        };
        let arrival_ns = scaled(&TIMESTAMP, timestamp, SECOND_NS)?;
        let offset_bytes = scaled(&OFFSET, offset, SECTOR_BYTES)?;
        let bytes = scaled(&SIZE, size, SECTOR_BYTES)?;
        let device = number32(&VOLUME, volume)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&OFFSET, offset), (&SIZE, size)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let (seconds, kind) = (record.arrival_ns / SECOND_NS, u8::from(record.kind == Kind::Write));
        let (offset, size) = (record.offset_bytes / SECTOR_BYTES, record.bytes / SECTOR_BYTES);
        writeln!(out, "{seconds},{offset},{size},{kind},{}", record.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("1538323200,4247200,128,1,1058", write(1_538_323_200_000_000_000, 1058, 4_247_200 * 512, 65536)),
            ("0,0,1,0,0", read(0, 0, 0, 512)),
        ];
        let others = ["", "1,0,1,0", "1,0,1,2,0", "1.5,0,1,0,0", "419,W,8792731648,16384,1577808144360767"];
        let bad = ["1,0,0,0,0", "18446744074,0,1,0,0", "1,36028797018963968,1,0,0", "1,0,8388609,0,0"];
        check::<Tencent>(&lines, &others, &bad);
    }
}
