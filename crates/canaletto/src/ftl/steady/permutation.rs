//! Keyed permutations of 0..n without a table.
//!
//! Rounds of invertible steps permute numbers of as many bits as n needs. Numbers outside 0..n are sent round again
//! (cycle walking: Black and Rogaway, CT-RSA 2002).

/// With four, neighbours of fewer than 32 do not come apart evenly (see the test).
const ROUNDS: usize = 5;

#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    size: u32,
    mask: u32,
    /// At least half the bits, so that folding twice is none.
    shift: u32,
    keys: [(u32, u32); ROUNDS],
}

impl Permutation {
    #[inline]
    pub fn new(size: u32, key: u64) -> Permutation {
        let bits = size.saturating_sub(1).checked_ilog2().map_or(0, |high| high + 1);
        // Not by `from_fn`, whose parts are calls where the linker does not optimise.
        let (mut state, mut keys) = (key, [(0, 0); ROUNDS]);
        for round in &mut keys {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = mix(state);
            *round = (mixed as u32, (mixed >> 32) as u32 | 1);
        }
        let mask = if bits == 32 { u32::MAX } else { (1 << bits) - 1 };
        Permutation { size, mask, shift: bits.div_ceil(2).max(1), keys }
    }

    #[inline]
    pub fn apply(&self, mut x: u32) -> u32 {
        debug_assert!(x < self.size);
        loop {
            for &(add, multiply) in &self.keys {
                x = x.wrapping_add(add).wrapping_mul(multiply) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.size {
                return x;
            }
        }
    }

    pub fn invert(&self, y: u32) -> u32 {
        self.inverse().apply(y)
    }

    pub fn inverse(&self) -> Inverse {
        let Permutation { size, mask, shift, keys } = *self;
        Inverse { size, mask, shift, keys: keys.map(|(add, multiply)| (add, inverse(multiply))) }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Inverse {
    size: u32,
    mask: u32,
    shift: u32,
    keys: [(u32, u32); ROUNDS],
}

impl Inverse {
    #[inline]
    pub fn apply(&self, mut y: u32) -> u32 {
        debug_assert!(y < self.size);
        loop {
            for (add, divide) in self.keys.iter().rev() {
                y ^= y >> self.shift;
                y = y.wrapping_mul(*divide).wrapping_sub(*add) & self.mask;
            }
            if y < self.size {
                return y;
            }
        }
    }
}

/// Newton's steps double the right bits, five at first.
fn inverse(odd: u32) -> u32 {
    let mut x = odd.wrapping_mul(3) ^ 2;
    for _ in 0..3 {
        x = x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

/// SplitMix64's finaliser (Steele, Lea and Flood, OOPSLA 2014).
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_comes_once_and_goes_back(size in 1u32..3000, key: u64) {
            let permutation = Permutation::new(size, key);
            let mut seen = vec![false; size as usize];
            for x in 0..size {
                let y = permutation.apply(x);
                prop_assert!(!std::mem::replace(&mut seen[y as usize], true));
                prop_assert_eq!(permutation.invert(y), x);
            }
        }

        #[test]
        fn large_ones_go_back(size in 1u32.., key: u64, x: u32) {
            let permutation = Permutation::new(size, key);
            prop_assert_eq!(permutation.invert(permutation.apply(x % size)), x % size);
        }
    }

    #[test]
    fn places_are_even() {
        const KEYS: u32 = 20_000;
        for size in [8, 37, 64, 100, 600] {
            let (mut places, mut steps) = (vec![0u32; size as usize], vec![0u32; size as usize]);
            for key in 0..u64::from(KEYS) {
                let permutation = Permutation::new(size, key);
                let (a, b) = (permutation.apply(2), permutation.apply(3));
                places[a as usize] += 1;
                steps[((b + size - a) % size) as usize] += 1;
            }
            let excess = |counts: &[u32]| {
                let expected = f64::from(KEYS) / counts.len() as f64;
                let square: f64 = counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
                // Less its mean, in standard deviations.
                (square - counts.len() as f64 + 1.0) / (2.0 * counts.len() as f64).sqrt()
            };
            assert!(excess(&places).abs() < 4.0, "{size}: {}", excess(&places));
            assert_eq!(steps[0], 0);
            assert!(excess(&steps[1..]).abs() < 4.0, "{size}: {}", excess(&steps[1..]));
        }
    }
}
