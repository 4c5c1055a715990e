//! fio I/O logs, versions 2 and 3 (`write_iolog`, `read_iolog`), after a header that names the version.
//!
//! ```text
//! fio version 2 iolog          fio version 3 iolog
//! /dev/sda add                 0 /dev/sda add
//! /dev/sda open                4 /dev/sda open
//! /dev/sda read 0 4096         12 /dev/sda read 0 4096
//! /dev/sda wait 100 0
//! ```
//!
//! Offset and length are bytes. Version 3 has times, in µs (`log_io_u` in fio's iolog.c writes `utime_since_now`); version
//! 2 has `wait`, in µs, after which the following actions come. Files are numbered in the order in which they appear. `sync`
//! and `datasync` flush; `add`, `open`, `close` and `sync_file_range` ask the drive for nothing.

use std::collections::HashMap;
use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, checked, flush, number, scaled};

const MICROSECOND_NS: u64 = 1000;
/// Bounds of what is remembered: fio itself reads at most 256 bytes of a name.
const MOST_FILES: usize = 4096;
const LONGEST_NAME: usize = 256;

static HEADER: Field = Field { name: "header", allowed: "\"fio version 2 iolog\" or \"fio version 3 iolog\"" };
static TIME: Field = Field { name: "time", allowed: "whole microseconds, 0 to 2^64 / 1000" };
static FILE: Field = Field { name: "file name", allowed: "one of at most 4096 names of at most 256 bytes" };
static ACTION: Field =
    Field { name: "action", allowed: "add, open, close, wait, read, write, trim, sync, datasync or sync_file_range" };
static OFFSET: Field = Field { name: "offset", allowed: "bytes, 0 to 2^64 - 1" };
static LENGTH: Field = Field { name: "length", allowed: "bytes, 1 to 2^32" };

#[derive(Debug, Default)]
pub(super) struct Iolog {
    /// 2 or 3 once the header has been read.
    version: u8,
    /// The moment that `wait` has come to (version 2).
    clock_ns: u64,
    /// Numbers of file names.
    files: HashMap<Vec<u8>, u32>,
    /// Numbers of the devices written.
    written: HashMap<u32, usize>,
}

impl TraceFormat for Iolog {
    const NAME: &'static str = "iolog";
    const DESCRIPTION: &'static str =
        "fio I/O logs, version 2 (without times) and 3 (in µs): file, action, offset and length in bytes";
    const LAYOUT: &'static str = "[time] file action [offset length]";
    const HOLDS: Option<Holds> = Some(Holds {
        time_ns: MICROSECOND_NS,
        bytes: 1,
        kinds: &[Kind::Read, Kind::Write, Kind::Trim, Kind::Flush],
        devices: true,
        write_forms: false,
    });

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        match line {
            b"fio version 2 iolog" => self.version = 2,
            b"fio version 3 iolog" => self.version = 3,
            _ if self.version == 0 => return Err(Fault::text(&HEADER, line)),
            _ => return self.action(line),
        }
        Ok(None)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "fio version 3 iolog")
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let time = record.arrival_ns / MICROSECOND_NS;
        let known = self.written.len();
        let device = *self.written.entry(record.device).or_insert(known);
        if device == known {
            writeln!(out, "{time} /dev/canaletto{device} add\n{time} /dev/canaletto{device} open")?;
        }
        let action = match record.kind {
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Trim => "trim",
            Kind::Flush => "sync",
        };
        writeln!(out, "{time} /dev/canaletto{device} {action} {} {}", record.offset_bytes, record.bytes)
    }
}

impl Iolog {
    fn action(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let mut fields = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty());
        let mut count = 0;
        let mut next = || {
            count += 1;
            fields.next().ok_or_else(|| Box::new(Fault::Fields { found: count - 1 }))
        };
        let arrival_ns = if self.version == 3 { scaled(&TIME, next()?, MICROSECOND_NS)? } else { self.clock_ns };
        let (name, action) = (next()?, next()?);
        let kind = match action {
            b"read" => Kind::Read,
            b"write" => Kind::Write,
            b"trim" => Kind::Trim,
            b"sync" | b"datasync" => return Ok(Some(flush(arrival_ns, self.number_of(name)?))),
            b"wait" => {
                let given = next()?;
                let waited = self.clock_ns.checked_add(scaled(&TIME, given, MICROSECOND_NS)?);
                self.clock_ns = waited.ok_or_else(|| Fault::value(&TIME, given, TIME.allowed))?;
                return Ok(None);
            }
            b"add" | b"open" | b"close" | b"sync_file_range" => return self.number_of(name).map(|_| None),
            _ => return Err(Fault::text(&ACTION, action)),
        };
        let (offset, length) = (next()?, next()?);
        let (offset_bytes, bytes) = (number(&OFFSET, offset)?, number(&LENGTH, length)?);
        let record =
            Record { arrival_ns, device: self.number_of(name)?, offset_bytes, bytes, kind, fua: false, zeroes: false };
        checked(record, (&OFFSET, offset), (&LENGTH, length)).map(Some)
    }

    fn number_of(&mut self, name: &[u8]) -> Result<u32, Box<Fault>> {
        if let Some(number) = self.files.get(name) {
            return Ok(*number);
        }
        if self.files.len() == MOST_FILES || name.len() > LONGEST_NAME {
            return Err(Fault::value(&FILE, name, FILE.allowed));
        }
        let number = self.files.len() as u32;
        self.files.insert(name.to_owned(), number);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Vec<Record> {
        let mut format = Iolog::default();
        lines.iter().filter_map(|line| format.parse(line.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn version_3_has_times() {
        let lines = ["fio version 3 iolog", "2 a add", "9 b add", "10 b open", "12 b write 4096 512", "13 a sync 0 0"];
        let write = Record {
            arrival_ns: 12_000,
            device: 1,
            offset_bytes: 4096,
            bytes: 512,
            kind: Kind::Write,
            fua: false,
            zeroes: false,
        };
        assert_eq!(read(&lines), [write, flush(13_000, 0)]);
    }

    #[test]
    fn version_2_has_waits() {
        let lines =
            ["fio version 2 iolog", "a add", "a read 0 8", "a wait 100 0", "a trim 8 8", "a datasync", "a close"];
        let read_one =
            Record { arrival_ns: 0, device: 0, offset_bytes: 0, bytes: 8, kind: Kind::Read, fua: false, zeroes: false };
        let trim = Record {
            arrival_ns: 100_000,
            device: 0,
            offset_bytes: 8,
            bytes: 8,
            kind: Kind::Trim,
            fua: false,
            zeroes: false,
        };
        assert_eq!(read(&lines), [read_one, trim, flush(100_000, 0)]);
    }

    #[test]
    fn lines_of_other_formats_are_told_from_bad_values() {
        assert!(!Iolog::default().parse(b"a read 0 8").unwrap_err().is_of_format(), "no header");
        let mut format = Iolog { version: 3, ..Iolog::default() };
        for other in ["", "1", "1 a", "1 a read", "1 a read 0", "x a read 0 8", "1 a eat 0 8", "1 a read -1 8"] {
            assert!(!format.parse(other.as_bytes()).unwrap_err().is_of_format(), "{other}");
        }
        let long = format!("1 {} add", "x".repeat(LONGEST_NAME + 1));
        for bad in ["1 a read 0 0", "18446744073709552 a read 0 8", "1 a read 18446744073709551615 8", &long] {
            assert!(format.parse(bad.as_bytes()).unwrap_err().is_of_format(), "{bad}");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut format = Iolog { version: 3, ..Iolog::default() };
        assert!((0..MOST_FILES).all(|i| format.parse(format!("1 f{i} add").as_bytes()).is_ok()));
        assert!(format.parse(b"1 one_more add").unwrap_err().is_of_format());
        assert!(format.parse(b"1 f7 read 0 8").unwrap().is_some_and(|record| record.device == 7));
    }
}
