//! GC policies: which block of a plane to collect, and the state in which a drive settles that collects so.
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

/// A GC policy, as its own file states it.
pub trait GcPolicy: Clone {
    /// The policy with the keys of a validated design.
    fn new(config: &Gc) -> Self;

    /// The block to collect next: one with so many invalid pages that collecting it reclaims a flash page. None if there is
    /// none.
    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32>;

    /// Valid pages a full block of `pages` pages under uniform random writes, if a share `load` of them is valid. None if
    /// it has to be found by writing a representative plane.
    fn steady_state(&self, _load: f64, _pages: u32) -> Option<Distribution> {
        None
    }

    /// The full blocks of a representative plane of `blocks` blocks of `pages` pages, arranged for the same choice.
    fn victims(&self, blocks: u32, pages: u32) -> VictimPool;
}

/// A policy with its random numbers, or a rule in its place.
pub struct Chooser {
    policy: Policy,
    rng: Stream,
    blocks_per_plane: u32,
    rule: Rule,
}

impl Chooser {
    /// The policy of a validated design.
    pub fn new(config: &Gc, blocks_per_plane: u32, seed: u64) -> Chooser {
        let rng = Stream::named(seed, "gc/victim");
        Chooser { policy: Policy::new(config), rng, blocks_per_plane, rule: Rule::new(config) }
    }

    /// The block of a plane to collect next, see [`GcPolicy::choose`].
    pub fn choose(&mut self, plane: PlaneId, blocks: &Candidates) -> Option<u32> {
        let chosen = self.rule.choose(plane, blocks, self.blocks_per_plane);
        chosen.unwrap_or_else(|| self.policy.choose(blocks, &mut self.rng))
    }
}
