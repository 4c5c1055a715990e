//! Waits passed on, by hand and against a second reading of the rule.

use canaletto::config::design::Design;
use canaletto::config::workload::Workload;
use canaletto::engine::time::Time;
use canaletto::measure::blame::{CAUSES, Cause};
use canaletto::measure::records::Records;
use canaletto::measure::timeline::{Timeline, Windows};
use canaletto::{Outcome, RunOptions, Simulation, run};
use proptest::prelude::*;

use crate::common::script::{COMMAND, DATA, rooted, script, spent};
use crate::common::{preset, synthetic};

const READ: u64 = 3_000_000 + 120_000;

fn order(records: &Records) -> Vec<usize> {
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|&i| records.request[i]);
    order
}

/// The second's data wait for the wires, and the third waits for the second's plane.
#[test]
fn a_chip_that_waits_for_the_wires_is_no_cause() {
    let requests = [(0, 0, false), (0, 8, false), (0, 8 + 128, false)];
    let records = script(&[], &requests);
    let [_, second, third] = order(&records)[..] else { panic!("three requests") };
    let in_register = spent(&records, second, Cause::PathConflict);
    assert!(in_register > DATA / 2, "{in_register}");
    let waited = spent(&records, third, Cause::ChipBusyUser);
    assert_eq!(rooted(&records, third, Cause::PathConflict), in_register + spent(&records, third, Cause::PathConflict));
    assert_eq!(rooted(&records, third, Cause::TransferOfOthers), COMMAND + DATA);
    assert_eq!(rooted(&records, third, Cause::ChipBusyUser), READ);
    assert_eq!(waited, COMMAND + READ + in_register + DATA);
    // No wait for wires, directly or not.
    let records = script(&["fabric.kind=ideal"], &requests);
    for n in 0..3 {
        assert_eq!(rooted(&records, n, Cause::PathConflict), 0);
        assert_eq!(rooted(&records, n, Cause::PathReservation), 0);
    }
}

#[test]
fn waits_are_passed_on_and_on() {
    // So far apart that no command waits for another's.
    let requests = [0, 8, 16, 16 + 128, 16 + 256].into_iter().zip(0..);
    let requests: Vec<_> = requests.map(|(page, n)| (n * 500, page, false)).collect();
    let records = script(&[], &requests);
    let order = order(&records);
    let conflicts = |n: usize| spent(&records, order[n], Cause::PathConflict);
    assert!(conflicts(2) > 0);
    assert_eq!(rooted(&records, order[4], Cause::PathConflict), conflicts(2) + conflicts(3) + conflicts(4));
}

#[test]
fn a_slot_is_what_its_holder_did() {
    let records = script(&["host.queue_entries=2"], &[(0, 0, false), (0, 1, false)]);
    let [first, second] = order(&records)[..] else { panic!("two requests") };
    assert!(spent(&records, second, Cause::HostQueue) > READ + DATA + COMMAND);
    assert_eq!(rooted(&records, second, Cause::HostQueue), 0);
    assert_eq!(rooted(&records, second, Cause::ChipBusyUser), READ);
    assert_eq!(rooted(&records, second, Cause::TransferOfOthers), COMMAND + DATA);
    let own_link = rooted(&records, second, Cause::HostLink) - rooted(&records, first, Cause::HostLink);
    assert!(own_link.abs_diff(rooted(&records, first, Cause::HostLink)) < 50_000, "{own_link}");
}

/// A freed slot's history includes all its holders.
#[test]
fn a_backlog_waits_for_what_the_drive_does_most() {
    let design = preset("performance-optimized", &["host.queue_entries=9", "geometry.channels=1"]);
    let workload = synthetic("requests = 3000\nread_share = 1.0\nsize = \"4KiB\"\ninter_arrival = \"2us\"");
    let outcome = followed(&design, &workload);
    let (blame, roots) = (&outcome.report.measures.blame_us.all, outcome.report.measures.root_cause_us.unwrap().all);
    let sum: f64 = blame.values().sum();
    assert!(blame["host_queue"] > 0.3 * sum, "{blame:?}");
    // The one channel is in use nearly all the time.
    let wires = roots["path_conflict"] + roots["transfer_of_others"];
    assert!(wires > 0.7 * sum && roots["host_link"] < 0.2 * sum, "{roots:?}");
    assert!(roots.get("host_queue").is_none_or(|&left| left < 0.01 * sum), "{roots:?}");
}

#[test]
fn a_command_held_back_waits_for_what_the_drive_does() {
    let records = script(&["host.fetch_limit=1"], &[(0, 0, false), (0, 1, false)]);
    let second = order(&records)[1];
    assert!(spent(&records, second, Cause::DeviceQueue) > READ);
    assert_eq!(rooted(&records, second, Cause::DeviceQueue), 0);
    assert_eq!(rooted(&records, second, Cause::ChipBusyUser), READ);
    assert_eq!(rooted(&records, second, Cause::TransferOfOthers), COMMAND + DATA);
}

#[test]
fn a_write_of_the_same_page_waits_for_the_program_of_the_earlier() {
    let records = script(&["ftl.unwritten_reads=zeroes"], &[(0, 0, true), (0, 0, true)]);
    let [first, second] = order(&records)[..] else { panic!("two requests") };
    let waited = spent(&records, second, Cause::SamePage);
    assert!(waited > 90_000_000, "{waited}");
    assert_eq!(rooted(&records, second, Cause::SamePage), 0);
    let program = spent(&records, first, Cause::ArrayProgram);
    assert_eq!(rooted(&records, second, Cause::ChipBusyUser), program);
    assert_eq!(rooted(&records, second, Cause::TransferOfOthers), waited - program);
}

#[test]
fn room_in_the_write_buffer_comes_from_programs() {
    let overrides = ["cache.capacity=64KiB", "geometry.channels=1", "geometry.chips_per_channel=2"];
    let design = preset("performance-optimized", &overrides);
    let workload = synthetic("requests = 400\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 16");
    let outcome = followed(&design, &workload);
    let (blame, roots) = (&outcome.report.measures.blame_us.all, outcome.report.measures.root_cause_us.unwrap().all);
    assert!(blame["write_buffer"] > 0.9 * blame.values().sum::<f64>(), "{blame:?}");
    let programs = roots["chip_busy_user"] / blame["write_buffer"];
    assert!(programs > 0.7 && programs < 1.0, "{blame:?} {roots:?}");
    // Time in line until the page that made room set out.
    assert!(roots.get("write_buffer").is_none_or(|&left| left < 0.25 * blame["write_buffer"]), "{roots:?}");
}

#[test]
fn a_hot_channel_is_named() {
    let text = "name = \"hot\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 4000\nread_share = 1.0\nsize = \"4KiB\"\n\
                queue_depth = 32\nchannel_skew = { share = 0.8, channels = 8 }\n";
    let workload = canaletto::config::load_workload("hot", Some(text), &[]);
    let workload = workload.unwrap_or_else(|e| panic!("{e}"));
    let largest = |fabric: &str| {
        let design = preset("performance-optimized", &[&format!("fabric.kind={fabric}")]);
        let roots = followed(&design, &workload).report.measures.root_cause_us.unwrap().all;
        let sum: f64 = roots.values().sum();
        let (cause, value) = roots.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        (cause, value / sum)
    };
    let (cause, share) = largest("bus");
    assert!(cause == "path_conflict" && share > 0.5, "{cause} {share}");
    assert_ne!(largest("ideal").0, "path_conflict");
}

fn followed(design: &Design, workload: &Workload) -> Outcome {
    let options = RunOptions { records: true, root_causes: true, ..RunOptions::default() };
    run(design, workload, vec![None], &options, &mut |_| true).unwrap_or_else(|e| panic!("{e}"))
}

#[derive(Clone, Copy)]
struct Step {
    cause: Cause,
    start: u64,
    end: u64,
    chip: u32,
}

/// With the request's number; steps of whole requests have no page.
fn steps_of(timeline: &Timeline) -> Vec<(u32, u32, Step)> {
    let steps = &timeline.steps;
    let step = |i: usize| {
        let cause = Cause::ALL[steps.cause[i] as usize];
        let step = Step { cause, start: steps.start[i], end: steps.end[i], chip: steps.part[i] };
        (steps.request[i], steps.page[i], step)
    };
    (0..steps.cause.len()).map(step).collect()
}

fn chip_does(at_work: impl Iterator<Item = Cause>) -> Cause {
    let rank = |cause: Cause| match cause {
        Cause::ArrayRead | Cause::ArrayProgram => Some((0, Cause::ChipBusyUser)),
        Cause::CommandTransfer => Some((1, Cause::TransferOfOthers)),
        Cause::PathReservation => Some((2, Cause::PathReservation)),
        Cause::DataTransfer => Some((3, Cause::TransferOfOthers)),
        Cause::PathConflict => Some((4, Cause::PathConflict)),
        _ => None,
    };
    at_work.filter_map(rank).min_by_key(|(rank, _)| *rank).map_or(Cause::TransferOfOthers, |(_, cause)| cause)
}

/// For a drive without collection whose chips take one page at a time.
fn by_moments(timeline: &Timeline) -> Vec<[u64; CAUSES]> {
    let steps = steps_of(timeline);
    let requests = &timeline.requests;
    let mut sums = vec![[0; CAUSES]; requests.number.len()];
    for &(request, _, step) in &steps {
        let sum = &mut sums[request as usize];
        if step.cause != Cause::ChipBusyUser {
            sum[step.cause as usize] += step.end - step.start;
            continue;
        }
        let others: Vec<Step> = steps
            .iter()
            .map(|(_, _, other)| *other)
            .filter(|other| other.chip == step.chip && other.start < step.end && other.end > step.start)
            .filter(|other| other.cause != Cause::ChipBusyUser)
            .collect();
        let mut moments: Vec<u64> = others.iter().flat_map(|other| [other.start, other.end]).collect();
        moments.extend([step.start, step.end]);
        moments.retain(|moment| (step.start..=step.end).contains(moment));
        moments.sort_unstable();
        for pair in moments.windows(2) {
            let now = others.iter().filter(|other| other.start <= pair[0] && other.end >= pair[1]);
            sum[chip_does(now.map(|other| other.cause)) as usize] += pair[1] - pair[0];
        }
    }
    sums
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// One page at a time holds a chip.
    #[test]
    fn ledgers_agree_with_looking_at_every_moment(
        seed in 0u64..1000,
        fabric in prop::sample::select(vec!["bus", "sca", "packetized", "mesh", "venice", "scheduled-mesh", "ideal"]),
        depth in 1u32..40,
        read_share in prop::sample::select(vec![1.0, 0.0]),
    ) {
        let overrides = [
            "geometry.channels=2", "geometry.chips_per_channel=2", "geometry.dies_per_chip=1", "geometry.planes_per_die=1",
            "flash.program=20us", "flash.busy_until_data_out=true",
            &format!("fabric.kind={fabric}"),
        ];
        let design = preset("performance-optimized", &overrides);
        let keys = format!(
            "requests = 150\nread_share = {read_share}\nsize = \"4KiB\"\nqueue_depth = {depth}\nworking_set = 0.0001"
        );
        let workload = synthetic(&keys);
        let options = RunOptions { seed, records: true, root_causes: true, ..RunOptions::default() };
        let records = run(&design, &workload, vec![None], &options, &mut |_| true).unwrap().records.unwrap();
        let windows = Windows { windows: vec![(Time::ZERO, Time::from_us(1_000_000))], limit: 1 << 20 };
        let simulation = Simulation::new(&design, &workload, vec![None], &options);
        let (_, timeline) = simulation.timeline(windows, &mut |_| true).unwrap();
        let expected = by_moments(&timeline);
        for (row, &request) in records.request.iter().enumerate() {
            let of_chips = spent(&records, row, Cause::SamePage) == 0;
            for cause in Cause::ALL.into_iter().filter(|_| of_chips) {
                prop_assert_eq!(
                    rooted(&records, row, cause), expected[request as usize][cause as usize],
                    "{} request {} {:?}", fabric, request, cause
                );
            }
        }
    }
}
