//! The page-level mapping table, in memory that grows with what is touched.
//!
//! A drive of 64 TB has sixteen thousand million logical pages; a run touches some millions of them. Logical pages are
//! grouped by 64: a group is a bitmap of its mapped pages and a short packed list of their entries, so an untouched
//! group costs 16 bytes in a segment that exists only once one of its pages is touched, and looking a page up is two
//! array accesses and a bit count.

use crate::flash::address::Ppa;
use crate::scheduler::transaction::TransactionId;

/// What the table says of a logical page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// Groups a segment: 64 KiB of memory covering 262,144 logical pages.
const SEGMENT: usize = 4096;

/// Capacities of packed lists: the smallest power of two that holds the entries.
const CAPACITIES: usize = 6;

/// The pool of lists with `count` entries (2 to 64).
fn pool_of(count: u32) -> usize {
    count.next_power_of_two().trailing_zeros() as usize - 1
}

#[derive(Clone, Copy, Default)]
struct Group {
    /// Which of the 64 pages have an entry.
    mapped: u64,
    /// The entry itself if there is one, so that it shares the group's cache line; the start of the list in its pool if
    /// there are more.
    data: u64,
}

/// Entries of lists of one capacity, and the places given back.
#[derive(Default)]
struct Pool {
    entries: Vec<u64>,
    free: Vec<u64>,
}

impl Pool {
    fn take(&mut self, capacity: usize) -> u64 {
        self.free.pop().unwrap_or_else(|| {
            let start = self.entries.len();
            self.entries.resize(start + capacity, 0);
            start as u64
        })
    }
}

/// Logical page to [`Entry`].
pub struct MappingTable {
    segments: Vec<Option<Box<[Group; SEGMENT]>>>,
    pools: [Pool; CAPACITIES],
    /// Pages that hold data.
    mapped: u64,
}

impl MappingTable {
    /// An empty table for `pages` logical pages.
    pub fn new(pages: u64) -> MappingTable {
        let segments = pages.div_ceil(64 * SEGMENT as u64) as usize;
        MappingTable { segments: (0..segments).map(|_| None).collect(), pools: Default::default(), mapped: 0 }
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
        #[cfg(target_arch = "x86_64")]
        if let Some(Some(segment)) = self.segments.get((lpa / (64 * SEGMENT as u64)) as usize) {
            let group: *const Group = &raw const segment[(lpa / 64) as usize % SEGMENT];
            // SAFETY: a prefetch is a hint without any effect on memory, valid for every address; SSE is part of x86-64.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(group.cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = lpa;
    }

    /// Looks a page up.
    pub fn get(&self, lpa: u64) -> Entry {
        let Some(segment) = &self.segments[(lpa / (64 * SEGMENT as u64)) as usize] else {
            return Entry::Unmapped;
        };
        let group = &segment[(lpa / 64) as usize % SEGMENT];
        let bit = 1u64 << (lpa % 64);
        if group.mapped & bit == 0 {
            return Entry::Unmapped;
        }
        Entry::unpack(match group.mapped.count_ones() {
            1 => group.data,
            count => self.pools[pool_of(count)].entries[group.data as usize + rank(group, bit)],
        })
    }

    /// Sets a page's entry.
    pub fn set(&mut self, lpa: u64, entry: Entry) {
        let segment = self.segments[(lpa / (64 * SEGMENT as u64)) as usize].get_or_insert_with(|| {
            vec![Group::default(); SEGMENT].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!())
        });
        let group = &mut segment[(lpa / 64) as usize % SEGMENT];
        let bit = 1u64 << (lpa % 64);
        self.mapped += u64::from(entry != Entry::Trimmed);
        if group.mapped & bit == 0 {
            insert(group, bit, entry.pack(), &mut self.pools);
            return;
        }
        let slot = match group.mapped.count_ones() {
            1 => &mut group.data,
            count => &mut self.pools[pool_of(count)].entries[group.data as usize + rank(group, bit)],
        };
        self.mapped -= u64::from(*slot != TRIMMED);
        *slot = entry.pack();
    }
}

/// How many mapped pages of the group come before the one of `bit`.
fn rank(group: &Group, bit: u64) -> usize {
    (group.mapped & (bit - 1)).count_ones() as usize
}

/// Adds an entry, moving the group's list to a larger pool if it is full.
fn insert(group: &mut Group, bit: u64, entry: u64, pools: &mut [Pool; CAPACITIES]) {
    let count = group.mapped.count_ones();
    let place = rank(group, bit);
    group.mapped |= bit;
    if count == 0 {
        group.data = entry;
        return;
    }
    let pool = pool_of(count + 1);
    if count == 1 {
        let start = pools[pool].take(2) as usize;
        pools[pool].entries[start + 1 - place] = group.data;
        group.data = start as u64;
    } else if pool_of(count) != pool {
        let start = pools[pool].take(2 << pool);
        let (smaller, larger) = pools.split_at_mut(pool);
        let from = &smaller[pool - 1].entries[group.data as usize..][..count as usize];
        larger[0].entries[start as usize..][..count as usize].copy_from_slice(from);
        smaller[pool - 1].free.push(group.data);
        group.data = start;
    }
    let list = &mut pools[pool].entries[group.data as usize..];
    if count > 1 {
        list.copy_within(place..count as usize, place + 1);
    }
    list[place] = entry;
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
