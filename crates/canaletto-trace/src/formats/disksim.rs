//! DiskSim ASCII: `551.706 0 20941264 16 0`, one request a line.
//!
//! Time in ms, device, address and size in blocks of 512 bytes, flags: bit 0 is a read (DiskSim 4.0 reference manual,
//! "Traces", ASCII format). SSDSim and MQSim write the same fields with times in ns: [`super::mqsim`].

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, reads};
use crate::fields::{Fault, Field, by_whitespace, checked, decimal, number, number32, scaled, write_decimal};

const MILLISECOND_NS: u64 = 1_000_000;
const BLOCK_BYTES: u64 = 512;

static TIME: Field = Field { name: "time", allowed: "milliseconds, 0 to 18446744073709" };
static DEVICE: Field = Field { name: "device", allowed: "a number, 0 to 2^32 - 1" };
static BLOCK: Field = Field { name: "block", allowed: "a 512-byte block, 0 to 2^55 - 1" };
static COUNT: Field = Field { name: "blocks", allowed: "a number of 512-byte blocks, 1 to 2^23" };
static FLAGS: Field = Field { name: "flags", allowed: "a number whose lowest bit is 1 for a read" };

#[derive(Debug, Default)]
pub(super) struct DiskSim;

impl TraceFormat for DiskSim {
    const NAME: &'static str = "disksim";
    const DESCRIPTION: &'static str =
        "DiskSim ASCII: time in ms, device, address and size in 512-byte blocks, flags with 1 = read or 0 = write";
    const LAYOUT: &'static str = "time device block blocks flags";
    const UNIT_NS: Option<u64> = Some(MILLISECOND_NS);
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, BLOCK_BYTES);

    fn fits(&mut self, line: &[u8]) -> bool {
        line.contains(&b'.') && reads(self, line)
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [time, device, block, count, flags] = by_whitespace(line)?;
        let kind = if number(&FLAGS, flags)? & 1 == 1 { Kind::Read } else { Kind::Write };
        let arrival_ns = decimal(&TIME, time, MILLISECOND_NS)?;
        let device = number32(&DEVICE, device)?;
        let offset_bytes = scaled(&BLOCK, block, BLOCK_BYTES)?;
        let bytes = scaled(&COUNT, count, BLOCK_BYTES)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&BLOCK, block), (&COUNT, count)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        write_decimal(out, record.arrival_ns, MILLISECOND_NS)?;
        let (block, count) = (record.offset_bytes / BLOCK_BYTES, record.bytes / BLOCK_BYTES);
        writeln!(out, " {} {block} {count} {}", record.device, u8::from(record.kind == Kind::Read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Record>, Box<Fault>> {
        DiskSim.parse(line.as_bytes())
    }

    #[test]
    fn a_line_is_a_record() {
        let offset_bytes = 20_941_264 * 512;
        let expected = Record {
            arrival_ns: 551_706_000,
            device: 3,
            offset_bytes,
            bytes: 8192,
            kind: Kind::Write,
            ..Record::PLAIN
        };
        assert_eq!(parse("551.706 3 20941264 16 0").unwrap(), Some(expected));
        assert_eq!(parse("0.0 0 0 1 3").unwrap().unwrap().kind, Kind::Read);
        assert!(!DiskSim.fits(b"551706000 3 20941264 16 0"), "MQSim's");
    }

    #[test]
    fn lines_of_other_formats_are_told_from_bad_values() {
        for other in ["", "1.0 0 0 1", "1.0 0 0 1 R", "1.0 0 0 1 1 1", "x 0 0 1 1"] {
            assert!(!parse(other).unwrap_err().is_of_format(), "{other}");
        }
        for bad in ["1.0 0 0 0 1", "1.0 0 36028797018963968 1 1", "1.0 0 0 8388609 1"] {
            assert!(parse(bad).unwrap_err().is_of_format(), "{bad}");
        }
    }
}
