//! Against a list of entries in the order of their use, searched from end to end.

use super::*;
use crate::config::workload::Priority;
use crate::engine::time::Time;
use crate::flash::interface::Operation;
use crate::host::request::RequestId;
use crate::scheduler::transaction::Transaction;
use proptest::prelude::*;

const PER_PAGE: u64 = 6;
const PAGES: u64 = 45;

fn directory() -> Directory {
    Directory { first_page: 0, pages: PAGES, first_translation: PAGES, per_page: PER_PAGE }
}

#[derive(Clone, Debug)]
enum Act {
    LookUp(u64),
    Change(u64),
    Relocate(u64),
    MakeDue(u64),
    End(u64),
}

#[derive(Clone, Debug)]
struct Kept {
    lpa: u64,
    missing: bool,
    changed: bool,
    waiting: Vec<u32>,
}

#[derive(Default)]
struct Naive {
    kept: Vec<Kept>,
    work: Vec<(u64, Work)>,
    due: Vec<u64>,
    moved: Vec<u64>,
    /// No translation page on flash, no entry and no write in flight holds these.
    counts: (u64, u64),
}

impl Naive {
    fn work_on(&self, number: u64) -> Work {
        self.work.iter().find(|w| w.0 == number).map_or(Work::None, |w| w.1)
    }

    fn wanted(&self, number: u64) -> Work {
        let missing = self.kept.iter().any(|k| k.missing && k.lpa / PER_PAGE == number);
        match self.work_on(number) {
            Work::None if missing => Work::Read,
            Work::None if self.due.contains(&number) => Work::Write,
            _ => Work::None,
        }
    }

    fn make_room(&mut self, capacity: u64) -> bool {
        if (self.kept.len() as u64) < capacity {
            return true;
        }
        let Some(at) = self.kept.iter().position(|k| !k.missing) else { return false };
        let left = self.kept.remove(at);
        self.counts.0 += 1;
        if left.changed {
            self.counts.1 += 1;
            self.make_due(left.lpa / PER_PAGE);
        }
        true
    }

    fn make_due(&mut self, number: u64) {
        if !self.due.contains(&number) {
            self.due.push(number);
        }
    }

    fn read_ends(&mut self, number: u64) -> Vec<u32> {
        self.work.retain(|w| w.0 != number);
        let here = |k: &Kept| k.missing && k.lpa / PER_PAGE == number;
        let (mut came, stay): (Vec<Kept>, Vec<Kept>) = std::mem::take(&mut self.kept).into_iter().partition(here);
        let released = came.iter().flat_map(|k| k.waiting.clone()).collect();
        came.iter_mut().for_each(|k| {
            k.missing = false;
            k.waiting.clear();
        });
        self.kept = stay.into_iter().chain(came).collect();
        released
    }

    fn begin(&mut self, number: u64) -> Option<bool> {
        let wanted = self.wanted(number);
        if wanted == Work::None {
            return None;
        }
        self.work.push((number, wanted));
        if wanted == Work::Read {
            return None;
        }
        self.due.retain(|&n| n != number);
        self.moved.retain(|&n| n != number);
        let of_page = self.kept.iter_mut().filter(|k| k.lpa / PER_PAGE == number && !k.missing);
        let at_hand = of_page.map(|k| k.changed = false).count() as u64;
        Some(at_hand < directory().entries(number))
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        5 => (0..PAGES).prop_map(Act::LookUp),
        3 => (0..PAGES).prop_map(Act::Change),
        2 => (0..PAGES).prop_map(Act::Relocate),
        1 => (0..PAGES / PER_PAGE + 1).prop_map(Act::MakeDue),
        3 => (0..PAGES / PER_PAGE + 1).prop_map(Act::End),
    ];
    prop::collection::vec(act, 1..400)
}

struct Pair {
    cmt: Cmt,
    naive: Naive,
    transactions: Transactions,
    capacity: u64,
}

impl Pair {
    fn new(capacity: u64) -> Pair {
        let cmt = Cmt::new(directory(), capacity, 1);
        Pair { cmt, naive: Naive::default(), transactions: Slab::new(), capacity }
    }

    fn transaction(&mut self, lpa: u64) -> TransactionId {
        let (operation, request) = (Operation::Read, RequestId::NONE);
        let t = Transaction::of_request(operation, request, Priority::High, lpa, 1, Time::ZERO);
        self.transactions.insert(t)
    }

    fn look_up(&mut self, lpa: u64) {
        let id = self.transaction(lpa);
        if let Some(entry) = self.cmt.find(lpa) {
            let at = self.naive.kept.iter().position(|k| k.lpa == lpa).expect("the naive table has it too");
            assert_eq!(self.cmt.is_missing(entry), self.naive.kept[at].missing);
            if self.cmt.is_missing(entry) {
                self.cmt.wait(entry, id, &mut self.transactions);
                self.naive.kept[at].waiting.push(id.0);
            } else {
                self.cmt.touch(entry);
                let used = self.naive.kept.remove(at);
                self.naive.kept.push(used);
            }
            return;
        }
        let room = self.cmt.make_room(lpa);
        assert_eq!(room.is_some(), self.naive.make_room(self.capacity));
        let Some(room) = room else { return };
        self.cmt.wait(room.entry, id, &mut self.transactions);
        self.naive.kept.push(Kept { lpa, missing: true, changed: false, waiting: vec![id.0] });
        self.begin(lpa / PER_PAGE);
        if let Some(due) = room.due {
            self.begin(self.cmt.number(due));
        }
    }

    fn change(&mut self, lpa: u64) {
        let due = self.cmt.change(lpa);
        let number = lpa / PER_PAGE;
        match self.naive.kept.iter_mut().find(|k| k.lpa == lpa) {
            Some(kept) => {
                kept.changed = true;
                assert_eq!(due, None);
            }
            None => {
                assert_eq!(due.is_some(), !self.naive.due.contains(&number));
                self.naive.make_due(number);
                self.begin(number);
            }
        }
    }

    fn relocate(&mut self, lpa: u64) {
        let to_be_due = self.cmt.relocate(lpa);
        let number = lpa / PER_PAGE;
        match self.naive.kept.iter_mut().find(|k| k.lpa == lpa) {
            Some(kept) => {
                kept.changed = true;
                assert_eq!(to_be_due, None);
            }
            None => {
                let known = self.naive.due.contains(&number) || self.naive.moved.contains(&number);
                assert_eq!(to_be_due.is_some(), !known);
                if !known {
                    self.naive.moved.push(number);
                }
            }
        }
    }

    fn make_due(&mut self, number: u64) {
        let can = self.naive.moved.contains(&number);
        let Some(page) = self.cmt.page(number) else {
            assert!(!can);
            return;
        };
        assert_eq!(self.cmt.can_be_due(page), can);
        if can {
            self.cmt.make_due(page);
            self.naive.moved.retain(|&n| n != number);
            self.naive.make_due(number);
            self.begin(number);
        }
    }

    fn begin(&mut self, number: u64) {
        let wanted = self.naive.wanted(number);
        let Some(page) = self.cmt.page(number) else {
            assert_eq!(wanted, Work::None);
            return;
        };
        assert_eq!(self.cmt.wanted(page), wanted);
        let merges = self.naive.begin(number);
        match wanted {
            Work::None => {}
            Work::Read => {
                self.cmt.read_begins(page);
            }
            Work::Write => {
                let (naive, ours) = (merges.expect("a write was begun"), self.cmt.write_begins(page));
                // The entry that has just left is at hand too.
                assert!(naive || !ours);
            }
        }
    }

    fn end(&mut self, number: u64) {
        let work = self.naive.work_on(number);
        let Some(page) = self.cmt.page(number) else {
            assert_eq!(work, Work::None);
            return;
        };
        assert_eq!(self.cmt.work(page), work);
        match work {
            Work::None => return,
            Work::Read => {
                let mut released = Vec::new();
                let mut at = self.cmt.read_ends(page, false, &mut self.transactions);
                while at.is_some() {
                    released.push(at.0);
                    at = self.transactions[at].next;
                }
                assert_eq!(released, self.naive.read_ends(number));
            }
            Work::Write => {
                self.cmt.write_ends(page);
                self.naive.work.retain(|w| w.0 != number);
            }
        }
        self.begin(number);
        self.cmt.let_go(page);
    }

    fn compare(&self) {
        assert_eq!((self.cmt.counts.evictions, self.cmt.counts.dirty_evictions), self.naive.counts);
        for lpa in 0..PAGES {
            let ours = self.cmt.find(lpa).map(|e| (self.cmt.entries[e].missing, self.cmt.entries[e].changed));
            let naive = self.naive.kept.iter().find(|k| k.lpa == lpa).map(|k| (k.missing, k.changed));
            assert_eq!(ours, naive, "entry {lpa}");
        }
        for number in 0..=PAGES / PER_PAGE {
            let in_use = self.naive.kept.iter().any(|k| k.lpa / PER_PAGE == number)
                || self.naive.work_on(number) != Work::None
                || self.naive.due.contains(&number)
                || self.naive.moved.contains(&number);
            assert_eq!(self.cmt.page(number).is_some(), in_use, "translation page {number}");
        }
    }
}

proptest! {
    #[test]
    fn behaves_like_a_list(capacity in 1u64..30, acts in acts()) {
        let mut pair = Pair::new(capacity);
        for act in acts {
            match act {
                Act::LookUp(lpa) => pair.look_up(lpa),
                Act::Change(lpa) => pair.change(lpa),
                Act::Relocate(lpa) => pair.relocate(lpa),
                Act::MakeDue(number) => pair.make_due(number),
                Act::End(number) => pair.end(number),
            }
            pair.compare();
        }
    }

    #[test]
    fn neighbours_take_only_what_is_free(capacity in 1u64..20, group in 2u64..9, steps in prop::collection::vec((0..PAGES, prop::bool::ANY), 1..120)) {
        let mut cmt = Cmt::new(directory(), capacity, group);
        let mut transactions: Transactions = Slab::new();
        for (lpa, write) in steps {
            if let Some(entry) = cmt.find(lpa) {
                cmt.touch(entry);
            } else {
                let room = cmt.make_room(lpa).expect("nothing is missing");
                if let Some(due) = room.due {
                    cmt.write_begins(due);
                    cmt.write_ends(due);
                    cmt.let_go(due);
                }
                let page = cmt.entry_page(room.entry);
                let changed = (0..PAGES).filter(|&l| cmt.find(l).is_some_and(|e| cmt.entries[e].changed)).collect::<Vec<_>>();
                cmt.read_begins(page);
                cmt.read_ends(page, false, &mut transactions);
                let near = directory().group(lpa, group);
                prop_assert!(near.count() as u64 <= group);
                prop_assert!(changed.iter().all(|&l| cmt.find(l).is_some()));
                prop_assert!(!cmt.is_missing(cmt.find(lpa).unwrap()));
            }
            if write {
                cmt.change(lpa);
            }
            prop_assert!(cmt.entries.len() as u64 <= capacity);
        }
    }
}

#[test]
fn a_miss_loads_its_group() {
    let mut cmt = Cmt::new(directory(), PAGES, 4);
    let mut transactions: Transactions = Slab::new();
    let room = cmt.make_room(9).unwrap();
    let page = cmt.entry_page(room.entry);
    cmt.read_begins(page);
    cmt.read_ends(page, false, &mut transactions);
    // Its groups of four are 6 to 9, and 10 to 11.
    let loaded: Vec<u64> = (0..PAGES).filter(|&lpa| cmt.find(lpa).is_some()).collect();
    assert_eq!(loaded, [6, 7, 8, 9]);
    assert_eq!(cmt.counts.prefetched, 3);
}

#[test]
fn a_whole_page_is_written_without_being_read() {
    let mut cmt = Cmt::new(directory(), PER_PAGE, 1);
    for lpa in 0..PER_PAGE {
        let room = cmt.make_room(lpa).unwrap();
        cmt.load(room.entry);
        cmt.change(lpa);
    }
    let due = cmt.make_room(20).unwrap().due.expect("a changed entry left");
    assert_eq!(cmt.wanted(due), Work::Write);
    assert!(!cmt.write_begins(due));
    cmt.write_ends(due);
    assert_eq!(cmt.wanted(due), Work::None);
    assert!((1..PER_PAGE).all(|lpa| !cmt.entries[cmt.find(lpa).unwrap()].changed));
}
