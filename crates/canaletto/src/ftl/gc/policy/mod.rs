//! Which block of a plane to collect.
//!
//! A new policy is one file here, one variant of [`VictimPolicy`] and one arm of [`Policy::choose`].

mod cost_benefit;
mod d_choices;
mod fifo;
mod greedy;
mod random;

use crate::config::design::{Gc, VictimPolicy};
use crate::ftl::blocks::Candidates;
use crate::sim::random::Stream;

/// A policy with its random numbers.
pub struct Policy {
    kind: VictimPolicy,
    choices: u32,
    min_invalid_share: f64,
    rng: Stream,
}

impl Policy {
    /// The policy of a validated design.
    pub fn new(config: &Gc, seed: u64) -> Policy {
        Policy {
            kind: config.policy,
            choices: config.choices,
            min_invalid_share: config.min_invalid_share,
            rng: Stream::named(seed, "gc/victim"),
        }
    }

    /// The block to collect next: one with so many invalid pages that collecting it wins a flash page. None if there is none.
    pub fn choose(&mut self, blocks: &Candidates) -> Option<u32> {
        let least_invalid = (self.min_invalid_share * f64::from(blocks.pages_per_block())).ceil() as u32;
        match self.kind {
            VictimPolicy::Greedy => greedy::choose(blocks),
            VictimPolicy::DChoices => d_choices::choose(blocks, self.choices, &mut self.rng),
            VictimPolicy::Random => random::choose(blocks, 0, &mut self.rng),
            VictimPolicy::RandomPlus => random::choose(blocks, least_invalid, &mut self.rng),
            VictimPolicy::Fifo => fifo::choose(blocks),
            VictimPolicy::CostBenefit => cost_benefit::choose(blocks),
        }
    }
}
