//! Round robin over a set of small numbers.

/// Of `0..length`.
pub struct Ring {
    low: u64,
    /// 64 per word.
    high: Vec<u64>,
    length: u32,
}

impl Ring {
    pub fn new(length: u32) -> Ring {
        Ring { low: 0, high: vec![0; (length.div_ceil(64) as usize).saturating_sub(1)], length }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && (self.high.is_empty() || self.high.iter().all(|&word| word == 0))
    }

    #[inline(always)]
    pub fn set(&mut self, member: u32, present: bool) {
        let word = if member < 64 { &mut self.low } else { &mut self.high[member as usize / 64 - 1] };
        *word = *word & !(1 << (member % 64)) | u64::from(present) << (member % 64);
    }

    /// Goes round past the end; none if the set is empty.
    pub fn next_from(&self, from: u32) -> Option<u32> {
        self.first_in(from, self.length).or_else(|| self.first_in(0, from))
    }

    #[inline]
    pub fn first_in(&self, from: u32, to: u32) -> Option<u32> {
        if from < 64 {
            let found = self.low >> from;
            if found != 0 {
                let member = from + found.trailing_zeros();
                return (member < to).then_some(member);
            }
        }
        if to <= 64 { None } else { self.first_high(from.max(64), to) }
    }

    fn first_high(&self, from: u32, to: u32) -> Option<u32> {
        let mut base = from & !63;
        let mut mask = u64::MAX << (from % 64);
        while base < to {
            let found = self.high[(base / 64) as usize - 1] & mask;
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
        fn walks_like_a_scan(
            length in 1u32..200, members in prop::collection::vec((0u32..200, any::<bool>()), 0..60), from in 0u32..200, to in 0u32..200,
        ) {
            let (mut ring, mut model) = (Ring::new(length), vec![false; length as usize]);
            for (member, present) in members {
                ring.set(member % length, present);
                model[(member % length) as usize] = present;
            }
            let (from, to) = (from % length, to % (length + 1));
            prop_assert_eq!(ring.is_empty(), !model.contains(&true));
            prop_assert_eq!(ring.next_from(from), (from..length).chain(0..from).find(|&m| model[m as usize]));
            prop_assert_eq!(ring.first_in(from, to), (from..to).find(|&m| model[m as usize]));
        }
    }
}
