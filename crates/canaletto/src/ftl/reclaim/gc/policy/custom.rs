//! User-defined policies: a rule gets the blocks that can be collected, in columns, and names one.
//!
//! ```text
//! engine ─ plane 3: blocks 4, 9, 12 with 17, 80, 2 valid pages … ─> rule     whenever the plane is to collect
//! engine <───────────────────────────────────────────── block 12 ─ rule      checked before it is taken
//! ```
//! Its steady state is found by writing with a rule made for that. Without a rule, `greedy.rs` chooses.

use std::cell::RefCell;

use super::{GcPolicy, Greedy};
use crate::config::design::{Gc, VictimPolicy};
use crate::config::own::Own;
pub use crate::config::own::victims::{VictimRule, Victims};
use crate::engine::memory::end_run;
use crate::engine::random::Stream;
use crate::flash::address::PlaneId;
use crate::ftl::blocks::Candidates;
use crate::ftl::steady::distribution::Distribution;
use crate::ftl::steady::victims::{VictimPool, View};

struct Asked {
    rule: Box<dyn VictimRule>,
    victims: Victims,
}

impl Asked {
    fn new(own: &Own<dyn VictimRule>) -> Asked {
        Asked { rule: own.begin(), victims: Victims::default() }
    }

    /// `why_not` explains wrong answers, which end the run.
    fn choose(&mut self, why_not: impl Fn(u32) -> String) -> u32 {
        let victims = &self.victims;
        let refuse =
            |why: String| -> ! { end_run(format!("gc policy, {}: {why}, {}", victims.name(), victims.allowed())) };
        let block = self.rule.choose(victims).unwrap_or_else(|why| refuse(why));
        if victims.place(block).is_none() {
            refuse(format!("got block {block}, which {}", why_not(block)));
        }
        block
    }
}

#[derive(Default)]
pub struct Rule(Option<Asked>);

impl Rule {
    pub fn new(config: &Gc) -> Rule {
        let own = config.rule.as_ref().filter(|_| config.policy == VictimPolicy::Custom);
        Rule(own.map(Asked::new))
    }

    /// If there is a rule and any block; `blocks_per_plane` distinguishes blocks that do not exist.
    pub fn choose(&mut self, plane: PlaneId, blocks: &Candidates, blocks_per_plane: u32) -> Option<Option<u32>> {
        let asked = self.0.as_mut()?;
        asked.victims.begin(Some(plane), blocks.pages_per_block());
        for block in blocks.full().filter(|&block| blocks.is_reclaimable(block)) {
            let (valid, age) = (blocks.valid(block), blocks.age(block));
            asked.victims.push(block, valid, age, blocks.since_opened(block), blocks.erases(block));
        }
        let why_not = |block| blocks.why_not(block, blocks_per_plane);
        Some((!asked.victims.blocks.is_empty()).then(|| asked.choose(why_not)))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// A drive that has one is never written down.
    own: Option<Own<dyn VictimRule>>,
}

impl Custom {
    pub fn has_rule(&self) -> bool {
        self.own.is_some()
    }
}

impl GcPolicy for Custom {
    fn new(config: &Gc) -> Custom {
        Custom { own: config.rule.clone() }
    }

    fn choose(&self, blocks: &Candidates, rng: &mut Stream) -> Option<u32> {
        Greedy.choose(blocks, rng)
    }

    fn steady_state(&self, load: f64, pages: u32) -> Option<Distribution> {
        Greedy.steady_state(load, pages).filter(|_| self.own.is_none())
    }

    fn victims(&self, blocks: u32, pages: u32) -> VictimPool {
        let Some(own) = &self.own else { return Greedy.victims(blocks, pages) };
        let asked = RefCell::new(Asked::new(own));
        VictimPool::unordered(move |full, view, _| written_before(&mut asked.borrow_mut(), full, view))
    }
}

fn written_before(asked: &mut Asked, full: &mut [u32], view: View) -> usize {
    full.sort_unstable();
    asked.victims.begin(None, view.pages);
    for &block in full.iter().filter(|&&block| view.valid(block) < view.pages) {
        let at = block as usize;
        let (age, since_opened) = (view.now - view.changed[at], view.now - view.opened[at]);
        asked.victims.push(block, view.valid(block), age, since_opened, view.erases[at]);
    }
    assert!(!asked.victims.blocks.is_empty(), "no full block has an invalid page");
    let why_not = |block: u32| match view.valid.len() {
        count if block as usize >= count => does_not_exist(count as u32),
        _ if full.binary_search(&block).is_ok() => NOTHING_TO_RECLAIM.to_owned(),
        _ => "is free or being filled".to_owned(),
    };
    let block = asked.choose(why_not);
    full.binary_search(&block).expect("only full blocks are listed")
}

pub const NOTHING_TO_RECLAIM: &str = "has no page to reclaim";

pub fn does_not_exist(count: u32) -> String {
    format!("does not exist: there are blocks 0 to {}", count - 1)
}
