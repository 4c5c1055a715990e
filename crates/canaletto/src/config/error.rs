//! Configuration errors with file, line, key, given value and allowed values.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Error of a configuration, on one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Wrong key, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Path of the key, such as `flash.read` or `flow.0.synthetic.size`.
    pub key: String,
    /// Given value and allowed values.
    pub what: String,
}

impl Problem {
    /// Makes a problem with `key`.
    pub fn new(key: &str, what: impl Into<String>) -> Problem {
        Problem { key: key.to_owned(), what: what.into() }
    }
}

/// Source of settings: a file's text, or overrides of a command line.
pub struct Layer<'a> {
    /// Name in messages.
    pub label: String,
    /// Text of a file; none for overrides.
    pub text: Option<&'a str>,
    /// Keys that overrides set.
    pub keys: Vec<String>,
}

/// Puts a problem into words, with the place where its key was last set.
pub fn locate(problem: &Problem, layers: &[Layer]) -> ConfigError {
    let place = layers.iter().rev().find_map(|layer| match layer.text {
        Some(text) => line_of(text, &problem.key).map(|line| format!("{}:{line}", layer.label)),
        None => layer.keys.iter().any(|k| is_within(&problem.key, k)).then(|| layer.label.clone()),
    });
    let fallback = || layers.iter().find(|l| l.text.is_some()).map_or("configuration", |l| l.label.as_str()).to_owned();
    let what = problem.what.replace(['\n', '\r'], " ");
    let key = if problem.key.is_empty() { String::new() } else { format!("{}: ", problem.key) };
    ConfigError(format!("{}: {key}{what}", place.unwrap_or_else(fallback)))
}

fn is_within(key: &str, prefix: &str) -> bool {
    key == prefix || key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'))
}

/// Returns the line (from 1) on which `text` sets `key`.
fn line_of(text: &str, key: &str) -> Option<usize> {
    if key.is_empty() {
        return None;
    }
    let table = DeTable::parse(text).ok()?;
    let mut segments = key.split('.');
    let mut start = None;
    let mut value = find(table.get_ref(), segments.next()?, &mut start)?;
    for segment in segments {
        value = match value.get_ref() {
            DeValue::Table(table) => find(table, segment, &mut start)?,
            DeValue::Array(array) => {
                let element = array.get(segment.parse::<usize>().ok()?)?;
                start = Some(element.span().start);
                element
            }
            // The key names something inside a plain value, such as an element's kind: the value's line is the best.
            _ => break,
        };
    }
    start.map(|offset| line_at(text, offset))
}

fn find<'t>(table: &'t DeTable<'_>, key: &str, start: &mut Option<usize>) -> Option<&'t Spanned<DeValue<'t>>> {
    let (name, value) = table.iter().find(|(name, _)| name.get_ref() == key)?;
    *start = Some(name.span().start);
    Some(value)
}

/// Returns the line (from 1) that holds a byte offset.
pub fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count()
}
