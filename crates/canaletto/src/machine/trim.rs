//! Trims: pages are forgotten, their old data become invalid.

use super::Machine;
use crate::fabric::Fabric;
use crate::flash::address::Ppa;
use crate::flash::interface::Operation;
use crate::ftl::mapping::Entry;
use crate::host::request::{Kind, RequestId};
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// Forgets the whole mapping units of a request; parts of some at its ends keep their data, as NVM Express allows (a
    /// deallocation is a hint: NVM Command Set §3.2.3.2). Pages with a write in flight follow that write. Nothing waits for
    /// a missing mapping entry, unless somebody waits for it already: the translation page is due to be written instead.
    pub(super) fn begin_trim(&mut self, id: RequestId, now: Time) {
        // One more until all pages have been looked at, so that the request does not finish meanwhile.
        self.requests[id].outstanding = 1;
        for lpa in self.whole_pages(id) {
            self.probe.page_begins(now, id, lpa, u64::MAX, Kind::Trim);
            self.trim_cached(id, lpa, now);
            if self.is_awaited(lpa) {
                let page = self.trim_later(id, lpa, now);
                self.begin_located(page, now);
            } else if let Entry::Pending(earlier) = self.map.get(lpa) {
                let page = self.trim_later(id, lpa, now);
                self.follow(earlier, page);
            } else {
                self.forget(id, lpa, now);
            }
        }
        self.write_due(now);
        let request = &mut self.requests[id];
        request.outstanding -= 1;
        if request.outstanding == 0 {
            self.finish(id, now);
        }
        self.room_after_trim(now);
        self.offer_paths(now);
    }

    /// A page of a trim that has to wait its turn.
    fn trim_later(&mut self, id: RequestId, lpa: u64, now: Time) -> TransactionId {
        let priority = self.flows[self.requests[id].flow as usize].priority;
        let page = Transaction::of_request(Operation::Program, id, priority, lpa, 0, now);
        self.requests[id].outstanding += 1;
        self.new_page(Transaction { origin: Origin::Trim, ..page })
    }

    /// A page of a trim waited with others for its mapping entry: those before it come first.
    pub(super) fn begin_trim_of_page(&mut self, id: TransactionId, now: Time) {
        match self.map.get(self.transactions[id].lpa) {
            Entry::Pending(earlier) => self.follow(earlier, id),
            _ => self.trim_after_write(id, now),
        }
    }

    /// Logical pages whose mapping units lie in a request with all their sectors.
    fn whole_pages(&self, id: RequestId) -> std::ops::Range<u64> {
        let request = &self.requests[id];
        let flow = &self.flows[request.flow as usize];
        let per_page = u64::from(self.layout.sectors_per_page);
        let first = request.lba - flow.first_sector;
        let unit = self.choices.pages_per_unit;
        let end = (first + u64::from(request.sectors)) / per_page / unit * unit;
        let first = first.div_ceil(per_page).next_multiple_of(unit);
        flow.first_page + first..flow.first_page + end.max(first)
    }

    fn forget(&mut self, request: RequestId, lpa: u64, now: Time) {
        if let Entry::At(at) = self.entry(lpa) {
            self.invalidate(at);
        }
        self.map.set(lpa, Entry::Trimmed);
        self.mapping_changed(lpa);
        self.probe.page_trimmed(now, request, lpa);
    }

    /// The data at a page are out of date. Written in place, they are gone or will be.
    fn invalidate(&mut self, at: Ppa) {
        if self.in_place.is_none() {
            self.blocks.invalidate(at);
            self.needs_collection.push(at.plane);
        }
    }

    /// The write that a trim of the same page waited for is programmed.
    pub(super) fn trim_after_write(&mut self, id: TransactionId, now: Time) {
        let t = &self.transactions[id];
        let (lpa, request, successor) = (t.lpa, t.request, t.successor);
        self.forget(request, lpa, now);
        self.write_due(now);
        self.page_finished(id, now);
        if successor.is_some() {
            self.start_successor(successor, now);
        }
    }
}
