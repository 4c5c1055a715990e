//! MRG32k3a as MQSim draws from it.
//!
//! P. L'Ecuyer, Operations Research 47(1), 1999. MQSim seeds it by matrix powers whose 64-bit products overflow,
//! repeated here.

const MODULI: [i64; 2] = [4_294_967_087, 4_294_944_443];
const NORM: f64 = 2.328_306_549_295_728e-10;

type Matrix = [[i64; 3]; 3];

const STEPS: [Matrix; 2] = [
    [[0, 1, 0], [0, 0, 1], [MODULI[0] - 810_728, 1_403_580, 0]],
    [[0, 1, 0], [0, 0, 1], [MODULI[1] - 1_370_589, 0, 527_612]],
];

const WORDS: [u64; 2] = [MODULI[0] as u64, MODULI[1] as u64];

/// From 2^32.
const SHORT: [u64; 2] = [(1 << 32) - WORDS[0], (1 << 32) - WORDS[1]];

/// Six words, each below its modulus.
pub struct Mrg32k3a {
    state: [[u64; 3]; 2],
}

impl Mrg32k3a {
    /// (seed / 200 + 1) jumps of 2^(seed mod 200) steps from all ones, with overflow.
    pub fn seeded(seed: u32) -> Self {
        let jump = |component: usize| {
            let modulus = MODULI[component];
            let mut power = STEPS[component];
            for _ in 0..seed % 200 {
                power = multiply(&power, &power, modulus);
            }
            let mut state = [1; 3];
            let mut jumps = seed / 200 + 1;
            while jumps != 0 {
                if jumps & 1 != 0 {
                    state = apply(&power, &state, modulus);
                }
                jumps >>= 1;
                if jumps != 0 {
                    power = multiply(&power, &power, modulus);
                }
            }
            // Overflow may leave negative remainders, which the first step makes positive.
            state.map(|word| word.rem_euclid(modulus) as u64)
        };
        Mrg32k3a { state: [jump(0), jump(1)] }
    }

    /// In (0, 1).
    #[inline(always)]
    pub fn uniform(&mut self) -> f64 {
        let [first, second] = &mut self.state;
        let [one, two] = WORDS;
        let p1 = remainder::<0>(1_403_580 * first[1] + 810_728 * (one - first[0]));
        *first = [first[1], first[2], p1];
        let p2 = remainder::<1>(527_612 * second[2] + 1_370_589 * (two - second[0]));
        *second = [second[1], second[2], p2];
        let difference = if p1 < p2 { p1 + one - p2 } else { p1 - p2 };
        // A signed number turns into a double at once, an unsigned one does not.
        (difference + 1) as i64 as f64 * NORM
    }
}

/// Of a number below 2^54, without a division: 2^32 equals its excess over the modulus.
#[inline]
fn remainder<const MODULUS: usize>(number: u64) -> u64 {
    let fold = |number: u64| (number & u64::from(u32::MAX)) + (number >> 32) * SHORT[MODULUS];
    // Below 2^37 after the first fold, below 2^32 + 2^20 after the second.
    let folded = fold(fold(number));
    folded.min(folded.wrapping_sub(MODULI[MODULUS] as u64))
}

fn multiply(a: &Matrix, b: &Matrix, modulus: i64) -> Matrix {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| dot([a[i][0], a[i][1], a[i][2]], [b[0][j], b[1][j], b[2][j]], modulus))
    })
}

fn apply(a: &Matrix, v: &[i64; 3], modulus: i64) -> [i64; 3] {
    std::array::from_fn(|i| dot(a[i], *v, modulus))
}

fn dot(a: [i64; 3], b: [i64; 3], modulus: i64) -> i64 {
    (0..3).fold(0i64, |sum, k| a[k].wrapping_mul(b[k]).wrapping_add(sum) % modulus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn published([first, second]: &mut [[i64; 3]; 2]) -> f64 {
        let p1 = (1_403_580 * first[1] - 810_728 * first[0]).rem_euclid(MODULI[0]);
        *first = [first[1], first[2], p1];
        let p2 = (527_612 * second[2] - 1_370_589 * second[0]).rem_euclid(MODULI[1]);
        *second = [second[1], second[2], p2];
        let difference = if p1 < p2 { p1 - p2 + MODULI[0] } else { p1 - p2 };
        (difference + 1) as f64 * NORM
    }

    proptest! {
        #[test]
        fn draws_what_is_published(
            first in prop::array::uniform3(0..MODULI[0]), second in prop::array::uniform3(0..MODULI[1]), steps in 1..2000,
        ) {
            let mut state = [first, second];
            let mut random = Mrg32k3a { state: state.map(|words| words.map(|word| word as u64)) };
            for _ in 0..steps {
                prop_assert_eq!(random.uniform(), published(&mut state));
            }
        }
    }

    #[test]
    fn remainders_at_the_edges() {
        for (modulus, remainder) in [(MODULI[0], remainder::<0> as fn(u64) -> u64), (MODULI[1], remainder::<1>)] {
            let modulus = modulus as u64;
            let multiples = (0..1 << 21).step_by(997).chain((1 << 21) - 50..1 << 21).map(|times| times * modulus);
            for number in multiples.flat_map(|multiple: u64| multiple.saturating_sub(2)..multiple + 3) {
                assert_eq!(remainder(number), number % modulus, "{number}");
            }
        }
    }

    #[test]
    fn a_short_jump_equals_its_steps() {
        let mut stepped = Mrg32k3a { state: [[1; 3]; 2] };
        for _ in 0..2 {
            stepped.uniform();
        }
        let mut jumped = Mrg32k3a::seeded(1);
        assert_eq!(jumped.uniform(), stepped.uniform());
    }

    /// The first address MQSim draws with flow seed 798 (its second stream) on a drive of 748,934,912 sectors.
    #[test]
    fn draws_what_mqsim_draws() {
        let lba = (748_934_912.0 * Mrg32k3a::seeded(799).uniform()) as u64;
        assert_eq!(lba - lba % 8, 376_524_888);
    }
}
