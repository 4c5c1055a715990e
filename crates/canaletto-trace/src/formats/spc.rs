//! SPC traces (UMass): `0,20941264,8192,W,0.551706`, one request per line.
//!
//! SPC Trace File Format Specification, revision 1.0.1: application storage unit (ASU), address in blocks of 512 bytes,
//! size in bytes, opcode R or W in either case, time in seconds. Further fields and a row of headings are skipped.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, are_headings, checked, decimal, number, number32, scaled, write_decimal};

const SECOND_NS: u64 = 1_000_000_000;
const BLOCK_BYTES: u64 = 512;

static ASU: Field = Field { name: "ASU", allowed: "a number, 0 to 2^32 - 1" };
static LBA: Field = Field { name: "LBA", allowed: "a 512-byte block, 0 to 2^55 - 1" };
static SIZE: Field = Field { name: "size", allowed: "bytes, 1 to 2^32" };
static OPCODE: Field = Field { name: "opcode", allowed: "R or W" };
static TIMESTAMP: Field = Field { name: "timestamp", allowed: "seconds, 0 to 18446744073" };

const HEADINGS: &[&[&str]] = &[
    &["asu", "applicationstorageunit", "device"],
    &["lba", "address", "block"],
    &["size", "length"],
    &["opcode", "op", "type", "iotype"],
    &["timestamp", "time"],
];

#[derive(Debug, Default)]
pub(super) struct Spc;

impl TraceFormat for Spc {
    const NAME: &'static str = "spc";
    const DESCRIPTION: &'static str =
        "SPC (UMass Financial, WebSearch): ASU, LBA in 512-byte blocks, size in bytes, R or W, time in s";
    const LAYOUT: &'static str = "ASU,LBA,size,opcode,timestamp";
    const UNIT_NS: Option<u64> = Some(SECOND_NS);
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, BLOCK_BYTES);

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let mut fields = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let mut found = [&[][..]; 5];
        for (count, slot) in found.iter_mut().enumerate() {
            *slot = fields.next().ok_or_else(|| Box::new(Fault::Fields { found: count }))?;
        }
        let [asu, lba, size, opcode, timestamp] = found;
        let kind = match opcode {
            b"R" | b"r" => Kind::Read,
            b"W" | b"w" => Kind::Write,
            _ if are_headings(line, HEADINGS) => return Ok(None),
            _ => return Err(Fault::text(&OPCODE, opcode)),
        };
        let device = number32(&ASU, asu)?;
        let offset_bytes = scaled(&LBA, lba, BLOCK_BYTES)?;
        let bytes = number(&SIZE, size)?;
        let arrival_ns = decimal(&TIMESTAMP, timestamp, SECOND_NS)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&LBA, lba), (&SIZE, size)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let kind = if record.kind == Kind::Write { "W" } else { "R" };
        write!(out, "{},{},{},{kind},", record.device, record.offset_bytes / BLOCK_BYTES, record.bytes)?;
        write_decimal(out, record.arrival_ns, SECOND_NS)?;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let whole = write(551_706_000, 3, 20_941_264 * 512, 8192);
        let lines = [
            ("3,20941264,8192,W,0.551706", whole),
            ("3, 20941264, 8192, w, 0.551706, 4, 5", whole),
            ("0,0,512,r,1", read(1_000_000_000, 0, 0, 512)),
        ];
        let others = ["", "0,0,512,R", "0,0,512,X,1", "a,0,512,R,1", "419,W,8792731648,16384,1577808144360767"];
        let bad = ["0,0,0,R,1", "4294967296,0,1,R,1", "0,36028797018963968,1,R,1", "0,0,1,R,18446744074"];
        check::<Spc>(&lines, &others, &bad);
    }
}
