use std::collections::BTreeMap;

use canaletto::config::design::{Design, FabricKind};
use canaletto::config::load_workload;
use canaletto::config::named::Named;
use canaletto::config::workload::Workload;
use canaletto::engine::time::Time;
use canaletto::flash::address::Ppa;
use canaletto::host::request::RequestId;
use canaletto::measure::compute::ComputeReport;
use canaletto::measure::probe::Observer;
use canaletto::measure::report::Report;
use canaletto::{RunOptions, Simulation, run};

use crate::common::{SMALL, design, preset, simulate};
use crate::swarm::shadow::check;

/// One at a time unless `keys` say otherwise.
fn tasks(compute: &str, keys: &str) -> Workload {
    let defaults = [("requests", "200"), ("size", "\"4KiB\""), ("queue_depth", "1")];
    let rest = defaults.iter().filter(|(key, _)| !keys.contains(&format!("{key} =")));
    let rest: String = rest.map(|(key, value)| format!("{key} = {value}\n")).collect();
    let text = format!(
        "name = \"tasks\"\n[[flow]]\nname = \"a\"\n[flow.compute]\n{compute}\n[flow.synthetic]\nread_share = 1.0\n{keys}\n{rest}"
    );
    load_workload("test.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn of(report: &Report) -> &ComputeReport {
    report.flows[0].compute.as_ref().expect("the flow has tasks")
}

/// Nanoseconds on a PCIe link of 8 GB/s: packets of 128 B with 28 B of overhead.
fn link_ns(bytes: u64) -> f64 {
    let packets = bytes.div_ceil(128);
    (bytes + packets * 28) as f64 / 8.0
}

const PAGE_NS: f64 = 4096.0 / 1.2;

/// Command, tR and what the chip adds.
const READ_NS: f64 = 170.0 + 120.0 + 3000.0;

fn entry_ns() -> f64 {
    link_ns(2) + (28.0 + 4.0) / 8.0 + link_ns(64)
}

fn check_latency(place: &str, changes: &[&str], compute: &str, expected: f64) {
    let outcome = simulate(&preset("performance-optimized", changes), &tasks(compute, ""));
    let latency = outcome.report.measures.latency_us.all.min.unwrap() * 1e3;
    // The doorbell may wait behind the one of the last completion.
    let late = latency - expected;
    assert!(late > -0.2 && late < link_ns(2) + 0.2, "{place}: {latency}, expected {expected}");
}

#[test]
fn unloaded_scans() {
    let result = 41; // 1 % of a page
    let (to_host, small) = (link_ns(4096) + link_ns(16), link_ns(result) + link_ns(16));
    let forms = [
        ("host", READ_NS + PAGE_NS + to_host + 4096.0 / 25.6 + 1000.0),
        ("drive", READ_NS + PAGE_NS + 4096.0 / 4.0 + 1000.0 + small),
        ("channel", READ_NS + PAGE_NS + PAGE_NS + 100.0 + small),
        ("chip", READ_NS + PAGE_NS + 100.0 + result as f64 / 1.2 + small),
    ];
    for (at, expected) in forms {
        check_latency(at, &[], &format!("kind = \"scan\"\nat = \"{at}\""), entry_ns() + expected);
    }
}

#[test]
fn reductions_return_a_result_per_unit() {
    let design = preset("performance-optimized", &[]);
    for (at, units) in [("host", 0), ("drive", 0), ("channel", 0), ("chip", 2)] {
        let compute = format!("kind = \"reduce\"\nat = \"{at}\"\nresult = \"96B\"");
        let outcome = simulate(&design, &tasks(&compute, "size = \"8KiB\""));
        let report = of(&outcome.report);
        let out = if at == "chip" { 0 } else { 200 * 8192 };
        assert_eq!((report.operand_bytes, report.out_bytes), (200 * 8192, out), "{at}");
        assert_eq!(report.result_bytes, 200 * units * 96, "{at}");
        let link = if at == "host" { 8192 } else { 96 };
        assert_eq!(report.link_bytes, 200 * link, "{at}");
        assert_eq!(outcome.report.measures.requests.bytes, 200 * link, "{at}");
    }
}

/// A gather of two operands in neighbouring chips of a channel: over the bus and back, or straight to where they are combined.
#[test]
fn unloaded_gathers() {
    let back = link_ns(4096) + link_ns(16);
    // Both reads begin one behind the other and their data cross one behind the other.
    let both_out = READ_NS + 2.0 * PAGE_NS;
    let forms = [
        ("host", both_out + link_ns(8192) + link_ns(16) + 8192.0 / 25.6 + 1000.0),
        ("drive", both_out + 8192.0 / 4.0 + 1000.0 + back),
        ("channel", both_out + 2.0 * PAGE_NS + 100.0 + back),
        // The operand that moves is read first.
        ("chip", READ_NS + PAGE_NS + PROGRAM_NS + PAGE_NS + 2.0 * PAGE_NS + 100.0 + PAGE_NS + back),
    ];
    for (at, expected) in forms {
        let compute = format!("kind = \"gather\"\nat = \"{at}\"\ndistance = \"32KiB\"");
        check_latency(at, &[], &compute, entry_ns() + expected);
    }
}

/// Operands in two channels: one leaves the DRAM again for the other channel, as copies of collection do.
#[test]
fn operands_for_other_channels_cross_the_dram_both_ways() {
    let inside = 4096.0 / 1.0 + 4096.0 / 2.0;
    let back = link_ns(4096) + link_ns(16);
    let forms = [
        ("drive", READ_NS + PAGE_NS + 4096.0 + inside + 8192.0 / 4.0 + 1000.0 + back),
        ("channel", READ_NS + PAGE_NS + 2.0 * inside + 2.0 * PAGE_NS + 100.0 + inside + back),
        (
            "chip",
            READ_NS + PAGE_NS + 2.0 * inside + PROGRAM_NS + PAGE_NS + 2.0 * PAGE_NS + 100.0 + PAGE_NS + inside + back,
        ),
    ];
    for (at, expected) in forms {
        let compute = format!("kind = \"gather\"\nat = \"{at}\"\ndistance = \"4KiB\"");
        check_latency(at, &["controller.system_bus=1GB/s", "controller.dram=2GB/s"], &compute, entry_ns() + expected);
    }
}

/// Cycles of a command with data.
const PROGRAM_NS: f64 = 20.0 + 150.0 + 6.0 + 15.0;

#[test]
fn saturated_rates() {
    let forms = [
        ("host", "compute.host.rate=200MB/s", 200.0),
        ("drive", "compute.drive.rate=200MB/s", 200.0),
        ("channel", "compute.channel.rate=50MB/s", 8.0 * 50.0),
        ("chip", "compute.chip.rate=10MB/s", 64.0 * 10.0),
    ];
    for (at, key, expected) in forms {
        let design = preset("performance-optimized", &[key]);
        let keys = "requests = 400\nsize = \"256KiB\"\nqueue_depth = 64\naddresses = \"sequential\"";
        let outcome = simulate(&design, &tasks(&format!("kind = \"scan\"\nat = \"{at}\""), keys));
        let bytes = of(&outcome.report).operand_bytes as f64;
        let rate = bytes / outcome.report.measures.execution_time_us.unwrap();
        assert!(rate < 1.001 * expected && rate > 0.95 * expected, "{at}: {rate}, expected {expected} MB/s");
        let (blame, mean) =
            (&outcome.report.measures.blame_us.all, outcome.report.measures.latency_us.all.mean.unwrap());
        // Pages behind those in the registers wait for their chip.
        let waits = blame["compute"] + blame.get("chip_busy_user").copied().unwrap_or_default();
        assert!(waits > 0.9 * mean && blame["compute"] > 0.01 * mean, "{at}: {blame:?}");
    }
}

/// A die senses one set of operands after the other.
#[test]
fn saturated_arrays() {
    let keys = ["compute.array.groups=1", "compute.array.longer=1ms", "flash.multi_plane=off"];
    let design =
        preset("performance-optimized", &[&keys[..], &["host.queue_entries=4096", "host.fetch_limit=2048"]].concat());
    let compute = "kind = \"gather\"\nat = \"array\"\ndistance = \"512KiB\"\noperands = 4";
    let keys = "requests = 4000\nqueue_depth = 1024\naddresses = \"sequential\"";
    let outcome = simulate(&design, &tasks(compute, keys));
    let rate = of(&outcome.report).operand_bytes as f64 / outcome.report.measures.execution_time_us.unwrap();
    let expected = 64.0 * 4.0 * 4096e3 / (READ_NS + 1e6);
    assert!(rate < 1.001 * expected && rate > 0.95 * expected, "{rate}, expected {expected} MB/s");
}

/// Waits for a chip whose registers wait for a slow unit are passed on to it; operands that cross have their own cause.
#[test]
fn root_causes_name_units_and_operands() {
    let causes = |compute: &str, changes: &[&str]| {
        let design = design(SMALL, changes);
        let (outcome, _) = check(&design, &tasks(compute, "requests = 300\nqueue_depth = 32"));
        let causes = outcome.report.measures.root_cause_us.expect("waits were followed").all;
        let sum: f64 = causes.values().sum();
        let of = |name: &str| causes.get(name).copied().unwrap_or_default() / sum;
        [of("compute"), of("operand_transfer"), of("path_conflict")]
    };
    for at in ["drive", "channel", "chip"] {
        let slow = format!("compute.{at}.rate=10MB/s");
        let [compute, ..] = causes(&format!("kind = \"scan\"\nat = \"{at}\""), &[&slow]);
        assert!(compute > 0.8, "{at}: {compute}");
    }
    let gather = "kind = \"gather\"\nat = \"chip\"\noperands = 3";
    let [_, operands, _] = causes(gather, &["fabric.link_rate=100MB/s"]);
    assert!(operands > 0.005, "{operands}");
}

#[test]
fn chips_that_compute_pass_by_the_channels() {
    let design = preset("performance-optimized", &["compute.chip.rate=100GB/s", "compute.channel.rate=100GB/s"]);
    let rate = |at: &str| {
        let keys = "requests = 2000\nsize = \"256KiB\"\nqueue_depth = 64\naddresses = \"sequential\"";
        let outcome = simulate(&design, &tasks(&format!("kind = \"scan\"\nat = \"{at}\""), keys));
        of(&outcome.report).operand_bytes as f64 / outcome.report.measures.execution_time_us.unwrap()
    };
    let channels = 8.0 * 4096e3 / (PAGE_NS + 160.0);
    let found = rate("channel");
    assert!(found < channels && found > 0.93 * channels, "{found} of {channels} MB/s");
    assert!(rate("chip") > 4.0 * channels, "{} of {channels} MB/s", rate("chip"));
}

fn small(kind: FabricKind, more: &[&str]) -> Design {
    let fabric = format!("fabric.kind={}", kind.name());
    design(SMALL, &[&[fabric.as_str()], more].concat())
}

#[test]
fn operands_cross_as_often_as_their_place_says() {
    for &kind in FabricKind::ALL {
        for at in ["host", "drive", "channel", "chip", "array"] {
            for task in ["scan", "gather", "reduce"].into_iter().filter(|task| at != "array" || *task == "gather") {
                let operands = if task == "gather" { "operands = 3\n" } else { "" };
                let keys = "requests = 300\nqueue_depth = 8";
                let workload = tasks(&format!("kind = \"{task}\"\nat = \"{at}\"\n{operands}"), keys);
                let design = small(kind, &["precondition.kind=steady", "fabric.network.chip_to_chip=true"]);
                let name = format!("{} {at} {task}", kind.name());
                let report = simulate(&design, &workload).report;
                let found = of(&report);
                let pages = if task == "gather" { 3 } else { 1 };
                assert_eq!(found.operand_bytes, 300 * pages * 4096, "{name}");
                let moved = found.out_bytes + found.direct_bytes;
                match (at, task) {
                    ("chip" | "array", "gather") => {
                        assert!(moved < found.operand_bytes && moved > 300 * 4096, "{name}")
                    }
                    ("chip", _) => assert_eq!(moved, 0, "{name}"),
                    _ => assert_eq!(found.out_bytes, found.operand_bytes, "{name}"),
                }
                assert!(
                    found.in_bytes <= found.out_bytes && (at == "chip" || at == "array" || found.in_bytes == 0),
                    "{name}"
                );
                let direct = ["omnibus", "omnibus-split", "scheduled-mesh", "clusters", "venice", "mesh", "mesh-2bit"]
                    .contains(&kind.name());
                assert_eq!(
                    found.direct_bytes > 0,
                    direct && matches!(at, "chip" | "array") && task == "gather",
                    "{name}"
                );
                let (_, shadow) = check(&design, &workload);
                assert_eq!(shadow.reads, 300 * pages, "{name}");
            }
        }
    }
}

/// Operands at a distance of all planes: one behind the other in a plane, as an untouched drive is found.
const IN_ONE_PLANE: &str = "kind = \"gather\"\nat = \"array\"\ndistance = \"512KiB\"\noperands = 4";

#[test]
fn arrays_sense_operands_at_once() {
    let latency = |changes: &[&str]| {
        let outcome = simulate(&preset("performance-optimized", changes), &tasks(IN_ONE_PLANE, "requests = 40"));
        let report = of(&outcome.report);
        assert_eq!((report.out_bytes, report.in_bytes, report.direct_bytes), (0, 0, 0));
        (outcome.report.measures.latency_us.all.min.unwrap() * 1e3, outcome.report.flash.reads)
    };
    let rest = entry_ns() + 170.0 + 120.0 + PAGE_NS + link_ns(4096) + link_ns(16);
    let (at_once, reads) = latency(&["compute.array.groups=1"]);
    assert!((at_once - (rest + 3000.0 + 750.0)).abs() < 0.2, "{at_once}");
    assert_eq!(reads, 40);
    let (one_by_one, reads) = latency(&["compute.array.groups=1", "compute.array.operands=1"]);
    assert!((one_by_one - (rest + 3000.0 + 3.0 * READ_NS)).abs() < 0.2, "{one_by_one}");
    assert_eq!(reads, 160);
    // Two of each string group at a time.
    let (by_groups, reads) = latency(&["compute.array.groups=2"]);
    assert!((by_groups - (rest + 2.0 * (3000.0 + 750.0) + 290.0)).abs() < 0.2, "{by_groups}");
    assert_eq!(reads, 80);
}

/// Writes of single operands, and tasks behind them: sensings per task, and programs per write of the host.
fn after_updates(keys: &[&str], updates: &str) -> (f64, f64) {
    let text = format!(
        "name = \"w\"\n[[flow]]\nname = \"updates\"\n[flow.synthetic]\nread_share = 0.0\nsize = \"4KiB\"\n\
         working_set_size = \"512KiB\"\n{updates}\n[[flow]]\nname = \"tasks\"\n[flow.compute]\nkind = \"gather\"\n\
         at = \"array\"\noperands = 4\ndistance = \"128KiB\"\n[flow.synthetic]\nrequests = 400\nread_share = 1.0\n\
         size = \"4KiB\"\nqueue_depth = 4\nstart = \"1s\"\nworking_set_size = \"512KiB\"\n"
    );
    let workload = load_workload("w", Some(&text), &[]).unwrap();
    let drive = [
        "compute.array.groups=1",
        "geometry.pages_per_block=16",
        "geometry.blocks_per_plane=64",
        "precondition.kind=steady",
        "precondition.occupancy=0.3",
    ];
    let design = design(SMALL, &[&drive, keys].concat());
    let (outcome, _) = check(&design, &workload);
    let flash = &outcome.report.flash;
    let moved = flash.programs - flash.host_pages;
    ((flash.reads - moved) as f64 / 400.0, flash.write_amplification.unwrap())
}

#[test]
fn operands_written_together_are_sensed_at_once() {
    let updates = "requests = 300\nqueue_depth = 1\ninter_arrival = \"5ms\"";
    let (apart, amplification) = after_updates(&[], updates);
    assert!(apart > 2.0 && amplification < 1.5, "{apart} {amplification}");
    let (together, amplification) = after_updates(&["ftl.write_placement=operands"], updates);
    assert!(together < 1.5 && amplification > 3.6 && amplification < 4.5, "{together} {amplification}");
    // Others that are on their way already are not written twice.
    let burst = "requests = 300\nqueue_depth = 64";
    let (together, amplification) = after_updates(&["ftl.write_placement=operands"], burst);
    assert!(together < 1.7 && amplification < 3.6, "{together} {amplification}");
}

/// By places on flash and as the host has written them; and what operands combine to.
#[derive(Default)]
struct Bits {
    flash: BTreeMap<Ppa, u64>,
    host: BTreeMap<u64, u64>,
    writes: u64,
    /// AND, OR and XOR of a task's operands: those sensed on flash, and the host's.
    combined: BTreeMap<u32, [[u64; 3]; 2]>,
    operands: BTreeMap<u32, u32>,
    tasks: u32,
}

impl Bits {
    fn write(&mut self, lpa: u64, at: Ppa) {
        self.writes += 1;
        let data = self.writes.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        self.flash.insert(at, data);
        self.host.insert(lpa, data);
    }
}

impl Observer for Bits {
    fn watches_pages(&self) -> bool {
        true
    }

    fn page_found(&mut self, lpa: u64, at: Ppa) {
        self.write(lpa, at);
    }

    fn page_preconditioned(&mut self, lpa: u64, at: Ppa) {
        self.write(lpa, at);
    }

    fn page_programmed(&mut self, _: Time, _: RequestId, lpa: u64, _: u64, at: Ppa, _: Ppa) {
        self.write(lpa, at);
    }

    fn page_copied(&mut self, _: Time, _: u64, from: Ppa, to: Ppa) {
        let data = self.flash[&from];
        self.flash.insert(to, data);
    }

    fn page_read(&mut self, _: Time, request: RequestId, lpa: u64, _: u64, from: Ppa) {
        let both = self.combined.entry(request.0).or_insert([[u64::MAX, 0, 0]; 2]);
        for (bits, data) in both.iter_mut().zip([self.flash[&from], self.host[&lpa]]) {
            *bits = [bits[0] & data, bits[1] | data, bits[2] ^ data];
        }
        *self.operands.entry(request.0).or_default() += 1;
    }

    fn completed(&mut self, _: Time, request: RequestId) {
        let Some([flash, host]) = self.combined.remove(&request.0) else { return };
        assert_eq!(flash, host);
        assert_eq!(self.operands.remove(&request.0), Some(5));
        self.tasks += 1;
    }
}

#[test]
fn combined_bits_are_the_hosts() {
    for fabric in ["bus", "omnibus", "scheduled-mesh", "venice", "mesh"] {
        for at in ["drive", "channel", "chip", "array"] {
            let design = design(
                SMALL,
                &[&format!("fabric.kind={fabric}"), "precondition.kind=steady", "fabric.network.chip_to_chip=true"],
            );
            let text = format!(
                "name = \"w\"\n[[flow]]\nname = \"writes\"\n[flow.synthetic]\nrequests = 2000\nread_share = 0.0\nsize = \"4KiB\"\n\
                 queue_depth = 16\n[[flow]]\nname = \"tasks\"\n[flow.compute]\nkind = \"gather\"\nat = \"{at}\"\noperands = 5\n\
                 [flow.synthetic]\nrequests = 300\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 8\nstart = \"1s\"\n"
            );
            let workload = load_workload("w", Some(&text), &[]).unwrap();
            let mut bits = Bits::default();
            let options = RunOptions::default();
            let simulation = Simulation::new(&design, &workload, vec![None, None], &options);
            let outcome = simulation.observed_by(&mut bits).run(&mut |_| true).unwrap();
            assert!(outcome.report.flash.gc.pages_copied > 100);
            assert_eq!(bits.tasks, 300, "{fabric} {at}");
        }
    }
}

/// A scan and a gather at each place, next to writes of the same pages.
fn next_to_writes(at: &str) -> Workload {
    let mut text = "name = \"w\"\n[[flow]]\nname = \"writes\"\n[flow.synthetic]\nrequests = 400\nread_share = 0.0\n\
         size = \"4KiB\"\nqueue_depth = 4\nworking_set_size = \"256KiB\"\n"
        .to_owned();
    for kind in ["scan", "gather"].into_iter().filter(|kind| at != "array" || *kind == "gather") {
        text += &format!(
            "[[flow]]\nname = \"{kind}\"\n[flow.compute]\nkind = \"{kind}\"\nat = \"{at}\"\n[flow.synthetic]\n\
             requests = 300\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 4\nworking_set_size = \"256KiB\"\n"
        );
    }
    load_workload("w", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const PLACES: [&str; 5] = ["host", "drive", "channel", "chip", "array"];

#[test]
fn tasks_flush_what_the_write_buffer_holds() {
    for fabric in ["bus", "omnibus"] {
        for at in PLACES {
            let fabric = format!("fabric.kind={fabric}");
            let design = design(
                SMALL,
                &["cache.capacity=64KiB", "cache.high_watermark=0.9", "cache.low_watermark=0.8", &fabric],
            );
            let (outcome, _) = check(&design, &next_to_writes(at));
            let blame = &outcome.report.flows.last().unwrap().measures.blame_us.all;
            assert!(blame["flush"] > 10.0, "{fabric} {at}: {blame:?}");
            assert!(outcome.report.cache.unwrap().counts.writes.merged > 10, "{fabric} {at}");
        }
    }
}

#[test]
fn buffered_operands_are_written_once() {
    // In the order of the tasks: operands of eight tasks, one operand behind the other.
    let updates = "requests = 256\nqueue_depth = 1\ninter_arrival = \"1ms\"\naddresses = \"sequential\"";
    let keys = ["ftl.write_placement=operands", "cache.capacity=1MiB", "cache.idle_destage=0ns"];
    let (together, amplification) = after_updates(&keys, updates);
    assert!(together < 1.3 && amplification < 1.3, "{together} {amplification}");
}

#[test]
fn operands_leave_held_paths_as_other_data_do() {
    for hold in ["reads", "always"] {
        for fabric in ["bus", "omnibus", "venice", "ideal"] {
            for at in PLACES {
                let keys = [&*format!("fabric.hold_path={hold}"), "fabric.network.chip_to_chip=true"];
                let design = small(FabricKind::ALL.iter().copied().find(|kind| kind.name() == fabric).unwrap(), &keys);
                let (outcome, _) = check(&design, &next_to_writes(at));
                let found = outcome.report.flows.last().unwrap().compute.as_ref().unwrap();
                assert_eq!(found.direct_bytes, 0, "a held path leads to the controller");
                if !matches!(at, "chip" | "array") {
                    assert_eq!(found.out_bytes, found.operand_bytes, "{hold} {fabric} {at}");
                }
            }
        }
    }
}

#[test]
fn retries_give_room_back() {
    for ecc in ["controller.ecc_latency=0ns", "controller.ecc_latency=400ns"] {
        for at in ["drive", "channel"] {
            let buffer = format!("compute.{at}.buffer=16KiB");
            let keys = [ecc, &buffer, "flash.errors.base=0.008", "controller.ecc.max_read_retries=5"];
            let (outcome, _) = check(&design(SMALL, &keys), &next_to_writes(at));
            assert!(outcome.report.flash.read_retries > 50, "{ecc} {at}");
        }
    }
}

#[test]
fn tasks_on_lost_parts_fail() {
    for kind in [FabricKind::Venice, FabricKind::ScheduledMesh] {
        for (at, when) in PLACES.into_iter().flat_map(|at| [(at, "0ns"), (at, "1ms")]) {
            let when = format!("fabric.failures.at={when}");
            let keys = ["fabric.failures.routers=1", "fabric.failures.spare_chips=false", &when];
            let (outcome, _) = check(&small(kind, &keys), &next_to_writes(at));
            let requests = &outcome.report.flows.last().unwrap().measures.requests;
            assert!(requests.failed > 0 && requests.failed < requests.completed, "{at} {when}: {requests:?}");
        }
    }
}

#[test]
fn the_drive_computes_on_rebuilt_pages() {
    let keys = [
        "flash.failures.lost_die=1",
        "flash.failures.lost_at=1ms",
        "ftl.superblock=drive",
        "ftl.parity=die",
        "gc.reserved_blocks=2",
        "ftl.overprovisioning=0.6",
    ];
    let (outcome, _) = check(&design(SMALL, &keys), &next_to_writes("drive"));
    let requests = &outcome.report.flows.last().unwrap().measures.requests;
    assert_eq!((requests.failed, requests.completed), (0, 300));
    assert!(outcome.report.flash.parity.unwrap().pages_rebuilt > 0);
}

#[test]
fn tasks_that_cannot_be_done_are_refused() {
    let run_with = |changes: &[&str], compute: &str| {
        let (design, workload) = (preset("performance-optimized", changes), tasks(compute, ""));
        let outcome = run(&design, &workload, vec![None], &RunOptions::default(), &mut |_| true);
        outcome.err().map_or_else(String::new, |error| error.to_string())
    };
    let gather = "kind = \"gather\"\nat = \"chip\"\noperands = 32";
    for (changes, compute, says) in [
        (&[][..], gather, "flow.0.compute.operands: got 32, expected at most 16: compute.chip.buffer holds \"64KiB\""),
        (
            &["geometry.page=16KiB", "compute.channel.buffer=8KiB"],
            "kind = \"scan\"\nat = \"channel\"",
            "compute.channel.buffer",
        ),
        (
            &["geometry.page=16KiB"],
            "kind = \"gather\"\nat = \"drive\"",
            "flow.0.synthetic.size: got \"4KiB\", expected \"16KiB\"",
        ),
        (&["flash.errors.base=0.001"], "kind = \"scan\"\nat = \"chip\"", "a chip has no ECC engine"),
        (&["flash.failures.read=0.1"], "kind = \"scan\"\nat = \"chip\"", "flash.failures.read: got errors"),
        (
            &["flash.failures.lost_die=0", "ftl.superblock=drive", "ftl.parity=die", "gc.reserved_blocks=2"],
            "kind = \"scan\"\nat = \"channel\"",
            "ftl.parity: got \"die\"",
        ),
        (
            &["cache.capacity=1MiB", "cache.destage=mqsim", "cache.power_loss_protection=true", "ftl.map_update=issue"],
            "kind = \"scan\"\nat = \"drive\"",
            "cache.destage",
        ),
        (
            &["zns.zone_size=96MiB", "cache.capacity=64MiB"],
            "kind = \"scan\"\nat = \"drive\"",
            "compute: got tasks in zones",
        ),
        (&["ftl.mapping_unit=1KiB"], "kind = \"scan\"\nat = \"chip\"", "ftl.mapping_unit: got \"1KiB\""),
        (&["host.protocol=sata"], "kind = \"scan\"\nat = \"host\"", "host.protocol: got \"sata\""),
    ] {
        let message = run_with(changes, compute);
        assert!(message.contains(says), "{message}, expected {says}");
    }
    let load = |compute: &str, keys: &str| {
        let text = format!(
            "name = \"t\"\n[[flow]]\nname = \"a\"\n[flow.compute]\n{compute}\n[flow.synthetic]\nrequests = 9\nsize = \"4KiB\"\nqueue_depth = 1\n{keys}"
        );
        load_workload("t", Some(&text), &[]).unwrap_err().to_string()
    };
    for (distance, keys, says) in [
        ("0B", &[][..], "flow.0.compute.distance: got \"0B\""),
        ("6KiB", &[], "expected a multiple of \"4KiB\", a page"),
        ("32KiB", &["ftl.write_placement=operands"], "expected a multiple of \"512KiB\", a page per plane"),
    ] {
        let message = run_with(keys, &format!("kind = \"gather\"\nat = \"array\"\ndistance = \"{distance}\""));
        assert!(message.contains(says), "{message}, expected {says}");
    }
    let few = "size = \"4KiB\"\nworking_set_size = \"16KiB\"";
    let few = tasks("kind = \"gather\"\nat = \"array\"\noperands = 5", few);
    let message = run(&preset("performance-optimized", &[]), &few, vec![None], &RunOptions::default(), &mut |_| true);
    assert!(message.err().unwrap().to_string().contains("compute.operands: got 5, expected at most 4"));
    for (compute, keys, says) in [
        ("kind = \"scan\"\nat = \"array\"", "read_share = 1.0", "an array combines operands"),
        ("kind = \"scan\"\nat = \"chip\"\noperands = 3", "read_share = 1.0", "needs kind = \"gather\""),
        ("kind = \"reduce\"\nat = \"chip\"\nresult = \"0B\"", "read_share = 1.0", "expected from \"1B\""),
        ("kind = \"scan\"\nat = \"chip\"", "read_share = 0.5", "needs synthetic.read_share = 1"),
    ] {
        let message = load(compute, keys);
        assert!(message.contains(says), "{message}, expected {says}");
    }
}
