//! SYSTOR '17 CSV: `1456095145.133076000,0.000806000,R,0,899056122368,131072`, one request a line, after a header.
//!
//! LUN traces of virtual desktops (Lee et al., SYSTOR 2017; SNIA IOTTA). Timestamp and response time are seconds,
//! offset and size bytes. Lines are sorted by completion: the sort window puts arrivals in order. Lines without type
//! are no requests.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, by_commas, checked, decimal, number, number32, write_decimal};

const SECOND_NS: u64 = 1_000_000_000;
const HEADER: &str = "Timestamp,Response,IOType,LUN,Offset,Size";

static TIMESTAMP: Field = Field { name: "Timestamp", allowed: "seconds, 0 to 18446744073" };
static RESPONSE: Field = Field { name: "Response", allowed: "seconds, or nothing" };
static TYPE: Field = Field { name: "IOType", allowed: "R or W" };
static LUN: Field = Field { name: "LUN", allowed: "a number, 0 to 2^32 - 1" };
static OFFSET: Field = Field { name: "Offset", allowed: "bytes, 0 to 2^64 - 1" };
static SIZE: Field = Field { name: "Size", allowed: "bytes, 1 to 2^32" };

#[derive(Debug, Default)]
pub(super) struct Systor;

impl TraceFormat for Systor {
    const NAME: &'static str = "systor";
    const DESCRIPTION: &'static str =
        "SYSTOR '17 CSV: timestamp and response time in s, R or W, LUN, offset and size in bytes; sorted by completion";
    const LAYOUT: &'static str = HEADER;
    const UNIT_NS: Option<u64> = Some(SECOND_NS);
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, 1);

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [timestamp, response, kind, lun, offset, size] = by_commas(line)?;
        let kind = match kind {
            b"R" => Kind::Read,
            b"W" => Kind::Write,
            // No request, whether it has a response time or not.
            b"" if decimal(&TIMESTAMP, timestamp, SECOND_NS).is_ok() => return Ok(None),
            _ if line == HEADER.as_bytes() => return Ok(None),
            _ => return Err(Fault::text(&TYPE, kind)),
        };
        let arrival_ns = decimal(&TIMESTAMP, timestamp, SECOND_NS)?;
        if !response.is_empty() {
            decimal(&RESPONSE, response, SECOND_NS)?;
        }
        let device = number32(&LUN, lun)?;
        let offset_bytes = number(&OFFSET, offset)?;
        let bytes = number(&SIZE, size)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&OFFSET, offset), (&SIZE, size)).map(Some)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        write_decimal(out, record.arrival_ns, SECOND_NS)?;
        let kind = if record.kind == Kind::Write { "W" } else { "R" };
        writeln!(out, ",0.000000000,{kind},{},{},{}", record.device, record.offset_bytes, record.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            (
                "1456095145.133076000,0.000806000,R,6,899056122368,131072",
                read(1_456_095_145_133_076_000, 6, 899_056_122_368, 131_072),
            ),
            (HEADER, None),
            ("1456095145.133076000,,,6,899056122368,131072", None),
            ("1456095145.133076000,0.000806000,,6,899056122368,131072", None),
            ("1,,W,6,0,1", write(1_000_000_000, 6, 0, 1)),
        ];
        let others = ["", "1,2,R,0,0", "1,2,X,0,0,1", "x,2,R,0,0,1", "1,x,R,0,0,1", "1,2,R,0,0,-1"];
        let bad = ["1,2,R,0,0,0", "18446744074,2,R,0,0,1", "1,2,R,4294967296,0,1"];
        check::<Systor>(&lines, &others, &bad);
    }
}
