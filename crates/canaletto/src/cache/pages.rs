//! Cached pages: a slab, an index by logical page, and lists threaded through the pages.

use std::ops::{Index as At, IndexMut};

use crate::engine::arena::Slab;
use crate::engine::index::Index;
use crate::engine::time::Time;
use crate::scheduler::transaction::TransactionId;
use crate::typed_id;

typed_id!(
    /// A page in the cache.
    CachedId
);

/// Which list a page is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Flash has all of it.
    Clean,
    /// It has sectors that flash has not, and none of it is on its way there.
    Dirty,
    /// It is on its way to flash; it may have become dirty again since.
    Flying,
}

/// A page in the cache. Sector masks have one bit for each 512 B.
#[derive(Clone, Copy)]
pub struct CachedPage {
    /// Logical page.
    pub lpa: u64,
    /// Sectors it holds.
    pub valid: u64,
    /// Of those, the ones that were written since the page last set out for flash.
    pub dirty: u64,
    /// Sectors that were dirty when it set out and are not programmed yet.
    pub flying: u64,
    /// When it was used last, as a count of uses.
    pub used: u64,
    /// When its newest data came to the drive, with [`Destage::Mqsim`](crate::config::cache::Destage::Mqsim).
    pub stamp: Time,
    /// The flush that its dirty sectors, and those in flight, are too late for: all later ones wait for them.
    pub epoch: u32,
    /// See `epoch`.
    pub flying_epoch: u32,
    /// Who wrote or read it last.
    pub flow: u16,
    /// Partition whose room it takes.
    pub partition: u16,
    /// Whether its dirty sectors go to flash before all others.
    pub urgent: bool,
    /// Whether it gave up its room when it set out for flash.
    pub evicted: bool,
    /// Whether it was used since it set out.
    pub touched: bool,
    /// Parts of requests that wait until its dirty sectors are on flash, and until those in flight are.
    pub waiters: TransactionId,
    /// See `waiters`.
    pub flying_waiters: TransactionId,
    next: CachedId,
    previous: CachedId,
}

impl CachedPage {
    /// The list it belongs in.
    pub fn state(&self) -> State {
        match (self.flying, self.dirty) {
            (0, 0) => State::Clean,
            (0, _) => State::Dirty,
            _ => State::Flying,
        }
    }
}

/// A list of pages, hottest first.
#[derive(Clone, Copy)]
pub struct List {
    head: CachedId,
    tail: CachedId,
    len: usize,
}

impl List {
    /// An empty list.
    pub const EMPTY: List = List { head: CachedId::NONE, tail: CachedId::NONE, len: 0 };

    /// The coldest page.
    pub fn coldest(&self) -> Option<CachedId> {
        self.tail.is_some().then_some(self.tail)
    }

    /// Pages in it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// All pages in the cache.
#[derive(Default)]
pub struct Pages {
    slab: Slab<CachedId, CachedPage>,
    index: Index,
}

impl Pages {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slab.is_empty()
    }

    /// The page of a logical page.
    pub fn find(&self, lpa: u64) -> Option<CachedId> {
        self.index.get(lpa).map(CachedId)
    }

    /// Adds an empty page, in no list yet.
    pub fn add(&mut self, lpa: u64, flow: u16, partition: u16) -> CachedId {
        let id = self.slab.insert(CachedPage {
            lpa,
            valid: 0,
            dirty: 0,
            flying: 0,
            used: 0,
            stamp: Time::ZERO,
            epoch: 0,
            flying_epoch: 0,
            flow,
            partition,
            urgent: false,
            evicted: false,
            touched: false,
            waiters: TransactionId::NONE,
            flying_waiters: TransactionId::NONE,
            next: CachedId::NONE,
            previous: CachedId::NONE,
        });
        self.index.insert(lpa, id.0);
        id
    }

    /// Forgets a page that is in no list.
    pub fn remove(&mut self, id: CachedId) {
        self.index.remove(self[id].lpa);
        self[id].urgent = false;
        self.slab.remove(id);
    }

    /// Puts a page at the hot end of a list.
    pub fn push_hot(&mut self, list: &mut List, id: CachedId) {
        let head = list.head;
        (self[id].previous, self[id].next) = (CachedId::NONE, head);
        if head.is_some() {
            self[head].previous = id;
        } else {
            list.tail = id;
        }
        list.head = id;
        list.len += 1;
    }

    /// Puts a page at the cold end of a list.
    pub fn push_cold(&mut self, list: &mut List, id: CachedId) {
        let tail = list.tail;
        (self[id].previous, self[id].next) = (tail, CachedId::NONE);
        if tail.is_some() {
            self[tail].next = id;
        } else {
            list.head = id;
        }
        list.tail = id;
        list.len += 1;
    }

    /// Takes a page out of its list.
    pub fn unlink(&mut self, list: &mut List, id: CachedId) {
        let (previous, next) = (self[id].previous, self[id].next);
        if previous.is_some() {
            self[previous].next = next;
        } else {
            list.head = next;
        }
        if next.is_some() {
            self[next].previous = previous;
        } else {
            list.tail = previous;
        }
        list.len -= 1;
    }

    /// The pages of a list, coldest first.
    pub fn cold_first<'a>(&'a self, list: &List) -> impl Iterator<Item = CachedId> + use<'a> {
        let mut at = list.tail;
        std::iter::from_fn(move || {
            let id = at.is_some().then_some(at)?;
            at = self[id].previous;
            Some(id)
        })
    }
}

impl At<CachedId> for Pages {
    type Output = CachedPage;
    fn index(&self, id: CachedId) -> &CachedPage {
        &self.slab[id]
    }
}

impl IndexMut<CachedId> for Pages {
    fn index_mut(&mut self, id: CachedId) -> &mut CachedPage {
        &mut self.slab[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A list keeps the order that a vector keeps.
        #[test]
        fn lists_keep_their_order(operations in prop::collection::vec((0u64..12, 0u8..3), 1..200)) {
            let mut pages = Pages::default();
            let mut list = List::EMPTY;
            let mut model: Vec<u64> = Vec::new();
            for (lpa, what) in operations {
                let found = pages.find(lpa);
                prop_assert_eq!(found.is_some(), model.contains(&lpa));
                if let Some(id) = found {
                    pages.unlink(&mut list, id);
                    model.retain(|&other| other != lpa);
                    if what == 0 {
                        pages.remove(id);
                        continue;
                    }
                }
                let id = found.unwrap_or_else(|| pages.add(lpa, 0, 0));
                if what == 1 {
                    pages.push_hot(&mut list, id);
                    model.push(lpa);
                } else {
                    pages.push_cold(&mut list, id);
                    model.insert(0, lpa);
                }
                let kept: Vec<u64> = pages.cold_first(&list).map(|id| pages[id].lpa).collect();
                prop_assert_eq!(&kept, &model);
                prop_assert_eq!(list.len(), model.len());
            }
        }
    }
}
