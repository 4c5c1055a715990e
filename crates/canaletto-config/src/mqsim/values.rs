//! Text of one tag to a typed value. Every error is the sentence after "expected".

use std::ops::RangeInclusive;

use super::words::Word;

/// MQSim's `std::stoi` takes no more.
pub(super) const INT_MAX: u64 = i32::MAX as u64;

/// MQSim allows 32 bits, no drive needs more than 16.
pub(super) const COUNT: RangeInclusive<u64> = 1..=65_535;

/// MQSim keeps 32 bits of these values.
pub(super) const ANY_U32: RangeInclusive<u64> = 0..=u32::MAX as u64;

/// Up to a quarter of an hour, so that sums never overflow.
pub(super) const DELAY_NS: RangeInclusive<u64> = 0..=1_000_000_000_000;

/// 100 days, which fit 64 bits in picoseconds.
pub(super) const MOMENT_NS: RangeInclusive<u64> = 0..=8_640_000_000_000_000;

pub(super) fn put<T>(field: &mut T, value: Result<T, String>) -> Result<(), String> {
    *field = value?;
    Ok(())
}

pub(super) fn int<T: TryFrom<u64>>(text: &str, range: RangeInclusive<u64>) -> Result<T, String> {
    let value = text.parse::<u64>().ok().filter(|n| range.contains(n));
    value
        .and_then(|n| T::try_from(n).ok())
        .ok_or_else(|| format!("an integer from {} to {}", range.start(), range.end()))
}

pub(super) fn multiple<T: TryFrom<u64>>(text: &str, range: RangeInclusive<u64>, step: u64) -> Result<T, String> {
    let wrong = format!("a multiple of {step} from {} to {}", range.start(), range.end());
    let value: u64 = int(text, range).map_err(|_| wrong.clone())?;
    if value % step != 0 {
        return Err(wrong);
    }
    T::try_from(value).map_err(|_| wrong)
}

pub(super) fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|x| range.contains(x));
    value.ok_or_else(|| format!("a number from {} to {}", range.start(), range.end()))
}

pub(super) fn percent(text: &str) -> Result<u8, String> {
    int(text, 0..=100)
}

const FLAG: &str = "true or false";

/// None if MQSim reads none. It keeps `bits` of a number's whole part, and takes any flag but "false" as true.
pub(super) fn as_mqsim(text: &str, expected: &str, bits: u32) -> Option<String> {
    if expected == FLAG {
        return (!text.is_empty()).then(|| "true".to_owned());
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, rest) = text.split_at(digits);
    // Of `1.5e3` only a number may follow, not the unit of `2 MB`.
    if !rest.is_empty() && text.parse::<f64>().is_err() {
        return None;
    }
    let kept = whole.parse::<u64>().ok()? & (u64::MAX >> (u64::BITS - bits));
    Some(kept.to_string())
}

/// 1200 in `1200.0`.
pub(super) fn is_whole(text: &str, read: &str) -> bool {
    matches!((text.parse::<f64>(), read.parse::<f64>()), (Ok(said), Ok(read)) if said == read)
}

pub(super) fn flag(text: &str) -> Result<bool, String> {
    if text.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if text.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        Err(FLAG.into())
    }
}

/// In any case, as MQSim compares them.
pub(super) fn word<T: Word>(text: &str) -> Result<T, String> {
    let found = T::WORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = T::WORDS.iter().map(|(name, _)| *name).collect();
        match names.as_slice() {
            [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => names.concat(),
        }
    })
}

/// MQSim keeps ids in a set: order, repetitions and a comma at the end mean nothing.
pub(super) fn ids(text: &str) -> Result<Vec<u32>, String> {
    let wrong = || "ids from 0 to 65534 between commas, such as 0,1,2".to_string();
    let given = text.split(',').map(str::trim).filter(|id| !id.is_empty());
    let mut ids = given.map(|id| int(id, 0..=65_534)).collect::<Result<Vec<u32>, _>>().map_err(|_| wrong())?;
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() { Err(wrong()) } else { Ok(ids) }
}

pub(super) fn text(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("some text".into()) } else { Ok(text.to_string()) }
}
