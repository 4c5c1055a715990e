//! Numbering of chips.

use crate::address::ChipId;
use crate::design::Numbering;
use crate::galois::Field;

pub fn fits(numbering: Numbering, rows: u32, columns: u32) -> bool {
    let (small, large) = (rows.min(columns), rows.max(columns));
    // GF(2) has one square alone: 2 is no element of it.
    numbering == Numbering::RowMajor || small > 2 && large % small == 0 && Field::of(small).is_some()
}

/// Channel by channel; none if the numbers are the same.
pub(crate) fn chips(numbering: Numbering, rows: u32, columns: u32) -> Option<Box<[ChipId]>> {
    match numbering {
        Numbering::RowMajor => None,
        Numbering::Latin => Some(latin(rows, columns)),
    }
}

/// The longer side of an array that is not square is divided into parts of adjacent lines, as many as the other side
/// has lines. The squares give the part, and the number of the square gives the line within it. Column buses of
/// `omnibus` that join several columns join the columns of a part.
fn latin(rows: u32, columns: u32) -> Box<[ChipId]> {
    let n = rows.min(columns);
    let field = Field::of(n).expect("sizes have been checked");
    let (rows_each, columns_each) = (rows / n, columns / n);
    let chip = |number: u32| {
        let (channel, way) = (number / columns, number % columns);
        let (i, j) = (channel % n, way % n);
        let row = field.sum(i, j) * rows_each + channel / n;
        let column = field.sum(i, field.product(2, j)) * columns_each + way / n;
        ChipId(row * columns + column)
    };
    (0..rows * columns).map(chip).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn lines(chips: &[ChipId], columns: u32, numbers: impl Iterator<Item = u32>) -> (BTreeSet<u32>, BTreeSet<u32>) {
        numbers.map(|number| chips[number as usize].0).map(|chip| (chip / columns, chip % columns)).unzip()
    }

    /// Sizes that fit, of every kind: primes, powers of 2 and of 3, square or not.
    fn arrays() -> Vec<(u32, u32)> {
        let sizes = |columns| (1..=27).map(move |rows| (rows, columns));
        let found: Vec<(u32, u32)> =
            (1..=27).flat_map(sizes).filter(|&(rows, columns)| fits(Numbering::Latin, rows, columns)).collect();
        for expected in [(3, 3), (4, 4), (8, 8), (9, 27), (4, 16), (16, 4), (25, 25)] {
            assert!(found.contains(&expected), "{expected:?}");
        }
        for refused in [(1, 4), (2, 2), (6, 6), (8, 12), (10, 20), (2, 16)] {
            assert!(!found.contains(&refused), "{refused:?}");
        }
        found
    }

    /// Chips of a channel share rows and columns only where the array's shape forces them to, and so do the chips of a
    /// way.
    #[test]
    fn channels_and_ways_lie_across_all_lines() {
        for (rows, columns) in arrays() {
            let chips = super::chips(Numbering::Latin, rows, columns).unwrap();
            assert_eq!(chips.iter().collect::<BTreeSet<_>>().len() as u32, rows * columns, "{rows} x {columns}");
            let n = rows.min(columns);
            for channel in 0..rows {
                let all = (0..columns).map(|way| channel * columns + way);
                let (in_rows, in_columns) = lines(&chips, columns, all);
                assert_eq!((in_rows.len() as u32, in_columns.len() as u32), (n, columns), "{rows} x {columns}");
            }
            for way in 0..columns {
                let all = (0..rows).map(|channel| channel * columns + way);
                let (in_rows, in_columns) = lines(&chips, columns, all);
                assert_eq!((in_rows.len() as u32, in_columns.len() as u32), (rows, n), "{rows} x {columns}");
            }
        }
    }

    #[test]
    fn ways_lie_across_buses_of_several_columns() {
        let chips = super::chips(Numbering::Latin, 4, 16).unwrap();
        for way in 0..16 {
            let (_, columns) = lines(&chips, 16, (0..4).map(|channel| channel * 16 + way));
            assert_eq!(columns.iter().map(|column| column / 4).collect::<BTreeSet<_>>().len(), 4);
        }
    }

    /// Bitwise, for 8 x 8 chips: rows i XOR j, and the columns of x^3 + x + 1, the first irreducible polynomial.
    #[test]
    fn eight_by_eight_is_what_it_is_by_hand() {
        let chips = super::chips(Numbering::Latin, 8, 8).unwrap();
        let twice = [0, 2, 4, 6, 3, 1, 7, 5];
        for (i, j) in (0..8u32).flat_map(|i| (0..8u32).map(move |j| (i, j))) {
            assert_eq!(chips[(8 * i + j) as usize].0, 8 * (i ^ j) + (i ^ twice[j as usize]));
        }
    }
}
