//! Generic CSV with named columns; without options the one that is written:
//! `arrival_ns,device,offset_bytes,bytes,kind,handle`, of which `handle` may be missing.
//!
//! `columns` names them, see [`Columns`]. The separator is the first of comma, semicolon, tab, bar and space with which
//! a line has the columns. Lines before are skipped. A separator within quotes is none.

use std::io::{self, Write};

use canaletto::config::reading::{ReadOptions, TimeUnit};
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, blkparse, refuse_others};
use crate::amounts::{amount, moment};
use crate::columns::{Column, Columns};
use crate::error::quote;
use crate::fields::{Fault, Field, checked, flush, number32};
use crate::writer::name_of;

const HEADER: &str = "arrival_ns,device,offset_bytes,bytes,kind,handle";
const OWN_COLUMNS: &str = "time=arrival_ns:ns,device=device,offset=offset_bytes,size=bytes,kind=kind";
/// Columns beyond are ignored.
pub(crate) const MOST_COLUMNS: usize = 64;
/// Most lines before the columns.
const LEADING: u32 = 1000;
const SEPARATORS: [u8; 5] = *b",;\t| ";

static TIME: Field =
    Field { name: "time", allowed: "a number that is below 2^64 ns, or a time such as 2024-05-06T07:08:09.5Z" };
static DEVICE: Field = Field { name: "device", allowed: "a number, 0 to 2^32 - 1" };
static OFFSET: Field = Field { name: "offset", allowed: "a number that is below 2^64 bytes" };
static SIZE: Field = Field { name: "size", allowed: "a number, 1 byte to 4 GiB" };
static HANDLE: Field = Field { name: "handle", allowed: "a number, 0 to 255, or nothing" };
static KIND: Field = Field {
    name: "kind",
    allowed: "read, write, trim or flush, their first letters, A (append), Z, F, O or C (reset, finish, open or close a \
              zone), U, write_fua, write_zeroes, discard, sync and the like, or words that columns names, such as \
              kind=op:read=0 or kind=op:read=RR:write=WW",
};
static HEAD: Field = Field { name: "header", allowed: "a line with the columns' names" };

#[derive(Debug)]
pub(super) struct Csv {
    columns: Columns,
    /// Whether a column of handles may be missing.
    is_own: bool,
    time_ns: u64,
    found: Option<Layout>,
    /// Lines before that.
    leading: u32,
    nearest: (Likeness, Vec<String>),
}

/// Wanted columns of a line, whether spaces alone separate them, and columns in all.
type Likeness = (usize, bool, usize);

const AT_KIND: usize = 3;
const AT_HANDLE: usize = 5;
/// Column that the format's own layout may have.
const OWN_HANDLE: &str = "handle";

#[derive(Debug, Clone, Copy)]
struct Layout {
    separator: u8,
    places: [Option<usize>; 6],
    constant: Option<Kind>,
}

impl Default for Csv {
    fn default() -> Self {
        let columns: Columns = OWN_COLUMNS.parse().expect("the format's own columns");
        let columns = Columns { handle: Some(Column::Name(OWN_HANDLE.to_owned())), ..columns };
        Self { columns, is_own: true, time_ns: 1, found: None, leading: 0, nearest: ((0, false, 0), Vec::new()) }
    }
}

impl TraceFormat for Csv {
    const NAME: &'static str = "csv";
    const DESCRIPTION: &'static str = "CSV with named columns: arrival_ns,device,offset_bytes,bytes,kind unless columns says which and in which units";
    const LAYOUT: &'static str = HEADER;
    const UNIT_NS: Option<u64> = None;
    const UNIT_VARIES: bool = true;
    const HOLDS: Option<Holds> =
        Some(Holds { time_ns: 1, bytes: 1, kinds: &Kind::ALL, devices: true, write_forms: true });

    fn configure(&mut self, options: &ReadOptions) -> Result<(), String> {
        if let Some(columns) = &options.columns {
            self.columns = columns.parse().map_err(|problem| format!("columns is \"{columns}\": {problem}"))?;
            self.is_own = false;
        }
        self.time_ns = self.columns.time_ns.or(options.time_unit.map(TimeUnit::ns)).unwrap_or(1);
        refuse_others(options, &["columns"])
    }

    fn fits(&mut self, line: &[u8]) -> bool {
        self.parse(line).map_or_else(|fault| fault.is_of_format(), |_| self.found.is_some())
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let Some(layout) = self.found else {
            return self.first(line);
        };
        let mut fields = [&[][..]; MOST_COLUMNS];
        let count = split(line, layout.separator, &mut fields);
        let field = |at: Option<usize>| match at {
            Some(at) if at < count => Ok(fields[at]),
            _ => Err(Box::new(Fault::Fields { found: count })),
        };
        let [time, offset, size, kind, device, handle] = layout.places;
        let (time, offset, size) = (field(time)?, field(offset)?, field(size)?);
        let (kind, fua, zeroes) = match layout.constant {
            Some(kind) => (kind, false, false),
            None => field(kind).and_then(|kind| self.kind(kind).ok_or_else(|| Fault::text(&KIND, kind)))?,
        };
        let device = device.map_or(Ok(0), |at| number32(&DEVICE, field(Some(at))?))?;
        let arrival_ns = self.time(time)?;
        if kind == Kind::Flush {
            return Ok(Some(flush(arrival_ns, device)));
        }
        let handle = match handle {
            Some(at) if at < count && matches!(kind, Kind::Write | Kind::Update) => handle_of(fields[at])?,
            _ => None,
        };
        if kind == Kind::Update {
            return Ok(Some(Record { kind, handle, ..flush(arrival_ns, device) }));
        }
        let offset_bytes = amount(&OFFSET, offset, self.columns.offset_bytes)?;
        let bytes = amount(&SIZE, size, self.columns.size_bytes)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, fua, zeroes, handle };
        checked(record, (&OFFSET, offset), (&SIZE, size)).map(Some)
    }

    fn missing(&self) -> Option<String> {
        if self.found.is_some() {
            return None;
        }
        let (_, names) = &self.nearest;
        let is_missing = |column: &&Column| place_of(column, names).is_none();
        let constant = self.columns.constant_kind().is_some();
        let optional = self.columns.handle.as_ref().filter(|_| self.is_own);
        let wanted = self
            .wanted()
            .into_iter()
            .flatten()
            .filter(|column| Some(*column) != optional)
            .filter(|column| !constant || **column != self.columns.kind);
        let missing: Vec<String> = wanted
            .filter(is_missing)
            .map(|column| match column {
                Column::Name(name) => format!("\"{name}\""),
                Column::Number(number) => format!("#{}", number + 1),
            })
            .collect();
        Some(match (missing.is_empty(), names.is_empty()) {
            (_, true) => "no line has several columns".to_owned(),
            (true, _) => "no line has a request in these columns".to_owned(),
            (false, _) => format!("no column {}; the columns are {}", missing.join(", "), names.join(", ")),
        })
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let Record { arrival_ns, device, offset_bytes, bytes, .. } = *record;
        write!(out, "{arrival_ns},{device},{offset_bytes},{bytes},{},", name_of(record))?;
        match record.handle {
            Some(handle) => writeln!(out, "{handle}"),
            None => writeln!(out),
        }
    }
}

impl Csv {
    fn wanted(&self) -> [Option<&Column>; 6] {
        let Columns { time, offset, size, kind, device, handle, .. } = &self.columns;
        [Some(time), Some(offset), Some(size), Some(kind), device.as_ref(), handle.as_ref()]
    }

    fn is_headless(&self) -> bool {
        let is_number = |column: &Column| matches!(column, Column::Number(_));
        let mut wanted = self.wanted().into_iter().enumerate();
        wanted.all(|(at, column)| {
            column.is_none_or(|c| is_number(c) || at == AT_KIND && self.columns.constant_kind().is_some())
        })
    }

    /// A header, or a request if columns are given by number.
    #[cold]
    fn first(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        for separator in SEPARATORS.into_iter().filter(|separator| line.contains(separator)) {
            let (layout, likeness, names) = self.layout(line, separator);
            if likeness > self.nearest.0 {
                self.nearest = (likeness, names);
            }
            let Some(layout) = layout else { continue };
            self.found = Some(layout);
            if !self.is_headless() {
                return Ok(None);
            }
            let outcome = self.parse(line);
            if outcome.is_ok() || self.has_time(line, layout) {
                return outcome;
            }
            self.found = None;
        }
        self.leading += 1;
        if self.leading > LEADING { Err(Fault::text(&HEAD, line)) } else { Ok(None) }
    }

    /// If the line has them all, and how like a header it is.
    fn layout(&self, line: &[u8], separator: u8) -> (Option<Layout>, Likeness, Vec<String>) {
        let names = names_of(line, separator);
        let places = self.wanted().map(|column| column.and_then(|column| place_of(column, &names)));
        let constant = self.columns.constant_kind().filter(|_| places[AT_KIND].is_none());
        let wanted = self.wanted();
        let is_there = |at: usize| {
            let may_miss = at == AT_KIND && constant.is_some() || at == AT_HANDLE && self.is_own;
            places[at].is_some() || wanted[at].is_none() || may_miss
        };
        let layout = (0..places.len()).all(is_there).then_some(Layout { separator, places, constant });
        (layout, (places.iter().flatten().count(), separator != b' ', names.len()), names)
    }

    /// Then other faults of the line must be reported.
    fn has_time(&self, line: &[u8], layout: Layout) -> bool {
        let mut fields = [&[][..]; MOST_COLUMNS];
        let count = split(line, layout.separator, &mut fields);
        layout.places[0].is_some_and(|at| at < count && self.time(fields[at]).is_ok())
    }

    fn time(&self, text: &[u8]) -> Result<u64, Box<Fault>> {
        match amount(&TIME, text, self.time_ns) {
            Err(fault) => moment(text).ok_or(fault),
            found => found,
        }
    }

    /// And for a write whether it is forced and whether it writes zeroes.
    fn kind(&self, text: &[u8]) -> Option<(Kind, bool, bool)> {
        let own = self.columns.words.iter().find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes()));
        if let Some((_, kind)) = own {
            return Some((*kind, false, false));
        }
        const WORDS: [(&str, (Kind, bool, bool)); 34] = [
            // The letters of commands to zones and handles are upper case: a small f is a flush.
            ("U", (Kind::Update, false, false)),
            ("handle_update", (Kind::Update, false, false)),
            ("A", (Kind::Append, false, false)),
            ("Z", (Kind::Reset, false, false)),
            ("F", (Kind::Finish, false, false)),
            ("O", (Kind::Open, false, false)),
            ("append", (Kind::Append, false, false)),
            ("zone_reset", (Kind::Reset, false, false)),
            ("zone_finish", (Kind::Finish, false, false)),
            ("C", (Kind::Close, false, false)),
            ("zone_open", (Kind::Open, false, false)),
            ("zone_close", (Kind::Close, false, false)),
            ("compute", (Kind::Compute, false, false)),
            ("r", (Kind::Read, false, false)),
            ("read", (Kind::Read, false, false)),
            ("reads", (Kind::Read, false, false)),
            ("rd", (Kind::Read, false, false)),
            ("w", (Kind::Write, false, false)),
            ("write", (Kind::Write, false, false)),
            ("writes", (Kind::Write, false, false)),
            ("wr", (Kind::Write, false, false)),
            ("write_fua", (Kind::Write, true, false)),
            ("write_zeroes", (Kind::Write, false, true)),
            ("write_zeroes_fua", (Kind::Write, true, true)),
            ("t", (Kind::Trim, false, false)),
            ("trim", (Kind::Trim, false, false)),
            ("d", (Kind::Trim, false, false)),
            ("discard", (Kind::Trim, false, false)),
            ("unmap", (Kind::Trim, false, false)),
            ("deallocate", (Kind::Trim, false, false)),
            ("f", (Kind::Flush, false, false)),
            ("flush", (Kind::Flush, false, false)),
            ("sync", (Kind::Flush, false, false)),
            ("fsync", (Kind::Flush, false, false)),
        ];
        let exactly = WORDS.iter().find(|(word, _)| text == word.as_bytes());
        let found = exactly.or_else(|| WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes())));
        let found = found.map(|(_, found)| *found);
        // The kernel's letters, such as WS.
        let is_short = text.len() <= 4 && text.iter().all(u8::is_ascii_uppercase);
        found.or_else(|| blkparse::asked(text).filter(|_| is_short).map(|kind| (kind, false, false)))
    }
}

fn handle_of(field: &[u8]) -> Result<Option<u16>, Box<Fault>> {
    if field.is_empty() {
        return Ok(None);
    }
    match number32(&HANDLE, field)? {
        handle @ 0..256 => Ok(Some(handle as u16)),
        _ => Err(Fault::text(&HANDLE, field)),
    }
}

/// Without case where no name is the same.
fn place_of(column: &Column, names: &[String]) -> Option<usize> {
    match column {
        Column::Number(number) => Some(*number).filter(|number| *number < names.len()),
        Column::Name(name) => {
            let exactly = names.iter().position(|given| given == name);
            exactly.or_else(|| names.iter().position(|given| given.eq_ignore_ascii_case(name)))
        }
    }
}

/// The mark of a comment is no part of the names.
fn names_of(line: &[u8], separator: u8) -> Vec<String> {
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"#").unwrap_or(line);
    let mut fields = [&[][..]; MOST_COLUMNS];
    let count = split(line, separator, &mut fields);
    fields[..count].iter().map(|field| quote(field)).collect()
}

/// Without spaces and quotes around fields; several spaces separate like one.
fn split<'a>(line: &'a [u8], separator: u8, fields: &mut [&'a [u8]; MOST_COLUMNS]) -> usize {
    let (mut count, mut rest) = (0, Some(line));
    while let Some(mut text) = rest.filter(|_| count < MOST_COLUMNS) {
        if separator == b' ' {
            text = text.trim_ascii_start();
        }
        let (field, after) = quoted(text, separator).unwrap_or_else(|| match memchr::memchr(separator, text) {
            Some(at) => (text[..at].trim_ascii(), Some(&text[at + 1..])),
            None => (text.trim_ascii(), None),
        });
        rest = after;
        if separator != b' ' || !field.is_empty() {
            fields[count] = field;
            count += 1;
        }
    }
    count
}

/// Without quotes, and what follows the separator behind it.
fn quoted(text: &[u8], separator: u8) -> Option<(&[u8], Option<&[u8]>)> {
    let inner = text.trim_ascii_start().strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', inner)?;
    let after = &inner[end + 1..];
    let blanks = after.iter().take_while(|byte| **byte == b' ' && separator != b' ').count();
    match &after[blanks..] {
        [] => Some((&inner[..end], None)),
        [next, rest @ ..] if *next == separator => Some((&inner[..end], Some(rest))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(columns: Option<&str>, lines: &[&str]) -> Vec<Record> {
        let mut format = Csv::default();
        let options = ReadOptions { columns: columns.map(str::to_owned), ..ReadOptions::default() };
        format.configure(&options).unwrap();
        lines.iter().filter_map(|line| format.parse(line.as_bytes()).unwrap()).collect()
    }

    const EXPECTED: Record = Record {
        arrival_ns: 1_500_000,
        device: 3,
        offset_bytes: 4096,
        bytes: 1024,
        kind: Kind::Write,
        ..Record::PLAIN
    };

    #[test]
    fn its_own_columns_need_no_options() {
        assert_eq!(read(None, &[HEADER, "1500000,3,4096,1024,write"]), [EXPECTED]);
        let flushed = read(None, &["kind,bytes,offset_bytes,arrival_ns,device", "flush,0,0,7,1"]);
        assert_eq!(flushed, [flush(7, 1)]);
        let forced = read(None, &[HEADER, "1500000,3,4096,1024,write_fua", "1500000,3,4096,1024,Write_Zeroes"]);
        assert_eq!(forced, [Record { fua: true, ..EXPECTED }, Record { zeroes: true, ..EXPECTED }]);
    }

    #[test]
    fn columns_may_be_named_numbered_and_have_units() {
        let named = "time=at:ms,offset=lba:sectors,size=len:KiB,kind=rw:read=1,device=d";
        assert_eq!(read(Some(named), &["d; rw; x; len; lba; \"at\"", "3; 0; ?; 1; 8; 1.5"]), [EXPECTED]);
        let numbered = "time=#1:s,offset=#3,size=#4,kind=#2,device=#5";
        assert_eq!(read(Some(numbered), &["0.0015 W 4096 1024 3", "1 r 0 1 0"]).len(), 2, "no header");
    }

    /// Otherwise this line takes hours.
    #[test]
    fn blanks_are_passed_over_once() {
        let line = format!("0.0015{}W 4096 1024 3", " ".repeat(1 << 20));
        assert_eq!(read(Some("time=t:s,offset=o,size=n,kind=k,device=d"), &["t k o n d", &line]), [EXPECTED]);
    }

    fn request(kind: Kind) -> Record {
        Record { device: 0, kind, ..EXPECTED }
    }

    #[test]
    fn one_kind_may_stand_for_all() {
        for (kind, line) in [("read", "0.0015,8,2"), ("write", "1.5e-3,0x8,0x2"), ("trim", "\"0,0015\",8,2")] {
            let expected = KINDS.iter().find(|(name, _)| *name == kind).unwrap().1;
            let columns = format!("time=TIME:s,offset=LBA:sectors,size=n:sectors,kind={kind}");
            assert_eq!(read(Some(&columns), &["time,lba,N", line]), [request(expected)], "{line}");
            let headless = format!("time=#1:s,offset=#2:sectors,size=#3:sectors,kind={kind}");
            assert_eq!(read(Some(&headless), &[line]), [request(expected)], "{line}");
        }
        let column = "time=t:s,offset=lba:sectors,size=n:sectors,kind=read";
        assert_eq!(
            read(Some(column), &["t,lba,n,read", "0.0015,8,2,W"]),
            [request(Kind::Write)],
            "a column of that name"
        );
    }

    const KINDS: [(&str, Kind); 3] = [("read", Kind::Read), ("write", Kind::Write), ("trim", Kind::Trim)];

    #[test]
    fn words_are_the_usual_ones_or_those_given() {
        let kind = |map: &str, word: &str| {
            let columns = format!("time=t:s,offset=o,size=n,kind=k{map}");
            read(Some(&columns), &["t,o,n,k", &format!("0.0015,4096,1024,{word}")])[0].kind
        };
        for word in ["r", "R", "Read", "READ", "rd", "RD", "RA", "RS"] {
            assert_eq!(kind("", word), Kind::Read, "{word}");
        }
        for word in ["w", "Write", "WR", "wr", "WS", "WFS", "FWS", "write_fua"] {
            assert_eq!(kind("", word), Kind::Write, "{word}");
        }
        for (word, expected) in [
            ("A", Kind::Append),
            ("Z", Kind::Reset),
            ("F", Kind::Finish),
            ("f", Kind::Flush),
            ("D", Kind::Trim),
            ("Discard", Kind::Trim),
            ("FF", Kind::Flush),
            ("sync", Kind::Flush),
        ] {
            assert_eq!(kind("", word), expected, "{word}");
        }
        for (map, word, expected) in [
            (":read=0", "1", Kind::Write),
            (":write=0", "1", Kind::Read),
            (":read=28|0x88:write=2A", "2a", Kind::Write),
            (":read=28|0x88:write=2A", "0X88", Kind::Read),
            (":read=get:write=put:trim=del", "DEL", Kind::Trim),
            (":write=w8", "Read", Kind::Read),
        ] {
            assert_eq!(kind(map, word), expected, "{map} {word}");
        }
        let mut format = Csv::default();
        let columns = Some("time=#1:s,offset=#2,size=#3,kind=#4".to_owned());
        format.configure(&ReadOptions { columns, ..ReadOptions::default() }).unwrap();
        let unknown = format.parse(b"0.5,0,1,1").unwrap_err();
        assert!(matches!(&*unknown, Fault::Text { allowed, .. } if allowed.contains("kind=op:read=0")), "{unknown:?}");
    }

    #[test]
    fn times_are_moments_or_numbers_with_any_separator() {
        for (separator, time) in [
            (",", "0.0015"),
            (",", "1.5e-3"),
            (";", "0,0015"),
            ("\t", "0,0015"),
            ("|", "1.5E-03"),
            (" ", ".0015"),
            (",", "1970-01-01T00:00:00.0015Z"),
            (",", "\"1970-01-01 00:00:00,0015\""),
            (";", "1970-01-01 01:00:00,0015+01:00"),
            (" ", "1970-01-01T00:00:00.001500"),
            (" ", "\"1970-01-01 00:00:00.0015\""),
        ] {
            let row = |cells: [&str; 4]| cells.join(separator);
            let (named, numbered) = ("time=t:s,offset=o,size=n,kind=k", "time=#1:s,offset=#2,size=#3,kind=#4");
            let line = row([time, "0x1000", "1.024e3", "W"]);
            assert_eq!(read(Some(named), &[&row(["t", "o", "n", "k"]), &line]), [request(Kind::Write)], "{line}");
            assert_eq!(read(Some(numbered), &[&line]), [request(Kind::Write)], "{line}");
        }
    }

    #[test]
    fn text_before_the_columns_is_passed_over() {
        let leading = ["a header line", "# made by x, y, and z", "machine;12;GB", ""];
        for count in 0..leading.len() {
            let before = &leading[..count];
            let named = [before, &["#t, o, n, k", "0.0015,4096,1024,W"]].concat();
            assert_eq!(read(Some("time=t:s,offset=o,size=n,kind=k"), &named), [request(Kind::Write)]);
            let numbered = [before, &["0.0015,4096,1024,W"]].concat();
            assert_eq!(read(Some("time=#1:s,offset=#2,size=#3,kind=#4"), &numbered), [request(Kind::Write)]);
        }
        let mut format = Csv::default();
        let columns = Some("time=when:s,offset=o,size=long,kind=k".to_owned());
        format.configure(&ReadOptions { columns, ..ReadOptions::default() }).unwrap();
        for line in [leading[0], leading[1], "t,o,n,k", "1,2,3,R"] {
            assert_eq!(format.parse(line.as_bytes()).unwrap(), None);
        }
        assert_eq!(format.missing().unwrap(), "no column \"when\", \"long\"; the columns are t, o, n, k");
        for _ in 0..LEADING {
            let _ = format.parse(b"text");
        }
        assert!(format.parse(b"text").is_err(), "not for ever");
    }

    #[test]
    fn a_bad_first_request_is_told() {
        let mut format = Csv::default();
        let columns = Some("time=#1:s,offset=#2,size=#3,kind=#4".to_owned());
        format.configure(&ReadOptions { columns, ..ReadOptions::default() }).unwrap();
        assert!(format.parse(b"0.5,here,512,R").is_err());
    }

    #[test]
    fn lines_of_other_formats_are_told_from_bad_values() {
        let mut format = Csv::default();
        assert!(!format.fits(b"a,b,c") && !format.fits(b"x") && format.fits(HEADER.as_bytes()));
        for other in ["", "1,2,3", "1,0,0,512,eat", "x,0,0,512,read", "1,0,0,,read"] {
            assert!(!format.parse(other.as_bytes()).unwrap_err().is_of_format(), "{other}");
        }
        for bad in ["1,0,0,0,read", "1,4294967296,0,1,read", "1,0,18446744073709551615,1,read"] {
            assert!(format.parse(bad.as_bytes()).unwrap_err().is_of_format(), "{bad}");
        }
    }
}
