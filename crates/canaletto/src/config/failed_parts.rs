//! Placement of parts of a network that fail: which of the links between neighbours, so that no chip is cut off, and which controllers.

use crate::engine::random::Stream;

/// Most links that can fail in an array without a chip being cut off: all but as many as join every router once.
pub fn most_links(rows: u32, columns: u32) -> u32 {
    rows.saturating_sub(1) * columns.saturating_sub(1)
}

/// Links that fail, as pairs of neighbouring chips, the lower one first. Links are drawn in an order of chance; each fails unless it
/// is the last that joins some chips to the others.
///
/// The links that must stay join routers first when the order is read backwards: a spanning tree (Kruskal).
pub fn links(count: u32, placement: u32, rows: u32, columns: u32) -> Vec<(u32, u32)> {
    if count == 0 {
        return Vec::new();
    }
    let mut order = neighbours(rows, columns);
    shuffle(&mut order, Stream::named(u64::from(placement), "failed links"));
    let mut joined: Vec<u32> = (0..rows * columns).collect();
    let mut may_fail: Vec<(u32, u32)> =
        order.into_iter().rev().filter(|&(one, other)| !join(&mut joined, one, other)).collect();
    may_fail.reverse();
    may_fail.truncate(count as usize);
    may_fail
}

/// Controllers that fail, of one a row, in an order of chance.
pub fn controllers(count: u32, placement: u32, rows: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows).collect();
    shuffle(&mut order, Stream::named(u64::from(placement), "failed controllers"));
    order.truncate(count as usize);
    order
}

/// Puts what there is into an order of chance.
fn shuffle<T>(order: &mut [T], mut random: Stream) {
    for last in (1..order.len()).rev() {
        order.swap(last, random.integer(0, last as u64) as usize);
    }
}

/// Pairs of neighbouring chips, along the rows first.
fn neighbours(rows: u32, columns: u32) -> Vec<(u32, u32)> {
    let chips = 0..rows * columns;
    let along_rows = chips.clone().filter(|chip| chip % columns + 1 < columns).map(|chip| (chip, chip + 1));
    let along_columns = chips.filter(|chip| chip / columns + 1 < rows).map(|chip| (chip, chip + columns));
    along_rows.chain(along_columns).collect()
}

/// Joins the sets of two chips. Returns whether they were apart.
fn join(joined: &mut [u32], one: u32, other: u32) -> bool {
    let [one, other] = [one, other].map(|chip| {
        let mut at = chip;
        while joined[at as usize] != at {
            joined[at as usize] = joined[joined[at as usize] as usize];
            at = joined[at as usize];
        }
        at
    });
    joined[one as usize] = other;
    one != other
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// As many as asked for, of the links that there are, and every chip can still be reached from every other.
        #[test]
        fn no_chip_is_cut_off(rows in 1u32..9, columns in 1u32..9, placement in 0u32..1000, share in 0u32..=100) {
            let count = most_links(rows, columns) * share / 100;
            let failed: BTreeSet<_> = links(count, placement, rows, columns).into_iter().collect();
            prop_assert_eq!(failed.len() as u32, count);
            let all = neighbours(rows, columns);
            prop_assert!(failed.iter().all(|link| all.contains(link)));
            let mut reached = BTreeSet::from([0]);
            for _ in 0..rows * columns {
                for (one, other) in all.iter().filter(|link| !failed.contains(link)) {
                    if reached.contains(one) || reached.contains(other) {
                        reached.extend([*one, *other]);
                    }
                }
            }
            prop_assert_eq!(reached.len() as u32, rows * columns);
        }
    }

    /// Placements differ, each adds to the one with fewer, and every link fails in some.
    #[test]
    fn placements_are_by_chance() {
        let found: Vec<_> = (0..200).map(|placement| links(3, placement, 4, 4)).collect();
        assert!(found.iter().collect::<BTreeSet<_>>().len() > 150);
        for (placement, three) in (0..).zip(&found) {
            assert_eq!(links(2, placement, 4, 4)[..], three[..2]);
        }
        let failing: BTreeSet<_> = found.iter().flatten().collect();
        assert_eq!(failing.len(), neighbours(4, 4).len());
        let of_two: BTreeSet<_> = (0..200).map(|placement| controllers(2, placement, 4)).collect();
        assert_eq!(of_two.len(), 4 * 3, "every pair in both orders");
        assert_eq!(controllers(3, 7, 4)[..2], controllers(2, 7, 4));
    }
}
