use crate::common::{SMALL, WIRES_LIMIT, design, preset, refusal, simulate, synthetic};
use crate::swarm::shadow::check;
use canaletto::config::design::{Design, FabricKind};
use canaletto::config::named::Named;
use canaletto::measure::cut_off::CutOffReport;
use canaletto::measure::report::Report;

const READS: &str = "requests = 3000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 16";
const MIXED: &str = "requests = 2000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 16";
const PARTIAL: &str = "requests = 1500\nread_share = 0.3\nsize = \"1KiB\"\nqueue_depth = 16";
const WRITES: &str = "requests = 3000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16";

/// A kind of part whose failure cuts chips off, and how many of nine.
const CUTTING: &[(&str, &[&str], u32)] = &[
    ("bus", &["fabric.failures.buses=1"], 3),
    ("sca", &["fabric.failures.controllers=1"], 3),
    ("packetized", &["fabric.failures.buses=1"], 3),
    ("ideal", &["fabric.failures.buses=2"], 2),
    ("daisy-chain", &["fabric.failures.buses=1"], 3),
    ("ring", &["fabric.failures.controllers=1"], 3),
    ("omnibus", &["fabric.failures.controllers=1"], 1),
    ("omnibus-split", &["fabric.failures.controllers=2"], 4),
    ("mesh", &["fabric.failures.controllers=1"], 3),
    ("mesh-2bit", &["fabric.failures.controllers=1"], 3),
    ("venice", &["fabric.failures.routers=2"], 2),
    ("venice", &["fabric.failures.controllers=1", "fabric.venice.controller=own-row"], 3),
    ("scheduled-mesh", &["fabric.failures.routers=2"], 2),
    (
        "clusters",
        &["fabric.failures.buses=1", "fabric.clusters.chips_per_switch=3", "fabric.clusters.inner_buses=3"],
        1,
    ),
    (
        "clusters",
        &["fabric.failures.switches=1", "fabric.clusters.chips_per_switch=3", "fabric.clusters.inner_buses=1"],
        3,
    ),
];

fn drive(fabric: &str, more: &[&str]) -> Design {
    let kind = format!("fabric.kind={fabric}");
    let shape = ["geometry.channels=3", "geometry.chips_per_channel=3", "ftl.overprovisioning=0.6", kind.as_str()];
    design(SMALL, &[&shape, more].concat())
}

fn cut_off(report: &Report) -> &CutOffReport {
    report.cut_off.as_ref().expect("parts fail")
}

#[test]
fn reads_of_chips_that_are_cut_off_fail() {
    for &(fabric, failures, chips) in CUTTING {
        let (outcome, shadow) = check(&drive(fabric, failures), &synthetic(READS));
        let (requests, off) = (&outcome.report.measures.requests, cut_off(&outcome.report));
        assert_eq!(off.chips, chips, "{fabric} {failures:?}");
        // Binomial, five standard deviations.
        let (share, n) = (f64::from(chips) / 9.0, 3000.0);
        let (mean, deviation) = (share * n, (n * share * (1.0 - share)).sqrt());
        let failed = requests.failed as f64;
        assert!((failed - mean).abs() < 5.0 * deviation, "{fabric} {failures:?}: {failed}, expected {mean}");
        assert_eq!((off.requests_failed, off.pages_out_of_reach), (requests.failed, requests.failed));
        assert_eq!((outcome.report.flash.uncorrectable, shadow.failures), (requests.failed, requests.failed));
        assert_eq!(outcome.report.flash.reads, 3000 - requests.failed, "{fabric}");
    }
}

#[test]
fn writes_go_elsewhere_and_are_read_again() {
    for &(fabric, failures, _) in CUTTING {
        for placement in ["static", "dynamic"] {
            let placement = format!("ftl.write_placement={placement}");
            let zeroes = ["ftl.unwritten_reads=zeroes", placement.as_str()];
            let (outcome, shadow) = check(&drive(fabric, &[failures, &zeroes].concat()), &synthetic(MIXED));
            assert_eq!(outcome.report.measures.requests.failed, 0, "{fabric} {placement}");
            assert!(shadow.reads > 300);
            let (outcome, _) = check(&drive(fabric, &[failures, &zeroes].concat()), &synthetic(WRITES));
            assert_eq!(outcome.report.measures.requests.failed, 0, "{fabric} {placement}");
            assert!(outcome.report.flash.erases > 0);
        }
    }
}

#[test]
fn writes_of_a_part_of_a_lost_page_fail() {
    for precondition in ["none", "steady", "replay"] {
        let precondition = format!("precondition.kind={precondition}");
        let design = drive("venice", &["fabric.failures.routers=2", &precondition]);
        let (outcome, shadow) = check(&design, &synthetic(PARTIAL));
        let (failed, off) = (outcome.report.measures.requests.failed, cut_off(&outcome.report));
        assert!(failed > 150 && off.requests_failed == failed, "{precondition}: {failed} {off:?}");
        assert!(shadow.failures == failed, "{precondition}");
    }
}

#[test]
fn parts_fail_at_a_time() {
    for &(fabric, failures, chips) in CUTTING {
        for (at, workload, more) in [
            ("100us", MIXED, &[][..]),
            ("333us", PARTIAL, &["precondition.kind=steady"]),
            ("1ms", WRITES, &["ftl.write_placement=dynamic", "precondition.kind=replay"]),
            ("200us", MIXED, &["fabric.sequences=full", "fabric.interface=nv-ddr3", "flash.suspend.operations=both"]),
            ("200us", MIXED, &["cache.capacity=64KiB", "gc.copyback=true"]),
            ("150us", MIXED, &["flash.independent_plane_reads=true", "flash.cache_read=true"]),
        ] {
            let at = format!("fabric.failures.at={at}");
            let design = drive(fabric, &[failures, more, &[&at]].concat());
            let (outcome, _) = check(&design, &synthetic(workload));
            let off = cut_off(&outcome.report);
            assert_eq!(off.chips, chips, "{fabric} {at} {more:?}");
            let failed = outcome.report.measures.requests.failed;
            assert_eq!(off.requests_failed, failed, "{fabric} {at} {more:?}");
            assert_eq!(failed > 0, workload != WRITES, "{fabric} {at} {more:?}: {failed}");
        }
    }
}

#[test]
fn what_comes_before_the_moment_is_as_without() {
    for fabric in ["venice", "scheduled-mesh", "omnibus", "clusters"] {
        let more = ["fabric.hold_path=reads", "fabric.failures.controllers=1", "fabric.failures.at=400us"];
        let with = simulate(&drive(fabric, &more), &synthetic(MIXED)).records.unwrap();
        let without = simulate(&drive(fabric, &more[..1]), &synthetic(MIXED)).records.unwrap();
        let before = |records: &canaletto::measure::records::Records| -> Vec<(u64, u64)> {
            let rows = records.arrival.iter().copied().zip(records.complete.iter().copied());
            rows.filter(|&(_, complete)| complete < 400_000_000).collect()
        };
        let (first, second) = (before(&with), before(&without));
        assert!(first == second && first.len() > 50, "{fabric}: {} {}", first.len(), second.len());
        assert_ne!(with.complete, without.complete, "{fabric}");
    }
}

#[test]
fn others_carry_what_failed_parts_did() {
    for (fabric, failures) in [
        ("omnibus", &["fabric.failures.buses=2"][..]),
        ("omnibus-split", &["fabric.failures.buses=3"]),
        ("omnibus", &["fabric.failures.buses=2", "fabric.omnibus.late_split=1KiB"]),
        (
            "clusters",
            &["fabric.failures.controllers=1", "fabric.clusters.chips_per_switch=3", "fabric.clusters.inner_buses=3"],
        ),
        ("clusters", &["fabric.failures.controllers=2", "fabric.clusters.chunk=1KiB"]),
        ("venice", &["fabric.failures.links=4", "fabric.failures.controllers=2"]),
        ("scheduled-mesh", &["fabric.failures.links=4", "fabric.failures.controllers=2"]),
    ] {
        for at in ["0ns", "150us"] {
            for more in [&[][..], &["gc.scope=spatial", "ftl.write_placement=dynamic", "precondition.kind=steady"]] {
                // Pages on their way over what fails are refused.
                if at != "0ns" && !more.is_empty() && !matches!(fabric, "clusters" | "venice") {
                    continue;
                }
                let at = format!("fabric.failures.at={at}");
                let design = drive(fabric, &[failures, more, &[&at]].concat());
                let (outcome, _) = check(&design, &synthetic(MIXED));
                assert_eq!(cut_off(&outcome.report).chips, 0, "{fabric} {failures:?}");
                assert_eq!(outcome.report.measures.requests.failed, 0, "{fabric} {failures:?}");
            }
        }
    }
}

#[test]
fn parity_makes_up_for_a_chip() {
    for fabric in ["venice", "scheduled-mesh", "mesh"] {
        for at in ["0ns", "300us"] {
            let at = format!("fabric.failures.at={at}");
            let more = [
                "ftl.superblock=drive",
                "ftl.parity=channel",
                "gc.reserved_blocks=2",
                "ftl.overprovisioning=0.85",
                "precondition.kind=replay",
                if fabric == "mesh" { "fabric.failures.controllers=1" } else { "fabric.failures.routers=1" },
                &at,
            ];
            let (outcome, shadow) = check(&drive(fabric, &more), &synthetic(MIXED));
            let parity = outcome.report.flash.parity.as_ref().unwrap();
            assert_eq!(cut_off(&outcome.report).chips, if fabric == "mesh" { 3 } else { 1 });
            assert_eq!((outcome.report.measures.requests.failed, shadow.failures), (0, 0), "{fabric} {at}");
            assert!(parity.pages_rebuilt > 10, "{fabric} {at}: {parity:?}");
        }
    }
}

#[test]
fn a_drive_that_is_full_without_its_chips_says_so() {
    let shape = ["geometry.channels=3", "geometry.chips_per_channel=3", "ftl.overprovisioning=0.3"];
    for placement in ["static", "dynamic"] {
        let placement = format!("ftl.write_placement={placement}");
        let more = ["fabric.kind=bus", "fabric.failures.buses=2", "ftl.unwritten_reads=zeroes", &placement];
        let workload = "requests = 6000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16";
        let (outcome, _) = check(&design(SMALL, &[&shape[..], &more].concat()), &synthetic(workload));
        let failed = outcome.report.measures.requests.failed;
        assert!(failed > 1000 && failed < 6000, "{placement}: {failed}");
    }
}

#[test]
fn the_buses_that_are_left_are_saturated() {
    const RATE: f64 = 0.3;
    let workload = synthetic("requests = 8000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1024");
    let measured = |fabric: &str, more: &[String]| {
        let kind = format!("fabric.kind={fabric}");
        let more: Vec<&str> = more.iter().map(String::as_str).collect();
        let keys = [&WIRES_LIMIT[..], &[&kind], &more].concat();
        let report = simulate(&preset("performance-optimized", &keys), &workload).report;
        assert_eq!(report.measures.requests.failed, 0);
        report.measures.bandwidth_mb_s.unwrap()
    };
    // As in `omnibus_saturates_every_bus_that_reaches_the_traffic` and `clusters_saturate_trunks_and_inner_buses`.
    let packets = 20.0 + (8.0 + 5.0 + 4096.0) / RATE;
    let granted = 10.0 + 20.0;
    let circuits = granted + 20.0 + 8.0 / 2.0 / RATE + 2.0 + granted + (2.0 + 4100.0) / 2.0 / RATE + 4.0;
    for failed in [0u32, 1, 3, 6] {
        let keys = |part: &str| {
            vec![format!("fabric.failures.{part}={failed}"), format!("fabric.failures.placement={failed}")]
        };
        let left = f64::from(16 - failed);
        let (found, most) = (measured("omnibus", &keys("buses")), left * 4096e3 / packets);
        println!("omnibus, {failed} buses failed: {found:.0} of {most:.0} MB/s");
        // Chips with one bus wait while others have two.
        assert!(found < most && found > 0.94 * most, "omnibus, {failed} failed: {found} of {most}");
        // Of two trunks that are left some switch hangs on neither.
        if failed > 3 {
            continue;
        }
        let left = f64::from(8 - failed);
        let (found, most) = (measured("clusters", &keys("controllers")), left * 4096e3 / circuits);
        println!("clusters, {failed} trunks failed: {found:.0} of {most:.0} MB/s");
        assert!(found < most && found > 0.96 * most, "clusters, {failed} failed: {found} of {most}");
    }
}

#[test]
fn what_failed_parts_need_is_said() {
    let refused = |changes: &[&str]| refusal(None, changes);
    let routers = ["fabric.kind=venice", "fabric.failures.routers=1"];
    let with = |more: &'static str| refused(&[&routers[..], &[more]].concat());
    for (said, expected) in [
        (
            refused(&["fabric.kind=venice", "fabric.failures.links=113"]),
            "fabric.failures.links: got 113, expected at most 112: the links of venice with 8 channels of 8 chips",
        ),
        (refused(&["fabric.kind=bus", "fabric.failures.buses=8"]), "cuts off all chips"),
        (
            refused(&["fabric.kind=omnibus", "fabric.failures.buses=17"]),
            "got 17, expected at most 16: the buses of omnibus",
        ),
        (
            refused(&["fabric.kind=mesh", "fabric.failures.links=1", "fabric.mesh.controller=least-loaded"]),
            "fabric.failures.links: got 1, expected 0 with fabric.mesh.controller = \"least-loaded\"",
        ),
        (
            refused(&[
                "fabric.kind=venice; fabric.venice.scouts=clocked; fabric.venice.tear_down=wire",
                "fabric.failures.routers=1",
            ]),
            "in rtl/ no routers fail",
        ),
        (with("ftl.superblock=die"), "fabric.failures.routers: got 1, which cuts off chips"),
        (
            refused(&[&routers[..], &["gc.scope=parallel", "ftl.write_placement=dynamic"]].concat()),
            "needs gc.scope = \"plane\"",
        ),
        (
            refused(&[
                "fabric.kind=omnibus; fabric.failures.buses=1; fabric.failures.at=1ms; gc.scope=spatial",
                "ftl.write_placement=dynamic",
            ]),
            "a copy on its way from chip to chip would have none",
        ),
        (with("ftl.superblock=die"), "needs ftl.superblock = \"none\" or ftl.parity"),
        (with("ftl.map_update=issue"), "needs ftl.map_update = \"program-end\""),
        (with("flash.cache_program=true"), "needs flash.cache_program = false"),
        (with("mapping.cache_capacity=1MiB"), "needs mapping.cache_capacity = \"0B\""),
        (with("ftl.mapping=in-place"), "needs ftl.mapping = \"page\""),
        (
            refused(&[
                "fabric.kind=venice; fabric.failures.routers=3; ftl.superblock=drive; ftl.parity=die",
                "gc.reserved_blocks=2",
            ]),
            "expected one die at the most with ftl.parity = \"die\"",
        ),
        (refused(&["fabric.failures.spare_chips=2"]), "fabric.failures.spare_chips"),
        (refused(&["fabric.failures.link=1"]), "unknown key `link`, expected one of `links`, `routers`"),
    ] {
        assert!(said.contains(expected), "{said}\nexpected: {expected}");
    }
}

#[test]
fn parts_that_a_fabric_has_not_do_not_fail() {
    for kind in FabricKind::ALL {
        let (outcome, _) = check(&drive(kind.name(), &["fabric.failures.routers=1"]), &synthetic(READS));
        let is_mesh = ["mesh", "mesh-2bit", "venice", "scheduled-mesh"].contains(&kind.name());
        assert_eq!(outcome.report.cut_off.is_some_and(|off| off.chips > 0), is_mesh, "{}", kind.name());
    }
}

#[test]
fn copies_between_parted_chips_pass_a_controller() {
    let keys = [
        "fabric.kind=scheduled-mesh",
        "fabric.failures.links=1",
        "geometry.channels=2",
        "geometry.chips_per_channel=1",
        "gc.scope=parallel",
        "ftl.write_placement=dynamic",
        "ftl.overprovisioning=0.3",
    ];
    let writes = synthetic("requests = 3000\nread_share = 0.2\nsize = \"4KiB\"\nqueue_depth = 8");
    let run = |links: &'static str| {
        let keys: Vec<&str> = keys.iter().map(|&key| if key.contains("links") { links } else { key }).collect();
        simulate(&design(SMALL, &keys), &writes).report
    };
    let (whole, parted) = (run("fabric.failures.links=0"), run("fabric.failures.links=1"));
    for report in [&whole, &parted] {
        assert_eq!(report.measures.requests.completed, 3000);
        assert!(report.flash.gc.pages_copied > 0, "nothing was copied");
    }
    let direct = [whole, parted].map(|report| report.flash.gc.pages_copied_chip_to_chip);
    assert!(direct[0] > 0 && direct[1] == 0, "{direct:?}");
}

#[test]
fn cached_pages_whose_rest_is_out_of_reach_are_given_up_one_by_one() {
    let keys = [
        "fabric.failures.buses=1",
        "fabric.failures.spare_chips=false",
        "ftl.unwritten_reads=assume-page-written",
        "cache.capacity=16KiB",
        "cache.high_watermark=0",
        "cache.low_watermark=0",
    ];
    let writes =
        synthetic("requests = 4000\nread_share = 0.2\nsize = \"512B\"\nalignment = \"512B\"\nqueue_depth = 16");
    let report = simulate(&design(SMALL, &keys), &writes).report;
    assert_eq!(report.measures.requests.completed, 4000);
    assert!(report.cache.as_ref().is_some_and(|cache| cache.counts.lost > 0), "{:?}", report.cut_off);
}
