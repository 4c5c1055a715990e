//! Configurations written as TOML.
//!
//! From JSON values, so that each type needs one serializer instead of the six of TOML.

use serde::Serialize;
use serde_json::Value as Json;
use toml::{Table, Value};

/// A configuration as a table of TOML.
///
/// # Errors
/// Values that TOML lacks: a number beyond 64 bits, or nothing in a list.
pub fn write_table(value: &impl Serialize) -> Result<Table, String> {
    match serde_json::to_value(value).map_err(|error| error.to_string())? {
        Json::Object(entries) => entries
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| Ok((key, to_toml(value)?)))
            .collect(),
        other => Err(format!("got {other}, expected a table")),
    }
}

/// A configuration as TOML text.
///
/// # Errors
/// As [`write_table`].
pub fn write_text(value: &impl Serialize) -> Result<String, String> {
    toml::to_string(&write_table(value)?).map_err(|error| error.to_string())
}

fn to_toml(value: Json) -> Result<Value, String> {
    Ok(match value {
        Json::Null => return Err("got nothing in a list, expected a value".to_owned()),
        Json::Bool(value) => Value::Boolean(value),
        Json::String(value) => Value::String(value),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Integer(whole),
            (None, Some(real)) if number.is_f64() => Value::Float(real),
            _ => return Err(format!("got {number}, expected at most {}", i64::MAX)),
        },
        Json::Array(items) => Value::Array(items.into_iter().map(to_toml).collect::<Result<_, _>>()?),
        Json::Object(_) => Value::Table(write_table(&value)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load_design, load_workload, presets, profiles};

    #[test]
    fn the_text_is_that_of_the_type_itself() {
        for preset in presets() {
            let design = load_design(&preset.name, None, &[]).unwrap();
            assert_eq!(write_text(&design), Ok(toml::to_string(&design).unwrap()), "{}", preset.name);
        }
        for profile in profiles() {
            let workload = load_workload(&profile.name, None, &[]).unwrap();
            assert_eq!(write_text(&workload), Ok(toml::to_string(&workload).unwrap()), "{}", profile.name);
        }
    }

    #[test]
    fn what_toml_does_not_have_is_refused() {
        assert!(write_text(&1).unwrap_err().contains("expected a table"));
        assert!(write_text(&[("number", u64::MAX)].into_iter().collect::<std::collections::BTreeMap<_, _>>()).is_err());
        assert!(write_text(&serde_json::json!({"list": [null]})).is_err());
        assert_eq!(write_text(&serde_json::json!({"absent": null, "real": 1.0})), Ok("real = 1.0\n".to_owned()));
    }
}
