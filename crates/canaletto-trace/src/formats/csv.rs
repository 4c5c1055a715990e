//! Generic CSV with named columns; without options the one that is written: `arrival_ns,device,offset_bytes,bytes,kind`.
//!
//! `columns` says which columns hold what, see [`Columns`]. Fields are separated by what separates the first line: commas,
//! semicolons, tabs or spaces. Quotes around a field are passed over; a separator within quotes is not known as such.

use std::io::{self, Write};

use canaletto::config::reading::ReadOptions;
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use super::{Holds, TraceFormat, refuse_others};
use crate::columns::{Column, Columns, ReadsAs};
use crate::fields::{Fault, Field, checked, decimal, flush, number32};
use crate::writer::name_of;

const HEADER: &str = "arrival_ns,device,offset_bytes,bytes,kind";
const OWN_COLUMNS: &str = "time=arrival_ns:ns,device=device,offset=offset_bytes,size=bytes,kind=kind";
/// Columns beyond are not looked at.
pub(crate) const MOST_COLUMNS: usize = 64;

static TIME: Field = Field { name: "time", allowed: "a decimal number that is below 2^64 ns" };
static DEVICE: Field = Field { name: "device", allowed: "a number, 0 to 2^32 - 1" };
static OFFSET: Field = Field { name: "offset", allowed: "a decimal number that is below 2^64 bytes" };
static SIZE: Field = Field { name: "size", allowed: "a decimal number, 1 byte to 4 GiB" };
static KIND: Field = Field {
    name: "kind",
    allowed: "read, write, trim or flush, their first letters, write_fua, write_zeroes, write_zeroes_fua, discard, unmap or sync \
              (or 0 and 1, if columns says which reads)",
};
static HEAD: Field = Field { name: "header", allowed: "a line with the columns' names" };

#[derive(Debug)]
pub(super) struct Csv {
    columns: Columns,
    /// Separator and places of time, offset, size, kind and device, once the first line has been read.
    found: Option<(u8, [Option<usize>; 5])>,
}

impl Default for Csv {
    fn default() -> Self {
        let columns = OWN_COLUMNS.parse().expect("the format's own columns");
        Self { columns, found: None }
    }
}

impl TraceFormat for Csv {
    const NAME: &'static str = "csv";
    const DESCRIPTION: &'static str = "CSV with named columns: arrival_ns,device,offset_bytes,bytes,kind unless columns says which and in which units";
    const LAYOUT: &'static str = HEADER;
    const HOLDS: Option<Holds> = Some(Holds {
        time_ns: 1,
        bytes: 1,
        kinds: &[Kind::Read, Kind::Write, Kind::Trim, Kind::Flush],
        devices: true,
        write_forms: true,
    });

    fn configure(&mut self, options: &ReadOptions) -> Result<(), String> {
        if let Some(columns) = &options.columns {
            self.columns = columns.parse().map_err(|problem| format!("columns is \"{columns}\": {problem}"))?;
        }
        refuse_others(options, &["columns"])
    }

    fn parse(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let Some((separator, places)) = self.found else {
            return self.first(line);
        };
        let mut fields = [&[][..]; MOST_COLUMNS];
        let count = fields_of(line, separator).zip(&mut fields).map(|(field, slot)| *slot = field).count();
        let field = |at: Option<usize>| match at {
            Some(at) if at < count => Ok(fields[at]),
            _ => Err(Box::new(Fault::Fields { found: count })),
        };
        let [time, offset, size, kind, device] = places;
        let (time, offset, size, kind) = (field(time)?, field(offset)?, field(size)?, field(kind)?);
        let device = device.map_or(Ok(0), |at| number32(&DEVICE, field(Some(at))?))?;
        let (kind, fua, zeroes) = self.kind(kind).ok_or_else(|| Fault::text(&KIND, kind))?;
        let arrival_ns = decimal(&TIME, time, self.columns.time_ns)?;
        if kind == Kind::Flush {
            return Ok(Some(flush(arrival_ns, device)));
        }
        let offset_bytes = decimal(&OFFSET, offset, self.columns.offset_bytes)?;
        let bytes = decimal(&SIZE, size, self.columns.size_bytes)?;
        let record = Record { arrival_ns, device, offset_bytes, bytes, kind, fua, zeroes };
        checked(record, (&OFFSET, offset), (&SIZE, size)).map(Some)
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")
    }

    fn write(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        let Record { arrival_ns, device, offset_bytes, bytes, .. } = *record;
        writeln!(out, "{arrival_ns},{device},{offset_bytes},{bytes},{}", name_of(record))
    }
}

impl Csv {
    /// Finds the columns in the first line: a header, or a request if they are given by number.
    fn first(&mut self, line: &[u8]) -> Result<Option<Record>, Box<Fault>> {
        let separator = [b',', b';', b'\t', b' '].into_iter().find(|s| line.contains(s));
        let separator = separator.ok_or_else(|| Fault::text(&HEAD, line))?;
        let names: Vec<&[u8]> = fields_of(line, separator).take(MOST_COLUMNS).collect();
        let place = |column: &Column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => names.iter().position(|given| *given == name.as_bytes()),
        };
        let Columns { time, offset, size, kind, device, .. } = &self.columns;
        let places = [Some(time), Some(offset), Some(size), Some(kind), device.as_ref()];
        let mut found = [None; 5];
        for (slot, column) in found.iter_mut().zip(places) {
            if let Some(column) = column {
                *slot = Some(place(column).ok_or_else(|| Fault::text(&HEAD, line))?);
            }
        }
        self.found = Some((separator, found));
        let headless = places.iter().flatten().all(|column| matches!(column, Column::Number(_)));
        if headless { self.parse(line) } else { Ok(None) }
    }

    /// Finds out by a word what a request asks for: its kind, and for a write whether it is forced and whether it writes zeroes.
    fn kind(&self, text: &[u8]) -> Option<(Kind, bool, bool)> {
        match (self.columns.reads_as, text) {
            (ReadsAs::Word, _) => {}
            (ReadsAs::Zero, b"0") | (ReadsAs::One, b"1") => return Some((Kind::Read, false, false)),
            (ReadsAs::Zero, b"1") | (ReadsAs::One, b"0") => return Some((Kind::Write, false, false)),
            _ => return None,
        }
        const WORDS: [(&str, (Kind, bool, bool)); 14] = [
            ("r", (Kind::Read, false, false)),
            ("read", (Kind::Read, false, false)),
            ("w", (Kind::Write, false, false)),
            ("write", (Kind::Write, false, false)),
            ("write_fua", (Kind::Write, true, false)),
            ("write_zeroes", (Kind::Write, false, true)),
            ("write_zeroes_fua", (Kind::Write, true, true)),
            ("t", (Kind::Trim, false, false)),
            ("trim", (Kind::Trim, false, false)),
            ("discard", (Kind::Trim, false, false)),
            ("unmap", (Kind::Trim, false, false)),
            ("f", (Kind::Flush, false, false)),
            ("flush", (Kind::Flush, false, false)),
            ("sync", (Kind::Flush, false, false)),
        ];
        WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word.as_bytes())).map(|(_, found)| *found)
    }
}

/// The fields of a line; several spaces separate like one.
fn fields_of(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let fields = line.split(move |byte| *byte == separator);
    fields.filter(move |field| separator != b' ' || !field.is_empty()).map(bare)
}

/// A field without the spaces and quotes around it.
fn bare(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|f| f.strip_suffix(b"\"")).unwrap_or(field)
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
        fua: false,
        zeroes: false,
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

    #[test]
    fn lines_of_other_formats_are_told_from_bad_values() {
        let mut format = Csv::default();
        assert!(!format.parse(b"a,b,c").unwrap_err().is_of_format() && !format.parse(b"x").unwrap_err().is_of_format());
        format.parse(HEADER.as_bytes()).unwrap();
        for other in ["", "1,2,3", "1,0,0,512,eat", "x,0,0,512,read", "1,0,0,,read"] {
            assert!(!format.parse(other.as_bytes()).unwrap_err().is_of_format(), "{other}");
        }
        for bad in ["1,0,0,0,read", "1,4294967296,0,1,read", "1,0,18446744073709551615,1,read"] {
            assert!(format.parse(bad.as_bytes()).unwrap_err().is_of_format(), "{bad}");
        }
    }
}
