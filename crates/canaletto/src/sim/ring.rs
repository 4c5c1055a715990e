//! A set of small numbers that is walked in circles: round robin over the members, skipping the others for free.

/// Members among `0..length`.
pub struct Ring {
    words: Vec<u64>,
    length: u32,
}

impl Ring {
    /// An empty set of numbers below `length`.
    pub fn new(length: u32) -> Ring {
        Ring { words: vec![0; length.div_ceil(64) as usize], length }
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Adds or removes a member.
    pub fn set(&mut self, member: u32, present: bool) {
        let bit = 1 << (member % 64);
        let word = &mut self.words[(member / 64) as usize];
        if present {
            *word |= bit;
        } else {
            *word &= !bit;
        }
    }

    /// The first member at or after `from`, going round past the end; none if the set is empty.
    pub fn next_from(&self, from: u32) -> Option<u32> {
        self.first_in(from, self.length).or_else(|| self.first_in(0, from))
    }

    /// The first member in `from..to`.
    pub fn first_in(&self, from: u32, to: u32) -> Option<u32> {
        let mut base = from & !63;
        let mut mask = u64::MAX << (from % 64);
        while base < to {
            let found = self.words[(base / 64) as usize] & mask;
            if found != 0 {
                let member = base + found.trailing_zeros();
                return (member < to).then_some(member);
            }
            base += 64;
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn walks_like_a_scan(members in prop::collection::btree_set(0u32..150, 0..20), from in 0u32..150) {
            let mut ring = Ring::new(150);
            for &m in &members {
                ring.set(m, true);
            }
            let expected = (from..150).chain(0..from).find(|m| members.contains(m));
            prop_assert_eq!(ring.next_from(from), expected);
        }
    }
}
