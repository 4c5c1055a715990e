//! MSR Cambridge CSV: `128166385295514663,hm,0,Write,9056014336,2048,2833`, one request a line.
//!
//! Copies may begin with headings, have R or W as type, or spaces behind the commas. Times are Windows file times,
//! ticks of 100 ns since 1601; offset and size are bytes. The host's name and the response time are checked and
//! dropped.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, are_headings, by_commas, checked, number, number32, scaled, trimmed};

const TICK_NS: u64 = 100;

static TIMESTAMP: Field = Field { name: "timestamp", allowed: "whole ticks of 100 ns, 0 to 184467440737095516" };
static HOSTNAME: Field = Field { name: "hostname", allowed: "printable characters" };
static DISK: Field = Field { name: "disk number", allowed: "a number, 0 to 2^32 - 1" };
static TYPE: Field = Field { name: "type", allowed: "Read or Write, R or W" };
static OFFSET: Field = Field { name: "offset", allowed: "bytes, 0 to 2^64 - 1" };
static SIZE: Field = Field { name: "size", allowed: "bytes, 1 to 2^32" };
static RESPONSE: Field = Field { name: "response time", allowed: "whole ticks of 100 ns, 0 to 2^64 - 1" };

const HEADINGS: &[&[&str]] = &[
    &["timestamp", "time"],
    &["hostname", "host"],
    &["disknumber", "disk"],
    &["type", "iotype", "op", "opcode"],
    &["offset"],
    &["size", "length"],
    &["responsetime", "response", "latency"],
];

#[derive(Debug, Default)]
pub(super) struct Msr;

impl TraceFormat for Msr {
    const NAME: &'static str = "msr";
    const DESCRIPTION: &'static str = "MSR Cambridge CSV: timestamp in ticks of 100 ns, hostname, disk number, \
                                       Read or Write, offset and size in bytes, response time in ticks";
    const LAYOUT: &'static str = "timestamp,hostname,disk number,type,offset,size,response time";
    const UNIT_NS: Option<u64> = Some(TICK_NS);
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> = Holds::reads_and_writes(TICK_NS, 1);

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [timestamp, hostname, disk, kind, offset, size, response] = trimmed(by_commas(line)?);
        let kind = match kind {
            b"Read" | b"R" | b"r" | b"read" | b"READ" => Kind::Read,
            b"Write" | b"W" | b"w" | b"write" | b"WRITE" => Kind::Write,
            _ if are_headings(line, HEADINGS) => return Ok(None),
            _ => return Err(Fault::text(&TYPE, kind)),
        };
        if hostname.is_empty() || !hostname.iter().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(Fault::text(&HOSTNAME, hostname));
        }
        let arrival_ns = scaled(&TIMESTAMP, timestamp, TICK_NS)?;
        let device = number32(&DISK, disk)?;
        let offset_bytes = number(&OFFSET, offset)?;
        let bytes = number(&SIZE, size)?;
        number(&RESPONSE, response)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&OFFSET, offset), (&SIZE, size)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let Record { arrival_ns, device, offset_bytes, bytes, .. } = *record;
        let kind = if record.kind == Kind::Write { "Write" } else { "Read" };
        // A record knows neither host nor response: a stand-in, and no time.
        writeln!(out, "{},host,{device},{kind},{offset_bytes},{bytes},0", arrival_ns / TICK_NS)
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
                "128166385295514663,hm,0,Write,9056014336,2048,2833",
                write(12_816_638_529_551_466_300, 0, 9_056_014_336, 2048),
            ),
            ("0,web 2,1,Read,1,1,18446744073709551615", read(0, 1, 1, 1)),
        ];
        let others = [
            "",
            "1,h,0,Read,0,1",
            "1,h,0,Read,0,1,1,1",
            "1,h,0,Rd,0,1,1",
            "1,,0,Read,0,1,1",
            "1,h,0,Read,0,1,",
            "1,\0,0,Read,0,1,1",
            "1.5,h,0,Read,0,1,1",
            "1,h,x,Read,0,1,1",
        ];
        let bad = [
            "1,h,0,Read,0,0,1",
            "1,h,0,Read,0,4294967297,1",
            "1,h,0,Read,18446744073709551615,1,1",
            "184467440737095517,h,0,Read,0,1,1",
            "1,h,4294967296,Read,0,1,1",
        ];
        check::<Msr>(&lines, &others, &bad);
    }
}
