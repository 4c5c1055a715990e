//! A drive and its host: every key, its unit, its default and its reason.
//!
//! The doc comments below are the documentation: they become the JSON Schema (`canaletto schema design`).

use schemars::JsonSchema;
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::area::Footprint;
use crate::config::attach::Attachment;
use crate::config::cache::Cache;
use crate::config::energy::Energy;
pub use crate::config::fabric::*;
pub use crate::config::gc::{Gc, Scope, VictimPolicy, Wear};
pub use crate::config::host::*;
pub use crate::config::hybrid::{Hybrid, LogVictim, MappingScheme};
pub use crate::config::mapping::*;
pub use crate::config::medium::Addressing;
use crate::config::medium::{Ecc, Errors, Failures, Suspend};
pub use crate::config::precondition::{Precondition, PreconditionKind};
pub use crate::config::refresh::Refresh;
pub use crate::config::scheduler::{Flin, Policy, Scheduler, Turn};
pub use crate::config::superblock::Superblock;
use crate::config::units::{Duration, Rate, Size};

/// A drive, the link to its host and the parts inside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Name shown in results.
    pub name: String,
    /// One line for lists of presets: what this drive is and where its numbers come from.
    #[serde(default)]
    pub about: String,
    /// How many chips, dies, planes, blocks and pages there are.
    pub geometry: Geometry,
    /// What the flash array can do, and how fast.
    pub flash: Flash,
    /// The interconnect between controller and chips.
    pub fabric: Fabric,
    /// Host interface and its queues.
    #[serde(default)]
    pub host: Host,
    /// PCI Express link between host and drive.
    pub link: Link,
    /// A PC between host and drive, in place of the link.
    #[serde(default)]
    pub attachment: Attachment,
    /// The controller's inside.
    #[serde(default)]
    pub controller: Controller,
    /// Write buffer and read cache in the controller's DRAM.
    #[serde(default)]
    pub cache: Cache,
    /// Flash translation layer.
    #[serde(default)]
    pub ftl: Ftl,
    /// The mapping table and its cache.
    #[serde(default)]
    pub mapping: Mapping,
    /// Garbage collection.
    #[serde(default)]
    pub gc: Gc,
    /// Wear levelling and the life of blocks.
    #[serde(default)]
    pub wear: Wear,
    /// Data that are moved before they are lost.
    #[serde(default)]
    pub refresh: Refresh,
    /// The state the drive is in before the run.
    #[serde(default)]
    pub precondition: Precondition,
    /// Order of flash commands.
    #[serde(default)]
    pub scheduler: Scheduler,
    /// What operations, transfers and idle parts take.
    #[serde(default)]
    pub energy: Energy,
    /// What interconnects take up.
    #[serde(default)]
    pub area: Footprint,
}

/// The array of flash chips. Capacity follows from it: nothing else states a capacity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geometry {
    /// Channels, that is rows of the chip array.
    #[schemars(range(min = 1, max = 256))]
    pub channels: u32,
    /// Chips on each channel (ways).
    #[schemars(range(min = 1, max = 256))]
    pub chips_per_channel: u32,
    /// Dies (logical units) in each chip; dies work independently and share the chip's pins.
    #[schemars(range(min = 1, max = 64))]
    pub dies_per_chip: u32,
    /// Planes in each die.
    #[schemars(range(min = 1, max = 16))]
    pub planes_per_die: u32,
    /// Blocks in each plane.
    #[schemars(range(min = 4, max = 1_048_576))]
    pub blocks_per_plane: u32,
    /// Pages in each block.
    #[schemars(range(min = 1, max = 65_536))]
    pub pages_per_block: u32,
    /// User data in a page: 512 B to 32 KiB, a power of two.
    pub page: Size,
}

/// Bits stored in a cell, which decides how many kinds of page there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// One bit.
    Slc,
    /// Two bits: lower and upper pages alternate.
    Mlc,
    /// Three bits: lower, middle and upper pages.
    Tlc,
    /// Four bits.
    Qlc,
}

/// Which pages one multi-plane command may touch in the planes of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MultiPlane {
    /// Never: one plane a command.
    Off,
    /// The same page number in each plane, in any blocks (ONFI 5.1 §3.1.2: same LUN, same page address).
    SamePage,
    /// The same page number as that of the oldest queued transaction, even where that one cannot be issued yet (MQSim).
    HeadPage,
    /// Any page of any block (what data sheets call independent multi-plane reads).
    AnyPage,
}

/// The flash array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flash {
    /// Bits in a cell.
    pub cell: Cell,
    /// Array read time (tR): one value for every page, or one for each kind of page of the cell, lower page first.
    pub read: PageTimes,
    /// Array program time (tPROG): one value, or one for each kind of page.
    pub program: PageTimes,
    /// Block erase time (tBERS). Needless where nothing is erased (`ftl.mapping = "in-place"`).
    #[serde(default = "zero_time")]
    pub erase: Duration,
    /// The least that the array programs; flash programs pages.
    #[serde(default)]
    pub addressing: Addressing,
    /// Time between the end of the array operation and the chip's ready signal, added to reads.
    #[serde(default = "zero_time")]
    pub ready_delay: Duration,
    /// Which pages share a multi-plane command.
    #[serde(default = "same_page")]
    pub multi_plane: MultiPlane,
    /// Whether the dies of a chip work at the same time. MQSim's chips run one die at a time.
    #[serde(default = "yes")]
    pub die_interleaving: bool,
    /// Whether a chip takes a new command only when every page of the last one has left it. Physically only the plane
    /// whose page register still holds data is busy (false); MQSim holds the whole chip (true).
    #[serde(default)]
    pub busy_until_data_out: bool,
    /// Which pages of a block are of which kind (matters where kinds differ in time).
    #[serde(default)]
    pub page_order: PageOrder,
    /// Programs and erases that make way for reads.
    #[serde(default)]
    pub suspend: Suspend,
    /// Operations that fail.
    #[serde(default)]
    pub failures: Failures,
    /// Bits that are read wrong.
    #[serde(default)]
    pub errors: Errors,
}

/// How the kinds of page follow each other in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageOrder {
    /// Kinds repeat: lower, (middle,) upper, lower, …
    #[default]
    Repeating,
    /// TLC as MQSim orders it: six lower pages, two middle ones, then pairs of lower, middle and upper; other cells repeat.
    Mqsim,
}

/// One time, or one for each kind of page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PageTimes {
    /// The same for every page.
    Same(Duration),
    /// Lower page first.
    PerKind(Vec<Duration>),
}

impl<'de> Deserialize<'de> for PageTimes {
    /// By hand, so that an error says what is wrong with the time instead of "no variant matched".
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

/// The controller's inside. Each part serves one transfer at a time, first come first served; a rate of `"0B/s"` means
/// that the part is never a limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Controller {
    /// Rate of the system bus that joins host interface, DRAM and flash controllers. A user transfer crosses it once, a
    /// copy by garbage collection twice.
    pub system_bus: Rate,
    /// Rate of the DRAM port; crossed as often as the system bus.
    pub dram: Rate,
    /// Time the ECC engine of a channel adds to each page, after reads and before programs.
    pub ecc_latency: Duration,
    /// Rate of each channel's ECC engine.
    pub ecc_rate: Rate,
    /// What the ECC engines can correct.
    pub ecc: Ecc,
    /// Processor time for each request (one processor serves all).
    pub firmware_per_request: Duration,
    /// Processor time for each page of a request, added to the above.
    pub firmware_per_page: Duration,
}

/// What a read of an address that was never written does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnwrittenReads {
    /// Finds a page there, as if the whole page had been written before the run: reads of a fresh drive then cost what
    /// reads of a used one do.
    #[default]
    FindPage,
    /// The same, but only the sectors that are read count as written, and they are mapped now: where the mapping table is
    /// cached, the entry has changed (MQSim).
    FindSectors,
    /// Is answered from the mapping table without touching flash (a deallocated block: NVM Express NVM Command Set
    /// §3.2.3.2).
    Zeroes,
}

/// When a write takes effect in the mapping table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MapUpdate {
    /// When the page is programmed: until then reads find the old page, which survives.
    #[default]
    ProgramEnd,
    /// When the program command is queued, as MQSim: a read may then look for a page that is not programmed yet.
    Issue,
}

/// Which sectors of a partly written page cross to the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialWrites {
    /// All valid ones: the new and those merged from the old page.
    #[default]
    Merged,
    /// Only the new ones, as MQSim counts.
    NewSectors,
}

/// Order in which logical pages go round the planes: the first letter varies fastest (Channel, Way, Die, Plane).
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

/// Which plane a write goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WritePlacement {
    /// The one that `allocation` says.
    #[default]
    Static,
    /// The least busy one of the flow's planes when it is written: the one whose unit has the fewest transactions queued or
    /// in work, in turn among equals.
    Dynamic,
}

/// Flash translation layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ftl {
    /// What is mapped: pages, or blocks with log blocks for their updates.
    pub mapping: MappingScheme,
    /// The log blocks of `mapping = "bast"` and `"fast"`.
    pub hybrid: Hybrid,
    /// What a mapping entry says the place of, a power of two; `"0B"` is a page of flash. Less than that (from `"512B"`;
    /// sensible from `"4KiB"`): several units share a flash page, each with an entry of its own, so that a write of a unit
    /// reads and merges nothing. Units of one plane that are queued together are programmed together; what they do not fill
    /// of the flash page is padding. More than a page: whatever writes a part of a unit rewrites all of it.
    pub mapping_unit: Size,
    /// Share of raw capacity that the host does not see.
    #[schemars(range(min = 0.0, max = 0.9))]
    pub overprovisioning: f64,
    /// Blocks of each plane that the host does not see at the least, whatever the share: below four a full plane may have
    /// no room to collect.
    #[schemars(range(min = 0, max = 1024))]
    pub min_spare_blocks: u32,
    /// Static plane allocation: which plane a logical page belongs to.
    pub allocation: Allocation,
    /// Whether writes keep to that plane.
    pub write_placement: WritePlacement,
    /// Blocks that are used together. `allocation` then says which group of planes a logical page belongs to; which plane of
    /// the group it is written to, the stripe says.
    pub superblock: Superblock,
    /// Reads of addresses never written.
    pub unwritten_reads: UnwrittenReads,
    /// When a write takes effect.
    pub map_update: MapUpdate,
    /// Sectors that cross for partly written pages.
    pub partial_writes: PartialWrites,
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
            ecc: Ecc::default(),
            firmware_per_request: Duration(0),
            firmware_per_page: Duration(0),
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
            write_placement: WritePlacement::default(),
            superblock: Superblock::default(),
            unwritten_reads: UnwrittenReads::default(),
            map_update: MapUpdate::default(),
            partial_writes: PartialWrites::default(),
        }
    }
}
