//! The cached mapping table at work: pages wait for entries that are missing, translation pages are read and written.
//!
//! A read or a write of the host goes on when its entry is in the cache, and so does a trim (`trim.rs`). An entry that changes is kept
//! there until it has to make room, and is then written with all other changed ones of its translation page. Changes of entries that
//! are not there (by garbage collection, by large trims, by a write whose entry has left meanwhile) make their translation page due:
//! those of a victim are written together when it is about to be erased (DFTL: lazy copying and batch updates).
//!
//! Nothing here can wedge: a translation page waits for a free block of its plane as user data do, garbage collection
//! waits for no translation page, and every missing entry's page is being read or written. Nor can collection keep itself
//! busy, reclaiming space that the translation pages it changes take again: they get at most half of the pages that it reclaims,
//! and what is beyond that stays in DRAM until more is reclaimed or the host's changes have the translation page written. So
//! with no host at work every collection leaves more pages free than before, which must end.

use std::collections::{BTreeMap, VecDeque};

use super::pages::Found;
use super::{Ftl, Outcome};
use crate::config::design::{Design, InitialTable, ReadUnit, Waiters, WriteBacks};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::cmt::{Cmt, Counts, PageId, Work};
use crate::ftl::directory::{Directory, stream_of, stream_of_translation};
use crate::ftl::frontier::Frontier;
use crate::ftl::mapping::Entry;
use crate::limits::Limits;
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::report::MappingReport;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{Flag, Transaction, TransactionId};

/// The cached tables of all streams, and what concerns them all.
pub struct Translation {
    directories: Vec<Directory>,
    /// One for each directory; none if the whole table is in DRAM.
    tables: Vec<Cmt>,
    /// Transactions for which a table has no room, as all its entries are being read, and those behind them.
    stalled: Vec<VecDeque<TransactionId>>,
    /// Pages of a mapping unit, which an entry is for.
    pages_per_entry: u64,
    read_unit: ReadUnit,
    initial: InitialTable,
    write_backs: WriteBacks,
    waiters: Waiters,
    entry_bytes: u64,
    listed: Listed,
    /// Translation pages made due just now.
    due: Vec<u64>,
    /// Translation pages that each plane's collection has changed.
    moved: Vec<Vec<u64>>,
    /// Translation pages whose victim has been emptied, and that are not written yet.
    postponed: VecDeque<u64>,
    /// Pages that collection has reclaimed for them.
    won: u64,
    reads: u64,
    merge_reads: u64,
    writes: u64,
    writes_in_flight: u64,
    most_writes_in_flight: u64,
}

/// Written sectors that entries list, where their pages are never written back (`mapping.write_backs = "never-issued"`). The
/// table takes the list of an entry only when that one leaves, not when it is written back with another one of its page.
#[derive(Default)]
struct Listed {
    /// Lists in the table, by logical page; all others are empty.
    in_table: BTreeMap<u64, u64>,
    /// Lists in the cache, of pages that have others than their own sectors.
    in_cache: BTreeMap<u64, u64>,
}

/// How a look-up ends.
enum LookUp {
    Hit,
    Waits,
    NoRoom,
}

impl Translation {
    pub fn new(design: &Design, limits: &Limits) -> Translation {
        let config = &design.mapping;
        let directories = limits.directories.clone();
        let capacity = config.entries(limits.streams);
        let table = |directory: &Directory| Cmt::new(*directory, capacity, u64::from(config.entries_per_miss));
        let planes = if directories.is_empty() { 0 } else { limits.layout.planes() as usize };
        Translation {
            tables: directories.iter().map(table).collect(),
            stalled: directories.iter().map(|_| VecDeque::new()).collect(),
            directories,
            pages_per_entry: u64::from(design.pages_per_unit()),
            read_unit: config.read_unit,
            initial: config.initial_table,
            write_backs: config.write_backs,
            waiters: config.waiters,
            entry_bytes: u64::from(config.flash_entry_bytes),
            listed: Listed::default(),
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

    /// Whether the whole table is in DRAM.
    pub fn is_ideal(&self) -> bool {
        self.tables.is_empty()
    }

    /// Whether a logical page is a translation page.
    pub fn holds(&self, lpa: u64) -> bool {
        self.directories.first().is_some_and(|first| lpa >= first.first_translation)
    }

    /// The number of the entry that a logical page of the host has.
    fn entry(&self, lpa: u64) -> u64 {
        lpa / self.pages_per_entry
    }

    /// The end of the pages from `lpa` on that have their entries on one translation page; none if the whole table is in DRAM.
    pub fn end_of_piece(&self, lpa: u64) -> Option<u64> {
        let entry = self.entry(lpa);
        let directory = (!self.is_ideal()).then(|| self.directories[stream_of(&self.directories, entry)])?;
        Some(directory.group(entry, directory.per_page).end * self.pages_per_entry)
    }

    /// Whether nobody waits for any entry of the translation page that has the entry of a logical page.
    pub fn is_at_rest(&self, lpa: u64) -> bool {
        if self.is_ideal() {
            return true;
        }
        let entry = self.entry(lpa);
        let table = stream_of(&self.directories, entry);
        self.stalled[table].is_empty() && !self.tables[table].is_awaited(self.directories[table].number(entry))
    }

    /// Translation pages on their way to flash.
    pub fn writes_in_flight(&self) -> u64 {
        self.writes_in_flight
    }

    /// A translation page of a table as a logical page.
    fn logical(&self, table: usize, page: PageId) -> u64 {
        self.directories[table].logical(self.tables[table].number(page))
    }

    /// The table and the page in it of a translation page given as a logical page.
    fn page(&self, lpa: u64) -> Option<(usize, PageId)> {
        let table = stream_of_translation(&self.directories, lpa);
        let page = self.tables[table].page(lpa - self.directories[table].first_translation);
        page.map(|page| (table, page))
    }

    /// Notes with `change` that the entry of a logical page has changed; returns the translation page that it returns.
    fn change(&mut self, lpa: u64, change: impl Fn(&mut Cmt, u64) -> Option<PageId>) -> Option<u64> {
        // Translation pages are found by the directory, which is in DRAM.
        if self.is_ideal() || lpa >= self.directories[0].first_translation {
            return None;
        }
        let entry = self.entry(lpa);
        let table = stream_of(&self.directories, entry);
        let page = change(&mut self.tables[table], entry)?;
        Some(self.logical(table, page))
    }

    /// The next translation page to write for what collection has moved, if `cost` pages can be had for it.
    fn next_postponed(&mut self, cost: u64) -> Option<(usize, PageId)> {
        while let Some(&lpa) = self.postponed.front() {
            let found = self.page(lpa).filter(|&(table, page)| self.tables[table].can_be_due(page));
            if found.is_some() {
                // One page is spent for every two that are reclaimed.
                self.won = self.won.checked_sub(2 * cost)?;
            }
            self.postponed.pop_front();
            if found.is_some() {
                return found;
            }
        }
        // What nobody needs is not saved up.
        self.won = 0;
        None
    }

    /// Counts of what happened, for the report.
    pub fn report(&self) -> Option<MappingReport> {
        let mut sum = Counts::default();
        self.tables.iter().for_each(|table| sum.add(&table.counts));
        let Counts { hits, misses, shared_misses, prefetched, evictions, dirty_evictions, uncached_updates, stalls } =
            sum;
        (!self.is_ideal()).then(|| MappingReport {
            kind: "cached",
            entries: self.tables.iter().map(Cmt::capacity).sum(),
            hits,
            misses,
            shared_misses,
            prefetched,
            evictions,
            dirty_evictions,
            uncached_updates,
            stalls,
            translation_reads: self.reads,
            merge_reads: self.merge_reads,
            translation_writes: self.writes,
            translation_writes_in_flight_max: self.most_writes_in_flight,
        })
    }

    /// One phrase on what waits here, for a stuck run's explanation.
    pub fn describe(&self) -> String {
        let waiting: usize = self.stalled.iter().map(VecDeque::len).sum();
        match self.is_ideal() {
            true => String::new(),
            false => format!("; mapping: {waiting} pages wait for room, {} writes in flight", self.writes_in_flight),
        }
    }
}

impl Ftl {
    /// Looks up where a page of the host is. False if it has to wait: [`Ftl::begin_translated`] follows then.
    pub fn look_up<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) -> bool {
        if self.translation.is_ideal() {
            return true;
        }
        let entry = self.translation.entry(work.transactions[id].lpa);
        let table = stream_of(&self.translation.directories, entry);
        // First come, first served: changes of one page keep their order.
        let found = match self.translation.stalled[table].is_empty() {
            true => self.try_look_up(work, table, id, now),
            false => LookUp::NoRoom,
        };
        if matches!(found, LookUp::NoRoom) {
            self.translation.tables[table].counts.stalls += 1;
            self.translation.stalled[table].push_back(id);
        }
        matches!(found, LookUp::Hit)
    }

    fn try_look_up<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        table: usize,
        id: TransactionId,
        now: Time,
    ) -> LookUp {
        let number = self.translation.entry(work.transactions[id].lpa);
        let cmt = &mut self.translation.tables[table];
        if let Some(entry) = cmt.find(number) {
            if cmt.is_missing(entry) {
                cmt.counts.misses += 1;
                cmt.counts.shared_misses += 1;
                cmt.wait(entry, id, &mut work.transactions);
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
        let departs = self.translation.write_backs == WriteBacks::NeverIssued;
        if let Some(due) = room.due.filter(|_| departs) {
            self.keep_list(room.left);
            self.depart(work, table, due, now);
        }
        let free = !is_stored || standing.departed && !standing.arriving;
        let cmt = &mut self.translation.tables[table];
        if free {
            cmt.counts.hits += 1;
            cmt.load(room.entry);
            self.load_list(number);
        } else {
            cmt.counts.misses += 1;
            cmt.counts.shared_misses += u64::from(standing.arriving);
            cmt.wait(room.entry, id, &mut work.transactions);
            if departs && !standing.arriving {
                self.read_translation(work, table, page, now);
            } else {
                self.begin_wanted(work, table, page, now);
            }
        }
        if let Some(due) = room.due.filter(|_| !departs) {
            self.begin_wanted(work, table, due, now);
        }
        if free { LookUp::Hit } else { LookUp::Waits }
    }

    /// Whether a page of the host may be waiting for the entry of a logical page.
    pub fn is_awaited<P: Probe>(&self, work: &InFlight<'_, P>, lpa: u64) -> bool {
        if self.translation.is_ideal() {
            return false;
        }
        let number = self.translation.entry(lpa);
        let table = stream_of(&self.translation.directories, number);
        let cmt = &self.translation.tables[table];
        let is_its = |id: &TransactionId| self.translation.entry(work.transactions[*id].lpa) == number;
        cmt.find(number).is_some_and(|entry| cmt.is_missing(entry))
            || self.translation.stalled[table].iter().any(is_its)
    }

    /// Whether a translation page is on flash, or on its way there. One that could not be written is not, see
    /// [`Ftl::translation_failed`].
    fn is_stored(&self, table: usize, page: PageId) -> bool {
        match self.map.get(self.translation.logical(table, page)) {
            Entry::Unmapped => self.translation.initial == InitialTable::OnFlash,
            entry => entry != Entry::Trimmed,
        }
    }

    /// Begins what a translation page wants done, if nothing is being done with it.
    fn begin_wanted<P: Probe>(&mut self, work: &mut InFlight<'_, P>, table: usize, page: PageId, now: Time) {
        match self.translation.tables[table].wanted(page) {
            Work::None => {}
            Work::Read => self.read_translation(work, table, page, now),
            Work::Write if self.translation.write_backs == WriteBacks::NeverIssued => {
                self.depart(work, table, page, now)
            }
            Work::Write => self.write_translation(work, table, page, now),
        }
    }

    /// The plane of a translation page: translation pages go round the planes as their stream's data do.
    fn translation_plane(&self, table: usize, page: PageId) -> PlaneId {
        self.spaces[table].placement.plane(self.translation.tables[table].number(page))
    }

    /// Queues the read of a translation page, of as much of it as crosses, for the request that has waited for it longest.
    fn read_translation<P: Probe>(&mut self, work: &mut InFlight<'_, P>, table: usize, page: PageId, now: Time) {
        let waiting = self.translation.tables[table].read_begins(page);
        let id = self.translation_read_of(work, table, page, now);
        let (request, began) = (work.transactions[waiting].request, work.began(waiting));
        work.transactions[id].request = request;
        work.set_began(id, began);
        self.begin_read(work, id, now);
    }

    fn translation_read_of<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        table: usize,
        page: PageId,
        now: Time,
    ) -> TransactionId {
        let lpa = self.translation.logical(table, page);
        let at = Ppa::unbound(self.translation_plane(table, page));
        let sectors = match self.translation.read_unit {
            ReadUnit::Page => self.whole_page(),
            ReadUnit::Sector => 1,
        };
        work.new_page(Transaction::of_mapping(Operation::Read, lpa, at, sectors, now))
    }

    /// A translation page is in the controller's memory: those who waited for its entries go on.
    pub fn translation_read<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        let lpa = work.transactions[id].lpa;
        work.remove_awaited(id, Ended::Translation);
        let is_read = |&(table, page): &(usize, PageId)| self.translation.tables[table].work(page) == Work::Read;
        let Some((table, page)) = self.translation.page(lpa).filter(is_read) else {
            // A read for a page that is never written back has nobody waiting for it.
            return self.merge_read_ended();
        };
        self.translation.reads += 1;
        let cmt = &mut self.translation.tables[table];
        if self.translation.write_backs == WriteBacks::NeverIssued {
            let missing: Vec<u64> = cmt.missing(page).collect();
            missing.into_iter().for_each(|lpa| self.load_list(lpa));
        }
        let cmt = &mut self.translation.tables[table];
        let reads_first = self.translation.waiters == Waiters::ReadsFirst;
        let mut waiting = cmt.read_ends(page, reads_first, &mut work.transactions);
        self.gather();
        while waiting.is_some() {
            self.tell(Outcome::Translated(waiting));
            waiting = work.transactions[waiting].next;
        }
        self.tell(Outcome::MappingRead(lpa));
    }

    /// A translation page has been read to be merged with its changed entries.
    pub fn merge_read_ended(&mut self) {
        self.translation.merge_reads += 1;
    }

    /// A page of the host, which has waited for its mapping entry, goes on.
    pub fn translated<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        work.charge_page_for(id, Ended::Translation, Cause::MappingMiss, now);
        self.begin_translated(work, id, now);
    }

    /// Begins the next operation that a translation page needs, once all who waited for it have gone on. Transactions that
    /// found no room for their entry look again.
    pub fn end_translation_read<P: Probe>(&mut self, work: &mut InFlight<'_, P>, lpa: u64, now: Time) {
        self.send_gathered(&mut work.transactions);
        let Some((table, page)) = self.translation.page(lpa) else { return };
        self.begin_wanted(work, table, page, now);
        self.translation.tables[table].let_go(page);
        self.tell(Outcome::SeatStalled(table as u16));
    }

    /// Entries have come that may leave again: transactions that found no room look again, oldest first.
    pub fn seat_stalled<P: Probe>(&mut self, work: &mut InFlight<'_, P>, table: u16, now: Time) {
        let table = usize::from(table);
        while let Some(&id) = self.translation.stalled[table].front() {
            let found = self.try_look_up(work, table, id, now);
            if matches!(found, LookUp::NoRoom) {
                return;
            }
            self.translation.stalled[table].pop_front();
            if matches!(found, LookUp::Hit) {
                self.tell(Outcome::Translated(id));
                return self.tell(Outcome::SeatStalled(table as u16));
            }
        }
    }

    /// Begins the write of a translation page with its changed entries; the others come from the page it replaces.
    fn write_translation<P: Probe>(&mut self, work: &mut InFlight<'_, P>, table: usize, page: PageId, now: Time) {
        let merges = self.translation.tables[table].write_begins(page);
        let lpa = self.translation.logical(table, page);
        let plane = self.translation_plane(table, page);
        let whole = self.whole_page();
        let write = work.new_page(Transaction::of_mapping(Operation::Program, lpa, Ppa::unbound(plane), whole, now));
        let entry = self.map.get(lpa);
        let mut old = if let Entry::At(at) = entry { at } else { Ppa::NONE };
        if entry == Entry::Unmapped && merges && self.translation.initial == InitialTable::OnFlash {
            if let Found::At(at) = self.find_unwritten(work, write, entry) {
                old = at;
            }
        }
        if old.is_bound() {
            work.transactions[write].payload.old = old;
            if merges {
                self.merge_translation(work, write, lpa, old, now);
            }
        }
        self.map.set(lpa, Entry::Pending(write));
        self.translation.writes_in_flight += 1;
        self.translation.most_writes_in_flight =
            self.translation.most_writes_in_flight.max(self.translation.writes_in_flight);
        self.tell(Outcome::Outbound(write));
    }

    fn merge_translation<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        write: TransactionId,
        lpa: u64,
        old: Ppa,
        now: Time,
    ) {
        work.transactions[write].set(Flag::AwaitsOldPage, true);
        let read = Transaction::of_mapping(Operation::Read, lpa, old, self.whole_page(), now);
        let read = work.new_page(read.for_write(write));
        self.blocks.read_begins(old);
        self.issue(work, read);
    }

    /// A translation page is programmed.
    pub fn translation_programmed<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        work.remove_page(id);
        self.blocks.program_ends(t.ppa);
        work.probe.notify(|observer| observer.translation_programmed(now, t.lpa, t.ppa));
        debug_assert!(self.map.get(t.lpa) == Entry::Pending(id));
        self.map.set(t.lpa, Entry::At(t.ppa));
        if t.payload.old.is_bound() {
            self.blocks.invalidate(t.payload.old);
        }
        self.changed.push(t.ppa.plane);
        self.translation.writes += 1;
        self.translation_write_ended(work, t.lpa, now);
    }

    /// A translation page cannot be written any more: its plane is exhausted. What it would have held stays in DRAM.
    pub fn translation_failed<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        work.remove_page(id);
        self.map.set(t.lpa, if t.payload.old.is_bound() { Entry::At(t.payload.old) } else { Entry::Trimmed });
        self.translation_write_ended(work, t.lpa, now);
    }

    fn translation_write_ended<P: Probe>(&mut self, work: &mut InFlight<'_, P>, lpa: u64, now: Time) {
        self.translation.writes_in_flight -= 1;
        self.resume_trims();
        let Some((table, page)) = self.translation.page(lpa) else { return };
        self.translation.tables[table].write_ends(page);
        self.begin_wanted(work, table, page, now);
        // A read of what could not be written has ended at once, and may have been the last use of the page.
        if let Some((table, page)) = self.translation.page(lpa) {
            self.translation.tables[table].let_go(page);
        }
    }

    /// The list of written sectors that an entry has in the cache, if that is not all of them.
    pub(super) fn listed(&self, lpa: u64) -> Option<u64> {
        self.translation.listed.in_cache.get(&lpa).copied()
    }

    /// A page with these `sectors` has been given to a write, whose entry lists `listed`.
    pub(super) fn note_listed(&mut self, lpa: u64, listed: u64, sectors: u64) {
        let in_cache = &mut self.translation.listed.in_cache;
        if listed == sectors {
            in_cache.remove(&lpa);
        } else {
            in_cache.insert(lpa, listed);
        }
    }

    /// Written sectors of a logical page.
    fn written_sectors(&self, lpa: u64) -> u64 {
        if let Entry::At(at) = self.map.get(lpa) { self.blocks.sectors(at) } else { 0 }
    }

    /// A changed entry leaves with its list.
    fn keep_list(&mut self, lpa: u64) {
        let listed = self.translation.listed.in_cache.remove(&lpa).unwrap_or_else(|| self.written_sectors(lpa));
        self.translation.listed.in_table.insert(lpa, listed);
    }

    /// An entry comes with its list, where lists may be incomplete.
    fn load_list(&mut self, lpa: u64) {
        if self.translation.write_backs == WriteBacks::NeverIssued {
            let listed = self.translation.listed.in_table.get(&lpa).copied().unwrap_or(0);
            self.note_listed(lpa, listed, self.written_sectors(lpa));
        }
    }

    /// The entries of a translation page leave without being written. The page is read all the same, to be merged, and
    /// gets a new place.
    fn depart<P: Probe>(&mut self, work: &mut InFlight<'_, P>, table: usize, page: PageId, now: Time) {
        let is_stored = self.is_stored(table, page);
        let sectors = self.translation.tables[table].unchanged_sectors(page, self.translation.entry_bytes);
        self.translation.tables[table].depart(page, is_stored);
        let (lpa, plane) = (self.translation.logical(table, page), self.translation_plane(table, page));
        if is_stored {
            let read = Transaction::of_mapping(Operation::Read, lpa, Ppa::unbound(plane), sectors, now);
            let id = work.new_page(read);
            self.begin_read(work, id, now);
        }
        self.place_translation(work, table, lpa, plane);
    }

    /// Gives a translation page the next page of its plane, if there is one, without programming it.
    fn place_translation<P: Probe>(&mut self, work: &mut InFlight<'_, P>, table: usize, lpa: u64, plane: PlaneId) {
        let Some(at) = self.allocate(plane, self.translation_frontier(table), lpa, self.whole_page()) else { return };
        if let Entry::At(old) = self.map.get(lpa) {
            self.blocks.invalidate(old);
        }
        self.map.set(lpa, Entry::At(at));
        self.upkeep.wear.found(at);
        work.probe.notify(|observer| observer.page_found(lpa, at));
    }

    /// The frontier of a table's translation pages.
    fn translation_frontier(&self, table: usize) -> Frontier {
        let own = self.translation.initial == InitialTable::WholePages;
        Frontier::Translation(if own { table as u16 } else { 0 })
    }

    /// Puts the table on flash in the order of its addresses, where the drive begins with it so.
    pub(super) fn place_table(&mut self) {
        if self.translation.initial != InitialTable::WholePages {
            return;
        }
        for (table, directory) in self.translation.directories.clone().into_iter().enumerate() {
            let frontier = self.translation_frontier(table);
            for number in 0..directory.pages / directory.per_page {
                let lpa = directory.logical(number);
                if self.map.get(lpa) != Entry::Unmapped {
                    continue;
                }
                let plane = self.spaces[table].placement.plane(number);
                if let Some(at) = self.allocate(plane, frontier, lpa, self.whole_page()) {
                    self.map.set(lpa, Entry::At(at));
                    self.upkeep.wear.found(at);
                }
            }
        }
    }

    /// The entry of a logical page has changed; [`Ftl::write_due`] must follow.
    #[inline(always)]
    pub fn mapping_changed(&mut self, lpa: u64) {
        if !self.translation.is_ideal() {
            self.entry_changed(lpa);
        }
    }

    #[inline(never)]
    fn entry_changed(&mut self, lpa: u64) {
        let due = self.translation.change(lpa, Cmt::change);
        self.translation.due.extend(due);
    }

    /// Writes the translation pages that have become due.
    pub fn write_due<P: Probe>(&mut self, work: &mut InFlight<'_, P>, now: Time) {
        while let Some(lpa) = self.translation.due.pop() {
            self.write_one(work, lpa, now);
        }
    }

    fn write_one<P: Probe>(&mut self, work: &mut InFlight<'_, P>, lpa: u64, now: Time) {
        if let Some((table, page)) = self.translation.page(lpa) {
            self.begin_wanted(work, table, page, now);
        }
    }

    /// Garbage collection has moved a logical page of a plane; [`Ftl::write_moved`] follows.
    pub fn mapping_moved(&mut self, lpa: u64, plane: PlaneId) {
        if let Some(page) = self.translation.change(lpa, Cmt::relocate) {
            self.translation.moved[plane.index()].push(page);
        }
    }

    /// Writes the translation pages that a victim's moved pages have changed, as far as the pages reclaimed from it (`won`)
    /// suffice.
    pub fn write_moved<P: Probe>(&mut self, work: &mut InFlight<'_, P>, plane: PlaneId, won: u64, now: Time) {
        if self.translation.is_ideal() {
            return;
        }
        let Translation { moved, postponed, .. } = &mut self.translation;
        postponed.extend(moved[plane.index()].drain(..).rev());
        self.translation.won += won;
        let cost = u64::from(self.layout.pages_per_flash_page());
        while let Some((table, page)) = self.translation.next_postponed(cost) {
            self.translation.tables[table].make_due(page);
            self.begin_wanted(work, table, page, now);
        }
    }
}
