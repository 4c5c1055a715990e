use crate::common::script::{COMMAND, DATA, script, spent};
use crate::common::{SMALL, design, refusal, simulate, synthetic};
use canaletto::measure::blame::Cause;
use canaletto::measure::records::Records;

const PROGRAMS: &str = "flash.suspend.operations=program";
/// Time to suspend, time to resume, and a read's chip time (tWB + tRR) and array time.
const SUSPEND: u64 = 20_000_000;
const RESUME: u64 = 5_000_000;
const READ: u64 = COMMAND + 120_000 + 3_000_000;

fn write_and_reads(overrides: &[&str], reads: &[(u64, u64)]) -> (Records, Vec<usize>) {
    let mut requests = vec![(0, 0, true)];
    requests.extend(reads.iter().map(|&(at, page)| (at, page, false)));
    let records = script(overrides, &requests);
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|&i| records.request[i]);
    (records, order)
}

/// The program continues while the data leave.
#[test]
fn a_program_waits_for_suspension_read_and_resumption() {
    let (plain, order) = write_and_reads(&[], &[(40_000, 64)]);
    let program = spent(&plain, order[0], Cause::ArrayProgram);
    assert!(spent(&plain, order[1], Cause::ChipBusyUser) > 60_000_000);
    let (records, order) = write_and_reads(&[PROGRAMS], &[(40_000, 64)]);
    assert_eq!(spent(&records, order[1], Cause::ChipBusyUser), SUSPEND);
    assert_eq!(spent(&records, order[1], Cause::PathConflict), 0);
    assert_eq!(spent(&records, order[0], Cause::ArrayProgram), program);
    assert_eq!(spent(&records, order[0], Cause::Suspended), SUSPEND + READ + RESUME);
}

#[test]
fn a_program_goes_on_when_its_own_register_is_empty() {
    let (records, order) = write_and_reads(&[PROGRAMS], &[(40_000, 128)]);
    assert_eq!(spent(&records, order[1], Cause::ChipBusyUser), SUSPEND);
    assert_eq!(spent(&records, order[0], Cause::Suspended), SUSPEND + READ + DATA + RESUME);
}

#[test]
fn a_chip_that_is_busy_until_its_data_are_out_goes_on_after_that() {
    let (records, order) = write_and_reads(&[PROGRAMS, "flash.busy_until_data_out=true"], &[(40_000, 64)]);
    assert_eq!(spent(&records, order[0], Cause::Suspended), SUSPEND + READ + DATA + RESUME);
}

#[test]
fn what_is_nearly_done_is_not_suspended() {
    let (plain, order) = write_and_reads(&[], &[(40_000, 64)]);
    let remaining = spent(&plain, order[1], Cause::ChipBusyUser);
    for (least, suspended) in [(remaining, true), (remaining + 1, false)] {
        let least = format!("flash.suspend.min_remaining={}ns", least as f64 / 1e3);
        let (records, order) = write_and_reads(&[PROGRAMS, &least], &[(40_000, 64)]);
        assert_eq!(spent(&records, order[0], Cause::Suspended) > 0, suspended, "{least}");
        let wait = if suspended { SUSPEND } else { remaining };
        assert_eq!(spent(&records, order[1], Cause::ChipBusyUser), wait);
    }
}

#[test]
fn suspensions_are_counted() {
    let reads = [(20_000, 64), (60_000, 64)];
    for (limit, times) in [("2", 2), ("1", 1)] {
        let limit = format!("flash.suspend.max_suspensions={limit}");
        let (records, order) = write_and_reads(&[PROGRAMS, &limit, "flash.suspend.min_remaining=0ns"], &reads);
        assert_eq!(spent(&records, order[0], Cause::Suspended), times * (SUSPEND + READ + RESUME));
        assert_eq!(spent(&records, order[2], Cause::ChipBusyUser) == SUSPEND, times == 2);
    }
}

/// A command that suspends takes the bus, on which another LUN of the channel would send its own.
#[test]
fn commands_that_suspend_take_the_bus() {
    let keys = ["flash.suspend.operations=both", "precondition.kind=steady"];
    let design = design("base = \"pcie4-tlc-zn540\"\nname = \"many\"", &keys);
    let report =
        simulate(&design, &synthetic("requests = 3000\nread_share = 0.5\nsize = \"16KiB\"\nqueue_depth = 64")).report;
    assert!(report.flash.suspensions > 100, "{}", report.flash.suspensions);
}

#[test]
fn a_suspension_does_not_last() {
    let reads: Vec<(u64, u64)> = (0..8).map(|i| (40_000 + 3_000 * i, 64 + 128 * (i % 4))).collect();
    let (records, order) = write_and_reads(&[PROGRAMS], &reads);
    let all_served = spent(&records, order[0], Cause::Suspended);
    assert!(all_served > SUSPEND + RESUME + 8 * READ, "{all_served}");
    let once = [PROGRAMS, "flash.suspend.max_suspended_time=0ns", "flash.suspend.max_suspensions=1"];
    let (records, order) = write_and_reads(&once, &reads);
    assert_eq!(spent(&records, order[0], Cause::Suspended), SUSPEND + READ + RESUME);
}

/// Its program, and the one that is loaded behind it, end later by the whole suspension. Data do not cross again.
#[test]
fn what_is_loaded_behind_a_program_is_put_aside_with_it() {
    let run = |overrides: &[&str], reads: &[(u64, u64)]| {
        let mut requests = vec![(0, 0, true), (0, 128, true)];
        requests.extend(reads.iter().map(|&(at, page)| (at, page, false)));
        let records = script(&[&["flash.cache_program=true"], overrides].concat(), &requests);
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by_key(|&i| records.request[i]);
        (records, order)
    };
    let latency = |records: &Records, n: usize| Cause::ALL.iter().map(|&cause| spent(records, n, cause)).sum::<u64>();
    let (plain, was) = run(&[], &[]);
    let late = |reads: &[(u64, u64)], program: usize, by: u64| {
        let (records, order) = run(&[PROGRAMS], reads);
        for n in 0..2 {
            let expected = if n < program { 0 } else { by };
            let longer = latency(&records, order[n]) - latency(&plain, was[n]);
            assert_eq!(longer, expected, "program {n}, reads {reads:?}");
            assert_eq!(spent(&records, order[n], Cause::DataTransfer), spent(&plain, was[n], Cause::DataTransfer));
        }
        assert_eq!(spent(&records, order[program], Cause::Suspended), by);
        (records, order)
    };
    // Another plane, the plane of both programs, and the second program, which has the other lane.
    let (records, order) = late(&[(40_000, 64)], 0, SUSPEND + READ + RESUME);
    assert_eq!(spent(&records, order[2], Cause::ChipBusyUser), SUSPEND);
    late(&[(40_000, 256)], 0, SUSPEND + READ + DATA + RESUME);
    late(&[(150_000, 64)], 1, SUSPEND + READ + RESUME);
    // Data of the second one cross from 3.8 us on for 3.6 us.
    let (records, order) = late(&[(5_000, 64)], 0, SUSPEND + READ + RESUME);
    let wait = spent(&records, order[2], Cause::ChipBusyUser) + spent(&records, order[2], Cause::PathConflict);
    assert!(wait > SUSPEND + 2_000_000 && wait < SUSPEND + 3_000_000, "{wait}");
}

#[test]
fn programs_are_loaded_behind_those_that_can_be_suspended() {
    let workload = synthetic("requests = 4000\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 64");
    let run = |overrides: &[&str]| {
        let all = [&["flash.cache_program=true", "ftl.overprovisioning=0.6"], overrides].concat();
        simulate(&design(SMALL, &all), &workload).report.measures.execution_time_us
    };
    assert_eq!(run(&[PROGRAMS]), run(&[]));
}

#[test]
fn reads_do_not_wait_for_erases() {
    let workload = synthetic("requests = 8000\nread_share = 0.6\nsize = \"4KiB\"\ninter_arrival = \"400us\"");
    let run = |overrides: &[&str]| {
        let all = [&["flash.erase=5ms", "gc.hard_threshold=0.0"], overrides].concat();
        simulate(&design(SMALL, &all), &workload).report
    };
    let (plain, suspended) = (run(&[]), run(&["flash.suspend.operations=erase"]));
    assert!(suspended.flash.suspensions > 100 && plain.flash.suspensions == 0);
    assert!(suspended.flash.erases > 100);
    let read = |report: &canaletto::measure::report::Report| report.measures.latency_us.read.p99.unwrap();
    assert!(read(&suspended) < 0.5 * read(&plain), "{} of {} us", read(&suspended), read(&plain));
    let both = run(&["flash.suspend.operations=erase", "flash.suspend.trigger=reads-and-writes"]);
    assert!(both.flash.suspensions > suspended.flash.suspensions);
}

#[test]
fn designs_that_cannot_suspend_say_so() {
    let refused = |overrides: &[&str]| refusal(None, overrides);
    assert!(
        refused(&["flash.suspend.operations=erase", "fabric.hold_path=always"])
            .contains("fabric.hold_path = \"never\" or \"reads\"")
    );
    assert!(refused(&[PROGRAMS, "ftl.map_update=issue"]).contains("program-end"));
}
