use super::super::{import, parse_device, parse_workload};
use super::{DEVICE, WORKLOAD};
use crate::cache::{Cache, CacheMode, Destage, DramTiming, Sharing};
use crate::mqsim::ImportedScenario;
use crate::units::{Duration, Rate, Size};

fn imported(tags: &str, modes: [&str; 2]) -> Result<ImportedScenario, String> {
    let plain =
        "<Enabled_Preconditioning>false</Enabled_Preconditioning><Ideal_Mapping_Table>true</Ideal_Mapping_Table>";
    let device = DEVICE.replace("sata", "nvme").replace("<Seed>", &format!("{plain}{tags}<Seed>"));
    let workload = WORKLOAD.replace("TURNED_OFF", modes[0]).replace("WRITE_READ_CACHE", modes[1]).replace("1,4", "1");
    let scenarios = parse_workload("w", &workload).unwrap();
    let mut scenarios =
        import("d", &parse_device("d", &device).unwrap(), "w", &scenarios).map_err(|e| e.to_string())?;
    Ok(scenarios.remove(0))
}

#[test]
fn every_tag_of_the_cache_is_carried_over() {
    let tags = "<Data_Cache_Sharing_Mode>EQUAL_PARTITIONING</Data_Cache_Sharing_Mode>
        <Data_Cache_Capacity>1048576</Data_Cache_Capacity><Data_Cache_DRAM_Row_Size>4096</Data_Cache_DRAM_Row_Size>
        <Data_Cache_DRAM_Data_Rate>1600</Data_Cache_DRAM_Data_Rate><Data_Cache_DRAM_Data_Busrt_Size>8</Data_Cache_DRAM_Data_Busrt_Size>
        <Data_Cache_DRAM_tRCD>1</Data_Cache_DRAM_tRCD><Data_Cache_DRAM_tCL>2</Data_Cache_DRAM_tCL>
        <Data_Cache_DRAM_tRP>3</Data_Cache_DRAM_tRP>";
    let scenario = imported(tags, ["WRITE_CACHE", "READ_CACHE"]).unwrap();
    let Cache { capacity, sharing, destage, dram, destages_per_plane, keep_destaged, .. } = scenario.design.cache;
    assert_eq!((capacity, sharing, destage), (Size(1 << 20), Sharing::Equal, Destage::Mqsim));
    assert_eq!((destages_per_plane, keep_destaged), (1, false));
    let [trcd, tcl, trp] = [1, 2, 3].map(Duration::from_ns);
    assert_eq!((dram.trcd, dram.tcl, dram.trp, dram.row), (trcd, tcl, trp, Size(4096)));
    // Two bursts of 8 B in 1000 / 1600 ns.
    assert_eq!((dram.rate, dram.burst, dram.timing), (Rate(25_600_000_000), Size(8), DramTiming::Mqsim));
    let modes: Vec<_> = scenario.workload.flow.iter().map(|flow| flow.cache).collect();
    assert_eq!(modes, [Some(CacheMode::Write), Some(CacheMode::Read)]);
}

#[test]
fn a_cache_that_nobody_uses_is_left_out() {
    assert_eq!(imported("", ["TURNED_OFF", "TURNED_OFF"]).unwrap().design.cache.capacity, Size(0));
    assert_eq!(imported("", ["TURNED_OFF", "WRITE_READ_CACHE"]).unwrap().design.cache.capacity, Size(512 << 20));
}

#[test]
fn caches_on_which_mqsim_stops_are_refused() {
    let simple = "<Caching_Mechanism>SIMPLE</Caching_Mechanism>";
    let problem = imported(simple, ["WRITE_CACHE", "TURNED_OFF"]).unwrap_err();
    assert!(problem.contains("<Device_Level_Data_Caching_Mode>") && problem.contains("SIMPLE"), "{problem}");
    assert!(imported(simple, ["TURNED_OFF", "TURNED_OFF"]).is_ok());
    let problem = imported("<Data_Cache_Capacity>9</Data_Cache_Capacity>", ["TURNED_OFF", "READ_CACHE"]).unwrap_err();
    assert!(problem.contains("which is 9"), "{problem}");
}
