//! The full blocks of a representative plane, arranged for its policy's choice.

use std::collections::VecDeque;

use crate::ftl::steady::Policy;
use crate::sim::random::Stream;

/// What a choice may look at, of each block of the plane.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Valid pages.
    pub valid: &'a [u32],
    /// Host writes until the block was full.
    pub filled: &'a [u64],
    /// Host writes until now.
    pub now: u64,
    /// Pages a block.
    pub pages: u32,
}

/// The full blocks.
pub enum Candidates {
    /// By valid pages.
    Greedy(Buckets),
    /// In no order.
    Listed(Listed, Policy),
    /// In the order of filling.
    Fifo(VecDeque<u32>),
}

impl Candidates {
    /// None of `blocks` blocks yet.
    pub fn new(policy: Policy, blocks: u32, pages: u32) -> Candidates {
        match policy {
            Policy::Greedy => Candidates::Greedy(Buckets::new(blocks, pages)),
            Policy::Fifo => Candidates::Fifo(VecDeque::new()),
            _ => Candidates::Listed(Listed { blocks: Vec::new() }, policy),
        }
    }

    /// The block is full.
    pub fn add(&mut self, block: u32, valid: u32) {
        match self {
            Candidates::Greedy(buckets) => buckets.insert(block, valid),
            Candidates::Listed(list, _) => list.blocks.push(block),
            Candidates::Fifo(queue) => queue.push_back(block),
        }
    }

    /// A page of a full block became invalid; `valid` are left.
    pub fn lost_one(&mut self, block: u32, valid: u32) {
        if let Candidates::Greedy(buckets) = self {
            buckets.remove(block, valid + 1);
            buckets.insert(block, valid);
        }
    }

    /// Chooses a victim and removes it.
    ///
    /// # Panics
    /// If no full block has an invalid page.
    pub fn take(&mut self, view: View, random: &mut Stream) -> u32 {
        match self {
            Candidates::Greedy(buckets) => buckets.take(random),
            Candidates::Listed(list, policy) => {
                let place = list.choose(*policy, view, random);
                list.blocks.swap_remove(place)
            }
            Candidates::Fifo(queue) => {
                // Fully valid ones keep their place: they are looked at again next time.
                let place = queue.iter().position(|&b| view.valid[b as usize] < view.pages);
                queue.remove(place.expect("a full block with an invalid page")).expect("just found")
            }
        }
    }
}

/// Full blocks in no order.
pub struct Listed {
    blocks: Vec<u32>,
}

impl Listed {
    fn valid(&self, place: usize, view: View) -> u32 {
        view.valid[self.blocks[place] as usize]
    }

    fn choose(&mut self, policy: Policy, view: View, random: &mut Stream) -> usize {
        match policy {
            Policy::DChoices(choices) => self.fewest_of(choices, view, random),
            Policy::CostBenefit => self.best_benefit(view),
            Policy::RandomPlus { invalid: wanted } => (0..self.blocks.len())
                .map(|_| self.any(random))
                .find(|&place| view.pages - self.valid(place, view) >= wanted.clamp(1, view.pages))
                .unwrap_or_else(|| self.any_invalid(view, random)),
            _ => self.any_invalid(view, random),
        }
    }

    fn any(&self, random: &mut Stream) -> usize {
        random.integer(0, self.blocks.len() as u64 - 1) as usize
    }

    fn any_invalid(&self, view: View, random: &mut Stream) -> usize {
        assert!(self.blocks.iter().any(|&b| view.valid[b as usize] < view.pages), "no full block has an invalid page");
        loop {
            let place = self.any(random);
            if self.valid(place, view) < view.pages {
                return place;
            }
        }
    }

    /// The fewest valid pages of `choices` different blocks, which come to the front of the list; draws again if all of
    /// them are fully valid.
    fn fewest_of(&mut self, choices: u32, view: View, random: &mut Stream) -> usize {
        let last = self.blocks.len() - 1;
        let drawn = (choices as usize).clamp(1, last + 1);
        loop {
            for place in 0..drawn {
                self.blocks.swap(place, random.integer(place as u64, last as u64) as usize);
            }
            let best = (0..drawn).min_by_key(|&place| self.valid(place, view)).expect("at least one choice");
            if self.valid(best, view) < view.pages {
                return best;
            }
            assert!(drawn <= last, "no full block has an invalid page");
        }
    }

    fn best_benefit(&self, view: View) -> usize {
        let benefit = |block: u32| {
            let valid = f64::from(view.valid[block as usize]);
            let age = (view.now - view.filled[block as usize]) as f64 + 1.0;
            age * (f64::from(view.pages) - valid) / (2.0 * valid)
        };
        let (mut best, mut most) = (None, 0.0);
        for (place, &block) in self.blocks.iter().enumerate() {
            let worth = benefit(block);
            if worth > most {
                (best, most) = (Some(place), worth);
            }
        }
        best.expect("a full block with an invalid page")
    }
}

/// Blocks in lists by their valid pages.
pub struct Buckets {
    lists: Vec<Vec<u32>>,
    /// Where each block stands in its list.
    place: Vec<u32>,
    /// No block has fewer valid pages.
    lowest: usize,
}

impl Buckets {
    fn new(blocks: u32, pages: u32) -> Buckets {
        Buckets { lists: vec![Vec::new(); pages as usize + 1], place: vec![0; blocks as usize], lowest: pages as usize }
    }

    fn insert(&mut self, block: u32, valid: u32) {
        let list = &mut self.lists[valid as usize];
        self.place[block as usize] = list.len() as u32;
        list.push(block);
        self.lowest = self.lowest.min(valid as usize);
    }

    fn remove(&mut self, block: u32, valid: u32) {
        let (list, place) = (&mut self.lists[valid as usize], self.place[block as usize]);
        list.swap_remove(place as usize);
        if let Some(&moved) = list.get(place as usize) {
            self.place[moved as usize] = place;
        }
    }

    /// Any of those with the fewest: an order among them would prefer old or young ones, which matters to hot data.
    fn take(&mut self, random: &mut Stream) -> u32 {
        while self.lists[self.lowest].is_empty() {
            self.lowest += 1;
        }
        assert!(self.lowest < self.lists.len() - 1, "no full block has an invalid page");
        let list = &self.lists[self.lowest];
        let block = list[random.integer(0, list.len() as u64 - 1) as usize];
        self.remove(block, self.lowest as u32);
        block
    }
}
