//! Planes with superblocks in the steady state.
//!
//! To collection a superblock is one large block. Its valid pages are dealt to its blocks by chance, with each plane's
//! total. Parity blocks are written as far as their stripes are complete.

use crate::engine::random::Stream;
use crate::ftl::steady::classes::Classes;
use crate::ftl::steady::draw::FullBlocks;
use crate::ftl::steady::permutation::{Permutation, mix};
use crate::ftl::steady::plan::{Geometry, Plan, open_block};
use crate::ftl::steady::seeded::{Contents, OpenBlock, SeededPlane};

/// The share of valid pages strays by less than a sixtieth.
pub const MODEL_PAGES: u32 = 1024;

const ORDERS: u32 = 64;

pub type Member = (Classes, Vec<u32>);

#[derive(Clone, Copy)]
pub struct Planes {
    pub all: u32,
    pub parity_unit: u32,
}

impl Planes {
    pub fn for_data(self) -> u32 {
        self.all - self.parity_unit
    }

    /// If no block is bad; beyond all without parity.
    pub fn first_of_parity(self, block: u32) -> u32 {
        if self.parity_unit == 0 {
            self.all
        } else {
            self.all - (block * self.parity_unit) % self.all - self.parity_unit
        }
    }

    /// None for parity.
    fn place(self, plane: u32, first_of_parity: u32) -> Option<u32> {
        match plane {
            _ if plane < first_of_parity => Some(plane),
            _ if plane < first_of_parity + self.parity_unit => None,
            _ => Some(plane - self.parity_unit),
        }
    }
}

struct Deal {
    planes: usize,
    classes: usize,
    counts: Vec<u32>,
    written: Vec<u32>,
    parity: Vec<u32>,
}

impl Plan {
    /// The plan's blocks are superblocks.
    pub fn seed_group(
        &self,
        group: u32,
        members: Vec<Member>,
        parity_unit: u32,
        seed: u64,
    ) -> Result<Vec<SeededPlane>, String> {
        let mut random = Stream::named(seed, &format!("precondition group {group}"));
        let Geometry { blocks, pages: size, step, .. } = self.geometry;
        let planes = Planes { all: members.len() as u32, parity_unit };
        let mut left: Vec<u32> =
            (0..self.classes()).map(|class| members.iter().map(|(_, mapped)| mapped[class]).sum()).collect();
        let open: Vec<OpenBlock> = match size {
            _ if size == step => Vec::new(),
            _ => self.mixes.iter().map(|mix| open_block(mix, size / step, step, &mut left, &mut random)).collect(),
        };
        let full = self.draw_full(&left, &mut random)?;
        let pages = size / planes.for_data();
        // Another order of numbers may leave enough room.
        let mut orders = (parity_unit > 0).then(|| Stream::named(seed, &format!("precondition parity {group}")));
        let mut orders_left = if parity_unit > 0 { ORDERS } else { 1 };
        let (own_order, deal) = loop {
            let order = orders.as_mut().map(|orders| orders.integer(0, u64::from(u32::MAX)));
            let numbers = order.map(|order| Permutation::new(blocks, mix(order)));
            let first_of_parity =
                |row: u32| numbers.as_ref().map_or(planes.all, |numbers| planes.first_of_parity(numbers.apply(row)));
            let mut deal = Deal::new(&full, &open, planes, (pages, step), first_of_parity, &mut random);
            orders_left -= 1;
            match deal.give(&members, &mut random) {
                Ok(()) => break (order, deal),
                Err(reason) if orders_left == 0 => return Err(reason),
                Err(_) => {}
            }
        };
        let order = own_order.unwrap_or_else(|| random.integer(0, u64::from(u32::MAX)));
        let superblocks = full.ages.len();
        let planes = (0..).zip(members).map(|(plane, (classes, _))| {
            let open = (superblocks..superblocks + open.len()).map(|row| OpenBlock {
                written: deal.written(row, plane) + deal.parity(row, plane),
                counts: deal.row(row, plane).to_vec(),
            });
            let contents = Contents {
                blocks,
                pages,
                classes,
                full: FullBlocks {
                    classes: full.classes,
                    counts: (0..superblocks).flat_map(|row| deal.row(row, plane)).copied().collect(),
                    ages: full.ages.clone(),
                },
                open: open.collect(),
            };
            let key = random.integer(0, u64::from(u32::MAX)) << 32 | random.integer(0, u64::from(u32::MAX));
            SeededPlane::in_order(contents, key, mix(order))
        });
        planes.collect()
    }
}

impl Deal {
    fn new(
        full: &FullBlocks,
        open: &[OpenBlock],
        planes: Planes,
        (pages, step): (u32, u32),
        first_of_parity: impl Fn(u32) -> u32,
        random: &mut Stream,
    ) -> Deal {
        let rows = full.counts.chunks(full.classes).map(|counts| (counts, planes.for_data() * pages));
        let rows = rows.chain(open.iter().map(|block| (&block.counts[..], block.written)));
        let (all, classes) = (planes.all as usize, full.classes);
        let mut deal = Deal { planes: all, classes, counts: Vec::new(), written: Vec::new(), parity: Vec::new() };
        for (row, (counts, written)) in (0..).zip(rows) {
            deal.fill_row(planes, written / step, first_of_parity(row));
            deal.written[row as usize * all..].iter_mut().for_each(|pages| *pages *= step);
            deal.parity[row as usize * all..].iter_mut().for_each(|pages| *pages *= step);
            deal.deal_row(counts, random);
        }
        deal
    }

    fn give(&mut self, members: &[Member], random: &mut Stream) -> Result<(), String> {
        for class in 0..self.classes {
            let wanted: Vec<u32> = members.iter().map(|(_, mapped)| mapped[class]).collect();
            self.meet(class, &wanted, random);
        }
        (0..).zip(members).try_for_each(|(plane, (_, mapped))| self.settle(plane, mapped))
    }

    fn fill_row(&mut self, planes: Planes, flash_pages: u32, first_of_parity: u32) {
        let of_place = |place| flash_pages / planes.for_data() + u32::from(place < flash_pages % planes.for_data());
        for plane in 0..planes.all {
            let place = planes.place(plane, first_of_parity);
            // The stripe ends with it.
            let last = || planes.for_data() - planes.parity_unit + plane % planes.parity_unit;
            self.written.push(place.map_or(0, of_place));
            self.parity.push(if place.is_some() { 0 } else { of_place(last()) });
        }
    }

    fn deal_row(&mut self, counts: &[u32], random: &mut Stream) {
        let mut room = self.written[self.written.len() - self.planes..].to_vec();
        let first = self.counts.len();
        self.counts.resize(first + self.planes * self.classes, 0);
        for (class, &count) in counts.iter().enumerate() {
            let (mut left, mut places) = (count, room.iter().sum::<u32>());
            for (plane, room) in room.iter_mut().enumerate() {
                let drawn = drawn(left, *room, places, random);
                self.counts[first + plane * self.classes + class] = drawn;
                (left, places, *room) = (left - drawn, places - *room, *room - drawn);
            }
        }
    }

    fn place(&self, row: usize, plane: usize) -> usize {
        (row * self.planes + plane) * self.classes
    }

    fn row(&self, row: usize, plane: usize) -> &[u32] {
        &self.counts[self.place(row, plane)..][..self.classes]
    }

    fn written(&self, row: usize, plane: usize) -> u32 {
        self.written[row * self.planes + plane]
    }

    fn parity(&self, row: usize, plane: usize) -> u32 {
        self.parity[row * self.planes + plane]
    }

    fn held(&self, plane: usize, class: usize) -> u32 {
        (0..self.written.len() / self.planes).map(|row| self.row(row, plane)[class]).sum()
    }

    fn meet(&mut self, class: usize, wanted: &[u32], random: &mut Stream) {
        let rows = self.written.len() / self.planes;
        let order = Permutation::new(rows as u32, mix(random.integer(0, u64::from(u32::MAX))));
        let surplus = |plane: usize| i64::from(self.held(plane, class)) - i64::from(wanted[plane]);
        let mut surplus: Vec<i64> = (0..self.planes).map(surplus).collect();
        let mut before = i64::MAX;
        loop {
            let left: i64 = surplus.iter().map(|n| n.abs()).sum();
            if left == 0 || left == before {
                return;
            }
            before = left;
            for row in (0..rows as u32).map(|place| order.apply(place) as usize) {
                self.exchange(row, class, &mut surplus);
            }
        }
    }

    fn settle(&mut self, plane: usize, wanted: &[u32]) -> Result<(), String> {
        let rows = 0..self.written.len() / self.planes;
        for (class, &wanted) in wanted.iter().enumerate() {
            let mut over = self.held(plane, class).saturating_sub(wanted);
            for row in rows.clone() {
                let place = self.place(row, plane) + class;
                let taken = over.min(self.counts[place]);
                self.counts[place] -= taken;
                over -= taken;
            }
        }
        for (class, &wanted) in wanted.iter().enumerate() {
            let mut lacking = wanted - self.held(plane, class);
            for row in rows.clone() {
                let room = self.written(row, plane) - self.row(row, plane).iter().sum::<u32>();
                let place = self.place(row, plane) + class;
                let given = lacking.min(room);
                self.counts[place] += given;
                lacking -= given;
            }
            if lacking > 0 {
                return Err(format!("{lacking} valid pages more than the blocks of a plane have room for"));
            }
        }
        Ok(())
    }

    fn exchange(&mut self, row: usize, class: usize, surplus: &mut [i64]) {
        let has = |plane: &usize| self.row(row, *plane)[class] > 0 && surplus[*plane] > 0;
        let lacks = |plane: &usize| {
            self.row(row, *plane).iter().sum::<u32>() < self.written(row, *plane) && surplus[*plane] < 0
        };
        let from = (0..self.planes).filter(has).max_by_key(|&plane| surplus[plane]);
        let to = (0..self.planes).filter(lacks).min_by_key(|&plane| surplus[plane]);
        if let (Some(from), Some(to)) = (from, to) {
            let (giver, taker) = (self.place(row, from) + class, self.place(row, to) + class);
            self.counts[giver] -= 1;
            self.counts[taker] += 1;
            surplus[from] -= 1;
            surplus[to] += 1;
        }
    }
}

/// Hypergeometric, by its mean and deviation.
fn drawn(left: u32, room: u32, places: u32, random: &mut Stream) -> u32 {
    let (n, all) = (f64::from(left), f64::from(places));
    let share = f64::from(room) / all.max(1.0);
    let deviation = (n * share * (1.0 - share) * (all - n) / (all - 1.0).max(1.0)).max(0.0).sqrt();
    let found = random.normal(n * share, deviation, &mut None).round().max(0.0) as u32;
    found.clamp(left.saturating_sub(places - room), room.min(left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::reclaim::gc::policy::{Greedy, Policy};
    use crate::ftl::steady::plan::Steady;

    #[test]
    fn groups_hold_what_they_shall() {
        let geometry = Geometry { blocks: 64, pages: 128, step: 1, free: 4, frontiers: 2 };
        let mapped: Vec<u32> = (0..8).map(|plane| 790 + plane % 3).collect();
        let load = geometry.load(mapped.iter().map(|&n| f64::from(n)).sum());
        let steady = Steady::find(&Policy::from(Greedy), load, geometry, &[(1.0, 1.0)], 1);
        let plan = Plan { geometry, steady, mixes: vec![vec![1.0]; 2] };
        let members = mapped.iter().map(|&n| (Classes::uniform(820), vec![n])).collect();
        let planes = plan.seed_group(3, members, 0, 1).expect("it fits");
        let lists = |plane: &SeededPlane| -> [Vec<u32>; 3] {
            [plane.full().collect(), plane.open().collect(), plane.free().collect()]
        };
        assert!(planes.iter().all(|plane| lists(plane) == lists(&planes[0])), "blocks of a number share their life");
        assert!(planes.iter().zip(&mapped).all(|(plane, &n)| plane.mapped() == n));
        let sums: Vec<u32> =
            planes[0].full().map(|block| planes.iter().map(|plane| plane.valid(block)).sum()).collect();
        let Steady::Uniform(found) = &plan.steady else { panic!("uniform writes are solved for") };
        let least = found.shares.iter().position(|&share| share > 1e-9).expect("some share") as u32;
        assert!(sums.iter().all(|&sum| sum + 2 >= least), "{sums:?} are at least {least}");
        assert!(sums.iter().any(|&sum| sum < least + 12));
    }

    #[test]
    fn pages_are_dealt_by_chance_and_none_is_lost() {
        let mut random = Stream::named(5, "test");
        let full = FullBlocks { classes: 2, counts: [30, 60].repeat(100), ages: vec![0.0; 100] };
        let mut deal = Deal::new(&full, &[], Planes { all: 8, parity_unit: 0 }, (16, 1), |_| 8, &mut random);
        assert_eq!((0..8).map(|plane| deal.held(plane, 0)).sum::<u32>(), 3000);
        let counts: Vec<u32> =
            (0..100).flat_map(|row| (0..8).map(move |plane| (row, plane))).map(|(r, p)| deal.row(r, p)[0]).collect();
        let mean = 30.0 / 8.0;
        let variance = counts.iter().map(|&n| (f64::from(n) - mean).powi(2)).sum::<f64>() / 800.0;
        // 30 of 128 pages are of the class, 16 in the block: 30 × 1/8 × 7/8 × 98/127.
        assert!((variance / 2.53 - 1.0).abs() < 0.15, "{variance}");
        let wanted = [400, 350, 375, 375, 375, 375, 380, 370];
        deal.meet(0, &wanted, &mut random);
        assert!((0..8).all(|plane| deal.held(plane, 0) == wanted[plane]));
        assert!((0..100).all(|row| (0..8).map(|plane| deal.row(row, plane)[0]).sum::<u32>() == 30));
    }

    #[test]
    fn planes_get_what_they_hold_even_in_tiny_superblocks() {
        let mut random = Stream::named(5, "test");
        let full = FullBlocks { classes: 2, counts: [1, 1].repeat(6), ages: vec![0.0; 6] };
        let mut deal = Deal::new(&full, &[], Planes { all: 2, parity_unit: 0 }, (1, 1), |_| 2, &mut random);
        for (plane, wanted) in [[4, 2], [1, 5]].iter().enumerate() {
            deal.settle(plane, wanted).expect("there is room");
            assert_eq!([deal.held(plane, 0), deal.held(plane, 1)], *wanted);
        }
        assert!(deal.settle(0, &[4, 3]).is_err());
    }
}
