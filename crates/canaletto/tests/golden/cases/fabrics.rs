use super::{EVERYTHING, LARGE_MIXED, LARGE_READS, MIXED, PARTIAL, READS, SQUARE, flow, with};
use crate::case::Case;

pub const FABRICS: [&str; 14] = [
    "bus",
    "packetized",
    "omnibus",
    "omnibus-split",
    "mesh",
    "mesh-2bit",
    "venice",
    "ideal",
    "sca",
    "clusters",
    "scheduled-mesh",
    "custom",
    "daisy-chain",
    "ring",
];

const OPTIONS: &[(&str, &[&str])] = &[
    ("bus", &["fabric.transfer_order=commands-first"]),
    ("bus", &["fabric.data_queue=oldest-request"]),
    ("bus", &["fabric.hold_path=always"]),
    ("bus", &["fabric.hold_path=reads"]),
    ("bus", &["fabric.turnarounds=on-wires"]),
    ("bus", &["fabric.burst_bytes=16", "fabric.interface=nv-ddr3"]),
    ("bus", &["fabric.link_rate=200MB/s", "fabric.transfer_order=commands-first", "fabric.data_queue=oldest-request"]),
    ("packetized", &["fabric.hold_path=always"]),
    ("packetized", &["fabric.hold_path=reads"]),
    ("packetized", &["fabric.command_time=40ns", "fabric.transfer_order=commands-first"]),
    ("omnibus", &["fabric.hold_path=always"]),
    ("omnibus", &["fabric.hold_path=reads"]),
    ("omnibus", &["fabric.omnibus.control.delay=200ns", "fabric.data_queue=oldest-request"]),
    ("omnibus", &["fabric.omnibus.control.width=1", "fabric.omnibus.control.rate=80MB/s"]),
    ("omnibus-split", &["fabric.transfer_order=commands-first"]),
    ("omnibus-split", &["fabric.link_rate=300MB/s", "fabric.data_queue=oldest-request"]),
    ("mesh", &["fabric.mesh.controller=least-loaded"]),
    ("mesh", &["fabric.mesh.packet=512B"]),
    ("mesh", &["fabric.mesh.buffer=4160B", "fabric.network.link_rate=300MB/s"]),
    (
        "mesh",
        &[
            "fabric.mesh.controller=least-loaded",
            "fabric.network.controllers=alternating",
            "fabric.network.router_delay=20ns",
        ],
    ),
    ("mesh-2bit", &["fabric.mesh.controller=least-loaded", "fabric.transfer_order=commands-first"]),
    ("mesh-2bit", &["fabric.mesh.packet=1KiB", "fabric.data_queue=oldest-request"]),
    ("venice", &["fabric.venice.scouts=atomic"]),
    ("venice", &["fabric.venice.retry=oracle", "fabric.venice.tear_down=wire"]),
    ("venice", &["fabric.venice.retry=immediate"]),
    ("venice", &["fabric.venice.retry_interval=200ns"]),
    ("venice", &["fabric.venice.scouts=atomic", "fabric.venice.retry=immediate"]),
    ("venice", &["fabric.venice.controller=own-row"]),
    ("venice", &["fabric.network.controllers=alternating", "fabric.venice.scouts=atomic"]),
    ("venice", &["fabric.network.controllers=alternating", "fabric.venice.tear_down=wire"]),
    ("venice", &["fabric.hold_path=always"]),
    ("venice", &["fabric.hold_path=always", "fabric.venice.scouts=atomic"]),
    (
        "venice",
        &[
            "fabric.network.link_rate=250MB/s",
            "fabric.network.router_delay=30ns",
            "fabric.transfer_order=commands-first",
        ],
    ),
    ("venice", &["fabric.hold_path=reads"]),
    ("ideal", &["fabric.hold_path=always"]),
    ("ideal", &["fabric.transfer_order=commands-first", "flash.busy_until_data_out=true"]),
    ("sca", &["fabric.transfer_order=commands-first", "fabric.data_queue=oldest-request"]),
    ("sca", &["fabric.sca.ca_width=1", "fabric.sca.ca_rate=40MB/s"]),
    ("sca", &["fabric.link_rate=200MB/s", "flash.busy_until_data_out=true"]),
    ("clusters", &["fabric.hold_path=always"]),
    ("clusters", &["fabric.hold_path=reads", "fabric.clusters.trunks=1"]),
    ("clusters", &["fabric.clusters.grant_rate=20MB/s", "fabric.transfer_order=commands-first"]),
    ("clusters", &["fabric.clusters.chunk=1KiB", "fabric.transfer_order=commands-first"]),
    ("clusters", &["fabric.clusters.chips_per_switch=4", "fabric.clusters.inner_buses=1", "fabric.link_rate=300MB/s"]),
    ("scheduled-mesh", &["fabric.hold_path=always"]),
    ("scheduled-mesh", &["fabric.hold_path=reads", "fabric.network.controllers=alternating"]),
    ("scheduled-mesh", &["fabric.scheduled_mesh.grant_rate=20MB/s", "fabric.transfer_order=commands-first"]),
    ("scheduled-mesh", &["fabric.scheduled_mesh.search_step=100ns", "fabric.network.link_rate=250MB/s"]),
    ("omnibus", &["fabric.omnibus.late_split=1KiB"]),
    ("omnibus", &["fabric.omnibus.late_split=1KiB", "fabric.omnibus.control.rate=20MB/s", "fabric.link_rate=300MB/s"]),
    ("venice", &["fabric.failures.links=4"]),
    ("scheduled-mesh", &["fabric.failures.links=9", "fabric.failures.placement=2"]),
    ("custom", &["fabric.hold_path=reads", "fabric.custom.grant_delay=40ns"]),
    ("custom", &["fabric.hold_path=always", "fabric.network.controllers=alternating"]),
    ("venice", &["fabric.failures.controllers=1"]),
    ("scheduled-mesh", &["fabric.failures.controllers=2", "fabric.failures.links=3", "geometry.channels=4"]),
    ("venice", &["fabric.failures.routers=1", "fabric.failures.at=300us"]),
    ("scheduled-mesh", &["fabric.failures.routers=1", "fabric.failures.links=4", "fabric.failures.spare_chips=false"]),
    ("omnibus", &["fabric.failures.buses=1", "fabric.failures.at=200us"]),
    ("omnibus-split", &["fabric.failures.controllers=1"]),
    ("clusters", &["fabric.failures.controllers=1", "fabric.failures.buses=1"]),
    ("mesh", &["fabric.failures.links=2", "fabric.failures.at=150us"]),
    ("bus", &["fabric.failures.buses=1"]),
];

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for fabric in FABRICS {
        let kind = format!("fabric.kind={fabric}");
        let square = with(SQUARE, &[&kind]);
        for (name, traffic) in [
            ("reads", READS),
            ("large-reads", LARGE_READS),
            ("mixed", LARGE_MIXED),
            ("partial", PARTIAL),
            ("everything", EVERYTHING),
        ] {
            cases.push(Case::small(&format!("fabric/{fabric}/{name}"), &square, &flow(traffic)));
        }
        let rectangle = ["geometry.channels=2", "geometry.chips_per_channel=5", "geometry.dies_per_chip=2", &kind];
        cases.push(Case::small(&format!("fabric/{fabric}/rectangle"), &rectangle, &flow(LARGE_MIXED)));
        for scope in ["plane", "parallel", "spatial"] {
            let scope_setting = format!("gc.scope={scope}");
            let over = [kind.as_str(), &scope_setting, "ftl.write_placement=dynamic", "precondition.kind=steady"];
            cases.push(Case::small(&format!("fabric/{fabric}/collection-{scope}"), &over, &flow(MIXED)));
        }
    }
    cases.extend(of_options());
    cases
}

fn of_options() -> Vec<Case> {
    let case = |(number, (fabric, options)): (usize, &(&str, &[&str]))| {
        let kind = format!("fabric.kind={fabric}");
        let overrides = [SQUARE, &[kind.as_str()], options].concat();
        let name = options.iter().map(|option| option.rsplit('.').next().unwrap_or(option)).collect::<Vec<_>>();
        Case::small(&format!("fabric-option/{number}/{fabric}/{}", name.join("+")), &overrides, &flow(LARGE_MIXED))
    };
    OPTIONS.iter().enumerate().map(case).collect()
}
