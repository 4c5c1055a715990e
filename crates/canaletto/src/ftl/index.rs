//! An index from numbers to places: open addressing with linear probing, in memory that grows with what it holds.
//!
//! Nothing ever walks it, so that its order decides nothing; a look-up is a multiplication and, mostly, one memory access.

/// A key and its place.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Cell {
    key: u64,
    place: u32,
}

/// The place of a cell without a key.
const EMPTY: u32 = u32::MAX;

/// Numbers to places below `u32::MAX`.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Index {
    /// A power of two of cells, at most half of them in use.
    cells: Vec<Cell>,
    used: usize,
}

impl Default for Index {
    fn default() -> Self {
        Index { cells: vec![Cell { key: 0, place: EMPTY }; 16], used: 0 }
    }
}

impl Index {
    /// Where a key's search begins: Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, §6.4) spreads
    /// neighbouring numbers.
    fn home(&self, key: u64) -> usize {
        let shift = u64::BITS - self.cells.len().trailing_zeros();
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
    }

    /// The cell that holds `key`, or the empty one where it would go.
    fn cell(&self, key: u64) -> usize {
        let mut at = self.home(key);
        while self.cells[at].place != EMPTY && self.cells[at].key != key {
            at = (at + 1) & (self.cells.len() - 1);
        }
        at
    }

    /// The place of a key.
    pub fn get(&self, key: u64) -> Option<u32> {
        let place = self.cells[self.cell(key)].place;
        (place != EMPTY).then_some(place)
    }

    /// Adds a key that is not there yet.
    pub fn insert(&mut self, key: u64, place: u32) {
        if 2 * (self.used + 1) > self.cells.len() {
            self.grow();
        }
        let at = self.cell(key);
        debug_assert!(self.cells[at].place == EMPTY, "{key} is there already");
        self.cells[at] = Cell { key, place };
        self.used += 1;
    }

    fn grow(&mut self) {
        let larger = vec![Cell { key: 0, place: EMPTY }; 2 * self.cells.len()];
        for cell in std::mem::replace(&mut self.cells, larger) {
            if cell.place != EMPTY {
                let at = self.cell(cell.key);
                self.cells[at] = cell;
            }
        }
    }

    /// Removes a key that is there: later ones of its run move up, so that searches still find them.
    pub fn remove(&mut self, key: u64) {
        let mask = self.cells.len() - 1;
        let mut hole = self.cell(key);
        debug_assert!(self.cells[hole].place != EMPTY, "{key} is not there");
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            if self.cells[at].place == EMPTY {
                break;
            }
            let from_home = at.wrapping_sub(self.home(self.cells[at].key)) & mask;
            if from_home >= at.wrapping_sub(hole) & mask {
                self.cells[hole] = self.cells[at];
                hole = at;
            }
        }
        self.cells[hole].place = EMPTY;
        self.used -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_like_a_map(operations in prop::collection::vec((0u64..90, 0u32..1000), 1..600)) {
            let mut index = Index::default();
            let mut model = HashMap::new();
            for (key, place) in operations {
                if model.remove(&key).is_some() {
                    index.remove(key);
                } else {
                    index.insert(key, place);
                    model.insert(key, place);
                }
                for probe in 0..90 {
                    prop_assert_eq!(index.get(probe), model.get(&probe).copied());
                }
            }
        }
    }
}
