//! Import of MQSim's configuration.
//!
//! MQSim's quirks become named model options (`docs/reference/mqsim.md`); nothing in the model asks whether it runs for
//! MQSim. Settings that canaletto cannot simulate are refused at their line.

use super::{
    AddressDistribution, AddressMapping, CachingMechanism, CachingMode, ControllerXml, DeviceXml, FlashTechnology,
    FlowKind, FlowXml, GcPolicy, Generator, HostInterface, Ignored, IgnoredKind, Priority as XmlPriority, ScenarioXml,
    SchedulingPolicy, SharingMode, SizeDistribution, SyntheticXml, TraceXml, XmlError,
};
use crate::address::SECTOR;
use crate::area::Footprint;
use crate::attach::Attachment;
use crate::cache::{Cache, CacheDram, CacheMode, Destage, DramTiming, Sharing as CacheSharing};
use crate::compute::Compute;
use crate::design::{
    Addressing, Allocation, BeatTime, Cell, Controller, Design, Fabric, FabricKind, Fdp, Fetch, Flash, Ftl, Gc,
    Geometry, Host, Hybrid, InitialTable, Interface, LaneRate, Link, LinkKind, LinkRounding, Looks, MapUpdate, Mapping,
    MappingScheme, MultiPlane, Numbering, PageOrder, PageTimes, Parity, PartialWrites, Precondition, PreconditionKind,
    ReadUnit, Refresh, RoundRobinAdvance, Scheduler, Sharing, Superblock, TransferOrder, Turnarounds, UnwrittenReads,
    VictimPolicy, Waiters, Wear, WriteBacks, WritePlacement, Zns, cache_busy,
};
use crate::energy::Energy;
use crate::medium::{Errors, Failures, Suspend};
use crate::pseudo_slc::PseudoSlc;
use crate::reading::ReadOptions;
use crate::units::{Duration, Rate, Size};
use crate::workload::{Addresses, Flow, OutOfRange, Priority, Synthetic, Trace, Workload};

/// One scenario of a workload file.
#[derive(Debug, Clone)]
pub struct ImportedScenario {
    /// The drive, the same for all scenarios.
    pub design: Design,
    /// The scenario's flows.
    pub workload: Workload,
    /// For each flow: the share of its trace's lines to replay, if not all.
    pub trace_percent: Vec<Option<u8>>,
    /// Why results are not equal to MQSim's, as far as the files show.
    pub inexact: Vec<&'static str>,
}

const RATE: &str = "Channel_Transfer_Rate";

/// Ring size above which MQSim's 16-bit queue depths cannot go.
const NVME_FLOWS: usize = 8;

/// Translates parsed files. The labels name them in errors.
pub fn import(
    device_label: &str,
    device: &DeviceXml,
    workload_label: &str,
    scenarios: &[ScenarioXml],
) -> Result<Vec<ImportedScenario>, XmlError> {
    let design = import_design(device_label, device)?;
    scenarios
        .iter()
        .enumerate()
        .map(|(number, scenario)| {
            if scenario.flows.len() > NVME_FLOWS {
                let problem = format!(
                    "got {} flows, expected at most {NVME_FLOWS} (MQSim's queue registers)",
                    scenario.flows.len()
                );
                return Err(XmlError::new(workload_label, scenario.line, "IO_Scenario", &problem));
            }
            let flows = scenario.flows.iter().enumerate();
            let flow = flows.map(|(i, flow)| import_flow(workload_label, i, flow, device)).collect::<Result<_, _>>()?;
            let percent = |flow: &FlowXml| match &flow.kind {
                FlowKind::Trace(trace) if trace.execute_percent < 100 => Some(trace.execute_percent),
                _ => None,
            };
            let caches = scenario.flows.iter().any(|flow| flow.caching != CachingMode::TurnedOff);
            let capacity = if caches { design.cache.capacity } else { Size(0) };
            Ok(ImportedScenario {
                design: Design { cache: Cache { capacity, ..design.cache.clone() }, ..design.clone() },
                workload: Workload {
                    name: format!("{workload_label}, scenario {}", number + 1),
                    about: String::new(),
                    partitioned: true,
                    last_flow_first: true,
                    inter_arrival: None,
                    flow,
                },
                trace_percent: scenario.flows.iter().map(percent).collect(),
                inexact: inexact(device),
            })
        })
        .collect()
}

fn inexact(device: &DeviceXml) -> Vec<&'static str> {
    let reasons = [(
        device.device.preconditioning,
        "the drive begins in the steady state of its garbage collection, MQSim's in a state drawn from the flows",
    )];
    reasons.into_iter().filter_map(|(holds, reason)| holds.then_some(reason)).collect()
}

/// If MQSim's beats of whole nanoseconds change the rate by more than 1 %.
pub fn rounded_rate(xml: &DeviceXml) -> Option<Ignored> {
    let stated = xml.device.channel_rate_mt_s;
    let (exact, beat) = (1000.0 / f64::from(stated), 1000 / stated);
    let rate = if beat == 0 { f64::INFINITY } else { 1000.0 / f64::from(beat) };
    let outcome = match beat {
        0 => "transfers take no time".to_owned(),
        _ => format!("{rate:.0} MT/s are simulated"),
    };
    let reason = format!(
        "a beat of {exact:.2} ns is rounded down to {beat} ns as in MQSim, so {outcome} instead of {stated} MT/s \
         (fabric.beat_time = \"exact\" simulates {stated} MT/s)"
    );
    (rate > 1.01 * f64::from(stated)).then(|| Ignored {
        line: xml.lines.line_of(RATE).unwrap_or(1),
        tag: RATE.into(),
        kind: IgnoredKind::ReadAs,
        reason: reason.into(),
    })
}

/// And sizes that MQSim does not check.
fn check_device(label: &str, xml: &DeviceXml, mapping: &Mapping) -> Result<(), XmlError> {
    let (device, flash) = (&xml.device, &xml.flash);
    let refuse = |wrong: bool, tag: &str, problem: &str| match wrong {
        true => Err(XmlError::new(label, xml.lines.line_of(tag).unwrap_or(1), tag, problem)),
        false => Ok(()),
    };
    refuse(
        device.host_interface == HostInterface::Sata,
        "HostInterface_Type",
        "got \"SATA\", which is not simulated yet; expected \"NVME\"",
    )?;
    refuse(
        device.address_mapping == AddressMapping::Hybrid,
        "Address_Mapping",
        "got \"HYBRID\", an empty stub in MQSim; expected \"PAGE_LEVEL\"",
    )?;
    refuse(
        device.gc_copyback,
        "Use_Copyback_for_GC",
        "got \"true\", which MQSim leaves unfinished; expected \"false\"",
    )?;
    refuse(
        device.scheduling == SchedulingPolicy::Flin,
        "Transaction_Scheduling_Policy",
        "got \"FLIN\", on which MQSim stops; expected \"OUT_OF_ORDER\" or \"PRIORITY_OUT_OF_ORDER\"",
    )?;
    let page = u64::from(flash.page_bytes);
    refuse(
        !page.is_power_of_two() || !(SECTOR..=32768).contains(&page),
        "Page_Capacity",
        "expected a power of two from 512 to 32768",
    )?;
    refuse(flash.blocks_per_plane < 4, "Block_No_Per_Plane", "expected at least 4")?;
    refuse(
        !device.ideal_mapping_table && mapping.entries(1) == 0,
        "CMT_Capacity",
        &format!("expected at least the {} bytes of an entry", mapping.cached_entry_bytes),
    )
}

fn import_design(label: &str, xml: &DeviceXml) -> Result<Design, XmlError> {
    let (device, flash) = (&xml.device, &xml.flash);
    let mapping = import_mapping(xml);
    check_device(label, xml, &mapping)?;
    let rate = u64::from(device.channel_width_bytes) * u64::from(device.channel_rate_mt_s) * 1_000_000;
    let kind = if device.preconditioning { PreconditionKind::Steady } else { PreconditionKind::None };
    Ok(Design {
        attachment: Attachment::default(),
        namespace: Vec::new(),
        zns: Zns::default(),
        fdp: Fdp::default(),
        compute: Compute::default(),
        name: label.to_owned(),
        about: "imported from MQSim".to_owned(),
        geometry: Geometry {
            channels: device.channels,
            chips_per_channel: device.chips_per_channel,
            dies_per_chip: flash.dies_per_chip,
            planes_per_die: flash.planes_per_die,
            blocks_per_plane: flash.blocks_per_plane,
            pages_per_block: flash.pages_per_block,
            page: Size(u64::from(flash.page_bytes)),
        },
        flash: import_flash(xml),
        fabric: Fabric {
            burst_bytes: 2 * device.channel_width_bytes,
            beat_time: BeatTime::WholeNanoseconds,
            interface: Interface::NvDdr2,
            turnarounds: Turnarounds::OnWires,
            transfer_order: TransferOrder::DataFirst,
            ..Fabric::new(FabricKind::Bus, Rate(rate))
        },
        host: Host {
            queue_entries: device.io_queue_depth,
            fetch_limit: device.queue_fetch_size,
            fetch: Fetch::OnePerDoorbell,
            submission_entry_bytes: 72,
            ..Host::default()
        },
        link: import_link(xml),
        controller: Controller { pages_in_flight: 0, ..Controller::default() },
        cache: import_cache(device),
        ftl: import_ftl(device),
        mapping,
        gc: import_gc(xml),
        wear: Wear::default(),
        refresh: Refresh::default(),
        precondition: Precondition { kind, ..Precondition::default() },
        scheduler: Scheduler {
            priorities: device.scheduling == SchedulingPolicy::PriorityOutOfOrder,
            round_robin_advance: RoundRobinAdvance::OnPoll,
            looks: Looks::EachBatch,
            ..Scheduler::default()
        },
        energy: Energy::default(),
        area: Footprint::default(),
    })
}

fn import_ftl(device: &ControllerXml) -> Ftl {
    Ftl {
        mapping: MappingScheme::Page,
        mapping_unit: Size(0),
        superblock: Superblock::None,
        parity: Parity::None,
        hybrid: Hybrid::default(),
        overprovisioning: device.overprovisioning,
        min_spare_blocks: 0,
        allocation: allocation(&device.plane_allocation.to_string()),
        numbering: Numbering::RowMajor,
        write_placement: WritePlacement::Static,
        unwritten_reads: UnwrittenReads::AssumeSectorsWritten,
        map_update: MapUpdate::Issue,
        partial_writes: PartialWrites::NewSectors,
    }
}

fn import_link(xml: &DeviceXml) -> Link {
    Link {
        kind: LinkKind::Pcie,
        lanes: xml.host.pcie_lanes,
        lane_rate: LaneRate::Is(Rate((xml.host.pcie_lane_gb_s * 1e9).round() as u64)),
        latency: Duration(0),
        max_payload: Size(128),
        packet_overhead_bytes: Some(28),
        rounding: LinkRounding::LaneNanoseconds,
    }
}

/// In the cache, two page numbers and a bit per sector; on flash one page number and the bits.
pub(super) fn import_mapping(xml: &DeviceXml) -> Mapping {
    let (device, flash) = (&xml.device, &xml.flash);
    if device.ideal_mapping_table {
        return Mapping::default();
    }
    let counts = [
        device.channels,
        device.chips_per_channel,
        flash.dies_per_chip,
        flash.planes_per_die,
        flash.blocks_per_plane,
        flash.pages_per_block,
    ];
    let page_bits = counts.map(f64::from).iter().product::<f64>().log2();
    let sector_bits = f64::from(flash.page_bytes) / SECTOR as f64;
    Mapping {
        cache_capacity: Size(u64::from(device.cmt_bytes)),
        cached_entry_bytes: ((2.0 * page_bits + sector_bits) / 8.0).ceil() as u32,
        flash_entry_bytes: ((page_bits + sector_bits) / 8.0).ceil() as u32,
        sharing: match device.cmt_sharing {
            SharingMode::Shared => Sharing::FullPerFlow,
            SharingMode::EqualPartitioning => Sharing::Equal,
        },
        entries_per_miss: 1,
        read_unit: ReadUnit::Sector,
        initial_table: InitialTable::WholePages,
        write_backs: WriteBacks::NeverIssued,
        waiters: Waiters::ReadsFirst,
    }
}

fn import_cache(device: &ControllerXml) -> Cache {
    // A clock of the data bus, 1000 / rate ns, moves two bursts.
    let bursts_a_second = 2 * u64::from(device.dram_rate_mt_s) * 1_000_000;
    Cache {
        capacity: Size(u64::from(device.data_cache_bytes)),
        sharing: match device.data_cache_sharing {
            SharingMode::Shared => CacheSharing::Shared,
            SharingMode::EqualPartitioning => CacheSharing::Equal,
        },
        destage: Destage::Mqsim,
        idle_destage: Duration(0),
        destages_per_plane: 1,
        keep_destaged: false,
        dram: CacheDram {
            trcd: Duration::from_ns(device.dram_trcd_ns),
            tcl: Duration::from_ns(device.dram_tcl_ns),
            trp: Duration::from_ns(device.dram_trp_ns),
            row: Size(u64::from(device.dram_row_bytes)),
            rate: Rate(u64::from(device.dram_burst_bytes) * bursts_a_second),
            burst: Size(u64::from(device.dram_burst_bytes)),
            timing: DramTiming::Mqsim,
        },
        ..Cache::default()
    }
}

fn allocation(name: &str) -> Allocation {
    serde_json::from_value(serde_json::Value::from(name)).expect("both sides know the same 24 schemes")
}

/// Collection is canaletto's own, with MQSim's policy and thresholds.
fn import_gc(xml: &DeviceXml) -> Gc {
    let device = &xml.device;
    Gc {
        policy: match device.gc_policy {
            GcPolicy::Greedy => VictimPolicy::Greedy,
            GcPolicy::Rga => VictimPolicy::DChoices,
            GcPolicy::Random | GcPolicy::RandomP => VictimPolicy::Random,
            GcPolicy::RandomPp => VictimPolicy::RandomPlus,
            GcPolicy::Fifo => VictimPolicy::Fifo,
        },
        choices: xml.flash.blocks_per_plane.ilog2().max(1),
        preemptible: device.gc_preemptible,
        threshold: device.gc_threshold,
        hard_threshold: device.gc_hard_threshold,
        ..Gc::default()
    }
}

fn import_flash(xml: &DeviceXml) -> Flash {
    let f = &xml.flash;
    let kinds = |lsb, csb, msb| match f.technology {
        FlashTechnology::Slc => PageTimes::Same(Duration::from_ns(lsb)),
        FlashTechnology::Mlc => PageTimes::PerKind([lsb, msb].map(Duration::from_ns).to_vec()),
        FlashTechnology::Tlc => PageTimes::PerKind([lsb, csb, msb].map(Duration::from_ns).to_vec()),
    };
    Flash {
        cell: match f.technology {
            FlashTechnology::Slc => Cell::Slc,
            FlashTechnology::Mlc => Cell::Mlc,
            FlashTechnology::Tlc => Cell::Tlc,
        },
        read: kinds(f.read_lsb_ns, f.read_csb_ns, f.read_msb_ns),
        program: kinds(f.program_lsb_ns, f.program_csb_ns, f.program_msb_ns),
        erase: Duration::from_ns(f.erase_ns),
        ready_delay: Duration::from_ns(20),
        multi_plane: MultiPlane::HeadPage,
        addressing: Addressing::Page,
        die_interleaving: false,
        busy_until_data_out: true,
        page_order: PageOrder::Mqsim,
        cache_read: false,
        cache_read_busy: cache_busy(),
        independent_plane_reads: false,
        cache_program: false,
        cache_program_busy: cache_busy(),
        pslc: PseudoSlc::default(),
        // MQSim's suspension never happens (its flag falls through to a refusal), whatever its file asks for.
        suspend: Suspend::default(),
        failures: Failures::default(),
        errors: Errors::default(),
    }
}

fn import_flow(label: &str, number: usize, xml: &FlowXml, device: &DeviceXml) -> Result<Flow, XmlError> {
    let refuse =
        |tag: &str, problem: &str| Err(XmlError::new(label, xml.lines.line_of(tag).unwrap_or(xml.line), tag, problem));
    let (caches, parts) = (xml.caching != CachingMode::TurnedOff, &device.device);
    if caches && parts.caching_mechanism == CachingMechanism::Simple {
        return refuse(
            "Device_Level_Data_Caching_Mode",
            "MQSim stops with the SIMPLE mechanism; expected \"TURNED_OFF\", or ADVANCED as <Caching_Mechanism>",
        );
    }
    if caches && parts.data_cache_bytes < device.flash.page_bytes {
        let problem = format!("needs a <Data_Cache_Capacity> of a page at least, which is {}", parts.data_cache_bytes);
        return refuse("Device_Level_Data_Caching_Mode", &problem);
    }
    for (tag, ids, count) in [
        ("Channel_IDs", &xml.channels, device.device.channels),
        ("Chip_IDs", &xml.chips, device.device.chips_per_channel),
        ("Die_IDs", &xml.dies, device.flash.dies_per_chip),
        ("Plane_IDs", &xml.planes, device.flash.planes_per_die),
    ] {
        if let Some(id) = ids.iter().find(|&&id| id >= count) {
            return refuse(tag, &format!("got {id}, expected numbers from 0 to {}", count - 1));
        }
    }
    let (synthetic, trace) = match &xml.kind {
        FlowKind::Synthetic(s) => (Some(import_synthetic(s)), None),
        FlowKind::Trace(t) if t.replay_count > 1 => {
            return refuse(
                "Relay_Count",
                &format!(
                    "got {}, whose later replays MQSim times with twice their offset; expected 1 (flow.trace.repeat is ours)",
                    t.replay_count
                ),
            );
        }
        FlowKind::Trace(t) => (None, Some(import_trace(t))),
    };
    Ok(Flow {
        compute: None,
        namespace: None,
        handle: 0,
        reclaim_group: None,
        name: match &xml.kind {
            FlowKind::Synthetic(_) => format!("Host.IO_Flow.Synth.No_{number}"),
            FlowKind::Trace(trace) => format!("Host.IO_Flow.Trace.{}", trace.path),
        },
        priority: match xml.priority {
            XmlPriority::Urgent => Priority::Urgent,
            XmlPriority::High => Priority::High,
            XmlPriority::Medium => Priority::Medium,
            XmlPriority::Low => Priority::Low,
        },
        threads: 1,
        cache: Some(match xml.caching {
            CachingMode::TurnedOff => CacheMode::Off,
            CachingMode::ReadCache => CacheMode::Read,
            CachingMode::WriteCache => CacheMode::Write,
            CachingMode::WriteReadCache => CacheMode::ReadWrite,
        }),
        channels: Some(xml.channels.clone()),
        chips: Some(xml.chips.clone()),
        dies: Some(xml.dies.clone()),
        planes: Some(xml.planes.clone()),
        occupancy: device.device.preconditioning.then(|| f64::from(xml.initial_occupancy_percent) / 100.0),
        synthetic,
        trace,
        mix: None,
    })
}

fn import_synthetic(xml: &SyntheticXml) -> Synthetic {
    let stop = (xml.stop_time_ns > 0).then(|| Duration::from_ns(xml.stop_time_ns));
    let open = xml.generator == Generator::Bandwidth;
    // MQSim's integer divisions, one after the other.
    let gap_ns = || 1_000_000_000 / (u64::from(xml.bandwidth_b_s) / SECTOR / u64::from(xml.mean_sectors));
    let normal = xml.sizes == SizeDistribution::Normal;
    Synthetic {
        requests: if stop.is_some() { u64::MAX } else { u64::from(xml.total_requests) },
        stop,
        read_share: f64::from(xml.read_percent) / 100.0,
        addresses: match xml.addresses {
            AddressDistribution::Streaming => Addresses::Sequential,
            AddressDistribution::RandomUniform => Addresses::Uniform,
            AddressDistribution::RandomHotCold => Addresses::HotCold,
        },
        hot_share: (xml.addresses == AddressDistribution::RandomHotCold)
            .then(|| f64::from(xml.hot_region_percent) / 100.0),
        working_set: f64::from(xml.working_set_percent) / 100.0,
        alignment: Some(Size(if xml.aligned { u64::from(xml.alignment_sectors) * SECTOR } else { SECTOR })),
        size: Some(Size(u64::from(xml.mean_sectors) * SECTOR)),
        size_unit: Size(SECTOR),
        size_deviation: Size(if normal { u64::from(xml.variance_sectors) * SECTOR } else { 0 }),
        queue_depth: (!open).then_some(xml.requests_in_flight),
        inter_arrival: open.then(|| Duration::from_ns(gap_ns())),
        start: Duration::from_ns(if open { 0 } else { 1 }),
        mqsim_seed: Some(xml.seed),
        ..Synthetic::default()
    }
}

fn import_trace(xml: &TraceXml) -> Trace {
    Trace {
        format: Some("mqsim".to_owned()),
        out_of_range: OutOfRange::Mqsim,
        read: ReadOptions { sort_window: 0, ..ReadOptions::default() },
        keep_start: true,
        ..Trace::of_file(&xml.path)
    }
}
