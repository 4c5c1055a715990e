//! Finite fields, for arrangements of chips.

/// Field of p^k elements, p a prime.
///
/// Element `a` is the polynomial whose coefficients are the digits of `a` to base p, modulo an irreducible polynomial
/// of degree k.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    p: u32,
    /// Numbered like the elements.
    modulus: u32,
}

impl Field {
    /// None if `n` is not a prime power.
    pub fn of(n: u32) -> Option<Field> {
        let p = (2..=n).find(|p| n % p == 0)?;
        let is_power = (1..).map(|k| p.pow(k)).take_while(|power| *power <= n).any(|power| power == n);
        // Polynomials of degree k with leading coefficient 1 have the numbers from p^k to before 2 p^k, those of lower degrees
        // numbers below.
        let irreducible = |&modulus: &u32| (p..n).all(|factor| remainder(p, modulus, factor) > 0);
        is_power.then(|| (n..2 * n).find(irreducible)).flatten().map(|modulus| Field { p, modulus })
    }

    pub fn sum(self, a: u32, b: u32) -> u32 {
        sum(self.p, a, b)
    }

    pub fn product(self, a: u32, b: u32) -> u32 {
        remainder(self.p, product(self.p, a, b), self.modulus)
    }
}

fn sum(p: u32, a: u32, b: u32) -> u32 {
    if a == 0 && b == 0 { 0 } else { (a % p + b % p) % p + p * sum(p, a / p, b / p) }
}

fn multiple(p: u32, factor: u32, a: u32) -> u32 {
    if a == 0 { 0 } else { factor * (a % p) % p + p * multiple(p, factor, a / p) }
}

fn product(p: u32, a: u32, b: u32) -> u32 {
    if b == 0 { 0 } else { sum(p, multiple(p, b % p, a), p * product(p, a, b / p)) }
}

/// `divisor` is of degree 1 at least, with any leading coefficient but 0.
fn remainder(p: u32, a: u32, divisor: u32) -> u32 {
    let (mut rest, lead) = (a, leading(p, divisor));
    loop {
        let mut shifted = divisor;
        while leading(p, rest).0 > leading(p, shifted).0 {
            shifted *= p;
        }
        if leading(p, rest).0 < lead.0 {
            return rest;
        }
        // As often as it takes to cancel the leading coefficient: at most p - 1 times.
        while leading(p, rest).0 == leading(p, shifted).0 {
            rest = sum(p, rest, shifted);
        }
    }
}

/// Degree, counted from 1 (0 for zero), and leading coefficient.
fn leading(p: u32, a: u32) -> (u32, u32) {
    if a < p {
        (u32::from(a > 0), a)
    } else {
        let (degree, lead) = leading(p, a / p);
        (degree + 1, lead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prime_powers() -> impl Iterator<Item = u32> {
        let is_prime = |n: &u32| (2..*n).all(|d| n % d > 0);
        (2..=256)
            .filter(is_prime)
            .flat_map(|p| (1..=8).map(move |k| p.checked_pow(k).unwrap_or(u32::MAX)))
            .filter(|n| *n <= 256)
    }

    #[test]
    fn fields_exist_for_prime_powers_alone() {
        let mut expected: Vec<u32> = prime_powers().collect();
        expected.sort_unstable();
        assert_eq!((0..=256).filter(|n| Field::of(*n).is_some()).collect::<Vec<_>>(), expected);
        assert!(expected.starts_with(&[2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17]));
    }

    /// Each row of the tables has every element once: addition and multiplication are groups.
    #[test]
    fn every_element_has_its_inverses() {
        for n in prime_powers() {
            let field = Field::of(n).unwrap();
            for a in 0..n {
                let (mut sums, mut products) = (vec![false; n as usize], vec![false; n as usize]);
                for b in 0..n {
                    sums[field.sum(a, b) as usize] = true;
                    products[field.product(a, b) as usize] = true;
                }
                assert!(sums.iter().all(|seen| *seen), "{a} + b in GF({n})");
                assert!(a == 0 || products.iter().all(|seen| *seen), "{a} b in GF({n})");
                assert_eq!((field.sum(a, 0), field.product(a, 1), field.product(a, 0)), (a, a, 0));
            }
        }
    }

    proptest! {
        #[test]
        fn the_laws_of_a_field_hold(n in prop::sample::select(prime_powers().collect::<Vec<_>>()), seed in any::<[u32; 3]>()) {
            let field = Field::of(n).unwrap();
            let [a, b, c] = seed.map(|s| s % n);
            prop_assert_eq!(field.sum(a, b), field.sum(b, a));
            prop_assert_eq!(field.product(a, b), field.product(b, a));
            prop_assert_eq!(field.sum(field.sum(a, b), c), field.sum(a, field.sum(b, c)));
            prop_assert_eq!(field.product(field.product(a, b), c), field.product(a, field.product(b, c)));
            prop_assert_eq!(
                field.product(a, field.sum(b, c)),
                field.sum(field.product(a, b), field.product(a, c))
            );
        }
    }
}
