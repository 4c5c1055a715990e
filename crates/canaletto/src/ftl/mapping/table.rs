//! The page-level mapping table, in memory that grows with what is touched.
//!
//! A group of 64 logical pages is a bitmap and a packed list of entries. Groups lie in one array of zeroes from the
//! system: an untouched group costs 16 bytes of address space.

use std::ops::Range;

use crate::engine::memory::{expect, make_room, zeroed};
use crate::flash::address::Ppa;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    Unmapped,
    At(Ppa),
    /// The transaction knows where the old data are.
    Pending(TransactionId),
    Trimmed,
}

const PENDING: u64 = 1 << 63;
const TRIMMED: u64 = 1 << 62;

impl Entry {
    #[inline(always)]
    fn pack(self) -> u64 {
        match self {
            Entry::Unmapped => unreachable!("unmapped pages have no entry"),
            Entry::At(ppa) => ppa.pack(),
            Entry::Pending(id) => PENDING | u64::from(id.0),
            Entry::Trimmed => TRIMMED,
        }
    }

    #[inline]
    fn unpack(packed: u64) -> Entry {
        if packed & PENDING != 0 {
            Entry::Pending(TransactionId(packed as u32))
        } else if packed == TRIMMED {
            Entry::Trimmed
        } else {
            Entry::At(Ppa::unpack(packed))
        }
    }
}

/// The smallest power of two that holds the entries.
const CAPACITIES: usize = 6;

const GROUP: u64 = 64;

/// Mapped pages, and the only entry or the place of their [`List`].
type Group = [u64; 2];

/// By page.
#[derive(Clone, Copy)]
struct List {
    pool: usize,
    start: usize,
}

impl List {
    fn unpack(data: u64) -> List {
        List { pool: (data % 8) as usize, start: (data / 8) as usize }
    }

    fn pack(self) -> u64 {
        (self.start * 8 + self.pool) as u64
    }

    fn capacity(self) -> usize {
        2 << self.pool
    }
}

/// Of one capacity.
#[derive(Default)]
struct Pool {
    entries: Vec<u64>,
    free: Vec<usize>,
}

impl Pool {
    fn take(&mut self, capacity: usize) -> usize {
        self.free.pop().unwrap_or_else(|| {
            let start = self.entries.len();
            make_room(&mut self.entries, capacity);
            self.entries.resize(start + capacity, 0);
            start
        })
    }
}

pub struct MappingTable {
    groups: Vec<Group>,
    pools: [Pool; CAPACITIES],
    mapped: u64,
    /// A bit per page, by group. Empty until there is one.
    deallocated: Vec<u64>,
}

impl MappingTable {
    pub fn new(pages: u64) -> MappingTable {
        let groups = zeroed::<Group>(pages.div_ceil(GROUP) as usize);
        MappingTable { groups, pools: Default::default(), mapped: 0, deallocated: Vec::new() }
    }

    pub fn mapped(&self) -> u64 {
        self.mapped
    }

    /// A prefetch: saves a fifth of the run time of random reads.
    #[inline]
    pub fn expect(&self, lpa: u64) {
        if let Some(group) = self.groups.get((lpa / GROUP) as usize) {
            expect(group);
        }
    }

    #[inline(always)]
    pub fn get(&self, lpa: u64) -> Entry {
        let [mapped, data] = self.groups[(lpa / GROUP) as usize];
        let bit = 1 << (lpa % GROUP);
        if mapped & bit == 0 {
            return self.without_entry(lpa);
        }
        if mapped == bit {
            return Entry::unpack(data);
        }
        let list = List::unpack(data);
        Entry::unpack(self.pools[list.pool].entries[list.start + rank(mapped, bit)])
    }

    #[inline]
    fn without_entry(&self, lpa: u64) -> Entry {
        match self.deallocated.get((lpa / GROUP) as usize) {
            Some(group) if group & (1 << (lpa % GROUP)) != 0 => Entry::Trimmed,
            _ => Entry::Unmapped,
        }
    }

    #[inline(always)]
    pub fn set(&mut self, lpa: u64, entry: Entry) {
        let group = &mut self.groups[(lpa / GROUP) as usize];
        let bit = 1 << (lpa % GROUP);
        let mapped = group[0];
        let trims = matches!(entry, Entry::Trimmed);
        if mapped & bit == 0 && trims {
            return self.deallocate(lpa..lpa + 1);
        }
        self.mapped += u64::from(!trims);
        if mapped & bit == 0 {
            insert(group, bit, entry.pack(), &mut self.pools);
            return;
        }
        let slot = slot(group, bit, &mut self.pools);
        self.mapped -= u64::from(*slot != TRIMMED);
        *slot = entry.pack();
    }

    /// Neither entry is that of a page that holds nothing.
    #[inline]
    pub fn replace(&mut self, lpa: u64, from: Entry, to: Entry) -> bool {
        debug_assert!(![from, to].contains(&Entry::Trimmed));
        let group = &mut self.groups[(lpa / GROUP) as usize];
        let bit = 1 << (lpa % GROUP);
        if group[0] & bit == 0 {
            return false;
        }
        let slot = slot(group, bit, &mut self.pools);
        let is_there = *slot == from.pack();
        if is_there {
            *slot = to.pack();
        }
        is_there
    }

    pub fn unwritten_until(&self, pages: Range<u64>) -> u64 {
        let mut end = pages.start;
        while end < pages.end && self.groups[(end / GROUP) as usize][0] == 0 {
            end = (end / GROUP + 1) * GROUP;
        }
        end.min(pages.end)
    }

    pub fn deallocate(&mut self, pages: Range<u64>) {
        if self.deallocated.is_empty() {
            self.deallocated = zeroed(self.groups.len());
        }
        let mut next = pages.start;
        while next < pages.end {
            let until = pages.end.min((next / GROUP + 1) * GROUP);
            self.deallocated[(next / GROUP) as usize] |= (u64::MAX >> (GROUP - (until - next))) << (next % GROUP);
            next = until;
        }
    }
}

/// The entry of a page that has one.
#[inline(always)]
fn slot<'a>(group: &'a mut Group, bit: u64, pools: &'a mut [Pool; CAPACITIES]) -> &'a mut u64 {
    let [mapped, data] = *group;
    if mapped == bit {
        return &mut group[1];
    }
    let list = List::unpack(data);
    &mut pools[list.pool].entries[list.start + rank(mapped, bit)]
}

/// Before the page of `bit`.
#[inline]
fn rank(mapped: u64, bit: u64) -> usize {
    (mapped & (bit - 1)).count_ones() as usize
}

#[inline]
fn insert(group: &mut Group, bit: u64, entry: u64, pools: &mut [Pool; CAPACITIES]) {
    if group[0] == 0 {
        *group = [bit, entry];
    } else {
        insert_among(group, bit, entry, pools);
    }
}

#[inline(never)]
fn insert_among([mapped, data]: &mut Group, bit: u64, entry: u64, pools: &mut [Pool; CAPACITIES]) {
    let place = rank(*mapped, bit);
    let count = mapped.count_ones() as usize;
    *mapped |= bit;
    let list = match count {
        1 => start_list(*data, pools),
        _ => with_room(List::unpack(*data), count, pools),
    };
    *data = list.pack();
    let entries = &mut pools[list.pool].entries[list.start..];
    entries.copy_within(place..count, place + 1);
    entries[place] = entry;
}

fn start_list(first: u64, pools: &mut [Pool; CAPACITIES]) -> List {
    let list = List { pool: 0, start: pools[0].take(2) };
    pools[0].entries[list.start] = first;
    list
}

fn with_room(list: List, count: usize, pools: &mut [Pool; CAPACITIES]) -> List {
    if count < list.capacity() {
        return list;
    }
    let (smaller, larger) = pools.split_at_mut(list.pool + 1);
    let (smaller, larger) = (&mut smaller[list.pool], &mut larger[0]);
    let moved = List { pool: list.pool + 1, start: larger.take(2 * list.capacity()) };
    larger.entries[moved.start..][..count].copy_from_slice(&smaller.entries[list.start..][..count]);
    smaller.free.push(list.start);
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flash::address::PlaneId;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn deallocated_pages_stay_so_until_they_are_written(
            operations in prop::collection::vec((0u64..300, 1u64..150, prop::bool::ANY), 1..60)
        ) {
            let mut table = MappingTable::new(300);
            let mut model = vec![Entry::Unmapped; 300];
            for (first, pages, writes) in operations {
                let pages = first..(first + pages).min(300);
                let until = table.unwritten_until(pages.clone());
                let is_written = |lpa: u64| matches!(model[lpa as usize], Entry::At(_));
                prop_assert!(until <= pages.end && !(pages.start..until).any(is_written));
                if writes {
                    let at = Entry::At(Ppa { plane: PlaneId(3), block: first as u32, page: 7 });
                    table.set(first, at);
                    model[first as usize] = at;
                } else {
                    table.deallocate(pages.start..until);
                    (until..pages.end).for_each(|lpa| table.set(lpa, Entry::Trimmed));
                    pages.for_each(|lpa| model[lpa as usize] = Entry::Trimmed);
                }
                for lpa in 0..300 {
                    prop_assert_eq!(table.get(lpa), model[lpa as usize]);
                }
                let holding = model.iter().filter(|entry| matches!(entry, Entry::At(_))).count();
                prop_assert_eq!(table.mapped(), holding as u64);
            }
        }

        #[test]
        fn behaves_like_a_map(operations in prop::collection::vec((0u64..300, 0u32..1 << 20), 1..500)) {
            let mut table = MappingTable::new(300);
            let mut model = HashMap::new();
            for (lpa, block) in operations {
                let ppa = Ppa { plane: PlaneId(3), block, page: 7 };
                table.set(lpa, Entry::At(ppa));
                model.insert(lpa, ppa);
                for probe in 0..300 {
                    prop_assert_eq!(table.get(probe), model.get(&probe).map_or(Entry::Unmapped, |&p| Entry::At(p)));
                }
            }
            prop_assert_eq!(table.mapped(), model.len() as u64);
        }
    }
}
