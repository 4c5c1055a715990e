//! Random: a block drawn uniformly among those whose collection reclaims space.
//!
//! Steady state: as `random_plus.rs` with one invalid page.

use super::GcPolicy;
use super::random_plus::{any_invalid, draw_with, solve};
use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::victims::VictimPool;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Random;

impl GcPolicy for Random {
    fn new(_: &Gc) -> Random {
        Random
    }

    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
        draw_with(blocks, 0, rng)
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        Some(Distribution::at(load, pages, |load, pages| solve(load, pages, 1)))
    }

    fn victims(&self, _: u32, _: u32) -> VictimPool {
        VictimPool::unordered(|full, view, random| any_invalid(full, view, random))
    }
}
