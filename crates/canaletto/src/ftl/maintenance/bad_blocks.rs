//! Decided when a block is first opened, so that untouched ones cost nothing.

use crate::engine::random::mixed;
use crate::flash::address::PlaneId;

#[derive(Debug, Clone, Copy)]
pub struct BadBlocks {
    pub seed: u64,
    pub factory: f64,
    /// With more the host's data would not fit.
    pub most: u32,
}

impl BadBlocks {
    /// The plane's share, rounded up or down by chance.
    pub fn of_factory(&self, plane: PlaneId, blocks: u32) -> u32 {
        let share = self.factory * f64::from(blocks);
        let chance = (mixed(self.seed, u64::from(plane.0)) >> 11) as f64 / (1u64 << 53) as f64;
        let count = share as u32 + u32::from(chance < share.fract());
        count.min(self.most)
    }

    /// The first of `unseen` blocks of which `bad` are bad (selection sampling: Knuth, TAOCP 3.4.2, Algorithm S).
    pub fn is_bad(&self, plane: PlaneId, block: u32, bad: u32, unseen: u32) -> bool {
        let place = (u64::from(plane.0) << 32) | u64::from(block) | 1 << 63;
        mixed(self.seed, place) % u64::from(unseen) < u64::from(bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(rule: &BadBlocks, plane: u32, blocks: u32) -> Vec<u32> {
        let mut left = rule.of_factory(PlaneId(plane), blocks);
        let mut bad = Vec::new();
        for block in 0..blocks {
            if rule.is_bad(PlaneId(plane), block, left, blocks - block) {
                left -= 1;
                bad.push(block);
            }
        }
        assert_eq!(left, 0, "every bad block is somewhere");
        bad
    }

    #[test]
    fn planes_have_their_share_anywhere() {
        let rule = BadBlocks { seed: 7, factory: 0.025, most: u32::MAX };
        let planes: Vec<Vec<u32>> = (0..2000).map(|plane| chosen(&rule, plane, 100)).collect();
        let total: usize = planes.iter().map(Vec::len).sum();
        assert!(planes.iter().all(|bad| bad.len() == 2 || bad.len() == 3));
        assert!((4850..5150).contains(&total), "{total}");
        let early: usize = planes.iter().map(|bad| bad.iter().filter(|&&b| b < 50).count()).sum();
        assert!((early as f64 / total as f64 - 0.5).abs() < 0.03, "{early} of {total}");
        assert_ne!(planes[0], chosen(&BadBlocks { seed: 8, ..rule }, 0, 100));
    }

    #[test]
    fn never_more_than_the_plane_can_lose() {
        let rule = BadBlocks { seed: 7, factory: 0.5, most: 3 };
        assert!((0..50).all(|plane| chosen(&rule, plane, 20).len() == 3));
    }
}
