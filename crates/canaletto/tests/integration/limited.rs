use crate::common::{preset, simulate};
use canaletto::config::load_workload;

/// (arrival, latency) in picoseconds, in order of arrival.
fn times(flow: &str, keys: &str) -> Vec<(u64, u64)> {
    let text = format!(
        "name = \"w\"\n[[flow]]\nname = \"a\"\n{flow}[flow.synthetic]\nrequests = 2000\nread_share = 0.7\n\
         size = \"4KiB\"\n{keys}"
    );
    let workload = load_workload("w.toml", Some(&text), &[]).unwrap();
    let records = simulate(&preset("performance-optimized", &[]), &workload).records.unwrap();
    let both = records.arrival.iter().zip(&records.complete);
    let mut times: Vec<_> = both.map(|(&arrival, &complete)| (arrival, complete - arrival)).collect();
    times.sort_unstable();
    times
}

#[test]
fn a_limit_that_is_not_reached_changes_nothing() {
    let open = "inter_arrival = \"20us\"\n";
    assert_eq!(times("", open), times("", &format!("{open}queue_depth = 1000\n")));
}

/// Asks again at each completion; latencies begin there.
#[test]
fn a_limit_that_is_always_reached_makes_a_closed_loop() {
    for depth in [1, 7] {
        let closed = times("", &format!("queue_depth = {depth}\n"));
        let late = times("", &format!("queue_depth = {depth}\ninter_arrival = \"1ps\"\narrivals = \"fixed\"\n"));
        let (_, closed): (Vec<_>, Vec<_>) = closed.into_iter().skip(100).unzip();
        let (_, late): (Vec<_>, Vec<_>) = late.into_iter().skip(100).unzip();
        let mean = |latencies: &[u64]| latencies.iter().map(|&t| t as f64).sum::<f64>() / latencies.len() as f64;
        // With more than one, a picosecond decides some races.
        let within = if depth == 1 { 1e-9 } else { 0.02 };
        assert!((mean(&late) / mean(&closed) - 1.0).abs() <= within, "{depth}: {} {}", mean(&late), mean(&closed));
    }
}

#[test]
fn what_is_late_is_made_up_for() {
    let arrivals =
        times("", "queue_depth = 2\ninter_arrival = \"60us\"\narrivals = \"exponential\"\nburstiness = 9.0\n");
    let free = times("", "inter_arrival = \"60us\"\narrivals = \"exponential\"\nburstiness = 9.0\n");
    let late = arrivals.iter().zip(&free).filter(|(limited, open)| limited.0 > open.0).count();
    assert!(late > 200 && late < 1900, "{late}");
    assert!(arrivals.iter().zip(&free).all(|(limited, open)| limited.0 >= open.0));
    let punctual = arrivals.iter().zip(&free).rposition(|(limited, open)| limited.0 == open.0).unwrap();
    assert!(punctual > 1900, "the {punctual}th of 2,000 is on time");
}

#[test]
fn each_thread_has_its_own_requests_and_random_streams() {
    let keys = "inter_arrival = \"50us\"\narrivals = \"exponential\"\nqueue_depth = 4\n";
    let one = times("", keys);
    let three = times("threads = 3\n", keys);
    assert_eq!((one.len(), three.len()), (2000, 6000));
    let distinct: std::collections::BTreeSet<_> = three.iter().map(|(arrival, _)| arrival).collect();
    assert!(distinct.len() > 5900, "threads do not march together");
    assert!(one.iter().all(|(arrival, _)| distinct.contains(arrival)), "the first thread is the flow alone");
}
