//! "Did you mean": the nearest known name.

/// The known name nearest to `given`, if any is near enough to be meant.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let best = known.into_iter().map(|name| (distance(&given, &name.to_lowercase()), name)).min()?;
    (best.0 <= given.chars().count().max(best.1.chars().count()) / 2).then_some(best.1)
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

/// A sentence that lists the known names and points at the nearest.
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
