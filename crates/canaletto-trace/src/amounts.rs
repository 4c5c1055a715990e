//! Numbers and times as other programs write them: `0x1000`, `1.5e-3`, `0,5`, `2024-05-06T07:08:09.5+02:00`.

use crate::fields::{Fault, Field, decimal};

/// In ones, rounded down: decimal, with an exponent, or hexadecimal after `0x`. A comma is a decimal comma.
#[inline]
pub(crate) fn amount(field: &'static Field, text: &[u8], scale: u64) -> Result<u64, Box<Fault>> {
    match decimal(field, text, scale) {
        Err(fault) if !fault.is_of_format() => unusual(field, text, scale),
        found => found,
    }
}

/// Digits that are kept: more than 64 bits have.
const MOST_DIGITS: usize = 24;

#[cold]
fn unusual(field: &'static Field, text: &[u8], scale: u64) -> Result<u64, Box<Fault>> {
    let wrong = || Fault::text(field, text);
    let text_of = std::str::from_utf8(text).map_err(|_| wrong())?;
    let too_large = || Fault::value(field, text, field.allowed);
    if let Some(digits) = text_of.strip_prefix("0x").or(text_of.strip_prefix("0X")) {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let value = u64::from_str_radix(digits, 16).ok().and_then(|value| value.checked_mul(scale));
        return value.ok_or_else(too_large);
    }
    let (mantissa, exponent) = text_of.split_once(['e', 'E']).unwrap_or((text_of, "0"));
    let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let significant = digits().skip_while(|byte| *byte == b'0').take(MOST_DIGITS);
    let value = significant.fold(0u128, |value, byte| value * 10 + u128::from(byte - b'0'));
    // Digits that were not kept stand before the point or behind it.
    let left_out = digits().skip_while(|byte| *byte == b'0').count().saturating_sub(MOST_DIGITS);
    let shift = exponent.saturating_add(left_out as i32).saturating_sub(fraction.len() as i32);
    let scaled = value * u128::from(scale);
    let power = 10u128.checked_pow(shift.unsigned_abs());
    let shifted = match (shift < 0, power) {
        (true, power) => Some(power.map_or(0, |power| scaled / power)),
        (false, Some(power)) => scaled.checked_mul(power),
        (false, None) => (value == 0).then_some(0),
    };
    shifted.and_then(|ones| u64::try_from(ones).ok()).ok_or_else(too_large)
}

const SECOND_NS: u64 = 1_000_000_000;

/// From 1970, of ISO 8601 such as `2024-05-06 07:08:09.5Z`; without zone UTC. `None` for other text.
pub(crate) fn moment(text: &[u8]) -> Option<u64> {
    let mut rest = Digits(text);
    let year = rest.number(4)?;
    let dash = rest.one_of(b"-/")?;
    let month = rest.number(2)?;
    rest.one_of(&[dash])?;
    let day = rest.number(2)?;
    rest.one_of(b"T t_")?;
    let hour = rest.number(2)?;
    rest.one_of(b":")?;
    let minute = rest.number(2)?;
    let second = if rest.one_of(b":").is_some() { rest.number(2)? } else { 0 };
    let fraction_ns = if rest.one_of(b".,").is_some() { rest.fraction()? } else { 0 };
    let zone_s = rest.zone()?;
    let is_moment = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day) && hour < 24 && minute < 60;
    if !is_moment || second > 60 {
        return None;
    }
    let local_s = ((days_to(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    let seconds = u64::try_from(local_s - zone_s).ok()?;
    seconds.checked_mul(SECOND_NS)?.checked_add(fraction_ns)
}

struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        allowed.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
    }

    fn fraction(&mut self) -> Option<u64> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let nine = digits.iter().chain(std::iter::repeat(&b'0')).take(9);
        (count > 0).then(|| nine.fold(0, |value, byte| value * 10 + u64::from(byte - b'0')))
    }

    /// Of the zone at the end, ahead of UTC.
    fn zone(&mut self) -> Option<i64> {
        self.one_of(b" ");
        let sign = match self.0 {
            [] | [b'Z' | b'z'] => return Some(0),
            [b'+', ..] => 1,
            [b'-', ..] => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.number(2)?;
        self.one_of(b":");
        let minutes = if self.0.is_empty() { 0 } else { self.number(2)? };
        self.0.is_empty().then_some(sign * (hours * 60 + minutes) * 60)
    }
}

fn days_of(year: i64, month: i64) -> i64 {
    let next = if month == 12 { days_to(year + 1, 1, 1) } else { days_to(year, month + 1, 1) };
    next - days_to(year, month, 1)
}

/// Of the Gregorian calendar, years beginning in March so that leap days are last.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 719_469
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    static FIELD: Field = Field { name: "field", allowed: "a number" };

    fn read(text: &str, scale: u64) -> Result<u64, Box<Fault>> {
        amount(&FIELD, text.as_bytes(), scale)
    }

    #[test]
    fn numbers_of_other_programs_are_exact() {
        for (text, scale, expected) in [
            ("0x1000", 1, 4096),
            ("0XfF", 512, 255 * 512),
            ("1.100e-02", 1_000_000_000, 11_000_000),
            ("2E3", 1, 2000),
            ("4e+0", 1, 4),
            ("0,25", 1_000_000, 250_000),
            (".5", 1000, 500),
            ("5.", 1000, 5000),
            ("1.69e9", 1_000_000_000, 1_690_000_000_000_000_000),
            ("0e99999999", 1, 0),
            ("1e-99999999", 1_000_000_000, 0),
            ("1700000000.1234567891234567", 1_000_000_000, 1_700_000_000_123_456_789),
            ("0.000000000000000000000000000001e30", 1, 1),
        ] {
            assert_eq!(read(text, scale).unwrap(), expected, "{text}");
        }
        for other in ["", ".", ",", "0x", "0xg", "e3", "1e", "1e1.5", "-1", "+1", "1,2,3", "1.2,3", "one", "1 2"] {
            assert!(!read(other, 1).unwrap_err().is_of_format(), "{other:?}");
        }
        for large in ["1e20", "0x10000000000000000", "1e99999999", "18446744073709551616.0e0"] {
            assert!(read(large, 1).unwrap_err().is_of_format(), "{large}");
        }
    }

    #[test]
    fn moments_have_zones_and_fractions() {
        const DAY_S: u64 = 86_400;
        let at = |text: &str| moment(text.as_bytes());
        assert_eq!(at("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(at("1970-01-02 00:00"), Some(DAY_S * SECOND_NS));
        // `date --utc --date 2024-02-29T12:34:56 +%s`
        let leap = 1_709_210_096 * SECOND_NS;
        for text in
            ["2024-02-29T12:34:56", "2024/02/29 12:34:56Z", "2024-02-29T14:34:56+02:00", "2024-02-29 07:04:56 -0530"]
        {
            assert_eq!(at(text), Some(leap), "{text}");
        }
        assert_eq!(at("2024-02-29T13:34:56.789+01"), Some(leap + 789_000_000));
        assert_eq!(at("2024-02-29T12:34:56,1234567891Z"), Some(leap + 123_456_789));
        for other in [
            "",
            "2024",
            "2024-02-29",
            "2023-02-29T00:00:00",
            "2024-13-01T00:00:00",
            "2024-00-01T00:00:00",
            "2024-01-01T24:00:00",
            "2024-01-01T00:60:00",
            "2024-01-01T00:00:00.",
            "2024-01-01T00:00:00X",
            "1969-12-31T23:59:59Z",
            "2024-01-01T00:00:00+0",
            "2024-01/01T00:00:00",
            "9999-01-01T00:00:00Z",
        ] {
            assert_eq!(at(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn exponents_move_the_point(number in 0u64..1 << 53, places in 0i32..12) {
            let power = 10u64.pow(places as u32);
            let (whole, rest, width) = (number / power, number % power, places as usize);
            let fraction = format!("{whole}.{rest:0width$}");
            let fraction = fraction.trim_end_matches('.');
            prop_assert_eq!(read(&format!("{fraction}e{places}"), 1).unwrap(), number);
            prop_assert_eq!(read(&format!("{number}e-{places}"), power).unwrap(), number);
            prop_assert_eq!(read(&format!("{number:#x}"), 1).unwrap(), number);
        }

        #[test]
        fn days_follow_each_other(day in 0i64..100_000) {
            // Walked by the lengths of months.
            let (mut year, mut month, mut left) = (1970, 1, day);
            while left >= days_of(year, month) {
                left -= days_of(year, month);
                (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            }
            prop_assert_eq!(days_to(year, month, left + 1), day);
        }

        #[test]
        fn no_text_panics(text in "[0-9eExX.,:TZ+ -]{0,40}") {
            let _ = (read(&text, 1_000_000_000), moment(text.as_bytes()));
        }
    }
}
