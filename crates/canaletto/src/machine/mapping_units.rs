//! Mapping units that are not a page of flash: what belongs together is found, written and left together.

use std::ops::Range;

use super::Machine;
use super::pages::Pages;
use crate::fabric::Fabric;
use crate::flash::address::Ppa;
use crate::ftl::mapping::Entry;
use crate::host::request::{Kind, RequestId};
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};
use crate::sim::time::Time;

impl<F: Fabric, P: Probe> Machine<'_, F, P> {
    /// A flash page that nobody wrote holds all of its logical pages that have no other place.
    pub(super) fn find_rest_of_page(&mut self, id: TransactionId, at: Ppa) {
        let Transaction { lpa, frontier, flow, origin, .. } = self.transactions[id];
        let pages = u64::from(self.layout.pages_per_flash_page());
        if pages == 1 || origin == Origin::Mapping {
            return;
        }
        let (first, end) = (lpa / pages * pages, self.flows[flow as usize].end_page);
        for other in (first..(first + pages).min(end)).filter(|&other| other != lpa) {
            if self.map.get(other) == Entry::Unmapped && self.blocks.locate(other).is_none() {
                let whole = self.whole_page();
                if let Some(at) = self.allocate(at.plane, frontier, other, whole) {
                    self.map.set(other, Entry::At(at));
                    self.probe.page_found(other, at);
                }
            }
        }
    }

    /// Pages around those of a write that belong to the same mapping units: they are written anew as they are.
    pub(super) fn rest_of_units(&self, pages: &Pages, id: RequestId) -> (Range<u64>, Range<u64>) {
        let (unit, request) = (self.choices.pages_per_unit, &self.requests[id]);
        let end = pages.last + 1;
        if unit == 1 || request.kind != Kind::Write {
            return (end..end, end..end);
        }
        let last = end.next_multiple_of(unit).min(self.flows[request.flow as usize].end_page);
        (pages.next / unit * unit..pages.next, end..last)
    }

    /// A page of a mapping unit holds nothing that its write would have to keep.
    pub(super) fn leave_unwritten(&mut self, id: TransactionId, now: Time) {
        let Transaction { origin, successor, .. } = self.transactions[id];
        if origin == Origin::Destage {
            self.destage_landed(id, now)
        } else {
            self.page_finished(id, now)
        }
        if successor.is_some() {
            self.start_successor(successor, now);
        }
    }

    /// Tells the watcher and the counts of a page that a write has programmed.
    pub(super) fn tell_of_program(&mut self, t: &Transaction, now: Time) {
        if t.sectors == 0 {
            // Nobody wrote it: it belongs to the unit of a page that somebody wrote.
            return self.probe.page_copied(now, t.lpa, t.old, t.ppa);
        }
        self.upkeep.host_page(now);
        let merged = if t.merged == 0 { Ppa::NONE } else { t.old };
        if t.origin == Origin::Destage {
            self.probe.page_destaged(now, t.lpa, t.sectors, t.ppa, merged);
        } else {
            self.probe.page_programmed(now, t.request, t.lpa, t.sectors, t.ppa, merged);
        }
    }
}
