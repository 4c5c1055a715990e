//! Keys of the host: queues, command fetch, arbitration and the link.

use std::borrow::Cow;
use std::fmt;

#[cfg(test)]
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::JsonSchema;
use crate::units::{ByteRate, Duration, Rate, Size};

/// Host interface and its queues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Host {
    /// Protocol between host and drive.
    pub protocol: Protocol,
    /// Time of the host's software for each request before it enters the queue. One core serves each queue pair (SATA:
    /// one serves all), one request after the other.
    pub submit_time: Duration,
    /// Time of the host's software for each completion, on the same core.
    pub complete_time: Duration,
    /// Time between a completion that the host is notified of and its software that takes it up: delivery of the interrupt,
    /// its entry, the thread that wakes. It occupies no core, and completions wait for it side by side. Default: none, as
    /// with software that polls.
    pub interrupt_latency: Duration,
    /// Number of queue pairs of each flow, one for each core that it runs on. Its requests use them in turn. All
    /// flows together have at most 65,535 (NVM Express Base 2.0 §3.3.1).
    #[schemars(range(min = 1, max = 65_535))]
    pub queues_per_flow: u32,
    /// Number of entries of each submission queue and of each completion queue (NVM Express Base 2.0 §3.3.3: at most
    /// 65,536).
    #[schemars(range(min = 2, max = 65_536))]
    pub queue_entries: u32,
    /// Number of requests of one queue that the drive processes at a time. Further ones wait in the submission queue.
    #[schemars(range(min = 1, max = 65_535))]
    pub fetch_limit: u32,
    /// Number of entries that the drive fetches at a time.
    pub fetch: Fetch,
    /// Number of commands of all queues that the drive processes at a time. `arbitration` chooses the next one. Absent:
    /// no limit next to `fetch_limit`, so that queues do not compete. Observed on the PM9A3 (256) and on client drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_535))]
    pub command_limit: Option<u32>,
    /// Choice of the submission queue that is served next.
    pub arbitration: Arbitration,
    /// Interrupt coalescing.
    pub interrupts: Interrupts,
    /// Whether the drive fetches the PRP list (8 B for each page of the host) of data in more than two pages of 4 KiB
    /// (NVM Express Base 2.0 §4.1.1). Otherwise lists cost nothing.
    pub prp_lists: bool,
    /// Size of a submission queue entry in bytes (64 in NVM Express; 72 in MQSim).
    #[schemars(range(min = 64, max = 128))]
    pub submission_entry_bytes: u32,
    /// Keys of `protocol = "sata"`.
    pub sata: Sata,
}

/// Protocol between host and drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// NVM Express over PCI Express (`link`).
    #[default]
    Nvme,
    /// Serial ATA with native command queuing through an AHCI host bus adapter (`host.sata`).
    Sata,
    /// Loads and stores over `link`, as to a memory: an access is one packet, with the data of a write, and its answer is one,
    /// with the data of a read. There are no queues, doorbells and completions. `command_limit` bounds the accesses under way.
    Memory,
}

/// Number of submission queue entries that the drive fetches at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fetch {
    /// All waiting entries, in one read of the queue.
    #[default]
    AllWaiting,
    /// One entry for each doorbell and one for each finished request, as MQSim.
    OnePerDoorbell,
}

/// Arbitration among submission queues (NVM Express Base 2.0 §3.4.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Arbitration {
    /// Arbitration mechanism.
    pub method: ArbitrationMethod,
    /// Number of commands taken from one queue before the next queue is served. 0 stands for no limit.
    #[schemars(range(min = 0, max = 64))]
    pub burst: u32,
    /// Weight of the class `high` with `method = "weighted"`: commands in a round. A flow's `priority` is the class of
    /// its queues.
    #[schemars(range(min = 1, max = 256))]
    pub high: u32,
    /// Weight of the class `medium`: commands in a round.
    #[schemars(range(min = 1, max = 256))]
    pub medium: u32,
    /// Weight of the class `low`: commands in a round.
    #[schemars(range(min = 1, max = 256))]
    pub low: u32,
}

/// Arbitration mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArbitrationMethod {
    /// Round robin among all queues.
    #[default]
    RoundRobin,
    /// Urgent queues first, then the classes high, medium and low by their weights, with round robin within each class.
    Weighted,
}

/// Interrupt coalescing (NVM Express Base 2.0 §5.27.1.6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Interrupts {
    /// Number of waiting completions of a queue that triggers an interrupt.
    #[schemars(range(min = 1, max = 256))]
    pub threshold: u32,
    /// Longest time that a completion waits for the threshold. `"0us"` turns coalescing off.
    pub time: Duration,
}

/// Serial ATA.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sata {
    /// Generation of the interface. Generations 1, 2 and 3 send 1.5, 3 and 6 Gbit/s with 8b/10b coding (Serial ATA 3.1
    /// §7.2).
    #[schemars(range(min = 1, max = 3))]
    pub generation: u32,
    /// Number of commands that the drive queues, at most 32 (native command queuing: Serial ATA 3.1 §13.6).
    #[schemars(range(min = 1, max = 32))]
    pub slots: u32,
    /// Time between two frames in addition to the primitives that are sent: reaction of both ends, cable. Assumed: 0.
    pub frame_gap: Duration,
}

/// Link between host and drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Kind of link.
    #[serde(default)]
    pub kind: LinkKind,
    /// Number of lanes, or of data pins of `kind = "hbm"`. PCI Express has at most 32.
    #[schemars(range(min = 1, max = 4096))]
    pub lanes: u32,
    /// Data rate of one lane in one direction, after line coding, or a generation of PCI Express, `"gen1"` to `"gen7"`.
    pub lane_rate: LaneRate,
    /// Latency of a packet in addition to its transfer time (propagation, switches, root complex), each way.
    #[serde(default = "no_time")]
    pub latency: Duration,
    /// Largest payload of a packet.
    #[serde(default = "payload_128")]
    pub max_payload: Size,
    /// Bytes that framing, data link layer and header add to each packet. Absent: 28 (2 + 6 + 20: PCI Express Base 3.1
    /// §2.2, §3.5, §4.2), and from `lane_rate = "gen6"` on 16, the header alone (PCI Express Base 6.0 §2.2.1: the rest
    /// is part of each flit). 0 for other kinds, whose `lane_rate` counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 64))]
    pub packet_overhead_bytes: Option<u32>,
    /// Rounding of transfer times.
    #[serde(default)]
    pub rounding: LinkRounding,
}

/// Kind of link, which says what crosses next to data, and whether both ends send at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// PCI Express: packets with headers, in two directions.
    #[default]
    Pcie,
    /// UCIe: two directions of lanes between two dies of a package. A packet without data has 16 bytes (assumed: an address of 8,
    /// a length and a tag).
    Ucie,
    /// Pins of a DRAM stack (JESD235): both directions share the data pins, and commands have their own. Needs
    /// `host.protocol = "memory"`.
    Hbm,
}

/// Bytes of a packet without data on a link that is not PCI Express.
const UCIE_REQUEST: u32 = 16;

/// Rounding of link transfer times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkRounding {
    /// Exact to the picosecond.
    #[default]
    Exact,
    /// Up to whole bytes a lane, then down to whole nanoseconds, as in MQSim.
    LaneNanoseconds,
}

/// Rate of a lane, stated directly or as a generation of PCI Express.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneRate {
    /// Stated rate.
    Is(Rate),
    /// Generation of PCI Express, counted from 1.
    Generation(u8),
}

/// Bytes per second: 2.5 and 5 GT/s with 8b/10b coding; 8, 16 and 32 GT/s with 128b/130b coding; 64 and 128 GT/s with
/// 236 bytes of packets per flit of 256 (PCI Express Base 6.0 and 7.0 §4.2).
const GENERATIONS: [u64; 7] = [
    250_000_000,
    500_000_000,
    984_615_385,
    1_969_230_769,
    3_938_461_538,
    8_000_000_000 / 256 * 236,
    16_000_000_000 / 256 * 236,
];

/// Transfers of each generation in GT/s, bits of coded data on a lane.
const TRANSFERS: [&str; 7] = ["2.5", "5", "8", "16", "32", "64", "128"];

/// The first generation whose packets travel in flits.
const FLITS: u8 = 6;

impl LaneRate {
    /// Rate, in bytes per second.
    pub fn rate(self) -> Rate {
        match self {
            LaneRate::Is(rate) => rate,
            LaneRate::Generation(generation) => Rate(GENERATIONS[usize::from(generation) - 1]),
        }
    }
}

impl fmt::Display for LaneRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaneRate::Is(rate) => rate.fmt(f),
            LaneRate::Generation(generation) => write!(f, "gen{generation}"),
        }
    }
}

impl Serialize for LaneRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LaneRate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        if let Some(generation) = text.strip_prefix("gen") {
            return match generation.parse() {
                Ok(number @ 1..=7) => Ok(LaneRate::Generation(number)),
                _ => Err(de::Error::custom(format!("got {text:?}, expected \"gen1\" to \"gen7\", or a rate"))),
            };
        }
        if let Some(transfers) = text.strip_suffix("GT/s") {
            let known = TRANSFERS.iter().position(|each| *each == transfers.trim());
            let wrong =
                || format!("got {text:?}, expected {} GT/s (\"gen1\" to \"gen7\"), or a rate", TRANSFERS.join(", "));
            return known.map(|at| LaneRate::Generation(at as u8 + 1)).ok_or_else(|| de::Error::custom(wrong()));
        }
        text.parse().map(|ByteRate(rate)| LaneRate::Is(Rate(rate))).map_err(de::Error::custom)
    }
}

#[cfg(test)]
impl JsonSchema for LaneRate {
    fn schema_name() -> Cow<'static, str> {
        "LaneRate".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "a rate such as \"2GB/s\", or a generation, \"gen1\" to \"gen7\", or its transfers, such as \"16GT/s\"",
            "pattern": r"^(gen[1-7]|(2\.5|5|8|16|32|64|128) ?GT/s|[0-9._]+(e[+-]?[0-9]+)? ?(TB|GB|MB|kB|B)/s)$"
        })
    }
}

fn no_time() -> Duration {
    Duration(0)
}

fn payload_128() -> Size {
    Size(128)
}

impl Link {
    /// Bytes added to each packet.
    pub fn overhead(&self) -> u32 {
        let has_flits = matches!(self.lane_rate, LaneRate::Generation(FLITS..));
        let by_kind = match self.kind {
            LinkKind::Pcie if has_flits => 16,
            LinkKind::Pcie => 28,
            LinkKind::Ucie | LinkKind::Hbm => 0,
        };
        self.packet_overhead_bytes.unwrap_or(by_kind)
    }

    /// Bytes of a packet that asks for data, next to the overhead.
    pub fn request(&self) -> u32 {
        match self.kind {
            LinkKind::Pcie => 4,
            LinkKind::Ucie => UCIE_REQUEST,
            LinkKind::Hbm => 0,
        }
    }
}

impl Default for Host {
    fn default() -> Self {
        Host {
            protocol: Protocol::default(),
            submit_time: Duration(0),
            complete_time: Duration(0),
            interrupt_latency: Duration(0),
            queues_per_flow: 1,
            queue_entries: 1024,
            fetch_limit: 512,
            fetch: Fetch::default(),
            command_limit: None,
            arbitration: Arbitration::default(),
            interrupts: Interrupts::default(),
            prp_lists: false,
            submission_entry_bytes: 64,
            sata: Sata::default(),
        }
    }
}

impl Default for Arbitration {
    fn default() -> Self {
        Arbitration { method: ArbitrationMethod::default(), burst: 1, high: 4, medium: 2, low: 1 }
    }
}

impl Default for Interrupts {
    fn default() -> Self {
        Interrupts { threshold: 1, time: Duration(0) }
    }
}

impl Default for Sata {
    fn default() -> Self {
        Sata { generation: 3, slots: 32, frame_gap: Duration(0) }
    }
}
