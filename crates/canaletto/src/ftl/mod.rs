//! The flash translation layer: where pages are, where they go, and how space is reclaimed.
//!
//! - In: pages of requests to [begin](Ftl::begin_page), reads, programs and erases that have [ended](Ftl::host_page_programmed),
//!   planes to [collect](Ftl::start_collection) in.
//! - Out: [`Outcome`]s, in the order in which they are to be carried out.
//! - State: mapping table and its cache, blocks, collection, history of wear, writes without room.

pub mod bad_blocks;
pub mod blocks;
pub mod cmt;
pub mod directory;
pub mod dynamic;
pub mod gc;
pub mod hybrid;
pub mod in_place;
pub mod mapping;
pub mod placement;
pub mod precondition;
pub mod recovery;
pub mod steady;

mod cached;
mod collection;
mod exhausted;
mod failed;
mod folding;
mod lost;
mod mapping_units;
mod merging;
mod outbound;
mod outcomes;
mod pages;
mod parity;
mod placing;
mod readiness;
mod refreshing;
mod results;
mod translation;
mod trim;

use std::collections::VecDeque;

pub use outcomes::{Outcome, Outcomes};
pub use pages::{Pages, sector_mask};
pub use readiness::PageReadiness;

use crate::config::design::{Design, MapUpdate, PartialWrites, UnwrittenReads, WritePlacement};
use crate::config::workload::{Priority, Workload};
use crate::engine::in_flight::InFlight;
use crate::flash::address::{Layout, PlaneId};
use crate::flash::wear::Wear;
use crate::ftl::blocks::Blocks;
use crate::ftl::dynamic::DynamicAllocator;
use crate::ftl::folding::Folding;
use crate::ftl::gc::Collector;
use crate::ftl::gc::refresh::Refresh;
use crate::ftl::hybrid::Hybrid;
use crate::ftl::in_place::InPlace;
use crate::ftl::lost::Lost;
use crate::ftl::mapping::MappingTable;
use crate::ftl::outbound::Outbound;
use crate::ftl::parity::ParityWork;
use crate::ftl::placement::{Placement, Positions};
use crate::ftl::translation::Translation;
use crate::limits::Limits;
use crate::measure::maintenance::Maintenance;
use crate::measure::probe::Probe;
use crate::scheduler::transaction::TransactionId;

/// A flow's part of the logical address space.
#[derive(serde::Serialize, serde::Deserialize)]
struct FlowSpace {
    priority: Priority,
    /// The planes that its pages belong to.
    placement: Placement,
    /// Its own write frontiers, if flows have such.
    stream: u16,
    /// First sector of its addresses, as requests state them.
    first_sector: u64,
    /// Sectors up to the end of the last page that its requests may begin in.
    sectors: u64,
    /// Sector of its addresses at which a request goes on that runs over that end. MQSim takes the address of each page beyond
    /// the last sector modulo that sector's number.
    again_at: u64,
    /// First logical page of its addresses in the mapping table.
    first_page: u64,
    /// The page after its last.
    end_page: u64,
}

/// Choices of the model that are looked at while running.
#[derive(serde::Serialize, serde::Deserialize)]
struct Rules {
    unwritten: UnwrittenReads,
    map_update: MapUpdate,
    partial: PartialWrites,
    placement: WritePlacement,
    /// Pages of a mapping unit that is larger than a page.
    pages_per_unit: u64,
    /// Erases that a block endures; 0 is any number.
    endurance: u32,
    copyback: bool,
    /// Every so many copybacks of a page one passes the controller; 0 is never.
    copyback_check_every: u32,
}

/// The state in which a run finds the drive.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Contents {
    /// Where logical pages are.
    pub map: MappingTable,
    /// Contents of blocks.
    pub blocks: Blocks,
}

/// The flash translation layer.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Ftl {
    layout: Layout,
    rules: Rules,
    spaces: Vec<FlowSpace>,
    map: MappingTable,
    translation: Translation,
    blocks: Blocks,
    collector: Collector,
    /// In place of the collector's work, if the drive does not map pages.
    hybrid: Option<Hybrid>,
    /// In place of the work of blocks and collector, if pages are written in place.
    in_place: Option<InPlace>,
    allocator: DynamicAllocator,
    /// Pages for which no plane has room yet, oldest first.
    allocation_stalled: VecDeque<TransactionId>,
    /// Whether some of them have not been looked at yet.
    allocation_wanted: bool,
    /// With superblocks: how many had become free when all of them were last looked at.
    superblocks_seen: Option<u64>,
    /// Planes of each column whose copies wait for a register of another chip.
    awaiting_register: Vec<Vec<PlaneId>>,
    /// Whether an epoch was under way when the fabric was last told whose the columns are.
    columns_kept: bool,
    /// Planes whose free blocks or victims have changed, to be looked at before the next event.
    changed: Vec<PlaneId>,
    outbound: Outbound,
    wear: Wear,
    refresh: Refresh,
    folding: Folding,
    maintenance: Maintenance,
    streams: u16,
    /// Programs that failed and whose page was spent for nothing.
    spent: u64,
    /// Writes that failed for good, after which their logical page names what it held before.
    given_up: u64,
    /// Pages that could not be read.
    uncorrectable: u64,
    parity: ParityWork,
    lost: Lost,
    outcomes: Outcomes,
}

impl Ftl {
    /// The layer of a drive in its state before the run.
    pub fn new(design: &Design, workload: &Workload, limits: &Limits, contents: Contents, seed: u64) -> Self {
        let layout = limits.layout.clone();
        let per_page = u64::from(layout.sectors_per_page);
        let spaces = workload.flow.iter().zip(&limits.flows).map(|(config, flow)| {
            let last = config.last_start(flow.sectors);
            let sectors = (last + 1).next_multiple_of(per_page);
            FlowSpace {
                priority: config.priority,
                placement: Placement::new(&layout, design.ftl.allocation, &flow.positions),
                stream: flow.stream,
                first_sector: flow.first_sector,
                sectors,
                again_at: (flow.first_sector + sectors) % last.max(1),
                first_page: flow.first_page,
                end_page: flow.first_page + flow.sectors.div_ceil(per_page),
            }
        });
        let everywhere = Placement::new(&layout, design.ftl.allocation, &Positions::all(&layout));
        let counts_copies = design.gc.copyback && design.gc.copyback_check_every > 0;
        let keeps_history = counts_copies || design.flash.errors.are_possible() || design.refresh.is_on();
        Ftl {
            rules: Rules {
                unwritten: design.ftl.unwritten_reads,
                map_update: design.ftl.map_update,
                partial: design.ftl.partial_writes,
                placement: design.ftl.write_placement,
                pages_per_unit: u64::from(design.pages_per_unit()),
                endurance: design.wear.endurance,
                copyback: design.gc.copyback,
                copyback_check_every: design.gc.copyback_check_every,
            },
            spaces: spaces.collect(),
            map: contents.map,
            translation: Translation::new(design, limits),
            blocks: contents.blocks,
            collector: Collector::new(&design.gc, &design.wear, limits, seed),
            hybrid: Hybrid::new(design, &layout, &everywhere),
            in_place: InPlace::new(design, &layout),
            allocator: DynamicAllocator::new(&layout, limits.streams, limits.most_valid),
            allocation_stalled: VecDeque::new(),
            allocation_wanted: false,
            superblocks_seen: None,
            awaiting_register: vec![Vec::new(); layout.chips_per_channel as usize],
            columns_kept: false,
            changed: Vec::new(),
            outbound: Outbound::default(),
            wear: Wear::new(&layout, keeps_history),
            refresh: Refresh::new(design, &layout),
            folding: Folding::new(&design.flash.pslc),
            maintenance: Maintenance::default(),
            streams: limits.streams,
            spent: 0,
            given_up: 0,
            uncorrectable: 0,
            parity: ParityWork::default(),
            lost: Lost::default(),
            outcomes: Outcomes::default(),
            layout,
        }
    }

    /// The drive's contents at the end of a run.
    pub fn into_contents(self) -> Contents {
        Contents { map: self.map, blocks: self.blocks }
    }

    /// Tells the probe what every page holds before the run.
    pub fn announce_pages<P: Probe>(&self, work: &mut InFlight<'_, P>) {
        if P::WATCHES_PAGES {
            for (at, lpa) in self.blocks.valid_pages() {
                work.probe.page_preconditioned(lpa, at);
            }
        }
    }

    #[inline]
    fn tell(&mut self, outcome: Outcome) {
        self.outcomes.tell(outcome);
    }

    /// Outcomes that have not been carried out.
    #[inline]
    pub fn outcomes(&mut self) -> &mut Outcomes {
        &mut self.outcomes
    }

    /// The mapping table as a prefetch hint: the entry of a request that has arrived will be wanted.
    #[inline(always)]
    pub fn expect(&self, flow: u16, lba: u64) {
        let space = &self.spaces[usize::from(flow)];
        self.map.expect(space.first_page + ((lba - space.first_sector) >> self.layout.sector_shift));
    }
}
