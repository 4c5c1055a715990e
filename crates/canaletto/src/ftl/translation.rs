use super::pages::Found;
use super::{Ftl, Outcome};
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::mapping::{Act, Entry, LookUp, Stored};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::measure::root_cause::Ended;
use crate::scheduler::transaction::{Flag, Transaction, TransactionId};

impl Ftl {
    /// False if the page has to wait: [`Ftl::begin_translated`] follows then.
    #[inline(always)]
    pub fn look_up<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
        self.mapping.is_ideal() || self.look_up_cached(work, id, now)
    }

    fn look_up_cached<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
        let found = self.mapping.look_up(&self.blocks, &mut work.transactions, id);
        self.act_for_table(work, now);
        found == LookUp::Hit
    }

    pub fn is_awaited<P: Probe>(&self, work: &PageWork<P>, lpa: u64) -> bool {
        self.mapping.is_awaited(lpa, &work.transactions)
    }

    fn act_for_table<P: Probe>(&mut self, work: &mut PageWork<P>, now: Time) {
        while let Some(act) = self.mapping.next_act() {
            match act {
                Act::Read { page, sectors, waiting } => self.read_translation(work, &page, sectors, waiting, now),
                Act::Write { page, merges } => self.write_translation(work, &page, merges, now),
                Act::Place(page) => {
                    if let Some(at) = self.place_translation(&page) {
                        work.probe.notify(|observer| observer.page_found(page.lpa, at));
                    }
                }
            }
        }
    }

    fn plane_of_table(&self, page: &Stored) -> PlaneId {
        self.spaces[page.table].placement.plane(page.number)
    }

    fn read_translation<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        page: &Stored,
        sectors: u64,
        waiting: TransactionId,
        now: Time,
    ) {
        let at = Ppa::unbound(self.plane_of_table(page));
        let id = work.new_page(Transaction::of_mapping(Operation::Read, page.lpa, at, sectors, now));
        if waiting.is_some() {
            work.begins_with(id, waiting);
        }
        self.begin_read(work, id, now);
    }

    pub fn translation_read<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let lpa = work.transactions[id].lpa;
        work.remove_awaited(id, Ended::Translation);
        let waiting = self.mapping.read_ends(&self.blocks, &mut work.transactions, lpa);
        let Some(mut waiting) = waiting else { return };
        self.gather();
        while waiting.is_some() {
            self.tell(Outcome::Translated(waiting));
            waiting = work.transactions[waiting].next;
        }
        self.tell(Outcome::MappingRead(lpa));
    }

    /// With its changed entries.
    pub fn merge_read_ended(&mut self) {
        self.mapping.merge_read_ended();
    }

    pub fn translated<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        work.charge_page_for(id, Ended::Translation, Cause::MappingMiss, now);
        self.begin_translated(work, id, now);
    }

    /// Once its waiters continue.
    pub fn end_translation_read<P: Probe>(&mut self, work: &mut PageWork<P>, lpa: u64, now: Time) {
        self.send_gathered(&mut work.transactions);
        if let Some(table) = self.mapping.waiters_have_gone(lpa) {
            self.act_for_table(work, now);
            self.mapping.let_go(lpa);
            self.tell(Outcome::SeatStalled(table));
        }
    }

    /// Oldest first.
    pub fn seat_stalled<P: Probe>(&mut self, work: &mut PageWork<P>, table: u16, now: Time) {
        while let Some((id, found)) = self.mapping.seat_next(&self.blocks, &mut work.transactions, usize::from(table)) {
            self.act_for_table(work, now);
            if found == LookUp::Hit {
                self.tell(Outcome::Translated(id));
                return self.tell(Outcome::SeatStalled(table));
            }
        }
    }

    /// With `merges` the unchanged entries come from the page it replaces.
    fn write_translation<P: Probe>(&mut self, work: &mut PageWork<P>, page: &Stored, merges: bool, now: Time) {
        let lpa = page.lpa;
        let (at, whole) = (Ppa::unbound(self.plane_of_table(page)), self.whole_page());
        let write = work.new_page(Transaction::of_mapping(Operation::Program, lpa, at, whole, now));
        let entry = self.mapping.get(lpa);
        let mut old = if let Entry::At(at) = entry { at } else { Ppa::NONE };
        if merges && self.mapping.is_found(lpa) {
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
        self.mapping.set(lpa, Entry::Pending(write));
        self.tell(Outcome::Outbound(write));
    }

    fn merge_translation<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
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

    pub fn translation_programmed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        work.remove_page(id);
        self.blocks.program_ends(t.ppa);
        work.probe.notify(|observer| observer.translation_programmed(now, t.lpa, t.ppa));
        debug_assert!(self.mapping.get(t.lpa) == Entry::Pending(id));
        self.mapping.set(t.lpa, Entry::At(t.ppa));
        if t.payload.old.is_bound() {
            self.blocks.invalidate(t.payload.old);
        }
        self.changed.push(t.ppa.plane);
        self.mapping.count_write();
        self.translation_write_ended(work, t.lpa, now);
    }

    /// Its plane is exhausted. Its entries stay in DRAM.
    pub fn translation_failed<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = work.transactions[id];
        work.remove_page(id);
        self.mapping.set(t.lpa, if t.payload.old.is_bound() { Entry::At(t.payload.old) } else { Entry::Trimmed });
        self.translation_write_ended(work, t.lpa, now);
    }

    fn translation_write_ended<P: Probe>(&mut self, work: &mut PageWork<P>, lpa: u64, now: Time) {
        self.mapping.write_is_over();
        self.resume_trims();
        self.mapping.write_ends(lpa);
        self.act_for_table(work, now);
        // It may have been the last use of the page.
        self.mapping.let_go(lpa);
    }

    fn place_translation(&mut self, page: &Stored) -> Option<Ppa> {
        let at = self.allocate(self.plane_of_table(page), page.frontier, page.lpa, self.whole_page())?;
        if let Entry::At(old) = self.mapping.get(page.lpa) {
            self.blocks.invalidate(old);
        }
        self.mapping.set(page.lpa, Entry::At(at));
        self.upkeep.wear.found(at);
        Some(at)
    }

    pub(super) fn place_table(&mut self) {
        for page in self.mapping.placed_at_first() {
            self.place_translation(&page);
        }
    }

    #[inline(always)]
    pub fn write_due<P: Probe>(&mut self, work: &mut PageWork<P>, now: Time) {
        while self.mapping.begin_due() {
            self.act_for_table(work, now);
        }
    }

    /// As far as the pages reclaimed (`won`) suffice.
    pub fn write_moved<P: Probe>(&mut self, work: &mut PageWork<P>, plane: PlaneId, won: u64, now: Time) {
        self.mapping.victim_is_empty(plane, won);
        while self.mapping.begin_postponed() {
            self.act_for_table(work, now);
        }
    }
}
