//! Zones: the host writes in order and resets, so that nothing is collected. Blocks of other namespaces are.

use super::Reclaim;
use super::gc::Collector;
use super::pages::Pages;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::ftl::mapping::Entry;
use crate::ftl::zones::Zones;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};

pub struct Zoned(pub Box<Zones>);

/// Writes to zones have their pages from the beginning, and are programmed in the order of queueing.
impl Reclaim for Zoned {
    fn locate(&self, blocks: &Blocks, lpa: u64) -> Entry {
        if self.0.has_page(lpa) { self.0.locate(lpa) } else { Pages.locate(blocks, lpa) }
    }

    fn read_begins(&mut self, blocks: &mut Blocks, at: Ppa) {
        if self.0.has_block(at) { self.0.read_begins(at) } else { Pages.read_begins(blocks, at) }
    }

    fn read_ends(&mut self, blocks: &mut Blocks, collector: &Collector, from: Ppa) -> bool {
        if self.0.has_block(from) { self.0.read_ends(from) } else { Pages.read_ends(blocks, collector, from) }
    }

    fn program_ends(&mut self, blocks: &mut Blocks, at: Ppa) {
        if self.0.has_block(at) { self.0.program_ends(at) } else { Pages.program_ends(blocks, at) }
    }

    fn count_valid(&self, mapped: u64) -> u64 {
        if self.0.is_alone() { 0 } else { mapped }
    }

    fn next_page(&self, t: &Transaction, blocks: &Blocks) -> Option<u32> {
        Pages.next_page(t, blocks)
    }

    fn has_page(&self, t: &Transaction, blocks: &Blocks) -> bool {
        Pages.has_page(t, blocks)
    }

    fn keeps_order(&self, at: Ppa) -> bool {
        self.0.has_block(at)
    }

    fn share_program(&self, a: Ppa, b: Ppa) -> bool {
        self.0.has_block(a) && self.0.share_program(a, b)
    }

    fn mark_wait<P: Probe>(&self, blocks: &mut Blocks, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
        Pages.mark_wait(blocks, work, id, now)
    }

    fn waited<P: Probe>(&self, blocks: &mut Blocks, work: &PageWork<P>, id: TransactionId, now: Time) -> Option<Time> {
        Pages.waited(blocks, work, id, now)
    }

    fn bind<P: Probe>(&mut self, blocks: &mut Blocks, work: &PageWork<P>, id: TransactionId, now: Time) -> (Ppa, bool) {
        Pages.bind(blocks, work, id, now)
    }

    fn is_urgent(&self, collector: &Collector, blocks: &Blocks, planes: impl Iterator<Item = PlaneId>) -> bool {
        !self.0.is_alone() && Pages.is_urgent(collector, blocks, planes)
    }

    fn copy_done(&mut self, collector: &mut Collector, from: PlaneId, within: bool) {
        Pages.copy_done(collector, from, within);
    }

    fn is_last_erase(&self, collector: &mut Collector, plane: PlaneId) -> bool {
        Pages.is_last_erase(collector, plane)
    }

    fn erase_done(
        &mut self,
        collector: &mut Collector,
        blocks: &mut Blocks,
        plane: PlaneId,
        now: Time,
    ) -> Option<(Time, bool)> {
        Pages.erase_done(collector, blocks, plane, now)
    }

    fn describe(&self, collector: &Collector, plane: PlaneId) -> String {
        format!("{}, {}", self.0.describe(), Pages.describe(collector, plane))
    }
}
