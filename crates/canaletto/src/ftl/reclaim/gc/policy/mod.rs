//! GC policies: which block of a plane to collect, and the resulting steady state.
//!
//! A new policy is one file here and one line of `policy_list!` (`canaletto-config/src/kinds.rs`).

mod cost_benefit;
pub mod custom;
mod d_choices;
mod fifo;
mod greedy;
mod list;
mod random;
mod random_plus;

use crate::config::design::Gc;
use crate::engine::random::Stream;
use crate::flash::address::PlaneId;
use crate::ftl::blocks::Candidates;
use crate::ftl::reclaim::gc::policy::custom::Rule;
use crate::ftl::reclaim::gc::policy::list::policies;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::victims::VictimPool;

pub use crate::config::kinds::VictimPolicy;

canaletto_config::policy_list! { policies }

pub trait GcPolicy: Clone {
    fn new(config: &Gc) -> Self;

    /// Collecting it reclaims a flash page. None if there is none.
    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32>;

    /// Under uniform random writes at `load`. None if it must be found by writing.
    fn steady_state(&self, _load: f64, _pages: u32) -> Option<Distribution> {
        None
    }

    fn victims(&self, blocks: u32, pages: u32) -> VictimPool;
}

/// Or a rule instead.
pub struct Chooser {
    policy: Policy,
    rng: Stream,
    blocks_per_plane: u32,
    rule: Rule,
}

impl Chooser {
    pub fn new(config: &Gc, blocks_per_plane: u32, seed: u64) -> Chooser {
        let rng = Stream::named(seed, "gc/victim");
        Chooser { policy: Policy::new(config), rng, blocks_per_plane, rule: Rule::new(config) }
    }

    pub fn choose(&mut self, plane: PlaneId, blocks: &Candidates) -> Option<u32> {
        let chosen = self.rule.choose(plane, blocks, self.blocks_per_plane);
        chosen.unwrap_or_else(|| self.policy.choose(blocks, &mut self.rng))
    }
}
