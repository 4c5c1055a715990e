//! Committed schemas, whose generator the tests of two crates have.

use serde_json::Value;

/// Compares a schema with its file, which `SCHEMA=write` writes: a property per line.
pub fn keep(file: &str, generated: &Value) {
    let pretty = serde_json::to_string_pretty(generated).expect("a schema is JSON");
    let (mut text, mut property) = (String::new(), 4);
    for line in pretty.lines() {
        let inner = line.trim_start();
        let depth = line.len() - inner.len();
        // Definitions have properties of their own.
        property = if depth == 2 { if inner.starts_with("\"$defs\"") { 8 } else { 4 } } else { property };
        if depth > property || depth == property && inner.starts_with(['}', ']']) {
            let is_first = text.ends_with(['{', '[']) || inner.starts_with(['}', ']']);
            text += if is_first { "" } else { " " };
            text += inner;
        } else {
            text += if text.is_empty() { "" } else { "\n" };
            text += line;
        }
    }
    text += "\n";
    if std::env::var("SCHEMA").is_ok_and(|how| how == "write") {
        std::fs::write(file, &text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(kept == text, "{file} differs from the types: `make schemas` writes it");
}
