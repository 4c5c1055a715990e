//! The cached mapping table of one stream: entries in DRAM, changed ones, and due translation pages.
//!
//! Entries leave least recently used first (DFTL). A changed one takes all changed entries of its translation page
//! along in one write.

mod lists;
#[cfg(test)]
mod tests;

use crate::engine::arena::Slab;
use crate::engine::index::Index;
use crate::flash::address::SECTOR;
use crate::flash::interface::Operation;
use crate::ftl::mapping::cmt::lists::{AGE, Entry, List, PAGE};
use crate::ftl::mapping::directory::Directory;
use crate::measure::report::MappingCounts;
use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::TransactionId;
use crate::typed_id;

typed_id!(EntryId);
typed_id!(PageId);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    None,
    Read,
    Write,
}

struct Page {
    number: u64,
    work: Work,
    due: bool,
    /// Their entries are not in the cache: a write is due, and can wait.
    moved: bool,
    /// When it became due.
    whole: bool,
    /// And were never written.
    departed: bool,
    /// Missing entries apart.
    loaded: u64,
    changed: List,
    missing: List,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    pub arriving: bool,
    pub departed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    pub entry: EntryId,
    /// Because a changed entry left.
    pub due: Option<PageId>,
    pub left: u64,
}

pub struct Cmt {
    directory: Directory,
    capacity: u64,
    group: u64,
    entries: Slab<EntryId, Entry>,
    entry_index: Index,
    ages: List,
    pages: Slab<PageId, Page>,
    page_index: Index,
    pub counts: MappingCounts,
}

impl Cmt {
    /// A miss loads `group` entries.
    pub fn new(directory: Directory, capacity: u64, group: u64) -> Cmt {
        Cmt {
            directory,
            capacity: capacity.min(directory.pages),
            group,
            entries: Slab::new(),
            entry_index: Index::default(),
            ages: List::EMPTY,
            pages: Slab::new(),
            page_index: Index::default(),
            counts: MappingCounts::default(),
        }
    }

    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    pub fn find(&self, lpa: u64) -> Option<EntryId> {
        self.entry_index.get(lpa).map(EntryId)
    }

    pub fn is_missing(&self, entry: EntryId) -> bool {
        self.entries[entry].missing
    }

    pub fn touch(&mut self, entry: EntryId) {
        lists::unlink(&mut self.ages, entry, AGE, &mut self.entries);
        lists::append(&mut self.ages, entry, AGE, &mut self.entries);
    }

    /// Until [`Cmt::load`] or [`Cmt::read_ends`]. None if transactions wait for every entry.
    pub fn make_room(&mut self, lpa: u64) -> Option<Room> {
        let (mut due, mut left) = (None, 0);
        if self.entries.len() as u64 >= self.capacity {
            let oldest = self.ages.head;
            if !oldest.is_some() {
                return None;
            }
            left = self.entries[oldest].lpa;
            due = self.evict(oldest);
        }
        let page = self.page_of(lpa);
        let entry = self.entries.insert(Entry::missing(lpa, page));
        self.entry_index.insert(lpa, entry.0);
        lists::append(&mut self.pages[page].missing, entry, PAGE, &mut self.entries);
        Some(Room { entry, due, left })
    }

    fn evict(&mut self, id: EntryId) -> Option<PageId> {
        let Entry { lpa, page, changed, .. } = self.entries[id];
        lists::unlink(&mut self.ages, id, AGE, &mut self.entries);
        self.entry_index.remove(lpa);
        self.counts.evictions += 1;
        let all = self.directory.entries(self.pages[page].number);
        let p = &mut self.pages[page];
        let whole = p.loaded == all;
        p.loaded -= 1;
        if changed {
            self.counts.dirty_evictions += 1;
            lists::unlink(&mut p.changed, id, PAGE, &mut self.entries);
            p.due = true;
            p.whole = whole && p.work == Work::None;
        }
        self.entries.remove(id);
        self.forget_if_unused(page);
        changed.then_some(page)
    }

    fn page_of(&mut self, lpa: u64) -> PageId {
        let number = self.directory.number(lpa);
        if let Some(page) = self.page_index.get(number) {
            return PageId(page);
        }
        let page = self.pages.insert(Page {
            number,
            work: Work::None,
            due: false,
            moved: false,
            whole: false,
            departed: false,
            loaded: 0,
            changed: List::EMPTY,
            missing: List::EMPTY,
        });
        self.page_index.insert(number, page.0);
        page
    }

    fn forget_if_unused(&mut self, id: PageId) {
        let p = &self.pages[id];
        let in_use = p.loaded > 0 || !p.missing.is_empty() || p.work != Work::None;
        if !in_use && !p.due && !p.moved && !p.departed {
            self.page_index.remove(p.number);
            self.pages.remove(id);
        }
    }

    pub fn entry_page(&self, entry: EntryId) -> PageId {
        self.entries[entry].page
    }

    /// If it has entries in the cache or something to be done.
    pub fn page(&self, number: u64) -> Option<PageId> {
        self.page_index.get(number).map(PageId)
    }

    pub fn is_awaited(&self, number: u64) -> bool {
        self.page(number).is_some_and(|page| !self.pages[page].missing.is_empty())
    }

    pub fn number(&self, page: PageId) -> u64 {
        self.pages[page].number
    }

    pub fn work(&self, page: PageId) -> Work {
        self.pages[page].work
    }

    pub fn standing(&self, lpa: u64) -> Standing {
        self.page(self.directory.number(lpa)).map_or_else(Standing::default, |page| {
            let p = &self.pages[page];
            Standing { arriving: p.work == Work::Read, departed: p.departed }
        })
    }

    /// Misses go first: transactions wait for them.
    pub fn wanted(&self, page: PageId) -> Work {
        let p = &self.pages[page];
        match p.work {
            Work::None if !p.missing.is_empty() => Work::Read,
            Work::None if p.due => Work::Write,
            _ => Work::None,
        }
    }

    pub fn missing(&self, page: PageId) -> impl Iterator<Item = u64> + '_ {
        let mut at = self.pages[page].missing.head;
        std::iter::from_fn(move || {
            let entry = at.is_some().then(|| &self.entries[at])?;
            at = entry.links[PAGE].after;
            Some(entry.lpa)
        })
    }

    pub fn wait(&mut self, entry: EntryId, id: TransactionId, transactions: &mut Transactions) {
        let e = &mut self.entries[entry];
        transactions[id].next = TransactionId::NONE;
        if e.last_waiting.is_some() {
            transactions[e.last_waiting].next = id;
        } else {
            e.first_waiting = id;
        }
        e.last_waiting = id;
    }

    pub fn load(&mut self, id: EntryId) {
        let page = self.entries[id].page;
        lists::unlink(&mut self.pages[page].missing, id, PAGE, &mut self.entries);
        self.arrive(id);
    }

    fn arrive(&mut self, id: EntryId) {
        let entry = &mut self.entries[id];
        entry.missing = false;
        let page = &mut self.pages[entry.page];
        page.loaded += 1;
        if entry.changed {
            lists::append(&mut page.changed, id, PAGE, &mut self.entries);
        }
        lists::append(&mut self.ages, id, AGE, &mut self.entries);
    }

    /// Returns the transaction that has waited for it longest.
    pub fn read_begins(&mut self, page: PageId) -> TransactionId {
        let page = &mut self.pages[page];
        page.work = Work::Read;
        self.entries[page.missing.head].first_waiting
    }

    /// Returns the waiting transactions: entry by entry, reads before writes if `reads_first`.
    pub fn read_ends(&mut self, page: PageId, reads_first: bool, transactions: &mut Transactions) -> TransactionId {
        self.pages[page].work = Work::None;
        if self.group > 1 {
            let mut old = self.ages.length;
            let mut id = self.pages[page].missing.head;
            while id.is_some() {
                self.prefetch(self.entries[id].lpa, page, &mut old);
                id = self.entries[id].links[PAGE].after;
            }
        }
        let (mut first, mut last) = (TransactionId::NONE, TransactionId::NONE);
        while !self.pages[page].missing.is_empty() {
            let id = self.pages[page].missing.head;
            if reads_first {
                self.put_reads_first(id, transactions);
            }
            let Entry { first_waiting, last_waiting, .. } = self.entries[id];
            self.load(id);
            let e = &mut self.entries[id];
            (e.first_waiting, e.last_waiting) = (TransactionId::NONE, TransactionId::NONE);
            match last {
                TransactionId::NONE => first = first_waiting,
                last => transactions[last].next = first_waiting,
            }
            last = last_waiting;
        }
        first
    }

    /// Into free room, or the room of unchanged `old` entries.
    fn prefetch(&mut self, lpa: u64, page: PageId, old: &mut u64) {
        for neighbour in self.directory.group(lpa, self.group) {
            if self.find(neighbour).is_some() {
                continue;
            }
            if self.entries.len() as u64 >= self.capacity {
                let oldest = self.ages.head;
                if *old == 0 || self.entries[oldest].changed {
                    return;
                }
                self.evict(oldest);
                *old -= 1;
            }
            let id = self.entries.insert(Entry::missing(neighbour, page));
            self.entry_index.insert(neighbour, id.0);
            self.arrive(id);
            self.counts.prefetched += 1;
        }
    }

    /// Takes all changed entries. Returns whether the others must be merged.
    pub fn write_begins(&mut self, page: PageId) -> bool {
        let all = self.directory.entries(self.pages[page].number);
        self.clean(page);
        let p = &mut self.pages[page];
        p.work = Work::Write;
        let at_hand = std::mem::take(&mut p.whole) || p.loaded == all;
        !at_hand
    }

    pub fn write_ends(&mut self, page: PageId) {
        self.pages[page].work = Work::None;
    }

    fn put_reads_first(&mut self, id: EntryId, transactions: &mut Transactions) {
        let mut at = self.entries[id].first_waiting;
        let mut ends = [(TransactionId::NONE, TransactionId::NONE); 2];
        while at.is_some() {
            let next = std::mem::replace(&mut transactions[at].next, TransactionId::NONE);
            let (first, last) = &mut ends[usize::from(transactions[at].operation != Operation::Read)];
            match *last {
                TransactionId::NONE => *first = at,
                last => transactions[last].next = at,
            }
            *last = at;
            at = next;
        }
        let [(first_read, last_read), (first_write, last_write)] = ends;
        if last_read.is_some() {
            transactions[last_read].next = first_write;
        }
        let e = &mut self.entries[id];
        e.first_waiting = if first_read.is_some() { first_read } else { first_write };
        e.last_waiting = if last_write.is_some() { last_write } else { last_read };
    }

    /// Cached and unchanged, `bytes` each.
    pub fn unchanged_sectors(&self, page: PageId, bytes: u64) -> u64 {
        let number = self.pages[page].number;
        let first = self.directory.first_page + number * self.directory.per_page;
        let unchanged =
            |at: &u64| self.find(first + at).is_some_and(|id| !self.entries[id].missing && !self.entries[id].changed);
        let entries = (0..self.directory.entries(number)).filter(unchanged);
        entries.fold(0, |sectors, at| sectors | 1 << (at * bytes / SECTOR))
    }

    /// Without a write; read for the merge if it `is_stored`.
    pub fn depart(&mut self, page: PageId, is_stored: bool) {
        let mut changed = Vec::new();
        let mut id = self.pages[page].changed.head;
        while id.is_some() {
            changed.push(id);
            id = self.entries[id].links[PAGE].after;
        }
        changed.sort_unstable_by_key(|&id| self.entries[id].lpa);
        changed.into_iter().for_each(|id| self.touch(id));
        self.clean(page);
        self.pages[page].departed = true;
        if is_stored {
            self.pages[page].work = Work::Read;
        }
    }

    fn clean(&mut self, page: PageId) {
        let p = &mut self.pages[page];
        (p.due, p.moved) = (false, false);
        while !p.changed.is_empty() {
            let id = p.changed.head;
            lists::unlink(&mut p.changed, id, PAGE, &mut self.entries);
            self.entries[id].changed = false;
        }
    }

    pub fn let_go(&mut self, page: PageId) {
        self.forget_if_unused(page);
    }

    /// Returns its translation page if that is now due.
    pub fn change(&mut self, lpa: u64) -> Option<PageId> {
        let page = self.change_elsewhere(lpa)?;
        (!std::mem::replace(&mut self.pages[page].due, true)).then_some(page)
    }

    /// Returns its translation page, for [`Cmt::make_due`].
    pub fn relocate(&mut self, lpa: u64) -> Option<PageId> {
        let page = self.change_elsewhere(lpa)?;
        let p = &mut self.pages[page];
        (!p.due && !std::mem::replace(&mut p.moved, true)).then_some(page)
    }

    pub fn can_be_due(&self, page: PageId) -> bool {
        self.pages[page].moved
    }

    pub fn make_due(&mut self, page: PageId) {
        let p = &mut self.pages[page];
        (p.due, p.moved) = (true, false);
    }

    fn change_elsewhere(&mut self, lpa: u64) -> Option<PageId> {
        let Some(id) = self.find(lpa) else {
            self.counts.uncached_updates += 1;
            let page = self.page_of(lpa);
            self.pages[page].whole = false;
            return Some(page);
        };
        let entry = &mut self.entries[id];
        if !entry.changed {
            entry.changed = true;
            if !entry.missing {
                lists::append(&mut self.pages[entry.page].changed, id, PAGE, &mut self.entries);
            }
        }
        None
    }
}
