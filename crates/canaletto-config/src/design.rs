//! Configuration of a drive and its host: every key with unit, default and source.
//!
//! The doc comments below are the documentation. They become the JSON Schema (`canaletto schema design`).

use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::JsonSchema;
use crate::area::Footprint;
use crate::attach::Attachment;
use crate::cache::Cache;
pub use crate::compute::Compute;
use crate::energy::Energy;
pub use crate::fabric::*;
pub use crate::fdp::{Fdp, Isolation};
pub use crate::gc::{EpochTrigger, Gc, Pacing, Scope, VictimPolicy, Wear};
pub use crate::host::*;
pub use crate::hybrid::{Hybrid, MappingScheme};
pub use crate::mapping::*;
pub use crate::medium::Addressing;
use crate::medium::{Ecc, Errors, Failures, Suspend};
pub use crate::namespace::{Namespace, NamespaceKind};
pub use crate::numbering::Numbering;
pub use crate::parity::Parity;
pub use crate::precondition::{Precondition, PreconditionKind};
pub use crate::pseudo_slc::PseudoSlc;
pub use crate::refresh::Refresh;
pub use crate::scheduler::{Flin, Looks, Policy, RoundRobinAdvance, Scheduler};
pub use crate::superblock::Superblock;
use crate::units::{Duration, Rate, Size, in_bytes};
pub use crate::zns::Zns;

/// Drive, the link to its host and the parts inside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Name shown in results.
    pub name: String,
    /// One-line description for lists of presets: kind of drive and source of its numbers.
    #[serde(default)]
    pub about: String,
    /// Numbers of channels, chips, dies, planes, blocks and pages.
    pub geometry: Geometry,
    /// Operations and times of the flash array.
    pub flash: Flash,
    /// Interconnect between controller and chips.
    pub fabric: Fabric,
    /// Host interface and its queues.
    #[serde(default)]
    pub host: Host,
    /// PCI Express link between host and drive.
    pub link: Link,
    /// PC between host and drive, instead of the link.
    #[serde(default)]
    pub attachment: Attachment,
    /// Parts of the controller.
    #[serde(default)]
    pub controller: Controller,
    /// Write buffer and read cache in the controller's DRAM.
    #[serde(default)]
    pub cache: Cache,
    /// Flash translation layer.
    #[serde(default)]
    pub ftl: Ftl,
    /// Namespaces, which share the drive. Absent: one, zoned with `zns.zone_size`, placed with `fdp.handles`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 64))]
    pub namespace: Vec<Namespace>,
    /// Zones, instead of a mapping table and garbage collection.
    #[serde(default)]
    pub zns: Zns,
    /// Flexible Data Placement.
    #[serde(default)]
    pub fdp: Fdp,
    /// Mapping table and its cache.
    #[serde(default)]
    pub mapping: Mapping,
    /// Garbage collection.
    #[serde(default)]
    pub gc: Gc,
    /// Wear levelling and endurance of blocks.
    #[serde(default)]
    pub wear: Wear,
    /// Refresh of blocks that were read too often or hold old data.
    #[serde(default)]
    pub refresh: Refresh,
    /// State of the drive before the run.
    #[serde(default)]
    pub precondition: Precondition,
    /// Places that compute, for flows with tasks.
    #[serde(default)]
    pub compute: Compute,
    /// Order of flash commands.
    #[serde(default)]
    pub scheduler: Scheduler,
    /// Energy and power of operations, transfers and idle parts.
    #[serde(default)]
    pub energy: Energy,
    /// Area of interconnects.
    #[serde(default)]
    pub area: Footprint,
}

/// Array of flash chips. The capacity follows from it; no other key states a capacity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geometry {
    /// Number of channels, which are the rows of the chip array.
    #[schemars(range(min = 1, max = 256))]
    pub channels: u32,
    /// Number of chips on each channel (ways).
    #[schemars(range(min = 1, max = 4096))]
    pub chips_per_channel: u32,
    /// Number of dies (logical units, LUNs) in each chip. Dies work independently and share the chip's pins.
    #[schemars(range(min = 1, max = 64))]
    pub dies_per_chip: u32,
    /// Number of planes in each die.
    #[schemars(range(min = 1, max = 16))]
    pub planes_per_die: u32,
    /// Number of blocks in each plane.
    #[schemars(range(min = 4, max = 1_048_576))]
    pub blocks_per_plane: u32,
    /// Number of pages in each block.
    #[schemars(range(min = 1, max = 65_536))]
    pub pages_per_block: u32,
    /// User data in a page, from 512 B to 32 KiB, a power of two.
    pub page: Size,
}

/// Bits stored in a cell, which decide how many types of page there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// One bit a cell.
    Slc,
    /// Two bits per cell: lower and upper pages.
    Mlc,
    /// Three bits per cell: lower, middle and upper pages.
    Tlc,
    /// Four bits per cell: four types of page.
    Qlc,
}

impl Cell {
    /// Bits in a cell, which is the number of page kinds.
    pub fn bits(self) -> u32 {
        match self {
            Cell::Slc => 1,
            Cell::Mlc => 2,
            Cell::Tlc => 3,
            Cell::Qlc => 4,
        }
    }
}

/// Pages that one multi-plane command may address in the planes of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MultiPlane {
    /// Commands of one plane only.
    Off,
    /// The same page number in each plane, in any blocks (ONFI 5.1 §3.1.2: same LUN, same page address).
    SamePage,
    /// The page number of the oldest queued transaction, even if that one cannot be issued yet (MQSim). Planes that are left
    /// take transactions of that page from the next queue: reads of translation pages go with reads of the host.
    HeadPage,
    /// Any page of any block (independent multi-plane reads in data sheets).
    AnyPage,
}

/// Flash array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flash {
    /// Bits stored in a cell.
    pub cell: Cell,
    /// Array read time (tR): one value for all pages, or one for each type of page of the cell, lower page first.
    pub read: PageTimes,
    /// Array program time (tPROG): one value for all pages, or one for each type of page, lower page first.
    pub program: PageTimes,
    /// Block erase time (tBERS). Not needed with `ftl.mapping = "in-place"`, which erases nothing.
    #[serde(default = "zero_time")]
    pub erase: Duration,
    /// Smallest unit that the array programs: a page of flash, or a byte of an in-place memory.
    #[serde(default)]
    pub addressing: Addressing,
    /// Time between the end of an array read and the chip's ready signal, added to each read.
    #[serde(default = "zero_time")]
    pub ready_delay: Duration,
    /// Pages that may share a multi-plane command.
    #[serde(default = "same_page")]
    pub multi_plane: MultiPlane,
    /// Whether the dies of a chip work at the same time. In MQSim a chip runs one die at a time.
    #[serde(default = "yes")]
    pub die_interleaving: bool,
    /// Whether a chip takes a new command only after every page of the last one has left it. With `false` only the
    /// plane whose page register still holds data is busy, as in real chips. MQSim holds the whole chip (`true`).
    #[serde(default)]
    pub busy_until_data_out: bool,
    /// Whether planes have a cache register next to the page register (ONFI 5.1 "Read Cache"): the array reads
    /// the next page while the last one's data wait or leave. Default: no; a plane's page waits in its only
    /// register.
    #[serde(default)]
    pub cache_read: bool,
    /// Time in which a page that was read behind another one moves to the cache register once that is empty (tRCBSY).
    /// Source: 3 us in Micron's Verilog models of its SLC NAND, the limit of the first 31h; later ones wait for the array
    /// too, which the model counts by itself.
    #[serde(default = "cache_busy")]
    pub cache_read_busy: Duration,
    /// Whether each plane of a LUN reads its own page by its own command, while others read. Programs and erases take the
    /// whole LUN. Default: no; a LUN works on one command, to several planes if they fit.
    #[serde(default)]
    pub independent_plane_reads: bool,
    /// Whether the data of a program cross while the array works on another one (ONFI 5.1 "Page Cache Program").
    /// Default: no; a LUN takes the next program when the last one is done.
    #[serde(default)]
    pub cache_program: bool,
    /// Time from the end of a program's array to the beginning of the next one's that has been loaded behind it (tCBSY).
    /// Source: assumed as tRCBSY, 3 us; ONFI gives its longest value alone, tPROG.
    #[serde(default = "cache_busy")]
    pub cache_program_busy: Duration,
    /// Order of page types within a block. It matters if types differ in time.
    #[serde(default)]
    pub page_order: PageOrder,
    /// Pseudo-SLC cache.
    #[serde(default)]
    pub pslc: PseudoSlc,
    /// Suspension of programs and erases in favour of reads.
    #[serde(default)]
    pub suspend: Suspend,
    /// Failures of operations, and factory bad blocks.
    #[serde(default)]
    pub failures: Failures,
    /// Raw bit errors.
    #[serde(default)]
    pub errors: Errors,
}

/// Order of page types within a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageOrder {
    /// Types repeat: lower, (middle,) upper, lower, …
    #[default]
    Repeating,
    /// TLC in MQSim's order: six lower pages, two middle pages, then groups of lower, middle and upper. Other cells
    /// repeat.
    Mqsim,
}

/// One time for all pages, or one for each type of page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PageTimes {
    /// One time for all pages.
    Same(Duration),
    /// One time for each type of page, lower page first.
    PerKind(Vec<Duration>),
}

impl Design {
    /// The design with the values that follow others.
    #[must_use]
    pub fn spelt_out(mut self) -> Design {
        self.fabric.network.link_rate = Some(self.fabric.network_rate());
        self
    }
}

impl<'de> Deserialize<'de> for PageTimes {
    /// Without serde's derive, so that an error names the wrong time instead of "no variant matched".
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = PageTimes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a time with its unit (for example \"75us\"), or a list of them")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<PageTimes, E> {
                Duration::deserialize(text.into_deserializer()).map(PageTimes::Same)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<PageTimes, E> {
                Duration::deserialize(number.into_deserializer()).map(PageTimes::Same)
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<PageTimes, E> {
                Duration::deserialize(number.into_deserializer()).map(PageTimes::Same)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PageTimes, A::Error> {
                let mut times = Vec::new();
                while let Some(time) = list.next_element()? {
                    times.push(time);
                }
                Ok(PageTimes::PerKind(times))
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

/// Parts of the controller. Each part serves one transfer at a time, first come first served. A rate of `"0B/s"` stands
/// for a part without limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Controller {
    /// Rate of the system bus that joins host interface, DRAM and flash controllers. User data cross it once, copies of
    /// garbage collection twice.
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub system_bus: Rate,
    /// Rate of the DRAM port. Data cross it as often as the system bus.
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub dram: Rate,
    /// Time that a channel's ECC engine adds to each page, after reads and before programs.
    pub ecc_latency: Duration,
    /// Rate of each channel's ECC engine.
    pub ecc_rate: Rate,
    /// Whether a page crosses from a chip while its channel's ECC engine decodes the one before. `false`: the engine has
    /// no buffer, and reads of a channel take the time of both per page. Observed on the 980 PRO and the
    /// ZN540, whose random reads end at that rate.
    pub ecc_overlap: bool,
    /// Codewords, correctable bits, read retries and the outer code.
    pub ecc: Ecc,
    /// Processor time for each request. One processor serves all requests.
    pub firmware_per_request: Duration,
    /// Processor time for each write, added to `firmware_per_request`. Observed on the ZN540 (NVMeVirt: 5.6 us).
    pub firmware_per_write: Duration,
    /// Processor time for each append, added to `firmware_per_write`: it gets its address from a zone.
    pub firmware_per_append: Duration,
    /// Processor time for each page of a request, added to `firmware_per_request`. Observed on the ZN540, whose reads
    /// of 16 KiB end at a rate that neither link nor flash explains.
    pub firmware_per_page: Duration,
    /// Time that the controller adds to each write (checks, copies of the data, protection against a loss of power). It
    /// occupies no processor, and writes spend it side by side. Observed on all drives with a protected buffer.
    pub write_latency: Duration,
    /// Largest number of pages of one request that are in flight. A larger request begins further pages whenever half as
    /// many are left in flight. 0 is any number. Default: assumed, 16 pages for each plane of an array of 8 × 8 chips with
    /// two planes, so that a request of any size keeps all of them busy.
    #[schemars(range(min = 0, max = 16_777_216))]
    pub pages_in_flight: u32,
}

/// Treatment of a read whose address was never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnwrittenReads {
    /// The whole page counts as written before the run. Reads of a fresh drive then cost as much as reads of a used
    /// one.
    #[default]
    AssumePageWritten,
    /// Only the sectors that are read count as written, and they are mapped at that moment. With a cached mapping table
    /// this changes the entry (MQSim).
    AssumeSectorsWritten,
    /// The mapping table answers the read without an access to flash (deallocated block: NVM Express NVM Command Set
    /// §3.2.3.2).
    Zeroes,
}

/// Moment at which a write takes effect in the mapping table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MapUpdate {
    /// End of the page's program. Until then reads find the old page, which is kept.
    #[default]
    ProgramEnd,
    /// Queueing of the program command, as in MQSim. A read may then look for a page that is not programmed yet.
    Issue,
}

/// Sectors of a partly written page that cross to the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialWrites {
    /// All valid sectors: the new ones and those merged from the old page.
    #[default]
    Merged,
    /// New sectors only, as MQSim counts.
    NewSectors,
}

/// Order in which consecutive logical pages are placed on planes. The first letter varies fastest: C for channel, W for
/// way (chip), D for die, P for plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, clippy::upper_case_acronyms)]
pub enum Allocation {
    #[default]
    CWDP,
    CWPD,
    CDWP,
    CDPW,
    CPWD,
    CPDW,
    WCDP,
    WCPD,
    WDCP,
    WDPC,
    WPCD,
    WPDC,
    DCWP,
    DCPW,
    DWCP,
    DWPC,
    DPCW,
    DPWC,
    PCWD,
    PCDW,
    PWCD,
    PWDC,
    PDCW,
    PDWC,
}

/// Choice of the plane that a write goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WritePlacement {
    /// Plane given by `allocation`.
    #[default]
    Static,
    /// Least busy of the flow's planes when the page is written, which is the plane whose LUN has the fewest
    /// transactions queued or executing. Equal planes take turns.
    Dynamic,
    /// As `static`, and operands of gathers with a `distance` are written together, so that an array can sense them at
    /// once. A write of one of them reads the others and writes them again behind it, in the block that the plane
    /// fills. Operands that are being written, or that the write buffer holds, are written once. Word lines are
    /// programmed one string group after the other.
    Operands,
}

/// Flash translation layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ftl {
    /// Granularity of the mapping table: pages, blocks with log blocks, or none (in-place memories).
    pub mapping: MappingScheme,
    /// Log blocks of `mapping = "bast"`.
    pub hybrid: Hybrid,
    /// Data covered by one mapping entry, a power of two; `"0B"` is a page of flash. With a smaller unit (from
    /// `"512B"`; sensible from `"4KiB"`) several units share a flash page, each with its own entry, and a write of a
    /// whole unit reads and merges nothing. Queued units of one plane are programmed together, and the rest of the
    /// flash page is padding. With a larger unit a write of a part rewrites the whole unit.
    pub mapping_unit: Size,
    /// Share of the raw capacity that the host cannot address.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub overprovisioning: f64,
    /// Least number of blocks of each plane that the host cannot address, whatever `overprovisioning` gives. With fewer
    /// than four, a full plane may lack room for garbage collection.
    #[schemars(range(min = 0, max = 1024))]
    pub min_spare_blocks: u32,
    /// Static plane allocation: the plane of each logical page.
    pub allocation: Allocation,
    /// Numbering of chips: where the FTL's channels and ways lie in the array.
    pub numbering: Numbering,
    /// Choice of the plane that a write goes to.
    pub write_placement: WritePlacement,
    /// Planes whose blocks are used together. `allocation` then gives the group of planes of a logical page, and the
    /// stripe gives the plane within the group.
    pub superblock: Superblock,
    /// Parity over the dies or channels of a superblock, which takes its share of capacity next to
    /// `overprovisioning`.
    pub parity: Parity,
    /// Treatment of reads whose address was never written.
    pub unwritten_reads: UnwrittenReads,
    /// Moment at which a write takes effect in the mapping table.
    pub map_update: MapUpdate,
    /// Sectors that cross to the chip for a partly written page.
    pub partial_writes: PartialWrites,
}

pub(super) fn cache_busy() -> Duration {
    Duration::from_ns(3_000)
}

fn zero_time() -> Duration {
    Duration(0)
}
fn same_page() -> MultiPlane {
    MultiPlane::SamePage
}
fn yes() -> bool {
    true
}

impl Default for Controller {
    fn default() -> Self {
        Controller {
            system_bus: Rate(0),
            dram: Rate(0),
            ecc_latency: Duration(0),
            ecc_rate: Rate(0),
            ecc_overlap: true,
            ecc: Ecc::default(),
            firmware_per_request: Duration(0),
            firmware_per_write: Duration(0),
            firmware_per_append: Duration(0),
            firmware_per_page: Duration(0),
            write_latency: Duration(0),
            pages_in_flight: 2048,
        }
    }
}

impl Default for Ftl {
    fn default() -> Self {
        Ftl {
            mapping: MappingScheme::default(),
            hybrid: Hybrid::default(),
            mapping_unit: Size(0),
            overprovisioning: 0.07,
            min_spare_blocks: 4,
            allocation: Allocation::default(),
            numbering: Numbering::default(),
            write_placement: WritePlacement::default(),
            superblock: Superblock::default(),
            parity: Parity::default(),
            unwritten_reads: UnwrittenReads::default(),
            map_update: MapUpdate::default(),
            partial_writes: PartialWrites::default(),
        }
    }
}
