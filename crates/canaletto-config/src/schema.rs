//! The JSON Schema of configurations, and the check of values against its ranges.

use std::sync::OnceLock;

use serde_json::Value;

use crate::error::Problem;

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

/// JSON Schema (draft 2020-12), with the doc comments as descriptions.
///
/// A committed file, which a test compares with the types: only tests compile the generator.
pub fn schema(kind: Kind) -> &'static str {
    match kind {
        Kind::Design => include_str!("schema/design.json"),
        Kind::Workload => include_str!("schema/workload.json"),
        Kind::Pc => include_str!("schema/pc.json"),
    }
}

pub(super) fn of(kind: Kind) -> &'static Value {
    static READ: [OnceLock<Value>; 3] = [const { OnceLock::new() }; 3];
    READ[kind as usize].get_or_init(|| serde_json::from_str(schema(kind)).expect("a test compares it with the types"))
}

#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    root: &'a Value,
    schema: &'a Value,
}

impl<'a> Node<'a> {
    pub(super) fn root(root: &'a Value) -> Node<'a> {
        Node { root, schema: resolve(root, root) }
    }

    pub(super) fn field(self, name: &str) -> Option<Node<'a>> {
        let schema = self.schema["properties"].get(name)?;
        Some(Node { root: self.root, schema: resolve(self.root, schema) })
    }

    pub(super) fn item(self) -> Option<Node<'a>> {
        let schema = self.schema.get("items")?;
        Some(Node { root: self.root, schema: resolve(self.root, schema) })
    }

    pub(super) fn has(self, name: &str) -> bool {
        self.schema["properties"].get(name).is_some()
    }

    pub(super) fn names(self) -> Vec<String> {
        self.schema["properties"].as_object().map_or_else(Vec::new, |keys| keys.keys().cloned().collect())
    }

    /// `name`: a type of JSON Schema, such as `integer`.
    pub(super) fn is(self, name: &str) -> bool {
        match &self.schema["type"] {
            Value::Array(names) => names.iter().any(|each| each == name),
            only => only == name,
        }
    }
}

/// Numbers and lists against the schema's ranges. Returns every problem.
pub fn check_ranges(kind: Kind, value: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    check(Node::root(of(kind)), value, "", &mut problems);
    problems
}

fn check(node: Node, value: &Value, path: &str, problems: &mut Vec<Problem>) {
    let schema = node.schema;
    if let Some(number) = value.as_f64() {
        let (min, max) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if min.is_some_and(|min| number < min) || max.is_some_and(|max| number > max) {
            let range = match (min, max) {
                (Some(min), Some(max)) => format!("from {min} to {max}"),
                (Some(min), None) => format!("of at least {min}"),
                (_, max) => format!("of at most {}", max.unwrap_or_default()),
            };
            problems.push(Problem::new(path, format!("got {value}, expected a number {range}")));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        if let Some(inner) = node.field(name) {
            check(inner, field, &join(path, name), problems);
        }
    }
    if let Some(items) = value.as_array() {
        if schema["minItems"].as_u64().is_some_and(|min| (items.len() as u64) < min) {
            problems.push(Problem::new(path, "got an empty list, expected at least one"));
        }
        if schema["maxItems"].as_u64().is_some_and(|max| (items.len() as u64) > max) {
            let most = format!("got {} entries, expected at most {}", items.len(), schema["maxItems"]);
            problems.push(Problem::new(path, most));
        }
        for (i, item) in items.iter().enumerate() {
            if let Some(inner) = node.item() {
                check(inner, item, &join(path, &i.to_string()), problems);
            }
        }
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Including one in an "or null".
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return root.pointer(reference.trim_start_matches('#')).unwrap_or(schema);
    }
    match schema["anyOf"].as_array() {
        Some(choices) => choices.iter().find(|c| c["type"] != "null").map_or(schema, |c| resolve(root, c)),
        None => schema,
    }
}

#[cfg(test)]
mod keep;

#[cfg(test)]
mod tests {
    use schemars::schema_for;

    use super::keep::keep;

    #[test]
    fn schema_files_match_the_types() {
        let file = |name: &str| format!("{}/src/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
        keep(&file("design"), &schema_for!(crate::design::Design).to_value());
        keep(&file("workload"), &schema_for!(crate::workload::Workload).to_value());
        keep(&file("pc"), &schema_for!(crate::pc::Pc).to_value());
    }
}
