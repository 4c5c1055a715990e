//! Suggestion of the nearest known name.

/// Returns the known name closest to `given`, and the number of letters between them; upper and lower case count as
/// equal.
pub fn closest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    // A name longer than any known one is not worth the square of its length.
    let given = given.chars().take(64).collect::<String>().to_lowercase();
    known.into_iter().map(|name| (distance(&given, &name.to_lowercase()), name)).min_by_key(|(apart, _)| *apart)
}

/// Returns the known name nearest to `given`, if any is near enough to be meant.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (apart, name) = closest(given, known)?;
    (apart <= given.chars().count().max(name.chars().count()) / 2).then_some(name)
}

/// Returns the Levenshtein distance.
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

/// Returns a sentence that lists the known names and suggests the nearest.
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
