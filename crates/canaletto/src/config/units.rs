//! Numbers with units: `"75us"`, `"1.2GB/s"`, `"4KiB"`.
//!
//! A bare number is refused everywhere a unit is due: a latency that was meant in microseconds and read in nanoseconds
//! is the most expensive mistake a simulator can allow.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sim::time::Time;

/// A quantity that is written as a number and a unit.
trait Quantity: Sized {
    /// What is allowed, with an example, for error messages.
    const EXPECTED: &'static str;
    /// Units and their size in the stored unit, largest first so that printing picks the largest that divides.
    const UNITS: &'static [(&'static str, f64)];
    /// Unit used to print a quantity that no larger unit divides.
    fn from_stored(value: f64) -> Option<Self>;
    fn stored(&self) -> u64;
}

fn parse<Q: Quantity>(text: &str) -> Result<Q, String> {
    let wrong = || format!("got {text:?}, expected {}", Q::EXPECTED);
    let text_trimmed = text.trim();
    let split =
        text_trimmed.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text_trimmed.len());
    let (number, unit) = text_trimmed.split_at(split);
    let number: f64 = number.replace('_', "").parse().map_err(|_| wrong())?;
    let unit = unit.trim();
    let (_, size) = Q::UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    Q::from_stored(number * size).ok_or_else(wrong)
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
                serializer.serialize_str(&print(self))
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
                deserializer.deserialize_any(Text)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "description": $name::EXPECTED, "pattern": $pattern})
            }
        }
    };
}

quantity!(
    /// A span of time; stored in picoseconds.
    Duration,
    r"^[0-9._]+ ?(ps|ns|us|ms|s)$"
);
quantity!(
    /// A data rate; stored in bytes a second. Decimal: 1 GB/s = 10^9 B/s.
    Rate,
    r"^[0-9._]+ ?(TB|GB|MB|kB|B)/s$"
);
quantity!(
    /// A size; stored in bytes. Binary (KiB) and decimal (kB) units both exist and differ.
    Size,
    r"^[0-9._]+ ?(TiB|GiB|MiB|KiB|TB|GB|MB|kB|B)$"
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

impl Quantity for Rate {
    const EXPECTED: &'static str =
        "a data rate with its unit, one of B/s, kB/s, MB/s, GB/s, TB/s (for example \"1.2GB/s\")";
    const UNITS: &'static [(&'static str, f64)] =
        &[("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)];
    fn from_stored(value: f64) -> Option<Self> {
        (value < 1e18).then_some(Rate(value.round() as u64))
    }
    fn stored(&self) -> u64 {
        self.0
    }
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

impl Duration {
    /// The same span as simulated time.
    pub fn time(self) -> Time {
        Time(self.0)
    }

    /// A span of whole nanoseconds.
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
        assert_eq!("1.2GB/s".parse(), Ok(Rate(1_200_000_000)));
        assert_eq!("4KiB".parse(), Ok(Size(4096)));
        assert_eq!("4kB".parse(), Ok(Size(4000)));
    }

    #[test]
    fn says_what_was_given_and_what_is_allowed() {
        for bad in ["75", "us", "", "-3us", "75 µs", "1e999s", "75us us", "3KB"] {
            let message = bad.parse::<Duration>().unwrap_err();
            assert!(message.starts_with(&format!("got {bad:?}, expected a time with its unit")), "{message}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(n in 1u64..1_000_000_000_000) {
            prop_assert_eq!(Duration(n).to_string().parse(), Ok(Duration(n)));
            prop_assert_eq!(Rate(n).to_string().parse(), Ok(Rate(n)));
            prop_assert_eq!(Size(n).to_string().parse(), Ok(Size(n)));
        }
    }
}
