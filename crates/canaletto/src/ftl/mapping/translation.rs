//! Which entries of the table are in DRAM: pages wait for missing ones, translation pages are read and written.
//!
//! A read, write or trim continues when its entry is cached. Changes of uncached entries make their translation page
//! due: a victim's are written together before its erase (DFTL).
//!
//! Nothing can wedge: collection waits for no translation page, and every missing entry's page is under way. Changed
//! translation pages get at most half of the pages that collection reclaims.

use std::collections::{BTreeMap, VecDeque};

use super::Mapping;
use super::cmt::{Cmt, PageId, Work};
use super::directory::{Directory, stream_of, stream_of_translation};
use super::table::Entry;
use crate::config::design::{Design, InitialTable, ReadUnit, Waiters, WriteBacks};
use crate::flash::address::PlaneId;
use crate::ftl::blocks::Blocks;
use crate::ftl::frontier::Frontier;
use crate::ftl::spaces::sector_mask;
use crate::limits::Limits;
use crate::measure::report::{MappingCounts, MappingReport};
use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    pub table: usize,
    /// Its number in the stream.
    pub number: u64,
    pub lpa: u64,
    pub frontier: Frontier,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Read {
        page: Stored,
        sectors: u64,
        waiting: TransactionId,
    },
    Write {
        page: Stored,
        /// Whether the other entries come from the page it replaces.
        merges: bool,
    },
    /// A translation page gets a place without being programmed.
    Place(Stored),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookUp {
    Hit,
    Waits,
    NoRoom,
}

/// Written sectors that entries list (`mapping.write_backs = "never-issued"`), until the entry leaves.
#[derive(Default)]
struct Listed {
    in_table: BTreeMap<u64, u64>,
    in_cache: BTreeMap<u64, u64>,
}

pub(super) struct Cached {
    directories: Vec<Directory>,
    /// By directory; none if the whole table is in DRAM.
    tables: Vec<Cmt>,
    /// Transactions for which a table has no room, as all its entries are being read.
    stalled: Vec<VecDeque<TransactionId>>,
    pages_per_entry: u64,
    read_unit: ReadUnit,
    initial: InitialTable,
    write_backs: WriteBacks,
    waiters: Waiters,
    entry_bytes: u64,
    whole_page: u64,
    cost: u64,
    listed: Listed,
    acts: VecDeque<Act>,
    due: Vec<u64>,
    moved: Vec<Vec<u64>>,
    /// Translation pages of an emptied victim, yet to be written.
    postponed: VecDeque<u64>,
    /// Pages that collection has reclaimed for translation pages.
    won: u64,
    reads: u64,
    merge_reads: u64,
    writes: u64,
    writes_in_flight: u64,
    most_writes_in_flight: u64,
}

impl Cached {
    pub fn new(design: &Design, limits: &Limits) -> Cached {
        let config = &design.mapping;
        let directories = limits.directories.clone();
        let capacity = config.entries(directories.len().max(1) as u16);
        let table = |directory: &Directory| Cmt::new(*directory, capacity, u64::from(config.entries_per_miss));
        let planes = if directories.is_empty() { 0 } else { limits.layout.planes() as usize };
        Cached {
            tables: directories.iter().map(table).collect(),
            stalled: directories.iter().map(|_| VecDeque::new()).collect(),
            directories,
            pages_per_entry: u64::from(design.pages_per_unit()),
            read_unit: config.read_unit,
            initial: config.initial_table,
            write_backs: config.write_backs,
            waiters: config.waiters,
            entry_bytes: u64::from(config.flash_entry_bytes),
            whole_page: sector_mask(0, u64::from(limits.layout.sectors_per_page)),
            cost: u64::from(limits.layout.pages_per_flash_page()),
            listed: Listed::default(),
            acts: VecDeque::new(),
            due: Vec::new(),
            moved: vec![Vec::new(); planes],
            postponed: VecDeque::new(),
            won: 0,
            reads: 0,
            merge_reads: 0,
            writes: 0,
            writes_in_flight: 0,
            most_writes_in_flight: 0,
        }
    }

    fn entry(&self, lpa: u64) -> u64 {
        lpa / self.pages_per_entry
    }

    fn stored(&self, table: usize, number: u64) -> Stored {
        let own = self.initial == InitialTable::WholePages;
        let frontier = Frontier::Translation(if own { table as u16 } else { 0 });
        Stored { table, number, lpa: self.directories[table].logical(number), frontier }
    }

    fn page_of(&self, table: usize, page: PageId) -> Stored {
        self.stored(table, self.tables[table].number(page))
    }

    fn page(&self, lpa: u64) -> Option<(usize, PageId)> {
        let table = stream_of_translation(&self.directories, lpa);
        let page = self.tables[table].page(lpa - self.directories[table].first_translation);
        page.map(|page| (table, page))
    }

    fn change(&mut self, lpa: u64, change: impl Fn(&mut Cmt, u64) -> Option<PageId>) -> Option<u64> {
        // Translation pages are found by the directory, which is in DRAM.
        if self.tables.is_empty() || lpa >= self.directories[0].first_translation {
            return None;
        }
        let entry = self.entry(lpa);
        let table = stream_of(&self.directories, entry);
        let page = change(&mut self.tables[table], entry)?;
        Some(self.page_of(table, page).lpa)
    }

    fn next_postponed(&mut self) -> Option<(usize, PageId)> {
        while let Some(&lpa) = self.postponed.front() {
            let found = self.page(lpa).filter(|&(table, page)| self.tables[table].can_be_due(page));
            if found.is_some() {
                // One page is spent for every two that are reclaimed.
                self.won = self.won.checked_sub(2 * self.cost)?;
            }
            self.postponed.pop_front();
            if found.is_some() {
                return found;
            }
        }
        self.won = 0;
        None
    }

    /// The write of a page with these `sectors`, whose entry lists `listed`, has its page.
    fn note_listed(&mut self, lpa: u64, listed: u64, sectors: u64) {
        let in_cache = &mut self.listed.in_cache;
        if listed == sectors {
            in_cache.remove(&lpa);
        } else {
            in_cache.insert(lpa, listed);
        }
    }

    fn read(&mut self, table: usize, page: PageId) {
        let waiting = self.tables[table].read_begins(page);
        let sectors = match self.read_unit {
            ReadUnit::Page => self.whole_page,
            ReadUnit::Sector => 1,
        };
        self.acts.push_back(Act::Read { page: self.page_of(table, page), sectors, waiting });
    }

    fn write(&mut self, table: usize, page: PageId) {
        let merges = self.tables[table].write_begins(page);
        self.writes_in_flight += 1;
        self.most_writes_in_flight = self.most_writes_in_flight.max(self.writes_in_flight);
        self.acts.push_back(Act::Write { page: self.page_of(table, page), merges });
    }

    /// As [`Cmt::depart`]; the page gets a new place.
    fn depart(&mut self, table: usize, page: PageId, is_stored: bool) {
        let sectors = self.tables[table].unchanged_sectors(page, self.entry_bytes);
        self.tables[table].depart(page, is_stored);
        let page = self.page_of(table, page);
        if is_stored {
            self.acts.push_back(Act::Read { page, sectors, waiting: TransactionId::NONE });
        }
        self.acts.push_back(Act::Place(page));
    }
}

impl Mapping {
    #[inline]
    pub fn is_ideal(&self) -> bool {
        self.cached.tables.is_empty()
    }

    pub fn holds(&self, lpa: u64) -> bool {
        self.cached.directories.first().is_some_and(|first| lpa >= first.first_translation)
    }

    /// The end of the pages whose entries share a translation page; none if the whole table is in DRAM.
    pub fn end_of_piece(&self, lpa: u64) -> Option<u64> {
        let cached = &self.cached;
        let entry = cached.entry(lpa);
        let directory = (!self.is_ideal()).then(|| cached.directories[stream_of(&cached.directories, entry)])?;
        Some(directory.group(entry, directory.per_page).end * cached.pages_per_entry)
    }

    pub fn is_at_rest(&self, lpa: u64) -> bool {
        if self.is_ideal() {
            return true;
        }
        let cached = &self.cached;
        let entry = cached.entry(lpa);
        let table = stream_of(&cached.directories, entry);
        cached.stalled[table].is_empty() && !cached.tables[table].is_awaited(cached.directories[table].number(entry))
    }

    pub fn is_awaited(&self, lpa: u64, transactions: &Transactions) -> bool {
        if self.is_ideal() {
            return false;
        }
        let cached = &self.cached;
        let number = cached.entry(lpa);
        let table = stream_of(&cached.directories, number);
        let cmt = &cached.tables[table];
        let is_its = |id: &TransactionId| cached.entry(transactions[*id].lpa) == number;
        cmt.find(number).is_some_and(|entry| cmt.is_missing(entry)) || cached.stalled[table].iter().any(is_its)
    }

    pub fn writes_in_flight(&self) -> u64 {
        self.cached.writes_in_flight
    }

    #[inline]
    pub fn next_act(&mut self) -> Option<Act> {
        self.cached.acts.pop_front()
    }

    pub fn look_up(&mut self, blocks: &Blocks, transactions: &mut Transactions, id: TransactionId) -> LookUp {
        let table = stream_of(&self.cached.directories, self.cached.entry(transactions[id].lpa));
        // First come, first served: changes of one page keep their order.
        let found = match self.cached.stalled[table].is_empty() {
            true => self.try_look_up(blocks, transactions, table, id),
            false => LookUp::NoRoom,
        };
        if found == LookUp::NoRoom {
            self.cached.tables[table].counts.stalls += 1;
            self.cached.stalled[table].push_back(id);
        }
        found
    }

    fn try_look_up(
        &mut self,
        blocks: &Blocks,
        transactions: &mut Transactions,
        table: usize,
        id: TransactionId,
    ) -> LookUp {
        let number = self.cached.entry(transactions[id].lpa);
        let cmt = &mut self.cached.tables[table];
        if let Some(entry) = cmt.find(number) {
            if cmt.is_missing(entry) {
                cmt.counts.misses += 1;
                cmt.counts.shared_misses += 1;
                cmt.wait(entry, id, transactions);
                return LookUp::Waits;
            }
            cmt.counts.hits += 1;
            cmt.touch(entry);
            return LookUp::Hit;
        }
        let standing = cmt.standing(number);
        let Some(room) = cmt.make_room(number) else {
            return LookUp::NoRoom;
        };
        let page = cmt.entry_page(room.entry);
        let is_stored = self.is_stored(table, page);
        let departs = self.cached.write_backs == WriteBacks::NeverIssued;
        if let Some(due) = room.due.filter(|_| departs) {
            self.keep_list(blocks, room.left);
            self.depart(table, due);
        }
        let free = !is_stored || standing.departed && !standing.arriving;
        let cmt = &mut self.cached.tables[table];
        if free {
            cmt.counts.hits += 1;
            cmt.load(room.entry);
            self.load_list(blocks, number);
        } else {
            cmt.counts.misses += 1;
            cmt.counts.shared_misses += u64::from(standing.arriving);
            cmt.wait(room.entry, id, transactions);
            if departs && !standing.arriving {
                self.cached.read(table, page);
            } else {
                self.begin_wanted(table, page);
            }
        }
        if let Some(due) = room.due.filter(|_| !departs) {
            self.begin_wanted(table, due);
        }
        if free { LookUp::Hit } else { LookUp::Waits }
    }

    /// The oldest transaction without room looks again. Returns it unless it still lacks room.
    pub fn seat_next(
        &mut self,
        blocks: &Blocks,
        transactions: &mut Transactions,
        table: usize,
    ) -> Option<(TransactionId, LookUp)> {
        let &id = self.cached.stalled[table].front()?;
        let found = self.try_look_up(blocks, transactions, table, id);
        if found == LookUp::NoRoom {
            return None;
        }
        self.cached.stalled[table].pop_front();
        Some((id, found))
    }

    /// On flash, or on its way there: see [`Ftl::translation_failed`](super::super::Ftl::translation_failed).
    fn is_stored(&self, table: usize, page: PageId) -> bool {
        match self.get(self.cached.page_of(table, page).lpa) {
            Entry::Unmapped => self.cached.initial == InitialTable::OnFlash,
            entry => entry != Entry::Trimmed,
        }
    }

    pub fn is_found(&self, lpa: u64) -> bool {
        self.get(lpa) == Entry::Unmapped && self.cached.initial == InitialTable::OnFlash
    }

    /// Translation pages on flash at the beginning, in the order of their addresses.
    pub fn placed_at_first(&self) -> Vec<Stored> {
        let cached = &self.cached;
        let tables = if cached.initial == InitialTable::WholePages { cached.directories.len() } else { 0 };
        let of_table = |table: usize| {
            let directory = &cached.directories[table];
            (0..directory.pages / directory.per_page).map(move |number| cached.stored(table, number))
        };
        (0..tables).flat_map(of_table).filter(|page| self.get(page.lpa) == Entry::Unmapped).collect()
    }

    fn begin_wanted(&mut self, table: usize, page: PageId) {
        match self.cached.tables[table].wanted(page) {
            Work::None => {}
            Work::Read => self.cached.read(table, page),
            Work::Write if self.cached.write_backs == WriteBacks::NeverIssued => self.depart(table, page),
            Work::Write => self.cached.write(table, page),
        }
    }

    fn depart(&mut self, table: usize, page: PageId) {
        let is_stored = self.is_stored(table, page);
        self.cached.depart(table, page, is_stored);
    }

    /// Returns the waiting transactions as a list.
    pub fn read_ends(&mut self, blocks: &Blocks, transactions: &mut Transactions, lpa: u64) -> Option<TransactionId> {
        let is_read = |&(table, page): &(usize, PageId)| self.cached.tables[table].work(page) == Work::Read;
        let Some((table, page)) = self.cached.page(lpa).filter(is_read) else {
            // A read for a page that is never written back has nobody waiting for it.
            self.merge_read_ended();
            return None;
        };
        self.cached.reads += 1;
        if self.cached.write_backs == WriteBacks::NeverIssued {
            let missing: Vec<u64> = self.cached.tables[table].missing(page).collect();
            missing.into_iter().for_each(|lpa| self.load_list(blocks, lpa));
        }
        let reads_first = self.cached.waiters == Waiters::ReadsFirst;
        Some(self.cached.tables[table].read_ends(page, reads_first, transactions))
    }

    pub fn merge_read_ended(&mut self) {
        self.cached.merge_reads += 1;
    }

    /// Returns the table, if transactions without room must look again.
    pub fn waiters_have_gone(&mut self, lpa: u64) -> Option<u16> {
        let (table, page) = self.cached.page(lpa)?;
        self.begin_wanted(table, page);
        Some(table as u16)
    }

    pub fn let_go(&mut self, lpa: u64) {
        if let Some((table, page)) = self.cached.page(lpa) {
            self.cached.tables[table].let_go(page);
        }
    }

    pub fn count_write(&mut self) {
        self.cached.writes += 1;
    }

    /// [`Mapping::write_ends`] follows.
    pub fn write_is_over(&mut self) {
        self.cached.writes_in_flight -= 1;
    }

    pub fn write_ends(&mut self, lpa: u64) {
        if let Some((table, page)) = self.cached.page(lpa) {
            self.cached.tables[table].write_ends(page);
            self.begin_wanted(table, page);
        }
    }

    #[inline(always)]
    pub fn listed(&self, lpa: u64) -> Option<u64> {
        let listed = &self.cached.listed.in_cache;
        if listed.is_empty() { None } else { listed.get(&lpa).copied() }
    }

    pub fn note_listed(&mut self, lpa: u64, listed: u64, sectors: u64) {
        self.cached.note_listed(lpa, listed, sectors);
    }

    fn written_sectors(&self, blocks: &Blocks, lpa: u64) -> u64 {
        if let Entry::At(at) = self.get(lpa) { blocks.sectors(at) } else { 0 }
    }

    fn keep_list(&mut self, blocks: &Blocks, lpa: u64) {
        let listed = self.cached.listed.in_cache.remove(&lpa).unwrap_or_else(|| self.written_sectors(blocks, lpa));
        self.cached.listed.in_table.insert(lpa, listed);
    }

    /// Where lists may be incomplete.
    fn load_list(&mut self, blocks: &Blocks, lpa: u64) {
        if self.cached.write_backs == WriteBacks::NeverIssued {
            let listed = self.cached.listed.in_table.get(&lpa).copied().unwrap_or(0);
            let written = self.written_sectors(blocks, lpa);
            self.cached.note_listed(lpa, listed, written);
        }
    }

    #[inline(always)]
    pub fn changed(&mut self, lpa: u64) {
        if !self.is_ideal() {
            self.entry_changed(lpa);
        }
    }

    #[inline(never)]
    fn entry_changed(&mut self, lpa: u64) {
        let due = self.cached.change(lpa, Cmt::change);
        self.cached.due.extend(due);
    }

    #[inline]
    pub fn begin_due(&mut self) -> bool {
        let Some(lpa) = self.cached.due.pop() else { return false };
        if let Some((table, page)) = self.cached.page(lpa) {
            self.begin_wanted(table, page);
        }
        true
    }

    /// Collection has moved a logical page; [`Mapping::victim_is_empty`] follows.
    pub fn moved(&mut self, lpa: u64, plane: PlaneId) {
        if let Some(page) = self.cached.change(lpa, Cmt::relocate) {
            self.cached.moved[plane.index()].push(page);
        }
    }

    /// Translation pages changed by the victim may be written, as far as its reclaimed pages (`won`) suffice.
    pub fn victim_is_empty(&mut self, plane: PlaneId, won: u64) {
        if !self.is_ideal() {
            let Cached { moved, postponed, .. } = &mut self.cached;
            postponed.extend(moved[plane.index()].drain(..).rev());
            self.cached.won += won;
        }
    }

    /// Begins to write a translation page that collection changed, if there is room.
    pub fn begin_postponed(&mut self) -> bool {
        let Some((table, page)) = self.cached.next_postponed() else { return false };
        self.cached.tables[table].make_due(page);
        self.begin_wanted(table, page);
        true
    }

    pub fn report(&self) -> Option<MappingReport> {
        let cached = &self.cached;
        let mut counts = MappingCounts::default();
        cached.tables.iter().for_each(|table| counts.add(&table.counts));
        (!self.is_ideal()).then(|| MappingReport {
            kind: "cached",
            entries: cached.tables.iter().map(Cmt::capacity).sum(),
            counts,
            translation_reads: cached.reads,
            merge_reads: cached.merge_reads,
            translation_writes: cached.writes,
            translation_writes_in_flight_max: cached.most_writes_in_flight,
        })
    }

    /// One phrase on what waits here, for a stuck run's explanation.
    pub fn describe(&self) -> String {
        let waiting: usize = self.cached.stalled.iter().map(VecDeque::len).sum();
        let writing = self.cached.writes_in_flight;
        match self.is_ideal() {
            true => String::new(),
            false => format!("; mapping: {waiting} pages wait for room, {writing} writes in flight"),
        }
    }
}
