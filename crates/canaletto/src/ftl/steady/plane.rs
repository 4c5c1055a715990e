//! A representative plane, written until its garbage collection is steady.
//!
//! It separates the host's and the collector's frontier, and collects below `spare` free blocks. Classes of logical
//! pages have different write rates.

use std::collections::VecDeque;

use crate::engine::random::Stream;
use crate::ftl::reclaim::gc::policy::{GcPolicy, Greedy, Policy};
use crate::ftl::steady::census::Census;
use crate::ftl::steady::victims::{VictimPool, View};

const NONE: u32 = u32::MAX;

/// In host writes; then a drifting plane is taken as it is.
const MOST_WINDOWS: u32 = 40;

/// In writes over logical pages. A third would be too short for a few hot blocks; three times as much changes write
/// amplification by less than 1 %.
const LONGEST_WINDOW: f64 = 3.0;

const MEASURED_WINDOWS: u32 = 3;

/// Change between windows, above the noise of some ten thousand pages.
const STEADY: f64 = 0.01;

/// For a user-defined rule, which may take a millisecond per victim.
const MOST_ASKED: u64 = 16_000;

/// With the measurement afterwards.
pub const MOST_VICTIMS: u64 = MOST_ASKED + MOST_ASKED / 4;

/// Half a minute.
const MOST_PAGES: u64 = 1 << 31;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Class {
    pub pages: u32,
    /// Sums over classes count as one.
    pub writes: f64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    pub blocks: u32,
    pub pages: u32,
    pub spare: u32,
    pub policy: Policy,
    pub classes: Vec<Class>,
}

impl Shape {
    /// When a victim is chosen: all but the free blocks and the two frontiers.
    pub fn load(&self) -> f64 {
        let logical: u32 = self.classes.iter().map(|c| c.pages).sum();
        let pages = f64::from(self.pages);
        let full = f64::from(self.blocks) - f64::from(self.spare - 1) - 2.0;
        (f64::from(logical) - 0.5 * pages) / (full * pages)
    }
}

#[derive(Clone, Copy)]
struct Open {
    block: u32,
    written: u32,
}

pub struct Plane {
    shape: Shape,
    random: Stream,
    /// And their number at the end.
    starts: Vec<u32>,
    chances: Vec<f64>,
    place: Vec<u32>,
    /// By physical page.
    owner: Vec<u32>,
    valid: Vec<u32>,
    /// 0 while the block is not full.
    filled: Vec<u64>,
    /// And until one of its pages last changed.
    opened: Vec<u64>,
    changed: Vec<u64>,
    erases: Vec<u32>,
    free: VecDeque<u32>,
    candidates: VictimPool,
    user: Open,
    collection: Open,
    writes: u64,
    copies: Vec<u64>,
    budget: u64,
}

impl Plane {
    pub fn new(shape: Shape, seed: u64) -> Plane {
        let mut plane = Plane::empty(shape, seed);
        let mut order: Vec<u32> = (0..plane.place.len() as u32).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, plane.random.integer(0, last as u64) as usize);
        }
        order.into_iter().for_each(|lpa| plane.write(lpa));
        plane
    }

    fn empty(shape: Shape, seed: u64) -> Plane {
        assert!(shape.spare > 1, "the host and the collector each need a block to open");
        let (blocks, pages) = (shape.blocks, shape.pages);
        let (mut starts, mut chances, mut written) = (vec![0], Vec::new(), 0.0);
        for class in &shape.classes {
            written += class.writes;
            chances.push(written);
            starts.push(starts.last().expect("it starts at 0") + class.pages);
        }
        assert!(written > 0.0, "something must be written");
        Plane {
            random: Stream::named(seed, "representative plane"),
            place: vec![NONE; starts[shape.classes.len()] as usize],
            owner: vec![NONE; blocks as usize * pages as usize],
            valid: vec![0; blocks as usize],
            filled: vec![0; blocks as usize],
            opened: vec![0; blocks as usize],
            changed: vec![0; blocks as usize],
            erases: vec![0; blocks as usize],
            free: (0..blocks).collect(),
            // Greedy choice settles the plane before a rule is asked.
            candidates: match shape.policy.has_rule() {
                true => Greedy.victims(blocks, pages),
                false => shape.policy.victims(blocks, pages),
            },
            user: Open { block: NONE, written: 0 },
            collection: Open { block: NONE, written: 0 },
            writes: 0,
            copies: vec![0; shape.classes.len()],
            budget: MOST_PAGES / u64::from(pages),
            starts,
            chances,
            shape,
        }
    }

    pub fn settle(mut self) -> Census {
        let mut steady = self.write_until_steady();
        if self.shape.policy.has_rule() {
            self.candidates = self.shape.policy.victims(self.shape.blocks, self.shape.pages);
            self.full_blocks().iter().for_each(|&block| self.candidates.add(block, self.valid[block as usize]));
            self.budget = MOST_ASKED;
            steady = self.write_until_steady();
        }
        let measured = if steady { MEASURED_WINDOWS } else { 1 };
        self.budget = self.budget.max(MOST_ASKED / 4);
        self.copies.fill(0);
        let start = self.writes;
        self.write_random(u64::from(measured) * self.window());
        let writes = (self.writes - start) as f64;
        let copies = self.copies.iter().map(|&n| n as f64 / writes).collect();
        let full = self.full_blocks();
        let age = |&block: &u32| (self.writes - self.filled[block as usize]) as f32 / self.place.len() as f32;
        Census {
            classes: self.shape.classes.len(),
            pages: self.shape.pages,
            full: self.counts(&full),
            ages: full.iter().map(age).collect(),
            copies,
        }
    }

    /// As far as the budget allows. Returns whether it came to rest.
    fn write_until_steady(&mut self) -> bool {
        let window = self.window();
        let mut before = [f64::INFINITY; 2];
        for _ in 0..MOST_WINDOWS {
            let now = self.run(window);
            if self.budget == 0 {
                return false;
            }
            if before.iter().all(|then| (now - then).abs() < STEADY * now) {
                return true;
            }
            before = [before[1], now];
        }
        false
    }

    /// The average page of the slowest class is written once, within that many turnovers.
    fn window(&self) -> u64 {
        let logical = self.place.len() as f64;
        let slowest = self.shape.classes.iter().filter(|c| c.writes > 0.0).map(|c| f64::from(c.pages) / c.writes);
        let writes = slowest.fold(logical, f64::max) * self.chances[self.chances.len() - 1];
        writes.min(LONGEST_WINDOW * logical) as u64
    }

    pub fn run(&mut self, writes: u64) -> f64 {
        let (start, before) = (self.writes, self.copies.iter().sum::<u64>());
        self.write_random(writes);
        let copied = self.copies.iter().sum::<u64>() - before;
        1.0 + copied as f64 / (self.writes - start) as f64
    }

    fn write_random(&mut self, writes: u64) {
        for _ in 0..writes {
            let lpa = self.draw();
            self.write(lpa);
            if self.budget == 0 {
                break;
            }
        }
    }

    fn draw(&mut self) -> u32 {
        let class = if self.chances.len() == 1 {
            0
        } else {
            let at = self.random.uniform() * self.chances[self.chances.len() - 1];
            self.chances.partition_point(|&chance| chance <= at)
        };
        self.random.integer(u64::from(self.starts[class]), u64::from(self.starts[class + 1]) - 1) as u32
    }

    fn write(&mut self, lpa: u32) {
        let old = self.place[lpa as usize];
        if old != NONE {
            self.owner[old as usize] = NONE;
            let block = old / self.shape.pages;
            self.valid[block as usize] -= 1;
            self.changed[block as usize] = self.writes;
            if self.filled[block as usize] != 0 {
                self.candidates.lost_one(block, self.valid[block as usize]);
            }
        }
        self.writes += 1;
        if self.user.block == NONE {
            self.user = self.open();
            while (self.free.len() as u32) < self.shape.spare {
                self.collect();
            }
        }
        self.user = self.put(self.user, lpa);
    }

    fn open(&mut self) -> Open {
        let block = self.free.pop_front().expect("the collector keeps free blocks");
        self.opened[block as usize] = self.writes;
        Open { block, written: 0 }
    }

    fn put(&mut self, at: Open, lpa: u32) -> Open {
        let page = at.block * self.shape.pages + at.written;
        self.owner[page as usize] = lpa;
        self.place[lpa as usize] = page;
        self.valid[at.block as usize] += 1;
        self.changed[at.block as usize] = self.writes;
        if at.written + 1 < self.shape.pages {
            return Open { written: at.written + 1, ..at };
        }
        self.filled[at.block as usize] = self.writes;
        self.candidates.add(at.block, self.valid[at.block as usize]);
        Open { block: NONE, written: 0 }
    }

    fn collect(&mut self) {
        let view = View {
            valid: &self.valid,
            filled: &self.filled,
            opened: &self.opened,
            changed: &self.changed,
            erases: &self.erases,
            now: self.writes,
            pages: self.shape.pages,
        };
        let victim = self.candidates.take(view, &mut self.random);
        self.budget = self.budget.saturating_sub(1);
        self.filled[victim as usize] = 0;
        let first = victim * self.shape.pages;
        for page in first..first + self.shape.pages {
            let lpa = std::mem::replace(&mut self.owner[page as usize], NONE);
            if lpa == NONE {
                continue;
            }
            self.valid[victim as usize] -= 1;
            if self.collection.block == NONE {
                self.collection = self.open();
            }
            self.collection = self.put(self.collection, lpa);
            let class = self.class(lpa);
            self.copies[class] += 1;
        }
        self.erases[victim as usize] += 1;
        self.free.push_back(victim);
    }

    fn class(&self, lpa: u32) -> usize {
        if self.copies.len() == 1 { 0 } else { self.starts.partition_point(|&start| start <= lpa) - 1 }
    }

    fn full_blocks(&self) -> Vec<u32> {
        let mut full: Vec<u32> = (0..self.shape.blocks).filter(|&b| self.filled[b as usize] != 0).collect();
        full.sort_by_key(|&b| self.filled[b as usize]);
        full
    }

    fn counts(&self, blocks: &[u32]) -> Vec<u32> {
        let classes = self.shape.classes.len();
        let mut counts = vec![0; blocks.len() * classes];
        for (&block, row) in blocks.iter().zip(counts.chunks_mut(classes)) {
            let first = (block * self.shape.pages) as usize;
            for &lpa in self.owner[first..first + self.shape.pages as usize].iter().filter(|&&lpa| lpa != NONE) {
                row[self.class(lpa)] += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests;
