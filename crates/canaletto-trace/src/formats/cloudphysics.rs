//! CloudPhysics CSV: `1,5633898368802,2a,512,42932745`, one SCSI command a line, after a header.
//!
//! Waldspurger et al. (FAST 2015) traced virtual disks with vscsiStats; this is the text form of [`super::vscsi`].
//! Version, time in µs, operation code in hexadecimal, size in bytes, block number (512 bytes). Other commands than
//! reads, writes and flushes are no requests. A file is one virtual disk.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, scsi};
use crate::fields::{Fault, Field, by_commas, checked, flush, number, scaled};

const MICROSECOND_NS: u64 = 1000;
const BLOCK_BYTES: u64 = 512;
const HEADER: &str = "version,time,op,size,lbn";

static VERSION: Field = Field { name: "version", allowed: "1 or 2" };
static TIME: Field = Field { name: "time", allowed: "whole microseconds, 0 to 2^64 / 1000" };
static OP: Field = Field { name: "op", allowed: "a SCSI operation code, two hexadecimal digits" };
static SIZE: Field = Field { name: "size", allowed: "bytes, 1 to 2^32" };
static LBN: Field = Field { name: "lbn", allowed: "a 512-byte block, 0 to 2^55 - 1" };

#[derive(Debug, Default)]
pub(super) struct CloudPhysics;

impl TraceFormat for CloudPhysics {
    const NAME: &'static str = "cloudphysics";
    const DESCRIPTION: &'static str =
        "CloudPhysics CSV: record version, time in µs, SCSI operation code in hex, size in bytes, 512-byte block";
    const LAYOUT: &'static str = HEADER;
    const UNIT_NS: Option<u64> = Some(MICROSECOND_NS);
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> = Some(Holds {
        time_ns: MICROSECOND_NS,
        bytes: BLOCK_BYTES,
        kinds: &[Kind::Read, Kind::Write, Kind::Flush],
        devices: false,
        write_forms: false,
    });

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [version, time, op, size, lbn] = by_commas(line)?;
        if !matches!(version, b"1" | b"2") {
            return if line == HEADER.as_bytes() { Ok(None) } else { Err(Fault::text(&VERSION, version)) };
        }
        let code = hexadecimal(op).ok_or_else(|| Fault::text(&OP, op))?;
        let arrival_ns = scaled(&TIME, time, MICROSECOND_NS)?;
        let bytes = number(&SIZE, size)?;
        let offset_bytes = scaled(&LBN, lbn, BLOCK_BYTES)?;
        match scsi::kind(code) {
            None => Ok(None),
            Some(Kind::Flush) => Ok(Some(flush(arrival_ns, 0))),
            Some(kind) => {
                let record = Record { arrival_ns, device: 0, offset_bytes, bytes, kind, ..Record::PLAIN };
                checked(record, (&LBN, lbn), (&SIZE, size)).map(Some)
            }
        }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let code = match record.kind {
            Kind::Read => "28",
            Kind::Flush => "35",
            _ => "2a",
        };
        let (time, lbn) = (record.arrival_ns / MICROSECOND_NS, record.offset_bytes / BLOCK_BYTES);
        writeln!(out, "1,{time},{code},{},{lbn}", record.bytes)
    }
}

fn hexadecimal(text: &[u8]) -> Option<u16> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    match text {
        [high, low] => u16::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("1,5633898368802,2a,512,42932745", write(5_633_898_368_802_000, 0, 42_932_745 * 512, 512)),
            ("2,1,8A,512,1", write(1000, 0, 512, 512)),
            ("1,1,28,512,1", read(1000, 0, 512, 512)),
            ("1,7,35,0,0", Some(flush(7000, 0))),
            // INQUIRY.
            ("1,7,12,36,0", None),
            (HEADER, None),
        ];
        let others = ["", "1,2,28,512", "3,2,28,512,1", "1,2,R,512,1", "1,x,28,512,1", "1538323200,4247200,128,1,1058"];
        let bad = ["1,2,28,0,1", "1,18446744073709552,28,512,1", "1,2,28,512,36028797018963968"];
        check::<CloudPhysics>(&lines, &others, &bad);
    }
}
