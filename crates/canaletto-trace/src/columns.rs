//! Columns of a CSV file: `time=ts:ms,offset=lba:sectors,size=len,kind=op:read=RD|R:write=WR,device=disk`.
//!
//! Each part has its meaning, `=`, the column, and after a colon its unit. A column is a name of the header or its
//! number from the left, from `#1`; if all are numbers, the file has no header. Units of time are s, ms, us, ns and
//! 100ns; of offset and size bytes (default), KiB, sectors (512 bytes) and pages (4 KiB). A kind has its words after a
//! colon, such as `read=1` or `read=28|88:write=2a`; or it is `read`, `write` or `trim` for all requests. `device` and
//! `handle` (the reclaim unit handle of a write) may be left out.

use std::str::FromStr;

use canaletto::host::request::Kind;

use crate::formats::csv::MOST_COLUMNS;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) time: Column,
    /// Length of the unit of time, where it is stated.
    pub(crate) time_ns: Option<u64>,
    pub(crate) offset: Column,
    pub(crate) offset_bytes: u64,
    pub(crate) size: Column,
    pub(crate) size_bytes: u64,
    pub(crate) kind: Column,
    /// Before the words that everybody uses.
    pub(crate) words: Vec<(String, Kind)>,
    pub(crate) device: Option<Column>,
    pub(crate) handle: Option<Column>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    Name(String),
    Number(usize),
}

const TIME_UNITS: [(&str, u64); 5] = [("ns", 1), ("us", 1000), ("ms", 1_000_000), ("s", 1_000_000_000), ("100ns", 100)];
const SIZE_UNITS: [(&str, u64); 4] = [("bytes", 1), ("KiB", 1024), ("sectors", 512), ("pages", 4096)];
const KINDS: [(&str, Kind); 4] =
    [("read", Kind::Read), ("write", Kind::Write), ("trim", Kind::Trim), ("flush", Kind::Flush)];

impl Columns {
    /// If no column of the header is called so.
    pub(crate) fn constant_kind(&self) -> Option<Kind> {
        match &self.kind {
            Column::Name(name) => KINDS.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind),
            Column::Number(_) => None,
        }
    }
}

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts: [Option<(Column, &str)>; 6] = Default::default();
        const NAMES: [&str; 6] = ["time", "offset", "size", "kind", "device", "handle"];
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("got \"{part}\", expected NAME=COLUMN"))?;
            let Some(at) = NAMES.iter().position(|known| *known == name.trim()) else {
                return Err(format!("got \"{name}\", expected one of {}", NAMES.join(", ")));
            };
            let (column, unit) = value.split_once(':').unwrap_or((value, ""));
            if parts[at].replace((column_of(column.trim())?, unit.trim())).is_some() {
                return Err(format!("{name} is given twice, expected once"));
            }
        }
        let [time, offset, size, kind, device, handle] = parts;
        let needed = |part: Option<_>, name| part.ok_or_else(|| format!("{name} is missing, expected {name}=COLUMN"));
        let (time, time_unit) = needed(time, "time")?;
        let (offset, offset_unit) = needed(offset, "offset")?;
        let (size, size_unit) = needed(size, "size")?;
        let kind = kind.ok_or("kind is missing, expected kind=COLUMN, or kind=read where all are reads");
        let (kind, words) = kind?;
        let without_unit = |part: Option<(Column, &str)>, name| match part {
            Some((_, unit)) if !unit.is_empty() => Err(format!("got the unit \"{unit}\" of {name}, expected none")),
            other => Ok(other.map(|(column, _)| column)),
        };
        Ok(Self {
            time,
            time_ns: (!time_unit.is_empty()).then(|| unit_of(time_unit, &TIME_UNITS)).transpose()?,
            offset,
            offset_bytes: unit_of(offset_unit, &SIZE_UNITS)?,
            size,
            size_bytes: unit_of(size_unit, &SIZE_UNITS)?,
            kind,
            words: words_of(words)?,
            device: without_unit(device, "device")?,
            handle: without_unit(handle, "handle")?,
        })
    }
}

/// The first unit if nothing is given.
fn unit_of(given: &str, units: &[(&str, u64)]) -> Result<u64, String> {
    let found = units.iter().find(|(name, _)| *name == given).or(units.first().filter(|_| given.is_empty()));
    let names = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    found.map(|(_, unit)| *unit).ok_or_else(|| format!("got the unit \"{given}\", expected one of {}", names()))
}

/// Of `read=RD|R:write=WR`. Of 0 and 1 one is enough.
fn words_of(given: &str) -> Result<Vec<(String, Kind)>, String> {
    let mut words = Vec::new();
    for part in given.split(':').map(str::trim).filter(|part| !part.is_empty()) {
        let known = part.split_once('=').and_then(|(name, list)| {
            KINDS.iter().find(|(known, _)| *known == name.trim()).map(|(_, kind)| (*kind, list))
        });
        let Some((kind, list)) = known else {
            return Err(format!("got \"{part}\" for a kind, expected its words such as read=R|RD, or write=1"));
        };
        words.extend(list.split('|').map(|word| (word.trim().to_lowercase(), kind)));
    }
    if let [(digit, kind @ (Kind::Read | Kind::Write))] = &words[..] {
        let other = if *kind == Kind::Read { Kind::Write } else { Kind::Read };
        match digit.as_str() {
            "0" => words.push(("1".to_owned(), other)),
            "1" => words.push(("0".to_owned(), other)),
            _ => {}
        }
    }
    Ok(words)
}

fn column_of(text: &str) -> Result<Column, String> {
    match text.strip_prefix('#') {
        None if !text.is_empty() => Ok(Column::Name(text.to_owned())),
        number => match number.unwrap_or_default().parse::<usize>() {
            Ok(number) if (1..=MOST_COLUMNS).contains(&number) => Ok(Column::Number(number - 1)),
            _ => Err(format!("got the column \"{text}\", expected a name or #1 to #{MOST_COLUMNS}")),
        },
    }
}

const USUAL: [(&str, &[&str]); 4] = [
    (
        "time",
        &[
            "time",
            "timestamp",
            "ts",
            "t",
            "arrival",
            "arrivaltime",
            "arrivalns",
            "start",
            "starttime",
            "date",
            "datetime",
        ],
    ),
    (
        "offset",
        &[
            "offset",
            "lba",
            "lbn",
            "sector",
            "address",
            "addr",
            "block",
            "blkno",
            "blocknumber",
            "startsector",
            "pos",
            "position",
            "offsetbytes",
            "byteoffset",
            "slba",
        ],
    ),
    (
        "size",
        &[
            "size",
            "len",
            "length",
            "bytes",
            "iosize",
            "nbytes",
            "sectors",
            "count",
            "n",
            "blocks",
            "requestsize",
            "nlb",
            "nblocks",
            "bs",
        ],
    ),
    (
        "kind",
        &[
            "rw",
            "op",
            "type",
            "kind",
            "operation",
            "opcode",
            "iotype",
            "rwbs",
            "cmd",
            "command",
            "direction",
            "dir",
            "action",
        ],
    ),
];
/// They count sectors more often than bytes.
const OF_SECTORS: [&str; 8] = ["lba", "lbn", "sector", "blkno", "startsector", "sectors", "slba", "blocknumber"];

pub(crate) const EXAMPLE: &str = "time=#1:s,offset=#2:sectors,size=#3,kind=#4";

/// If the header's names say enough.
pub(crate) fn example(header: &[&str]) -> Option<String> {
    let plain = |name: &str| {
        let letters = unit_in(name).map_or(name, |(letters, _)| letters);
        let letters = letters.split(['(', '[']).next().unwrap_or(letters);
        letters.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
    };
    let part = |(role, names): &(&str, &[&str])| {
        let column = header.iter().find(|column| names.contains(&plain(column).as_str()));
        let is_plain = |column: &&&str| !column.contains([',', ':', '=']);
        match (column.filter(is_plain), *role) {
            (Some(column), "time") => Some(format!("time={column}:{}", unit_in(column).map_or("s", |(_, unit)| unit))),
            (Some(column), "offset" | "size") if OF_SECTORS.contains(&plain(column).as_str()) => {
                Some(format!("{role}={column}:sectors"))
            }
            (Some(column), _) => Some(format!("{role}={column}")),
            (None, "kind") => Some("kind=read".to_owned()),
            (None, _) => None,
        }
    };
    let parts: Option<Vec<String>> = USUAL.iter().map(part).collect();
    parts.map(|parts| parts.join(","))
}

/// Of a column such as `time_us` or `time(ms)`, with what stands before it.
fn unit_in(name: &str) -> Option<(&str, &'static str)> {
    let inner = name.trim_end_matches([')', ']']).trim_end();
    ["ns", "us", "ms", "s"].into_iter().find_map(|unit| {
        let before = inner.strip_suffix(unit)?.trim_end();
        before.ends_with(['_', '(', '[']).then(|| (&before[..before.len() - 1], unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_or_numbers_and_units() {
        let columns: Columns = "time=ts:ms, offset=#2:sectors,size=len,kind=op:read=1".parse().unwrap();
        assert_eq!((columns.time, columns.time_ns), (Column::Name("ts".into()), Some(1_000_000)));
        assert_eq!((columns.offset, columns.offset_bytes, columns.size_bytes), (Column::Number(1), 512, 1));
        assert_eq!(columns.words, [("1".into(), Kind::Read), ("0".into(), Kind::Write)]);
        assert_eq!(columns.device, None);
        let unstated: Columns = "time=ts,offset=a,size=b,kind=op:write=0".parse().unwrap();
        assert_eq!((unstated.time_ns, unstated.words[1].1), (None, Kind::Read));
        let mapped: Columns = "time=#1,offset=#2,size=#3,kind=op:read=28|0x88:write=2A:trim=42".parse().unwrap();
        let words: Vec<&str> = mapped.words.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["28", "0x88", "2a", "42"]);
        for (kind, expected) in [("read", Some(Kind::Read)), ("trim", Some(Kind::Trim)), ("rw", None), ("#4", None)] {
            let columns: Columns = format!("time=#1,offset=#2,size=#3,kind={kind}").parse().unwrap();
            assert_eq!(columns.constant_kind(), expected, "{kind}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let told = |text: &str| text.parse::<Columns>().unwrap_err();
        assert_eq!(told("time"), "got \"time\", expected NAME=COLUMN");
        assert_eq!(told("when=x"), "got \"when\", expected one of time, offset, size, kind, device, handle");
        assert_eq!(
            told("time=a,offset=b,size=c"),
            "kind is missing, expected kind=COLUMN, or kind=read where all are reads"
        );
        assert_eq!(told("time=a,time=b"), "time is given twice, expected once");
        assert_eq!(told("time=#0"), "got the column \"#0\", expected a name or #1 to #64");
        assert_eq!(told("time="), "got the column \"\", expected a name or #1 to #64");
        assert_eq!(
            told("time=a:min,offset=b,size=c,kind=d"),
            "got the unit \"min\", expected one of ns, us, ms, s, 100ns"
        );
        for other in ["1", "reads=1", "read"] {
            assert_eq!(
                told(&format!("time=a,offset=b,size=c,kind=d:{other}")),
                format!("got \"{other}\" for a kind, expected its words such as read=R|RD, or write=1")
            );
        }
        assert_eq!(told("time=a,offset=b,size=c,kind=d,device=e:x"), "got the unit \"x\" of device, expected none");
    }

    #[test]
    fn an_example_is_made_of_the_header() {
        let example = |header: &[&str]| super::example(header).unwrap_or_else(|| "none".to_owned());
        assert_eq!(example(&["ts", "rw", "offset", "len"]), "time=ts:s,offset=offset,size=len,kind=rw");
        assert_eq!(example(&["LBA", "IO_SIZE", "TIME"]), "time=TIME:s,offset=LBA:sectors,size=IO_SIZE,kind=read");
        assert_eq!(
            example(&["TIME(s)", "PID", "T", "SECTOR", "BYTES"]),
            "time=TIME(s):s,offset=SECTOR:sectors,size=BYTES,kind=read"
        );
        for (column, unit) in [("time_us", "us"), ("arrival_ns", "ns"), ("ts (ms)", "ms"), ("timestamp[us]", "us")] {
            let expected = format!("time={column}:{unit},offset=offset,size=size,kind=op");
            assert_eq!(example(&[column, "op", "offset", "size"]), expected);
        }
        for header in [&["0", "8", "1.5"][..], &["a", "b"], &["time:s", "lba", "n", "op"], &[]] {
            assert_eq!(example(header), "none");
        }
        for made in [&example(&["ts", "rw", "offset", "len"]), &example(&["LBA", "IO_SIZE", "TIME"]), EXAMPLE] {
            assert!(made.parse::<Columns>().is_ok());
        }
    }
}
