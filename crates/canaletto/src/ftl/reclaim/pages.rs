//! Page mapping: a page may be anywhere in its plane.

use super::Reclaim;
use super::gc::Collector;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Flag, Transaction, TransactionId};

pub struct Pages;

impl Reclaim for Pages {
    #[inline(always)]
    fn read_ends(&mut self, blocks: &mut Blocks, collector: &Collector, from: Ppa) -> bool {
        blocks.read_ends(from) && collector.collects(from.plane, from.block)
    }

    #[inline]
    fn next_page(&self, t: &Transaction, blocks: &Blocks) -> Option<u32> {
        Some(blocks.next_page(t.ppa.plane, t.frontier))
    }

    #[inline(always)]
    fn has_page(&self, t: &Transaction, blocks: &Blocks) -> bool {
        blocks.has_page(t.ppa.plane, t.frontier)
    }

    #[inline(always)]
    fn mark_wait<P: Probe>(&self, blocks: &mut Blocks, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
        !work.transactions[id].ppa.is_bound() && mark_wait_of_write(blocks, work, id, now)
    }

    #[inline(always)]
    fn waited<P: Probe>(&self, blocks: &mut Blocks, work: &PageWork<P>, id: TransactionId, now: Time) -> Option<Time> {
        let &Transaction { ppa, frontier, .. } = &work.transactions[id];
        if ppa.is_bound() {
            return None;
        }
        let (_, clock) = blocks.note_stall_clock(ppa.plane, frontier, now);
        Some(clock - work.rare(id).stall_mark)
    }

    #[inline(always)]
    fn bind<P: Probe>(&mut self, blocks: &mut Blocks, work: &PageWork<P>, id: TransactionId, now: Time) -> (Ppa, bool) {
        let t = &work.transactions[id];
        let found = blocks.allocate(t.ppa.plane, t.frontier, t.lpa, t.sectors | work.rare(id).merged);
        let (at, opened) = found.expect("a write was issued without a page to write");
        blocks.program_begins(at);
        blocks.note_in_flight(at);
        blocks.note_bound(at.plane, t.line(), true);
        blocks.note_stall(at.plane, t.frontier, now);
        (at, opened)
    }

    #[inline(always)]
    fn is_urgent(&self, collector: &Collector, blocks: &Blocks, planes: impl Iterator<Item = PlaneId>) -> bool {
        // `any` is a call where the linker does not optimise.
        if collector.is_working() {
            for plane in planes {
                if collector.urgent(plane, blocks) {
                    return true;
                }
            }
        }
        false
    }

    #[inline]
    fn copy_done(&mut self, collector: &mut Collector, from: PlaneId, within: bool) {
        collector.copy_done(from, within);
    }

    fn is_last_erase(&self, collector: &mut Collector, plane: PlaneId) -> bool {
        collector.block_is_erased(plane)
    }

    fn erase_done(
        &mut self,
        collector: &mut Collector,
        blocks: &mut Blocks,
        plane: PlaneId,
        now: Time,
    ) -> Option<(Time, bool)> {
        blocks.note_stalls(plane, now);
        Some(collector.erase_done(plane, blocks, now))
    }

    fn describe(&self, collector: &Collector, plane: PlaneId) -> String {
        collector.describe(plane)
    }
}

#[inline(always)]
fn mark_wait_of_write<P: Probe>(blocks: &mut Blocks, work: &mut PageWork<P>, id: TransactionId, now: Time) -> bool {
    let Transaction { ppa: Ppa { plane, .. }, frontier, .. } = work.transactions[id];
    let (has_page, clock) = blocks.note_stall_clock(plane, frontier, now);
    if clock > Time::ZERO || work.transactions[id].is(Flag::HasRare) {
        work.rare_mut(id).stall_mark = clock;
    }
    !has_page
}
