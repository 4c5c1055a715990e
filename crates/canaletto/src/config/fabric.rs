//! The interconnect between controller and chips: every key, its unit, its default and its reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::units::{Duration, Rate, Size};
pub use crate::fabric::FabricKind;

/// A command table of the flash interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// ONFI NV-DDR2 with the constants that MQSim uses.
    NvDdr2,
    /// ONFI NV-DDR3 timing mode 10 and above (ONFI 4.1 and 5.1 tables).
    NvDdr3,
}

/// Where the array's turnaround times (tWB, tRR, tADL, tDBSY) are spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turnarounds {
    /// In the chip: equal for every fabric, the wires stay free. Otherwise some hundred nanoseconds of turnaround would
    /// count against the bus alone and decide comparisons by fiat.
    #[default]
    InChip,
    /// On the wires: the bus is held, as MQSim counts it. Not for packets.
    OnWires,
}

/// What a free path carries first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransferOrder {
    /// Data of finished reads, then new commands.
    #[default]
    DataFirst,
    /// New commands, then data: chips are kept busy at the cost of waiting data.
    CommandsFirst,
}

/// Which of the waiting read data a free path carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataQueue {
    /// Those that came out of the array first.
    #[default]
    Fifo,
    /// Those whose request arrived first.
    OldestRequest,
}

/// The interconnect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Which interconnect.
    pub kind: FabricKind,
    /// Data rate of eight data pins of a bus; `packetized` has twice as many pins. Links of networks have a rate of their
    /// own, `network.link_rate`.
    pub link_rate: Rate,
    /// Data cross in whole bursts of this many bytes, a remainder costing nothing (MQSim: two beats of the channel).
    /// 0 counts every byte. `bus` and `ideal` only: packets cross flit by flit.
    #[serde(default)]
    #[schemars(range(min = 0, max = 4096))]
    pub burst_bytes: u32,
    /// Command and address timing of the flash interface.
    #[serde(default = "nv_ddr2")]
    pub interface: Interface,
    /// A stated time for every command in place of the interface's cycles (or a packet's flits) and the array's
    /// turnarounds, for textbook examples such as that of Venice §3.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_time: Option<Duration>,
    /// Where array turnaround times are spent: `bus` and `ideal` only, packets never hold the wires for the chip.
    #[serde(default)]
    pub turnarounds: Turnarounds,
    /// What a free path carries first.
    #[serde(default)]
    pub order: TransferOrder,
    /// Which of the waiting read data it carries.
    #[serde(default)]
    pub data_queue: DataQueue,
    /// Whether the path that carried a command stays taken while the array works, and carries the data then. Not for
    /// `mesh`, whose packets hold no path, and not for `omnibus-split`, whose halves take two.
    #[serde(default)]
    pub hold_path: bool,
    /// What only `omnibus` and `omnibus-split` have.
    #[serde(default)]
    pub omnibus: Omnibus,
    /// Links and controllers of `mesh` and `venice`.
    #[serde(default)]
    pub network: Network,
    /// What only `mesh` and `mesh-2bit` have.
    #[serde(default)]
    pub mesh: Mesh,
    /// What only `venice` has.
    #[serde(default)]
    pub venice: Venice,
}

/// Two-dimensional buses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Omnibus {
    /// Time a message between two flash controllers takes (Networked SSD §V-D: request and grant before a transfer over a
    /// column bus that another controller drives). Assumed: the paper gives none; five cycles of 1 GHz.
    pub controller_message: Duration,
    /// V-page registers of a chip, in which it receives pages from other chips (§VIII: "two additional 16kB page buffers").
    #[schemars(range(min = 1, max = 16))]
    pub v_page_registers: u32,
    /// What is done about errors that pages would take with them from chip to chip (§VIII, "On-die ECC functions").
    pub chip_to_chip_ecc: ChipToChipEcc,
    /// For `detect`: how long a chip looks for errors. Assumed: the paper gives no time.
    pub detect_time: Duration,
    /// For `via-controller`: every so many-th copy of a page passes the controller.
    #[schemars(range(min = 1, max = 255))]
    pub via_controller_every: u32,
}

/// What is done about errors in pages that pass no controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChipToChipEcc {
    /// Nothing.
    #[default]
    None,
    /// The receiving chip looks for errors before it programs the page.
    Detect,
    /// Every `via_controller_every`-th copy of a page goes through the controller, which corrects it.
    ViaController,
}

/// Where controllers are attached to a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControllerEdge {
    /// Each at the west end of its row (Venice Fig. 5, NoSSD).
    #[default]
    West,
    /// Those of even rows at the west end, those of odd rows at the east end.
    Alternating,
}

/// A network of routers, one at each chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Data rate of a link of eight data pins: 8 bit at 1 GHz (Venice Table 1).
    pub link_rate: Rate,
    /// Time a packet's header or a scout spends in a router: one cycle of 1 GHz (Venice Table 1).
    pub router_delay: Duration,
    /// Where controllers sit.
    pub controllers: ControllerEdge,
}

/// Which controller a packet comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshController {
    /// The one with the fewest bytes on their way to and from it; the nearest among equals.
    #[default]
    LeastLoaded,
    /// That of the chip's row.
    OwnRow,
}

/// A packet-switched mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mesh {
    /// Buffer of each input port of a router (Venice §3.2: 16 KB).
    pub buffer: Size,
    /// Most payload of a data packet: larger pages cross in several. Assumed: virtual cut-through needs packets that fit a
    /// buffer with their header, and NoSSD's size is not given.
    pub packet: Size,
    /// Which controller serves a transfer.
    pub controller: MeshController,
}

/// How scouts travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scouts {
    /// Hop by hop, all at the same time: each reserves and cancels link after link, and they get in each other's way.
    #[default]
    HopByHop,
    /// All at once: a scout finds its way and reserves it at the moment it sets out, and takes the time of its hops.
    Atomic,
}

/// When a scout that found no way is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Retry {
    /// When a link has become free since.
    #[default]
    OnRelease,
    /// At once (Venice §4.2, as printed).
    Immediate,
}

/// Which controller a circuit starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VeniceController {
    /// The nearest free one, the lowest among equally near ones (Venice §4.2).
    #[default]
    NearestFree,
    /// That of the chip's row only.
    OwnRow,
}

/// Reserved circuits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Venice {
    /// How scouts travel.
    pub scouts: Scouts,
    /// When a scout is sent again.
    pub retry: Retry,
    /// Which controller serves a transfer.
    pub controller: VeniceController,
}

fn nv_ddr2() -> Interface {
    Interface::NvDdr2
}

impl Fabric {
    /// An interconnect with every default.
    pub fn new(kind: FabricKind, link_rate: Rate) -> Fabric {
        Fabric {
            kind,
            link_rate,
            burst_bytes: 0,
            interface: nv_ddr2(),
            command_time: None,
            turnarounds: Turnarounds::default(),
            order: TransferOrder::default(),
            data_queue: DataQueue::default(),
            hold_path: false,
            omnibus: Omnibus::default(),
            network: Network::default(),
            mesh: Mesh::default(),
            venice: Venice::default(),
        }
    }
}

impl Default for Omnibus {
    fn default() -> Self {
        Omnibus {
            controller_message: Duration(5_000),
            v_page_registers: 2,
            chip_to_chip_ecc: ChipToChipEcc::None,
            detect_time: Duration(2_000_000),
            via_controller_every: 4,
        }
    }
}

impl Default for Network {
    fn default() -> Self {
        Network {
            link_rate: Rate(1_000_000_000),
            router_delay: Duration(1_000),
            controllers: ControllerEdge::default(),
        }
    }
}

impl Default for Mesh {
    fn default() -> Self {
        Mesh { buffer: Size(16_384), packet: Size(4096), controller: MeshController::default() }
    }
}
