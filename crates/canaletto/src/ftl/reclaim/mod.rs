//! How a drive gets space back, which also decides where it writes.
//!
//! - [`Pages`]: a page may be anywhere in its plane. The [`Collector`] copies a victim's valid pages and erases it.
//! - [`Hybrid`]: log blocks are merged with data blocks.
//! - [`InPlace`]: every page has one place.
//! - [`Zoned`]: the host resets zones. Every page has one place.
//!
//! [`reclaim!`] calls the drive's own.

pub mod gc;
pub mod hybrid;
pub mod in_place;
pub mod pages;
pub mod zoned;

use crate::config::design::Design;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{Layout, PlaneId, Ppa};
use crate::ftl::blocks::Blocks;
use crate::ftl::mapping::Entry;
use crate::ftl::placement::Placement;
use crate::ftl::reclaim::gc::Collector;
use crate::ftl::reclaim::hybrid::Hybrid;
use crate::ftl::reclaim::in_place::InPlace;
use crate::ftl::reclaim::pages::Pages;
use crate::ftl::reclaim::zoned::Zoned;
use crate::ftl::zones::Zones;
use crate::measure::maintenance::Merges;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::{Transaction, TransactionId};

/// A way to reclaim space. By default every page has its place and nothing is copied; these methods are not inlined, so
/// that drives that collect do not carry them.
pub trait Reclaim {
    fn reclaims(&self) -> bool {
        true
    }

    fn has_places(&self) -> bool {
        false
    }

    fn place(&self, _plane: PlaneId, _lpa: u64) -> Option<Ppa> {
        None
    }

    /// Sectors that a write of `written` ones takes over from the page `old`.
    #[inline(always)]
    fn missing(&self, blocks: &Blocks, old: Ppa, written: u64, _whole: u64) -> u64 {
        blocks.sectors(old) & !written
    }

    /// Sectors of a deallocated page's unwritten `rest` that are programmed to read as zeroes.
    fn to_clear(&self, _rest: u64) -> u64 {
        0
    }

    /// A page that the mapping table does not name.
    #[inline]
    fn locate(&self, blocks: &Blocks, lpa: u64) -> Entry {
        blocks.locate(lpa).map_or(Entry::Unmapped, Entry::At)
    }

    #[inline(always)]
    fn read_begins(&mut self, blocks: &mut Blocks, at: Ppa) {
        blocks.read_begins(at);
    }

    /// Returns whether the plane may reclaim something now.
    fn read_ends(&mut self, blocks: &mut Blocks, collector: &Collector, from: Ppa) -> bool;

    #[inline(always)]
    fn program_ends(&mut self, blocks: &mut Blocks, at: Ppa) {
        blocks.program_ends(at);
    }

    /// Returns whether the plane may reclaim something now.
    #[inline(always)]
    fn invalidate(&self, blocks: &mut Blocks, at: Ppa) -> bool {
        blocks.invalidate(at);
        true
    }

    fn count_valid(&self, mapped: u64) -> u64 {
        mapped
    }

    /// None if the program has to wait.
    #[inline(never)]
    fn next_page(&self, t: &Transaction, _blocks: &Blocks) -> Option<u32> {
        Some(t.ppa.page)
    }

    #[inline(never)]
    fn has_page(&self, _t: &Transaction, _blocks: &Blocks) -> bool {
        true
    }

    /// Whether writes, among them one to `at`, get pages in the order of queueing.
    fn keeps_order(&self, _at: Ppa) -> bool {
        false
    }

    /// Whether writes that have their pages are programmed together.
    fn share_program(&self, _a: Ppa, _b: Ppa) -> bool {
        false
    }

    /// Notes the clock of the plane's time without room. Returns whether it needs some.
    fn mark_wait<P: Probe>(&self, _: &mut Blocks, _: &mut PageWork<P>, _: TransactionId, _now: Time) -> bool {
        false
    }

    /// Time without room of a transaction issued now; none if it needed none.
    fn waited<P: Probe>(&self, _: &mut Blocks, _: &PageWork<P>, _: TransactionId, _now: Time) -> Option<Time> {
        None
    }

    /// Returns the page, and whether its plane may have to reclaim.
    fn bind<P: Probe>(&mut self, _: &mut Blocks, work: &PageWork<P>, id: TransactionId, _now: Time) -> (Ppa, bool) {
        (work.transactions[id].ppa, false)
    }

    fn is_urgent(&self, _: &Collector, _: &Blocks, _planes: impl Iterator<Item = PlaneId>) -> bool {
        false
    }

    #[inline(never)]
    fn copy_done(&mut self, _collector: &mut Collector, _from: PlaneId, _within: bool) {}

    /// Returns whether others waited behind it.
    fn drop_copy(&mut self, _plane: PlaneId, _lpa: u64) -> bool {
        false
    }

    #[inline(never)]
    fn is_last_erase(&self, _collector: &mut Collector, _plane: PlaneId) -> bool {
        true
    }

    /// When collection began if it ends, and whether all planes must be looked after.
    #[inline(never)]
    fn erase_done(&mut self, _: &mut Collector, _: &mut Blocks, _plane: PlaneId, _now: Time) -> Option<(Time, bool)> {
        None
    }

    fn merges(&self) -> Option<Merges> {
        None
    }

    fn describe(&self, collector: &Collector, plane: PlaneId) -> String;
}

/// A tag of its own is read at once, which each `reclaim!` does.
#[repr(u8)]
pub enum Way {
    Pages(Pages),
    Hybrid(Hybrid),
    InPlace(InPlace),
    /// The host resets zones.
    Zoned(Zoned),
}

impl Way {
    pub fn new(design: &Design, layout: &Layout, placement: &Placement) -> Way {
        let hybrid = Hybrid::new(design, layout, placement).map(Way::Hybrid);
        let zoned = || Zones::new(design, layout).map(|zones| Way::Zoned(Zoned(Box::new(zones))));
        let others = || InPlace::new(design, layout).map(Way::InPlace).or_else(zoned);
        hybrid.or_else(others).unwrap_or(Way::Pages(Pages))
    }
}

macro_rules! reclaim {
    ($way:expr, $method:ident($($argument:expr),* $(,)?)) => {{
        use $crate::engine::rarely::cold;
        use $crate::ftl::reclaim::{Reclaim as _, Way};
        match $way {
            Way::Pages(way) => way.$method($($argument),*),
            Way::Hybrid(way) => {
                cold();
                way.$method($($argument),*)
            }
            Way::InPlace(way) => {
                cold();
                way.$method($($argument),*)
            }
            Way::Zoned(way) => {
                cold();
                way.$method($($argument),*)
            }
        }
    }};
}
pub(crate) use reclaim;
