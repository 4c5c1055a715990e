//! bcc's `biosnoop`: `0.004 fio 1234 nvme0n1 R 2048 4096 0.10`, one completed request a line, after a header.
//!
//! ```text
//! TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)
//! ```
//!
//! The header names the columns (`QUE(ms)` with `-Q`); a command's name may have spaces, so columns are counted from
//! the right. `TIME` is the completion's time (biosnoop.py, libbpf-tools/biosnoop.c), so a request arrives `LAT` before
//! it; times count from the first arrival. `T` is R or W, or the kernel's letters as in blkparse. Sectors have 512
//! bytes. Disks are numbered in the order in which they appear.

use std::collections::HashMap;
use std::io::{self, Write};

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, blkparse};
use crate::fields::{Fault, Field, checked, decimal, flush, number, scaled};

const SECOND_NS: u64 = 1_000_000_000;
const MILLISECOND_NS: u64 = 1_000_000;
const SECTOR_BYTES: u64 = 512;
const MOST_FIELDS: usize = 64;
const MOST_DISKS: usize = 4096;
const LEADING: u32 = 100;

static HEADER: Field = Field { name: "header", allowed: "columns TIME(s), DISK, T, SECTOR, BYTES and LAT(ms)" };
static TIME: Field = Field { name: "TIME", allowed: "seconds, 0 to 18446744073" };
static DISK: Field = Field { name: "DISK", allowed: "one of at most 4096 names" };
static LETTERS: Field = Field { name: "T", allowed: "R or W, or letters such as WS or FF" };
static SECTOR: Field = Field { name: "SECTOR", allowed: "a 512-byte sector, 0 to 2^55 - 1" };
static BYTES: Field = Field { name: "BYTES", allowed: "bytes, 1 to 2^32" };
static LATENCY: Field = Field { name: "LAT", allowed: "milliseconds, 0 to 18446744073709" };

#[derive(Debug, Default)]
pub(super) struct Biosnoop {
    header: Option<Header>,
    leading: u32,
    /// Latency of the first request, which arrives at 0.
    first_ns: Option<u64>,
    disks: HashMap<Vec<u8>, u32>,
}

#[derive(Debug, Clone, Copy)]
struct Header {
    columns: usize,
    /// Disk, letters, sector, bytes and latency, from the right.
    places: [usize; 5],
}

impl TraceFormat for Biosnoop {
    const NAME: &'static str = "biosnoop";
    const DESCRIPTION: &'static str =
        "bcc biosnoop: time in s, command, process, disk, kind, 512-byte sector, bytes, latency in ms";
    const LAYOUT: &'static str = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)";
    const UNIT_NS: Option<u64> = Some(SECOND_NS);
    const HOLDS: Option<Holds> = None;

    fn fits(&mut self, line: &[u8]) -> bool {
        self.parse(line).map_or_else(|fault| fault.is_of_format(), |_| self.header.is_some())
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let mut fields = [&[][..]; MOST_FIELDS];
        let words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty());
        let count = words.zip(&mut fields).map(|(word, field)| *field = word).count();
        match self.header {
            Some(header) => self.request(header, &fields[..count]),
            None => {
                self.header = header_of(&fields[..count]);
                self.leading += 1;
                let is_early = self.header.is_some() || self.leading <= LEADING;
                if is_early { Ok(None) } else { Err(Fault::text(&HEADER, line)) }
            }
        }
    }

    fn write(&mut self, _: &Record, _: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::other("a format that is only read"))
    }
}

fn header_of(names: &[&[u8]]) -> Option<Header> {
    let place =
        |names_of_it: &[&[u8]]| names.iter().position(|name| names_of_it.contains(name)).map(|at| names.len() - 1 - at);
    if names.first() != Some(&&b"TIME(s)"[..]) {
        return None;
    }
    let places = [
        place(&[b"DISK"])?,
        place(&[b"T", b"TYPE"])?,
        place(&[b"SECTOR"])?,
        place(&[b"BYTES"])?,
        place(&[b"LAT(ms)"])?,
    ];
    Some(Header { columns: names.len(), places })
}

impl Biosnoop {
    fn request(&mut self, header: Header, fields: &[&[u8]]) -> Result<Option<Record>, Box<Fault>> {
        if fields.len() < header.columns {
            return Err(Box::new(Fault::Fields { found: fields.len() }));
        }
        let [disk, letters, sector, bytes, latency] = header.places.map(|place| fields[fields.len() - 1 - place]);
        let completed_ns = decimal(&TIME, fields[0], SECOND_NS)?;
        let latency_ns = decimal(&LATENCY, latency, MILLISECOND_NS)?;
        let kind = blkparse::asked(letters).ok_or_else(|| Fault::text(&LETTERS, letters))?;
        let offset_bytes = scaled(&SECTOR, sector, SECTOR_BYTES)?;
        let bytes_asked = number(&BYTES, bytes)?;
        let device = self.number_of(disk)?;
        let first_ns = *self.first_ns.get_or_insert(latency_ns);
        let arrival_ns = completed_ns.saturating_add(first_ns).saturating_sub(latency_ns);
        if kind == Kind::Flush {
            return Ok(Some(flush(arrival_ns, device)));
        }
        let record = Record { arrival_ns, device, offset_bytes, bytes: bytes_asked, kind, ..Record::PLAIN };
        checked(record, (&SECTOR, sector), (&BYTES, bytes)).map(Some)
    }

    fn number_of(&mut self, disk: &[u8]) -> Result<u32, Box<Fault>> {
        let known = self.disks.len();
        match self.disks.get(disk) {
            Some(number) => Ok(*number),
            None if known == MOST_DISKS => Err(Fault::value(&DISK, disk, DISK.allowed)),
            None => Ok(*self.disks.entry(disk.to_owned()).or_insert(known as u32)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &str = "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)";

    fn read(lines: &[&str]) -> Vec<Record> {
        let mut format = Biosnoop::default();
        lines.iter().filter_map(|line| format.parse(line.as_bytes()).unwrap()).collect()
    }

    fn record(arrival_ns: u64, device: u32, kind: Kind) -> Record {
        Record { arrival_ns, device, offset_bytes: 2048 * 512, bytes: 4096, kind, ..Record::PLAIN }
    }

    #[test]
    fn requests_arrive_their_latency_before_they_complete() {
        let lines = [
            "Tracing block device I/O... Hit Ctrl-C to end.",
            NAMES,
            "0.000000    worker         100    nvme0n1 W 2048       4096       0.10",
            "0.001000    Chrome IO 1    101    nvme1n1 R 2048       4096       0.25",
            "0.001500    dm/2           0      nvme0n1 WS 2048      4096       0.10",
            "0.002000    jbd2           7      nvme0n1 FF 0         0          0.05",
        ];
        let expected = [
            record(0, 0, Kind::Write),
            record(850_000, 1, Kind::Read),
            record(1_500_000, 0, Kind::Write),
            flush(2_050_000, 0),
        ];
        assert_eq!(read(&lines), expected);
    }

    #[test]
    fn the_header_says_which_columns_there_are() {
        let names = "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)";
        assert_eq!(read(&[names, "0.5 fio 1 vda R 2048 4096 9.9 0.1"]), [record(500_000_000, 0, Kind::Read)]);
        let mut format = Biosnoop::default();
        assert!(!format.fits(b"TIME(ms) COMM PID LAT(ms)") && !format.fits(b"0.5 fio 1 vda R 2048 4096 0.1"));
        assert!(format.fits(NAMES.as_bytes()) && !format.fits(b"0.5 vda R 2048 4096 0.1"));
    }

    #[test]
    fn lines_of_other_formats_are_told_from_bad_values() {
        let mut format = Biosnoop::default();
        format.parse(NAMES.as_bytes()).unwrap();
        for other in ["", "0 a 1 d X 8 512 1", "x a 1 d R 8 512 1", "0 a 1 d R 8 512 fast", "Possibly lost 5 samples"] {
            assert!(!format.parse(other.as_bytes()).unwrap_err().is_of_format(), "{other}");
        }
        for bad in ["0 a 1 d R 8 0 1", "0 a 1 d R 36028797018963968 512 1"] {
            assert!(format.parse(bad.as_bytes()).unwrap_err().is_of_format(), "{bad}");
        }
    }
}
