mod failed;

use crate::common::{WIRES_LIMIT, preset, simulate, synthetic};
use canaletto::Simulation;
use canaletto::engine::time::Time;
use canaletto::measure::blame::Cause;
use canaletto::measure::timeline::Windows;

/// On 8 GB/s: packets of 128 B with 28 B of overhead.
fn link_ns(bytes: u64) -> f64 {
    let packets = bytes.div_ceil(128);
    (bytes + packets * 28) as f64 / 8.0
}

/// Doorbell, fetch request, entry, command (tCS + 6 tWC on the bus; tWB + tRR in the chip), tR, data at 1.2 GB/s, data
/// and completion on the link.
#[test]
fn unloaded_read_latency() {
    let design = preset("performance-optimized", &[]);
    let workload = synthetic("requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let outcome = simulate(&design, &workload);
    let host = link_ns(2) + (28.0 + 4.0) / 8.0 + link_ns(64);
    let flash = 170.0 + 120.0 + 3000.0 + 4096.0 / 1.2;
    let back = link_ns(4096) + link_ns(16);
    let expected = host + flash + back;
    let latency = &outcome.report.measures.latency_us.all;
    // The doorbell waits behind the previous completion's.
    let with_doorbell = expected + link_ns(2);
    assert!((latency.min.unwrap() * 1e3 - expected).abs() < 0.1, "{latency:?} expected {expected}");
    assert!((latency.max.unwrap() * 1e3 - with_doorbell).abs() < 0.1, "{latency:?} expected {with_doorbell}");
}

#[test]
fn a_closed_loop_that_thinks() {
    let design = preset("performance-optimized", &[]);
    let keys = "requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1\nthink_time = \"50us\"";
    let outcome = simulate(&design, &synthetic(keys));
    let mean_us = outcome.report.measures.latency_us.all.mean.unwrap();
    let expected_us = 200.0 * mean_us + 199.0 * 50.0;
    let found_us = outcome.report.measures.execution_time_us.unwrap();
    assert!((found_us - expected_us).abs() < 0.01, "{found_us} {expected_us}");
}

#[test]
fn unloaded_write_latency() {
    let design = preset("performance-optimized", &["ftl.unwritten_reads=zeroes"]);
    let workload = synthetic("requests = 200\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let outcome = simulate(&design, &workload);
    let host = link_ns(2) + 32.0 / 8.0 + link_ns(64) + 32.0 / 8.0 + link_ns(4096);
    // Program: tCS + 6 tWC + tWPST + tWPSTH on the wires, tADL + tWB in the chip.
    let flash = 20.0 + 150.0 + 6.0 + 15.0 + 4096.0 / 1.2 + 70.0 + 100.0 + 100_000.0;
    let expected = host + flash + link_ns(16);
    let latency = &outcome.report.measures.latency_us.all;
    assert!((latency.min.unwrap() * 1e3 - expected).abs() < 0.1, "{latency:?} expected {expected}");
}

/// The link and one DRAM transfer (tRCD + tCL, 4 KiB at 12.8 GB/s).
#[test]
fn unloaded_latency_of_the_cache() {
    let design = preset("performance-optimized", &["cache.capacity=64MiB"]);
    let workload = synthetic(
        "requests = 4000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 1\nworking_set = 0.00001\naddresses = \"uniform\"",
    );
    let outcome = simulate(&design, &workload);
    let dram = 13.75 + 13.75 + 4096.0 / 12.8;
    let entry = 2.0 * link_ns(2) + 32.0 / 8.0 + link_ns(64);
    let write = entry + 32.0 / 8.0 + link_ns(4096) + dram + link_ns(16);
    let read = entry + dram + link_ns(4096) + link_ns(16);
    let latency = &outcome.report.measures.latency_us;
    assert!((latency.write.max.unwrap() * 1e3 - write).abs() < 0.1, "{latency:?}, expected {write}");
    assert!((latency.read.p50.unwrap() / (read / 1e3) - 1.0).abs() < 2e-3, "{latency:?}, expected {read}");
    let reads = &outcome.report.cache.as_ref().unwrap().counts.reads;
    assert!(reads.hits > 1000 && reads.misses > 0, "{reads:?}");
}

#[test]
fn a_full_write_buffer_writes_at_the_speed_of_flash() {
    let geometry = ["geometry.channels=2", "geometry.chips_per_channel=2", "ftl.unwritten_reads=zeroes"];
    let run = |requests: u32, capacity: &str| {
        let capacity = format!("cache.capacity={capacity}");
        let design = preset("performance-optimized", &[&geometry[..], &[capacity.as_str()]].concat());
        let workload = synthetic(&format!(
            "requests = {requests}\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 256\naddresses = \"sequential\""
        ));
        simulate(&design, &workload).report
    };
    // A program of both planes takes 100 us and its command.
    let flash = 8.0 * 4096.0 / 100.0;
    let (burst, sustained, without) = (run(900, "4MiB"), run(20_000, "4MiB"), run(20_000, "0B"));
    assert!(!burst.measures.blame_us.all.contains_key("write_buffer"));
    assert!(burst.measures.bandwidth_mb_s.unwrap() > 10.0 * flash, "{:?}", burst.measures.bandwidth_mb_s);
    let (sustained, without) = (sustained.measures.bandwidth_mb_s.unwrap(), without.measures.bandwidth_mb_s.unwrap());
    assert!(without < flash && without > 0.85 * flash, "{without} of {flash} MB/s");
    let expected = without * 20_000.0 / (20_000.0 - 1024.0);
    assert!((sustained / expected - 1.0).abs() < 0.03, "{sustained}, expected {expected} MB/s");
}

/// The host link, then the buses, then the arrays.
#[test]
fn saturation_bandwidth() {
    let workload =
        synthetic("requests = 20000\nread_share = 1.0\nsize = \"64KiB\"\nalignment = \"64KiB\"\nqueue_depth = 256");
    let bandwidth = |overrides: &[&str]| {
        let outcome = simulate(&preset("performance-optimized", overrides), &workload);
        outcome.report.measures.bandwidth_mb_s.unwrap()
    };
    let link = 65536.0 / link_ns(65536) * 1e3;
    let measured = bandwidth(&[]);
    assert!(measured < link && measured > 0.985 * link, "{measured} of {link} MB/s");
    // Each page also takes its share of a command: 320 ns on the bus for two planes, 170 ns for one.
    let measured = bandwidth(&["link.lanes=32"]);
    let (best, worst) = (8.0 * 4096e3 / (4096.0 / 1.2 + 160.0), 8.0 * 4096e3 / (4096.0 / 1.2 + 170.0));
    // Chips sometimes wait for their next command while others send.
    assert!(measured < best && measured > 0.95 * worst, "{measured}, buses give {worst} to {best} MB/s");
    // Each plane takes 3 us, command and data.
    let measured = bandwidth(&["link.lanes=32", "link.lane_rate=8GB/s", "fabric.link_rate=100GB/s"]);
    let arrays = 128.0 * 4096e3 / 3000.0;
    assert!(measured < arrays && measured > 0.3 * arrays, "{measured} of {arrays} MB/s");
}

#[test]
fn one_hot_chip_waits_for_itself() {
    let design = preset("performance-optimized", &["geometry.channels=1", "geometry.chips_per_channel=1"]);
    let workload = synthetic("requests = 5000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 16");
    let outcome = simulate(&design, &workload);
    let measures = &outcome.report.measures;
    assert_eq!(measures.path_conflicts.free_request_share, Some(1.0));
    assert!(measures.blame_us.all[Cause::ChipBusyUser.key()] > 10.0);
    // Both planes together need at least tR + 2 × data + command per pair.
    let pair_us = (320.0 + 120.0 + 500.0 + 3000.0 + 2.0 * 4096.0 / 1.2) / 1e3;
    assert!(measures.iops.unwrap() < 2.0 / pair_us * 1e6 * 1.35 && measures.iops.unwrap() > 0.8 / pair_us * 1e6);
}

/// Each page takes its command, the longer of array and data, and the move between the registers.
#[test]
fn cached_reads_overlap_with_data() {
    const PLANE: [&str; 4] = [
        "geometry.channels=1",
        "geometry.chips_per_channel=1",
        "geometry.planes_per_die=1",
        "fabric.transfer_order=commands-first",
    ];
    let period = |more: &[&str]| {
        let time = |requests: u32| {
            let workload =
                synthetic(&format!("requests = {requests}\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 16"));
            let report = simulate(&preset("performance-optimized", &[&PLANE[..], more].concat()), &workload).report;
            report.measures.execution_time_us.unwrap() * 1e3
        };
        (time(2000) - time(1000)) / 1000.0
    };
    let command = 170.0;
    for (rate, busy) in [("1.2GB/s", 0.0), ("1.2GB/s", 3000.0), ("400MB/s", 500.0), ("9.6GB/s", 1000.0)] {
        let data = 4096.0 / rate[..3].parse::<f64>().unwrap() * if rate.ends_with("MB/s") { 1e3 } else { 1.0 };
        let array = 120.0 + 3000.0;
        let (rate, busy_key) = (format!("fabric.link_rate={rate}"), format!("flash.cache_read_busy={busy}ns"));
        let measured = period(&[&rate, "flash.cache_read=true", &busy_key]);
        let expected = command + f64::max(array, data) + busy;
        assert!((measured - expected).abs() < 0.01, "{rate}, {busy} ns: {measured} ns, expected {expected}");
        let measured = period(&[&rate]);
        let expected = command + array + data;
        assert!((measured - expected).abs() < 0.01, "{rate}, one register: {measured} ns, expected {expected}");
    }
}

/// An M/D/1 queue: the mean wait is ρ s / (2 (1 - ρ)).
#[test]
fn poisson_arrivals_at_one_plane_wait_as_md1() {
    let overrides = [
        "geometry.channels=1",
        "geometry.chips_per_channel=1",
        "geometry.planes_per_die=1",
        "fabric.link_rate=1TB/s",
        "flash.multi_plane=off",
        "link.lanes=32",
        "link.lane_rate=100GB/s",
    ];
    let design = preset("performance-optimized", &overrides);
    // Service: command 170 ns, tWB + tRR 120 ns, tR 3000 ns, data 4.1 ns.
    let service = 3.2941;
    // Waits vary more, and for longer, the higher the load.
    for (load, requests) in [(0.3, 100_000), (0.6, 150_000), (0.8, 400_000)] {
        let gap_ns = (service / load * 1e3) as u64;
        let keys = format!("requests = {requests}\nread_share = 1.0\nsize = \"4KiB\"\ninter_arrival = \"{gap_ns}ns\"");
        let outcome = simulate(&design, &synthetic(&keys));
        let wait = outcome.report.measures.blame_us.all[Cause::ChipBusyUser.key()];
        let expected = load * service / (2.0 * (1.0 - load));
        assert!((wait - expected).abs() < 0.03 * expected, "load {load}: waits {wait} us, M/D/1 {expected} us");
    }
}

#[test]
fn the_controllers_inside_is_a_limit_when_it_is_one() {
    let workload = synthetic("requests = 20000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64");
    let outcome = simulate(&preset("performance-optimized", &["controller.dram=1GB/s"]), &workload);
    let measured = outcome.report.measures.bandwidth_mb_s.unwrap();
    assert!(measured < 1000.0 && measured > 995.0, "{measured}");
    let outcome = simulate(&preset("performance-optimized", &["controller.firmware_per_request=5us"]), &workload);
    let measured = outcome.report.measures.iops.unwrap();
    assert!(measured < 200_000.0 * 1.001 && measured > 199_000.0, "{measured}");
}

#[test]
fn dies_interleave() {
    let workload = synthetic("requests = 4000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16");
    let iops = |interleave: &str| {
        let overrides = [
            "geometry.channels=1",
            "geometry.chips_per_channel=1",
            "geometry.dies_per_chip=2",
            "geometry.planes_per_die=1",
            "ftl.unwritten_reads=zeroes",
            interleave,
        ];
        simulate(&preset("performance-optimized", &overrides), &workload).report.measures.iops.unwrap()
    };
    let (both, one) = (iops("flash.die_interleaving=true"), iops("flash.die_interleaving=false"));
    assert!(both > 1.9 * one && both < 2.05 * one, "{both} against {one}");
}

/// With eight chips the way there and back is seven hops in a ring, and as long on average in a daisy chain.
#[test]
fn unloaded_reads_of_a_chain_take_its_hops() {
    let mean = |kind: &str, chips: u32| {
        let keys = [format!("fabric.kind={kind}"), format!("geometry.chips_per_channel={chips}")];
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let workload = synthetic("requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
        simulate(&preset("performance-optimized", &keys), &workload).report.measures.latency_us.all.mean.unwrap() * 1e3
    };
    let difference = (170.0 + 4096.0 / 1.2) - (20.0 + 8.0 / 1.2 + (5.0 + 4096.0) / 1.2);
    for kind in ["daisy-chain", "ring"] {
        assert!((mean("bus", 1) - mean(kind, 1) - difference).abs() < 0.1, "{kind}");
    }
    let ring = mean("bus", 8) - mean("ring", 8) - difference;
    assert!((ring + 70.0).abs() < 0.1, "{ring}");
    // Five standard deviations of the mean of twice a column from 0 to 7.
    let chain = mean("bus", 8) - mean("daisy-chain", 8) - difference;
    assert!((chain + 70.0).abs() < 5.0 * 46.0 / 4000f64.sqrt(), "{chain}");
}

/// Eight dies where four have the full rate, then behind buffers, which leave two pads.
#[test]
fn more_dies_cost_a_bus_its_rate() {
    let gb_s = |keys: &[&str]| {
        let one = ["geometry.channels=1", "flash.read=100ns", "fabric.command_time=1ns", "fabric.link_rate=1GB/s"];
        let workload = synthetic("requests = 2000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 64");
        let design = preset("performance-optimized", &[&one[..], keys].concat());
        simulate(&design, &workload).report.measures.bandwidth_mb_s.unwrap() / 1e3
    };
    let (full, loaded) = (gb_s(&[]), gb_s(&["fabric.load.full_rate_dies=4"]));
    assert!((full - 1.0).abs() < 0.01 && (loaded - 0.5).abs() < 0.005, "{full} {loaded}");
    let buffered =
        gb_s(&["fabric.load.full_rate_dies=4", "fabric.load.dies_per_buffer=4", "fabric.load.buffer_delay=4ns"]);
    // A page of 4,096 ns with a command of 1 ns; each takes 4 ns through the buffer.
    let expected = 4096.0 / (4096.0 + 1.0 + 2.0 * 4.0);
    assert!((buffered - expected).abs() < 0.005, "{buffered} {expected}");
}

#[test]
fn unloaded_read_latency_of_each_fabric() {
    let latency = |fabric: &str| {
        let workload = synthetic("requests = 50\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
        let at_once = ["fabric.omnibus.control.delay=0ns", "fabric.omnibus.control.rate=1000GB/s"];
        let kind = format!("fabric.kind={fabric}");
        let overrides = [&[&*kind], &at_once[..]].concat();
        simulate(&preset("performance-optimized", &overrides), &workload).report.measures.latency_us.all.min.unwrap()
            * 1e3
    };
    let bus = latency("bus");
    assert_eq!(latency("ideal"), bus);
    // Bus: 20 + 150 ns of command and 4096 B at 1.2 GB/s; packets: 20 ns, 8 flits, 2 + 4 + 4096 flits at 2.4 GB/s.
    let difference = (170.0 + 4096.0 / 1.2) - (20.0 + 8.0 / 2.4 + (2.0 + 4.0 + 4096.0) / 2.4);
    assert!((bus - latency("packetized") - difference).abs() < 0.1);
    // Separate command pins: 20 ns, then seven packets of six transfers at 400 MT/s.
    assert!((bus - latency("sca") - (170.0 - (20.0 + 7.0 * 6.0 / 0.4))).abs() < 0.1);
    // Omnibus: the same packets on eight pins, over the row's bus. Split: two packets of half the page side by side, each
    // with header and request.
    let command = 20.0 + 8.0 / 1.2;
    let difference = (170.0 + 4096.0 / 1.2) - (command + (5.0 + 4096.0) / 1.2);
    assert!((bus - latency("omnibus") - difference).abs() < 0.1);
    let difference = (170.0 + 4096.0 / 1.2) - (command + (5.0 + 2048.0) / 1.2);
    assert!((bus - latency("omnibus-split") - difference).abs() < 0.1);
}

/// The row's bus carries the first 1029 of 4101 flits and one more chunk, the column's two. Before these come a message
/// of 5 ns (for seven of eight chips), four flits, tCCS and a header.
#[test]
fn unloaded_pages_are_split_late() {
    let workload = synthetic("requests = 400\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let run = |late: &str| simulate(&preset("performance-optimized", &["fabric.kind=omnibus", late]), &workload);
    let outcome = run("fabric.omnibus.late_split=1KiB");
    let blame = &outcome.records.as_ref().unwrap().blame;
    let each = |cause: Cause| blame[cause as usize].iter().copied().collect::<std::collections::BTreeSet<_>>();
    let flits = |count: f64| (count / 1.2 * 1e3).ceil() as u64;
    let end = flits(4.0) + 300_000 + flits(3.0) + 2 * flits(1024.0);
    assert!(end > flits(4101.0) - 2 * flits(1024.0), "the column's bus is the last");
    assert_eq!(each(Cause::DataTransfer), [end, end + 5_000].into());
    assert_eq!(each(Cause::PathReservation), [0].into());
    let whole = run("fabric.omnibus.late_split=4KiB");
    assert_eq!(whole.records.unwrap().blame[Cause::DataTransfer as usize][0], flits(2.0) + flits(4099.0));
}

/// Two messages, for seven of eight chips.
#[test]
fn unloaded_halves_wait_for_controllers_to_agree() {
    let reservation = |fabric: &str| {
        // A message of 8 bytes takes 2 ns over 32 wires.
        let overrides = [&format!("fabric.kind={fabric}"), "fabric.omnibus.control.delay=98ns"];
        let workload = synthetic("requests = 4000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
        let outcome = simulate(&preset("performance-optimized", &overrides), &workload);
        outcome.report.measures.blame_us.all.get(Cause::PathReservation.key()).map_or(0.0, |us| us * 1e3)
    };
    assert_eq!(reservation("omnibus"), 0.0);
    let (mean, expected) = (reservation("omnibus-split"), 200.0 * 7.0 / 8.0);
    assert!((mean - expected).abs() < 0.02 * expected, "{mean} of {expected} ns");
}

/// A flit and a router delay per router of the row. At 1 GB/s a flit is 1 ns; a command has 8, a page 4096 and 3 of
/// header.
#[test]
fn unloaded_read_latency_of_a_mesh() {
    let workload = synthetic("requests = 300\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    for (fabric, flit) in [("mesh", 1_000), ("mesh-2bit", 4_000)] {
        let outcome = simulate(&preset("performance-optimized", &[&format!("fabric.kind={fabric}")]), &workload);
        let records = outcome.records.unwrap();
        let spent = |cause: Cause, i: usize| records.blame[cause as usize][i];
        let mut columns = [false; 8];
        for i in 0..records.len() {
            assert_eq!(spent(Cause::PathConflict, i) + spent(Cause::ChipBusyUser, i), 0);
            let routers = spent(Cause::CommandTransfer, i) - 8 * flit;
            assert_eq!(spent(Cause::DataTransfer, i), 4099 * flit + routers);
            assert_eq!(routers % (flit + 1_000), 0);
            columns[(routers / (flit + 1_000)) as usize - 1] = true;
        }
        assert_eq!(columns, [true; 8], "300 reads reach every column");
    }
}

/// 4096 of 4099 flits are payload.
#[test]
fn a_mesh_saturates_at_its_narrowest_links() {
    let link = 1000.0 * 4096.0 / 4099.0;
    let flow = |place: &str, size: &str, depth: u32| {
        let text = format!(
            "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{place}\n[flow.synthetic]\nrequests = 12000\n\
             read_share = 1.0\nsize = \"{size}\"\nalignment = \"{size}\"\nqueue_depth = {depth}\n"
        );
        canaletto::config::load_workload("hot", Some(&text), &[]).unwrap()
    };
    let measures = |workload, overrides: &[&str]| {
        let all = [&["fabric.kind=mesh", "link.lanes=32", "fabric.transfer_order=commands-first"], overrides].concat();
        simulate(&preset("performance-optimized", &all), workload).report.measures
    };
    let check = |workload, overrides: &[&str], least: f64, most: f64| {
        let measured = measures(workload, overrides).bandwidth_mb_s.unwrap();
        let (least, most) = (least * link, most * link);
        assert!(measured > least && measured <= most, "{overrides:?}: {measured}, not {least} to {most} MB/s");
    };
    let (least_loaded, alternating) = (
        ["fabric.mesh.controller=least-loaded"],
        ["fabric.mesh.controller=least-loaded", "fabric.network.controllers=alternating"],
    );
    let row = flow("channels = [0]", "4KiB", 128);
    check(&row, &[], 0.99, 1.0);
    // Of eight chips seven send over the one link west into column 0.
    check(&row, &least_loaded, 1.03, 8.0 / 7.0);
    // Six of eight send over two links, the two at the ends over none.
    check(&row, &alternating, 2.0, 8.0 / 3.0);
    let uniform = flow("", "16KiB", 256);
    check(&uniform, &[], 0.98 * 8.0, 8.0);
    // With random controllers a quarter of everything goes over one link of column 0, so four links' worth is the
    // limit.
    check(&uniform, &least_loaded, 4.0, 5.0);
    check(&uniform, &alternating, 6.0, 8.0);
    // One chip: a plane reads (3 us) while the other one's page (4.1 us) leaves over the chip's own link.
    let chip = flow("channels = [3]\nchips = [5]", "4KiB", 16);
    check(&chip, &[], 0.95, 1.0);
    assert_eq!(measures(&chip, &[]).path_conflicts.free_request_share, Some(1.0));
}

#[test]
fn the_clock_never_wraps() {
    let design = preset("performance-optimized", &["link.lane_rate=1B/s"]);
    let workload = synthetic("requests = 4000\nread_share = 1.0\nsize = \"64KiB\"\nqueue_depth = 64");
    let run = canaletto::run(&design, &workload, vec![None], &canaletto::RunOptions::default(), &mut |_| true);
    let message = run.err().expect("it cannot end").to_string();
    assert!(message.starts_with("simulated time passed 107 days"), "{message}");
}

#[test]
fn one_hot_row_saturates_its_paths() {
    let text = "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\nchannels = [0]\n[flow.synthetic]\n\
                requests = 20000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 128\n";
    let workload = canaletto::config::load_workload("hot", Some(text), &[]).unwrap();
    let outcome = |fabric: &str| {
        let kind = format!("fabric.kind={fabric}");
        // With data first all chips drain, then all read, and the bus idles meanwhile (6 % here).
        let overrides = ["link.lanes=32", "fabric.transfer_order=commands-first", &kind];
        simulate(&preset("performance-optimized", &overrides), &workload).report
    };
    let bandwidth = |fabric: &str| outcome(fabric).measures.bandwidth_mb_s.unwrap();
    let bus = 4096e3 / (4096.0 / 1.2 + 170.0);
    let measured = bandwidth("bus");
    assert!(measured < bus * 1.03 && measured > 0.97 * bus, "{measured} of {bus}");
    let packets = 4096e3 / ((2.0 + 4.0 + 4096.0) / 2.4 + 20.0 + 8.0 / 2.4);
    let measured = bandwidth("packetized");
    assert!(measured < packets * 1.01 && measured > 0.95 * packets, "{measured} of {packets}");
    // Each chip: command, array and data one after the other, two planes a time at the best.
    let one_plane = 8.0 * 4096e3 / (170.0 + 120.0 + 3000.0 + 4096.0 / 1.2);
    let measured = bandwidth("ideal");
    assert!(measured > one_plane && measured < 8.0 * 1200.0, "{measured}, {one_plane} with one plane at a time");
    assert_eq!(outcome("ideal").measures.path_conflicts.free_request_share, Some(1.0));
    assert!(outcome("bus").measures.path_conflicts.free_request_share.unwrap() < 0.5);
}

#[test]
fn command_pins_and_data_pins_saturate_apart() {
    let text = "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\nchannels = [0]\n[flow.synthetic]\n\
                requests = 20000\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 128\n";
    let workload = canaletto::config::load_workload("hot", Some(text), &[]).unwrap();
    let report = |more: &[&str]| {
        let keys = ["fabric.kind=sca", "link.lanes=32", "link.lane_rate=4GB/s", "flash.multi_plane=off"];
        simulate(&preset("performance-optimized", &[&keys[..], more].concat()), &workload).report
    };
    for order in ["fabric.transfer_order=data-first", "fabric.transfer_order=commands-first"] {
        let measured = report(&[order]).measures.bandwidth_mb_s.unwrap();
        assert!(measured < 1200.0 && measured > 0.99 * 1200.0, "{order}: {measured} MB/s");
        let measured = report(&[order, "fabric.sca.ca_rate=20MB/s", "fabric.link_rate=100GB/s"]).measures.iops.unwrap();
        let commands = 1e9 / (20.0 + 7.0 * 6.0 / 0.02);
        assert!(
            measured < commands && measured > 0.985 * commands,
            "{order}: {measured} of {commands} commands a second"
        );
    }
}

/// A hot row has its own bus and all column buses. Requests gather at the slowest chip, so other buses run dry now and
/// then.
#[test]
fn omnibus_saturates_every_bus_that_reaches_the_traffic() {
    const RATE: f64 = 0.3;
    let report = |fabric: &str, at: &str, more: &[&str]| {
        let text = format!(
            "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{at}\n[flow.synthetic]\nrequests = 20000\n\
             read_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1024\n"
        );
        let workload = canaletto::config::load_workload("hot", Some(&text), &[]).unwrap();
        let kind = format!("fabric.kind={fabric}");
        let keys = [&WIRES_LIMIT[..], &[&kind], more].concat();
        simulate(&preset("performance-optimized", &keys), &workload).report
    };
    // Request and header of five flits, twice in halves.
    let page = |flits: f64| 20.0 + (8.0 + flits) / RATE;
    let (hot_row, hot_chip) = ("channels = [0]", "channels = [0]\nchips = [3]");
    for (fabric, time) in [("omnibus", page(5.0 + 4096.0)), ("omnibus-split", page(10.0 + 4096.0))] {
        for (at, buses, least) in [(hot_row, 9.0, 0.92), (hot_chip, 2.0, 0.99), ("", 16.0, 0.98)] {
            let report = report(fabric, at, &[]);
            let (measured, most) = (report.measures.bandwidth_mb_s.unwrap(), buses * 4096e3 / time);
            assert!(measured < most && measured > least * most, "{fabric} {at}: {measured} of {most}");
            let port = report.map.unwrap().chips[3].port;
            assert!(port <= 1.0 && (port > 0.98) == (at == hot_chip), "{fabric} {at}: {port}");
            let free = report.measures.path_conflicts.free_request_share.unwrap();
            assert_eq!(free == 1.0, at == hot_chip, "{fabric} {at}: {free}");
        }
    }
    // The row's eight dies hold one path each, so one of nine buses is always idle.
    let most = 8.0 * 4096e3 / (page(5.0 + 4096.0) + 120.0 + 3000.0);
    let measured = report("omnibus", hot_row, &["fabric.hold_path=always"]).measures.bandwidth_mb_s.unwrap();
    assert!(measured < most && measured > 0.95 * most, "held: {measured} of {most}");
}

/// Each page takes its wires for a command and for its data, with a grant and a set-up each.
#[test]
fn clusters_saturate_trunks_and_inner_buses() {
    const RATE: f64 = 0.3;
    let report = |at: &str, more: &[&str]| {
        let text = format!(
            "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{at}\n[flow.synthetic]\nrequests = 20000\n\
             read_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1024\n"
        );
        let workload = canaletto::config::load_workload("hot", Some(&text), &[]).unwrap();
        let keys = [&WIRES_LIMIT[..], &["fabric.kind=clusters"], more].concat();
        simulate(&preset("performance-optimized", &keys), &workload).report
    };
    // Chip enable and eight flits; then request, header and page.
    let granted = 10.0 + 20.0;
    let page = granted + 20.0 + 8.0 / 2.0 / RATE + 2.0 + granted + (2.0 + 4100.0) / 2.0 / RATE + 4.0;
    let (hot_row, hot_chip) = ("channels = [0]", "channels = [0]\nchips = [3]");
    for (at, more, wires, least) in [
        (hot_chip, &[][..], 1.0, 0.99),
        (hot_row, &[], 4.0, 0.97),
        (hot_row, &["fabric.clusters.trunks=3"], 3.0, 0.99),
        (hot_row, &["fabric.clusters.inner_buses=2"], 2.0, 0.98),
        ("", &[], 8.0, 0.96),
    ] {
        let report = report(at, more);
        let (measured, most) = (report.measures.bandwidth_mb_s.unwrap(), wires * 4096e3 / page);
        assert!(measured < most && measured > least * most, "{at} {more:?}: {measured} of {most}");
        let free = report.measures.path_conflicts.free_request_share.unwrap();
        assert_eq!(free == 1.0, at == hot_chip, "{at}: {free}");
    }
}

/// Grant and set-up before the command and before the data.
#[test]
fn unloaded_reads_behind_switches() {
    let workload = synthetic("requests = 200\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let outcome = simulate(&preset("performance-optimized", &["fabric.kind=clusters"]), &workload);
    let blame = &outcome.records.as_ref().unwrap().blame;
    let each = |cause: Cause| blame[cause as usize].iter().copied().collect::<std::collections::BTreeSet<_>>();
    // Flits of 8 bits at 1.2 GB/s, two at a time: eight of a command, two that ask and 4099 (with one of padding) that answer.
    let flits = |count: f64| (count / 2.4 * 1e3).ceil() as u64;
    assert_eq!(each(Cause::PathReservation), [2 * 30_000].into());
    assert_eq!(each(Cause::CommandTransfer), [20_000 + flits(8.0) + 2_000].into());
    assert_eq!(each(Cause::DataTransfer), [flits(2.0) + flits(4100.0) + 4_000].into());
    assert!(each(Cause::PathConflict).iter().all(|&wait| wait == 0));
}

/// Venice §3.1, Fig. 3: command 10 ns, tR 3 µs, transfer 4 µs (4096 B at 1.024 GB/s).
#[test]
fn two_reads_of_venice_section_3() {
    let service_us = |fabric: &str, channels: [u32; 2]| {
        let kind = format!("fabric.kind={fabric}");
        let stated = ["fabric.command_time=10ns", "flash.read=3us", "fabric.link_rate=1.024GB/s"];
        let overrides: Vec<&str> = stated.into_iter().chain([kind.as_str()]).collect();
        let flow = |name: &str, channel: u32, chip: u32| {
            format!(
                "[[flow]]\nname = \"{name}\"\nchannels = [{channel}]\nchips = [{chip}]\n[flow.synthetic]\nrequests = 1\n\
                 read_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1\n"
            )
        };
        let text =
            format!("name = \"two\"\npartitioned = true\n{}{}", flow("a", channels[0], 0), flow("b", channels[1], 1));
        let workload = canaletto::config::load_workload("two", Some(&text), &[]).unwrap();
        let design = preset("performance-optimized", &overrides);
        let options = canaletto::RunOptions::default();
        let windows = Windows { windows: vec![(Time::ZERO, Time::from_us(100))], limit: 1000 };
        let run = Simulation::new(&design, &workload, vec![None, None], &options).timeline(windows, &mut |_| true);
        let spans = run.unwrap_or_else(|e| panic!("{e}")).1.spans;
        // From the first command cycle to the last data. On separate paths the second read begins later.
        let inside = |of: &dyn Fn(u32) -> bool| {
            let rows: Vec<usize> = (0..spans.kind.len()).filter(|&i| of(spans.request[i])).collect();
            let (start, end) = (rows.iter().map(|&i| spans.start[i]).min(), rows.iter().map(|&i| spans.end[i]).max());
            (end.unwrap() - start.unwrap()) as f64 / 1e6
        };
        (inside(&|_| true), inside(&|request| request == 0).max(inside(&|request| request == 1)))
    };
    assert_eq!(service_us("bus", [0, 0]).0, 11.01);
    assert_eq!(service_us("bus", [0, 1]).1, 7.01);
    assert_eq!(service_us("ideal", [0, 0]).1, 7.01);
}

/// Scouts out and back at 3 ns per hop, then (distance + size) ns, for the command and for the data.
#[test]
fn unloaded_venice_reads_take_their_distance() {
    let workload = synthetic("requests = 400\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let outcome = simulate(&preset("performance-optimized", &["fabric.kind=venice"]), &workload);
    let blame = &outcome.records.as_ref().unwrap().blame;
    let mut distances = std::collections::BTreeSet::new();
    let column = |cause: Cause| blame[cause as usize].iter().copied();
    let transfers = column(Cause::CommandTransfer).zip(column(Cause::DataTransfer));
    for (reservation, (command, data)) in column(Cause::PathReservation).zip(transfers) {
        // Two circuits, each with a scout out and back: 2 × 2 × 3 ns a hop.
        let distance = reservation / 12_000;
        assert_eq!(reservation, distance * 12_000);
        assert_eq!(command, (distance + 7) * 1000);
        assert_eq!(data, (distance + 4096) * 1000);
        distances.insert(distance);
    }
    assert_eq!(distances.into_iter().collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
}

/// A search of two steps per link, a grant of 11 bits (6 edges at 400 MT/s) and 20 ns of set-up; then (distance + size)
/// ns.
#[test]
fn unloaded_reads_over_granted_circuits() {
    let workload = synthetic("requests = 400\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1");
    let outcome = simulate(&preset("performance-optimized", &["fabric.kind=scheduled-mesh"]), &workload);
    let blame = &outcome.records.as_ref().unwrap().blame;
    let mut distances = std::collections::BTreeSet::new();
    let column = |cause: Cause| blame[cause as usize].iter().copied();
    let transfers = column(Cause::CommandTransfer).zip(column(Cause::DataTransfer));
    for (reservation, (command, data)) in column(Cause::PathReservation).zip(transfers) {
        let distance = command / 1000 - 7;
        assert_eq!(reservation, 2 * (2 * distance + 15 + 20) * 1000);
        assert_eq!((command, data), ((distance + 7) * 1000, (distance + 4096) * 1000));
        distances.insert(distance);
    }
    assert_eq!(distances.into_iter().collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    assert!(column(Cause::PathConflict).all(|wait| wait == 0));
}

/// Each page takes its controller for two set-ups, a command and the data.
#[test]
fn a_scheduled_mesh_saturates_controllers_and_chips() {
    let report = |at: &str, more: &[&str]| {
        let text = format!(
            "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{at}\n[flow.synthetic]\nrequests = 20000\n\
             read_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 1024\n"
        );
        let workload = canaletto::config::load_workload("hot", Some(&text), &[]).unwrap();
        let keys = [
            "link.lanes=32",
            "fabric.transfer_order=commands-first",
            "geometry.planes_per_die=4",
            "flash.multi_plane=off",
            "host.queue_entries=2048",
            "host.fetch_limit=1024",
        ];
        simulate(&preset("performance-optimized", &[&keys[..], more].concat()), &workload).report
    };
    const MESH: &str = "fabric.kind=scheduled-mesh";
    let page = |links: f64| 2.0 * (2.0 * links + 15.0 + 20.0) + (7.0 + links) + (4096.0 + links);
    // A grant to a row of one router has 5 bits: 3 edges, 7.5 ns.
    let column = page(1.0) - 2.0 * 7.5;
    for (at, more, most, least) in [
        (
            "",
            &[MESH, "geometry.chips_per_channel=1", "fabric.network.link_rate=1GB/s"][..],
            8.0 * 4096e3 / column,
            // 20,000 over eight rows differ by 2 %.
            0.96,
        ),
        ("channels = [0]\nchips = [3]", &[MESH], 4096e3 / page(4.0), 0.99),
    ] {
        let report = report(at, more);
        let measured = report.measures.bandwidth_mb_s.unwrap();
        assert!(measured < most && measured > least * most, "{at} {more:?}: {measured} of {most}");
        let free = report.measures.path_conflicts.free_request_share.unwrap();
        assert_eq!(free, 1.0, "{at} {more:?}: chips wait for themselves alone");
    }
    let bandwidth = |at: &str, more: &[&str]| report(at, more).measures.bandwidth_mb_s.unwrap();
    let venice = ["fabric.kind=venice", "fabric.venice.retry=oracle", "fabric.venice.tear_down=wire"];
    for (at, more) in [("", 1.4), ("channels = [0]", 1.02)] {
        let (granted, scouted) = (bandwidth(at, &[MESH]), bandwidth(at, &venice));
        assert!(granted > more * scouted && granted < 8.0 * 4096e3 / page(1.0), "{at}: {granted}, {scouted} MB/s");
    }
}

/// Eight controllers give 8 GB/s less scouts, commands and failed scouts.
#[test]
fn venice_saturates_at_controllers_rows_and_chips() {
    let bandwidth_with = |where_: &str, overrides: &[&str]| {
        let text = format!(
            "name = \"hot\"\npartitioned = true\n[[flow]]\nname = \"a\"\n{where_}\n[flow.synthetic]\nrequests = 20000\n\
             read_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 128\n"
        );
        let workload = canaletto::config::load_workload("hot", Some(&text), &[]).unwrap();
        let report =
            simulate(&preset("performance-optimized", &[&["link.lanes=32"], overrides].concat()), &workload).report;
        report.measures.bandwidth_mb_s.unwrap()
    };
    let bandwidth = |where_: &str, fabric: &str| bandwidth_with(where_, &[&format!("fabric.kind={fabric}")]);
    let most = 8.0 * 4096.0 / (4096.0 + 7.0) * 1000.0;
    let uniform = bandwidth("", "venice");
    let oracle =
        bandwidth_with("", &["fabric.kind=venice", "fabric.venice.retry=oracle", "fabric.venice.tear_down=wire"]);
    assert!(oracle < most && oracle > 0.6 * most, "uniform {oracle} of {most} MB/s");
    assert!(uniform < 0.95 * oracle && uniform > 0.85 * oracle, "uniform {uniform}, by an oracle {oracle} MB/s");
    // As many ways in as the row's column has neighbours.
    let (row, bus) = (bandwidth("channels = [0]", "venice"), bandwidth("channels = [0]", "bus"));
    assert!(row > 3.0 * bus && row < 8000.0, "one row: venice {row}, bus {bus} MB/s");
    let chip = bandwidth("channels = [0]\nchips = [0]", "venice");
    assert!(chip < 1000.0 && chip > 500.0, "one chip {chip} MB/s");
}
