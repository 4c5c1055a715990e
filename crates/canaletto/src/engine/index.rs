//! Open addressing from number to number. Nothing walks the table, so places of keys decide nothing.

const EMPTY: u64 = u64::MAX;

/// At most half its places are filled.
pub struct Index {
    keys: Vec<u64>,
    values: Vec<u32>,
    len: usize,
}

impl Index {
    pub fn new() -> Index {
        Index { keys: vec![EMPTY; 16], values: vec![0; 16], len: 0 }
    }

    /// Upper bits of a product with 2^64 / φ, over which neighbours spread evenly.
    fn home(&self, key: u64) -> usize {
        let bits = self.keys.len().trailing_zeros();
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
    }

    fn place(&self, key: u64) -> usize {
        let mut at = self.home(key);
        while self.keys[at] != key && self.keys[at] != EMPTY {
            at = (at + 1) & (self.keys.len() - 1);
        }
        at
    }

    pub fn get(&self, key: u64) -> Option<u32> {
        let at = self.place(key);
        (self.keys[at] == key).then(|| self.values[at])
    }

    pub fn insert(&mut self, key: u64, value: u32) -> bool {
        if 2 * (self.len + 1) > self.keys.len() {
            self.grow();
        }
        let at = self.place(key);
        let new = self.keys[at] == EMPTY;
        self.len += usize::from(new);
        (self.keys[at], self.values[at]) = (key, value);
        new
    }

    /// Later keys of the run move up: searches end at a hole.
    pub fn remove(&mut self, key: u64) {
        let mask = self.keys.len() - 1;
        let mut hole = self.place(key);
        debug_assert_eq!(self.keys[hole], key, "removed what is not there");
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            if self.keys[at] == EMPTY {
                break;
            }
            // Unless the hole lies before the place where its search begins.
            let from_home = at.wrapping_sub(self.home(self.keys[at])) & mask;
            if from_home >= at.wrapping_sub(hole) & mask {
                (self.keys[hole], self.values[hole]) = (self.keys[at], self.values[at]);
                hole = at;
            }
        }
        self.keys[hole] = EMPTY;
        self.len -= 1;
    }

    pub fn clear(&mut self) {
        *self = Index::new();
    }

    fn grow(&mut self) {
        let places = 2 * self.keys.len();
        let keys = std::mem::replace(&mut self.keys, vec![EMPTY; places]);
        let values = std::mem::replace(&mut self.values, vec![0; places]);
        for (key, value) in keys.into_iter().zip(values).filter(|(key, _)| *key != EMPTY) {
            let at = self.place(key);
            (self.keys[at], self.values[at]) = (key, value);
        }
    }
}

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn behaves_like_a_map(operations in prop::collection::vec((0u64..60, 0u32..9), 1..400)) {
            let mut index = Index::new();
            let mut model = HashMap::new();
            for (key, value) in operations {
                if value == 0 && model.remove(&key).is_some() {
                    index.remove(key);
                } else if value != 0 {
                    prop_assert_eq!(index.insert(key, value), model.insert(key, value).is_none());
                }
                for key in 0..60 {
                    prop_assert_eq!(index.get(key), model.get(&key).copied());
                }
            }
        }
    }
}
