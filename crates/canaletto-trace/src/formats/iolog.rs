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
//! Offset and length are bytes. Version 3 has times in µs (`log_io_u` in fio's iolog.c writes `utime_since_now`);
//! version 2 has `wait` in µs, after which the following actions come. Files are numbered in the order in which they
//! appear. `sync` and `datasync` flush; `add`, `open`, `close` and `sync_file_range` are no requests.

//! A log of several runs has a clock that starts again with each. Runs follow each other: a time that falls back by
//! more than half of its run, or a second header, begins the next.

use std::collections::HashMap;
use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat};
use crate::fields::{Fault, Field, checked, flush, number, scaled};

const MICROSECOND_NS: u64 = 1000;
/// fio itself reads at most 256 bytes of a name.
const MOST_FILES: usize = 4096;
const LONGEST_NAME: usize = 256;

/// Lines of parallel processes are out of order by less.
const LEAST_RESTART_NS: u64 = 1_000_000;

static HEADER: Field = Field { name: "header", allowed: "\"fio version 2 iolog\" or \"fio version 3 iolog\"" };
static TIME: Field = Field { name: "time", allowed: "whole microseconds, 0 to 2^64 / 1000" };
static FILE: Field = Field { name: "file name", allowed: "one of at most 4096 names of at most 256 bytes" };
static ACTION: Field =
    Field { name: "action", allowed: "add, open, close, wait, read, write, trim, sync, datasync or sync_file_range" };
static OFFSET: Field = Field { name: "offset", allowed: "bytes, 0 to 2^64 - 1" };
static LENGTH: Field = Field { name: "length", allowed: "bytes, 1 to 2^32" };

#[derive(Debug, Default)]
pub(super) struct Iolog {
    version: u8,
    /// Time reached by `wait` (version 2).
    clock_ns: u64,
    run: Run,
    files: HashMap<Vec<u8>, u32>,
    written: HashMap<u32, usize>,
}

impl TraceFormat for Iolog {
    const NAME: &'static str = "iolog";
    const DESCRIPTION: &'static str =
        "fio I/O logs, version 2 (without times) and 3 (in µs): file, action, offset and length in bytes";
    const LAYOUT: &'static str = "[time] file action [offset length]";
    const UNIT_NS: Option<u64> = Some(MICROSECOND_NS);
    const HOLDS: Option<Holds> = Some(Holds {
        time_ns: MICROSECOND_NS,
        bytes: 1,
        kinds: &[Kind::Read, Kind::Write, Kind::Trim, Kind::Flush],
        devices: true,
        write_forms: false,
    });

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        match line {
            b"fio version 2 iolog" | b"fio version 3 iolog" => {
                if self.version == 3 {
                    self.run.start_again();
                }
                self.version = line[b"fio version ".len()] - b'0';
            }
            _ if self.version == 0 => return Err(Fault::text(&HEADER, line)),
            _ => return self.action(line),
        }
        Ok(None)
    }

    fn restarts(&self) -> u64 {
        self.run.restarts
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
            _ => unreachable!("the format holds no commands to zones"),
        };
        writeln!(out, "{time} /dev/canaletto{device} {action} {} {}", record.offset_bytes, record.bytes)
    }
}

#[derive(Debug, Default)]
struct Run {
    start_ns: u64,
    times_ns: Option<(u64, u64)>,
    restarts: u64,
}

impl Run {
    /// `None` beyond 64 bits.
    fn place(&mut self, time_ns: u64) -> Option<u64> {
        if let Some((first, newest)) = self.times_ns {
            let back = newest.saturating_sub(time_ns);
            if back >= LEAST_RESTART_NS && 2 * u128::from(back) > u128::from(newest - first) {
                self.start_again();
            }
        }
        let (first, newest) = self.times_ns.unwrap_or((time_ns, time_ns));
        self.times_ns = Some((first.min(time_ns), newest.max(time_ns)));
        self.start_ns.checked_add(time_ns)
    }

    fn start_again(&mut self) {
        if let Some((_, newest)) = self.times_ns.take() {
            self.start_ns = self.start_ns.saturating_add(newest);
            self.restarts += 1;
        }
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
        let arrival_ns = match self.version {
            3 => {
                let given = next()?;
                let in_log = self.run.place(scaled(&TIME, given, MICROSECOND_NS)?);
                in_log.ok_or_else(|| Fault::value(&TIME, given, TIME.allowed))?
            }
            _ => self.clock_ns,
        };
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
        let record = Record { arrival_ns, device: self.number_of(name)?, offset_bytes, bytes, kind, ..Record::PLAIN };
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
            ..Record::PLAIN
        };
        assert_eq!(read(&lines), [write, flush(13_000, 0)]);
    }

    #[test]
    fn runs_of_a_clock_that_starts_again_follow_each_other() {
        for (first, length_us, gap) in [(0, 1000, 1), (20, 1_000_000, 7), (5_000_000, 60_000_000, 999)] {
            for between in
                [&[][..], &["0 a close", "0 a open"], &["fio version 3 iolog"], &["fio version 3 iolog", "0 a add"]]
            {
                let run = [
                    format!("{first} a read 0 512"),
                    format!("{} a read 0 512", first + gap),
                    format!("{} a read 0 512", first + length_us),
                ];
                let mut format = Iolog::default();
                let mut arrivals = Vec::new();
                format.parse(b"fio version 3 iolog").unwrap();
                for number in 0..3 {
                    let before = if number > 0 { between } else { &[] };
                    for line in before.iter().copied().chain(run.iter().map(String::as_str)) {
                        arrivals.extend(format.parse(line.as_bytes()).unwrap().map(|record| record.arrival_ns / 1000));
                    }
                }
                let end = first + length_us;
                let expected: Vec<u64> =
                    (0..3).flat_map(|n| [first, first + gap, end].map(|time| n * end + time)).collect();
                assert_eq!((arrivals, format.restarts()), (expected, 2), "{between:?}");
            }
        }
    }

    #[test]
    fn lines_that_are_a_little_late_start_no_run() {
        let mut format = Iolog::default();
        format.parse(b"fio version 3 iolog").unwrap();
        for time in [900, 0, 2000, 1500, 1_000_000, 600_000, 2_000_000] {
            let record = format.parse(format!("{time} a read 0 512").as_bytes()).unwrap().unwrap();
            assert_eq!(record.arrival_ns, time * 1000);
        }
        assert_eq!(format.restarts(), 0);
    }

    #[test]
    fn version_2_has_waits() {
        let lines =
            ["fio version 2 iolog", "a add", "a read 0 8", "a wait 100 0", "a trim 8 8", "a datasync", "a close"];
        let read_one =
            Record { arrival_ns: 0, device: 0, offset_bytes: 0, bytes: 8, kind: Kind::Read, ..Record::PLAIN };
        let trim =
            Record { arrival_ns: 100_000, device: 0, offset_bytes: 8, bytes: 8, kind: Kind::Trim, ..Record::PLAIN };
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
