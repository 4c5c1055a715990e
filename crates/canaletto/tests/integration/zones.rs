use std::collections::BTreeMap;
use std::ops::Range;

use canaletto::config::design::Design;
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::drive::{Drive, DriveOptions, Snapshot, Wanted};
use canaletto::engine::time::Time;
use canaletto::fabric::PathId;
use canaletto::flash::address::{PlaneId, Ppa};
use canaletto::flash::interface::Operation;
use canaletto::host::request::{Kind, Request, RequestId, Status};
use canaletto::measure::probe::{Load, Observer, Owner};
use canaletto::workload::replay::Record;
use canaletto::{Outcome, RunOptions, Simulation, TraceInput};

use crate::common::recovery::{Recorder, recover};
use crate::common::script::input;
use crate::common::{design, refusal, simulate, synthetic};

/// A zone has 16 blocks of 8 flash pages of 16 KiB: 2 MiB, of which 1.75 MiB are writable.
const ZONED: &str = r#"
base = "performance-optimized"
name = "zoned"
[geometry]
channels = 4
chips_per_channel = 2
blocks_per_plane = 16
pages_per_block = 8
page = "16KiB"
[flash]
program = "500us"
erase = "3ms"
[cache]
capacity = "4MiB"
power_loss_protection = true
[ftl]
mapping_unit = "4KiB"
overprovisioning = 0.0
[zns]
zone_size = "2MiB"
zone_capacity = "1792KiB"
max_open = 4
max_active = 6
append_limit = "128KiB"
"#;

const ZONE: u64 = 2 << 20;
const CAPACITY: u64 = 1792 << 10;

/// Requests of a kind, offset and size: `depth` of them outstanding, or a millisecond apart if that is 0.
fn script(requests: &[(Kind, u64, u64)], depth: u32) -> (Workload, TraceInput) {
    let depth = if depth == 0 { String::new() } else { format!("queue_depth = {depth}\n") };
    let text = format!("name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"script\"\n{depth}");
    let workload = load_workload("w", Some(&text), &[]).unwrap();
    let record = |(i, &(kind, offset_bytes, bytes)): (usize, &(Kind, u64, u64))| Record {
        arrival_ns: i as u64 * 1_000_000,
        device: 0,
        offset_bytes,
        bytes,
        kind,
        ..Record::PLAIN
    };
    let records = requests.iter().enumerate().map(record).collect();
    (workload, input(records))
}

fn commands(design: &Design, requests: &[(Kind, u64, u64)], depth: u32, watcher: Option<&mut dyn Observer>) -> Outcome {
    let (workload, input) = script(requests, depth);
    let options = RunOptions { records: true, check_wires: watcher.is_none(), ..RunOptions::default() };
    let simulation = Simulation::new(design, &workload, vec![Some(input)], &options);
    let simulation = match watcher {
        Some(watcher) => simulation.observed_by(watcher),
        None => simulation,
    };
    simulation.run(&mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

fn statuses(outcome: &Outcome) -> Vec<u8> {
    let records = outcome.records.as_ref().unwrap();
    let by_number: BTreeMap<u32, u8> = records.request.iter().copied().zip(records.status.iter().copied()).collect();
    by_number.into_values().collect()
}

#[test]
fn violations_have_the_status_of_the_standard() {
    let requests = [
        (Kind::Write, 0, 4096, Status::Success),
        (Kind::Write, 8192, 4096, Status::ZoneInvalidWrite),
        (Kind::Write, 4096, CAPACITY, Status::ZoneBoundaryError),
        (Kind::Append, ZONE, 256 << 10, Status::InvalidField),
        (Kind::Append, ZONE + 4096, 4096, Status::InvalidField),
        (Kind::Read, ZONE - 4096, 8192, Status::ZoneBoundaryError),
        (Kind::Finish, 0, 0, Status::Success),
        (Kind::Write, 4096, 4096, Status::ZoneIsFull),
        (Kind::Close, 0, 0, Status::InvalidTransition),
        (Kind::Reset, 4096, 0, Status::InvalidField),
        (Kind::Open, ZONE, 0, Status::Success),
        (Kind::Open, 2 * ZONE, 0, Status::Success),
        (Kind::Open, 3 * ZONE, 0, Status::Success),
        (Kind::Open, 4 * ZONE, 0, Status::Success),
        (Kind::Append, 5 * ZONE, 4096, Status::TooManyOpenZones),
        (Kind::Trim, 0, 4096, Status::Success),
    ];
    let design = design(ZONED, &[]);
    let outcome = commands(&design, &requests.map(|(kind, offset, bytes, _)| (kind, offset, bytes)), 1, None);
    assert_eq!(statuses(&outcome), requests.map(|(.., status)| status as u8));
    let zones = outcome.report.flash.zones.unwrap();
    assert_eq!(zones.refused.values().sum::<u64>(), 9);
    assert_eq!((zones.refused["zone_invalid_write"], zones.refused["too_many_open_zones"]), (1, 1));
    assert_eq!((zones.states["full"], zones.states["explicitly_opened"], zones.count), (1, 4, 16));
    assert_eq!(outcome.report.measures.requests.failed, 9);
}

/// Commands that are outstanding together have no order: those behind a reset or a finish find what it leaves, never a zone in between.
#[test]
fn commands_wait_for_the_job_of_their_zone() {
    let requests = [
        (Kind::Append, 0, 128 << 10, Status::Success),
        (Kind::Reset, 0, 0, Status::Success),
        (Kind::Write, 0, 4096, Status::Success),
        (Kind::Append, 0, 4096, Status::Success),
        (Kind::Finish, 0, 0, Status::Success),
        (Kind::Append, 0, 4096, Status::ZoneIsFull),
        (Kind::Reset, 0, 0, Status::Success),
        (Kind::Reset, 0, 0, Status::Success),
        (Kind::Open, 0, 0, Status::Success),
        (Kind::Write, 4096, 4096, Status::ZoneInvalidWrite),
        (Kind::Write, 0, 4096, Status::Success),
    ];
    let commands_of = requests.map(|(kind, offset, bytes, _)| (kind, offset, bytes));
    // Resets take three milliseconds, so that others arrive meanwhile.
    for depth in [1, 0] {
        let outcome = commands(&design(ZONED, &[]), &commands_of, depth, None);
        assert_eq!(statuses(&outcome), requests.map(|(.., status)| status as u8), "{depth} outstanding");
        let report = outcome.report;
        assert_eq!((report.flash.host_pages, report.flash.zones.unwrap().resets), (34, 3));
        let blame: f64 = report.measures.blame_us.all.values().sum();
        assert!((blame / report.measures.latency_us.all.mean.unwrap() - 1.0).abs() < 1e-9);
    }
}

/// Zones that are so small that their turn comes again while they are being reset.
#[test]
fn generated_writes_are_never_refused() {
    for work in ["write", "append"] {
        let design =
            design(ZONED, &["zns.zone_size=512KiB", "zns.zone_capacity=0B", "zns.stripe.dies=1", "flash.erase=20ms"]);
        let text = format!(
            "requests = 3000\nread_share = 0.0\nsize = \"16KiB\"\nqueue_depth = 16\nzone_work = \"{work}\"\nzones = 2\n\
             working_set = 0.08"
        );
        let report = simulate(&design, &synthetic(&text)).report;
        let zones = report.flash.zones.unwrap();
        assert!(zones.resets > 50 && zones.refused.is_empty(), "{work}: {zones:?}");
    }
}

#[test]
fn flushes_come_between_appends() {
    let design = design(ZONED, &["zns.zone_size=256KiB", "zns.zone_capacity=0B", "zns.stripe.dies=1"]);
    let text = "requests = 400\nread_share = 0.0\nflush_share = 0.5\nsize = \"16KiB\"\nqueue_depth = 8\nzone_work = \"append\"";
    let requests = simulate(&design, &synthetic(text)).report.measures.requests;
    assert!(requests.flushes > 100 && requests.writes > 100 && requests.failed == 0, "{requests:?}");
}

/// Fewer zones than twice those that are written at the same time: none could be reset in time.
#[test]
fn few_zones_are_written_once() {
    for (work, zones, count) in [("write", 1, 1), ("append", 1, 1), ("write", 2, 3), ("append", 4, 4), ("write", 4, 7)]
    {
        let design = design(ZONED, &["zns.zone_size=256KiB", "zns.zone_capacity=0B", "zns.stripe.dies=1"]);
        let text = format!(
            "requests = 1000\nread_share = 0.0\nsize = \"16KiB\"\nqueue_depth = 16\nzone_work = \"{work}\"\nzones = \
             {zones}\nworking_set_size = \"{}KiB\"",
            256 * count
        );
        let report = simulate(&design, &synthetic(&text)).report;
        let found = report.flash.zones.unwrap();
        assert_eq!(
            (found.states["full"], found.resets, found.refused.len()),
            (count, 0, 0),
            "{work}, {zones}: {found:?}"
        );
        assert_eq!(report.measures.requests.writes, 16 * u64::from(count));
    }
}

#[derive(Default)]
struct Shadow {
    places: BTreeMap<Ppa, u64>,
    read: BTreeMap<u64, Ppa>,
    cached: u64,
}

impl Observer for Shadow {
    fn watches_pages(&self) -> bool {
        true
    }

    fn page_destaged(&mut self, _: Time, lpa: u64, _: u64, at: Ppa, _: Ppa) {
        assert_eq!(self.places.insert(at, lpa), None, "{at:?} is programmed twice without an erase");
    }

    fn block_erased(&mut self, _: Time, plane: PlaneId, block: u32) {
        self.places.retain(|at, _| (at.plane, at.block) != (plane, block));
    }

    fn page_read(&mut self, _: Time, _: RequestId, lpa: u64, _: u64, at: Ppa) {
        if at.is_some() {
            assert_eq!(self.places.get(&at), Some(&lpa), "a read of page {lpa} at {at:?}");
        }
        self.read.insert(lpa, at);
    }

    fn page_read_cached(&mut self, _: Time, _: RequestId, _: u64, _: u64) {
        self.cached += 1;
    }
}

/// A zone by the standard.
#[derive(Clone, Copy, Default)]
struct Model {
    pointer: u64,
    written: u64,
    full: bool,
    active: bool,
}

/// Without limits of open and active zones.
fn expected(zones: &mut [Model; 16], kind: Kind, offset: u64, bytes: u64) -> Status {
    let zone = &mut zones[(offset / ZONE) as usize];
    let at = offset % ZONE;
    match kind {
        Kind::Read => {
            if at + bytes > ZONE {
                Status::ZoneBoundaryError
            } else {
                Status::Success
            }
        }
        Kind::Write | Kind::Append => {
            let start = if kind == Kind::Append { zone.pointer } else { at };
            let status = match () {
                () if zone.full => Status::ZoneIsFull,
                () if start + bytes > CAPACITY => Status::ZoneBoundaryError,
                () if start != zone.pointer => Status::ZoneInvalidWrite,
                () => Status::Success,
            };
            if status == Status::Success {
                zone.pointer += bytes;
                zone.written = zone.pointer;
                (zone.full, zone.active) = (zone.pointer == CAPACITY, zone.pointer < CAPACITY);
            }
            status
        }
        Kind::Finish => {
            (zone.full, zone.active) = (true, false);
            Status::Success
        }
        _ => {
            *zone = Model::default();
            Status::Success
        }
    }
}

/// A small generator, so that a failure repeats.
fn random_commands(seed: u64, count: usize) -> Vec<(Kind, u64, u64)> {
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut zones = [Model::default(); 16];
    let make = |_| {
        let (zone, kind) = (draw(16), draw(100));
        let (start, size) = (zone * ZONE, (1 + draw(32)) * 4096);
        let pointer = zones[zone as usize].pointer;
        let (kind, offset, bytes) = match kind {
            0..45 => (Kind::Append, start, size),
            45..65 => (Kind::Write, start + pointer, size.min((CAPACITY - pointer).max(4096))),
            65..70 => (Kind::Write, start + draw(400) * 4096, size),
            70..92 => (Kind::Read, start.min(14 * ZONE) + draw(512) * 4096, size),
            92..96 => (Kind::Finish, start, 0),
            _ => (Kind::Reset, start, 0),
        };
        expected(&mut zones, kind, offset, bytes);
        (kind, offset, bytes)
    };
    (0..count).map(make).collect()
}

#[test]
fn zones_follow_a_model() {
    let design = design(ZONED, &["zns.max_open=0", "zns.max_active=0", "cache.capacity=16MiB"]);
    for seed in 1..=6 {
        let mut requests = random_commands(seed, 1500);
        requests.extend((0..16 * ZONE / (64 << 10)).map(|i| (Kind::Read, i * (64 << 10), 64 << 10)));
        let mut shadow = Shadow::default();
        let outcome = commands(&design, &requests, 1, Some(&mut shadow));
        let mut zones = [Model::default(); 16];
        let wanted: Vec<u8> = requests.iter().map(|&(k, o, b)| expected(&mut zones, k, o, b) as u8).collect();
        assert_eq!(statuses(&outcome), wanted, "seed {seed}");
        let report = outcome.report.flash.zones.unwrap();
        let full = zones.iter().filter(|zone| zone.full).count() as u32;
        assert_eq!(report.states.get("full").copied().unwrap_or(0), full, "seed {seed}");
        for (number, zone) in zones.iter().enumerate() {
            let written = zone.written / 4096;
            for page in 0..ZONE / 4096 {
                let (lpa, on_flash) = (number as u64 * ZONE / 4096 + page, page < written / 8 * 8);
                if let Some(at) = shadow.read.get(&lpa).filter(|_| on_flash || page >= written) {
                    assert_eq!(at.is_some(), page < written, "page {page} of zone {number}, written {written}");
                }
            }
        }
    }
}

/// Contents of flash and write buffer, and what was acknowledged, until that many requests have ended.
struct Powered {
    recorder: Recorder,
    /// Pages of each zone that were acknowledged.
    acknowledged: BTreeMap<u64, Range<u64>>,
    /// Requests and pages programmed that are left until power is lost.
    left: (u32, u32),
}

impl Observer for Powered {
    fn watches_pages(&self) -> bool {
        true
    }

    fn page_begins(&mut self, now: Time, id: RequestId, lpa: u64, sectors: u64, kind: Kind) {
        self.recorder.page_begins(now, id, lpa, sectors, kind);
    }

    fn page_cached(&mut self, now: Time, id: RequestId, lpa: u64, sectors: u64) {
        self.recorder.page_cached(now, id, lpa, sectors);
    }

    fn page_destages(&mut self, now: Time, lpa: u64, sectors: u64) {
        self.recorder.page_destages(now, lpa, sectors);
    }

    fn page_destaged(&mut self, now: Time, lpa: u64, sectors: u64, at: Ppa, old: Ppa) {
        self.recorder.page_destaged(now, lpa, sectors, at, old);
        self.left.1 = self.left.1.saturating_sub(u32::from(self.left.0 == 0));
    }

    fn page_trimmed_in_cache(&mut self, now: Time, id: RequestId, lpa: u64, stays: bool) {
        self.recorder.page_trimmed_in_cache(now, id, lpa, stays);
    }

    fn block_erased(&mut self, now: Time, plane: PlaneId, block: u32) {
        self.recorder.block_erased(now, plane, block);
    }

    fn ended(&mut self, request: &Request, _: Time) {
        self.left.0 = self.left.0.saturating_sub(1);
        if request.status != Status::Success {
            return;
        }
        let (zone, end) = (request.lba * 512 / ZONE, (request.lba + u64::from(request.sectors)) * 512 / 4096);
        match request.kind {
            Kind::Write | Kind::Append => {
                let start = zone * ZONE / 4096;
                self.acknowledged.entry(zone).or_insert(start..start).end = end;
            }
            Kind::Reset => drop(self.acknowledged.remove(&zone)),
            _ => {}
        }
    }

    fn is_done(&mut self, _: Time) -> bool {
        self.left == (0, 0)
    }
}

/// Whenever power is lost, what was acknowledged is on flash or in the buffer that the drive saves, up to a reset that is under way.
#[test]
fn acknowledged_data_survive_a_loss_of_power() {
    let design = design(ZONED, &["zns.max_open=0", "zns.max_active=0", "cache.capacity=16MiB"]);
    let (mut promised, mut saved) = (0, 0);
    for seed in 21..45 {
        let requests = random_commands(seed, 400);
        let stop = 20 + seed as u32 * 7;
        let left = (stop, seed as u32 % 5);
        let mut powered = Powered { recorder: Recorder::default(), acknowledged: BTreeMap::new(), left };
        commands(&design, &requests, 1, Some(&mut powered));
        let image = powered.recorder.image(true);
        let map = recover(&image);
        let mut under_way = requests[stop as usize..].iter().take(8).filter(|(kind, ..)| *kind == Kind::Reset);
        let under_way = under_way.next().map(|(_, offset, _)| offset / ZONE);
        for (_, pages) in powered.acknowledged.iter().filter(|(zone, _)| Some(**zone) != under_way) {
            for lpa in pages.clone() {
                let is_saved = image.saved.contains_key(&lpa);
                assert!(is_saved || map.contains_key(&lpa), "seed {seed}: page {lpa} is lost");
                promised += 1;
                saved += u32::from(is_saved);
            }
        }
    }
    assert!(promised > 10_000 && saved > 50, "{promised} pages, {saved} of them saved");
}

#[test]
fn zones_survive_a_deep_queue() {
    for (seed, width) in [(11, "8"), (12, "2"), (13, "1")] {
        let design =
            design(ZONED, &[&format!("zns.stripe.dies={width}"), "zns.zone_capacity=0B", "zns.zone_size=2MiB"]);
        let outcome = commands(&design, &random_commands(seed, 4000), 32, None);
        assert_eq!(outcome.report.measures.requests.completed, 4000);
        let mut shadow = Shadow::default();
        commands(&design, &random_commands(seed, 4000), 32, Some(&mut shadow));
    }
}

#[test]
fn append_bandwidth_grows_with_the_width_of_a_zone() {
    // Two flash pages of 16 KiB cross one after the other, then both planes program.
    let data_us = 2.0 * 16.384 / 1.2;
    for (dies, together) in [(1u32, 1u32), (2, 1), (4, 1), (8, 1), (1, 4), (2, 4), (4, 2)] {
        let program = format!("zns.pages_per_program={together}");
        let (width, size) = (format!("zns.stripe.dies={dies}"), format!("zns.zone_size={}MiB", 32 * dies));
        let keys =
            [&*width, &size, "zns.zone_capacity=0B", "geometry.pages_per_block=1024", "cache.capacity=1MiB", &program];
        let design = design(ZONED, &keys);
        let text = "requests = 2000\nread_share = 0.0\nsize = \"16KiB\"\nqueue_depth = 64\nzone_work = \"append\"";
        let outcome = simulate(&design, &synthetic(text));
        let expected = f64::from(dies) * 32_768.0 / (500.0 + data_us);
        assert_eq!(outcome.report.flash.programs % u64::from(2 * together), 0);
        let found = outcome.report.measures.bandwidth_mb_s.unwrap();
        assert!(
            (found / expected - 1.0).abs() < 0.04,
            "{dies} dies, {together} pages: {found} MB/s, expected {expected}"
        );
    }
}

/// Times of programs.
#[derive(Default)]
struct Programs(Vec<Time>);

impl Observer for Programs {
    fn watches_wires(&self) -> bool {
        true
    }

    fn watches_pages(&self) -> bool {
        true
    }

    fn array_works(&mut self, _: PlaneId, operation: Operation, _: Owner, from: Time, until: Time) {
        if operation == Operation::Program {
            self.0.push(until - from);
        }
    }
}

#[test]
fn several_pages_are_one_program() {
    for together in [1u64, 2, 4, 8] {
        let design = design(ZONED, &[&format!("zns.pages_per_program={together}"), "zns.zone_capacity=0B"]);
        let mut programs = Programs::default();
        let outcome = commands(&design, &[(Kind::Append, 0, 128 << 10), (Kind::Finish, 0, 0)], 1, Some(&mut programs));
        assert!(
            programs.0.iter().all(|&time| time == Time::from_ns(500_000 * together)),
            "{together}: {:?}",
            programs.0
        );
        assert_eq!(programs.0.len() as u64 * together, outcome.report.flash.programs);
    }
}

/// Longest data of a transfer to a chip, and those of all.
#[derive(Default)]
struct DataIn {
    longest: u64,
    all: u64,
}

impl Observer for DataIn {
    fn watches_wires(&self) -> bool {
        true
    }

    fn transfer_begins(&mut self, _: PathId, load: &Load, _: Time) {
        if load.operation == Operation::Program {
            (self.longest, self.all) = (self.longest.max(load.bytes), self.all + load.bytes);
        }
    }
}

/// A page of each plane at a time, so that other LUNs get the path between them.
#[test]
fn data_of_one_program_cross_page_by_page() {
    let requests = [(Kind::Append, 0, 128 << 10), (Kind::Finish, 0, 0)];
    for (together, hold, pages) in [("1", "never", 2), ("4", "never", 2), ("4", "reads", 2), ("4", "always", 8)] {
        let keys = [&*format!("zns.pages_per_program={together}"), &*format!("fabric.hold_path={hold}")];
        let design = design(ZONED, &[keys[0], keys[1], "zns.zone_capacity=0B"]);
        let mut data = DataIn::default();
        commands(&design, &requests, 1, Some(&mut data));
        assert_eq!((data.longest, data.all), (pages << 14, ZONE), "{together} pages, {hold}");
    }
}

/// Wires are checked while reads come between the pages of programs, and suspend them.
#[test]
fn reads_come_between_the_pages_of_a_program() {
    let text = |kind: &str| {
        format!(
            "[[flow]]\nname = \"{kind}\"\n[flow.synthetic]\nrequests = 400\nsize = \"16KiB\"\nqueue_depth = 16\n{}",
            if kind == "reads" {
                "read_share = 1.0\nworking_set = 0.5"
            } else {
                "read_share = 0.0\nzone_work = \"append\"\nworking_set_offset = \"14MiB\""
            }
        )
    };
    let workload = format!("name = \"both\"\n{}\n{}", text("reads"), text("appends"));
    let workload = load_workload("both", Some(&workload), &[]).unwrap();
    for fabric in ["bus", "packetized", "omnibus", "mesh", "mesh-2bit", "venice", "ideal"] {
        for sequences in ["short", "full"] {
            for operations in ["none", "both"] {
                let keys = [
                    &*format!("fabric.kind={fabric}"),
                    &*format!("fabric.sequences={sequences}"),
                    &*format!("flash.suspend.operations={operations}"),
                    "zns.pages_per_program=4",
                    "zns.zone_capacity=0B",
                    "precondition.kind=steady",
                    "precondition.occupancy=0.5",
                    "fabric.interface=nv-ddr3",
                ];
                let options = RunOptions { check_wires: true, ..RunOptions::default() };
                let design = design(ZONED, &keys);
                let simulation = Simulation::new(&design, &workload, vec![None, None], &options);
                let outcome = simulation.run(&mut |_| true).unwrap_or_else(|e| panic!("{keys:?}: {e}"));
                assert_eq!(outcome.report.measures.requests.completed, 800, "{keys:?}");
            }
        }
    }
}

/// The controller polls from the shortest time of the whole program, not of one page.
#[test]
fn polls_begin_when_all_pages_may_be_programmed() {
    let early = |together: u32| {
        let program = format!("zns.pages_per_program={together}");
        let design =
            design(ZONED, &[&program, "zns.zone_capacity=0B", "fabric.sequences=full", "fabric.interface=nv-ddr3"]);
        let outcome = commands(&design, &[(Kind::Append, 0, 128 << 10), (Kind::Finish, 0, 0)], 1, None);
        let counts = &outcome.report.fabric_counts;
        (counts["status_reads_too_early"], counts["status_reads"] - counts["status_reads_too_early"])
    };
    let (one, ended) = early(1);
    assert!(one <= ended, "{one} of {ended}");
    for together in [2, 4] {
        let (several, ended) = early(together);
        assert_eq!(ended, 64 / u64::from(together));
        assert!(several <= ended, "{together} pages: {several} polls too early of {ended} programs");
    }
}

#[test]
fn resets_erase_and_finishes_fill() {
    let design = design(ZONED, &[]);
    let requests =
        [(Kind::Append, 0, 128 << 10), (Kind::Reset, 0, 0), (Kind::Append, 0, 128 << 10), (Kind::Finish, 0, 0)];
    let outcome = commands(&design, &requests, 1, None);
    let records = outcome.records.as_ref().unwrap();
    let us = |i: usize| (records.complete[i] - records.arrival[i]) as f64 / 1e6;
    assert!((3_000.0..3_000.0 + 700.0).contains(&us(1)), "{} us", us(1));
    // Of 56 rows four are written; eight dies program the others, two of them in eight rounds.
    let rounds = 52.0 / 8.0;
    let least = rounds * 500.0;
    assert!((least..1.4 * least).contains(&us(3)), "{} us, at least {least}", us(3));
    let zones = outcome.report.flash.zones.unwrap();
    assert_eq!((zones.padding_pages, zones.erased_blocks), (52 * 8, 8));
    assert_eq!(outcome.report.flash.host_pages, 64);
}

#[test]
fn failures_end_zones() {
    // The finish waits for its programs, all of which fail.
    let requests = [(Kind::Append, 0, 128 << 10), (Kind::Finish, 0, 0), (Kind::Reset, 0, 0), (Kind::Append, 0, 4096)];
    let outcome = commands(&design(ZONED, &["flash.failures.program=1.0"]), &requests, 1, None);
    let expected = [Status::Success, Status::Success, Status::InvalidTransition, Status::ZoneIsReadOnly];
    assert_eq!(statuses(&outcome), expected.map(|status| status as u8));
    let requests = [(Kind::Append, 0, 128 << 10), (Kind::Reset, 0, 0), (Kind::Read, 0, 4096), (Kind::Append, 0, 4096)];
    let outcome = commands(&design(ZONED, &["flash.failures.erase=1.0"]), &requests, 1, None);
    assert_eq!(statuses(&outcome)[2..], [Status::ZoneIsOffline as u8; 2]);
}

#[test]
fn zones_of_chips_with_wrong_bits_are_read() {
    let requests = [(Kind::Append, 0, 64 << 10), (Kind::Finish, 0, 0), (Kind::Read, 0, 4096)];
    let outcome = commands(&design(ZONED, &["flash.errors.base=0.0001"]), &requests, 1, None);
    assert_eq!((outcome.report.measures.requests.completed, outcome.report.flash.reads), (3, 1));
}

/// A drive that is stepped takes commands to zones; completions have addresses and statuses, and a snapshot repeats them.
#[test]
fn a_stepped_drive_has_commands_to_zones() {
    let mut drive = Drive::new(&design(ZONED, &[]), &DriveOptions::default()).unwrap();
    let first = ZONE / 512;
    let commands = [
        (Wanted::append(first, 8), Status::Success, first),
        (Wanted::append(first, 8), Status::Success, first + 8),
        (Wanted::write(first + 8, 8), Status::ZoneInvalidWrite, first + 8),
        (Wanted::of_zone(Kind::Close, first), Status::Success, first),
        (Wanted::of_zone(Kind::Close, 2 * first), Status::InvalidTransition, 2 * first),
        (Wanted::of_zone(Kind::Open, first), Status::Success, first),
        (Wanted::of_zone(Kind::Finish, first), Status::Success, first),
        (Wanted::of_zone(Kind::Reset, first), Status::Success, first),
        (Wanted::append(first, 8), Status::Success, first),
    ];
    for (tag, (wanted, ..)) in commands.iter().enumerate() {
        drive.submit(drive.now(), *wanted, tag as u64).unwrap();
        drive.advance_to_completion(Time::LATEST).unwrap();
    }
    let snapshot = drive.snapshot().unwrap();
    let rows = drive.take_completions().rows;
    assert_eq!(rows.status, commands.map(|(_, status, _)| status as u8));
    assert_eq!(rows.lba, commands.map(|(.., lba)| lba));
    let mut again = Snapshot::read(&snapshot).unwrap().restore(Vec::new(), &mut |_| true).unwrap();
    assert_eq!(again.take_completions().rows.complete, rows.complete);
    assert!(drive.submit(drive.now(), Wanted::of_zone(Kind::Reset, drive.sectors()), 0).is_err());
}

#[test]
fn designs_that_zones_do_not_fit_are_refused() {
    let refused = |keys: &[&str]| refusal(Some(ZONED), keys);
    for (key, named) in [
        ("zns.stripe.dies=3", "zns.stripe.channels"),
        ("zns.stripe.channels=3", "zns.stripe.channels"),
        ("zns.stripe.planes=3", "zns.stripe.planes"),
        ("zns.zone_capacity=1790KiB", "zns.zone_capacity"),
        ("zns.zone_capacity=4MiB", "zns.zone_capacity"),
        ("zns.zone_size=5000B", "zns.zone_size"),
        ("zns.pages_per_program=3", "zns.pages_per_program"),
        ("zns.max_open=9", "zns.max_open"),
        ("cache.power_loss_protection=false", "cache.power_loss_protection"),
        ("cache.capacity=64KiB", "cache.capacity"),
        ("ftl.superblock=drive", "ftl.superblock"),
    ] {
        let said = refused(&[key]);
        assert!(said.contains(named), "{key}: {said}");
    }
}
