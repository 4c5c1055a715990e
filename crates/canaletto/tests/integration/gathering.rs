//! Superblocks whose flash pages hold several mapping units.

use crate::common::seen::Seen;
use crate::common::{SMALL, design, simulate, synthetic};
use crate::swarm::shadow::{Shadow, check};
use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::engine::time::Time;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::limits::Limits;
use canaletto::{RunOptions, Simulation};
use std::collections::BTreeSet;

fn drive(kind: &str, more: &[&str]) -> Design {
    let superblock = format!("ftl.superblock={kind}");
    let own = [&*superblock, "geometry.page=16KiB", "ftl.mapping_unit=4KiB", "ftl.unwritten_reads=zeroes"];
    design(SMALL, &[&own, more].concat())
}

fn writes(requests: u64, size: &str, depth: u32) -> Workload {
    synthetic(&format!("requests = {requests}\nread_share = 0.0\nsize = \"{size}\"\nqueue_depth = {depth}"))
}

const BUFFER: [&str; 3] = ["cache.capacity=2MiB", "cache.keep_destaged=false", "cache.idle_destage=0us"];

const KINDS: [&str; 4] = ["die", "chip", "channel", "drive"];

fn watched(design: &Design, workload: &Workload) -> Seen {
    let mut shadow = Shadow::default();
    let options = RunOptions::default();
    Simulation::new(design, workload, vec![None], &options).observed_by(&mut shadow).run(&mut |_| true).unwrap();
    shadow.seen
}

fn programmed(design: &Design, workload: &Workload) -> Vec<Ppa> {
    watched(design, workload).programmed
}

#[test]
fn stripes_are_filled_flash_page_by_flash_page() {
    let at = |flash_page: u32, unit: u32| Ppa {
        plane: PlaneId(flash_page % 8),
        block: flash_page / 64,
        page: flash_page / 8 % 8 * 4 + unit,
    };
    let mut found = programmed(&drive("drive", &[]), &writes(60, "32KiB", 1));
    found.sort_by_key(|at| (at.block, at.page / 4, at.plane, at.page));
    let expected: Vec<Ppa> = (0..120).flat_map(|page| (0..4).map(move |unit| at(page, unit))).collect();
    assert_eq!(found, expected);
    let found = programmed(&drive("drive", &[]), &writes(100, "4KiB", 1));
    assert_eq!(found, (0..100).map(|page| at(page, 0)).collect::<Vec<Ppa>>());
}

#[test]
fn a_buffer_gathers_what_comes_one_by_one() {
    for kind in KINDS {
        let roomy = ["geometry.blocks_per_plane=96", "gc.threshold=0.0", "gc.hard_threshold=0.0"];
        let run = |more: &[&str], requests| {
            let keys = format!(
                "requests = {requests}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1\naddresses = \"sequential\""
            );
            simulate(&drive(kind, &[&roomy, more].concat()), &synthetic(&keys)).report.flash
        };
        let alone = run(&[], 1000);
        assert_eq!((alone.programs, alone.padding), (1000, 3000), "{kind}");
        assert_eq!(alone.write_amplification, Some(4.0), "{kind}");
        let gathered = run(&BUFFER, 6000);
        assert_eq!(gathered.host_pages + gathered.padding, 4 * gathered.programs, "{kind}");
        assert!(gathered.host_pages > 5000 && gathered.write_amplification.unwrap() < 1.02, "{kind}: {gathered:?}");
    }
}

#[test]
fn gathered_writes_amplify_as_those_of_small_pages() {
    let geometry = |page: &str, pages| {
        let text = "base = \"performance-optimized\"\n[geometry]\nchannels = 2\nchips_per_channel = 2\nplanes_per_die = 2\n\
                    blocks_per_plane = 64\n[ftl]\noverprovisioning = 0.25\nsuperblock = \"drive\"\nmapping_unit = \"4KiB\"\n";
        let own = [format!("geometry.page={page}"), format!("geometry.pages_per_block={pages}")];
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        design(text, &[&own[..], &BUFFER, &["gc.threshold=0.05", "precondition.kind=replay"]].concat())
    };
    let amplification = |design: &Design| {
        let units = Limits::new(design, &writes(1, "4KiB", 1)).unwrap().logical_pages;
        let report = simulate(design, &writes(units, "4KiB", 64)).report;
        assert_eq!(report.measures.requests.failed, 0);
        report.flash.write_amplification.unwrap()
    };
    let (of_units, of_pages) = (amplification(&geometry("16KiB", 16)), amplification(&geometry("4KiB", 64)));
    assert!((of_units / of_pages - 1.0).abs() < 0.05 && of_units > 1.5, "{of_units} {of_pages}");
}

#[test]
fn collection_fills_its_pages() {
    for kind in KINDS {
        let flash = simulate(&drive(kind, &BUFFER), &writes(20_000, "4KiB", 32)).report.flash;
        let (copied, victims) = (flash.gc.pages_copied, flash.gc.collections);
        assert!(copied > 8000, "{kind}: {copied} copied");
        let most = flash.host_pages + copied + 3 * victims;
        // Of the host's pages one in fifty may stay empty.
        assert!(
            4 * flash.programs < most + flash.host_pages / 50,
            "{kind}: {} programs of {most} units",
            flash.programs
        );
    }
}

fn planes_each(design: &Design, requests: u64) -> f64 {
    const PLANES_OF_DIE: u32 = 4;
    let planes = watched(design, &writes(requests, "4KiB", 64)).programs_of_collection;
    let programs: BTreeSet<(u32, Time)> = planes.iter().map(|(plane, at)| (plane.0 / PLANES_OF_DIE, *at)).collect();
    assert!(programs.len() > 500, "{} programs", programs.len());
    planes.len() as f64 / programs.len() as f64
}

#[test]
fn planes_of_a_die_are_programmed_together() {
    let planes_each = |kind: &str, more: &[&str]| {
        let four = ["geometry.planes_per_die=4", "geometry.pages_per_block=32", "precondition.kind=steady"];
        planes_each(&drive(kind, &[&four, &BUFFER[..], more].concat()), 20_000)
    };
    let beside: &[&str] = &["flash.independent_plane_reads=true", "flash.cache_program=true"];
    for pages in ["flash.multi_plane=any-page", "flash.multi_plane=same-page"] {
        for lanes in [&[][..], beside] {
            for (kind, least) in [("die", 3.7), ("drive", 3.9)] {
                let found = planes_each(kind, &[&[pages, "gc.copies_in_flight=1"], lanes].concat());
                assert!(found > least, "{kind} {pages} {lanes:?}: {found}");
            }
        }
    }
    assert!((planes_each("die", &["flash.multi_plane=off"]) - 1.0).abs() < 1e-9);
}

#[test]
fn programs_wait_for_registers() {
    let text = "base = \"pcie5-tlc-cm7\"\n[geometry]\nchannels = 1\nchips_per_channel = 2\nblocks_per_plane = 64\npages_per_block = 24\n\
                [cache]\ncapacity = \"4MiB\"\n[ftl]\nsuperblock = \"die\"\n";
    let found = planes_each(&design(text, &["precondition.kind=steady"]), 40_000);
    assert!(found > 3.9, "{found}");
}

#[test]
fn nothing_is_lost() {
    let mixed = "requests = 5000\nread_share = 0.3\nqueue_depth = 24\ntrim_share = 0.02\n\
                 sizes = [{ size = \"1KiB\", share = 0.3 }, { size = \"4KiB\", share = 0.5 }, { size = \"24KiB\", share = 0.2 }]";
    let spare = ["geometry.blocks_per_plane=32", "ftl.overprovisioning=0.6"];
    for (n, kind) in KINDS.iter().cycle().take(16).enumerate() {
        let changes: &[&str] = match n / 4 {
            0 => &[],
            1 => &["cache.capacity=512KiB", "cache.power_loss_protection=false"],
            2 => &["flash.failures.program=0.002", "flash.failures.erase=0.01", "flash.failures.factory_bad=0.05"],
            _ => {
                &["scheduler.policy=flin", "refresh.read_limit=60", "ftl.mapping_unit=1KiB", "wear.static_threshold=2"]
            }
        };
        let (outcome, _) = check(&drive(kind, &[&spare[..], changes].concat()), &synthetic(mixed));
        let report = &outcome.report;
        assert_eq!(report.measures.requests.failed, 0, "{kind} {changes:?}");
        assert!(report.flash.gc.collections > 0, "{kind} {changes:?}: {:?}", report.flash);
    }
}

#[test]
fn classes_are_gathered_apart() {
    let flow = |name: &str, priority: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\npriority = \"{priority}\"\n[flow.synthetic]\nrequests = 6000\nread_share = 0.2\n\
             size = \"4KiB\"\nqueue_depth = 48\n"
        )
    };
    let text = format!("name = \"classes\"\n{}{}", flow("a", "high"), flow("b", "low"));
    let workload = canaletto::config::load_workload("w.toml", Some(&text), &[]).unwrap();
    for kind in KINDS {
        let (outcome, _) = check(&drive(kind, &["ftl.overprovisioning=0.5"]), &workload);
        let flash = &outcome.report.flash;
        assert!(flash.gc.collections > 5 && outcome.report.measures.requests.failed == 0, "{kind}: {flash:?}");
    }
}
