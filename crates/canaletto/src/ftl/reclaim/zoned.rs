//! Zones: the host writes in order and resets, so that nothing is collected.

use super::Reclaim;
use super::gc::Collector;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::ftl::mapping::Entry;
use crate::ftl::zones::Zones;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};

/// Zones, whose blocks the host reclaims.
pub struct Zoned(pub Box<Zones>);

/// Writes have their pages from the beginning, and are programmed in the order in which they were queued.
impl Reclaim for Zoned {
    fn locate(&self, _blocks: &Blocks, lpa: u64) -> Entry {
        self.0.locate(lpa)
    }

    fn read_begins(&mut self, _blocks: &mut Blocks, at: Ppa) {
        self.0.read_begins(at);
    }

    fn read_ends(&mut self, _blocks: &mut Blocks, _collector: &Collector, from: Ppa) -> bool {
        self.0.read_ends(from)
    }

    fn program_ends(&mut self, _blocks: &mut Blocks, at: Ppa) {
        self.0.program_ends(at);
    }

    fn count_valid(&self, _mapped: u64) -> u64 {
        0
    }

    fn next_page(&self, t: &Transaction, _blocks: &Blocks) -> Option<u32> {
        Some(t.ppa.page)
    }

    fn has_page(&self, _t: &Transaction, _blocks: &Blocks) -> bool {
        true
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn fills_bound_pages(&self) -> bool {
        true
    }

    fn mark_wait<P: Probe>(&self, _: &mut Blocks, _: &mut PageWork<P>, _: TransactionId, _: Time) -> bool {
        false
    }

    fn waited<P: Probe>(&self, _: &mut Blocks, _: &PageWork<P>, _: TransactionId, _: Time) -> Option<Time> {
        None
    }

    fn bind<P: Probe>(
        &mut self,
        _blocks: &mut Blocks,
        work: &PageWork<P>,
        id: TransactionId,
        _now: Time,
    ) -> (Ppa, bool) {
        (work.transactions[id].ppa, false)
    }

    fn is_urgent(&self, _: &Collector, _: &Blocks, _planes: impl Iterator<Item = PlaneId>) -> bool {
        false
    }

    fn copy_done(&mut self, _collector: &mut Collector, _from: PlaneId, _within: bool) {}

    fn is_last_erase(&self, _collector: &mut Collector, _plane: PlaneId) -> bool {
        true
    }

    fn erase_done(&mut self, _: &mut Collector, _: &mut Blocks, _plane: PlaneId, _now: Time) -> Option<(Time, bool)> {
        None
    }

    fn describe(&self, _collector: &Collector, _plane: PlaneId) -> String {
        self.0.describe()
    }
}
