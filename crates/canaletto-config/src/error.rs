//! Configuration errors with file, line, key, given value and allowed values.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Error of a configuration: a line for each mistake.
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

/// Source of values: a file's text, or the setting of a single key.
pub struct Layer<'a> {
    /// Name in messages.
    pub label: String,
    /// Text of a file; none for a setting.
    pub text: Option<&'a str>,
    /// Key of a setting, and as its user wrote it.
    pub key: Option<(String, String)>,
}

/// A problem in words, with the place where its key was last set.
pub fn locate(problem: &Problem, layers: &[Layer]) -> ConfigError {
    let place = place_of(problem, layers);
    // The user's, if there is one over a preset.
    let file = layers.iter().rposition(|layer| layer.key.is_none());
    let (label, key) = match place.map(|(layer, line)| (layer, &layers[layer], line)) {
        Some((_, Layer { label, key: Some((key, known_as)), .. }, _)) => {
            (label.clone(), problem.key.replacen(key, known_as, 1))
        }
        Some((layer, Layer { label, .. }, line)) => {
            let over = file.filter(|&file| file > layer).map(|file| format!("{}, base ", layers[file].label));
            (format!("{}{label}:{line}", over.unwrap_or_default()), problem.key.clone())
        }
        None => (file.map_or("configuration", |file| &layers[file].label).to_owned(), problem.key.clone()),
    };
    let mut what = problem.what.replace(['\n', '\r'], " ");
    if let Some(Layer { key: Some((full, known_as)), .. }) = place.map(|(layer, _)| &layers[layer]) {
        let (full, known_as) = different(full, known_as);
        what = if full.is_empty() { what } else { what.replace(&format!("`{full}"), &format!("`{known_as}")) };
    }
    let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
    ConfigError(format!("{label}: {key}{what}"))
}

/// Up to where both end alike: `flow.0.synthetic` and `workload`.
fn different<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    let alike = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    (&a[..a.len() - alike], &b[..b.len() - alike])
}

/// And the line there (0 for a setting). A table that no file has was made by a setting in it.
pub fn place_of(problem: &Problem, layers: &[Layer]) -> Option<(usize, usize)> {
    let place = |(number, layer): (usize, &Layer)| match (layer.text, &layer.key) {
        (Some(text), _) => line_of(text, &problem.key).map(|line| (number, line)),
        (None, Some((key, _))) => is_within(&problem.key, key).then_some((number, 0)),
        (None, None) => None,
    };
    let makes = |layer: &Layer| layer.key.as_ref().is_some_and(|(key, _)| is_within(key, &problem.key));
    let last = layers.iter().enumerate().rev().find_map(place);
    last.or_else(|| layers.iter().rposition(makes).map(|number| (number, 0)))
}

pub(super) fn is_within(key: &str, prefix: &str) -> bool {
    key == prefix || key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.'))
}

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

/// The line (from 1) that holds a byte offset.
pub fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&b| b == b'\n').count()
}
