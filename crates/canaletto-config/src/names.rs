//! Suggestion of the nearest known name.

/// And its distance in letters, without case.
pub fn closest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    // A name longer than any known one is not worth the square of its length.
    let given = given.chars().take(64).collect::<String>().to_lowercase();
    known.into_iter().map(|name| (distance(&given, &name.to_lowercase()), name)).min_by_key(|(apart, _)| *apart)
}

/// If any is near enough to be meant.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    most_alike(known.into_iter().map(|name| (likeness(given, name), 0.0, name)))
}

/// Below it nothing is suggested.
const NEAR: f64 = 0.5;

pub(super) fn most_alike<T>(names: impl Iterator<Item = (f64, f64, T)>) -> Option<T> {
    let near = names.filter(|(alike, _, _)| *alike >= NEAR);
    near.reduce(|best, next| if next.0 + next.1 > best.0 + best.1 { next } else { best }).map(|(_, _, name)| name)
}

/// Each with the word that keys use.
const SYNONYMS: [(&str, &str); 13] = [
    ("interface", "link"),
    ("bus", "link"),
    ("io", "link"),
    ("pcie", "link"),
    ("ways", "chips"),
    ("luns", "dies"),
    ("bandwidth", "rate"),
    ("speed", "rate"),
    ("throughput", "rate"),
    ("op", "overprovisioning"),
    ("prog", "program"),
    ("buffer", "cache"),
    ("size", "capacity"),
];

/// Words for any number, which say little.
const WEAK: [&str; 12] =
    ["size", "time", "latency", "count", "number", "num", "each", "in", "us", "ns", "bytes", "type"];

/// With weights: the last that is not weak says most (a link rate is a rate), those after `per` little.
fn words(name: &str) -> Vec<(&str, f64)> {
    let weight = |part| if WEAK.contains(&part) { 0.3 } else { 1.0 };
    let (counted, each) = name.split_once("_per_").unwrap_or((name, ""));
    let parts = |text| str::split(text, ['_', '-', ' ']).filter(|part| !part.is_empty());
    let mut words: Vec<(&str, f64)> = parts(counted).map(|part| (usual(part), weight(part))).collect();
    let head = words.iter().rposition(|(_, weight)| *weight == 1.0).or(words.len().checked_sub(1));
    if let Some(head) = head {
        words[head].1 = 2.0;
    }
    words.extend(parts(each).map(|part| (usual(part), 0.3)));
    words
}

fn usual(word: &str) -> &str {
    SYNONYMS.iter().find(|(other, _)| *other == word).map_or(word, |(_, usual)| usual)
}

/// Words may be cut, or plural.
fn sameness(a: &str, b: &str) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match short.len() {
        _ if short == long => 1.0,
        3.. if long.starts_with(short) => 0.9,
        _ => 0.0,
    }
}

/// From 0 to 1: by shared words, or else by letters.
pub(super) fn likeness(given: &str, known: &str) -> f64 {
    let given = given.chars().take(64).collect::<String>().to_lowercase();
    let known = known.to_lowercase();
    let (ours, theirs) = (words(&given), words(&known));
    let total: f64 = ours.iter().chain(&theirs).map(|(_, weight)| weight).sum();
    let shared = ours.iter().map(|(word, weight)| {
        let each = theirs.iter().map(|(other, weighs)| sameness(word, other) * weight.min(*weighs));
        each.fold(0.0, f64::max)
    });
    let by_words = 2.0 * shared.sum::<f64>() / total.max(1.0);
    let longest = given.chars().count().max(known.chars().count()).max(1);
    let by_letters = 1.0 - distance(&given, &known) as f64 / longest as f64;
    by_words.max(by_letters)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A sentence with the known names and the nearest.
pub fn suggest(given: &str, known: &[&str]) -> String {
    match nearest(given, known.iter().copied()) {
        Some(name) => format!("did you mean \"{name}\"? (known: {})", known.join(", ")),
        None => format!("known: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_meant_name_and_nothing_far_off() {
        let known = ["performance-optimized", "cost-optimized"];
        assert_eq!(nearest("performance_optimised", known), Some("performance-optimized"));
        assert_eq!(nearest("xyz", known), None);
    }
}
