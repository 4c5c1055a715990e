//! Trims: pages are forgotten, their old data become invalid.

use std::ops::Range;

use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::flash::interface::Operation;
use crate::ftl::mapping::Entry;
use crate::host::request::RequestId;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

impl Ftl {
    /// The pages that a trim forgets: whole mapping units of a request; parts of some at its ends keep their data, as NVM Express allows (a
    /// deallocation is a hint: NVM Command Set §3.2.3.2). Pages with a write in flight follow that write. Nothing waits for
    /// a missing mapping entry, unless somebody waits for it already: the translation page is due to be written instead.
    pub fn begin_trim<P: Probe>(&self, work: &mut InFlight<'_, P>, id: RequestId) -> Range<u64> {
        // One more until all pages have been looked at, so that the request does not finish meanwhile.
        work.requests[id].outstanding = 1;
        self.whole_pages(work, id)
    }

    /// Forgets a page of a request, or has it wait its turn.
    pub fn trim_page<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: RequestId, lpa: u64, now: Time) {
        if self.is_awaited(lpa) {
            let page = self.trim_later(work, id, lpa, now);
            self.begin_located(work, page, now);
        } else if let Entry::Pending(earlier) = self.map.get(lpa) {
            let page = self.trim_later(work, id, lpa, now);
            self.follow(work, earlier, page);
        } else {
            self.forget(work, id, lpa, now);
        }
    }

    /// Every page of a trim has been looked at. Returns whether none of them has to wait.
    pub fn end_trim<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: RequestId, now: Time) -> bool {
        self.write_due(work, now);
        let request = &mut work.requests[id];
        request.outstanding -= 1;
        request.outstanding == 0
    }

    /// A page of a trim that has to wait its turn.
    fn trim_later<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        id: RequestId,
        lpa: u64,
        now: Time,
    ) -> TransactionId {
        let priority = self.spaces[work.requests[id].flow as usize].priority;
        let page = Transaction::of_request(Operation::Program, id, priority, lpa, 0, now);
        work.requests[id].outstanding += 1;
        work.new_page(Transaction { origin: Origin::Trim, ..page })
    }

    /// A page of a trim waited with others for its mapping entry: those before it come first.
    pub fn begin_trim_of_page<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        match self.map.get(work.transactions[id].lpa) {
            Entry::Pending(earlier) => self.follow(work, earlier, id),
            _ => self.trim_after_write(work, id, now),
        }
    }

    /// Logical pages whose mapping units lie in a request with all their sectors.
    fn whole_pages<P: Probe>(&self, work: &InFlight<'_, P>, id: RequestId) -> Range<u64> {
        let request = &work.requests[id];
        let flow = &self.spaces[request.flow as usize];
        let per_page = u64::from(self.layout.sectors_per_page);
        let first = request.lba - flow.first_sector;
        let unit = self.spaces.pages_per_unit;
        // What runs over the end is not forgotten.
        let sectors = u64::from(request.sectors).min(flow.sectors - first);
        let end = (first + sectors) / per_page / unit * unit;
        let first = first.div_ceil(per_page).next_multiple_of(unit);
        flow.first_page + first..flow.first_page + end.max(first)
    }

    fn forget<P: Probe>(&mut self, work: &mut InFlight<'_, P>, request: RequestId, lpa: u64, now: Time) {
        if let Entry::At(at) = self.entry(lpa) {
            self.invalidate(at);
        }
        self.map.set(lpa, Entry::Trimmed);
        self.mapping_changed(lpa);
        work.probe.notify(|observer| observer.page_trimmed(now, request, lpa));
    }

    /// The data at a page are out of date. Written in place, they are gone or will be.
    fn invalidate(&mut self, at: Ppa) {
        if !self.is_in_place() {
            self.blocks.invalidate(at);
            self.changed.push(at.plane);
        }
    }

    /// The write that a trim of the same page waited for is programmed.
    pub fn trim_after_write<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, now: Time) {
        let t = &work.transactions[id];
        let (lpa, request, successor) = (t.lpa, t.request, t.successor);
        self.forget(work, request, lpa, now);
        self.write_due(work, now);
        self.tell(Outcome::PageDone(id));
        if successor.is_some() {
            self.tell(Outcome::StartSuccessor(successor));
        }
    }
}
