use super::super::import::import_mapping as mapping;
use super::super::{DeviceXml, import, parse_device};
use crate::design::{Mapping, Sharing};

fn device(page: u32, pages: u32, more: &str) -> DeviceXml {
    let text = format!(
        "<Execution_Parameter_Set><Device_Parameter_Set>\
         <HostInterface_Type>NVME</HostInterface_Type><Enabled_Preconditioning>false</Enabled_Preconditioning>\
         <Flash_Channel_Count>8</Flash_Channel_Count><Chip_No_Per_Channel>8</Chip_No_Per_Channel>{more}\
         <Flash_Parameter_Set><Die_No_Per_Chip>1</Die_No_Per_Chip><Plane_No_Per_Die>2</Plane_No_Per_Die>\
         <Block_No_Per_Plane>1024</Block_No_Per_Plane><Page_No_Per_Block>{pages}</Page_No_Per_Block>\
         <Page_Capacity>{page}</Page_Capacity></Flash_Parameter_Set>\
         </Device_Parameter_Set></Execution_Parameter_Set>"
    );
    parse_device("ssdconfig.xml", &text).unwrap_or_else(|e| panic!("{e}"))
}

const CACHED: &str = "<Ideal_Mapping_Table>false</Ideal_Mapping_Table>";

/// The recorded drives: 8 B and 819 entries a page of 4 KiB, 11 B and 2048 entries a page of 16 KiB.
#[test]
fn entries_have_mqsim_s_sizes() {
    let performance = mapping(&device(4096, 768, CACHED));
    assert_eq!((performance.cached_entry_bytes, performance.entries_per_page(4096)), (8, 819));
    let cost = mapping(&device(16384, 512, &format!("{CACHED}<CMT_Capacity>65536</CMT_Capacity>")));
    assert_eq!((cost.cached_entry_bytes, cost.entries_per_page(16384)), (11, 2048));
    assert_eq!((cost.entries(2), cost.sharing), (5957, Sharing::FullPerFlow));
    let parted =
        format!("{CACHED}<CMT_Capacity>65536</CMT_Capacity><CMT_Sharing_Mode>EQUAL_PARTITIONING</CMT_Sharing_Mode>");
    let parted = mapping(&device(16384, 512, &parted));
    assert_eq!((parted.entries(2), parted.sharing), (2978, Sharing::Equal));
}

#[test]
fn the_ideal_table_is_all_in_dram() {
    let ideal = mapping(&device(4096, 768, "<Ideal_Mapping_Table>true</Ideal_Mapping_Table>"));
    assert_eq!(ideal, Mapping::default());
    assert!(!ideal.is_cached());
}

#[test]
fn a_table_without_room_for_an_entry_is_refused_at_its_line() {
    let device = device(4096, 768, &format!("{CACHED}\n<CMT_Capacity>7</CMT_Capacity>"));
    let error = import("ssdconfig.xml", &device, "workload.xml", &[]).unwrap_err().to_string();
    assert_eq!(error, "ssdconfig.xml:2: <CMT_Capacity>: expected at least the 8 bytes of an entry");
}
