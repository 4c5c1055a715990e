//! Values of another shape than the schema asks for: of what is no name serde says that it got a "unit variant", and a list
//! in place of a table it takes for the values of the table's keys in their order.

use toml::Value;

use crate::config::error::Problem;
use crate::config::schema::{Node, join};

/// Notes every list in place of a table, and every value that is no text where one of several names is asked for. The rest is
/// left for the type's own message.
pub(super) fn check(node: Node, value: &Value, path: &str, problems: &mut Vec<Problem>) {
    let names = node.choices();
    match value {
        Value::String(_) => {}
        _ if !names.is_empty() => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            problems.push(Problem::new(path, format!("got {}, expected one of {}", shown(value), names.join(", "))));
        }
        Value::Array(_) if node.is("object") => {
            problems.push(Problem::new(path, "got a list, expected a table"));
        }
        Value::Table(table) => {
            for (name, value) in table {
                if let Some(inner) = node.field(name) {
                    check(inner, value, &join(path, name), problems);
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                if let Some(inner) = node.item() {
                    check(inner, item, &join(path, &i.to_string()), problems);
                }
            }
        }
        _ => {}
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        plain => plain.to_string(),
    }
}
