//! Messages of serde in a user's words, without types of Rust.

use crate::names::{likeness, most_alike, nearest};
use crate::schema::Kind;
use crate::setting::all_keys;

/// With the nearest name where a name was unknown.
pub(super) fn explain(kind: Kind, key: &str, message: &str) -> String {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let near = match (message.split_once(' '), names.split_first()) {
        (Some(("unknown", rest)), Some((given, known))) => match rest.starts_with("field") {
            true => nearest_key(kind, key),
            false => nearest(given, known.iter().copied()).map(str::to_owned),
        },
        _ => None,
    };
    let said = message
        .replacen("unknown field", "unknown key", 1)
        .replacen("unknown variant", "unknown value", 1)
        .replacen("missing field", "missing key", 1);
    let said = match said.strip_prefix("invalid type: ").or(said.strip_prefix("invalid value: ")) {
        Some(rest) => match rest.split_once(", expected ") {
            Some((given, wanted)) => {
                let wanted = most(wanted).filter(|_| said.starts_with("invalid value")).unwrap_or(plain_type(wanted));
                format!("got {}, expected {wanted}", plain_value(given))
            }
            None => format!("got {}", plain_value(rest)),
        },
        None => said,
    };
    near.map_or(said.clone(), |near| format!("{said}; did you mean `{near}`?"))
}

/// Of the TOML reader, on one line.
pub(super) fn of_toml(message: &str) -> String {
    match ["value was too large", "as i128", "as u128"].iter().any(|part| message.contains(part)) {
        true => format!("got a whole number out of range, expected one from {} to {}", i64::MIN, i64::MAX),
        false => message.trim().replace('\n', "; "),
    }
}

/// Keys of the same table come first, then keys of few tables.
fn nearest_key(kind: Kind, key: &str) -> Option<String> {
    let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
    // The schema does not count the entries of lists.
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let unnumbered = table.split('.').filter(|part| !is_number(part)).collect::<Vec<_>>().join(".");
    let known = all_keys(kind);
    let meant = most_alike(known.iter().map(|known| {
        let (place, last) = known.rsplit_once('.').unwrap_or(("", known));
        let nearness = if place == unnumbered { 0.2 } else { -0.08 * place.split('.').count().pow(2) as f64 };
        (likeness(name, last), nearness, known)
    }))?;
    let number = table.split('.').find(is_number).unwrap_or("0");
    Some(match meant.strip_prefix("flow.") {
        Some(rest) => format!("flow.{number}.{rest}"),
        None => meant.clone(),
    })
}

fn plain_value(given: &str) -> String {
    match given.split_once(' ') {
        Some(("integer" | "floating" | "string" | "boolean", rest)) => {
            rest.trim_start_matches("point ").trim_matches('`').to_owned()
        }
        _ => match given {
            "map" => "a table".to_owned(),
            "sequence" => "a list".to_owned(),
            other => other.to_owned(),
        },
    }
}

/// Of whole numbers that a configuration can exceed.
fn most(wanted: &str) -> Option<String> {
    let most = match wanted {
        "u8" => u8::MAX.into(),
        "u16" => u16::MAX.into(),
        "u32" => u32::MAX,
        _ => return None,
    };
    Some(format!("a whole number from 0 to {most}"))
}

fn plain_type(wanted: &str) -> String {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "i8" | "i16" | "i32" | "i64" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    }
}
