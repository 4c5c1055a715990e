//! Histogram of values in bounded memory.

/// Buckets are at most 1/256 of their values wide, and exact below 512.
const BITS: u32 = 8;

/// Sizes in whole 512-byte sectors are exact up to 128 KiB.
#[derive(Debug, Clone, Default)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    pub(super) fn add(&mut self, value: u64, count: u64) {
        let at = bucket(value);
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += count;
        self.total += count;
    }

    /// Least value and count.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, count)| (least(at), *count))
    }

    /// Its bucket's least value.
    pub(super) fn quantile(&self, share: f64) -> Option<u64> {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut below = 0;
        self.buckets()
            .find(|(_, count)| {
                below += count;
                below >= rank
            })
            .map(|(value, _)| value)
    }
}

fn bucket(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(BITS + 1);
    ((u64::from(shift) << BITS) + (value >> shift)) as usize
}

fn least(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    let shift = (bucket >> BITS).saturating_sub(1);
    (bucket - (shift << BITS)) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_narrow_and_in_order() {
        let values =
            (0..2000u64).chain((1..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1])).chain([u64::MAX]);
        for value in values {
            let low = least(bucket(value));
            assert!(low <= value && value - low <= value >> BITS, "{value} {low}");
            assert!(value >= 512 || low == value);
        }
        assert!((1..=bucket(u64::MAX)).all(|at| least(at) > least(at - 1)));
        assert_eq!(least(bucket(128 << 10)), 128 << 10);
        assert_eq!(least(bucket(67_072)), 67_072, "131 sectors");
    }

    #[test]
    fn quantiles_count_from_below() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), None);
        (1..=100).for_each(|value| histogram.add(value, 1));
        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|share| histogram.quantile(share)),
            [Some(1), Some(50), Some(99), Some(100)]
        );
        assert_eq!(histogram.buckets().map(|(_, count)| count).sum::<u64>(), 100);
    }
}
