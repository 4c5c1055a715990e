//! Keys of a drive's attachment to a PC, each with unit, default and source.
//!
//! "Slides" below are D. Kim, K. Bang, E.-Y. Chung and S. Yoon, "Architecture Exploration of High-Performance PCs with
//! a Solid-State Disk". They name the parts (Intel 965 and ICH8, PCIe between the bridges, DDR2-800) and few numbers.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::units::{Duration, Rate, Size, in_bytes};

/// Place of the drive in a PC, and number of its paths to main memory (slides, "4 Architectural Choices").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AttachmentKind {
    /// No PC: the drive's `link` leads to the host's memory.
    #[default]
    None,
    /// South bridge, single port: the conventional PC.
    Sbsp,
    /// North bridge, single port.
    Nbsp,
    /// South bridge, dual port. The second port leads to main memory's second port.
    Sbdp,
    /// North bridge, dual port. The second port leads to main memory's second port.
    Nbdp,
}

impl AttachmentKind {
    /// All kinds but `None`.
    pub const ALL: [AttachmentKind; 4] =
        [AttachmentKind::Sbsp, AttachmentKind::Nbsp, AttachmentKind::Sbdp, AttachmentKind::Nbdp];

    /// Name in designs and results.
    pub fn name(self) -> &'static str {
        match self {
            AttachmentKind::None => "none",
            AttachmentKind::Sbsp => "sbsp",
            AttachmentKind::Nbsp => "nbsp",
            AttachmentKind::Sbdp => "sbdp",
            AttachmentKind::Nbdp => "nbdp",
        }
    }

    /// Whether the drive is attached to the south bridge.
    pub fn is_south(self) -> bool {
        matches!(self, AttachmentKind::Sbsp | AttachmentKind::Sbdp)
    }

    /// Whether the drive has a second port.
    pub fn is_dual(self) -> bool {
        matches!(self, AttachmentKind::Sbdp | AttachmentKind::Nbdp)
    }
}

/// Interface between bridge and drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PortInterface {
    /// Parallel ATA: Ultra DMA, without frames.
    Pata,
    /// Serial ATA: data in frames.
    Sata,
    /// DRAM interface: DDR2 with a DQS signal when data are ready. For the north bridge only.
    Ddr2,
}

impl PortInterface {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            PortInterface::Pata => "pata",
            PortInterface::Sata => "sata",
            PortInterface::Ddr2 => "ddr2",
        }
    }
}

/// Division of data between the two paths of a dual-port drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Division {
    /// Each transfer uses both paths, with the share `direct.share` on the direct one. Assumed from the slides' "DMA
    /// command pack for dual DMA"; of the network download they say "solely via the direct path".
    #[default]
    Split,
    /// Data of writes use the direct path, data of reads the bridges.
    ByDirection,
}

/// Attachment of the drive to a PC. With a `kind` other than `none`, this path replaces the `link` between host and
/// drive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Attachment {
    /// Place of the drive and number of its paths.
    pub kind: AttachmentKind,
    /// Interface of the drive's port. Absent: `sata` at the south bridge, `ddr2` at the north bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<PortInterface>,
    /// Capabilities of chipset, memory and operating system.
    pub platform: Platform,
    /// DMA engines.
    pub dma: Dma,
    /// Bridges and the link between them.
    pub bridges: Bridges,
    /// ATA port, parallel or serial.
    pub ata: Ata,
    /// Channel of main memory, and the drive's port if that is a DRAM interface.
    pub ddr: Ddr,
    /// Direct path of a dual-port drive.
    pub direct: Direct,
}

impl Attachment {
    /// Interface of the drive's port.
    pub fn port(&self) -> PortInterface {
        let usual = if self.kind.is_south() { PortInterface::Sata } else { PortInterface::Ddr2 };
        self.interface.unwrap_or(usual)
    }

    /// Rate of its ATA port.
    pub fn ata_rate(&self) -> Rate {
        let usual = if self.port() == PortInterface::Pata { 133_000_000 } else { 300_000_000 };
        self.ata.rate.unwrap_or(Rate(usual))
    }
}

/// Capabilities of chipset, memory and operating system. An attachment that needs a missing one is refused (slides, "4
/// Architectural Choices", which list the needs of each).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Platform {
    /// Whether the north bridge's DRAM controller has a DMA engine. The DRAM interface needs it.
    pub north_dma: bool,
    /// Whether that controller waits for DQS. A DRAM interface needs it, because a drive cannot promise a latency as
    /// DRAM does.
    pub dqs: bool,
    /// Whether main memory and its controller have a second port. A direct path needs it.
    pub dual_port_dram: bool,
    /// Whether the operating system packs the commands of two DMAs into one. A second port needs it.
    pub command_packing: bool,
}

impl Default for Platform {
    fn default() -> Self {
        Platform { north_dma: true, dqs: true, dual_port_dram: true, command_packing: true }
    }
}

/// DMA engines in the south bridge, in the north bridge, and in the drive for the direct path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dma {
    /// Size of a chunk, which is arbitrated and transferred as a whole. Assumed: a sector, the smallest transfer of the
    /// slides' charts.
    pub chunk: Size,
    /// Chunks of a write to the drive in flight at a time. An engine asks memory for each and waits for the answer.
    /// With 1, the next is requested when the last one has arrived (slides, "DMA write (consecutive)"). Reads from the
    /// drive are posted and follow each other without gaps ("DMA read (pipelined)").
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
    /// Time that the north bridge takes to grant and pass a chunk or a message, one at a time. Assumed: 20 ns, a few
    /// cycles at 266 MHz.
    pub north_arbitration: Duration,
    /// Time that the south bridge takes to grant and pass a chunk or a message, one at a time. Assumed: twice the north
    /// bridge's, at 133 MHz.
    pub south_arbitration: Duration,
    /// Number of lanes of the link between the bridges (ICH8: DMI, four lanes; Intel document 313056).
    #[schemars(range(min = 1, max = 32))]
    pub lanes: u32,
    /// Rate of a lane in one direction (PCI Express 1.1: 2.5 GT/s, 8b/10b).
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub lane_rate: Rate,
    /// Latency of a packet in addition to its transfer time, each way. Assumed: 100 ns.
    pub latency: Duration,
    /// Largest payload of a packet (128 B, the smallest that PCI Express allows and usual for chipsets of the time).
    pub max_payload: Size,
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
        }
    }
}

/// ATA port. It carries one transfer at a time, in one direction at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ata {
    /// Rate of the port. Absent: 133 MB/s if it is parallel, 300 MB/s if it is serial (slides, "133 ~ 300 MB/s").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Largest payload of a Serial ATA frame (Serial ATA 2.6 §10.3.11: 2048 double words).
    pub frame: Size,
    /// Time of the handshakes of a data frame (X_RDY and R_RDY, WTRM and R_OK). Assumed: 200 ns.
    pub handshake: Duration,
}

impl Default for Ata {
    fn default() -> Self {
        Ata { rate: None, frame: Size(8192), handshake: Duration::from_ns(200) }
    }
}

/// DDR2 channel of 64 bits, with one access at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ddr {
    /// Data rate (slides: DDR2-800, 6.4 GB/s).
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub rate: Rate,
    /// Time to open a row (tRCD; 12.5 ns of DDR2-800 5-5-5: JESD79-2, table of speed bins).
    pub trcd: Duration,
    /// Time from the read command to the data (CL).
    pub tcl: Duration,
    /// Time to close a row (tRP).
    pub trp: Duration,
    /// Time from the drive's DQS, which announces data or room for data, to the access. Assumed: two clocks of 400 MHz.
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
            dqs_delay: Duration(5_000),
            shared: true,
        }
    }
}

/// Path from a drive's second port to main memory's second port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Direct {
    /// Rate of the path. Assumed: DDR2-800's, as of main memory's first port.
    #[serde(deserialize_with = "in_bytes")]
    #[schemars(with = "crate::units::ByteRate")]
    pub rate: Rate,
    /// Division of data between this path and the bridges.
    pub division: Division,
    /// Share of a divided transfer that takes this path. Assumed: half.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub share: f64,
}

impl Default for Direct {
    fn default() -> Self {
        Direct { rate: Rate(6_400_000_000), division: Division::default(), share: 0.5 }
    }
}
