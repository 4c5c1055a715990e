use std::ops::{Index as At, IndexMut};

use crate::engine::arena::Slab;
use crate::engine::index::Index;
use crate::engine::time::Time;
use crate::scheduler::transaction::TransactionId;
use crate::typed_id;

typed_id!(CachedId);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Clean,
    Dirty,
    /// It may have become dirty again since.
    Flying,
}

#[derive(Clone, Copy)]
pub struct CachedPage {
    pub lpa: u64,
    pub valid: u64,
    pub dirty: u64,
    pub flying: u64,
    pub used: u64,
    /// When its newest data came to the drive, with [`Destage::Mqsim`](crate::config::cache::Destage::Mqsim).
    pub stamp: Time,
    /// Its dirty sectors are too late for this flush: later ones wait for them.
    pub epoch: u32,
    pub flying_epoch: u32,
    pub flow: u16,
    pub stream: u16,
    pub partition: u16,
    pub urgent: bool,
    pub evicted: bool,
    pub touched: bool,
    pub waiters: TransactionId,
    pub flying_waiters: TransactionId,
    next: CachedId,
    previous: CachedId,
}

impl CachedPage {
    pub fn state(&self) -> State {
        match (self.flying, self.dirty) {
            (0, 0) => State::Clean,
            (0, _) => State::Dirty,
            _ => State::Flying,
        }
    }
}

#[derive(Clone, Copy)]
pub struct List {
    head: CachedId,
    tail: CachedId,
    len: usize,
}

impl List {
    pub const EMPTY: List = List { head: CachedId::NONE, tail: CachedId::NONE, len: 0 };

    pub fn coldest(&self) -> Option<CachedId> {
        self.tail.is_some().then_some(self.tail)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[derive(Default)]
pub struct Pages {
    slab: Slab<CachedId, CachedPage>,
    index: Index,
}

impl Pages {
    pub fn is_empty(&self) -> bool {
        self.slab.is_empty()
    }

    pub fn find(&self, lpa: u64) -> Option<CachedId> {
        self.index.get(lpa).map(CachedId)
    }

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
            stream: 0,
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

    pub fn remove(&mut self, id: CachedId) {
        self.index.remove(self[id].lpa);
        self[id].urgent = false;
        self.slab.remove(id);
    }

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
