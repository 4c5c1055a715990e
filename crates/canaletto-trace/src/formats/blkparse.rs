//! blkparse text: `259,2 0 1 0.000000000 4020 D R 282624 + 8 [java]`, one event of a request a line.
//!
//! Device `major,minor`, CPU, number, time in s, process, event, RWBS, first sector of 512 bytes and sectors
//! (blkparse(1), default format). Of a request's events one counts, D (issued to the drive) unless `events` says
//! otherwise. The device number is the kernel's: major × 2^20 + minor. In RWBS, `D` after an optional `F` is a discard;
//! `F` without data is a flush; other `F` (flush first, force unit access) are skipped, as records have no such flags.
//! The summary at the end is no event.

use std::io::{self, Write};

use canaletto::config::reading::{BlockEvent, ReadOptions};
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, refuse_others};
use crate::fields::{Fault, Field, checked, decimal, flush, number, number32, scaled, write_decimal};

const SECOND_NS: u64 = 1_000_000_000;
const SECTOR_BYTES: u64 = 512;
/// Bits of a minor device number in the kernel's `dev_t`.
const MINOR_BITS: u32 = 20;

static DEVICE: Field = Field { name: "device", allowed: "major,minor, below 4096 and 1048576" };
static CPU: Field = Field { name: "CPU", allowed: "a number, 0 to 2^32 - 1" };
static NUMBER: Field = Field { name: "number", allowed: "a number, 0 to 2^64 - 1" };
static TIME: Field = Field { name: "time", allowed: "seconds, 0 to 18446744073" };
static PROCESS: Field = Field { name: "process", allowed: "a number, 0 to 2^64 - 1" };
static EVENT: Field = Field { name: "event", allowed: "one or two letters" };
static RWBS: Field = Field { name: "RWBS", allowed: "letters such as R, WS, D or FN" };
static SECTOR: Field = Field { name: "sector", allowed: "a 512-byte sector, 0 to 2^55 - 1" };
static SECTORS: Field = Field { name: "sectors", allowed: "a number of 512-byte sectors, 1 to 2^23" };

#[derive(Debug)]
pub(super) struct Blkparse {
    event: u8,
    others: [u64; EVENTS.len()],
    in_summary: bool,
    written: u64,
}

const EVENTS: [u8; 3] = *b"QDC";

impl Default for Blkparse {
    fn default() -> Self {
        Self { event: b'D', others: [0; EVENTS.len()], in_summary: false, written: 0 }
    }
}

impl TraceFormat for Blkparse {
    const NAME: &'static str = "blkparse";
    const DESCRIPTION: &'static str =
        "blkparse text: major,minor, CPU, number, time in s, process, event, RWBS, 512-byte sector + sectors";
    const LAYOUT: &'static str = "major,minor CPU number time process event RWBS sector + sectors";
    const UNIT_NS: Option<u64> = Some(SECOND_NS);
    const HOLDS: Option<Holds> = Some(Holds {
        time_ns: 1,
        bytes: SECTOR_BYTES,
        kinds: &[Kind::Read, Kind::Write, Kind::Trim, Kind::Flush],
        devices: true,
        write_forms: false,
    });

    fn configure(&mut self, options: &ReadOptions) -> Result<(), String> {
        self.event = match options.events {
            Some(BlockEvent::Q) => b'Q',
            Some(BlockEvent::C) => b'C',
            Some(BlockEvent::D) | None => b'D',
        };
        refuse_others(options, &["events"])
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        match self.event(line) {
            Err(fault) if !fault.is_of_format() && self.is_summary(line) => Ok(None),
            outcome => outcome,
        }
    }

    fn reason_of_emptiness(&self) -> Option<String> {
        let (most, event) = self.others.iter().zip(EVENTS).max_by_key(|(count, _)| **count)?;
        let (event, chosen) = (char::from(event), char::from(self.event));
        (*most > 0).then(|| format!("there is no event {chosen}, but {most} of {event}: expected --events {event}"))
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        self.written += 1;
        let (major, minor) = (record.device >> MINOR_BITS, record.device & ((1 << MINOR_BITS) - 1));
        write!(out, "{major},{minor} 0 {} ", self.written)?;
        write_decimal(out, record.arrival_ns, SECOND_NS)?;
        let kind = match record.kind {
            Kind::Read => "R",
            Kind::Write => "W",
            Kind::Trim => "D",
            Kind::Flush => return writeln!(out, " 0 D FN [canaletto]"),
            _ => unreachable!("the format holds no commands to zones"),
        };
        let (sector, sectors) = (record.offset_bytes / SECTOR_BYTES, record.bytes / SECTOR_BYTES);
        writeln!(out, " 0 D {kind} {sector} + {sectors} [canaletto]")
    }
}

impl Blkparse {
    fn event(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let mut fields = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty());
        let mut found = [&[][..]; 7];
        for (count, slot) in found.iter_mut().enumerate() {
            *slot = fields.next().ok_or_else(|| Box::new(Fault::Fields { found: count }))?;
        }
        let [device, cpu, order, time, process, event, rwbs] = found;
        let device = device_number(device)?;
        number32(&CPU, cpu)?;
        number(&NUMBER, order)?;
        number(&PROCESS, process)?;
        if event.len() > 2 || !event.iter().all(u8::is_ascii_alphabetic) {
            return Err(Fault::text(&EVENT, event));
        }
        let arrival_ns = decimal(&TIME, time, SECOND_NS)?;
        if event != [self.event] {
            let of_others = EVENTS.iter().zip(&mut self.others).filter(|(other, _)| event == [**other]);
            of_others.for_each(|(_, count)| *count += 1);
            return Ok(None);
        }
        // Without data there is no length: `C WS 8 [0]`, `D FN [jbd2]`.
        let (extent, is_whole) = match (fields.next(), fields.next(), fields.next()) {
            (Some(sector), Some(b"+"), Some(sectors)) => (Some((sector, sectors)), true),
            (Some([b'[', ..]), ..) | (Some(_), Some([b'[', ..]), _) => (None, true),
            _ => (None, false),
        };
        let kind = match (kind(rwbs).ok_or_else(|| Fault::text(&RWBS, rwbs))?, extent) {
            // Without data it is one, whatever else it says.
            (Asked::FlushAnd(_), None | Some((_, b"0"))) => return Ok(Some(flush(arrival_ns, device))),
            (Asked::Other | Asked::FlushAnd(None), _) => return Ok(None),
            (Asked::For(_), None) if is_whole => return Ok(None),
            (Asked::For(kind) | Asked::FlushAnd(Some(kind)), _) => kind,
        };
        let Some((sector, sectors)) = extent else {
            return Err(Box::new(Fault::Fields { found: found.len() }));
        };
        let offset_bytes = scaled(&SECTOR, sector, SECTOR_BYTES)?;
        let bytes = scaled(&SECTORS, sectors, SECTOR_BYTES)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, ..Record::PLAIN };
        checked(record, (&SECTOR, sector), (&SECTORS, sectors)).map(Some)
    }

    /// The summary starts with each CPU's counts.
    fn is_summary(&mut self, line: &[u8]) -> bool {
        self.in_summary |= [&b"CPU"[..], b"Total ("].iter().any(|start| line.starts_with(start));
        self.in_summary && line.contains(&b':')
    }
}

fn device_number(text: &[u8]) -> Result<u32, Box<Fault>> {
    let comma = memchr::memchr(b',', text).ok_or_else(|| Fault::text(&DEVICE, text))?;
    let (major, minor) = (number32(&DEVICE, &text[..comma])?, number32(&DEVICE, &text[comma + 1..])?);
    if major >> (32 - MINOR_BITS) != 0 || minor >> MINOR_BITS != 0 {
        return Err(Fault::value(&DEVICE, text, DEVICE.allowed));
    }
    Ok(major << MINOR_BITS | minor)
}

/// If it moves blocks or flushes.
pub(super) fn asked(rwbs: &[u8]) -> Option<Kind> {
    match kind(rwbs)? {
        Asked::For(kind) => Some(kind),
        Asked::FlushAnd(kind) => Some(kind.unwrap_or(Kind::Flush)),
        Asked::Other => None,
    }
}

enum Asked {
    For(Kind),
    /// A flush first.
    FlushAnd(Option<Kind>),
    /// A command that moves no blocks.
    Other,
}

fn kind(rwbs: &[u8]) -> Option<Asked> {
    let (flush, rest) = match rwbs {
        [b'F', rest @ ..] => (true, rest),
        _ => (false, rwbs),
    };
    let kind = match rest.first() {
        Some(b'R') => Some(Kind::Read),
        Some(b'W') => Some(Kind::Write),
        Some(b'D') => Some(Kind::Trim),
        Some(b'N' | b'F') => None,
        // A zoned drive's requests: ZA appends.
        Some(b'Z') => (rest.get(1) == Some(&b'A')).then_some(Kind::Write),
        None if flush => None,
        _ => return None,
    };
    Some(if flush { Asked::FlushAnd(kind) } else { kind.map_or(Asked::Other, Asked::For) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Record>, Box<Fault>> {
        Blkparse::default().parse(line.as_bytes())
    }

    #[test]
    fn a_line_of_the_event_is_a_record() {
        let record = |kind| Record {
            arrival_ns: 1_000_004_000,
            device: (259 << 20) + 2,
            offset_bytes: 282_624 * 512,
            bytes: 4096,
            kind,
            ..Record::PLAIN
        };
        let line = "259,2    0        1     1.000004000  4020";
        let cases =
            [("R", Kind::Read), ("WS", Kind::Write), ("FWFS", Kind::Write), ("D", Kind::Trim), ("DS", Kind::Trim)];
        for (rwbs, kind) in cases {
            assert_eq!(parse(&format!("{line}  D  {rwbs} 282624 + 8 [java]")).unwrap(), Some(record(kind)), "{rwbs}");
        }
        for event in ["Q   R 282624 + 8 [java]", "U   N [java] 1", "m   N cfq1 insert", "D   N 0 (12 00) [udev]"] {
            assert_eq!(parse(&format!("{line}  {event}")).unwrap(), None, "{event}");
        }
        for rwbs in ["FN", "FWS", "FF", "F"] {
            let expected = Some(flush(1_000_004_000, (259 << 20) + 2));
            assert_eq!(parse(&format!("{line}  D {rwbs} [jbd2]")).unwrap(), expected, "{rwbs}");
            assert_eq!(parse(&format!("{line}  D {rwbs} 0 + 0 [jbd2]")).unwrap(), expected, "{rwbs}");
        }
    }

    #[test]
    fn the_event_can_be_chosen() {
        let mut format = Blkparse::default();
        format.configure(&ReadOptions { events: Some(BlockEvent::C), ..ReadOptions::default() }).unwrap();
        assert!(format.parse(b"8,0 0 1 0.5 7 D R 0 + 8 [x]").unwrap().is_none());
        assert!(format.parse(b"8,0 0 1 0.5 7 C R 0 + 8 [0]").unwrap().is_some());
        assert!(format.parse(b"8,0 0 1 0.5 0 C WS 34360 [0]").unwrap().is_none(), "completed without data");
        assert!(format.parse(b"8,0 0 1 0.5 0 C FWS 0 [0]").unwrap().is_some_and(|r| r.kind == Kind::Flush));
        assert!(format.parse(b"8,0 0 1 0.5 0 C WS 34360").is_err(), "torn");
    }

    #[test]
    fn a_trace_of_other_events_says_which() {
        let mut format = Blkparse::default();
        assert_eq!(format.reason_of_emptiness(), None);
        for line in ["8,0 0 1 0.5 7 Q R 0 + 8 [x]", "8,0 0 1 0.5 7 Q W 0 + 8 [x]", "8,0 0 1 0.5 7 C R 0 + 8 [0]"] {
            assert!(format.parse(line.as_bytes()).unwrap().is_none());
        }
        let reason = format.reason_of_emptiness().unwrap();
        assert_eq!(reason, "there is no event D, but 2 of Q: expected --events Q");
    }

    #[test]
    fn the_summary_is_no_fault_and_hides_none() {
        let mut format = Blkparse::default();
        for line in ["CPU0 (sda):", " Reads Queued:    1,   4KiB", "Throughput (R/W): 1KiB/s", "Skips: 0 forward"] {
            assert_eq!(format.parse(line.as_bytes()).unwrap(), None, "{line}");
        }
        assert!(format.parse(b"rubbish").is_err());
        assert!(format.parse(b"8,0 0 1 0.5 7 D R 0 + 8 [x]").unwrap().is_some());
        assert!(Blkparse::default().parse(b" Reads Queued:    1").is_err());
    }

    #[test]
    fn lines_of_other_formats_are_told_from_bad_values() {
        for other in
            ["", "8,0 0 1 0.5 7 D", "8 0 1 0.5 7 D R 0 + 8", "8,0 0 1 x 7 D R 0 + 8", "8,0 0 1 0.5 7 D X 0 + 8"]
        {
            assert!(!parse(other).unwrap_err().is_of_format(), "{other}");
        }
        assert!(!parse("8,0 0 1 0.5 7 D R 0").unwrap_err().is_of_format(), "torn");
        for bad in ["4096,0 0 1 0.5 7 D R 0 + 8", "8,1048576 0 1 0.5 7 D R 0 + 8", "8,0 0 1 0.5 7 D R 0 + 0"] {
            assert!(parse(bad).unwrap_err().is_of_format(), "{bad}");
        }
    }
}
