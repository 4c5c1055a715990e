use canaletto::config::mqsim::{import, parse_device, parse_workload};

use crate::case::Case;

type Tags = [(&'static str, &'static str)];

const DRIVE: &Tags = &[
    ("Enabled_Preconditioning", "false"),
    ("HostInterface_Type", "NVME"),
    ("IO_Queue_Depth", "64"),
    ("Queue_Fetch_Size", "16"),
    ("Caching_Mechanism", "ADVANCED"),
    ("Data_Cache_Capacity", "262144"),
    ("Ideal_Mapping_Table", "true"),
    ("Overprovisioning_Ratio", "0.3"),
    ("GC_Exec_Threshold", "0.15"),
    ("GC_Hard_Threshold", "0.05"),
    ("Flash_Channel_Count", "4"),
    ("Chip_No_Per_Channel", "2"),
];

const FLASH: &Tags = &[
    ("Flash_Technology", "TLC"),
    ("Page_Read_Latency_LSB", "45000"),
    ("Page_Read_Latency_CSB", "65000"),
    ("Page_Read_Latency_MSB", "85000"),
    ("Page_Program_Latency_LSB", "300000"),
    ("Page_Program_Latency_CSB", "450000"),
    ("Page_Program_Latency_MSB", "650000"),
    ("Block_Erase_Latency", "2000000"),
    ("Die_No_Per_Chip", "1"),
    ("Plane_No_Per_Die", "2"),
    ("Block_No_Per_Plane", "32"),
    ("Page_No_Per_Block", "24"),
    ("Page_Capacity", "8192"),
];

const FLOW: &Tags = &[
    ("Priority_Class", "HIGH"),
    ("Device_Level_Data_Caching_Mode", "TURNED_OFF"),
    ("Channel_IDs", "0,1,2,3"),
    ("Chip_IDs", "0,1"),
    ("Die_IDs", "0"),
    ("Plane_IDs", "0,1"),
    ("Initial_Occupancy_Percentage", "70"),
    ("Working_Set_Percentage", "85"),
    ("Synthetic_Generator_Type", "QUEUE_DEPTH"),
    ("Read_Percentage", "60"),
    ("Address_Distribution", "RANDOM_UNIFORM"),
    ("Generated_Aligned_Addresses", "true"),
    ("Address_Alignment_Unit", "16"),
    ("Request_Size_Distribution", "FIXED"),
    ("Average_Request_Size", "16"),
    ("Seed", "798"),
    ("Average_No_of_Reqs_in_Queue", "16"),
    ("Stop_Time", "0"),
    ("Total_Requests_To_Generate", "800"),
];

const TRACE: &Tags = &[
    ("Priority_Class", "HIGH"),
    ("Device_Level_Data_Caching_Mode", "TURNED_OFF"),
    ("Channel_IDs", "0,1,2,3"),
    ("Chip_IDs", "0,1"),
    ("Die_IDs", "0"),
    ("Plane_IDs", "0,1"),
    ("Initial_Occupancy_Percentage", "60"),
    ("File_Path", "mixed"),
    ("Percentage_To_Be_Executed", "100"),
    ("Relay_Count", "1"),
    ("Time_Unit", "NANOSECOND"),
];

const UNALIGNED: &Tags = &[
    ("Request_Size_Distribution", "NORMAL"),
    ("Average_Request_Size", "12"),
    ("Variance_Request_Size", "5"),
    ("Address_Alignment_Unit", "1"),
    ("Read_Percentage", "40"),
];
const OPEN: &Tags = &[("Synthetic_Generator_Type", "BANDWIDTH"), ("Bandwidth", "200000000")];
const HOT: &Tags =
    &[("Address_Distribution", "RANDOM_HOTCOLD"), ("Percentage_of_Hot_Region", "20"), ("Read_Percentage", "30")];
const STREAM: &Tags =
    &[("Address_Distribution", "STREAMING"), ("Read_Percentage", "50"), ("Average_Request_Size", "64")];
const CACHING: &Tags = &[("Device_Level_Data_Caching_Mode", "WRITE_CACHE"), ("Read_Percentage", "30")];
const WRITES: &Tags =
    &[("Read_Percentage", "0"), ("Total_Requests_To_Generate", "3000"), ("Working_Set_Percentage", "95")];
const LOW: &Tags = &[("Priority_Class", "LOW"), ("Seed", "12"), ("Average_No_of_Reqs_in_Queue", "48")];
const STEADY: &Tags = &[("Enabled_Preconditioning", "true")];
const FEW_ENTRIES: &Tags = &[("Ideal_Mapping_Table", "false"), ("CMT_Capacity", "2048")];
const PARTED: &Tags =
    &[("Ideal_Mapping_Table", "false"), ("CMT_Capacity", "4096"), ("CMT_Sharing_Mode", "EQUAL_PARTITIONING")];
const PLAIN: &Tags = &[("Transaction_Scheduling_Policy", "OUT_OF_ORDER"), ("Plane_Allocation_Scheme", "PDWC")];
const SLOW: &Tags =
    &[("Channel_Transfer_Rate", "200"), ("Flash_Channel_Width", "6"), ("Preemptible_GC_Enabled", "false")];

/// Name, tags of drive and flash, flows (of traces: those whose name is a file).
type Row = (&'static str, &'static [&'static Tags], &'static [&'static Tags], &'static [Flow]);

enum Flow {
    Drawn(&'static [&'static Tags]),
    Recorded(&'static [&'static Tags]),
}
use Flow::{Drawn, Recorded};

const SLC: &Tags = &[("Flash_Technology", "SLC")];
const MLC_DIES: &Tags = &[("Flash_Technology", "MLC"), ("Die_No_Per_Chip", "2")];

const CASES: &[Row] = &[
    ("plain", &[], &[], &[Drawn(&[])]),
    ("slc", &[], &[SLC], &[Drawn(&[])]),
    ("mlc-dies", &[], &[MLC_DIES], &[Drawn(&[&[("Die_IDs", "0,1")]])]),
    ("unaligned", &[], &[], &[Drawn(&[UNALIGNED])]),
    ("open", &[], &[], &[Drawn(&[OPEN])]),
    ("hot", &[], &[], &[Drawn(&[HOT])]),
    ("stream", &[PLAIN], &[], &[Drawn(&[STREAM])]),
    ("slow", &[SLOW], &[], &[Drawn(&[])]),
    ("writes", &[STEADY], &[SLC], &[Drawn(&[WRITES])]),
    ("steady", &[STEADY], &[], &[Drawn(&[])]),
    ("steady-fifo", &[STEADY, &[("GC_Block_Selection_Policy", "FIFO")]], &[], &[Drawn(&[HOT])]),
    ("steady-random", &[STEADY, &[("GC_Block_Selection_Policy", "RANDOM_PP")]], &[], &[Drawn(&[WRITES])]),
    ("cached", &[], &[], &[Drawn(&[CACHING])]),
    ("cached-unaligned", &[], &[], &[Drawn(&[UNALIGNED, CACHING])]),
    ("table", &[FEW_ENTRIES], &[], &[Drawn(&[])]),
    ("table-unaligned", &[FEW_ENTRIES], &[], &[Drawn(&[UNALIGNED])]),
    ("two-flows", &[], &[], &[Drawn(&[]), Drawn(&[LOW])]),
    ("two-flows-plain", &[PLAIN], &[], &[Drawn(&[HOT]), Drawn(&[LOW])]),
    ("two-flows-tables", &[PARTED], &[], &[Drawn(&[]), Drawn(&[LOW])]),
    (
        "two-flows-caches",
        &[&[("Data_Cache_Sharing_Mode", "EQUAL_PARTITIONING")]],
        &[],
        &[Drawn(&[CACHING]), Drawn(&[LOW])],
    ),
    ("two-flows-apart", &[], &[], &[Drawn(&[&[("Channel_IDs", "0,1")]]), Drawn(&[LOW, &[("Channel_IDs", "2,3")]])]),
    ("trace", &[], &[], &[Recorded(&[])]),
    ("trace-steady", &[STEADY], &[], &[Recorded(&[])]),
    ("trace-cached", &[], &[], &[Recorded(&[&[("Device_Level_Data_Caching_Mode", "WRITE_CACHE")]])]),
    ("trace-and-flow", &[], &[], &[Recorded(&[]), Drawn(&[LOW])]),
];

fn xml(base: &Tags, changes: &[&'static Tags]) -> String {
    let mut tags = base.to_vec();
    for (tag, value) in changes.concat() {
        match tags.iter_mut().find(|known| known.0 == tag) {
            Some(known) => known.1 = value,
            None => tags.push((tag, value)),
        }
    }
    tags.iter().map(|(tag, value)| format!("<{tag}>{value}</{tag}>\n")).collect()
}

fn flow_xml(flow: &Flow) -> String {
    let (name, tags) = match flow {
        Drawn(changes) => ("IO_Flow_Parameter_Set_Synthetic", xml(FLOW, changes)),
        Recorded(changes) => ("IO_Flow_Parameter_Set_Trace_Based", xml(TRACE, changes)),
    };
    format!("<{name}>\n{tags}</{name}>\n")
}

fn case((name, drive, flash, flows): &Row) -> Case {
    let flash = xml(FLASH, flash);
    let device = format!(
        "<Execution_Parameter_Set><Device_Parameter_Set>\n{}<Flash_Parameter_Set>\n{flash}</Flash_Parameter_Set>\n\
         </Device_Parameter_Set></Execution_Parameter_Set>",
        xml(DRIVE, drive)
    );
    let flows: String = flows.iter().map(flow_xml).collect();
    let workload = format!("<MQSim_IO_Scenarios><IO_Scenario>\n{flows}</IO_Scenario></MQSim_IO_Scenarios>");
    let fail = |problem: String| -> ! { panic!("mqsim/{name}: {problem}") };
    let device = parse_device("ssdconfig.xml", &device).unwrap_or_else(|e| fail(e.to_string()));
    let scenarios = parse_workload("workload.xml", &workload).unwrap_or_else(|e| fail(e.to_string()));
    let imported = import("ssdconfig.xml", &device, "workload.xml", &scenarios).unwrap_or_else(|e| fail(e.to_string()));
    let scenario = imported.into_iter().next().expect("one scenario");
    Case::imported(&format!("mqsim/{name}"), scenario.design, scenario.workload)
}

pub fn cases() -> Vec<Case> {
    CASES.iter().map(case).collect()
}
