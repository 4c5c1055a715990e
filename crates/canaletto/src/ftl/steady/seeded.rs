//! Contents of a preconditioned plane, computed when asked, in a few words per block.
//!
//! Full blocks stand in the order of filling, then open ones, then free ones. A permutation turns places into block
//! numbers. Pages with data are numbered, class by class, along that order; sums of valid pages give the block of a
//! number, and a permutation its page. A last permutation per class maps logical pages to numbers; larger ones hold no
//! data.

use std::num::NonZeroU32;

use crate::ftl::steady::classes::Classes;
use crate::ftl::steady::draw::FullBlocks;
use crate::ftl::steady::permutation::{Permutation, mix};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBlock {
    pub written: u32,
    pub counts: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct Contents {
    pub blocks: u32,
    pub pages: u32,
    pub classes: Classes,
    pub full: FullBlocks,
    /// The caller gives their order a meaning.
    pub open: Vec<OpenBlock>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Life {
    Free,
    Open {
        frontier: u32,
        written: u32,
    },
    Full {
        order: u32,
        /// Over the plane's valid pages.
        age: f32,
    },
}

struct Guide {
    step_bits: u32,
    places: Vec<u32>,
}

impl Guide {
    fn new(before: &[u32]) -> Guide {
        let used = (before.len() - 1) as u32;
        let sum = |place: u32| before[place as usize];
        let step_bits = (sum(used) / used.max(1)).max(1).ilog2();
        let (mut places, mut place) = (Vec::new(), 0);
        for step in 0..=sum(used) >> step_bits {
            while place + 1 < used && sum(place + 1) <= step << step_bits {
                place += 1;
            }
            places.push(place);
        }
        places.push(used);
        Guide { step_bits, places }
    }

    /// And the last.
    fn range(&self, number: u32) -> (usize, usize) {
        let step = (number >> self.step_bits) as usize;
        let from = &self.places[step..];
        (from[0] as usize, from[1] as usize)
    }
}

struct Members {
    numbers: Permutation,
    /// With the lowest numbers.
    mapped: u32,
    /// For every place in use and the one after.
    before: Vec<u32>,
    guide: Guide,
}

impl Members {
    fn new(numbers: Permutation, before: Vec<u32>) -> Members {
        Members { numbers, mapped: before[before.len() - 1], guide: Guide::new(&before), before }
    }

    fn count(&self, place: u32) -> u32 {
        self.before[place as usize + 1] - self.before[place as usize]
    }

    #[inline]
    fn place_of(&self, number: u32) -> (u32, u32) {
        let (first, last) = self.guide.range(number);
        // Seldom more than a step or two.
        let sums = &self.before[first..=last];
        let (mut steps, mut below) = (0, sums[0]);
        for &sum in sums[1..].iter().take_while(|&&sum| sum <= number) {
            (steps, below) = (steps + 1, sum);
        }
        ((first + steps) as u32, number - below)
    }
}

pub struct SeededPlane {
    pages: u32,
    classes: Classes,
    members: Vec<Members>,
    order: Permutation,
    ages: Vec<f32>,
    written: Vec<u32>,
    blocks: u32,
    key: u64,
}

impl SeededPlane {
    /// Scattered as `key` says.
    pub fn new(contents: Contents, key: u64) -> Result<SeededPlane, String> {
        SeededPlane::in_order(contents, key, mix(!key))
    }

    /// Planes with one `order` fill blocks of one number at the same time.
    pub fn in_order(contents: Contents, key: u64, order: u64) -> Result<SeededPlane, String> {
        let Contents { blocks, pages, classes, full, open } = contents;
        let used = full.ages.len() + open.len();
        if used > blocks as usize {
            return Err(format!("{used} blocks in use of {blocks}"));
        }
        let width = classes.members().len();
        let mut before = vec![Vec::with_capacity(used + 1); width];
        let mut mapped = vec![0u32; width];
        let rows =
            full.counts.chunks(width).map(|row| (row, pages)).chain(open.iter().map(|b| (&b.counts[..], b.written)));
        for (row, written) in rows {
            if row.iter().sum::<u32>() > written {
                return Err(format!("{} valid pages among {written} written", row.iter().sum::<u32>()));
            }
            before.iter_mut().zip(&mapped).for_each(|(before, &sum)| before.push(sum));
            mapped.iter_mut().zip(row).for_each(|(sum, valid)| *sum += valid);
        }
        before.iter_mut().zip(&mapped).for_each(|(before, &sum)| before.push(sum));
        if let Some((held, members)) = mapped.iter().zip(classes.members()).find(|(held, members)| held > members) {
            return Err(format!("{held} valid pages of {members} logical ones"));
        }
        let numbers = (1u64..).zip(classes.members()).map(|(class, &n)| Permutation::new(n, mix(key ^ class)));
        let members = numbers.zip(before).map(|(numbers, before)| Members::new(numbers, before)).collect();
        let order = Permutation::new(blocks, order);
        let written = open.iter().map(|b| b.written).collect();
        Ok(SeededPlane { pages, classes, members, order, ages: full.ages, written, blocks, key })
    }

    /// Block and page; none without data.
    #[inline]
    pub fn locate(&self, logical: u32) -> Option<(u32, u32)> {
        let (class, rank) = self.classes.rank(logical);
        let members = &self.members[class];
        let number = members.numbers.apply(rank);
        if number >= members.mapped {
            return None;
        }
        let (place, within) = members.place_of(number);
        let mut earlier = 0;
        for members in &self.members[..class] {
            earlier += members.count(place);
        }
        Some((self.order.apply(place), self.scatter(place).apply(earlier + within)))
    }

    pub fn content(&self, block: u32, page: u32) -> Option<u32> {
        let place = self.order.invert(block);
        if place >= self.used() || page >= self.written(place) {
            return None;
        }
        let mut slot = self.scatter(place).invert(page);
        for (class, members) in self.members.iter().enumerate() {
            let count = members.count(place);
            if slot < count {
                let number = members.before[place as usize] + slot;
                return Some(self.classes.page(class, members.numbers.invert(number)));
            }
            slot -= count;
        }
        None
    }

    /// Pages and what they hold: as [`SeededPlane::content`] for each, at a fraction of the cost.
    #[inline]
    pub fn each_content(&self, block: u32, mut give: impl FnMut(u32, u32)) {
        let place = self.order.invert(block);
        if place >= self.used() {
            return;
        }
        let (scatter, mut slot) = (self.scatter(place), 0);
        for (class, members) in self.members.iter().enumerate() {
            let inverse = members.numbers.inverse();
            for number in members.before[place as usize]..members.before[place as usize + 1] {
                give(scatter.apply(slot), self.classes.page(class, inverse.apply(number)));
                slot += 1;
            }
        }
    }

    /// For one that does not; another one per `attempt`, of the same class if possible.
    pub fn stand_in(&self, logical: u32, attempt: u32) -> Option<u32> {
        let (own, rank) = self.classes.rank(logical);
        let mapped = |class: &usize| self.members[*class].mapped;
        let class = Some(own).filter(|own| mapped(own) > 0).or_else(|| (0..self.members.len()).max_by_key(mapped))?;
        let drawn = mix(self.key ^ mix(u64::from(attempt) << 32 | u64::from(rank)));
        let number = (drawn >> 32) as u32 % NonZeroU32::new(self.members[class].mapped)?;
        Some(self.classes.page(class, self.members[class].numbers.invert(number)))
    }

    pub fn counts(&self, block: u32) -> impl Iterator<Item = u32> {
        let place = self.order.invert(block);
        self.members.iter().map(move |members| if place >= self.used() { 0 } else { members.count(place) })
    }

    pub fn valid(&self, block: u32) -> u32 {
        self.counts(block).sum()
    }

    pub fn life(&self, block: u32) -> Life {
        let place = self.order.invert(block);
        let full = self.ages.len() as u32;
        if place < full {
            Life::Full { order: place, age: self.ages[place as usize] }
        } else if place < self.used() {
            Life::Open { frontier: place - full, written: self.written(place) }
        } else {
            Life::Free
        }
    }

    pub fn full(&self) -> impl Iterator<Item = u32> {
        (0..self.ages.len() as u32).map(|place| self.order.apply(place))
    }

    pub fn open(&self) -> impl Iterator<Item = u32> {
        (self.ages.len() as u32..self.used()).map(|place| self.order.apply(place))
    }

    pub fn free(&self) -> impl Iterator<Item = u32> {
        (self.used()..self.blocks).map(|place| self.order.apply(place))
    }

    pub fn mapped(&self) -> u32 {
        self.members.iter().map(|members| members.mapped).sum()
    }

    fn used(&self) -> u32 {
        (self.ages.len() + self.written.len()) as u32
    }

    fn written(&self, place: u32) -> u32 {
        self.written.get((place as usize).wrapping_sub(self.ages.len())).copied().unwrap_or(self.pages)
    }

    #[inline(always)]
    fn scatter(&self, place: u32) -> Permutation {
        Permutation::new(self.written(place), self.key.rotate_left(32) ^ mix(u64::from(place)))
    }
}

#[cfg(test)]
mod tests;
