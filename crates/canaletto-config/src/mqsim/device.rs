//! Contents of `ssdconfig.xml`. Names follow MQSim's tags, with units last; `Default` is MQSim's.
//!
//! Fields marked *(idle)* are read by MQSim without any effect; see [`Ignored`].

use serde::Serialize;

use super::ignored::{Ignored, TagLines};
use super::words::*;

/// One SSD configuration file, `<Execution_Parameter_Set>`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeviceXml {
    /// `<Host_Parameter_Set>`.
    pub host: HostXml,
    /// `<Device_Parameter_Set>` without its inner set.
    pub device: ControllerXml,
    /// `<Flash_Parameter_Set>` inside `<Device_Parameter_Set>`.
    pub flash: FlashXml,
    /// Without effect, in the order of the file.
    pub ignored: Vec<Ignored>,
    /// Where each tag stands.
    #[serde(skip)]
    pub lines: TagLines,
}

/// The host and its link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostXml {
    /// `PCIe_Lane_Bandwidth`: one lane, one direction.
    pub pcie_lane_gb_s: f64,
    /// `PCIe_Lane_Count`.
    pub pcie_lanes: u32,
    /// `SATA_Processing_Delay` of each message. MQSim's files say 400000; its code, without the tag, 0.
    pub sata_processing_ns: u64,
    /// `Enable_ResponseTime_Logging` *(idle)*.
    pub response_time_logging: bool,
    /// `ResponseTime_Logging_Period_Length` *(idle)*.
    pub response_time_logging_period_ns: u64,
}

impl Default for HostXml {
    fn default() -> Self {
        HostXml {
            pcie_lane_gb_s: 0.4,
            pcie_lanes: 4,
            sata_processing_ns: 0,
            response_time_logging: false,
            response_time_logging_period_ns: 400_000,
        }
    }
}

/// The controller: host interface, caches, FTL, scheduler, channels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ControllerXml {
    /// `Seed` of the device's random numbers. MQSim adds 2 for each scenario of a run.
    pub seed: u32,
    /// `Enabled_Preconditioning`: fill the drive to a steady state first.
    pub preconditioning: bool,
    /// `Memory_Type`.
    pub memory: MemoryType,
    /// `HostInterface_Type`.
    pub host_interface: HostInterface,
    /// `IO_Queue_Depth`: entries of each NVMe queue, or of SATA's one queue. At least 2: with 1 a ring is always full.
    pub io_queue_depth: u32,
    /// `Queue_Fetch_Size`: requests of one NVMe flow that are in the device at once.
    pub queue_fetch_size: u32,
    /// `Caching_Mechanism`.
    pub caching_mechanism: CachingMechanism,
    /// `Data_Cache_Sharing_Mode`.
    pub data_cache_sharing: SharingMode,
    /// `Data_Cache_Capacity`.
    pub data_cache_bytes: u32,
    /// `Data_Cache_DRAM_Row_Size`.
    pub dram_row_bytes: u32,
    /// `Data_Cache_DRAM_Data_Rate`, million transfers per second.
    pub dram_rate_mt_s: u32,
    /// `Data_Cache_DRAM_Data_Busrt_Size` (MQSim's spelling): bytes of one burst.
    pub dram_burst_bytes: u32,
    /// `Data_Cache_DRAM_tRCD`.
    pub dram_trcd_ns: u64,
    /// `Data_Cache_DRAM_tCL`.
    pub dram_tcl_ns: u64,
    /// `Data_Cache_DRAM_tRP`.
    pub dram_trp_ns: u64,
    /// `Address_Mapping`.
    pub address_mapping: AddressMapping,
    /// `Ideal_Mapping_Table`: the whole table is in DRAM, lookups cost nothing.
    pub ideal_mapping_table: bool,
    /// `CMT_Capacity`: memory of the cached mapping table.
    pub cmt_bytes: u32,
    /// `CMT_Sharing_Mode`.
    pub cmt_sharing: SharingMode,
    /// `Plane_Allocation_Scheme`.
    pub plane_allocation: PlaneAllocation,
    /// `Transaction_Scheduling_Policy`.
    pub scheduling: SchedulingPolicy,
    /// `Overprovisioning_Ratio`: spare space over all space.
    pub overprovisioning: f64,
    /// `GC_Exec_Threshold`: garbage collection starts below this share of free blocks in a plane.
    pub gc_threshold: f64,
    /// `GC_Block_Selection_Policy`.
    pub gc_policy: GcPolicy,
    /// `Use_Copyback_for_GC`.
    pub gc_copyback: bool,
    /// `Preemptible_GC_Enabled`: user requests go before garbage collection until the hard threshold.
    pub gc_preemptible: bool,
    /// `GC_Hard_Threshold`: below this share of free blocks collection goes first. Used if preemptible.
    pub gc_hard_threshold: f64,
    /// `Dynamic_Wearleveling_Enabled` *(idle)*: always on.
    pub dynamic_wear_levelling: bool,
    /// `Static_Wearleveling_Enabled` *(idle)*: always on.
    pub static_wear_levelling: bool,
    /// `Static_Wearleveling_Threshold` *(idle)*: always 100.
    pub static_wear_levelling_threshold: u32,
    /// `Prefered_suspend_erase_time_for_read` *(idle)*; MQSim reads only this spelling and ships the right one.
    pub suspend_erase_for_read_ns: u64,
    /// `Preferred_suspend_erase_time_for_write` *(idle)*.
    pub suspend_erase_for_write_ns: u64,
    /// `Preferred_suspend_write_time_for_read` *(idle)*.
    pub suspend_program_for_read_ns: u64,
    /// `Flash_Channel_Count`.
    pub channels: u32,
    /// `Flash_Channel_Width`.
    pub channel_width_bytes: u32,
    /// `Channel_Transfer_Rate`, million transfers per second. MQSim truncates the transfer time to whole ns.
    pub channel_rate_mt_s: u32,
    /// `Chip_No_Per_Channel`.
    pub chips_per_channel: u32,
    /// `Flash_Comm_Protocol`.
    pub flash_protocol: FlashProtocol,
}

impl Default for ControllerXml {
    fn default() -> Self {
        ControllerXml {
            seed: 123,
            preconditioning: true,
            memory: MemoryType::Flash,
            host_interface: HostInterface::Nvme,
            io_queue_depth: 1024,
            queue_fetch_size: 512,
            caching_mechanism: CachingMechanism::Advanced,
            data_cache_sharing: SharingMode::Shared,
            data_cache_bytes: 512 << 20,
            dram_row_bytes: 8192,
            dram_rate_mt_s: 800,
            dram_burst_bytes: 4,
            dram_trcd_ns: 13,
            dram_tcl_ns: 13,
            dram_trp_ns: 13,
            address_mapping: AddressMapping::PageLevel,
            ideal_mapping_table: false,
            cmt_bytes: 2 << 20,
            cmt_sharing: SharingMode::Shared,
            plane_allocation: PlaneAllocation::CWDP,
            scheduling: SchedulingPolicy::OutOfOrder,
            overprovisioning: 0.07,
            gc_threshold: 0.05,
            gc_policy: GcPolicy::Rga,
            gc_copyback: false,
            gc_preemptible: true,
            gc_hard_threshold: 0.005,
            dynamic_wear_levelling: true,
            static_wear_levelling: true,
            static_wear_levelling_threshold: 100,
            suspend_erase_for_read_ns: 700_000,
            suspend_erase_for_write_ns: 700_000,
            suspend_program_for_read_ns: 100_000,
            channels: 8,
            channel_width_bytes: 1,
            channel_rate_mt_s: 300,
            chips_per_channel: 4,
            flash_protocol: FlashProtocol::Nvddr2,
        }
    }
}

/// The flash chips.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlashXml {
    /// `Flash_Technology`.
    pub technology: FlashTechnology,
    /// `CMD_Suspension_Support` *(idle)*.
    pub suspension: Suspension,
    /// `Page_Read_Latency_LSB`.
    pub read_lsb_ns: u64,
    /// `Page_Read_Latency_CSB`; TLC only.
    pub read_csb_ns: u64,
    /// `Page_Read_Latency_MSB`; MLC and TLC only.
    pub read_msb_ns: u64,
    /// `Page_Program_Latency_LSB`.
    pub program_lsb_ns: u64,
    /// `Page_Program_Latency_CSB`; TLC only.
    pub program_csb_ns: u64,
    /// `Page_Program_Latency_MSB`; MLC and TLC only.
    pub program_msb_ns: u64,
    /// `Block_Erase_Latency`.
    pub erase_ns: u64,
    /// `Block_PE_Cycles_Limit` *(idle)*: erases before a block should wear out.
    pub pe_cycles_limit: u32,
    /// `Suspend_Erase_Time` *(idle)*.
    pub suspend_erase_ns: u64,
    /// `Suspend_Program_Time` *(idle)*.
    pub suspend_program_ns: u64,
    /// `Die_No_Per_Chip`.
    pub dies_per_chip: u32,
    /// `Plane_No_Per_Die`.
    pub planes_per_die: u32,
    /// `Block_No_Per_Plane`.
    pub blocks_per_plane: u32,
    /// `Page_No_Per_Block`.
    pub pages_per_block: u32,
    /// `Page_Capacity`: user data of a page, whole sectors of 512 bytes.
    pub page_bytes: u32,
    /// `Page_Metadat_Capacity` (MQSim's spelling) *(idle)*: spare bytes of a page.
    pub page_metadata_bytes: u32,
}

impl Default for FlashXml {
    fn default() -> Self {
        FlashXml {
            technology: FlashTechnology::Mlc,
            suspension: Suspension::Erase,
            read_lsb_ns: 75_000,
            read_csb_ns: 75_000,
            read_msb_ns: 75_000,
            program_lsb_ns: 750_000,
            program_csb_ns: 750_000,
            program_msb_ns: 750_000,
            erase_ns: 3_800_000,
            pe_cycles_limit: 10_000,
            suspend_erase_ns: 700_000,
            suspend_program_ns: 100_000,
            dies_per_chip: 2,
            planes_per_die: 2,
            blocks_per_plane: 2048,
            pages_per_block: 256,
            page_bytes: 8192,
            page_metadata_bytes: 1872,
        }
    }
}
