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
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("551.706 3 20941264 16 0", write(551_706_000, 3, 20_941_264 * 512, 8192)),
            ("0.0 0 0 1 3", read(0, 0, 0, 512)),
        ];
        let others = ["", "1.0 0 0 1", "1.0 0 0 1 R", "1.0 0 0 1 1 1", "x 0 0 1 1"];
        let bad = ["1.0 0 0 0 1", "1.0 0 36028797018963968 1 1", "1.0 0 0 8388609 1"];
        check::<DiskSim>(&lines, &others, &bad);
        assert!(!DiskSim.fits(b"551706000 3 20941264 16 0"), "MQSim's");
    }
}
