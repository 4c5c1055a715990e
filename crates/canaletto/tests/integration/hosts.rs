use crate::common::{preset, refusal, simulate, synthetic};
use canaletto::config::load_workload;
use canaletto::config::workload::Workload;
use canaletto::measure::blame::Cause;

const FAST: [&str; 5] = [
    "flash.read=100ns",
    "fabric.link_rate=100GB/s",
    "ftl.mapping=page",
    "fabric.kind=ideal",
    "fabric.interface=nv-ddr3",
];

fn fast<'a>(overrides: &[&'a str]) -> Vec<&'a str> {
    FAST.iter().chain(overrides).copied().collect()
}

fn bandwidth(overrides: &[&str], workload: &str) -> f64 {
    let outcome = simulate(&preset("performance-optimized", &fast(overrides)), &synthetic(workload));
    outcome.report.measures.bandwidth_mb_s.unwrap()
}

const LARGE_READS: &str =
    "requests = 1000\nread_share = 1.0\nsize = \"128KiB\"\nalignment = \"128KiB\"\nqueue_depth = 64";

/// The data rate, less what each packet adds and 16 B of completion.
#[test]
fn a_link_carries_what_its_generation_and_payload_allow() {
    // GB/s of a lane: PCI Express Base 6.0 §4.2.
    let generations = [("gen3", 0.984615), ("gen4", 1.969231), ("gen5", 3.938462)];
    for (generation, lane) in generations {
        for (payload, width) in [(128.0, 4.0), (256.0, 4.0), (512.0, 2.0)] {
            let keys = [
                format!("link.lane_rate={generation}"),
                format!("link.max_payload={payload}B"),
                format!("link.lanes={width}"),
            ];
            let measured = bandwidth(&keys.each_ref().map(String::as_str), LARGE_READS);
            let size = 131072.0;
            let bytes = size / payload * (payload + 28.0) + 44.0 + 32.0;
            let expected = size / bytes * lane * width * 1e3;
            assert!(
                measured < expected * 1.001 && measured > expected * 0.99,
                "{generation} x{width}, {payload} B: {measured} MB/s, expected {expected}"
            );
        }
    }
}

#[test]
fn flits_hold_236_bytes_of_packets() {
    for (generation, raw) in [("gen6", 8e3), ("gen7", 16e3)] {
        let generation = format!("link.lane_rate={generation}");
        let measured = bandwidth(&[&generation, "link.lanes=1", "link.max_payload=256B"], LARGE_READS);
        let expected = raw * 236.0 / 256.0 * 256.0 / 272.0;
        assert!((measured / expected - 1.0).abs() < 0.01, "{generation}: {measured} MB/s, expected {expected}");
    }
}

fn flows(flows: &[(&str, u32, &str)]) -> Workload {
    let each = flows.iter().enumerate().map(|(i, (priority, requests, more))| {
        format!(
            "[[flow]]\nname = \"{i}\"\npriority = \"{priority}\"\n[flow.synthetic]\nrequests = {requests}\nread_share = 1.0\n\
             size = \"4KiB\"\n{more}\n"
        )
    });
    let text = format!("name = \"flows\"\n{}", each.collect::<String>());
    load_workload("flows.toml", Some(&text), &[]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn weighted_round_robin_shares_by_weight() {
    let weights = [
        "host.command_limit=16",
        "host.arbitration.method=weighted",
        "host.arbitration.high=8",
        "host.arbitration.medium=4",
        "host.arbitration.low=1",
        "scheduler.priorities=false",
    ];
    let deep = "queue_depth = 128";
    for queues in ["host.queues_per_flow=1", "host.queues_per_flow=3"] {
        let overrides: Vec<_> = weights.iter().copied().chain([queues]).collect();
        let workload = flows(&[("high", 16_000, deep), ("medium", 8_000, deep), ("low", 2_000, deep)]);
        let outcome = simulate(&preset("performance-optimized", &overrides), &workload);
        let ends = outcome.report.flows.iter().map(|flow| flow.measures.execution_time_us.unwrap()).collect::<Vec<_>>();
        let (first, last) = (ends.iter().copied().fold(f64::MAX, f64::min), ends.iter().copied().fold(0.0, f64::max));
        assert!(first > 0.99 * last, "{ends:?}");
    }
}

#[test]
fn urgent_queues_starve_the_others() {
    let overrides = ["host.command_limit=8", "host.arbitration.method=weighted", "scheduler.priorities=false"];
    let workload = flows(&[("urgent", 4_000, "queue_depth = 64"), ("high", 4_000, "queue_depth = 64")]);
    let outcome = simulate(&preset("performance-optimized", &overrides), &workload);
    let ends: Vec<_> = outcome.report.flows.iter().map(|flow| flow.measures.execution_time_us.unwrap()).collect();
    // Only the first commands, taken before the doorbells of the first rang again.
    assert!(ends[0] < 0.52 * ends[1], "{ends:?}");
}

#[test]
fn flows_know_whom_they_waited_for() {
    let one_plane = [
        "geometry.channels=1",
        "geometry.chips_per_channel=1",
        "geometry.planes_per_die=1",
        "flash.multi_plane=off",
        "scheduler.priorities=false",
    ];
    let workload = flows(&[("high", 1000, "queue_depth = 1"), ("high", 8000, "queue_depth = 8")]);
    let report = simulate(&preset("performance-optimized", &one_plane), &workload).report;
    let waits = |flow: usize| {
        let flow = &report.flows[flow];
        let by = flow.chip_busy_by_flow_us.as_ref().unwrap();
        (by["0"], by["1"], flow.measures.blame_us.all[Cause::ChipBusyUser.key()])
    };
    let (own, other, all) = waits(0);
    assert_eq!(own, 0.0, "one request at a time");
    assert!(other <= all && other > 0.9 * all, "{other} of {all} us");
    let (other, own, all) = waits(1);
    assert!(own + other <= all && own + other > 0.9 * all, "{own} and {other} of {all} us");
    assert!(own > 5.0 * other, "nine requests take turns, eight of them its own: {own} and {other} us");
    let alone = simulate(&preset("performance-optimized", &one_plane), &synthetic(ONE)).report;
    assert!(alone.flows[0].chip_busy_by_flow_us.is_none());
}

#[test]
fn old_pages_are_read_for_the_flow_that_writes() {
    let reads = "[[flow]]\nname = \"reader\"\n[flow.synthetic]\nrequests = 300\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1";
    let writes = "[[flow]]\nname = \"writer\"\n[flow.synthetic]\nrequests = 600\nread_share = 0.0\nsize = \"1KiB\"\nqueue_depth = 4";
    let workload = load_workload("flows.toml", Some(&format!("name = \"flows\"\n{reads}\n{writes}")), &[]);
    let one_plane = ["geometry.channels=1", "geometry.chips_per_channel=1", "geometry.planes_per_die=1"];
    let report =
        simulate(&preset("performance-optimized", &one_plane), &workload.unwrap_or_else(|e| panic!("{e}"))).report;
    let by = report.flows[0].chip_busy_by_flow_us.as_ref().unwrap();
    assert_eq!(by["reader"], 0.0, "one request at a time");
    assert!(by["writer"] > 0.0);
}

fn alone(overrides: &[&str], size: &str) -> f64 {
    let keys = format!("requests = 1\nread_share = 1.0\nsize = \"{size}\"\nalignment = \"{size}\"\nqueue_depth = 1");
    let outcome = simulate(&preset("performance-optimized", overrides), &synthetic(&keys));
    outcome.report.measures.latency_us.all.mean.unwrap() * 1e6
}

#[test]
fn software_and_interrupts_add_their_time() {
    let without = alone(&[], "4KiB");
    let software = alone(&["host.submit_time=2us", "host.complete_time=3us"], "4KiB");
    assert!((software - without - 5e6).abs() < 1.0, "{software} after {without}");
    let waiting = alone(&["host.interrupts.threshold=2", "host.interrupts.time=70us"], "4KiB");
    assert!((waiting - without - 70e6).abs() < 1.0, "{waiting} after {without}");
}

#[test]
fn interrupts_on_their_way_occupy_no_core() {
    let host = &["host.submit_time=2us", "host.complete_time=3us", "host.interrupt_latency=40us"];
    let without = alone(&host[..2], "4KiB");
    assert!((alone(host, "4KiB") - without - 40e6).abs() < 1.0, "after {without}");
    let keys = "requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64";
    let rate = |overrides: &[&str]| {
        let outcome = simulate(&preset("performance-optimized", overrides), &synthetic(keys));
        outcome.report.measures.iops.unwrap()
    };
    for iops in [rate(host), rate(&host[..2])] {
        assert!((iops / 200e3 - 1.0).abs() < 0.02, "{iops}: 5 us of a core for each request");
    }
}

/// A request of 32 B up, 8 (n - 1) bytes and one packet's overhead down, at 8 GB/s.
#[test]
fn a_list_of_host_pages_costs_a_round_trip() {
    let cost = |size| alone(&["host.prp_lists=true"], size) - alone(&[], size);
    assert_eq!(cost("8KiB"), 0.0, "two pages fit the command");
    let expected = (28.0 + 4.0 + 15.0 * 8.0 + 28.0) / 8e9 * 1e12;
    assert!((cost("64KiB") - expected).abs() < 1.0, "{}, expected {expected}", cost("64KiB"));
}

#[test]
fn zeroes_do_not_cross_the_link() {
    let writes = |zeroes: f64| {
        let keys = format!(
            "requests = 500\nread_share = 0.0\nwrite_zeroes_share = {zeroes}\nsize = \"64KiB\"\nqueue_depth = 4"
        );
        simulate(&preset("performance-optimized", &[]), &synthetic(&keys)).report
    };
    let (data, zeroes) = (writes(0.0), writes(1.0));
    assert_eq!(data.flash.programs, zeroes.flash.programs, "they are written all the same");
    assert_eq!((data.measures.requests.bytes, zeroes.measures.requests.bytes), (500 * 65536, 0));
}

const SATA: &str = "host.protocol=sata";

/// Per transfer: a setup, 16 frames of 8 KiB with 4 B of header and 32 B of primitives each; then the completion.
#[test]
fn serial_ata_carries_what_its_frames_allow() {
    for (generation, rate) in [(1, 150.0), (2, 300.0), (3, 600.0)] {
        let measured = bandwidth(&[SATA, &format!("host.sata.generation={generation}")], LARGE_READS);
        let frame = |bytes: f64| bytes + 32.0;
        let bytes = 16.0 * frame(8196.0) + frame(28.0) + frame(8.0) + 2.0 * frame(20.0);
        let expected = 131072.0 / bytes * rate;
        assert!((measured / expected - 1.0).abs() < 0.01, "{measured} MB/s, expected {expected}");
    }
}

/// Nothing waits for the acknowledgement but the data of the shortest read.
#[test]
fn an_unloaded_read_over_serial_ata() {
    let nvme = simulate(&preset("performance-optimized", &[]), &synthetic(ONE)).report.measures.blame_us;
    let sata = simulate(&preset("performance-optimized", &[SATA]), &synthetic(ONE)).report.measures.blame_us;
    let us = |bytes: f64| (bytes + 32.0) / 600.0;
    assert!((sata.all[Cause::HostLink.key()] - us(20.0) - us(28.0) - us(4100.0)).abs() < 1e-6, "{:?}", sata.all);
    assert!((sata.all[Cause::Completion.key()] - us(8.0)).abs() < 1e-6);
    assert_eq!(sata.all[Cause::ArrayRead.key()], nvme.all[Cause::ArrayRead.key()]);
}

const UCIE: [&str; 4] = ["host.protocol=memory", "link.kind=ucie", "link.lanes=64", "link.lane_rate=1GB/s"];
const PINS: [&str; 4] = ["host.protocol=memory", "link.kind=hbm", "link.lanes=64", "link.lane_rate=1GB/s"];

/// UCIe: 16 B of address, then the data of a read, or 16 B, the data and an answer of 16 B. DRAM stack: data alone.
/// Each message has the link's latency.
#[test]
fn an_unloaded_access_takes_its_packets() {
    let ns = |bytes: f64| bytes / 64.0;
    for (keys, request) in [(UCIE, ns(16.0)), (PINS, 0.0)] {
        let keys = [&keys[..], &["link.latency=20ns"]].concat();
        let blame = |share: &str| {
            let one = ONE.replace("read_share = 1.0", share);
            simulate(&preset("performance-optimized", &keys), &synthetic(&one)).report.measures.blame_us
        };
        let (read, write) = (blame("read_share = 1.0"), blame("read_share = 0.0"));
        let us = |ns: f64| ns / 1e3;
        let link = us(request + ns(4096.0) + 40.0);
        assert!((read.all[Cause::HostLink.key()] - link).abs() < 1e-6, "{:?}", read.all);
        assert!((write.all[Cause::HostLink.key()] - link + us(20.0)).abs() < 1e-6, "{:?}", write.all);
        assert!((write.all[Cause::Completion.key()] - us(request + 20.0)).abs() < 1e-6, "{:?}", write.all);
        assert_eq!(read.all.get(Cause::Completion.key()), None, "the data are the answer");
    }
}

#[test]
fn a_read_of_64_bytes_moves_64_bytes() {
    let keys = [&UCIE[..], &["fabric.link_rate=1GB/s"]].concat();
    let read = |bytes: u64| {
        let one = ONE.replace("size = \"4KiB\"", &format!("size = \"{bytes}B\""));
        let report = simulate(&preset("performance-optimized", &keys), &synthetic(&one)).report;
        assert_eq!(report.measures.requests.bytes, bytes);
        report.measures.latency_us.all.mean.unwrap()
    };
    let sector = read(512);
    for bytes in [64, 128, 256] {
        let less = (512 - bytes) as f64;
        let saved_us = (less / 64.0 + less) / 1e3;
        assert!((sector - read(bytes) - saved_us).abs() < 1e-6, "{bytes} B save {}", sector - read(bytes));
    }
}

#[test]
fn directions_share_the_pins_of_a_dram_stack() {
    let mixed = LARGE_READS.replace("read_share = 1.0", "read_share = 0.5");
    let no_programs = ["flash.program=100ns", "link.lane_rate=10MB/s"];
    let bandwidth = |keys: [&str; 4]| bandwidth(&[&keys[..], &no_programs].concat(), &mixed);
    let (both, one) = (bandwidth(UCIE), bandwidth(PINS));
    assert!((one / 640.0 - 1.0).abs() < 0.01, "{one} MB/s over 640 MB/s of pins");
    assert!(both > 1.7 * one, "{both} MB/s over two directions, {one} MB/s over shared pins");
}

#[test]
fn a_memory_takes_as_many_accesses_as_it_has_room_for() {
    let waited = |limit: &str| {
        let keys = [&UCIE[..], &[limit]].concat();
        let deep = "requests = 2000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64";
        let outcome = simulate(&preset("performance-optimized", &keys), &synthetic(deep));
        outcome.report.measures.blame_us.all.get(Cause::HostQueue.key()).copied().unwrap_or(0.0)
    };
    assert_eq!(waited("host.command_limit=64"), 0.0);
    assert!(waited("host.command_limit=16") > 10.0);
}

#[test]
fn links_and_protocols_that_do_not_fit_are_refused() {
    for (keys, text) in [
        (
            &["link.kind=hbm"][..],
            "link.kind: got \"hbm\" with host.protocol = \"nvme\", expected host.protocol = \"memory\"",
        ),
        (&["link.lanes=64"], "link.lanes: got 64, expected from 1 to 32 with link.kind = \"pcie\""),
        (&["host.protocol=memory", "attachment.kind=sbsp"], "host.protocol: got \"memory\" with attachment sbsp"),
    ] {
        let problem = refusal(None, keys);
        assert!(problem.contains(text), "{problem}");
    }
}

const ONE: &str = "requests = 1\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1";

#[test]
fn a_serial_ata_drive_queues_32_commands() {
    let deep = |depth: u32| format!("requests = 2000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = {depth}");
    let waited = |depth| {
        let outcome = simulate(&preset("cost-optimized", &[SATA]), &synthetic(&deep(depth)));
        outcome.report.measures.blame_us.all.get(Cause::HostQueue.key()).copied().unwrap_or(0.0)
    };
    assert_eq!(waited(32), 0.0);
    assert!(waited(64) > 10.0);
}

#[test]
fn commands_that_are_not_queued_drain_the_drive() {
    let keys =
        "requests = 3000\nread_share = 0.5\ntrim_share = 0.1\nflush_share = 0.1\nsize = \"4KiB\"\nqueue_depth = 64";
    for overrides in [&[SATA][..], &[SATA, "cache.capacity=1MiB", "cache.mode=write"]] {
        let report = simulate(&preset("performance-optimized", overrides), &synthetic(keys)).report;
        assert_eq!(report.measures.requests.completed, 3000);
        assert!(report.measures.blame_us.all[Cause::HostQueue.key()] > 10.0, "a queue of 32 that is often empty");
    }
}

/// Numbers of 16 bits, as NVM Express allows.
#[test]
fn thousands_of_queues_hold_what_is_outstanding() {
    let many = ["host.queues_per_flow=5000", "host.fetch_limit=1"];
    let reads = "requests = 10000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 10000";
    let all = simulate(&preset("performance-optimized", &many), &synthetic(reads));
    let few = simulate(&preset("performance-optimized", &many[1..]), &synthetic(reads));
    assert_eq!(all.report.measures.requests.completed, 10_000);
    assert!(all.report.measures.iops.unwrap() > 2.0 * few.report.measures.iops.unwrap());

    let two = flows(&[("medium", 9, "queue_depth = 1"), ("medium", 9, "queue_depth = 1")]);
    let design = preset("performance-optimized", &["host.queues_per_flow=40000"]);
    let run = canaletto::run(&design, &two, vec![None, None], &Default::default(), &mut |_| true);
    let refused = run.err().expect("80,000 are too many").to_string();
    assert!(refused.contains("got 40000 for each of 2 flows, expected at most 65535"), "{refused}");
}
