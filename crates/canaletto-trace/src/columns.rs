//! Which columns of a CSV file hold what: `time=ts:ms,offset=lba:sectors,size=len,kind=op:read=1,device=disk`.
//!
//! Each part names what it is about, `=`, the column, and after a colon its unit. A column is a name of the header or its
//! number from the left, `#1` being the first; if all are numbers, the file has no header. Units of time are s, ms, us, ns
//! (default) and 100ns; of offset and size bytes (default), KiB, sectors (512 bytes) and pages (4 KiB); a kind that is 0 or 1
//! has `read=0` or `read=1` there. `device` may be left out.

use std::str::FromStr;

use crate::formats::csv::MOST_COLUMNS;

/// Columns of a generic CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) time: Column,
    pub(crate) time_ns: u64,
    pub(crate) offset: Column,
    pub(crate) offset_bytes: u64,
    pub(crate) size: Column,
    pub(crate) size_bytes: u64,
    pub(crate) kind: Column,
    pub(crate) reads_as: ReadsAs,
    pub(crate) device: Option<Column>,
}

/// Column of a CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    /// Column with this name.
    Name(String),
    /// Column with this index, from 0.
    Number(usize),
}

/// Value that marks a request as a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadsAs {
    Word,
    Zero,
    One,
}

const TIME_UNITS: [(&str, u64); 5] = [("ns", 1), ("us", 1000), ("ms", 1_000_000), ("s", 1_000_000_000), ("100ns", 100)];
const SIZE_UNITS: [(&str, u64); 4] = [("bytes", 1), ("KiB", 1024), ("sectors", 512), ("pages", 4096)];

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts: [Option<(Column, &str)>; 5] = Default::default();
        const NAMES: [&str; 5] = ["time", "offset", "size", "kind", "device"];
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
        let [time, offset, size, kind, device] = parts;
        let needed = |part: Option<_>, name| part.ok_or_else(|| format!("{name} is missing, expected {name}=COLUMN"));
        let (time, time_unit) = needed(time, "time")?;
        let (offset, offset_unit) = needed(offset, "offset")?;
        let (size, size_unit) = needed(size, "size")?;
        let (kind, kind_unit) = needed(kind, "kind")?;
        let device = match device {
            Some((_, unit)) if !unit.is_empty() => {
                return Err(format!("got the unit \"{unit}\" of device, expected none"));
            }
            other => other.map(|(column, _)| column),
        };
        let reads_as = [("", ReadsAs::Word), ("read=0", ReadsAs::Zero), ("read=1", ReadsAs::One)];
        Ok(Self {
            time,
            time_ns: lun_of(time_unit, &TIME_UNITS)?,
            offset,
            offset_bytes: lun_of(offset_unit, &SIZE_UNITS)?,
            size,
            size_bytes: lun_of(size_unit, &SIZE_UNITS)?,
            kind,
            reads_as: lun_of(kind_unit, &reads_as)?,
            device,
        })
    }
}

/// Returns the meaning of `given`; the first unit if nothing is given.
fn lun_of<T: Copy>(given: &str, units: &[(&str, T)]) -> Result<T, String> {
    let found = units.iter().find(|(name, _)| *name == given).or(units.first().filter(|_| given.is_empty()));
    let names = || units.iter().map(|(name, _)| *name).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ");
    found.map(|(_, unit)| *unit).ok_or_else(|| format!("got the unit \"{given}\", expected one of {}", names()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_or_numbers_and_units() {
        let columns: Columns = "time=ts:ms, offset=#2:sectors,size=len,kind=op:read=1".parse().unwrap();
        assert_eq!((columns.time, columns.time_ns), (Column::Name("ts".into()), 1_000_000));
        assert_eq!((columns.offset, columns.offset_bytes, columns.size_bytes), (Column::Number(1), 512, 1));
        assert_eq!((columns.reads_as, columns.device), (ReadsAs::One, None));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let told = |text: &str| text.parse::<Columns>().unwrap_err();
        assert_eq!(told("time"), "got \"time\", expected NAME=COLUMN");
        assert_eq!(told("when=x"), "got \"when\", expected one of time, offset, size, kind, device");
        assert_eq!(told("time=a,offset=b,size=c"), "kind is missing, expected kind=COLUMN");
        assert_eq!(told("time=a,time=b"), "time is given twice, expected once");
        assert_eq!(told("time=#0"), "got the column \"#0\", expected a name or #1 to #64");
        assert_eq!(told("time="), "got the column \"\", expected a name or #1 to #64");
        assert_eq!(
            told("time=a:min,offset=b,size=c,kind=d"),
            "got the unit \"min\", expected one of ns, us, ms, s, 100ns"
        );
        assert_eq!(told("time=a,offset=b,size=c,kind=d:1"), "got the unit \"1\", expected one of read=0, read=1");
        assert_eq!(told("time=a,offset=b,size=c,kind=d,device=e:x"), "got the unit \"x\" of device, expected none");
    }
}
