//! Files of MQSim: right ones (`valid`, `shipped`), wrong ones (`refused_tags`, `refused_xml`, `fuzz`), and others
//! (`read_as`, `cmt`, `imported`).

mod cmt;
mod fuzz;
mod imported;
mod read_as;
mod refused_tags;
mod refused_xml;
mod shipped;
mod valid;

use super::{parse_device, parse_workload};

const DEVICE: &str = r#"<?xml version="1.0" encoding="us-ascii"?>
<Execution_Parameter_Set>
	<Host_Parameter_Set>
		<PCIe_Lane_Bandwidth>2.00000</PCIe_Lane_Bandwidth>
		<Enable_ResponseTime_Logging>TRUE</Enable_ResponseTime_Logging>
	</Host_Parameter_Set>
	<Device_Parameter_Set>
		<Seed>321</Seed>
		<HostInterface_Type>sata</HostInterface_Type>
		<Plane_Allocation_Scheme>pdWC</Plane_Allocation_Scheme>
		<Preferred_suspend_erase_time_for_read>1</Preferred_suspend_erase_time_for_read>
		<Flash_Channel_Count>16</Flash_Channel_Count>
		<Flash_Parameter_Set>
			<Flash_Technology>TLC</Flash_Technology>
			<Page_Capacity>16384</Page_Capacity>
		</Flash_Parameter_Set>
		<GC_Exec_Threshold>0.1</GC_Exec_Threshold>
	</Device_Parameter_Set>
</Execution_Parameter_Set>
"#;

const WORKLOAD: &str = r#"<?xml version="1.0" encoding="us-ascii"?>
<MQSim_IO_Scenarios>
	<IO_Scenario>
		<IO_Flow_Parameter_Set_Synthetic>
			<Priority_Class>HIGH</Priority_Class>
			<Device_Level_Data_Caching_Mode>TURNED_OFF</Device_Level_Data_Caching_Mode>
			<Channel_IDs>3, 1,0,2</Channel_IDs>
			<Chip_IDs>0,1</Chip_IDs>
			<Die_IDs>0</Die_IDs>
			<Plane_IDs>1,4</Plane_IDs>
			<Initial_Occupancy_Percentage>70</Initial_Occupancy_Percentage>
			<Working_Set_Percentage>100</Working_Set_Percentage>
			<Synthetic_Generator_Type>QUEUE_DEPTH</Synthetic_Generator_Type>
			<Read_Percentage>70</Read_Percentage>
			<Address_Distribution>RANDOM_UNIFORM</Address_Distribution>
			<Generated_Aligned_Addresses>true</<Generated_Aligned_Addresses>
			<Address_Alignment_Unit>16</Address_Alignment_Unit>
			<Request_Size_Distribution>FIXED</Request_Size_Distribution>
			<Average_Request_Size>8</Average_Request_Size>
			<Seed>798</Seed>
			<Average_No_of_Reqs_in_Queue>16</Average_No_of_Reqs_in_Queue>
			<Intensity>anything</Intensity>
			<Stop_Time>10000000000</Stop_Time>
		</IO_Flow_Parameter_Set_Synthetic>
		<IO_Flow_Parameter_Set_Trace_Based>
			<Priority_Class>low</Priority_Class>
			<Device_Level_Data_Caching_Mode>WRITE_READ_CACHE</Device_Level_Data_Caching_Mode>
			<Channel_IDs>0</Channel_IDs>
			<Chip_IDs>0</Chip_IDs>
			<Die_IDs>0</Die_IDs>
			<Plane_IDs>0</Plane_IDs>
			<Initial_Occupancy_Percentage>0</Initial_Occupancy_Percentage>
			<File_Path>traces/a &amp; b&#46;trace</File_Path>
			<Percentage_To_Be_Executed>50</Percentage_To_Be_Executed>
			<Relay_Count>1</Relay_Count>
			<Time_Unit>MICROSECOND</Time_Unit>
		</IO_Flow_Parameter_Set_Trace_Based>
	</IO_Scenario>
</MQSim_IO_Scenarios>
"#;

fn device_error(text: &str) -> String {
    parse_device("ssdconfig.xml", text).unwrap_err().to_string()
}

fn workload_error(text: &str) -> String {
    parse_workload("workload.xml", text).unwrap_err().to_string()
}

fn device_with(from: &str, to: &str) -> String {
    assert!(DEVICE.contains(from), "{from}");
    device_error(&DEVICE.replacen(from, to, 1))
}

fn workload_with(from: &str, to: &str) -> String {
    assert!(WORKLOAD.contains(from), "{from}");
    workload_error(&WORKLOAD.replacen(from, to, 1))
}
