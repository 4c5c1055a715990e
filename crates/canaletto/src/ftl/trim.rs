//! Trims: pages are forgotten, their old data become invalid.
//!
//! A piece of a trim has its entries on one translation page. With a cached mapping table a piece waits for its first
//! page's entry; its other pages change uncached entries.
//!
//! At most as many are under way as the drive has planes, because programs would pile up.

use std::collections::VecDeque;
use std::ops::Range;

use super::{Ftl, Outcome};
use crate::config::design::UnwrittenReads;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::flash::interface::Operation;
use crate::ftl::mapping::Entry;
use crate::ftl::reclaim::reclaim;
use crate::host::request::{Request, RequestId};
use crate::measure::blame::Cause;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

/// If the whole mapping table is in DRAM.
const PIECE: u64 = 4096;

#[derive(Default)]
pub struct Trims {
    /// Oldest first.
    waiting: VecDeque<RequestId>,
    /// Or have their entry and are not forgotten yet.
    looking_up: u64,
    ready: VecDeque<TransactionId>,
}

impl Ftl {
    /// Returns whether it begins now.
    ///
    /// Whole mapping units are forgotten. Parts at its ends keep their data (a deallocation is a hint: NVM Command Set
    /// §3.2.3.2).
    pub fn begin_trim(&mut self, id: RequestId, request: &mut Request) -> bool {
        let pages = self.whole_pages(request);
        let count = (pages.end - pages.start) as u32;
        (request.outstanding, request.unbegun) = (count, count);
        let waits = count > 0 && !self.trims.waiting.is_empty();
        if waits {
            self.trims.waiting.push_back(id);
        }
        !waits
    }

    pub fn next_piece(&mut self, id: RequestId, request: &mut Request) -> Option<Range<u64>> {
        let left = request.unbegun;
        if left == 0 {
            return None;
        }
        if !self.takes_trims() {
            self.trims.waiting.push_front(id);
            return None;
        }
        let end = self.whole_pages(request).end;
        let first = end - u64::from(left);
        let piece = first..end.min(self.mapping.end_of_piece(first).unwrap_or(first + PIECE));
        request.unbegun -= (piece.end - piece.start) as u32;
        request.outstanding -= (piece.end - piece.start) as u32;
        Some(piece)
    }

    fn takes_trims(&self) -> bool {
        let at_work = self.trims.looking_up + self.mapping.writes_in_flight();
        at_work < u64::from(self.layout.planes())
    }

    /// If the mapping table takes another piece.
    pub fn resume_trims(&mut self) {
        if !self.trims.waiting.is_empty() && self.takes_trims() {
            self.tell(Outcome::TrimsGoOn);
        }
    }

    pub fn next_trim(&mut self) -> Option<RequestId> {
        if self.takes_trims() { self.trims.waiting.pop_front() } else { None }
    }

    /// False if the piece has to wait: [`Ftl::next_ready_piece`] returns it then.
    pub fn look_up_piece<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        (id, request): (RequestId, &mut Request),
        piece: &Range<u64>,
        now: Time,
    ) -> bool {
        if self.mapping.is_ideal() {
            return true;
        }
        let transaction = self.new_trim(work, (id, request), piece.start, piece.end - piece.start, now);
        let is_there = self.look_up(work, transaction, now);
        if is_there {
            request.outstanding -= 1;
            work.remove_page(transaction);
        } else {
            self.trims.looking_up += 1;
        }
        is_there
    }

    /// After transactions that waited for it, so that changes of one page keep their order.
    pub fn next_ready_piece<P: Probe>(&mut self, work: &PageWork<P>) -> Option<(TransactionId, RequestId, Range<u64>)> {
        let id = self.trims.ready.pop_front()?;
        self.trims.looking_up -= 1;
        let Transaction { request, lpa, sectors, .. } = work.transactions[id];
        Some((id, request, lpa..lpa + sectors))
    }

    /// From `lpa` on: a `piece` of that many, or with 0 a single one.
    fn new_trim<P: Probe>(
        &self,
        work: &mut PageWork<P>,
        (id, request): (RequestId, &mut Request),
        lpa: u64,
        piece: u64,
        now: Time,
    ) -> TransactionId {
        request.outstanding += 1;
        let since = request.since;
        let priority = self.spaces[request.flow as usize].priority;
        let page = Transaction::of_request(Operation::Program, id, priority, lpa, 0, now);
        let page = work.new_page(Transaction { origin: Origin::Trim, sectors: piece, since, ..page });
        if since < now {
            work.charge_page(page, Cause::MappingMiss, now);
        }
        page
    }

    pub fn trim_unwritten(&mut self, pages: Range<u64>) -> u64 {
        if self.blocks.has_seeds() || !self.mapping.is_at_rest(pages.start) {
            return pages.start;
        }
        self.mapping.trim_unwritten(pages, self.rules.unwritten != UnwrittenReads::Zeroes)
    }

    /// Pages with a write in flight follow that write.
    pub fn trim_page<P: Probe>(
        &mut self,
        work: &mut PageWork<P>,
        (id, request): (RequestId, &mut Request),
        lpa: u64,
        now: Time,
    ) {
        if self.is_awaited(work, lpa) {
            let page = self.new_trim(work, (id, request), lpa, 0, now);
            self.begin_located(work, page, now);
        } else if let Entry::Pending(earlier) = self.mapping.get(lpa) {
            let page = self.new_trim(work, (id, request), lpa, 0, now);
            self.follow(work, earlier, page);
        } else {
            self.forget(work, id, lpa, now);
        }
    }

    pub fn begin_translated_trim<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let Transaction { lpa, sectors: piece, .. } = work.transactions[id];
        if piece > 0 {
            self.trims.ready.push_back(id);
            return self.tell(Outcome::TrimsGoOn);
        }
        match self.mapping.get(lpa) {
            Entry::Pending(earlier) => self.follow(work, earlier, id),
            _ => self.trim_after_write(work, id, now),
        }
    }

    fn whole_pages(&self, request: &Request) -> Range<u64> {
        let flow = &self.spaces[request.flow as usize];
        let per_page = u64::from(self.layout.sectors_per_page);
        let first = request.lba - flow.first_sector;
        let unit = self.spaces.pages_per_unit;
        let sectors = u64::from(request.sectors).min(flow.sectors - first);
        let end = (first + sectors) / per_page / unit * unit;
        let first = first.div_ceil(per_page).next_multiple_of(unit);
        flow.first_page + first..flow.first_page + end.max(first)
    }

    fn forget<P: Probe>(&mut self, work: &mut PageWork<P>, request: RequestId, lpa: u64, now: Time) {
        let entry = self.entry(lpa);
        if let Entry::At(at) = entry {
            self.invalidate(at);
        }
        match entry {
            Entry::Trimmed => {}
            // It has no entry that could change; but reads must not find data that were never written.
            Entry::Unmapped if self.rules.unwritten == UnwrittenReads::Zeroes => {}
            Entry::Unmapped => self.mapping.set(lpa, Entry::Trimmed),
            Entry::At(_) | Entry::Pending(_) => {
                self.mapping.set(lpa, Entry::Trimmed);
                self.mapping.changed(lpa);
            }
        }
        work.probe.notify(|observer| observer.page_trimmed(now, request, lpa));
    }

    fn invalidate(&mut self, at: Ppa) {
        if reclaim!(&self.way, invalidate(&mut self.blocks, at)) {
            self.changed.push(at.plane);
        }
    }

    /// It is programmed.
    pub fn trim_after_write<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let t = &work.transactions[id];
        let (lpa, request, successor) = (t.lpa, t.request, t.successor());
        self.forget(work, request, lpa, now);
        self.write_due(work, now);
        self.tell(Outcome::PageDone(id));
        if successor.is_some() {
            self.tell(Outcome::StartSuccessor(successor));
        }
    }
}
