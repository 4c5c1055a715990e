//! Pages that go from the data cache to flash, and what the cache must know of those under way.

use std::ops::Range;

use super::Ftl;
use crate::cache::TrimWaits;
use crate::config::workload::Priority;
use crate::engine::in_flight::InFlight;
use crate::engine::time::Time;
use crate::ftl::mapping::Entry;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Origin, Transaction, TransactionId};

impl Ftl {
    /// The priority class of a flow.
    pub fn priority(&self, flow: u16) -> Priority {
        self.spaces[usize::from(flow)].priority
    }

    /// Whether several pages share an entry of the mapping table, so that they are written anew together.
    pub fn share_mapping_unit(&self) -> bool {
        self.rules.pages_per_unit > 1
    }

    /// The other pages that are written with one of a flow: those of its mapping unit, and, if they come from the cache's DRAM,
    /// those that its flash page has room for.
    pub fn pages_written_with(&self, flow: u16, lpa: u64, from_dram: bool) -> impl Iterator<Item = u64> + use<> {
        let shared = if from_dram { u64::from(self.layout.pages_per_flash_page()) } else { 1 };
        let together = shared.max(self.rules.pages_per_unit);
        let first = lpa / together * together;
        let all: Range<u64> = first..(first + together).min(self.spaces[usize::from(flow)].end_page);
        all.filter(move |&other| other != lpa)
    }

    /// Begins to write `sectors` of a page of the cache, which has passed the stages of the controller before `stage`.
    pub fn begin_destage<P: Probe>(
        &mut self,
        work: &mut InFlight<'_, P>,
        flow: u16,
        lpa: u64,
        sectors: u64,
        stage: u8,
        now: Time,
    ) {
        let space = &self.spaces[usize::from(flow)];
        let page =
            Transaction::of_destage(flow, space.priority, self.frontier_of_host(space.stream), lpa, sectors, now);
        let page = work.new_page(Transaction { stage, ..page });
        self.begin_located(work, page, now);
    }

    /// Whether what was read is the page's current data, and no write waits for the page's mapping entry to make them old.
    pub fn is_current(&self, read: &Transaction) -> bool {
        self.entry(read.lpa) == Entry::At(read.ppa) && !self.is_awaited(read.lpa)
    }

    /// Returns the event that a trim of a page in the cache waits for.
    pub fn trim_waits<P: Probe>(&self, work: &InFlight<'_, P>, lpa: u64) -> TrimWaits {
        match self.map.get(lpa) {
            _ if self.is_awaited(lpa) => TrimWaits::Longer,
            Entry::Pending(write) if is_landing(work, write) => TrimWaits::ForLanding,
            Entry::Pending(_) => TrimWaits::Longer,
            _ => TrimWaits::No,
        }
    }
}

/// Whether of the changes of a page that begin with `write` only one is still to be programmed, and that comes from the
/// cache. Others may follow: of other pages' writes that rewrite the whole mapping unit, or round the cache.
fn is_landing<P: Probe>(work: &InFlight<'_, P>, write: TransactionId) -> bool {
    let Transaction { origin, sectors, mut successor, .. } = work.transactions[write];
    while successor.is_some() && work.transactions[successor].origin == Origin::Trim {
        successor = work.transactions[successor].successor;
    }
    origin == Origin::Destage && sectors != 0 && !successor.is_some()
}
