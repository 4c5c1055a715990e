use canaletto::config::design::Design;
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::drive::{Drive, DriveOptions, Snapshot, SnapshotError, SubmitError, Wanted};
use canaletto::engine::time::Time;
use canaletto::fabric::facts;
use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;
use canaletto::{RunError, RunOptions, TraceInput, run};

use crate::common::{SMALL, design, preset, script};

type Completed = Vec<(u64, u64)>;

/// Often in whole microseconds, so that they meet other events.
fn requests(count: u64, pages: u64) -> Vec<Record> {
    let mut state = 7u64;
    let mut draw = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut arrival_ns = 0;
    let mut made = Vec::new();
    for _ in 0..count {
        let kind = [Kind::Read, Kind::Read, Kind::Write, Kind::Write, Kind::Trim, Kind::Flush];
        let kinds = if draw(20) == 0 { 6 } else { 4 };
        let kind = kind[draw(kinds) as usize];
        let page = draw(pages - 4);
        let bytes = if kind == Kind::Flush { 0 } else { 512 * (1 + draw(24)) };
        let offset_bytes = if kind == Kind::Flush { 0 } else { page * 4096 + 512 * draw(8) };
        made.push(Record { arrival_ns, device: 0, offset_bytes, bytes, kind, ..Record::PLAIN });
        arrival_ns += [0, 0, 1_000, 37, 20_000][draw(5) as usize];
    }
    made
}

fn replayed() -> Workload {
    load_workload("w", Some("name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.trace]\nfile = \"script\"\n"), &[]).unwrap()
}

fn input(requests: &[Record]) -> Vec<Option<TraceInput>> {
    vec![Some(script::input(requests.to_vec()))]
}

fn run_of(design: &Design, requests: &[Record]) -> Completed {
    let options = RunOptions { records: true, ..RunOptions::default() };
    let outcome = run(design, &replayed(), input(requests), &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"));
    let records = outcome.records.unwrap();
    records.request.iter().zip(&records.complete).map(|(&number, &at)| (u64::from(number), at)).collect()
}

fn drive_for(design: &Design, requests: &[Record]) -> Drive {
    let options = DriveOptions::default();
    Drive::prepared_for(design, &replayed(), input(requests), &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

fn wanted(record: &Record) -> Wanted {
    let (lba, sectors) = (record.offset_bytes / 512, (record.bytes / 512) as u32);
    Wanted { kind: record.kind, ..Wanted::read(lba, sectors) }
}

fn submit(drive: &mut Drive, number: usize, record: &Record) {
    drive.submit(Time::from_ns(record.arrival_ns), wanted(record), number as u64).unwrap();
}

fn taken(drive: &mut Drive, into: &mut Completed) {
    into.extend(drive.completions().map(|done| {
        assert_eq!(done.blame.total(), done.completed - done.arrival, "the account closes");
        (done.tag, done.completed.0)
    }));
}

fn ahead(design: &Design, requests: &[Record]) -> Completed {
    let (mut drive, mut completed) = (drive_for(design, requests), Completed::new());
    requests.iter().enumerate().for_each(|(number, record)| submit(&mut drive, number, record));
    while drive.outstanding() > 0 {
        assert!(drive.advance_to_completion(Time::LATEST).unwrap());
        assert!(drive.now() > Time::ZERO);
        taken(&mut drive, &mut completed);
    }
    completed
}

fn just_in_time(design: &Design, requests: &[Record]) -> Completed {
    let (mut drive, mut completed) = (drive_for(design, requests), Completed::new());
    let mut next = requests.iter().enumerate().peekable();
    loop {
        let due = drive.next_event_time();
        let arrival = next.peek().map(|(_, record)| Time::from_ns(record.arrival_ns));
        match (due, arrival) {
            (due, Some(arrival)) if due.is_none_or(|due| arrival <= due) => {
                let (number, record) = next.next().unwrap();
                submit(&mut drive, number, record);
            }
            (Some(due), _) if drive.outstanding() > 0 => drive.advance_to(due).unwrap(),
            (Some(due), Some(_)) => drive.advance_to(due).unwrap(),
            _ => break,
        }
        taken(&mut drive, &mut completed);
    }
    completed
}

fn assert_same(design: &Design, count: u64, pages: u64) {
    let requests = requests(count, pages);
    let expected = run_of(design, &requests);
    assert_eq!(expected.len(), requests.len());
    for (way, completed) in [("ahead", ahead(design, &requests)), ("just in time", just_in_time(design, &requests))] {
        let different = expected.iter().zip(&completed).position(|(wanted, got)| wanted != got);
        let pair = different.map(|place| (place, expected[place], completed[place]));
        assert_eq!((pair, completed.len()), (None, expected.len()), "{way}: (place, run's, drive's)");
    }
}

const PAGES: u64 = 300;

#[test]
fn every_fabric_completes_as_in_a_run() {
    for kind in facts() {
        assert_same(&design(SMALL, &[&format!("fabric.kind={}", kind.name)]), 600, PAGES);
    }
}

#[test]
fn cache_mapping_collection_and_limits_complete_as_in_a_run() {
    for settings in SITUATIONS {
        assert_same(&design(SMALL, settings), 1500, PAGES);
    }
}

const SITUATIONS: &[&[&str]] = &[
    &[],
    &["cache.capacity=256KiB"],
    &["mapping.cache_capacity=512B"],
    &["host.queue_entries=4"],
    &["host.protocol=sata"],
    &["precondition.kind=steady", "precondition.occupancy=0.8"],
    &["precondition.kind=replay", "precondition.occupancy=0.8", "cache.capacity=64KiB", "host.command_limit=16"],
    &["fabric.kind=venice", "precondition.kind=steady", "precondition.occupancy=0.9", "mapping.cache_capacity=512B"],
    &["fabric.kind=scheduled-mesh", "precondition.kind=steady", "gc.scope=spatial", "ftl.write_placement=dynamic"],
    &["fabric.kind=omnibus", "fabric.omnibus.late_split=1KiB", "geometry.chips_per_channel=3"],
    &["flash.suspend.operations=both"],
    &["attachment.kind=sbsp"],
    &["ftl.superblock=die", "refresh.read_limit=50"],
    &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes", "ftl.hybrid.log_blocks=4"],
    &["scheduler.policy=flin"],
    &["gc.policy=d-choices", "gc.copyback=true"],
];

fn rest(drive: &mut Drive) -> (Completed, Vec<u8>) {
    let mut completed = Completed::new();
    while drive.outstanding() > 0 {
        assert!(drive.advance_to_completion(Time::LATEST).unwrap());
        taken(drive, &mut completed);
    }
    (completed, drive.snapshot().unwrap())
}

fn assert_goes_on(design: &Design, workload: &str) {
    let requests = requests(1000, PAGES);
    let mut drive = drive_for(design, &requests);
    requests.iter().enumerate().for_each(|(number, record)| submit(&mut drive, number, record));
    let middle = Time::from_ns(requests[500].arrival_ns);
    drive.advance_to(middle).unwrap();
    let snapshot = drive.snapshot().unwrap();
    let read = Snapshot::read(&snapshot).unwrap();
    let mut again = read.restore(input(&requests), &mut |_| true).unwrap_or_else(|e| panic!("{workload}: {e}"));
    assert_eq!((again.now(), again.outstanding()), (middle, drive.outstanding()));
    assert!(again.snapshot().unwrap() == snapshot, "{workload}: the same state is the same bytes");
    let (before, state) = rest(&mut drive);
    assert!(before.len() > 400);
    let (after, same) = rest(&mut again);
    assert!(before == after && state == same, "{workload}");
    let reports = [&mut drive, &mut again].map(|drive| serde_json::to_string(&drive.report()).unwrap());
    assert_eq!(reports[0], reports[1], "{workload}");
}

#[test]
fn a_snapshot_goes_on_as_the_drive_does() {
    for kind in facts() {
        let name = format!("fabric.kind={}", kind.name);
        assert_goes_on(&design(SMALL, &[&name]), &name);
    }
    for settings in SITUATIONS {
        assert_goes_on(&design(SMALL, settings), &settings.join(" "));
    }
}

#[test]
fn a_snapshot_between_steps_and_completions_goes_on_alike() {
    let requests = requests(300, PAGES);
    let design = design(SMALL, &["fabric.kind=venice", "cache.capacity=64KiB"]);
    let mut drive = drive_for(&design, &requests);
    for (number, record) in requests.iter().enumerate() {
        let at = Time::from_ns(record.arrival_ns).max(drive.now());
        drive.submit(at, wanted(record), 7 * number as u64).unwrap();
        match number % 6 {
            0 => drive.advance_to(at).unwrap(),
            1 => _ = drive.advance_to_completion(Time::LATEST).unwrap(),
            2 => _ = drive.advance_to_completion(at + Time::from_us(3)).unwrap(),
            3 if number % 2 == 1 => _ = drive.take_completions(),
            // As when an interrupt comes meanwhile.
            4 => _ = drive.advance_for(Time::LATEST, number % 4 == 0, 7).unwrap(),
            _ => {}
        }
        if number % 25 == 24 {
            let snapshot = drive.snapshot().unwrap();
            assert!(snapshot.len() < 12_000 + 20 * number, "{} bytes", snapshot.len());
            let read = Snapshot::read(&snapshot).unwrap();
            let mut again = read.restore(input(&requests), &mut |_| true).unwrap();
            assert_eq!((again.now(), again.next_event_time()), (drive.now(), drive.next_event_time()));
            assert_eq!(rest(&mut again).0, rest(&mut drive).0);
        }
    }
}

#[test]
fn a_snapshot_of_a_trace_that_has_changed_is_refused() {
    let requests = requests(200, PAGES);
    let settings = ["precondition.kind=replay", "precondition.occupancy=0.8"];
    let mut drive = drive_for(&design(SMALL, &settings), &requests);
    let snapshot = Snapshot::read(&drive.snapshot().unwrap()).unwrap();
    assert!(snapshot.restore(input(&requests), &mut |_| true).is_ok());
    let other = self::requests(150, PAGES / 2);
    let refused = snapshot.restore(input(&other), &mut |_| true).err().expect("the drive is another one");
    assert!(refused.to_string().contains("trace"), "{refused}");
}

#[test]
fn a_drive_without_a_record_has_no_snapshot() {
    let options = DriveOptions { recorded: false, ..DriveOptions::default() };
    let mut drive = Drive::new(&preset("performance-optimized", &[]), &options).unwrap();
    assert!(drive.snapshot().unwrap_err().to_string().contains("no record"));
}

#[test]
fn what_is_no_snapshot_is_refused() {
    let mut drive = idle();
    drive.submit(Time::ZERO, Wanted::read(0, 8), 0).unwrap();
    let snapshot = drive.snapshot().unwrap();
    let restored = |bytes: &[u8]| Drive::restore(bytes).err().expect("it is refused");
    assert_eq!(restored(b""), SnapshotError::Unknown);
    assert_eq!(restored(b"something else, of some length"), SnapshotError::Unknown);
    for length in [16, 20, 27, 28, snapshot.len() - 1] {
        assert_eq!(restored(&snapshot[..length]), SnapshotError::Damaged(length));
    }
    for place in [30, snapshot.len() / 2, snapshot.len() - 1] {
        let mut damaged = snapshot.clone();
        damaged[place] ^= 4;
        assert_eq!(restored(&damaged), SnapshotError::Damaged(snapshot.len()));
    }
    let mut newer = snapshot;
    newer[16] += 1;
    assert!(matches!(restored(&newer), SnapshotError::Version { format: 4, .. }));
}

fn idle() -> Drive {
    Drive::new(&preset("performance-optimized", &[]), &DriveOptions::default()).unwrap()
}

#[test]
fn what_cannot_be_is_refused_and_leaves_no_trace() {
    let mut drive = idle();
    let capacity = drive.sectors();
    drive.advance_to(Time::from_us(5)).unwrap();
    let now = Time::from_us(5);
    let past = drive.submit(Time::from_us(4), Wanted::read(0, 8), 0).unwrap_err();
    assert_eq!(past, SubmitError::Past { at: Time::from_us(4), now });
    assert_eq!(drive.submit(now, Wanted::read(0, 0), 0), Err(SubmitError::Empty));
    for lba in [capacity - 7, capacity, u64::MAX] {
        assert_eq!(
            drive.submit(now, Wanted::write(lba, 8), 0),
            Err(SubmitError::Outside { lba, sectors: 8, capacity })
        );
    }
    assert_eq!(drive.submit(Time::MAX, Wanted::read(0, 8), 0), Err(SubmitError::Late(Time::MAX)));
    assert!(matches!(drive.advance_to(Time::from_us(4)), Err(RunError::Config(_))));
    assert!(matches!(drive.advance_to(Time::MAX), Err(RunError::Config(_))));
    assert_eq!((drive.outstanding(), drive.next_event_time(), drive.now()), (0, None, now));
    drive.submit(now, Wanted::read(capacity - 8, 8), 3).unwrap();
    assert!(drive.advance_to_completion(Time::LATEST).unwrap());
    assert_eq!(drive.completions().map(|done| done.tag).collect::<Vec<_>>(), [3]);
}

#[test]
fn requests_may_be_submitted_out_of_order_and_time_waits_for_limits() {
    let mut drive = idle();
    for (us, tag) in [(300, 3), (100, 1), (200, 2)] {
        drive.submit(Time::from_us(us), Wanted::read(8 * us, 8), tag).unwrap();
    }
    assert!(!drive.advance_to_completion(Time::from_us(100)).unwrap());
    assert_eq!((drive.now(), drive.outstanding()), (Time::from_us(100), 3));
    drive.submit(Time::from_us(100), Wanted::read(0, 8), 0).unwrap();
    drive.advance_to(Time::from_us(1000)).unwrap();
    assert_eq!(drive.completions().map(|done| done.tag).collect::<Vec<_>>(), [1, 0, 2, 3]);
    let report = drive.report();
    assert_eq!(report.measures.requests.completed, 4);
}

#[test]
fn several_flows_are_refused() {
    let flow =
        "[[flow]]\nname = \"NAME\"\nsynthetic = { requests = 1, read_share = 1.0, size = \"4KiB\", queue_depth = 1 }\n";
    let text = format!("name = \"two\"\n{}{}", flow.replace("NAME", "a"), flow.replace("NAME", "b"));
    let workload = load_workload("two.toml", Some(&text), &[]).unwrap();
    let two =
        Drive::prepared_for(&design(SMALL, &[]), &workload, vec![None, None], &DriveOptions::default(), &mut |_| true);
    let Err(RunError::Config(problem)) = two else { panic!("two flows were taken") };
    assert!(problem.contains("got 2 flows, expected one"), "{problem}");
}
