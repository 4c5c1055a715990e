//! Between host and chips: requests become page transactions, logical pages become physical ones.

use super::{Event, Flow, Machine};
use crate::config::design::{MapUpdate, PartialWrites, UnwrittenReads};
use crate::controller::stage_cause;
use crate::fabric::Fabric;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Frontier;
use crate::ftl::mapping::Entry;
use crate::host::request::{Kind, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::mates::{Mates, bytes_of};
use crate::scheduler::transaction::{OldPage, Origin, Transaction, TransactionId};
use crate::sim::time::Time;

/// A mask of `count` sectors from `first` on.
pub(super) fn sector_mask(first: u64, count: u64) -> u64 {
    (if count == 64 { u64::MAX } else { (1 << count) - 1 }) << first
}

/// What a look-up says of a page to read.
pub(super) enum Found {
    /// Its data are here.
    At(Ppa),
    /// It holds nothing and reads as zeroes.
    Nothing,
    /// It was never written, and there is no room to find it in.
    NoRoom,
}

/// A walk over a request's pages: each logical page with its sectors.
#[derive(Clone)]
pub(super) struct Pages {
    /// The next page and the last one.
    pub next: u64,
    pub last: u64,
    /// First sector in the next page.
    at: u64,
    /// Sectors left.
    left: u64,
    per_page: u64,
}

impl Pages {
    /// Pages still to come.
    fn left_pages(&self) -> u32 {
        (self.last + 1 - self.next) as u32
    }
}

impl Iterator for Pages {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        if self.next > self.last {
            return None;
        }
        let count = self.left.min(self.per_page - self.at);
        let page = (self.next, sector_mask(self.at, count));
        self.next += 1;
        self.left -= count;
        self.at = 0;
        Some(page)
    }
}

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// First and last logical page of a request, in the mapping table's numbers.
    pub(super) fn page_range(&self, id: RequestId) -> (u64, u64) {
        let request = &self.requests[id];
        let flow = &self.flows[request.flow as usize];
        let first = request.lba - flow.first_sector;
        let last = first + u64::from(request.sectors) - 1;
        let shift = self.layout.sector_shift;
        (flow.first_page + (first >> shift), flow.first_page + (last >> shift))
    }

    /// Splits a request into pages and sends each on its way.
    pub(super) fn begin_pages(&mut self, id: RequestId, now: Time) {
        let pages = self.pages_of(id);
        let kind = self.requests[id].kind;
        let (before, after) = self.rest_of_units(&pages, id);
        self.requests[id].outstanding =
            pages.left_pages() + (before.end - before.start + after.end - after.start) as u32;
        self.gather();
        before.chain(after).for_each(|lpa| self.begin_page(id, lpa, 0, now));
        for (lpa, sectors) in pages {
            self.probe.page_begins(now, id, lpa, sectors, kind);
            self.begin_page(id, lpa, sectors, now);
        }
        self.send_gathered(now);
        self.touch_all_if_noticed();
        self.offer_paths(now);
    }

    /// A page's mapping entry is at hand.
    pub(super) fn begin_translated(&mut self, id: TransactionId, now: Time) {
        match (self.transactions[id].origin, self.transactions[id].operation) {
            (Origin::Trim, _) => self.begin_trim_of_page(id, now),
            (_, Operation::Program) => self.begin_write(id, now),
            _ => self.begin_read(id, now),
        }
    }

    /// All sectors of a page.
    pub(super) fn whole_page(&self) -> u64 {
        sector_mask(0, u64::from(self.layout.sectors_per_page))
    }

    /// The pages of a request, each with its sectors.
    pub(super) fn pages_of(&self, id: RequestId) -> Pages {
        let per_page = u64::from(self.layout.sectors_per_page);
        let (next, last) = self.page_range(id);
        let request = &self.requests[id];
        let at = (request.lba - self.flows[request.flow as usize].first_sector) & (per_page - 1);
        Pages { next, last, at, left: u64::from(request.sectors), per_page }
    }

    /// Sends one page of a request on its way to flash.
    pub(super) fn begin_page(&mut self, id: RequestId, lpa: u64, sectors: u64, now: Time) {
        let request = &self.requests[id];
        let (flow, began) = (request.flow, request.arrival);
        let Flow { priority, stream, .. } = self.flows[flow as usize];
        let write = request.kind == Kind::Write;
        let operation = if write { Operation::Program } else { Operation::Read };
        let frontier = Frontier::User(stream);
        let transaction = Transaction::of_request(operation, id, priority, lpa, sectors, now);
        let transaction = self.new_page(Transaction { flow, frontier, began, ..transaction });
        self.begin_located(transaction, now);
    }

    /// Begins a page of host data once its mapping entry is at hand.
    pub(super) fn begin_located(&mut self, id: TransactionId, now: Time) {
        if self.look_up(id, now) {
            self.begin_translated(id, now);
        }
    }

    /// The plane that a logical page belongs to.
    pub(super) fn plane_of(&self, transaction: TransactionId) -> PlaneId {
        let t = &self.transactions[transaction];
        if t.origin == Origin::Mapping {
            return t.ppa.plane;
        }
        let flow = &self.flows[t.flow as usize];
        flow.placement.plane(t.lpa - flow.first_page)
    }

    pub(super) fn begin_read(&mut self, id: TransactionId, now: Time) {
        match self.translate_read(id) {
            Found::At(at) => {
                self.transactions[id].ppa = at;
                self.begin_read_of(at);
                self.write_due(now);
                self.enqueue(id, now);
            }
            Found::Nothing if self.transactions[id].origin == Origin::Mapping => self.translation_read(id, now),
            Found::Nothing => {
                let t = self.transactions[id];
                self.probe.page_read(now, t.request, t.lpa, t.sectors, Ppa::NONE);
                self.page_finished(id, now);
            }
            Found::NoRoom => self.wait_for_room(id),
        }
    }

    /// What the mapping table says of a logical page, or else where preconditioning has put it.
    pub(super) fn entry(&self, lpa: u64) -> Entry {
        match self.map.get(lpa) {
            Entry::Unmapped if !self.translation.holds(lpa) => {
                self.blocks.locate(lpa).map_or(Entry::Unmapped, Entry::At)
            }
            entry => entry,
        }
    }

    /// Finds the page to read.
    fn translate_read(&mut self, id: TransactionId) -> Found {
        match self.entry(self.transactions[id].lpa) {
            Entry::At(ppa) => Found::At(ppa),
            Entry::Pending(write) if self.transactions[write].blank => Found::Nothing,
            Entry::Pending(write) if self.transactions[write].old.is_bound() => Found::At(self.transactions[write].old),
            Entry::Trimmed => Found::Nothing,
            Entry::Pending(_) | Entry::Unmapped => self.find_unwritten(id),
        }
    }

    /// The page of a logical page that was never written: allocated now as if written before the run.
    pub(super) fn find_unwritten(&mut self, id: TransactionId) -> Found {
        let (lpa, sectors) = (self.transactions[id].lpa, self.transactions[id].sectors);
        let sectors = match self.choices.unwritten {
            _ if self.transactions[id].origin == Origin::Mapping => self.whole_page(),
            UnwrittenReads::Zeroes => return Found::Nothing,
            UnwrittenReads::AssumeSectorsWritten => sectors,
            UnwrittenReads::AssumePageWritten => self.whole_page(),
        };
        let found = match &self.in_place {
            Some(memory) => Some(memory.place(self.plane_of(id), lpa)),
            None => self.adopt(lpa).or_else(|| self.allocate_found(id, sectors)),
        };
        let Some(at) = found else {
            return Found::NoRoom;
        };
        match self.map.get(lpa) {
            Entry::Pending(write) => self.transactions[write].old = at,
            _ => self.map.set(lpa, Entry::At(at)),
        }
        if self.choices.unwritten == UnwrittenReads::AssumeSectorsWritten {
            self.mapping_changed(lpa);
        }
        self.wear.found(at);
        self.probe.page_found(lpa, at);
        Found::At(at)
    }

    /// The place of a page for which an untouched one goes.
    fn adopt(&mut self, lpa: u64) -> Option<Ppa> {
        let (map, collector) = (&self.map, &self.collector);
        let may_go = |gone, at: Ppa| map.get(gone) == Entry::Unmapped && !collector.collects(at.plane, at.block);
        let (at, gone) = self.blocks.adopt(lpa, may_go)?;
        self.probe.page_gone(gone, at);
        Some(at)
    }

    fn allocate_found(&mut self, id: TransactionId, sectors: u64) -> Option<Ppa> {
        let t = &self.transactions[id];
        let (lpa, frontier) = (t.lpa, t.frontier);
        let plane = self.plane_to_find(id, frontier)?;
        let at = self.allocate(plane, frontier, lpa, sectors)?;
        if self.choices.unwritten == UnwrittenReads::AssumePageWritten {
            self.find_rest_of_page(id, at);
        }
        self.blocks.end_flash_page(at);
        Some(at)
    }

    pub(super) fn begin_write(&mut self, id: TransactionId, now: Time) {
        let lpa = self.transactions[id].lpa;
        if let Entry::Pending(earlier) = self.map.get(lpa) {
            return self.follow(earlier, id);
        }
        if self.translate_write(id, now) {
            self.send_data_out(id, now);
        }
    }

    /// Changes of one page keep their order: a later one starts when the earlier one is programmed.
    pub(super) fn follow(&mut self, earlier: TransactionId, id: TransactionId) {
        let mut last = earlier;
        while self.transactions[last].successor.is_some() {
            last = self.transactions[last].successor;
        }
        self.transactions[last].successor = id;
    }

    /// Finds the page a write replaces, starts the read of it that a partial write needs, and marks the logical page.
    /// Returns whether a plane was found for it; otherwise it waits for one.
    fn translate_write(&mut self, id: TransactionId, now: Time) -> bool {
        let t = self.transactions[id];
        let whole = self.whole_page();
        let entry = self.entry(t.lpa);
        let (blank, widened) = (entry == Entry::Trimmed, t.sectors == 0);
        let mut old = if let Entry::At(ppa) = entry { ppa } else { Ppa::NONE };
        if !blank && !old.is_some() && t.sectors != whole && self.choices.unwritten == UnwrittenReads::AssumePageWritten
        {
            if let Found::At(at) = self.find_unwritten(id) {
                old = at;
            }
        }
        if old.is_bound() {
            let missing = match &self.in_place {
                Some(memory) => memory.missing(t.sectors, whole),
                None => self.blocks.sectors(old) & !t.sectors,
            };
            if missing != 0 {
                self.read_old_page(id, old, missing, now);
            }
        } else {
            old = Ppa::NONE;
        }
        if widened && !old.is_bound() {
            self.leave_unwritten(id, now);
            return false;
        }
        let w = &mut self.transactions[id];
        w.old = old;
        w.blank = blank;
        if blank && self.in_place.is_some() {
            // The rest of the page, which still holds what was deallocated, must read as zeroes.
            w.merged = whole & !w.sectors;
        }
        if self.choices.partial == PartialWrites::Merged {
            w.bytes = (w.sectors | w.merged).count_ones() * 512;
        }
        self.map.set(t.lpa, Entry::Pending(id));
        let Some(plane) = self.plane_to_write(id) else {
            self.wait_for_room(id);
            return false;
        };
        self.send_to_plane(id, plane, now);
        true
    }

    /// Settles the plane that a write goes to.
    pub(super) fn send_to_plane(&mut self, id: TransactionId, plane: PlaneId, now: Time) {
        if let Some(memory) = &self.in_place {
            self.transactions[id].ppa = memory.place(plane, self.transactions[id].lpa);
            return;
        }
        self.transactions[id].ppa = Ppa::unbound(plane);
        if self.choices.map_update == MapUpdate::Issue {
            self.bind_at_once(id);
            self.write_due(now);
        }
    }

    fn read_old_page(&mut self, write: TransactionId, old: Ppa, missing: u64, now: Time) {
        let w = &mut self.transactions[write];
        w.merged = missing;
        w.old_page = OldPage::Awaited;
        let read = Transaction::of_old_page(write, w, old, missing, now);
        let read = self.new_page(read);
        self.begin_read_of(old);
        self.enqueue(read, now);
    }

    /// Gives a write its page and lets it take effect before it is programmed, if the plane has room.
    fn bind_at_once(&mut self, id: TransactionId) {
        let t = self.transactions[id];
        // With later writes of the page waiting, it stays marked until the last of them has its turn.
        if t.successor.is_some() {
            return;
        }
        if let Some(at) = self.allocate(t.ppa.plane, t.frontier, t.lpa, t.sectors | t.merged) {
            self.blocks.program_begins(at);
            self.map.set(t.lpa, Entry::At(at));
            if t.old.is_bound() {
                self.blocks.invalidate(t.old);
            }
            self.transactions[id].ppa = at;
            self.page_given(id);
            self.mapping_changed(t.lpa);
        }
    }

    /// Takes a page from a plane's frontier and looks after the plane's free blocks.
    pub(super) fn allocate(&mut self, plane: PlaneId, frontier: Frontier, lpa: u64, sectors: u64) -> Option<Ppa> {
        let (at, opened) = self.blocks.allocate(plane, frontier, lpa, sectors)?;
        if opened {
            self.needs_collection.push(plane);
        }
        Some(at)
    }

    /// A page of a host write is programmed.
    pub(super) fn write_programmed(&mut self, id: TransactionId, now: Time) {
        let t = self.transactions[id];
        if self.in_place.is_none() {
            self.blocks.program_ends(t.ppa);
        }
        self.tell_of_program(&t, now);
        if self.map.get(t.lpa) == Entry::Pending(id) {
            self.map.set(t.lpa, Entry::At(t.ppa));
            if t.old.is_bound() && self.in_place.is_none() {
                self.blocks.invalidate(t.old);
            }
            self.mapping_changed(t.lpa);
            if t.successor.is_some() {
                self.start_successor(t.successor, now);
            }
        }
        self.needs_collection.push(t.ppa.plane);
        self.write_due(now);
        if t.origin == Origin::Destage {
            self.destage_landed(id, now);
        } else {
            self.page_finished(id, now);
        }
    }

    pub(super) fn start_successor(&mut self, id: TransactionId, now: Time) {
        self.charge_page(id, Cause::SamePage, now);
        if self.transactions[id].origin == Origin::Trim {
            return self.trim_after_write(id, now);
        }
        if self.translate_write(id, now) {
            self.send_data_out(id, now);
        }
    }

    /// Sends a page on through the controller's inside: towards the host after a read, towards the chip before a write.
    pub(super) fn pass_stages(&mut self, id: TransactionId, now: Time) {
        let t = &self.transactions[id];
        let inbound = t.operation == Operation::Read;
        if t.in_vain && t.stage > 0 {
            return self.read_again(id, now);
        }
        let channel = self.layout.channel_of_plane(t.ppa.plane);
        match self.controller.pass(inbound, t.stage, channel, bytes_of(id, &self.transactions), now) {
            Some((stage, _, time)) => {
                self.transactions[id].stage = stage;
                self.events.push(time, Event::StageDone(id));
            }
            None if inbound => self.read_arrived(id, now),
            None => {
                let mut mates = Mates::of(id);
                while let Some(id) = mates.part(&mut self.transactions) {
                    self.collector.copy_lines_up(&self.transactions[id]);
                    self.enqueue(id, now);
                }
            }
        }
    }

    pub(super) fn stage_done(&mut self, id: TransactionId, now: Time) {
        let t = &self.transactions[id];
        let cause = stage_cause(t.operation == Operation::Read, t.stage);
        let mut mates = Mates::of(id);
        while let Some(id) = mates.next(&self.transactions) {
            self.charge_page(id, cause, now);
            let t = &mut self.transactions[id];
            t.stage += 1;
            // What follows the ECC engine is as it would have been without retries.
            t.retrying &= t.in_vain;
        }
        self.pass_stages(id, now);
    }

    /// A page's data are in the controller's memory.
    fn read_arrived(&mut self, id: TransactionId, now: Time) {
        match (self.transactions[id].origin, self.transactions[id].old_page) {
            (Origin::OldPage | Origin::Mapping, OldPage::For(write)) => {
                self.transactions.remove(id);
                self.transactions[write].old_page = OldPage::None;
                self.charge_page(write, Cause::ReadModifyWrite, now);
                let plane = self.transactions[write].ppa.plane;
                if plane.is_some() {
                    let unit = self.layout.unit_of(plane);
                    self.mark_wait(write, unit, now);
                    self.refresh_ready(unit);
                }
            }
            (Origin::Gc, _) => self.copy_read(id, now),
            (Origin::Mapping, _) => self.translation_read(id, now),
            _ => self.page_finished(id, now),
        }
    }

    /// One page of a request is done; the last one finishes the request, and its account is the request's.
    pub(super) fn page_finished(&mut self, page: TransactionId, now: Time) {
        self.transactions.remove(page);
        let t = &self.transactions[page];
        let id = t.request;
        let request = &mut self.requests[id];
        let flow = request.flow as usize;
        request.path_conflict |= t.path_conflict;
        request.lost += t.account.ledger.get(Cause::PathConflict);
        request.outstanding -= 1;
        if self.completed >= self.options.warmup && t.origin != Origin::Cached {
            self.flows[flow].tally.count_page(t.path_conflict, t.account.ledger.get(Cause::PathConflict));
        }
        if request.outstanding == 0 {
            debug_assert_eq!(t.account.since, now);
            request.account.ledger.add(&t.account.ledger);
            request.account.since = now;
            if self.completed >= self.options.warmup {
                self.interference.count(flow, page);
            }
            self.finish(id, now);
        }
    }
}
