use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::flash::interface::Operation;
use crate::ftl::blocks::Blocks;
use crate::ftl::reclaim::gc::Collector;
use crate::ftl::reclaim::{Way, reclaim};
use crate::scheduler::queues::Readiness;
use crate::scheduler::transaction::{Flag, Origin, Transaction};

pub struct PageReadiness<'a> {
    blocks: &'a Blocks,
    layout: &'a Layout,
    collector: &'a Collector,
    way: &'a Way,
    /// What keeps a write from a plane's next page keeps all of the host's and the cache's from it.
    writes_are_alike: bool,
}

impl Readiness for PageReadiness<'_> {
    #[inline(always)]
    fn ready(&self, t: &Transaction) -> bool {
        !t.awaits_old_page()
            && match t.ppa.is_bound() {
                true => !Self::is_parity(t) || self.blocks.parity_has_come(t.ppa.plane, t.frontier),
                false => self.has_page(t) && self.fills_page(t),
            }
    }

    #[inline]
    fn waits_for_planes(&self, t: &Transaction, free: u64) -> bool {
        self.blocks.has_superblocks()
            && (!t.ppa.is_bound() || Self::is_parity(t))
            && self
                .blocks
                .goes_with(t.ppa.plane, t.line(), self.places_more(t))
                .any(|plane| free & self.bit(plane) == 0)
    }

    #[inline]
    fn page(&self, t: &Transaction) -> u32 {
        match t.ppa.is_bound() {
            true => self.layout.flash_page(t.ppa),
            false => reclaim!(self.way, next_page(t, self.blocks)).unwrap_or(0) >> self.layout.flash_shift,
        }
    }

    #[inline]
    fn is_pseudo_slc(&self, t: &Transaction) -> bool {
        match t.ppa.is_bound() {
            true => self.blocks.is_cache_block(t.ppa.plane, t.ppa.block),
            false => self.blocks.gives_cache_page(t.ppa.plane, t.frontier),
        }
    }

    #[inline]
    fn plane(&self, t: &Transaction) -> u32 {
        self.layout.plane_in_lun(t.ppa.plane)
    }

    #[inline]
    fn keeps_order(&self, t: &Transaction) -> bool {
        t.operation == Operation::Program
            && t.origin != Origin::Gc
            && (reclaim!(self.way, keeps_order(t.ppa)) || self.writes_are_alike && Self::is_like_others(t))
    }

    fn shares(&self, first: &Transaction, other: &Transaction) -> bool {
        match first.operation {
            Operation::Read => {
                self.layout.share_flash_page(first.ppa, other.ppa)
                    && first.is(Flag::Copyback) == other.is(Flag::Copyback)
                    // A unit that computes takes whole registers.
                    && first.is(Flag::Computes) == other.is(Flag::Computes)
            }
            // Parity fills its page. In superblocks pages are counted by line.
            Operation::Program if first.ppa.is_bound() => {
                reclaim!(self.way, share_program(first.ppa, other.ppa))
            }
            Operation::Program => {
                !first.ppa.is_bound()
                    && other.ppa == Ppa::unbound(first.ppa.plane)
                    && other.frontier == first.frontier
                    && self.blocks.may_share(first.line(), other.line())
                    && self.ready(other)
            }
            Operation::Erase => false,
        }
    }
}

impl<'a> PageReadiness<'a> {
    pub fn new(
        blocks: &'a Blocks,
        layout: &'a Layout,
        collector: &'a Collector,
        way: &'a Way,
        writes_are_alike: bool,
    ) -> Self {
        PageReadiness { blocks, layout, collector, way, writes_are_alike }
    }

    fn is_like_others(t: &Transaction) -> bool {
        t.origin != Origin::Mapping && !t.awaits_old_page()
    }

    /// Collection fills flash pages, so moving a block takes at most a block. In superblocks all writes do.
    #[inline(always)]
    fn fills_page(&self, t: &Transaction) -> bool {
        if let Some(fills) = self.blocks.fills_row(t.ppa.plane, t.line(), || self.places_more(t)) {
            return fills;
        }
        let pages = self.layout.pages_per_flash_page();
        if pages == 1 {
            return true;
        }
        t.origin != Origin::Gc || self.collector.fills_flash_page(t.ppa.plane, pages)
    }

    fn is_parity(t: &Transaction) -> bool {
        t.origin == Origin::Parity
    }

    /// Whether writes will come that should be programmed with this one.
    fn places_more(&self, t: &Transaction) -> bool {
        t.origin == Origin::Gc && self.collector.places_more(t.ppa.plane)
    }

    fn bit(&self, plane: PlaneId) -> u64 {
        1 << self.layout.plane_in_lun(plane)
    }

    #[inline(always)]
    fn has_page(&self, t: &Transaction) -> bool {
        reclaim!(self.way, has_page(t, self.blocks))
    }
}
