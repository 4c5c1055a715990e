//! The JSON Schema of configurations, and the check of values against its ranges.

use schemars::schema_for;
use serde_json::Value;

use crate::config::design::Design;
use crate::config::error::Problem;
use crate::config::pc::Pc;
use crate::config::workload::Workload;

/// Kinds of configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A drive.
    Design,
    /// A workload.
    Workload,
    /// A PC with a fixed-latency drive.
    Pc,
}

/// Returns the JSON Schema (draft 2020-12) of a kind of configuration, with the doc comments as descriptions.
pub fn schema(kind: Kind) -> Value {
    match kind {
        Kind::Design => schema_for!(Design).to_value(),
        Kind::Workload => schema_for!(Workload).to_value(),
        Kind::Pc => schema_for!(Pc).to_value(),
    }
}

/// Checks numbers and lists against the ranges that the schema states.
pub fn check_ranges(kind: Kind, value: &Value) -> Result<(), Problem> {
    let root = schema(kind);
    check(&root, &root, value, "")
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), Problem> {
    let schema = resolve(root, schema);
    if let Some(number) = value.as_f64() {
        let (min, max) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
            let range = match (min, max) {
                (Some(min), Some(max)) => format!("from {min} to {max}"),
                (Some(min), None) => format!("of at least {min}"),
                (_, max) => format!("of at most {}", max.unwrap_or_default()),
            };
            return Err(Problem::new(path, format!("got {value}, expected a number {range}")));
        }
    }
    if let (Some(fields), Some(known)) = (value.as_object(), schema["properties"].as_object()) {
        for (name, field) in fields {
            if let Some(schema) = known.get(name) {
                check(root, schema, field, &join(path, name))?;
            }
        }
    }
    if let Some(items) = value.as_array() {
        if schema["minItems"].as_u64().is_some_and(|min| (items.len() as u64) < min) {
            return Err(Problem::new(path, "got an empty list, expected at least one"));
        }
        if schema["maxItems"].as_u64().is_some_and(|max| (items.len() as u64) > max) {
            return Err(Problem::new(
                path,
                format!("got {} entries, expected at most {}", items.len(), schema["maxItems"]),
            ));
        }
        for (i, item) in items.iter().enumerate() {
            check(root, &schema["items"], item, &join(path, &i.to_string()))?;
        }
    }
    Ok(())
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Follows a reference, including one in an "or null".
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return root.pointer(reference.trim_start_matches('#')).unwrap_or(schema);
    }
    match schema["anyOf"].as_array() {
        Some(choices) => choices.iter().find(|c| c["type"] != "null").map_or(schema, |c| resolve(root, c)),
        None => schema,
    }
}
