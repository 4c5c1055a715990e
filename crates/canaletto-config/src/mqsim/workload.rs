//! Contents of `workload.xml`: scenarios, run one after another, of flows that run together.
//!
//! MQSim has no defaults here: an absent tag leaves uninitialised memory. A tag whose value matters must be there.

use serde::Serialize;

use super::ignored::{Ignored, TagLines};
use super::words::*;

/// One `<IO_Scenario>`: its own run on a fresh drive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScenarioXml {
    /// Line of the scenario's opening tag.
    pub line: u32,
    /// Its flows, at least one.
    pub flows: Vec<FlowXml>,
    /// Tags of the scenario that change nothing, in the order of the file.
    pub ignored: Vec<Ignored>,
}

/// One flow of requests, with its own queue pair and its own part of the address space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowXml {
    /// Line of the flow's opening tag.
    pub line: u32,
    /// `Priority_Class`. Used with NVMe and the priority scheduler only.
    pub priority: Priority,
    /// `Device_Level_Data_Caching_Mode`.
    pub caching: CachingMode,
    /// `Channel_IDs`: the channels this flow may use, ascending. With SATA every flow uses everything.
    pub channels: Vec<u32>,
    /// `Chip_IDs`: chips on each of those channels, ascending.
    pub chips: Vec<u32>,
    /// `Die_IDs`: dies in each of those chips, ascending.
    pub dies: Vec<u32>,
    /// `Plane_IDs`: planes in each of those dies, ascending.
    pub planes: Vec<u32>,
    /// `Initial_Occupancy_Percentage`: share of the flow's logical pages that preconditioning writes.
    pub initial_occupancy_percent: u8,
    /// Where the requests come from.
    pub kind: FlowKind,
    /// Where each tag of the flow stands.
    #[serde(skip)]
    pub lines: TagLines,
}

/// The source of a flow's requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FlowKind {
    /// `<IO_Flow_Parameter_Set_Synthetic>`: drawn at random.
    Synthetic(SyntheticXml),
    /// `<IO_Flow_Parameter_Set_Trace_Based>`: read from a file.
    Trace(TraceXml),
}

/// How a synthetic flow draws its requests. A sector has 512 bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SyntheticXml {
    /// `Working_Set_Percentage`: share of the flow's address range that is used, from its start.
    pub working_set_percent: u8,
    /// `Synthetic_Generator_Type`.
    pub generator: Generator,
    /// `Read_Percentage`: the other requests write.
    pub read_percent: u8,
    /// `Address_Distribution`.
    pub addresses: AddressDistribution,
    /// `Percentage_of_Hot_Region`: h of [`AddressDistribution::RandomHotCold`], else unused and 0 if absent.
    pub hot_region_percent: u8,
    /// `Generated_Aligned_Addresses`: round addresses down to the alignment unit.
    pub aligned: bool,
    /// `Address_Alignment_Unit`; 1 if absent.
    pub alignment_sectors: u32,
    /// `Request_Size_Distribution`.
    pub sizes: SizeDistribution,
    /// `Average_Request_Size`.
    pub mean_sectors: u32,
    /// `Variance_Request_Size` of [`SizeDistribution::Normal`], else unused and 0 if absent.
    /// MQSim takes the "variance" for the standard deviation.
    pub variance_sectors: u32,
    /// `Seed`: the flow's random streams have this seed and the next ones.
    pub seed: u32,
    /// `Average_No_of_Reqs_in_Queue`: requests in flight of [`Generator::QueueDepth`], else unused and 0 if absent.
    pub requests_in_flight: u32,
    /// `Bandwidth` of [`Generator::Bandwidth`] in bytes per second, else unused and 0 if absent.
    pub bandwidth_b_s: u32,
    /// `Stop_Time`: no request is generated later than this. 0 or absent: the number of requests decides.
    pub stop_time_ns: u64,
    /// `Total_Requests_To_Generate`; unused, and 0 if absent, with a stop time.
    pub total_requests: u32,
}

/// How a flow replays a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceXml {
    /// `File_Path`, as written; MQSim takes it from the directory it runs in.
    pub path: String,
    /// `Percentage_To_Be_Executed` of the trace's lines. Unused, and 100 if absent, when replayed more than once.
    pub execute_percent: u8,
    /// `Relay_Count` (MQSim's spelling): how many times the trace is replayed.
    pub replay_count: u32,
    /// `Time_Unit`: parsed and never used, arrival times are nanoseconds.
    pub time_unit: TimeUnit,
}
