//! VMware vscsi traces (CloudPhysics): one binary record a SCSI command, little-endian, no header.
//!
//! ```text
//! version 1, 32 bytes: number u32, bytes u32, segments u32, command u16, version u16, block u64, time in µs u64
//! version 2, 40 bytes: command u16, version u16, number u32, bytes u32, segments u32, block u64, time u64, response u64
//! ```
//!
//! The high byte of the version is 1 or 2. (Layout as in libCacheSim's `vscsi.h`, from CloudPhysics.) Blocks have 512
//! bytes. In messages, a record counts as a line.

use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, scsi};
use crate::fields::{Fault, Field, checked, flush};
use crate::lines::{Line, LineFault, Lines};

const MICROSECOND_NS: u64 = 1000;
const BLOCK_BYTES: u64 = 512;

static VERSION: Field = Field { name: "version", allowed: "that of the first record" };
static TIME: Field = Field { name: "time", allowed: "whole microseconds, 0 to 2^64 / 1000" };
static SIZE: Field = Field { name: "size", allowed: "bytes, 1 to 2^32" };
static BLOCK: Field = Field { name: "block", allowed: "a 512-byte block, 0 to 2^55 - 1" };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    fn bytes(self) -> usize {
        match self {
            Self::One => 32,
            Self::Two => 40,
        }
    }

    fn places(self) -> [usize; 4] {
        match self {
            Self::One => [12, 4, 16, 24],
            Self::Two => [0, 8, 16, 24],
        }
    }

    /// Of this version, and a command of one of the groups of SCSI.
    fn is_of(self, record: &[u8]) -> bool {
        let version_at = self.places()[0] + 2;
        u16_at(record, version_at) >> 8 == if self == Self::One { 1 } else { 2 }
            && u16_at(record, self.places()[0]) < 256
    }

    /// At least one record is whole.
    fn of(head: &[u8]) -> Option<Self> {
        let agrees = |version: &Self| {
            let mut records = head.chunks_exact(version.bytes()).peekable();
            records.peek().is_some() && records.all(|record| version.is_of(record))
        };
        [Self::One, Self::Two].into_iter().find(agrees)
    }
}

#[derive(Debug, Default)]
pub(super) struct Vscsi {
    version: Option<Version>,
}

impl TraceFormat for Vscsi {
    const NAME: &'static str = "vscsi";
    const DESCRIPTION: &'static str = "VMware vscsi (CloudPhysics), binary: records of 32 (version 1) or 40 bytes \
                                       (version 2) with SCSI command, bytes, 512-byte block and time in µs";
    const LAYOUT: &'static str = "a record of 32 or 40 bytes";
    const UNIT_NS: Option<u64> = Some(MICROSECOND_NS);
    const HOLDS: Option<Holds> = None;
    const BINARY: bool = true;

    fn starts(head: &[u8]) -> bool {
        // Its small numbers have zero bytes, which no text has.
        head.contains(&0) && Version::of(head).is_some()
    }

    fn take<'a>(&mut self, lines: &'a mut Lines) -> Result<Option<Line<'a>>, LineFault> {
        let version = *self.version.get_or_insert_with(|| Version::of(lines.head()).unwrap_or(Version::One));
        lines.chunk(version.bytes())
    }

    fn parse(&mut self, record: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let version = self.version.unwrap_or(Version::One);
        if record.len() != version.bytes() {
            return Err(Box::new(Fault::Fields { found: record.len() }));
        }
        let [command, size, block, time] = version.places();
        if !version.is_of(record) {
            return Err(Fault::text(&VERSION, &record[command..command + 4]));
        }
        let Some(kind) = scsi::kind(u16_at(record, command)) else {
            return Ok(None);
        };
        let (block, time) = (u64_at(record, block), u64_at(record, time));
        let arrival_ns = scale(&TIME, time, MICROSECOND_NS)?;
        if kind == Kind::Flush {
            return Ok(Some(flush(arrival_ns, 0)));
        }
        let bytes = u64::from(u32::from_le_bytes(array(record, size)));
        let offset_bytes = scale(&BLOCK, block, BLOCK_BYTES)?;
        let record = Record { arrival_ns, device: 0, offset_bytes, bytes, kind, ..Record::PLAIN };
        let (block, bytes) = (block.to_string(), bytes.to_string());
        checked(record, (&BLOCK, block.as_bytes()), (&SIZE, bytes.as_bytes())).map(Some)
    }

    fn write(&mut self, _: &Record, _: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

fn scale(field: &'static Field, value: u64, unit: u64) -> Result<u64, Box<Fault>> {
    value.checked_mul(unit).ok_or_else(|| Fault::value(field, value.to_string().as_bytes(), field.allowed))
}

fn array<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&record[at..at + N]);
    bytes
}

fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(array(record, at))
}

fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array(record, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(command: u16, bytes: u32, block: u64, time: u64) -> Vec<u8> {
        let mut record = [7u32, bytes, 1].map(u32::to_le_bytes).concat();
        record.extend([command, 0x0103].map(u16::to_le_bytes).concat());
        record.extend([block, time].map(u64::to_le_bytes).concat());
        record
    }

    fn two(command: u16, bytes: u32, block: u64, time: u64) -> Vec<u8> {
        let mut record = [command, 0x0203].map(u16::to_le_bytes).concat();
        record.extend([7u32, bytes, 1].map(u32::to_le_bytes).concat());
        record.extend([block, time, 99].map(u64::to_le_bytes).concat());
        record
    }

    #[test]
    fn a_record_is_a_request() {
        let expected = Record {
            arrival_ns: 5000,
            device: 0,
            offset_bytes: 512 * 9,
            bytes: 4096,
            kind: Kind::Read,
            ..Record::PLAIN
        };
        for (record, version) in [(one(0x28, 4096, 9, 5), Version::One), (two(0x28, 4096, 9, 5), Version::Two)] {
            let head = [&record[..], &record, &record, &record].concat();
            assert!(Vscsi::starts(&head) && Version::of(&head) == Some(version));
            assert_eq!(Vscsi { version: Some(version) }.parse(&record).unwrap(), Some(expected));
        }
        let mut format = Vscsi { version: Some(Version::One) };
        assert_eq!(format.parse(&one(0x35, 0, 0, 5)).unwrap(), Some(flush(5000, 0)));
        assert_eq!(format.parse(&one(0x12, 36, 0, 5)).unwrap(), None);
    }

    #[test]
    fn other_bytes_are_told_from_bad_values() {
        let mut format = Vscsi { version: Some(Version::One) };
        assert!(!Vscsi::starts(b"0 0 0 8 1\n1 0 8 8 1\n2 0 8 8 1\n3 0 8 8 1\n") && !Vscsi::starts(&[0; 128]));
        assert!(!Vscsi::starts(&one(0x28, 512, 0, 0)[..31]));
        assert!(!format.parse(&two(0x28, 512, 0, 0)[..32]).unwrap_err().is_of_format());
        assert!(!format.parse(&one(0x28, 512, 0, 0)[..31]).unwrap_err().is_of_format());
        for bad in [one(0x28, 0, 0, 0), one(0x28, 512, u64::MAX, 0), one(0x28, 512, 0, u64::MAX)] {
            assert!(format.parse(&bad).unwrap_err().is_of_format());
        }
    }
}
