use crate::case::Case;
use crate::key_changes::{DESIGN, drive_of, workload_table, workload_text};

const REFUSED: [&str; 11] = [
    "flash.cell",
    "attachment.platform.north_dma",
    "attachment.platform.dqs",
    "attachment.platform.dual_port_dram",
    "attachment.platform.command_packing",
    "flow.dies",
    "flow.namespace",
    "flow.handle",
    "flow.reclaim_group",
    "flow.synthetic.zone_work",
    "flow.synthetic.zones",
];

pub fn cases() -> Vec<Case> {
    let designs = DESIGN.iter().filter(|row| !REFUSED.contains(&row.0)).map(|(key, change, situation, workload)| {
        let setting = format!("{key}={change}");
        let overrides: Vec<&str> = situation.iter().copied().chain([setting.as_str()]).collect();
        Case::small(&format!("key/design/{key}"), &overrides, &workload_text(workload))
    });
    let workloads = workload_table();
    let workloads = workloads.iter().filter(|row| !REFUSED.contains(&row.0)).map(|(key, changes, workload)| {
        Case::small(&format!("key/workload/{key}"), drive_of(key), workload).set(changes)
    });
    designs.chain(workloads).collect()
}
