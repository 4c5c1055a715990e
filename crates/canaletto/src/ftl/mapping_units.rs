//! Mapping units that are not a page of flash: what belongs together is found, written and left together.

use std::ops::Range;

use super::pages::Pages;
use super::{Ftl, Outcome};
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::flash::address::Ppa;
use crate::ftl::mapping::Entry;
use crate::host::request::{Kind, RequestId};
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

impl Ftl {
    /// A flash page that nobody wrote holds all of its logical pages that have no other place.
    pub fn find_rest_of_page<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId, at: Ppa) {
        let Transaction { lpa, frontier, flow, origin, .. } = work.transactions[id];
        let pages = u64::from(self.layout.pages_per_flash_page());
        if pages == 1 || origin == Origin::Mapping {
            return;
        }
        let (first, end) = (lpa / pages * pages, self.spaces[flow as usize].end_page);
        for other in (first..(first + pages).min(end)).filter(|&other| other != lpa) {
            if self.map.get(other) == Entry::Unmapped && self.blocks.locate(other).is_none() {
                let whole = self.whole_page();
                let beside = match self.blocks.has_superblocks() {
                    true => self.blocks.write_beside(at, other, whole),
                    false => self.allocate(at.plane, frontier.native(), other, whole),
                };
                if let Some(at) = beside {
                    self.map.set(other, Entry::At(at));
                    work.probe.page_found(other, at);
                }
            }
        }
    }

    /// Pages around those of a write that belong to the same mapping units: they are written anew as they are.
    #[inline]
    pub fn rest_of_units<P: Probe>(
        &self,
        work: &InFlight<'_, P>,
        pages: &Pages,
        id: RequestId,
    ) -> (Range<u64>, Range<u64>) {
        let (unit, request) = (self.rules.pages_per_unit, &work.requests[id]);
        if unit == 1 || request.kind != Kind::Write {
            return (0..0, 0..0);
        }
        let end = pages.last + 1;
        let last = end.next_multiple_of(unit).min(self.spaces[request.flow as usize].end_page);
        (pages.next / unit * unit..pages.next, end..last)
    }

    /// A page of a mapping unit holds nothing that its write would have to keep.
    pub fn leave_unwritten<P: Probe>(&mut self, work: &mut InFlight<'_, P>, id: TransactionId) {
        let Transaction { origin, successor, .. } = work.transactions[id];
        if origin == Origin::Destage {
            self.tell(Outcome::Destaged(id))
        } else {
            self.tell(Outcome::PageDone(id))
        }
        if successor.is_some() {
            self.tell(Outcome::StartSuccessor(successor));
        }
    }

    /// Tells the watcher and the counts of a page that a write has programmed.
    pub fn tell_of_program<P: Probe>(&mut self, work: &mut InFlight<'_, P>, t: &Transaction, now: Time) {
        if t.sectors == 0 {
            // Nobody wrote it: it belongs to the unit of a page that somebody wrote.
            return work.probe.page_copied(now, t.lpa, t.old, t.ppa);
        }
        self.maintenance.host_page(now);
        if t.pseudo_slc {
            self.maintenance.cached_page(now);
        }
        let merged = if t.merged == 0 { Ppa::NONE } else { t.old };
        if t.origin == Origin::Destage {
            work.probe.page_destaged(now, t.lpa, t.sectors, t.ppa, merged);
        } else {
            work.probe.page_programmed(now, t.request, t.lpa, t.sectors, t.ppa, merged);
        }
    }
}
