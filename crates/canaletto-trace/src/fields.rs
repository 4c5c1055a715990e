//! Fields of a line: split, read and checked without allocating while all is well.

use canaletto::workload::replay::Record;

use crate::error::quote;

/// One field of a format, as messages name it.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// What may stand there, with its unit.
    pub(crate) allowed: &'static str,
}

/// Why a line is no record.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Not the format's number of fields: no line of this format.
    Fields { found: usize },
    /// A field that holds another kind of text: no line of this format either.
    Text { field: &'static str, given: String, allowed: &'static str },
    /// A line of this format with a value that cannot be.
    Value { field: &'static str, given: String, allowed: &'static str },
}

impl Fault {
    /// The text `given` is not what `field` holds.
    #[cold]
    pub(crate) fn text(field: &'static Field, given: &[u8]) -> Box<Self> {
        Box::new(Self::Text { field: field.name, given: quote(given), allowed: field.allowed })
    }

    /// The value `given` is out of `allowed`.
    #[cold]
    pub(crate) fn value(field: &'static Field, given: &[u8], allowed: &'static str) -> Box<Self> {
        Box::new(Self::Value { field: field.name, given: quote(given), allowed })
    }

    /// Whether the line is of the format all the same.
    pub(crate) fn is_of_format(&self) -> bool {
        matches!(self, Self::Value { .. })
    }
}

/// The `N` fields of a line that separates them by spaces or tabs.
#[inline]
pub(crate) fn by_whitespace<const N: usize>(line: &[u8]) -> Result<[&[u8]; N], Box<Fault>> {
    collect(line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|field| !field.is_empty()))
}

/// The `N` fields of a line that separates them by commas.
#[inline]
pub(crate) fn by_commas<const N: usize>(line: &[u8]) -> Result<[&[u8]; N], Box<Fault>> {
    collect(line.split(|byte| *byte == b','))
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

/// An unsigned decimal number: digits only, no sign, no point, no exponent.
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

/// A number of so many digits that it may not fit.
#[cold]
fn long_number(field: &'static Field, text: &[u8]) -> Result<u64, Box<Fault>> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(Fault::text(field, text));
    }
    let add = |value: u64, digit: &u8| value.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    text.iter().try_fold(0, add).ok_or_else(|| Fault::value(field, text, field.allowed))
}

/// A [`number`] of 32 bits.
#[inline]
pub(crate) fn number32(field: &'static Field, text: &[u8]) -> Result<u32, Box<Fault>> {
    u32::try_from(number(field, text)?).map_err(|_| Fault::value(field, text, field.allowed))
}

/// A [`number`] of units of `scale`, in ones.
#[inline]
pub(crate) fn scaled(field: &'static Field, text: &[u8], scale: u64) -> Result<u64, Box<Fault>> {
    number(field, text)?.checked_mul(scale).ok_or_else(|| Fault::value(field, text, field.allowed))
}

/// Most bytes that one request may move: far beyond any drive's own limit, so more is damage.
pub(crate) const LARGEST_REQUEST: u64 = 4 << 30;

/// What is wrong with where a request lies, whatever the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExtentFault {
    /// Its size is at fault; the text says what is allowed.
    Size(&'static str),
    /// Its offset is at fault; the text says what is allowed.
    Offset(&'static str),
}

/// Checks that a request moves something and ends within 64 bits.
#[inline]
pub(crate) fn check_extent(offset_bytes: u64, bytes: u64) -> Result<(), ExtentFault> {
    if bytes == 0 || bytes > LARGEST_REQUEST {
        return Err(ExtentFault::Size("1 byte to 4 GiB a request"));
    }
    if offset_bytes.checked_add(bytes).is_none() {
        return Err(ExtentFault::Offset("a request that ends below 2^64 bytes"));
    }
    Ok(())
}

/// [`check_extent`] of a record just read, with the fields that its extent was read from.
#[inline]
pub(crate) fn checked(
    record: Record,
    offset: (&'static Field, &[u8]),
    size: (&'static Field, &[u8]),
) -> Result<Record, Box<Fault>> {
    match check_extent(record.offset_bytes, record.bytes) {
        Ok(()) => Ok(record),
        Err(ExtentFault::Size(allowed)) => Err(Fault::value(size.0, size.1, allowed)),
        Err(ExtentFault::Offset(allowed)) => Err(Fault::value(offset.0, offset.1, allowed)),
    }
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
    fn requests_move_something_and_end_within_64_bits() {
        assert!(check_extent(u64::MAX - 1, 1).is_ok() && check_extent(0, 4 << 30).is_ok());
        assert!(matches!(check_extent(0, 0), Err(ExtentFault::Size(_))));
        assert!(matches!(check_extent(0, (4 << 30) + 1), Err(ExtentFault::Size(_))));
        assert!(matches!(check_extent(u64::MAX, 1), Err(ExtentFault::Offset(_))));
    }
}
