//! Numbers as people write them: `3%`, `1e5` and `100_000` where the schema asks for a number.

use serde_json::Value as Json;
use toml::Value;

use crate::schema::Node;

/// 2^53: every whole number below is exact in floating point.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Rewrites such values as numbers. Other text is left for the type's own message.
pub(super) fn understand(root: &Json, value: &mut Value) {
    rewrite(Node::root(root), value);
}

fn rewrite(node: Node, value: &mut Value) {
    match value {
        Value::Table(table) => {
            for (name, value) in table.iter_mut() {
                if let Some(inner) = node.field(name) {
                    rewrite(inner, value);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = node.item() {
                items.iter_mut().for_each(|item| rewrite(inner, item));
            }
        }
        Value::String(text) if node.is("integer") => {
            if let Some(whole) = number(text).and_then(whole) {
                *value = Value::Integer(whole);
            }
        }
        Value::Float(given) if node.is("integer") => {
            if let Some(whole) = whole(*given) {
                *value = Value::Integer(whole);
            }
        }
        Value::String(text) if node.is("number") => {
            if let Some(given) = text.strip_suffix('%').map_or_else(|| number(text), |share| percent(share.trim_end()))
            {
                *value = Value::Float(given);
            }
        }
        _ => {}
    }
}

/// Digits may be grouped by `_`.
fn number(text: &str) -> Option<f64> {
    let digits = text.replace('_', "");
    let is_decimal = digits.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) && !text.starts_with('_');
    digits.parse().ok().filter(|number: &f64| is_decimal && number.is_finite())
}

fn percent(text: &str) -> Option<f64> {
    if text.contains(['e', 'E']) {
        return number(text).map(|percent| percent / 100.0);
    }
    // The exponent moves the point without rounding twice: 0.1% is what 0.001 is.
    number(&format!("{text}e-2"))
}

fn whole(given: f64) -> Option<i64> {
    (given.fract() == 0.0 && given.abs() <= EXACT).then_some(given as i64)
}
