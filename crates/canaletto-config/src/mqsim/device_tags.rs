//! The table of tags of `ssdconfig.xml`, and its parser.

use super::device::{ControllerXml, DeviceXml, FlashXml, HostXml};
use super::error::XmlError;
use super::tags::{SSD_CONFIGURATION, Tag, Walk, kept, names, no_effect, not_read, open_file, section, value};
use super::values::{ANY_U32, COUNT, DELAY_NS, INT_MAX, flag, int, multiple, number, put, word};
use super::words::PlaneAllocation;
use super::xml::Element;

const ROOT: &str = SSD_CONFIGURATION.root;
const HOST: &str = "Host_Parameter_Set";
const DEVICE: &str = "Device_Parameter_Set";
const FLASH: &str = "Flash_Parameter_Set";

const LOGGING: &str = "it only adds a log file to the results";
const WEAR: &str = "never passed on: wear levelling is always on, with threshold 100";
const SUSPEND: &str = "MQSim never suspends a program or an erase";

const SETS: &[Tag<()>] = &[section(HOST), section(DEVICE)];

#[rustfmt::skip] // one tag a line
const HOST_TAGS: &[Tag<HostXml>] = &[
    value("PCIe_Lane_Bandwidth", |h, v| put(&mut h.pcie_lane_gb_s, number(v, 0.001..=1000.0))),
    value("PCIe_Lane_Count", |h, v| put(&mut h.pcie_lanes, int(v, COUNT))),
    value("SATA_Processing_Delay", |h, v| put(&mut h.sata_processing_ns, int(v, DELAY_NS))),
    no_effect("Enable_ResponseTime_Logging", |h, v| put(&mut h.response_time_logging, flag(v)), LOGGING),
    no_effect("ResponseTime_Logging_Period_Length", |h, v| put(&mut h.response_time_logging_period_ns, int(v, DELAY_NS)), LOGGING),
];

#[rustfmt::skip] // one tag a line
const DEVICE_TAGS: &[Tag<ControllerXml>] = &[
    value("Seed", |d, v| put(&mut d.seed, int(v, 0..=INT_MAX))),
    value("Enabled_Preconditioning", |d, v| put(&mut d.preconditioning, flag(v))),
    value("Memory_Type", |d, v| put(&mut d.memory, word(v))),
    value("HostInterface_Type", |d, v| put(&mut d.host_interface, word(v))),
    kept(16, value("IO_Queue_Depth", |d, v| put(&mut d.io_queue_depth, int(v, 2..=65_535)))),
    kept(16, value("Queue_Fetch_Size", |d, v| put(&mut d.queue_fetch_size, int(v, COUNT)))),
    value("Caching_Mechanism", |d, v| put(&mut d.caching_mechanism, word(v))),
    value("Data_Cache_Sharing_Mode", |d, v| put(&mut d.data_cache_sharing, word(v))),
    kept(32, value("Data_Cache_Capacity", |d, v| put(&mut d.data_cache_bytes, int(v, ANY_U32)))),
    value("Data_Cache_DRAM_Row_Size", |d, v| put(&mut d.dram_row_bytes, int(v, 1..=INT_MAX))),
    value("Data_Cache_DRAM_Data_Rate", |d, v| put(&mut d.dram_rate_mt_s, int(v, COUNT))),
    value("Data_Cache_DRAM_Data_Busrt_Size", |d, v| put(&mut d.dram_burst_bytes, int(v, COUNT))),
    value("Data_Cache_DRAM_tRCD", |d, v| put(&mut d.dram_trcd_ns, int(v, DELAY_NS))),
    value("Data_Cache_DRAM_tCL", |d, v| put(&mut d.dram_tcl_ns, int(v, DELAY_NS))),
    value("Data_Cache_DRAM_tRP", |d, v| put(&mut d.dram_trp_ns, int(v, DELAY_NS))),
    value("Address_Mapping", |d, v| put(&mut d.address_mapping, word(v))),
    value("Ideal_Mapping_Table", |d, v| put(&mut d.ideal_mapping_table, flag(v))),
    kept(32, value("CMT_Capacity", |d, v| put(&mut d.cmt_bytes, int(v, ANY_U32)))),
    value("CMT_Sharing_Mode", |d, v| put(&mut d.cmt_sharing, word(v))),
    value("Plane_Allocation_Scheme", |d, v| put(&mut d.plane_allocation, PlaneAllocation::parse(v))),
    value("Transaction_Scheduling_Policy", |d, v| put(&mut d.scheduling, word(v))),
    value("Overprovisioning_Ratio", |d, v| put(&mut d.overprovisioning, number(v, 0.0..=0.99))),
    value("GC_Exec_Threshold", |d, v| put(&mut d.gc_threshold, number(v, 0.0..=1.0))),
    value("GC_Block_Selection_Policy", |d, v| put(&mut d.gc_policy, word(v))),
    value("Use_Copyback_for_GC", |d, v| put(&mut d.gc_copyback, flag(v))),
    value("Preemptible_GC_Enabled", |d, v| put(&mut d.gc_preemptible, flag(v))),
    value("GC_Hard_Threshold", |d, v| put(&mut d.gc_hard_threshold, number(v, 0.0..=1.0))),
    no_effect("Dynamic_Wearleveling_Enabled", |d, v| put(&mut d.dynamic_wear_levelling, flag(v)), WEAR),
    no_effect("Static_Wearleveling_Enabled", |d, v| put(&mut d.static_wear_levelling, flag(v)), WEAR),
    no_effect("Static_Wearleveling_Threshold", |d, v| put(&mut d.static_wear_levelling_threshold, int(v, ANY_U32)), WEAR),
    not_read("Preferred_suspend_erase_time_for_read", "MQSim's parser looks for <Prefered_suspend_erase_time_for_read>, and never suspends anyway"),
    no_effect("Prefered_suspend_erase_time_for_read", |d, v| put(&mut d.suspend_erase_for_read_ns, int(v, DELAY_NS)), SUSPEND),
    no_effect("Preferred_suspend_erase_time_for_write", |d, v| put(&mut d.suspend_erase_for_write_ns, int(v, DELAY_NS)), SUSPEND),
    no_effect("Preferred_suspend_write_time_for_read", |d, v| put(&mut d.suspend_program_for_read_ns, int(v, DELAY_NS)), SUSPEND),
    value("Flash_Channel_Count", |d, v| put(&mut d.channels, int(v, COUNT))),
    value("Flash_Channel_Width", |d, v| put(&mut d.channel_width_bytes, int(v, COUNT))),
    value("Channel_Transfer_Rate", |d, v| put(&mut d.channel_rate_mt_s, int(v, COUNT))),
    value("Chip_No_Per_Channel", |d, v| put(&mut d.chips_per_channel, int(v, COUNT))),
    value("Flash_Comm_Protocol", |d, v| put(&mut d.flash_protocol, word(v))),
    section(FLASH),
];

#[rustfmt::skip] // one tag a line
const FLASH_TAGS: &[Tag<FlashXml>] = &[
    value("Flash_Technology", |f, v| put(&mut f.technology, word(v))),
    no_effect("CMD_Suspension_Support", |f, v| put(&mut f.suspension, word(v)), SUSPEND),
    value("Page_Read_Latency_LSB", |f, v| put(&mut f.read_lsb_ns, int(v, DELAY_NS))),
    value("Page_Read_Latency_CSB", |f, v| put(&mut f.read_csb_ns, int(v, DELAY_NS))),
    value("Page_Read_Latency_MSB", |f, v| put(&mut f.read_msb_ns, int(v, DELAY_NS))),
    value("Page_Program_Latency_LSB", |f, v| put(&mut f.program_lsb_ns, int(v, DELAY_NS))),
    value("Page_Program_Latency_CSB", |f, v| put(&mut f.program_csb_ns, int(v, DELAY_NS))),
    value("Page_Program_Latency_MSB", |f, v| put(&mut f.program_msb_ns, int(v, DELAY_NS))),
    value("Block_Erase_Latency", |f, v| put(&mut f.erase_ns, int(v, DELAY_NS))),
    no_effect("Block_PE_Cycles_Limit", |f, v| put(&mut f.pe_cycles_limit, int(v, ANY_U32)), "MQSim never retires a worn block"),
    no_effect("Suspend_Erase_Time", |f, v| put(&mut f.suspend_erase_ns, int(v, DELAY_NS)), SUSPEND),
    no_effect("Suspend_Program_Time", |f, v| put(&mut f.suspend_program_ns, int(v, DELAY_NS)), SUSPEND),
    value("Die_No_Per_Chip", |f, v| put(&mut f.dies_per_chip, int(v, COUNT))),
    value("Plane_No_Per_Die", |f, v| put(&mut f.planes_per_die, int(v, COUNT))),
    value("Block_No_Per_Plane", |f, v| put(&mut f.blocks_per_plane, int(v, 1..=INT_MAX))),
    value("Page_No_Per_Block", |f, v| put(&mut f.pages_per_block, int(v, 1..=INT_MAX))),
    value("Page_Capacity", |f, v| put(&mut f.page_bytes, multiple(v, 512..=1_048_576, 512))),
    no_effect("Page_Metadat_Capacity", |f, v| put(&mut f.page_metadata_bytes, int(v, ANY_U32)), "no spare bytes cross the channel"),
];

/// Reads an SSD configuration file; `label` names it in errors. Unknown tags are errors.
pub fn parse_device(label: &str, xml: &str) -> Result<DeviceXml, XmlError> {
    read_device(label, xml, false)
}

/// [`parse_device`], which may ignore unknown tags.
///
/// An absent tag or set has MQSim's default. Whether the parts fit together is for the caller to check.
pub fn read_device(label: &str, xml: &str, ignores_unknown: bool) -> Result<DeviceXml, XmlError> {
    let root = open_file(label, xml, &SSD_CONFIGURATION)?;
    let mut walk = Walk::new(label, places, ignores_unknown);
    let mut parsed = DeviceXml::default();
    let mut lines = walk.section(&root, &[SETS], &mut ())?;
    if let Some(host) = child(&root, HOST) {
        lines.0.extend(walk.section(host, &[HOST_TAGS], &mut parsed.host)?.0);
    }
    if let Some(device) = child(&root, DEVICE) {
        lines.0.extend(walk.section(device, &[DEVICE_TAGS], &mut parsed.device)?.0);
        if let Some(flash) = child(device, FLASH) {
            lines.0.extend(walk.section(flash, &[FLASH_TAGS], &mut parsed.flash)?.0);
        }
    }
    walk.all_known()?;
    parsed.ignored = walk.ignored;
    parsed.ignored.sort_by_key(|ignored| ignored.line);
    parsed.lines = lines;
    Ok(parsed)
}

fn child<'e>(parent: &'e Element, name: &str) -> Option<&'e Element> {
    parent.children.iter().find(|element| element.name == name)
}

pub(super) fn places() -> Vec<(&'static str, &'static str)> {
    [
        (ROOT, names(&[SETS])),
        (HOST, names(&[HOST_TAGS])),
        (DEVICE, names(&[DEVICE_TAGS])),
        (FLASH, names(&[FLASH_TAGS])),
    ]
    .into_iter()
    .flat_map(|(place, names)| names.into_iter().map(move |name| (name, place)))
    .collect()
}
