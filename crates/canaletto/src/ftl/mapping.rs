//! The page-level mapping table, in memory that grows with what is touched.
//!
//! A drive of 64 TB has sixteen thousand million logical pages; a run touches some millions of them. Logical pages are
//! grouped by 64: a group is a bitmap of its mapped pages and a short packed list of their entries. Groups lie in one array
//! of zeroes, which the system gives without touching it, so that an untouched group costs 16 bytes of address space; looking
//! a page up is an array access, and where the group has several entries a bit count and another access.

use crate::engine::memory::{expect, make_room, zeroed};
use crate::flash::address::Ppa;
use crate::scheduler::transaction::TransactionId;

/// Entry of a logical page in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Entry {
    /// Never written.
    Unmapped,
    /// Its data are here.
    At(Ppa),
    /// A write of it is in flight; the transaction knows where the old data are.
    Pending(TransactionId),
    /// Deallocated: it reads as zeroes until it is written again.
    Trimmed,
}

const PENDING: u64 = 1 << 63;
/// Above every packed address.
const TRIMMED: u64 = 1 << 62;

impl Entry {
    fn pack(self) -> u64 {
        match self {
            Entry::Unmapped => unreachable!("unmapped pages have no entry"),
            Entry::At(ppa) => ppa.pack(),
            Entry::Pending(id) => PENDING | u64::from(id.0),
            Entry::Trimmed => TRIMMED,
        }
    }

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

/// Capacities of packed lists: the smallest power of two that holds the entries.
const CAPACITIES: usize = 6;

/// Logical pages of a group.
const GROUP: u64 = 64;

/// Of 64 pages: which have an entry, and the entry itself if there is one, so that it shares the group's cache line, or
/// else where their [`List`] is. An array, not a struct: the standard library has zeroed memory of those come from the
/// system.
type Group = [u64; 2];

/// The entries of a group that has several, by page.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
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

/// Entries of lists of one capacity, and the places given back.
#[derive(Default, serde::Serialize, serde::Deserialize)]
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

/// Logical page to [`Entry`].
#[derive(serde::Serialize, serde::Deserialize)]
pub struct MappingTable {
    groups: Vec<Group>,
    pools: [Pool; CAPACITIES],
    /// Pages that hold data.
    mapped: u64,
}

impl MappingTable {
    /// An empty table for `pages` logical pages.
    pub fn new(pages: u64) -> MappingTable {
        let groups = zeroed::<Group>(pages.div_ceil(GROUP) as usize);
        MappingTable { groups, pools: Default::default(), mapped: 0 }
    }

    /// Number of pages that hold data, pending ones included.
    pub fn mapped(&self) -> u64 {
        self.mapped
    }

    /// Tells the processor that a page will soon be looked up. The tables of a large drive lie far beyond its caches: with
    /// a hint when the request is made, the look-up some microseconds of simulated time later no longer waits for memory
    /// (a fifth of the run time of random reads).
    #[inline]
    pub fn expect(&self, lpa: u64) {
        if let Some(group) = self.groups.get((lpa / GROUP) as usize) {
            expect(group);
        }
    }

    /// Looks a page up.
    #[inline]
    pub fn get(&self, lpa: u64) -> Entry {
        let [mapped, data] = self.groups[(lpa / GROUP) as usize];
        let bit = 1 << (lpa % GROUP);
        if mapped & bit == 0 {
            return Entry::Unmapped;
        }
        if mapped == bit {
            return Entry::unpack(data);
        }
        let list = List::unpack(data);
        Entry::unpack(self.pools[list.pool].entries[list.start + rank(mapped, bit)])
    }

    /// Sets a page's entry.
    #[inline]
    pub fn set(&mut self, lpa: u64, entry: Entry) {
        let group = &mut self.groups[(lpa / GROUP) as usize];
        let bit = 1 << (lpa % GROUP);
        self.mapped += u64::from(entry != Entry::Trimmed);
        let [mapped, data] = *group;
        if mapped & bit == 0 {
            insert(group, bit, entry.pack(), &mut self.pools);
            return;
        }
        let list = List::unpack(data);
        let slot = match mapped == bit {
            true => &mut group[1],
            false => &mut self.pools[list.pool].entries[list.start + rank(mapped, bit)],
        };
        self.mapped -= u64::from(*slot != TRIMMED);
        *slot = entry.pack();
    }
}

/// How many of the mapped pages come before the one of `bit`.
fn rank(mapped: u64, bit: u64) -> usize {
    (mapped & (bit - 1)).count_ones() as usize
}

/// Adds an entry, moving the group's list to a larger pool if it is full.
#[inline]
fn insert(group: &mut Group, bit: u64, entry: u64, pools: &mut [Pool; CAPACITIES]) {
    if group[0] == 0 {
        *group = [bit, entry];
    } else {
        insert_among(group, bit, entry, pools);
    }
}

/// Adds an entry to others.
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

/// A list with a group's first entry.
fn start_list(first: u64, pools: &mut [Pool; CAPACITIES]) -> List {
    let list = List { pool: 0, start: pools[0].take(2) };
    pools[0].entries[list.start] = first;
    list
}

/// The list of `count` entries, moved to the next pool if it is full.
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
