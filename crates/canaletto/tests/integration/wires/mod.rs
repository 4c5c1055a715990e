//! The checker finds every planted fault, and none in a clean recording.

mod buses;
mod chips;
mod clusters;
mod custom;
mod late;
mod networks;
mod scheduled;
mod tape;

use std::collections::BTreeSet;

use canaletto::config::design::{Design, FabricKind};
use canaletto::config::named::Named;
use canaletto::config::workload::Workload;
use canaletto::fabric::facts_of;
use canaletto::measure::wire_check::WireCheck;
use canaletto::measure::wire_check::checker::check;
use canaletto::measure::wire_check::found::Rule;
use canaletto::measure::wire_check::recording::Entry;
use canaletto::{RunError, RunOptions, Simulation, run};

use self::tape::Tape;
use crate::common;

pub struct Fault {
    pub name: &'static str,
    pub site: &'static str,
    pub rule: Rule,
    pub plant: fn(&mut Tape),
}

pub const fn fault(site: &'static str, rule: Rule, name: &'static str, plant: fn(&mut Tape)) -> Fault {
    Fault { name, site, rule, plant }
}

const SITES: &[(&str, &[&str])] = &[
    ("bus", &[]),
    ("suspend", &["flash.suspend.operations=both", "flash.suspend.min_remaining=0us"]),
    ("busy-until-out", &["flash.busy_until_data_out=true"]),
    ("on-wires", &["fabric.turnarounds=on-wires", "fabric.interface=nv-ddr3"]),
    ("full", &["fabric.sequences=full", "fabric.interface=nv-ddr3"]),
    (
        "pipelines",
        &["flash.independent_plane_reads=true", "flash.cache_program=true", "fabric.transfer_order=commands-first"],
    ),
    ("plane-reads", &["flash.independent_plane_reads=true", "flash.multi_plane=head-page"]),
    ("sca", &["fabric.kind=sca"]),
    ("daisy-chain", &["fabric.kind=daisy-chain"]),
    ("ring", &["fabric.kind=ring"]),
    ("clusters", &["fabric.kind=clusters"]),
    ("chunks", &["fabric.kind=clusters", "fabric.clusters.chunk=1KiB"]),
    ("ideal", &["fabric.kind=ideal"]),
    ("packetized", &["fabric.kind=packetized"]),
    ("omnibus", &["fabric.kind=omnibus"]),
    ("omnibus-split", &["fabric.kind=omnibus-split"]),
    ("late-split", &["fabric.kind=omnibus", "fabric.omnibus.late_split=1KiB", "fabric.transfer_order=commands-first"]),
    ("mesh", &["fabric.kind=mesh"]),
    ("mesh-2bit", &["fabric.kind=mesh-2bit"]),
    ("venice", &["fabric.kind=venice"]),
    ("venice-wire", &["fabric.kind=venice", "fabric.venice.tear_down=wire"]),
    ("scheduled-mesh", &["fabric.kind=scheduled-mesh"]),
    ("custom", &["fabric.kind=custom"]),
    ("one-transfer", &["fabric.kind=omnibus", "fabric.omnibus.transfers_per_controller=1"]),
    ("failed-links", &["fabric.kind=scheduled-mesh", "fabric.failures.links=2"]),
    ("failed-controller", &["fabric.kind=venice", "fabric.failures.controllers=1"]),
    ("failed-bus", &["fabric.kind=omnibus", "fabric.failures.buses=1"]),
];

fn workload(requests: u32) -> Workload {
    common::synthetic(&format!("requests = {requests}\nread_share = 0.6\nsize = \"8KiB\"\nqueue_depth = 24"))
}

fn drive(changes: &[&str]) -> Design {
    let shape = ["geometry.channels=3", "geometry.chips_per_channel=3", "precondition.kind=steady"];
    common::design(common::SMALL, &[&shape, changes].concat())
}

fn faults() -> Vec<&'static Fault> {
    [buses::FAULTS, chips::FAULTS, clusters::FAULTS, networks::FAULTS, scheduled::FAULTS, late::FAULTS, custom::FAULTS]
        .into_iter()
        .flatten()
        .collect()
}

fn record(design: &Design) -> Vec<Entry> {
    let (workload, options) = (workload(1200), RunOptions::default());
    let mut check = WireCheck::new(design, true);
    let run = Simulation::new(design, &workload, vec![None], &options).observed_by(&mut check).run(&mut |_| true);
    run.unwrap_or_else(|e| panic!("{e}"));
    check.finish();
    check.kept.unwrap_or_default()
}

#[test]
fn planted_faults_are_found() {
    let faults = faults();
    let mut missed = Vec::new();
    for (site, changes) in SITES {
        let design = drive(changes);
        let recording = record(&design);
        assert_eq!(check(&design, &recording).complaint(), None, "{site}");
        for fault in faults.iter().filter(|fault| fault.site == *site) {
            let mut tape = Tape::new(&design, recording.clone());
            (fault.plant)(&mut tape);
            let found = check(&design, &tape.sorted());
            if !found.has(fault.rule) {
                missed.push(format!(
                    "{site}: {} was not noticed by {:?}: {:?}",
                    fault.name,
                    fault.rule,
                    found.complaint()
                ));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Shortest ways of a mesh may turn anywhere.
#[test]
fn ways_that_turn_back_to_a_row_are_found() {
    let design = |route: &str| drive(&["fabric.kind=custom", &format!("fabric.custom.route={route}")]);
    let (shortest, x_then_y) = (design("shortest"), design("x-then-y"));
    assert_eq!(check(&x_then_y, &record(&x_then_y)).complaint(), None);
    assert!(check(&x_then_y, &record(&shortest)).has(Rule::Route));
}

#[test]
fn every_rule_and_every_fabric_has_faults() {
    let faults = faults();
    assert!(faults.len() >= 40, "{}", faults.len());
    let names: BTreeSet<_> = faults.iter().map(|fault| (fault.site, fault.name)).collect();
    assert_eq!(names.len(), faults.len());
    assert!(faults.iter().all(|fault| SITES.iter().any(|(site, _)| *site == fault.site)));
    for kind in FabricKind::ALL {
        assert!(faults.iter().any(|fault| fault.site == kind.name()), "no fault for {}", kind.name());
    }
    let page = include_str!("../../../../../docs/explanation/wires.md");
    for rule in Rule::ALL {
        assert!(page.contains(&format!("| `{rule:?}` |")), "no row for {rule:?} in docs/explanation/wires.md");
        assert!(faults.iter().any(|fault| fault.rule == rule), "no fault for {rule:?}");
    }
}

const SETTINGS: &[&[&str]] = &[
    &["fabric.burst_bytes=12", "fabric.interface=nv-ddr3"],
    &["fabric.command_time=100ns"],
    &["fabric.command_time=0ns"],
    &["flash.multi_plane=any-page", "geometry.planes_per_die=4", "geometry.dies_per_chip=2"],
    &["flash.die_interleaving=false", "flash.busy_until_data_out=true", "geometry.dies_per_chip=2"],
    &["flash.suspend.operations=both", "flash.suspend.min_remaining=0us", "flash.suspend.trigger=reads-and-writes"],
    &["gc.copyback=true"],
    &["fabric.sequences=full", "fabric.interface=toggle"],
    &["fabric.sequences=full", "fabric.interface=nv-lpddr4", "fabric.status.ready=pin", "gc.copyback=true"],
    &["fabric.sequences=full", "fabric.interface=nv-ddr3", "flash.suspend.operations=both", "fabric.status.period=3us"],
    &["flash.cache_read=true", "fabric.transfer_order=commands-first", "geometry.planes_per_die=2"],
    &["flash.independent_plane_reads=true", "geometry.planes_per_die=4"],
    &[
        "flash.independent_plane_reads=true; flash.cache_read=true; flash.cache_program=true",
        "fabric.sequences=full; fabric.interface=toggle; fabric.transfer_order=commands-first",
    ],
    &["flash.cache_program=true", "flash.multi_plane=off", "gc.preemptible=false"],
    &[
        "flash.cache_program=true; flash.suspend.operations=both; flash.suspend.min_remaining=0us",
        "flash.suspend.trigger=reads-and-writes",
    ],
    &[
        "flash.cache_program=true; flash.independent_plane_reads=true; flash.suspend.operations=program",
        "fabric.sequences=full; fabric.interface=nv-ddr3; fabric.status.period=3us",
    ],
    &["flash.independent_plane_reads=true", "flash.suspend.operations=erase", "flash.suspend.trigger=reads-and-writes"],
    &["flash.cell=tlc", "flash.pslc.static_size=1MiB", "flash.pslc.high_watermark=0.5"],
    &["gc.scope=spatial", "ftl.write_placement=dynamic", "geometry.chips_per_channel=4"],
    &["ftl.mapping_unit=2KiB", "geometry.page=8KiB", "fabric.mesh.packet=1KiB"],
    &[
        "fabric.network.controllers=alternating; fabric.mesh.controller=least-loaded",
        "fabric.venice.controller=own-row",
    ],
    &["fabric.venice.retry=immediate", "fabric.omnibus.control.rate=20MB/s"],
    &["fabric.venice.retry=oracle", "fabric.venice.tear_down=wire", "fabric.mesh.buffer=5KiB"],
    &["fabric.venice.scouts=atomic"],
    &["fabric.failures.links=4", "fabric.failures.placement=3"],
    &["fabric.failures.links=1", "fabric.failures.controllers=2"],
    &["fabric.omnibus.late_split=1KiB", "fabric.omnibus.control.rate=20MB/s"],
    &[
        "fabric.omnibus.late_split=1KiB; geometry.page=16KiB; gc.scope=spatial",
        "ftl.write_placement=dynamic; geometry.chips_per_channel=4",
    ],
    &["fabric.clusters.chips_per_switch=2", "fabric.clusters.inner_buses=1", "fabric.clusters.trunks=2"],
    &["fabric.clusters.chunk=512B", "fabric.clusters.trunks=1", "geometry.planes_per_die=2"],
    &["fabric.clusters.chunk=2KiB", "fabric.clusters.inner_buses=1", "ftl.mapping_unit=1KiB"],
    &["fabric.clusters.grant_rate=5MB/s", "fabric.clusters.setup=0ns", "fabric.clusters.delay=0ns"],
    &[
        "fabric.clusters.chips_per_switch=6; fabric.clusters.inner_buses=3; gc.scope=spatial",
        "ftl.write_placement=dynamic",
    ],
    &["fabric.venice.scouts=clocked", "fabric.venice.tear_down=wire"],
    &["fabric.custom.grant_delay=100ns", "fabric.network.controllers=alternating"],
    &["fabric.custom.route=x-then-y", "fabric.hold_path=always"],
    &["fabric.custom.route=x-then-y", "fabric.network.controllers=alternating"],
    &["fabric.omnibus.transfers_per_controller=1", "fabric.hold_path=always"],
    &["fabric.omnibus.transfers_per_controller=1", "fabric.omnibus.late_split=1KiB"],
    &["fabric.venice.as_printed=true"],
    &["fabric.scheduled_mesh.grant_rate=5MB/s", "fabric.network.controllers=alternating"],
    &["fabric.scheduled_mesh.search_step=0ns", "fabric.scheduled_mesh.setup=0ns", "geometry.planes_per_die=2"],
    &[
        "fabric.scheduled_mesh.search_step=1us; fabric.sequences=full; fabric.interface=nv-ddr3",
        "gc.scope=spatial; ftl.write_placement=dynamic; geometry.chips_per_channel=4",
    ],
];

#[test]
fn no_fabric_violates_a_rule() {
    for kind in FabricKind::ALL {
        let held: &[&[&str]] = match facts_of(*kind).holds_paths {
            true => &[
                &["fabric.hold_path=reads"],
                &["fabric.hold_path=always"],
                &["fabric.hold_path=always", "fabric.sequences=full", "fabric.interface=nv-ddr3"],
            ],
            false => &[],
        };
        for changes in SETTINGS.iter().chain(held) {
            let is_of = |keys: &str, owner| changes[0].starts_with(keys) && *kind != owner;
            if is_of("fabric.clusters.", FabricKind::Clusters)
                || is_of("fabric.scheduled_mesh.", FabricKind::ScheduledMesh)
                || is_of("fabric.custom.", FabricKind::Custom)
                || is_of("fabric.omnibus.late_split", FabricKind::Omnibus)
                || is_of("fabric.omnibus.transfers_per_controller", FabricKind::Omnibus)
                || is_of("fabric.venice.as_printed", FabricKind::Venice)
            {
                continue;
            }
            let fabric = format!("fabric.kind={}", kind.name());
            let design = drive(&[&[fabric.as_str()], *changes].concat());
            let options = RunOptions { check_wires: true, ..RunOptions::default() };
            let ran = run(&design, &workload(600), vec![None], &options, &mut |_| true);
            if let Err(error) = ran {
                panic!("{fabric} {changes:?}: {error}");
            }
        }
    }
}

#[test]
fn checking_changes_no_result() {
    let design = drive(&["fabric.kind=venice", "flash.suspend.operations=both"]);
    let report = |check_wires| {
        let options = RunOptions { check_wires, root_causes: true, ..RunOptions::default() };
        let outcome =
            run(&design, &workload(1200), vec![None], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"));
        serde_json::to_string(&outcome.report).expect("a report is JSON")
    };
    assert_eq!(report(true), report(false));
}

#[test]
fn complaints_say_where_when_and_what() {
    let design = drive(&[]);
    let recording = record(&design);
    let mut tape = Tape::new(&design, recording);
    let is_of = |fault: &&Fault| fault.site == "bus" && fault.rule == Rule::Reach;
    (buses::FAULTS.iter().find(is_of).expect("one").plant)(&mut tape);
    let complaint = check(&design, &tape.sorted()).complaint().expect("it is noticed");
    let error = RunError::Wires(complaint.clone()).to_string();
    assert!(error == complaint && complaint.starts_with("wires: "), "{complaint}");
    assert!(
        complaint.contains("channel ") && complaint.contains(" ns: ") && complaint.contains("; expected "),
        "{complaint}"
    );
}
