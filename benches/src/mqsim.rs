//! The drive and the flow of MQSim's `perf-randread-4k-qd64`, as its two files state them.

use canaletto::config::mqsim::{
    AddressDistribution, CachingMode, ControllerXml, DeviceXml, FlashTechnology, FlashXml, FlowKind, FlowXml,
    Generator, HostXml, ImportedScenario, Priority, ScenarioXml, SchedulingPolicy, SizeDistribution, Suspension,
    SyntheticXml, TagLines, import,
};

/// The run with this many requests in all, translated into canaletto's own words.
///
/// # Panics
/// If the importer does not take it.
pub fn random_reads(requests: u32) -> ImportedScenario {
    let scenario = ScenarioXml { line: 1, flows: vec![flow(requests)], ignored: Vec::new() };
    let imported = import("ssdconfig.xml", &device(), "workload.xml", &[scenario]);
    imported.unwrap_or_else(|e| panic!("{e}")).remove(0)
}

fn device() -> DeviceXml {
    DeviceXml {
        host: HostXml { pcie_lane_gb_s: 2.0, ..HostXml::default() },
        device: ControllerXml {
            seed: 321,
            preconditioning: false,
            io_queue_depth: 65_535,
            ideal_mapping_table: true,
            scheduling: SchedulingPolicy::PriorityOutOfOrder,
            gc_preemptible: false,
            channel_width_bytes: 6,
            channel_rate_mt_s: 200,
            chips_per_channel: 8,
            ..ControllerXml::default()
        },
        flash: FlashXml {
            technology: FlashTechnology::Slc,
            suspension: Suspension::None,
            read_lsb_ns: 3000,
            program_lsb_ns: 100_000,
            erase_ns: 1_000_000,
            dies_per_chip: 1,
            blocks_per_plane: 1024,
            pages_per_block: 768,
            page_bytes: 4096,
            ..FlashXml::default()
        },
        ..DeviceXml::default()
    }
}

fn flow(requests: u32) -> FlowXml {
    FlowXml {
        line: 1,
        priority: Priority::High,
        caching: CachingMode::TurnedOff,
        channels: (0..8).collect(),
        chips: (0..8).collect(),
        dies: vec![0],
        planes: vec![0, 1],
        initial_occupancy_percent: 70,
        kind: FlowKind::Synthetic(SyntheticXml {
            working_set_percent: 100,
            generator: Generator::QueueDepth,
            read_percent: 100,
            addresses: AddressDistribution::RandomUniform,
            hot_region_percent: 0,
            aligned: true,
            alignment_sectors: 8,
            sizes: SizeDistribution::Fixed,
            mean_sectors: 8,
            variance_sectors: 0,
            seed: 798,
            requests_in_flight: 64,
            bandwidth_b_s: 0,
            stop_time_ns: 0,
            total_requests: requests,
        }),
        lines: TagLines::default(),
    }
}
