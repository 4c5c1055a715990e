//! MQSim and SSDSim ASCII: `938513000 4 264719034 16 0`, one request a line.
//!
//! Times are ns, addresses and sizes sectors of 512 bytes, type 0 writes and any other number reads. Fractions are cut
//! off. MQSim takes words for reads and stops silently at a line of other than five fields; here both are errors.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, reads};
use crate::fields::{Fault, Field, by_whitespace, checked, number, number32, scaled};

const SECTOR_BYTES: u64 = 512;

static ARRIVAL: Field = Field { name: "arrival", allowed: "whole nanoseconds, 0 to 2^64 - 1" };
static DEVICE: Field = Field { name: "device", allowed: "a number, 0 to 2^32 - 1" };
static LBA: Field = Field { name: "LBA", allowed: "a 512-byte sector, 0 to 2^55 - 1" };
static SECTORS: Field = Field { name: "sectors", allowed: "a number of 512-byte sectors, 1 to 2^23" };
static TYPE: Field = Field { name: "type", allowed: "1 (read, as any other number) or 0 (write)" };

#[derive(Debug, Default)]
pub(super) struct Mqsim;

#[inline]
fn whole(field: &[u8]) -> &[u8] {
    let Some(point) = memchr::memchr(b'.', field) else { return field };
    let (whole, fraction) = field.split_at(point);
    if !whole.is_empty() && fraction[1..].iter().all(u8::is_ascii_digit) { whole } else { field }
}

impl TraceFormat for Mqsim {
    const NAME: &'static str = "mqsim";
    const DESCRIPTION: &'static str =
        "MQSim and SSDSim ASCII: arrival in ns, device, LBA in 512-byte sectors, sectors, 1 = read or 0 = write";
    const LAYOUT: &'static str = "arrival device LBA sectors type";
    const UNIT_NS: Option<u64> = Some(1);
    const HOLDS: Option<Holds> = Holds::reads_and_writes(1, SECTOR_BYTES);

    fn fits(&mut self, line: &[u8]) -> bool {
        let strict = matches!(by_whitespace::<5>(line), Ok([.., b"0" | b"1"])) && !line.contains(&b'.');
        strict && reads(self, line)
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let [arrival, device, lba, sectors, kind] = by_whitespace::<5>(line)?.map(whole);
        let kind = match kind {
            b"0" => Kind::Write,
            b"1" => Kind::Read,
            _ => number(&TYPE, kind).map(|_| Kind::Read)?,
        };
        let arrival_ns = number(&ARRIVAL, arrival)?;
        let device = number32(&DEVICE, device)?;
        let offset_bytes = scaled(&LBA, lba, SECTOR_BYTES)?;
        let bytes = scaled(&SECTORS, sectors, SECTOR_BYTES)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&LBA, lba), (&SECTORS, sectors)).map(Some)
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let (lba, sectors) = (record.offset_bytes / SECTOR_BYTES, record.bytes / SECTOR_BYTES);
        let kind = u8::from(record.kind == Kind::Read);
        writeln!(out, "{} {} {lba} {sectors} {kind}", record.arrival_ns, record.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{check, read, write};

    #[test]
    fn lines_are_records_or_of_other_formats_or_bad() {
        let lines = [
            ("938513000 4 264719034 16 0", write(938_513_000, 4, 264_719_034 * 512, 8192)),
            ("\t938513000  4 264719034\t16 0 ", write(938_513_000, 4, 264_719_034 * 512, 8192)),
            ("0 0 0 1 1", read(0, 0, 0, 512)),
        ];
        let others = ["0 0 0 1", "0 0 0 1 1 1", "0 0 0 1 R", "0.x 0 0 1 1", ".5 0 0 1 1", "-1 0 0 1 1", "0,0,0,1,1"];
        let bad = ["0 0 0 0 1", "0 0 36028797018963968 1 1", "0 0 36028797018963967 1 1", "0 0 0 8388609 1"];
        check::<Mqsim>(&lines, &others, &bad);
    }

    #[test]
    fn other_numbers_are_reads_and_fractions_are_cut_off() {
        let plain = read(12, 0, 8 * 512, 16 * 512);
        for line in ["12 0 8 16 2", "12 0 8 16 00", "12.9 0 8.5 16.25 1", "12. 0 8 16 7"] {
            assert_eq!(Mqsim.parse(line.as_bytes()).unwrap(), plain, "{line}");
            assert!(!Mqsim.fits(line.as_bytes()), "{line}");
        }
        assert!(Mqsim.fits(b"12 0 8 16 0"));
    }
}
