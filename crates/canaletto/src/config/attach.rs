//! How a drive is attached to a PC: every key, its unit, its default and its source.
//!
//! "Slides" below are D. Kim, K. Bang, E.-Y. Chung and S. Yoon, "Architecture Exploration of High-Performance PCs with
//! a Solid-State Disk". They name the parts (Intel 965 and ICH8, PCIe between the bridges, DDR2-800) and few numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::{Duration, Rate, Size};

/// Where in a PC the drive is, and by how many paths it reaches main memory (slides, "4 Architectural Choices").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AttachmentKind {
    /// No PC is modelled: the drive's `link` leads to the host's memory.
    #[default]
    None,
    /// South bridge, single port: the conventional PC.
    Sbsp,
    /// North bridge, single port.
    Nbsp,
    /// South bridge, and a second port that leads to main memory's second port.
    Sbdp,
    /// North bridge, and such a second port.
    Nbdp,
}

impl AttachmentKind {
    /// Those that are attachments.
    pub const ALL: [AttachmentKind; 4] =
        [AttachmentKind::Sbsp, AttachmentKind::Nbsp, AttachmentKind::Sbdp, AttachmentKind::Nbdp];

    /// The name used in designs and results.
    pub fn name(self) -> &'static str {
        match self {
            AttachmentKind::None => "none",
            AttachmentKind::Sbsp => "sbsp",
            AttachmentKind::Nbsp => "nbsp",
            AttachmentKind::Sbdp => "sbdp",
            AttachmentKind::Nbdp => "nbdp",
        }
    }

    /// Whether the drive hangs on the south bridge.
    pub fn is_south(self) -> bool {
        matches!(self, AttachmentKind::Sbsp | AttachmentKind::Sbdp)
    }

    /// Whether it has a second port.
    pub fn is_dual(self) -> bool {
        matches!(self, AttachmentKind::Sbdp | AttachmentKind::Nbdp)
    }
}

/// What the bridge and the drive speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PortInterface {
    /// Parallel ATA: Ultra DMA, without frames.
    Pata,
    /// Serial ATA: data in frames.
    Sata,
    /// The DRAM interface: DDR2 with a DQS signal that says when data are ready. The north bridge's only.
    Ddr2,
}

impl PortInterface {
    /// The name used in designs.
    pub fn name(self) -> &'static str {
        match self {
            PortInterface::Pata => "pata",
            PortInterface::Sata => "sata",
            PortInterface::Ddr2 => "ddr2",
        }
    }
}

/// How data are divided between the two paths of a dual-port drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Division {
    /// Each transfer uses both paths, `direct.share` of it the direct one. Our reading of the slides' "DMA command pack
    /// for dual DMA": they say of the network download alone that its data go "solely via the direct path".
    #[default]
    Split,
    /// A write's data take the direct path, a read's the bridges.
    Apart,
}

/// How the drive is attached to a PC. With a `kind` other than `none`, everything between host and drive takes this way
/// instead of the `link`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Attachment {
    /// Where it is attached.
    pub kind: AttachmentKind,
    /// What its port speaks. Without this: `sata` at the south bridge, `ddr2` at the north bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<PortInterface>,
    /// What chipset, memory and operating system can do.
    pub platform: Platform,
    /// DMA engines.
    pub dma: Dma,
    /// The bridges and the link between them.
    pub bridges: Bridges,
    /// ATA, parallel or serial.
    pub ata: Ata,
    /// Main memory's channel, and the drive's port where that is a DRAM interface.
    pub ddr: Ddr,
    /// The direct path of a dual-port drive.
    pub direct: Direct,
}

impl Attachment {
    /// What the drive's port speaks.
    pub fn port(&self) -> PortInterface {
        let usual = if self.kind.is_south() { PortInterface::Sata } else { PortInterface::Ddr2 };
        self.interface.unwrap_or(usual)
    }

    /// The rate of its ATA port.
    pub fn ata_rate(&self) -> Rate {
        let usual = if self.port() == PortInterface::Pata { 133_000_000 } else { 300_000_000 };
        self.ata.rate.unwrap_or(Rate(usual))
    }
}

/// What chipset, memory and operating system can do. An attachment that needs what is missing is refused (slides, "4
/// Architectural Choices", which list what each of them needs).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Platform {
    /// Whether the north bridge's DRAM controller has a DMA engine: the DRAM interface needs it.
    pub north_dma: bool,
    /// Whether that controller waits for DQS: a drive cannot promise a latency, as DRAM does, and needs that on a DRAM
    /// interface.
    pub dqs: bool,
    /// Whether main memory and its controller have a second port: a direct path needs it.
    pub dual_port_dram: bool,
    /// Whether the operating system packs the commands of two DMAs into one: a second port needs it.
    pub command_packing: bool,
}

impl Default for Platform {
    fn default() -> Self {
        Platform { north_dma: true, dqs: true, dual_port_dram: true, command_packing: true }
    }
}

/// DMA engines: in the south bridge, in the north bridge, and in the drive for the direct path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dma {
    /// Bytes that are arbitrated and cross at a time. Assumed: a sector, the smallest transfer of the slides' charts.
    pub chunk: Size,
    /// Chunks of a write to the drive that are under way at a time: an engine asks memory for each and waits for the
    /// answer. 1: the next is asked for when the last one has arrived at the drive (slides, "DMA write (consecutive)").
    /// Reads from the drive are posted and follow each other without gaps ("DMA read (pipelined)").
    #[schemars(range(min = 1, max = 4096))]
    pub write_window: u32,
}

impl Default for Dma {
    fn default() -> Self {
        Dma { chunk: Size(512), write_window: 1 }
    }
}

/// North bridge, south bridge, and the PCI Express link between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bridges {
    /// Time the north bridge takes to grant and pass a chunk or a message, one at a time. Assumed: a few cycles at 266
    /// MHz.
    pub north_arbitration: Duration,
    /// The same of the south bridge. Assumed: twice as long, at 133 MHz.
    pub south_arbitration: Duration,
    /// Lanes of the link between them (ICH8: DMI, four lanes; Intel document 313056).
    #[schemars(range(min = 1, max = 32))]
    pub lanes: u32,
    /// Rate of a lane in one direction (PCI Express 1.1: 2.5 GT/s, 8b/10b).
    pub lane_rate: Rate,
    /// Time a packet takes from end to end beside its transfer, each way. Assumed.
    pub latency: Duration,
    /// Largest payload of a packet (128 B, the smallest that PCI Express allows, is what chipsets of the time have).
    pub max_payload: Size,
    /// Bytes that framing, data link layer and header add to each packet (2 + 6 + 20: PCI Express Base 3.1 §2.2, §3.5,
    /// §4.2).
    #[schemars(range(min = 0, max = 64))]
    pub packet_overhead_bytes: u32,
}

impl Default for Bridges {
    fn default() -> Self {
        Bridges {
            north_arbitration: Duration::from_ns(20),
            south_arbitration: Duration::from_ns(40),
            lanes: 4,
            lane_rate: Rate(250_000_000),
            latency: Duration::from_ns(100),
            max_payload: Size(128),
            packet_overhead_bytes: 28,
        }
    }
}

/// ATA: one transfer at a time, in one direction at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ata {
    /// Its rate. Without this: 133 MB/s if it is parallel, 300 MB/s if it is serial (slides, "133 ~ 300 MB/s").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Most data in a frame of Serial ATA (Serial ATA 2.6 §10.3.11: 2048 double words).
    pub frame: Size,
    /// Bytes that each of its data frames adds: start, type, check and end (Serial ATA 2.6 §9.4, a double word each).
    #[schemars(range(min = 0, max = 1024))]
    pub frame_overhead_bytes: u32,
    /// Time in which the ends agree on a data frame and on its receipt (X_RDY and R_RDY, WTRM and R_OK). Assumed.
    pub handshake: Duration,
}

impl Default for Ata {
    fn default() -> Self {
        Ata { rate: None, frame: Size(8192), frame_overhead_bytes: 16, handshake: Duration::from_ns(200) }
    }
}

/// A DDR2 channel: 64 bits, one access at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ddr {
    /// Data rate (slides: DDR2-800, 6.4 GB/s).
    pub rate: Rate,
    /// Time to open a row (tRCD; 12.5 ns of DDR2-800 5-5-5: JESD79-2, table of speed bins).
    pub trcd: Duration,
    /// Time from the read command to the data (CL).
    pub tcl: Duration,
    /// Time to close a row (tRP).
    pub trp: Duration,
    /// Bytes of a row: eight chips with pages of 1 KiB.
    pub row: Size,
    /// Smallest access: a burst of eight on 64 bits.
    pub burst: Size,
    /// Time the channel loses when it turns from reading to writing or from one rank to the other (tWTR of DDR2-800,
    /// JESD79-2).
    pub turnaround: Duration,
    /// Time from the drive's DQS, which says that data (or room for data) are ready, to the access. Assumed: two clocks
    /// of 400 MHz.
    pub dqs_delay: Duration,
    /// Whether the drive's DRAM interface is a rank of main memory's channel, so that data cross it twice. Assumed: the
    /// slides give the north bridge 6.4 GB/s in all.
    pub shared: bool,
}

impl Default for Ddr {
    fn default() -> Self {
        Ddr {
            rate: Rate(6_400_000_000),
            trcd: Duration(12_500),
            tcl: Duration(12_500),
            trp: Duration(12_500),
            row: Size(8192),
            burst: Size(64),
            turnaround: Duration(7_500),
            dqs_delay: Duration(5_000),
            shared: true,
        }
    }
}

/// The path from a drive's second port to main memory's second port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Direct {
    /// Its rate. Assumed: that of DDR2-800, as main memory's first port.
    pub rate: Rate,
    /// How data are divided between this path and the bridges.
    pub division: Division,
    /// Part of a divided transfer that takes this path. Assumed: half.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
}

impl Default for Direct {
    fn default() -> Self {
        Direct { rate: Rate(6_400_000_000), division: Division::default(), share: 0.5 }
    }
}
