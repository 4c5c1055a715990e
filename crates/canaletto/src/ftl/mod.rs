//! The flash translation layer: where pages are, where they go, and how space is reclaimed.
//!
//! - In: pages of requests to [begin](Ftl::begin_page), reads, programs and erases that have [ended](Ftl::host_page_programmed),
//!   planes to [collect](Ftl::start_collection) in.
//! - Out: [`Outcome`]s, in the order in which they must be carried out.
//! - State: mapping table and its cache, blocks, collection, history of wear, writes without room.

// Parts of the engine, no interface: what a name says needs no comment.
#![allow(missing_docs)]

pub mod blocks;
pub mod dynamic;
pub mod frontier;
pub mod maintenance;
pub mod mapping;
pub mod placement;
pub mod precondition;
pub mod reclaim;
pub mod spaces;
pub mod steady;

mod collection;
mod failures;
mod folding;
mod handles;
mod operands;
mod outbound;
mod outcomes;
mod pages;
mod parity;
mod readiness;
pub mod room;
mod translation;
mod trim;
pub mod zones;

use std::collections::BTreeSet;

pub use outcomes::{Outcome, Outcomes};
pub use readiness::PageReadiness;
pub use spaces::{Pages, sector_mask};

use crate::config::cache::Destage;
use crate::config::design::{Design, MapUpdate, PartialWrites, Scope, UnwrittenReads};
use crate::config::workload::Workload;
use crate::engine::in_flight::PageWork;
use crate::engine::time::Time;
use crate::flash::address::{Layout, LunId, PlaneId, Ppa};
use crate::ftl::blocks::{Blocks, Frontier};
use crate::ftl::folding::Folding;
use crate::ftl::handles::Handles;
use crate::ftl::maintenance::Upkeep;
use crate::ftl::maintenance::lost::Lost;
use crate::ftl::mapping::{Mapping, MappingTable};
use crate::ftl::outbound::Outbound;
use crate::ftl::parity::ParityWork;
use crate::ftl::placement::{Placement, Positions};
use crate::ftl::reclaim::gc::Collector;
use crate::ftl::reclaim::{Way, reclaim};
use crate::ftl::room::Room;
use crate::ftl::spaces::Spaces;
use crate::ftl::trim::Trims;
use crate::ftl::zones::Zones;
use crate::host::request::{Request, Status};
use crate::limits::Limits;
use crate::measure::blame::Cause;
use crate::measure::maintenance::Maintenance;
use crate::measure::probe::Probe;
use crate::measure::report::{FlashCounts, FlashReport};
use crate::scheduler::queues::Transactions;
use crate::scheduler::transaction::{Flag, Origin, Transaction, TransactionId};

struct Rules {
    unwritten: UnwrittenReads,
    map_update: MapUpdate,
    partial: PartialWrites,
    /// Erases that a block endures; 0 is any number.
    endurance: u32,
    copyback: bool,
    /// Every that many copybacks of a page one passes the controller; 0 is never.
    copyback_check_every: u32,
    /// All writes that wait for a plane get the next page of one block.
    writes_are_alike: bool,
    /// Collection works plane by plane and page by page.
    planes_are_apart: bool,
}

pub struct Contents {
    pub map: MappingTable,
    pub blocks: Blocks,
}

pub struct Ftl {
    layout: Layout,
    rules: Rules,
    pub spaces: Spaces,
    pub mapping: Mapping,
    trims: Trims,
    blocks: Blocks,
    collector: Collector,
    way: Way,
    pub room: Room,
    /// Planes of each column whose copies wait for another chip's register.
    awaiting_register: Vec<Vec<PlaneId>>,
    columns_kept: bool,
    /// Planes to look at before the next event.
    changed: Vec<PlaneId>,
    outbound: Outbound,
    /// Pages with an address that are not programmed, unless the cache keeps them.
    unprogrammed: Option<BTreeSet<u64>>,
    pub upkeep: Upkeep,
    pub folding: Folding,
    maintenance: Maintenance,
    streams: u16,
    handles: Option<Box<Handles>>,
    spent: u64,
    /// Writes that failed for good; their logical page keeps what it held.
    given_up: u64,
    uncorrectable: u64,
    pub parity: ParityWork,
    pub lost: Lost,
    outcomes: Outcomes,
}

impl Ftl {
    pub fn new(design: &Design, workload: &Workload, limits: &Limits, contents: Contents, seed: u64) -> Self {
        let layout = limits.layout.clone();
        let everywhere = Placement::new(&layout, design.ftl.allocation, &Positions::all(&layout));
        let has_parity = contents.blocks.has_parity();
        let way = Way::new(design, &layout, &everywhere);
        let writes_are_alike = matches!(way, Way::Pages(_))
            && limits.streams == 1
            && design.ftl.map_update != MapUpdate::Issue
            && !design.flash.pslc.is_on()
            && !(has_parity || contents.blocks.has_superblocks());
        let planes_are_apart = matches!(way, Way::Pages(_))
            && design.gc.scope == Scope::Plane
            && layout.pages_per_flash_page() == 1
            && !(design.flash.pslc.is_on() || contents.blocks.has_superblocks());
        let mut ftl = Ftl {
            rules: Rules {
                unwritten: design.ftl.unwritten_reads,
                map_update: design.ftl.map_update,
                partial: design.ftl.partial_writes,
                endurance: design.wear.endurance,
                copyback: design.gc.copyback,
                copyback_check_every: design.gc.copyback_check_every,
                writes_are_alike,
                planes_are_apart,
            },
            spaces: Spaces::new(design, workload, limits),
            mapping: Mapping::new(design, limits, contents.map),
            trims: Trims::default(),
            blocks: contents.blocks,
            collector: Collector::new(&design.gc, &design.wear, limits, seed),
            way,
            room: Room::new(design, limits),
            awaiting_register: vec![Vec::new(); layout.chips_per_channel as usize],
            columns_kept: false,
            changed: Vec::new(),
            outbound: Outbound::new(&layout),
            unprogrammed: (design.cache.destage == Destage::Mqsim && limits.cache_pages > 0).then(BTreeSet::new),
            upkeep: Upkeep::new(design, &layout),
            folding: Folding::new(&design.flash.pslc),
            maintenance: Maintenance::default(),
            streams: limits.streams,
            handles: Handles::new(design).map(Box::new),
            spent: 0,
            given_up: 0,
            uncorrectable: 0,
            parity: ParityWork::default(),
            lost: Lost::new(has_parity),
            outcomes: Outcomes::default(),
            layout,
        };
        ftl.place_table();
        ftl
    }

    pub fn into_contents(self) -> Contents {
        Contents { map: self.mapping.into_table(), blocks: self.blocks }
    }

    pub fn announce_pages<P: Probe>(&self, work: &mut PageWork<P>) {
        if work.probe.watches_pages() {
            for (at, lpa) in self.blocks.valid_pages() {
                work.probe.notify(|observer| observer.page_preconditioned(lpa, at));
            }
        }
    }

    #[inline]
    fn tell(&mut self, outcome: Outcome) {
        self.outcomes.tell(outcome);
    }

    #[inline]
    pub fn outcomes(&mut self) -> &mut Outcomes {
        &mut self.outcomes
    }

    /// A prefetch hint for an entry that will be wanted.
    #[inline(always)]
    pub fn expect(&self, flow: u16, lba: u64) {
        self.mapping.table().expect(self.spaces.page_of(flow, lba));
    }

    #[inline]
    pub fn gather(&mut self) {
        self.outbound.gather();
    }

    /// Pages of a zone's row are about to set out, of which that many are programmed together in a plane.
    pub fn gather_row(&mut self, most: usize) {
        self.outbound.gather_row(most);
    }

    #[inline]
    pub fn send_gathered(&mut self, transactions: &mut Transactions) {
        self.outbound.send_gathered(transactions, &mut self.outcomes);
    }

    #[inline]
    fn send_data_out(&mut self, id: TransactionId) {
        self.outbound.send(id, &mut self.outcomes);
    }

    /// `endurance`: erases that blocks endure (0: no limit).
    pub fn report(&self, flash: &FlashCounts, endurance: u32) -> FlashReport {
        let (host_pages, _) = self.maintenance.totals();
        let programmed = self.pages_programmed(flash.programs);
        let write_amplification = (host_pages > 0).then(|| programmed as f64 / host_pages as f64);
        let native = programmed - self.pages_programmed(flash.in_cache[1]);
        let native_amplification = (host_pages > 0).then(|| native as f64 / host_pages as f64);
        let pages_per_block = self.blocks.candidates(PlaneId(0)).data_pages_per_block();
        FlashReport {
            reads: flash.reads,
            programs: flash.programs,
            erases: flash.erases,
            suspensions: flash.suspensions,
            copybacks: flash.copybacks,
            read_retries: flash.read_retries,
            outer_reads: flash.outer_reads,
            program_failures: flash.program_failures,
            erase_failures: flash.erase_failures,
            host_pages,
            padding: self.blocks.padding(),
            uncorrectable: self.uncorrectable,
            bad_blocks: self.blocks.count_bad(),
            write_amplification,
            gc: self.collector.report(&self.maintenance, pages_per_block, reclaim!(&self.way, merges())),
            wear: self.blocks.wear_report(&self.layout, endurance, native_amplification),
            blocks: self.blocks.report(&self.layout),
            pslc: self.folding.is_on.then(|| {
                let series = self.maintenance.pslc_series();
                self.folding.report(flash.in_cache, &self.collector.counts, &self.blocks, series)
            }),
            parity: self.has_parity().then(|| self.parity.report(&self.blocks, &self.lost, &self.layout)),
            series: self.maintenance.series(),
            fdp: self.handles.as_ref().map(|handles| handles.report(&self.blocks, &self.layout)),
            zones: if let Way::Zoned(zoned) = &self.way { Some(zoned.0.report()) } else { None },
        }
    }

    /// Logical pages in that many programs of flash pages.
    pub fn pages_programmed(&self, programs: u64) -> u64 {
        programs << self.layout.flash_shift
    }

    pub fn host_pages(&self) -> u64 {
        self.maintenance.totals().0
    }

    pub fn describe_plane(&self, plane: PlaneId) -> String {
        let job = reclaim!(&self.way, describe(&self.collector, plane));
        format!(", plane {} has {} free blocks and {job}", plane.0, self.blocks.free(plane))
    }

    /// # Panics
    /// If they do not: a defect of the model.
    pub fn audit(&self, in_flight: u64) {
        self.blocks.audit().unwrap_or_else(|problem| panic!("{problem}"));
        // When the last request ends, copies still on their way count twice; pages from the cache and translation pages
        // have no place yet.
        let valid = self.blocks.count_valid();
        let mapped =
            reclaim!(&self.way, count_valid(self.mapping.table().mapped() + self.blocks.count_seeded_unmapped()));
        // A page that a failed write left where it was seeded has an entry all the same.
        assert!(valid.abs_diff(mapped) <= in_flight + self.given_up, "{valid} valid pages, {mapped} mapped");
    }

    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }
}

/// Events of pages at the chips.
impl Ftl {
    pub fn readiness(&self) -> PageReadiness<'_> {
        PageReadiness::new(&self.blocks, &self.layout, &self.collector, &self.way, self.rules.writes_are_alike)
    }

    pub fn merges_blocks(&self) -> bool {
        reclaim!(&self.way, merges()).is_some()
    }

    /// Notes the clock of the plane's time without room.
    #[inline(always)]
    pub fn mark_stall<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        if reclaim!(&self.way, mark_wait(&mut self.blocks, work, id, now)) {
            self.changed.push(work.transactions[id].ppa.plane);
        }
    }

    /// Charges the time for which the plane had no room.
    #[inline(always)]
    pub fn charge_stall<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let waited = reclaim!(&self.way, waited(&mut self.blocks, work, id, now));
        if let Some(waited) = waited.filter(|&waited| waited > Time::ZERO) {
            work.blame_page_up_to(id, Cause::FreeBlocks, waited, now);
        }
    }

    /// Pages of a block are programmed in the order of their commands.
    #[inline(always)]
    pub fn bind<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        if !work.transactions[id].ppa.is_bound() {
            self.bind_write(work, id, now);
        } else if work.transactions[id].origin == Origin::Parity {
            let t = &work.transactions[id];
            self.blocks.note_bound(t.ppa.plane, t.line(), t.is(Flag::HasCome));
        }
        if self.folding.is_on {
            let at = work.transactions[id].ppa;
            work.transactions[id].set(Flag::PseudoSlc, self.blocks.is_cache_block(at.plane, at.block));
        }
    }

    fn bind_write<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId, now: Time) {
        let (at, changes) = reclaim!(&mut self.way, bind(&mut self.blocks, work, id, now));
        if changes {
            self.changed.push(at.plane);
        }
        let write = &mut work.transactions[id];
        self.collector.copy_is_bound(write);
        write.ppa = at;
        self.room.page_given(write);
    }

    /// Ends the flash page that a program fills; parity does so as a whole.
    #[inline(always)]
    pub fn end_flash_page(&mut self, first: &Transaction) {
        let is_zone = matches!(&self.way, Way::Zoned(zoned) if zoned.0.has_block(first.ppa));
        if first.origin != Origin::Parity && !is_zone {
            self.blocks.end_flash_page(first.ppa);
        }
    }

    #[inline(always)]
    fn issue<P: Probe>(&mut self, work: &PageWork<P>, id: TransactionId) {
        if self.is_read_of_lost_plane(&work.transactions[id]) {
            return self.read_without_plane(id);
        }
        self.room.count_in(&work.transactions[id]);
        self.tell(Outcome::Issue(id));
    }

    fn issue_first<P: Probe>(&mut self, work: &PageWork<P>, id: TransactionId) {
        self.room.count_in(&work.transactions[id]);
        self.tell(Outcome::IssueFirst(id));
    }

    /// A write is queued: a copy lines up for its place.
    #[inline(always)]
    pub fn lines_up<P: Probe>(&mut self, work: &mut PageWork<P>, id: TransactionId) {
        let write = &mut work.transactions[id];
        self.collector.copy_lines_up(write);
        self.room.count_in(write);
        write.set(Flag::HasCome, true);
        self.note_come(write);
        self.leave_lost_plane(write);
    }

    /// A write has come to its chip, or its old page is there.
    #[inline]
    pub fn note_come(&mut self, write: &Transaction) {
        if !self.blocks.has_superblocks() {
            return;
        }
        let has_place = !write.ppa.is_bound() || write.origin == Origin::Parity;
        if write.is(Flag::HasCome) && has_place && !write.awaits_old_page() {
            self.blocks.note_come(write.ppa.plane, write.line());
        }
    }

    /// Whether a plane of the LUN must collect before it serves the host.
    #[inline(always)]
    pub fn is_urgent(&self, lun: LunId) -> bool {
        let first = lun.0 * self.layout.planes_per_lun;
        let planes = (first..first + self.layout.planes_per_lun).map(PlaneId);
        reclaim!(&self.way, is_urgent(&self.collector, &self.blocks, planes))
    }
}

/// Zones and handles.
impl Ftl {
    /// The host has a handle take another unit of each reclaim group of its flow.
    ///
    /// # Errors
    /// The status with which the command is completed: an unknown handle, or stripes of parity that would stay incomplete.
    pub fn update_handle(&mut self, request: &Request) -> Result<(), Status> {
        let has_parity = self.has_parity();
        self.handles.as_mut().filter(|_| !has_parity).ok_or(Status::InvalidField)?.update(request.stream)?;
        let planes = self.spaces[usize::from(request.flow)].placement.planes();
        self.blocks.leave_superblocks(planes, Frontier::User(request.stream));
        Ok(())
    }

    #[inline(always)]
    pub fn zones(&mut self) -> Option<&mut Zones> {
        if let Way::Zoned(zoned) = &mut self.way { Some(&mut zoned.0) } else { None }
    }

    #[inline(always)]
    pub fn zones_at(&mut self, lpa: u64) -> Option<&mut Zones> {
        self.zones().filter(|zones| zones.has_page(lpa))
    }

    #[inline(always)]
    pub fn zones_of(&mut self, lba: u64) -> Option<&mut Zones> {
        self.zones_at(lba >> self.layout.sector_shift)
    }

    #[inline(always)]
    pub fn zones_with(&mut self, at: Ppa) -> Option<&mut Zones> {
        self.zones().filter(|zones| zones.has_block(at))
    }

    pub fn zone_changed(&mut self) {
        self.zones().into_iter().for_each(|zones| zones.has_changed = true);
        self.changed.push(PlaneId(0));
    }

    /// Returns whether the drive has zones alone; then no plane need be looked at.
    pub fn has_zones_alone(&mut self) -> bool {
        let is_alone = self.zones().is_some_and(|zones| zones.is_alone());
        if is_alone {
            self.changed.clear();
        }
        is_alone
    }
}
