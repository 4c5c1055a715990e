use crate::engine::arena::Slab;
use crate::ftl::mapping::cmt::{EntryId, PageId};
use crate::scheduler::transaction::TransactionId;

pub const AGE: usize = 0;
/// Missing entries of a translation page, or changed ones.
pub const PAGE: usize = 1;

#[derive(Clone, Copy)]
pub struct Link {
    pub before: EntryId,
    pub after: EntryId,
}

impl Link {
    const NONE: Link = Link { before: EntryId::NONE, after: EntryId::NONE };
}

#[derive(Clone, Copy)]
pub struct Entry {
    pub lpa: u64,
    pub page: PageId,
    pub links: [Link; 2],
    pub first_waiting: TransactionId,
    pub last_waiting: TransactionId,
    pub missing: bool,
    pub changed: bool,
}

impl Entry {
    pub fn missing(lpa: u64, page: PageId) -> Entry {
        Entry {
            lpa,
            page,
            links: [Link::NONE; 2],
            first_waiting: TransactionId::NONE,
            last_waiting: TransactionId::NONE,
            missing: true,
            changed: false,
        }
    }
}

#[derive(Clone, Copy)]
pub struct List {
    pub head: EntryId,
    pub tail: EntryId,
    pub length: u64,
}

impl List {
    pub const EMPTY: List = List { head: EntryId::NONE, tail: EntryId::NONE, length: 0 };

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
}

pub fn append(list: &mut List, id: EntryId, which: usize, entries: &mut Slab<EntryId, Entry>) {
    entries[id].links[which] = Link { before: list.tail, after: EntryId::NONE };
    if list.tail.is_some() {
        entries[list.tail].links[which].after = id;
    } else {
        list.head = id;
    }
    list.tail = id;
    list.length += 1;
}

pub fn unlink(list: &mut List, id: EntryId, which: usize, entries: &mut Slab<EntryId, Entry>) {
    let Link { before, after } = entries[id].links[which];
    if before.is_some() {
        entries[before].links[which].after = after;
    } else {
        list.head = after;
    }
    if after.is_some() {
        entries[after].links[which].before = before;
    } else {
        list.tail = before;
    }
    list.length -= 1;
}
