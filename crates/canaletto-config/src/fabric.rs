//! Keys of the interconnect between controller and chips, each with unit, default and source.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
pub use crate::bus_load::BusLoad;
pub use crate::fabric_failures::FabricFailures;
pub use crate::kinds::FabricKind;
pub use crate::own::fabric::Blueprint;
use crate::sequences::table;
pub use crate::sequences::{
    Interface, Place, Planes, Ready, Sequence, SequenceKind, SequenceTable, Status, Step, What, interface_times,
};
use crate::time::Time;
use crate::units::{Duration, Rate, Size};

/// Place where the array's turnaround times (tWB, tRR, tADL, tDBSY) are spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turnarounds {
    /// In the chip: equal for every fabric, and the wires stay free. Assumed, because some hundred nanoseconds of
    /// turnaround would otherwise count against the bus alone.
    #[default]
    InChip,
    /// On the wires: the bus is held, as MQSim counts it. Not available for packets.
    OnWires,
}

/// Transfers that a free path carries first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransferOrder {
    /// Data of finished reads, then new commands.
    #[default]
    DataFirst,
    /// New commands, then data. Chips are kept busy at the cost of waiting data.
    CommandsFirst,
}

/// Order of waiting read data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataQueue {
    /// Order in which they left the array.
    #[default]
    Fifo,
    /// Order in which their requests arrived.
    OldestRequest,
}

/// Commands whose path stays held while the array works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HoldPath {
    /// None: command and data are separate transfers.
    #[default]
    Never,
    /// Reads: one path from the command to the last of its data. On `venice` a circuit is so reserved once for an I/O
    /// (Venice §4.2: before "initiating the command and data transfer"). Programs and erases give theirs back.
    Reads,
    /// All, programs and erases until the array is done with them.
    Always,
}

impl HoldPath {
    /// Name in designs.
    pub fn name(self) -> &'static str {
        match self {
            HoldPath::Never => "never",
            HoldPath::Reads => "reads",
            HoldPath::Always => "always",
        }
    }
}

/// Time of each of the two beats of a burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BeatTime {
    /// Half a burst at the link rate.
    #[default]
    Exact,
    /// Whole nanoseconds, rounded down, as in MQSim: above 1,000 million beats a second transfers take no time.
    WholeNanoseconds,
}

/// Interconnect between controller and chips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// Kind of interconnect.
    pub kind: FabricKind,
    /// Data rate of eight data pins of a bus. `packetized` has twice as many pins. Links between routers have the same
    /// rate unless `network.link_rate` is given.
    pub link_rate: Rate,
    /// Size of a burst in bytes. Data cross in whole bursts, and a remainder costs nothing (MQSim: two beats of the
    /// channel). 0 counts every byte. For `bus` and `ideal` only, because packets cross flit by flit.
    #[serde(default)]
    #[schemars(range(min = 0, max = 4096))]
    pub burst_bytes: u32,
    /// Time of each of the two beats of a burst.
    #[serde(default)]
    pub beat_time: BeatTime,
    /// Command and address timing of the flash interface.
    #[serde(default = "nv_ddr2")]
    pub interface: Interface,
    /// Table of command sequences, with the times of `interface`.
    #[serde(default)]
    pub sequences: SequenceKind,
    /// User-defined sequences, instead of the table that `sequences` names. `canaletto sequences` prints any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Box<SequenceTable>>,
    /// Status of LUNs, for sequences that have one (`sequences = "full"`).
    #[serde(default)]
    pub status: Status,
    /// Time of every command, instead of the interface's cycles (or a packet's flits) and the array's turnarounds, for
    /// textbook examples such as Venice §3.1. Such commands have no status and change no column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_time: Option<Duration>,
    /// Place where the array's turnaround times are spent, for `bus` and `ideal`. Packets never hold the wires for the
    /// chip.
    #[serde(default)]
    pub turnarounds: Turnarounds,
    /// Transfers that a free path carries first. The firmware of Cosmos+ OpenSSD issues commands before it moves data.
    #[serde(default)]
    pub transfer_order: TransferOrder,
    /// Time that read data have waited for a path after which they go before commands, with `transfer_order =
    /// "commands-first"`. Absent: commands always go first, and data wait as long as there are any. A time rather than a
    /// number of commands, because one domain may have many paths (`omnibus`, `venice`), on which others' data would be
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_bound: Option<Duration>,
    /// Order of waiting read data.
    #[serde(default)]
    pub data_queue: DataQueue,
    /// Commands whose path stays held while the array works, and then carries the data. Some fabrics take `never` only:
    /// `mesh`, because packets hold no path; `omnibus-split` and `sca`, because a page takes two paths; `daisy-chain`, `ring`, and
    /// `clusters` with `clusters.chunk`.
    #[serde(default)]
    pub hold_path: HoldPath,
    /// Keys of `sca`.
    #[serde(default)]
    pub sca: Sca,
    /// Keys of `omnibus` and `omnibus-split`, and of pages that go from chip to chip on `clusters` and `scheduled-mesh`.
    #[serde(default)]
    pub omnibus: Omnibus,
    /// Keys of `clusters`.
    #[serde(default)]
    pub clusters: Clusters,
    /// Load on the buses of `bus`, `packetized` and `ideal`.
    #[serde(default)]
    pub load: BusLoad,
    /// Keys of `daisy-chain` and `ring`.
    #[serde(default)]
    pub chain: Chain,
    /// Links and controllers of `mesh`, `venice`, `scheduled-mesh` and `custom`.
    #[serde(default)]
    pub network: Network,
    /// Parts that fail.
    #[serde(default)]
    pub failures: FabricFailures,
    /// Keys of `custom`.
    #[serde(default)]
    pub custom: Custom,
    /// Links and plan of `custom`, if they are not a mesh with shortest ways.
    #[serde(skip)]
    pub blueprint: Option<Blueprint>,
    /// Keys of `mesh` and `mesh-2bit`.
    #[serde(default)]
    pub mesh: Mesh,
    /// Keys of `venice`.
    #[serde(default)]
    pub venice: Venice,
    /// Keys of `scheduled-mesh`.
    #[serde(default)]
    pub scheduled_mesh: ScheduledMesh,
}

/// Pins of a channel that carry commands and addresses alone (JESD230G §10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sca {
    /// Number of command and address pins of a channel. Default: 2 (JESD230G: CA[1:0], instead of CLE and ALE).
    #[schemars(range(min = 1, max = 8))]
    pub ca_width: u32,
    /// Data rate of eight command and address pins. Assumed: 400 MB/s, which is both edges of a clock of 200 MHz. A
    /// read's command then takes 125 ns with the chip's selection. "Five-Minute Rule 40 Years Later" (arXiv 2511.03944,
    /// Table II) has 100 to 200 ns per command.
    pub ca_rate: Rate,
}

/// Control plane: one shared medium inside the controller chip, over which flash controllers send each other requests,
/// grants and the status of buffers (Networked SSD §V-D, Fig. 11). The paper gives no figures: all are assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControlPlane {
    /// Number of wires. Assumed: 32.
    #[schemars(range(min = 1, max = 4096))]
    pub width: u32,
    /// Data rate of eight of them. Assumed: 1 GHz.
    pub rate: Rate,
    /// Time that a controller takes from a message to its answer. Assumed: three cycles of 1 GHz.
    pub delay: Duration,
}

/// Two-dimensional buses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Omnibus {
    /// Control plane, over which flash controllers agree on column buses and buffers.
    pub control: ControlPlane,
    /// Number of V-page registers of a chip, in which it receives pages from other chips (Networked SSD §VIII: "two
    /// additional 16kB page buffers").
    #[schemars(range(min = 1, max = 16))]
    pub v_page_registers: u32,
    /// Treatment of errors in pages that move from chip to chip (Networked SSD §VIII, "On-die ECC functions").
    pub chip_to_chip_ecc: ChipToChipEcc,
    /// Time that a chip takes to look for errors with `chip_to_chip_ecc = "detect"`. Assumed: 2 us, because the paper
    /// gives no time.
    pub detect_time: Duration,
    /// Number of wrong bits of a codeword up to which a chip lets a page pass with `chip_to_chip_ecc = "detect"`. A page
    /// with more is read again and passes the controller (Networked SSD §VIII, "hierarchical ECC"). Assumed: 36, half of
    /// what `controller.ecc.correctable_bits` corrects.
    pub detect_bits: u32,
    /// Number of copies of a page after which one passes the controller with `chip_to_chip_ecc = "via-controller"`.
    #[schemars(range(min = 1, max = 255))]
    pub via_controller_every: u32,
    /// Size of the chunks in which the end of a page goes over its chip's other bus, if that is free while the page
    /// crosses on one (`omnibus` only). A multiple of `controller.ecc.codeword`. "0B" (default): a page that has begun
    /// on one bus stays there.
    pub late_split: Size,
    /// Number of transfers that a controller serves at the same time: 2 (default), one on its row bus and one on its column bus, or 1
    /// (`omnibus` only). The paper draws one controller for both buses and does not say which.
    #[schemars(range(min = 1, max = 2))]
    pub transfers_per_controller: u32,
}

/// Clusters of chips behind switches, each of which hangs on the trunks of several controllers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Clusters {
    /// Number of chips of a switch, which are numbered one after the other; the last switch has what remains. Default: 8, a
    /// row of the papers' arrays.
    #[schemars(range(min = 1, max = 64))]
    pub chips_per_switch: u32,
    /// Number of inner buses of a switch, which share its chips equally. Default: 4.
    #[schemars(range(min = 1, max = 64))]
    pub inner_buses: u32,
    /// Number of trunks that a switch hangs on, at most `geometry.channels`, since each controller has one. Default: 4, or all
    /// where there are fewer controllers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub trunks: Option<u32>,
    /// Time from the last bit of a grant until the switch has joined trunk and inner bus. Assumed: 20 ns.
    pub setup: Duration,
    /// Time that a byte spends in a switch. Assumed: two cycles of 1 GHz, one to take it in and one to drive it on.
    pub delay: Duration,
    /// Number of pins over which the arbiter grants a switch its circuits. Assumed: 2, as for `fabric.sca.ca_width`.
    #[schemars(range(min = 1, max = 8))]
    pub grant_width: u32,
    /// Data rate of eight such pins. Assumed: 400 MB/s, as for `fabric.sca.ca_rate`.
    pub grant_rate: Rate,
    /// Payload of the parts in which data cross, each over its own circuit. Between two parts the path is free for
    /// others while the chip turns to the next column (tCCS). "0B" (default): data cross as a whole. An ECC word crosses with
    /// each part, so that it can be corrected by itself. Assumed: 126 B, of a BCH code that corrects 72 bits of 1 KiB
    /// (72 × 14 bits).
    pub chunk: Size,
}

/// Chips that pass packets on to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Chain {
    /// Time from a packet on one link to the packet on the next link. Assumed: 10 ns, two cycles of 200 MHz, one to take a byte in
    /// and one to drive it on; 5 ns to 20 ns.
    pub hop_delay: Duration,
}

/// Treatment of errors in pages that move from chip to chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChipToChipEcc {
    /// No check.
    #[default]
    None,
    /// The receiving chip looks for errors before it programs the page.
    Detect,
    /// Every `via_controller_every`-th copy of a page passes the controller, which corrects it.
    ViaController,
}

/// Attachment of controllers to a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ControllerEdge {
    /// West end of each row (Venice Fig. 5, NoSSD).
    #[default]
    West,
    /// West end of even rows, east end of odd rows.
    Alternating,
}

/// Network of routers, one at each chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Data rate of a link of eight data pins. Absent: `fabric.link_rate`, so that fabrics are compared at one rate per
    /// wire. The presets of Venice's Table 1 state 1 GB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_rate: Option<Rate>,
    /// Time that a packet's header or a scout spends in a router. Default: one cycle of 1 GHz (Venice Table 1). On `scheduled-mesh`
    /// nothing stops at a router.
    pub router_delay: Duration,
    /// Attachment of controllers to the network.
    pub controllers: ControllerEdge,
    /// Whether chips of `venice`, `mesh` and `mesh-2bit` send pages to other chips: copies of garbage collection (`gc.scope`), and
    /// operands of tasks (`flow.compute`). Default: no, because circuits and packets of the papers begin or end at controllers.
    pub chip_to_chip: bool,
}

/// Controller that a packet comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshController {
    /// Controller of the chip's row.
    #[default]
    OwnRow,
    /// Controller with the fewest bytes in flight to and from it; the nearest among equals. Data then cross the
    /// controllers' column to other rows.
    LeastLoaded,
}

/// Packet-switched mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mesh {
    /// Buffer of each input port of a router (Venice §3.2: 16 KB).
    pub buffer: Size,
    /// Largest payload of a data packet. Larger pages cross in several packets. Assumed: 4 KiB, because virtual
    /// cut-through needs packets that fit a buffer with their header, and NoSSD's size is not published.
    pub packet: Size,
    /// Controller that serves a transfer. Assumed: the chip's row's, as with the channels that the mesh replaces;
    /// neither paper says how another would be chosen.
    pub controller: MeshController,
}

/// Model of scout packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scouts {
    /// Scouts travel hop by hop, at the same time. Each reserves and cancels link after link, and they obstruct each
    /// other.
    #[default]
    HopByHop,
    /// A scout reserves its whole path at the moment it sets out, and takes the time of its hops.
    Atomic,
    /// Hop by hop like the routers of `rtl/`, cycle by cycle. Scouts set out in their controllers' slots (every other
    /// cycle of a link). If several arrive in one cycle, the lowest controller's goes first. Read data cross the
    /// circuit's length twice, because strobes ask the chip for them. Needs `fabric.network.router_delay` of one byte's
    /// time on a link and `tear_down = "wire"`.
    Clocked,
}

/// Moment at which a failed scout is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Retry {
    /// When a circuit that crosses the controller's own router is torn down, or `retry_interval` after the failure.
    /// Both need no knowledge of the rest of the network.
    #[default]
    Local,
    /// When a circuit has been torn down anywhere and free links lead to the chip: an oracle, the most that hardware
    /// could gain.
    Oracle,
    /// At once (Venice §4.2, as printed).
    Immediate,
}

/// Means by which a circuit's routers learn that its transfer is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TearDown {
    /// A packet in cancel mode follows the last byte from the controller to the chip, as fast as a scout, and frees link after
    /// link. The controller is busy until the packet is at its router, the chip's port until it is there.
    #[default]
    Packet,
    /// A wire from each controller to all routers: everything is free at once.
    Wire,
}

/// Controller that a circuit starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VeniceController {
    /// Nearest free controller; the one with the lowest number among equals (Venice §4.2).
    #[default]
    NearestFree,
    /// Controller of the chip's row only.
    OwnRow,
}

/// Circuits reserved by scouts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Venice {
    /// Model of scout packets.
    pub scouts: Scouts,
    /// Moment at which a scout is sent again. As printed, it is sent at once (§4.2, `immediate`); scouts that search in
    /// vain hold links that others need.
    pub retry: Retry,
    /// Time after which a scout that failed is sent again with `retry = "local"`. Assumed: 1 us, a quarter of a 4 KiB
    /// page's time on a link.
    pub retry_interval: Duration,
    /// Means by which a circuit's routers learn that its transfer is over. Assumed, because the paper does not say how
    /// circuits end: the cancel mode that it has for scouts (Fig. 6).
    pub tear_down: TearDown,
    /// Controller that serves a transfer.
    pub controller: VeniceController,
    /// Whether circuits follow the paper's text (§4.2): one reservation per flash operation, held from the command to
    /// the data. Scouts are sent again at once, and circuits end in no time. Used instead of `retry`, `tear_down` and
    /// `fabric.hold_path`.
    pub as_printed: bool,
}

impl Venice {
    /// Moment at which a scout is sent again.
    pub fn retries(&self) -> Retry {
        if self.as_printed { Retry::Immediate } else { self.retry }
    }

    /// Means by which routers learn that a transfer is over.
    pub fn tears_down(&self) -> TearDown {
        if self.as_printed { TearDown::Wire } else { self.tear_down }
    }
}

/// Links and user-defined ways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Custom {
    /// Time from a decision to the first cycle of a transfer. Default: 0 ns, so that finding ways and telling them costs nothing and
    /// results are a bound; `fabric.scheduled_mesh` and `fabric.venice` say what it costs there.
    pub grant_delay: Duration,
    /// Rule by which a transfer gets its circuit, unless a user-defined class decides.
    pub route: CircuitRoute,
}

/// Rule by which a transfer gets a circuit of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CircuitRoute {
    /// A shortest way over free links, to the nearest controller that it reaches.
    #[default]
    Shortest,
    /// The way along the row, then along the column, from the nearest free controller, the lowest among equals. If a link of it is
    /// taken, the transfer waits: NoSSD's dimension-order routing (Venice §3.2) as a circuit.
    XThenY,
}

/// Circuits granted by a central arbiter, on routers and links as in `venice`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScheduledMesh {
    /// Time of a step of the arbiter's search, a link on the way out and a link on the way back. It takes any shortest way over free links
    /// from a free controller, one after the other. Assumed: a cycle of 1 GHz, with a cell for every router that all step at once.
    pub search_step: Duration,
    /// Time from the last bit of a grant until routers have set their switches. Assumed: 20 ns, as for
    /// `fabric.clusters.setup`.
    pub setup: Duration,
    /// Number of pins over which the arbiter grants circuits to the routers of a row, which share them. Assumed: 2, as for
    /// `fabric.sca.ca_width`.
    #[schemars(range(min = 1, max = 8))]
    pub grant_width: u32,
    /// Data rate of eight such pins. Assumed: 400 MB/s, as for `fabric.sca.ca_rate`.
    pub grant_rate: Rate,
}

fn nv_ddr2() -> Interface {
    Interface::NvDdr2
}

impl Fabric {
    /// Whether sequences may have more than commands, addresses and data.
    pub fn has_full_sequences(&self) -> bool {
        self.command_time.is_none() && (self.steps.is_some() || self.sequences == SequenceKind::Full)
    }

    /// Pins for commands alone, or for a line's grants, and the rate of eight of them.
    pub fn control_pins(&self) -> (u32, Rate) {
        match self.kind {
            FabricKind::Clusters => (self.clusters.grant_width, self.clusters.grant_rate),
            FabricKind::ScheduledMesh => (self.scheduled_mesh.grant_width, self.scheduled_mesh.grant_rate),
            _ => (self.sca.ca_width, self.sca.ca_rate),
        }
    }

    /// Data rate of a link between routers.
    pub fn network_rate(&self) -> Rate {
        self.network.link_rate.unwrap_or(self.link_rate)
    }

    /// Operations whose path is held.
    pub fn holds(&self) -> HoldPath {
        if self.kind == FabricKind::Venice && self.venice.as_printed { HoldPath::Always } else { self.hold_path }
    }

    /// The sequences of its commands.
    pub fn sequence_table(&self) -> &SequenceTable {
        self.steps.as_deref().unwrap_or_else(|| table(self.sequences))
    }

    /// To the nearest picosecond: bursts stand for clock periods, whose rate may be rounded.
    pub fn burst_time(&self) -> Time {
        let (bytes, rate) = (u128::from(self.burst_bytes), u128::from(self.link_rate.0));
        match self.beat_time {
            BeatTime::Exact => Time(((bytes * 1_000_000_000_000 + rate / 2) / rate) as u64),
            BeatTime::WholeNanoseconds => Time::from_ns(2 * (bytes * 1_000_000_000 / (2 * rate)) as u64),
        }
    }

    /// An interconnect with default values for all other keys.
    pub fn new(kind: FabricKind, link_rate: Rate) -> Fabric {
        Fabric {
            kind,
            link_rate,
            burst_bytes: 0,
            beat_time: BeatTime::default(),
            interface: nv_ddr2(),
            sequences: SequenceKind::default(),
            steps: None,
            status: Status::default(),
            command_time: None,
            turnarounds: Turnarounds::default(),
            transfer_order: TransferOrder::default(),
            order_bound: None,
            data_queue: DataQueue::default(),
            hold_path: HoldPath::default(),
            sca: Sca::default(),
            omnibus: Omnibus::default(),
            clusters: Clusters::default(),
            load: BusLoad::default(),
            chain: Chain::default(),
            network: Network::default(),
            failures: FabricFailures::default(),
            custom: Custom::default(),
            blueprint: None,
            mesh: Mesh::default(),
            venice: Venice::default(),
            scheduled_mesh: ScheduledMesh::default(),
        }
    }
}

impl Default for Sca {
    fn default() -> Self {
        Sca { ca_width: 2, ca_rate: Rate(400_000_000) }
    }
}

impl Default for Chain {
    fn default() -> Self {
        Chain { hop_delay: Duration(10_000) }
    }
}

impl Default for ControlPlane {
    fn default() -> Self {
        ControlPlane { width: 32, rate: Rate(1_000_000_000), delay: Duration(3_000) }
    }
}

impl Default for Omnibus {
    fn default() -> Self {
        Omnibus {
            control: ControlPlane::default(),
            v_page_registers: 2,
            chip_to_chip_ecc: ChipToChipEcc::None,
            detect_time: Duration(2_000_000),
            detect_bits: 36,
            via_controller_every: 4,
            late_split: Size(0),
            transfers_per_controller: 2,
        }
    }
}

impl Clusters {
    /// Trunks per switch with that many controllers.
    pub fn trunks(&self, controllers: u32) -> u32 {
        self.trunks.unwrap_or(4).min(controllers)
    }

    /// Chips of an inner bus.
    pub fn chips_per_bus(&self) -> u32 {
        self.chips_per_switch.div_ceil(self.inner_buses)
    }
}

impl Default for Clusters {
    fn default() -> Self {
        Clusters {
            chips_per_switch: 8,
            inner_buses: 4,
            trunks: None,
            setup: Duration(20_000),
            delay: Duration(2_000),
            grant_width: 2,
            grant_rate: Rate(400_000_000),
            chunk: Size(0),
        }
    }
}

impl Default for Venice {
    fn default() -> Self {
        Venice {
            scouts: Scouts::default(),
            retry: Retry::default(),
            retry_interval: Duration(1_000_000),
            tear_down: TearDown::default(),
            controller: VeniceController::default(),
            as_printed: false,
        }
    }
}

impl Default for Custom {
    fn default() -> Self {
        Custom { grant_delay: Duration(0), route: CircuitRoute::default() }
    }
}

impl Default for ScheduledMesh {
    fn default() -> Self {
        ScheduledMesh {
            search_step: Duration(1_000),
            setup: Duration(20_000),
            grant_width: 2,
            grant_rate: Rate(400_000_000),
        }
    }
}

impl Default for Network {
    fn default() -> Self {
        Network {
            link_rate: None,
            router_delay: Duration(1_000),
            controllers: ControllerEdge::default(),
            chip_to_chip: false,
        }
    }
}

impl Default for Mesh {
    fn default() -> Self {
        Mesh { buffer: Size(16_384), packet: Size(4096), controller: MeshController::default() }
    }
}
