//! Fields of a line, without allocation unless they are wrong.

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;

use crate::error::quote;

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) allowed: &'static str,
}

#[derive(Debug)]
pub(crate) enum Fault {
    /// Wrong number of fields: no line of this format.
    Fields { found: usize },
    /// Wrong kind of text in a field: no line of this format either.
    Text { field: &'static str, given: String, allowed: &'static str },
    /// Impossible value in a line of this format.
    Value { field: &'static str, given: String, allowed: &'static str },
}

impl Fault {
    #[cold]
    pub(crate) fn text(field: &'static Field, given: &[u8]) -> Box<Self> {
        Box::new(Self::Text { field: field.name, given: quote(given), allowed: field.allowed })
    }

    #[cold]
    pub(crate) fn value(field: &'static Field, given: &[u8], allowed: &'static str) -> Box<Self> {
        Box::new(Self::Value { field: field.name, given: quote(given), allowed })
    }

    pub(crate) fn is_of_format(&self) -> bool {
        matches!(self, Self::Value { .. })
    }
}

#[inline]
pub(crate) fn by_whitespace<const N: usize>(line: &[u8]) -> Result<[&[u8]; N], Box<Fault>> {
    collect(line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty()))
}

/// Separated by commas.
#[inline]
pub(crate) fn by_commas<const N: usize>(line: &[u8]) -> Result<[&[u8]; N], Box<Fault>> {
    collect(line.split(|byte| *byte == b','))
}

/// Each column is one of its known words, without case and punctuation.
#[cold]
pub(crate) fn are_headings(line: &[u8], columns: &[&[&str]]) -> bool {
    let is_known = |field: &[u8], words: &[&str]| {
        let letters = field.iter().filter(|byte| byte.is_ascii_alphanumeric());
        let word: String = letters.map(|&byte| char::from(byte.to_ascii_lowercase())).collect();
        words.contains(&word.as_str())
    };
    let fields = || line.split(|byte| *byte == b',');
    fields().count() == columns.len() && fields().zip(columns).all(|(field, words)| is_known(field, words))
}

#[inline]
pub(crate) fn trimmed<const N: usize>(fields: [&[u8]; N]) -> [&[u8]; N] {
    fields.map(<[u8]>::trim_ascii)
}

#[inline]
fn collect<'a, const N: usize>(mut fields: impl Iterator<Item = &'a [u8]>) -> Result<[&'a [u8]; N], Box<Fault>> {
    let mut found = [&[][..]; N];
    for (count, slot) in found.iter_mut().enumerate() {
        match fields.next() {
            Some(field) => *slot = field,
            None => return Err(Box::new(Fault::Fields { found: count })),
        }
    }
    match fields.count() {
        0 => Ok(found),
        more => Err(Box::new(Fault::Fields { found: N + more })),
    }
}

/// Digits that always fit in 64 bits.
const SAFE_DIGITS: usize = 19;

/// Digits only: no sign, point or exponent.
#[inline]
pub(crate) fn number(field: &'static Field, text: &[u8]) -> Result<u64, Box<Fault>> {
    if text.is_empty() || text.len() > SAFE_DIGITS {
        return long_number(field, text);
    }
    let mut value = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(Fault::text(field, text));
        }
        value = value * 10 + u64::from(digit);
    }
    Ok(value)
}

#[cold]
fn long_number(field: &'static Field, text: &[u8]) -> Result<u64, Box<Fault>> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(Fault::text(field, text));
    }
    let add = |value: u64, digit: &u8| value.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    text.iter().try_fold(0, add).ok_or_else(|| Fault::value(field, text, field.allowed))
}

#[inline]
pub(crate) fn number32(field: &'static Field, text: &[u8]) -> Result<u32, Box<Fault>> {
    u32::try_from(number(field, text)?).map_err(|_| Fault::value(field, text, field.allowed))
}

/// In ones.
#[inline]
pub(crate) fn scaled(field: &'static Field, text: &[u8], scale: u64) -> Result<u64, Box<Fault>> {
    number(field, text)?.checked_mul(scale).ok_or_else(|| Fault::value(field, text, field.allowed))
}

/// To 10^-9 of a unit; more are skipped.
const FRACTION_DIGITS: usize = 9;

/// Such as `12.345`, in ones, rounded down; `scale` is at most 10^9.
#[inline]
pub(crate) fn decimal(field: &'static Field, text: &[u8], scale: u64) -> Result<u64, Box<Fault>> {
    let Some(point) = memchr::memchr(b'.', text) else {
        return scaled(field, text, scale);
    };
    let (whole, fraction) = (&text[..point], &text[point + 1..]);
    let mut value = 0;
    for i in 0..fraction.len().max(FRACTION_DIGITS) {
        let digit = fraction.get(i).map_or(0, |byte| byte.wrapping_sub(b'0'));
        if digit > 9 {
            return Err(Fault::text(field, text));
        }
        if i < FRACTION_DIGITS {
            value = value * 10 + u64::from(digit);
        }
    }
    let units = number(field, whole)?;
    let ones = units.checked_mul(scale).and_then(|ones| ones.checked_add(value * scale / 1_000_000_000));
    ones.ok_or_else(|| Fault::value(field, text, field.allowed))
}

/// `value` counts units, `scale` (a power of ten) of which make one.
pub(crate) fn write_decimal(out: &mut dyn std::io::Write, value: u64, scale: u64) -> std::io::Result<()> {
    let digits = scale.ilog10() as usize;
    write!(out, "{}.{:0digits$}", value / scale, value % scale)
}

/// Far beyond any drive's own limit: more is damage.
pub(crate) const LARGEST_REQUEST: u64 = 4 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExtentFault {
    /// The text says what is allowed.
    Size(&'static str),
    /// The text says what is allowed.
    Offset(&'static str),
}

/// A flush is for nothing, and extents end within 64 bits.
#[inline]
pub(crate) fn check_extent(record: &Record) -> Result<(), ExtentFault> {
    let Record { offset_bytes, bytes, kind, .. } = *record;
    if matches!(kind, Kind::Flush | Kind::Update) {
        return match (offset_bytes, bytes) {
            (0, 0) => Ok(()),
            (0, _) => Err(ExtentFault::Size("0 of a flush")),
            _ => Err(ExtentFault::Offset("0 of a flush")),
        };
    }
    if kind.is_of_zone() && bytes == 0 {
        return Ok(());
    }
    if bytes == 0 || bytes > LARGEST_REQUEST {
        return Err(ExtentFault::Size("1 byte to 4 GiB a request"));
    }
    if offset_bytes.checked_add(bytes).is_none() {
        return Err(ExtentFault::Offset("a request that ends below 2^64 bytes"));
    }
    Ok(())
}

#[inline]
pub(crate) fn checked(
    record: Record,
    offset: (&'static Field, &[u8]),
    size: (&'static Field, &[u8]),
) -> Result<Record, Box<Fault>> {
    match check_extent(&record) {
        Ok(()) => Ok(record),
        Err(ExtentFault::Size(allowed)) => Err(Fault::value(size.0, size.1, allowed)),
        Err(ExtentFault::Offset(allowed)) => Err(Fault::value(offset.0, offset.1, allowed)),
    }
}

pub(crate) fn flush(arrival_ns: u64, device: u32) -> Record {
    Record { arrival_ns, device, kind: Kind::Flush, ..Record::PLAIN }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FIELD: Field = Field { name: "field", allowed: "a number" };

    #[test]
    fn numbers_are_digits_up_to_64_bits() {
        let read = |text: &str| number(&FIELD, text.as_bytes());
        assert_eq!(read("0").unwrap(), 0);
        assert_eq!(read("18446744073709551615").unwrap(), u64::MAX);
        assert_eq!(read("000000000000000000000000000042").unwrap(), 42);
        for other in ["", "-1", "+1", "1.0", "1e3", "0x1", " 1", "1 ", "1_0", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
            assert!(matches!(*read(other).unwrap_err(), Fault::Text { .. }), "{other:?}");
        }
        for big in ["18446744073709551616", "99999999999999999999999999"] {
            assert!(matches!(*read(big).unwrap_err(), Fault::Value { .. }), "{big:?}");
        }
        assert!(number32(&FIELD, b"4294967295").is_ok() && number32(&FIELD, b"4294967296").is_err());
        assert!(scaled(&FIELD, b"36028797018963968", 512).is_err());
    }

    #[test]
    fn fields_are_counted() {
        assert_eq!(by_whitespace::<2>(b" a\t  b ").unwrap(), [&b"a"[..], b"b"]);
        assert_eq!(by_commas::<3>(b"a,,c").unwrap(), [&b"a"[..], b"", b"c"]);
        assert!(matches!(*by_commas::<2>(b"a").unwrap_err(), Fault::Fields { found: 1 }));
        assert!(matches!(*by_whitespace::<2>(b"a b c d").unwrap_err(), Fault::Fields { found: 4 }));
    }

    #[test]
    fn headings_are_known_words() {
        let columns: [&[&str]; 2] = [&["time", "timestamp"], &["disknumber"]];
        for heading in ["Time,Disk Number", "timestamp, disk_number", "\"Timestamp\",\"DiskNumber\""] {
            assert!(are_headings(heading.as_bytes(), &columns), "{heading}");
        }
        for other in ["time", "time,disk", "disknumber,time", "time,disknumber,x", "1,2", ""] {
            assert!(!are_headings(other.as_bytes(), &columns), "{other}");
        }
    }

    #[test]
    fn decimals_are_exact_to_a_billionth() {
        let read = |text: &str, scale| decimal(&FIELD, text.as_bytes(), scale);
        assert_eq!(read("12.345", 1_000_000).unwrap(), 12_345_000);
        assert_eq!(read("7", 1_000_000_000).unwrap(), 7_000_000_000);
        assert_eq!(read("0.0000000019", 1_000_000_000).unwrap(), 1);
        assert_eq!(read("18446744073.709551615", 1_000_000_000).unwrap(), u64::MAX);
        assert!(read("18446744073.709551616", 1_000_000_000).unwrap_err().is_of_format());
        assert_eq!(read("1.5", 1).unwrap(), 1, "rounded down");
        for other in ["", ".", ".5", "1.-5", "1.2.3", "1e3", "1.5s", "-1.0", "1.00000000000x"] {
            assert!(!read(other, 1000).unwrap_err().is_of_format(), "{other:?}");
        }
        let mut text = Vec::new();
        write_decimal(&mut text, 1_002_003, 1_000_000).unwrap();
        assert_eq!(text, b"1.002003");
    }

    #[test]
    fn requests_are_for_something_and_end_within_64_bits() {
        let check = |offset_bytes, bytes, kind| {
            check_extent(&Record { arrival_ns: 0, device: 0, offset_bytes, bytes, kind, ..Record::PLAIN })
        };
        assert!(check(u64::MAX - 1, 1, Kind::Read).is_ok() && check(0, 4 << 30, Kind::Trim).is_ok());
        assert!(matches!(check(0, 0, Kind::Write), Err(ExtentFault::Size(_))));
        assert!(matches!(check(0, (4 << 30) + 1, Kind::Read), Err(ExtentFault::Size(_))));
        assert!(matches!(check(u64::MAX, 1, Kind::Read), Err(ExtentFault::Offset(_))));
        assert!(check_extent(&flush(9, 1)).is_ok());
        assert!(matches!(check(0, 1, Kind::Flush), Err(ExtentFault::Size(_))));
        assert!(matches!(check(1, 0, Kind::Flush), Err(ExtentFault::Offset(_))));
    }
}
