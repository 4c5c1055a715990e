//! Numbers with units: `"75us"`, `"1.2GB/s"`, `"4KiB"`, `"1.08mW"`.
//!
//! A bare number is refused, so that microseconds are never read as nanoseconds.

use std::fmt;

#[cfg(test)]
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::Time;

trait Quantity: Sized {
    /// Allowed form, with an example, for error messages.
    const EXPECTED: &'static str;
    /// With their size in the stored unit, largest first, so that printing picks the largest that divides.
    const UNITS: &'static [(&'static str, f64)];
    /// Units that are read and never printed.
    const OTHER_UNITS: &'static [(&'static str, f64)] = &[];
    fn from_stored(value: f64) -> Option<Self>;
    fn stored(&self) -> u64;
}

fn parse<Q: Quantity>(text: &str) -> Result<Q, String> {
    let wrong = || format!("got {text:?}, expected {}", Q::EXPECTED);
    let text_trimmed = text.trim();
    let (number, unit) = text_trimmed.split_at(number_length(text_trimmed));
    let number: f64 = number.replace('_', "").parse().map_err(|_| wrong())?;
    let unit = unit.trim();
    let (_, size) = Q::UNITS.iter().chain(Q::OTHER_UNITS).find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    Q::from_stored(number * size).ok_or_else(wrong)
}

/// Digits, a point, and perhaps an exponent (`1e5`).
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(text.len());
    let mantissa = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let Some(exponent) = text[mantissa..].strip_prefix(['e', 'E']) else { return mantissa };
    let sign = usize::from(exponent.starts_with(['+', '-']));
    match digits(&exponent[sign..]) {
        0 => mantissa,
        length => mantissa + 1 + sign + length,
    }
}

fn print<Q: Quantity>(quantity: &Q) -> String {
    let stored = quantity.stored();
    for (unit, size) in Q::UNITS {
        let value = stored as f64 / size;
        // Three decimals at the most, and exactly the same quantity when read again.
        if value >= 1.0 && (value * 1e3).round() / 1e3 * size == stored as f64 {
            return format!("{value}{unit}");
        }
    }
    let (unit, size) = Q::UNITS[Q::UNITS.len() - 1];
    format!("{}{unit}", stored as f64 / size)
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $pattern:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&print(self))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                parse(text)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match serializer.is_human_readable() {
                    true => serializer.serialize_str(&print(self)),
                    false => self.0.serialize(serializer),
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($name::EXPECTED)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        parse(text).map_err(E::custom)
                    }
                    fn visit_i64<E: de::Error>(self, number: i64) -> Result<$name, E> {
                        Err(E::custom(format!("got {number} without a unit, expected {}", $name::EXPECTED)))
                    }
                    fn visit_f64<E: de::Error>(self, number: f64) -> Result<$name, E> {
                        Err(E::custom(format!("got {number} without a unit, expected {}", $name::EXPECTED)))
                    }
                }
                match deserializer.is_human_readable() {
                    true => deserializer.deserialize_any(Text),
                    false => u64::deserialize(deserializer).map($name),
                }
            }
        }

        #[cfg(test)]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": $name::EXPECTED, "pattern": $pattern})
            }
        }
    };
}

quantity!(
    /// Time, stored in picoseconds.
    Duration,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(ps|ns|us|ms|s)$"
);
quantity!(
    /// Data rate, stored in bytes per second. Decimal: 1 GB/s = 10^9 B/s. A transfer (MT/s, GT/s) carries a bit on each of
    /// eight data pins, hence a byte.
    Rate,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(TB|GB|MB|kB|B|GT|MT)/s$"
);
quantity!(
    /// Data rate of a bus whose width the key does not state, so that transfers per second say nothing.
    ByteRate,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(TB|GB|MB|kB|B)/s$"
);
quantity!(
    /// Size, stored in bytes. Binary (KiB) and decimal (kB) units are both known and differ.
    Size,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(TiB|GiB|MiB|KiB|TB|GB|MB|kB|B)$"
);
quantity!(
    /// Power, stored in nanowatts.
    Power,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(W|mW|uW|nW)$"
);
quantity!(
    /// Energy, stored in femtojoules.
    Joules,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(J|mJ|uJ|nJ|pJ|fJ)$"
);
quantity!(
    /// Recorded time, stored in nanoseconds.
    Span,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(d|h|min|s|ms|us|ns)$"
);
quantity!(
    /// Area, stored in square micrometres.
    Area,
    r"^[0-9._]+(e[+-]?[0-9]+)? ?(cm2|mm2|um2)$"
);

impl Quantity for Duration {
    const EXPECTED: &'static str = "a time with its unit, one of ps, ns, us, ms, s (for example \"75us\"), up to a day";
    const UNITS: &'static [(&'static str, f64)] = &[("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3), ("ps", 1.0)];
    fn from_stored(value: f64) -> Option<Self> {
        // A day: far beyond any latency, and small enough that sums never overflow.
        (value <= 8.64e16).then_some(Duration(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

impl Quantity for Span {
    const EXPECTED: &'static str =
        "a time with its unit, one of ns, us, ms, s, min, h, d (for example \"90s\"), up to ten years";
    const UNITS: &'static [(&'static str, f64)] =
        &[("d", 8.64e13), ("h", 3.6e12), ("min", 6e10), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)];
    fn from_stored(value: f64) -> Option<Self> {
        (value <= 3.1536e17).then_some(Span(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

const BYTE_RATES: [(&str, f64); 5] = [("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)];

impl Quantity for Rate {
    const EXPECTED: &'static str = "a data rate with its unit, one of B/s, kB/s, MB/s, GB/s, TB/s, or MT/s, GT/s on eight pins (for \
                                    example \"1.2GB/s\" or \"2400MT/s\")";
    const UNITS: &'static [(&'static str, f64)] = &BYTE_RATES;
    const OTHER_UNITS: &'static [(&'static str, f64)] = &[("GT/s", 1e9), ("MT/s", 1e6)];
    fn from_stored(value: f64) -> Option<Self> {
        (value < 1e18).then_some(Rate(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

impl Quantity for ByteRate {
    const EXPECTED: &'static str =
        "a data rate with its unit, one of B/s, kB/s, MB/s, GB/s, TB/s (for example \"1.2GB/s\")";
    const UNITS: &'static [(&'static str, f64)] = &BYTE_RATES;
    fn from_stored(value: f64) -> Option<Self> {
        Rate::from_stored(value).map(|Rate(rate)| ByteRate(rate))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

pub(super) fn in_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rate, D::Error> {
    ByteRate::deserialize(deserializer).map(|ByteRate(rate)| Rate(rate))
}

impl Quantity for Size {
    const EXPECTED: &'static str =
        "a size with its unit, one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB (for example \"4KiB\")";
    const UNITS: &'static [(&'static str, f64)] = &[
        ("TiB", 1_099_511_627_776.0),
        ("GiB", 1_073_741_824.0),
        ("MiB", 1_048_576.0),
        ("KiB", 1024.0),
        ("TB", 1e12),
        ("GB", 1e9),
        ("MB", 1e6),
        ("kB", 1e3),
        ("B", 1.0),
    ];
    fn from_stored(value: f64) -> Option<Self> {
        (value < 9e18).then_some(Size(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

impl Quantity for Power {
    const EXPECTED: &'static str =
        "a power with its unit, one of nW, uW, mW, W (for example \"1.08mW\"), up to a megawatt";
    const UNITS: &'static [(&'static str, f64)] = &[("W", 1e9), ("mW", 1e6), ("uW", 1e3), ("nW", 1.0)];
    fn from_stored(value: f64) -> Option<Self> {
        // Whole nanowatts up to here are exact as floating-point numbers, too.
        (value <= 1e15).then_some(Power(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

impl Quantity for Joules {
    const EXPECTED: &'static str =
        "an energy with its unit, one of fJ, pJ, nJ, uJ, mJ, J (for example \"250nJ\"), up to a joule";
    const UNITS: &'static [(&'static str, f64)] =
        &[("J", 1e15), ("mJ", 1e12), ("uJ", 1e9), ("nJ", 1e6), ("pJ", 1e3), ("fJ", 1.0)];
    fn from_stored(value: f64) -> Option<Self> {
        (value <= 1e15).then_some(Joules(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

impl Quantity for Area {
    const EXPECTED: &'static str =
        "an area with its unit, one of um2, mm2, cm2 (for example \"0.2mm2\"), up to a square metre";
    const UNITS: &'static [(&'static str, f64)] = &[("cm2", 1e8), ("mm2", 1e6), ("um2", 1.0)];
    fn from_stored(value: f64) -> Option<Self> {
        (value <= 1e12).then_some(Area(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
}

impl Power {
    /// In milliwatts.
    pub fn mw(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Joules {
    /// In millijoules.
    pub fn mj(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

impl Duration {
    /// As simulated time.
    pub fn time(self) -> Time {
        Time(self.0)
    }

    /// Of whole nanoseconds.
    pub fn from_ns(ns: u64) -> Duration {
        Duration(ns * 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_the_usual_forms() {
        assert_eq!("75us".parse(), Ok(Duration(75_000_000)));
        assert_eq!("3.5 ms".parse(), Ok(Duration(3_500_000_000)));
        assert_eq!("1.5h".parse(), Ok(Span(5_400_000_000_000)));
        assert_eq!("1.2GB/s".parse(), Ok(Rate(1_200_000_000)));
        assert_eq!("4KiB".parse(), Ok(Size(4096)));
        assert_eq!("4kB".parse(), Ok(Size(4000)));
        assert_eq!("0.241mW".parse(), Ok(Power(241_000)));
        assert_eq!("2 W".parse(), Ok(Power(2_000_000_000)));
        assert_eq!("247.5nJ".parse(), Ok(Joules(247_500_000)));
        assert_eq!("0.2mm2".parse(), Ok(Area(200_000)));
        assert_eq!("614um2".parse(), Ok(Area(614)));
        assert_eq!("1e3us".parse(), Ok(Duration(1_000_000_000)));
        assert_eq!("7.5E-2 ms".parse(), Ok(Duration(75_000_000)));
    }

    #[test]
    fn says_what_was_given_and_what_is_allowed() {
        for bad in ["75", "us", "", "-3us", "75 µs", "1e999s", "75us us", "3KB"] {
            let message = bad.parse::<Duration>().unwrap_err();
            assert!(message.starts_with(&format!("got {bad:?}, expected a time with its unit")), "{message}");
        }
    }

    #[test]
    fn powers_energies_and_areas_say_so_too() {
        for bad in ["1.08", "mW", "1.08 MW", "-1mW", "2eW", "1e-W", "1001kW", "2000000W"] {
            let message = bad.parse::<Power>().unwrap_err();
            assert!(message.starts_with(&format!("got {bad:?}, expected a power with its unit")), "{message}");
        }
        for bad in ["5", "5nW", "1000000J"] {
            let message = bad.parse::<Joules>().unwrap_err();
            assert!(message.starts_with(&format!("got {bad:?}, expected an energy with its unit")), "{message}");
        }
        for bad in ["8", "8mm", "8m2"] {
            let message = bad.parse::<Area>().unwrap_err();
            assert!(message.starts_with(&format!("got {bad:?}, expected an area with its unit")), "{message}");
        }
    }

    #[test]
    fn transfers_on_eight_pins_are_bytes() {
        for (text, bytes_per_s) in
            [("2400MT/s", 2_400_000_000), ("3.6 GT/s", 3_600_000_000), ("1e3MT/s", 1_000_000_000)]
        {
            let rate = text.parse::<Rate>().unwrap();
            assert_eq!((rate.0, rate.to_string().ends_with("GB/s")), (bytes_per_s, true), "{text}");
            assert!(text.parse::<ByteRate>().unwrap_err().ends_with("TB/s (for example \"1.2GB/s\")"), "{text}");
        }
        for wrong in ["2400MT", "2400mt/s", "2400", "MT/s"] {
            assert!(wrong.parse::<Rate>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_largest_unit_that_fits_is_printed() {
        for text in ["0nW", "241uW", "1.08mW", "82.5mW", "2W"] {
            assert_eq!(text.parse::<Power>().unwrap().to_string(), text);
        }
        assert_eq!("0.5uJ".parse::<Joules>().unwrap().to_string(), "500nJ");
        assert_eq!("0.2mm2".parse::<Area>().unwrap().to_string(), "200000um2");
        assert_eq!("100mm2".parse::<Area>().unwrap().to_string(), "1cm2");
    }

    #[test]
    fn reports_are_in_their_units() {
        assert_eq!((Power(1_080_000).mw(), Joules(1_000_000_000_000).mj()), (1.08, 1.0));
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(n in 1u64..1_000_000_000_000) {
            prop_assert_eq!(Duration(n).to_string().parse(), Ok(Duration(n)));
            prop_assert_eq!(Span(n).to_string().parse(), Ok(Span(n)));
            prop_assert_eq!(Rate(n).to_string().parse(), Ok(Rate(n)));
            prop_assert_eq!(Size(n).to_string().parse(), Ok(Size(n)));
            prop_assert_eq!(Power(n).to_string().parse(), Ok(Power(n)));
            prop_assert_eq!(Joules(n).to_string().parse(), Ok(Joules(n)));
            prop_assert_eq!(Area(n).to_string().parse(), Ok(Area(n)));
        }
    }
}
