//! Settings of single keys: `--set KEY=VALUE` of a command line, keywords of Python.

use toml::{Table, Value};

use crate::names::nearest;
use crate::schema::{self, Kind, Node};

/// A key, and the words that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// In messages, such as `--set workload.read_share=2`.
    pub label: String,
    /// As the user wrote it, such as `workload.read_share`.
    pub known_as: String,
    /// Such as `flow.0.synthetic.read_share`.
    pub key: String,
    /// Value as text.
    pub value: String,
}

const MOST_PARTS: usize = 16;

impl Setting {
    /// Reads `key=value`. `prefix` is a part of the key in messages only.
    ///
    /// # Errors
    /// A text without an equals sign.
    pub fn parse(label: &str, prefix: &str, text: &str) -> Result<Setting, String> {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| format!("{label}: expected KEY=VALUE, for example --set flash.read=10us"))?;
        let key = key.trim().to_owned();
        let parts = key.split('.').count();
        if parts > MOST_PARTS {
            return Err(format!("{label}: got a key of {parts} parts, expected at most {MOST_PARTS}"));
        }
        Ok(Setting { label: label.to_owned(), known_as: format!("{prefix}{key}"), key, value: value.trim().to_owned() })
    }

    /// # Errors
    /// A key that leads nowhere.
    pub(super) fn apply(&self, table: &mut Table) -> Result<(), String> {
        set(table, &self.key, literal(&self.value))?;
        forget_origin(table, &self.key);
        Ok(())
    }

    /// `read_share` means `flow.0.synthetic.read_share` in a workload with a single flow, `priority` means
    /// `flow.0.priority`.
    ///
    /// # Errors
    /// An unknown key, with the nearest known one.
    pub(super) fn complete(&mut self, table: &Table) -> Result<(), String> {
        let (first, rest) = self.key.split_once('.').map_or((self.key.as_str(), ""), |(first, rest)| (first, rest));
        let workload = Node::root(schema::of(Kind::Workload));
        if first.is_empty() || workload.has(first) {
            return Ok(());
        }
        let flows = table.get("flow").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let [flow] = flows else {
            let hint = format!("this workload has {} flows: expected flow.N.… for flow N, counted from 0", flows.len());
            return Err(format!("unknown key; {hint}"));
        };
        let flow_node = workload.field("flow").and_then(Node::item).expect("a workload has flows");
        let streams = ["synthetic", "trace", "mix"].into_iter().filter(|name| flow.get(name).is_some());
        let stream = streams.map(|name| (name, flow_node.field(name).expect("a flow has streams"))).next();
        let place = match stream {
            _ if flow_node.has(first) => "flow.0".to_owned(),
            Some((name, node)) if node.has(first) => format!("flow.0.{name}"),
            _ => {
                let known = [Some(workload), Some(flow_node), stream.map(|(_, node)| node)];
                let names: Vec<String> = known.into_iter().flatten().flat_map(Node::names).collect();
                let prefix = self.known_as.strip_suffix(&self.key).unwrap_or_default();
                let near = nearest(first, names.iter().map(String::as_str));
                let hint = near.map(|name| format!("did you mean `{prefix}{}`?", joined(name, rest)));
                let all = || format!("expected one of {}", names.join(", "));
                return Err(format!("unknown key; {}", hint.unwrap_or_else(all)));
            }
        };
        self.key = format!("{place}.{}", self.key);
        Ok(())
    }
}

fn joined(first: &str, rest: &str) -> String {
    if rest.is_empty() { first.to_owned() } else { format!("{first}.{rest}") }
}

/// TOML, or else a string: `10us` needs no quotes.
fn literal(text: &str) -> Value {
    match toml::from_str::<Table>(&format!("value = {text}")) {
        Ok(mut table) if table.len() == 1 => table.remove("value").expect("the only key"),
        _ => Value::String(text.to_owned()),
    }
}

/// Makes tables on the way; numbers index lists.
fn set(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    let (first, rest) = key.split_once('.').map_or((key, None), |(first, rest)| (first, Some(rest)));
    if first.is_empty() {
        return Err("got an empty part of a key, expected names joined by dots".to_owned());
    }
    let Some(rest) = rest else {
        table.insert(first.to_owned(), value);
        return Ok(());
    };
    match table.entry(first.to_owned()).or_insert_with(|| Value::Table(Table::new())) {
        Value::Table(inner) => set(inner, rest, value),
        Value::Array(items) => {
            let (index, rest) = rest.split_once('.').ok_or("expected a number and a key after a list")?;
            let count = items.len();
            let item = index.parse::<usize>().ok().and_then(|i| items.get_mut(i));
            match item.and_then(Value::as_table_mut) {
                Some(inner) => set(inner, rest, value),
                None => Err(format!("got entry {index}, expected 0 to {}", count.saturating_sub(1))),
            }
        }
        _ => Err(format!("{first} is a plain value and has no key {rest}")),
    }
}

fn forget_origin(table: &mut Table, key: &str) {
    let mut parts = key.split('.');
    let (Some("flow"), Some(number), Some("synthetic"), Some(name)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let flow = table.get_mut("flow").and_then(|flows| flows.get_mut(number.parse::<usize>().ok()?));
    let origin = flow.and_then(|flow| flow.get_mut("synthetic")?.get_mut("origin")?.as_table_mut());
    origin.map(|origin| origin.remove(name));
}

/// Dotted; entries of lists have no numbers.
pub(super) fn all_keys(kind: Kind) -> Vec<String> {
    fn walk(node: Node, path: &str, out: &mut Vec<String>) {
        for name in node.names() {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if let Some(inner) = node.field(&name) {
                walk(inner.item().unwrap_or(inner), &path, out);
            }
            out.push(path);
        }
    }
    let mut out = Vec::new();
    walk(Node::root(schema::of(kind)), "", &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_any_length_is_answered() {
        assert!(Setting::parse("--set", "", "flash.read=1us").is_ok());
        let long = format!("a{}=1", ".a".repeat(100_000));
        assert_eq!(
            Setting::parse("--set a…", "", &long).unwrap_err(),
            "--set a…: got a key of 100001 parts, expected at most 16"
        );
    }
}
