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

/// A way to reclaim space. Where nothing else is said, every page has its place from the beginning and nothing is copied; these
/// methods are not put in line, where drives that collect would carry them.
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

    /// Sectors that a write of `written` ones takes over from the page `old`, of which the drive's pages have a `whole`.
    #[inline(always)]
    fn missing(&self, blocks: &Blocks, old: Ppa, written: u64, _whole: u64) -> u64 {
        blocks.sectors(old) & !written
    }

    /// Of the `rest` of a deallocated page, which is not written: sectors that must be programmed to read as zeroes.
    fn to_clear(&self, _rest: u64) -> u64 {
        0
    }

    /// The place of a page that the mapping table does not name.
    #[inline]
    fn locate(&self, blocks: &Blocks, lpa: u64) -> Entry {
        blocks.locate(lpa).map_or(Entry::Unmapped, Entry::At)
    }

    #[inline(always)]
    fn read_begins(&mut self, blocks: &mut Blocks, at: Ppa) {
        blocks.read_begins(at);
    }

    /// A page has been read. Returns whether its plane may reclaim something now.
    fn read_ends(&mut self, blocks: &mut Blocks, collector: &Collector, from: Ppa) -> bool;

    #[inline(always)]
    fn program_ends(&mut self, blocks: &mut Blocks, at: Ppa) {
        blocks.program_ends(at);
    }

    /// The data of a page are out of date. Returns whether its plane may reclaim something now.
    #[inline(always)]
    fn invalidate(&self, blocks: &mut Blocks, at: Ppa) -> bool {
        blocks.invalidate(at);
        true
    }

    /// How many valid pages blocks must hold if that many are mapped.
    fn count_valid(&self, mapped: u64) -> u64 {
        mapped
    }

    /// The number of the page that a program would get now; none if it has to wait.
    #[inline(never)]
    fn next_page(&self, t: &Transaction, _blocks: &Blocks) -> Option<u32> {
        Some(t.ppa.page)
    }

    #[inline(never)]
    fn has_page(&self, _t: &Transaction, _blocks: &Blocks) -> bool {
        true
    }

    /// Whether writes get their pages in the order in which they were queued, among which is one to `at`.
    fn keeps_order(&self, _at: Ppa) -> bool {
        false
    }

    /// Whether a write that has its page shares its flash page.
    fn fills_bound_pages(&self, _at: Ppa) -> bool {
        false
    }

    /// Notes the clock of its plane's time without room for a transaction that is queued. Returns whether it needs some.
    fn mark_wait<P: Probe>(&self, _: &mut Blocks, _: &mut PageWork<P>, _: TransactionId, _now: Time) -> bool {
        false
    }

    /// Time for which a transaction that is issued now has waited for room; none if it needed none.
    fn waited<P: Probe>(&self, _: &mut Blocks, _: &PageWork<P>, _: TransactionId, _now: Time) -> Option<Time> {
        None
    }

    /// Gives a write or a copy its page. Returns it, and whether its plane may have to reclaim something.
    fn bind<P: Probe>(&mut self, _: &mut Blocks, work: &PageWork<P>, id: TransactionId, _now: Time) -> (Ppa, bool) {
        (work.transactions[id].ppa, false)
    }

    /// Whether one of these planes must reclaim before it serves the host.
    fn is_urgent(&self, _: &Collector, _: &Blocks, _planes: impl Iterator<Item = PlaneId>) -> bool {
        false
    }

    /// The copy of a page has ended, which was one of its plane's or not.
    #[inline(never)]
    fn copy_done(&mut self, _collector: &mut Collector, _from: PlaneId, _within: bool) {}

    /// A page to be copied was overwritten before it got a page. Returns whether others have waited behind it.
    fn drop_copy(&mut self, _plane: PlaneId, _lpa: u64) -> bool {
        false
    }

    /// A block is erased. Returns whether that was the last one of its victim.
    #[inline(never)]
    fn is_last_erase(&self, _collector: &mut Collector, _plane: PlaneId) -> bool {
        true
    }

    /// A victim is erased. Returns when its collection began if that ends, and whether all planes must be looked after.
    #[inline(never)]
    fn erase_done(&mut self, _: &mut Collector, _: &mut Blocks, _plane: PlaneId, _now: Time) -> Option<(Time, bool)> {
        None
    }

    fn merges(&self) -> Option<Merges> {
        None
    }

    /// One phrase on the plane's job, for a stuck run's explanation.
    fn describe(&self, collector: &Collector, plane: PlaneId) -> String;
}

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

/// Calls a method of the way in which a drive reclaims space.
macro_rules! reclaim {
    ($way:expr, $method:ident($($argument:expr),* $(,)?)) => {{
        use $crate::ftl::reclaim::{Reclaim as _, Way};
        match $way {
            Way::Pages(way) => way.$method($($argument),*),
            Way::Hybrid(way) => way.$method($($argument),*),
            Way::InPlace(way) => way.$method($($argument),*),
            Way::Zoned(way) => way.$method($($argument),*),
        }
    }};
}
pub(crate) use reclaim;
