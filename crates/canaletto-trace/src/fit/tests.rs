use canaletto::config::{load_design, load_workload};
use canaletto::host::request::Kind;
use canaletto::limits::Limits;
use canaletto::workload::replay::Record;
use canaletto::workload::traffic::Traffic;

use super::*;
use crate::survey::{Striping, Survey};

fn surveyed(keys: &str) -> Findings {
    let text = format!("name = \"t\"\n[[flow]]\nname = \"f\"\n[flow.synthetic]\n{keys}\n");
    survey(&load_workload("t.toml", Some(&text), &[]).unwrap())
}

fn survey(workload: &Workload) -> Findings {
    let design = load_design("performance-optimized", None, &[]).unwrap();
    let limits = Limits::new(&design, workload).unwrap();
    let striping = Striping { page_bytes: 4096, channels: 8, order: (0..8).collect() };
    let mut survey = Survey::new(Some(striping));
    Traffic::new(workload, &limits, 1).unwrap().for_each(|record| survey.add(&record));
    survey.finish()
}

fn near(found: f64, expected: f64, within: f64) {
    assert!((found / expected - 1.0).abs() < within, "{found}, expected {expected}");
}

const RICH: &str = "requests = 120_000\nread_share = 0.7\ninter_arrival = \"80us\"\nburstiness = 12.0\nburst_share = 0.9\n\
    addresses = \"zipf\"\nzipf_exponent = 0.9\nworking_set_size = \"1GiB\"\nrecent_share = 0.2\n\
    sequential_share = 0.25\nrun_length = 6\nchannel_skew = { share = 0.3, channels = 8 }\n\
    sizes = [{ size = \"4KiB\", share = 0.8 }, { size = \"32KiB\", share = 0.2 }]\n\
    write_sizes = [{ size = \"8KiB\", share = 1.0 }]";

#[test]
fn what_was_put_in_is_found_again() {
    let found = fit(&surveyed(RICH), "again", "", Channels::default()).unwrap();
    let s = found.flow[0].synthetic.as_ref().unwrap();
    near(s.read_share, 0.7, 0.01);
    near(s.inter_arrival.unwrap().0 as f64, 80e6, 0.02);
    near(s.burstiness, 12.0, 0.08);
    near(1.0 - s.burst_share.unwrap(), 0.1, 0.2);
    near(s.sequential_share, 0.25, 0.03);
    near(s.run_length.unwrap(), 6.0, 0.05);
    near(s.sizes[0].share, 0.8, 0.01);
    assert_eq!((s.sizes.len(), s.sizes[1].size, s.write_sizes[0].size), (2, Size(32 << 10), Size(8 << 10)));
    near(s.zipf_exponent.unwrap(), 0.9, 0.1);
    near(s.recent_share, 0.2, 0.15);
    near(s.channel_skew.unwrap().share, 0.3, 0.12);
    assert_eq!(s.alignment, Some(Size(4096)));
    assert_eq!(s.origin["zipf_exponent"], Origin::Fitted);
    assert_eq!(s.origin["popular_regions"], Origin::Assumed);
}

#[test]
fn what_a_profile_makes_is_like_what_it_was_fitted_to() {
    let before = surveyed(RICH);
    let profile = fit(&before, "again", "", Channels::default()).unwrap();
    // As a file: what is written must be read again.
    let text = toml::to_string(&profile).unwrap();
    let read = load_workload("p.toml", Some(&text), &[]).unwrap();
    assert_eq!(read, profile);
    let after = survey(&read);
    near(after.footprint_bytes as f64, before.footprint_bytes as f64, 0.15);
    near(after.size_bytes.mean.unwrap(), before.size_bytes.mean.unwrap(), 0.01);
    near(after.reuse.share.unwrap(), before.reuse.share.unwrap(), 0.1);
    near(after.reuse.hottest_10_percent, before.reuse.hottest_10_percent, 0.12);
    near(after.sequential_share.unwrap(), before.sequential_share.unwrap(), 0.03);
    near(after.inter_arrival_us.p50.unwrap(), before.inter_arrival_us.p50.unwrap(), 0.15);
    near(after.starts.recent_share.unwrap(), before.starts.recent_share.unwrap(), 0.12);
}

#[test]
fn plain_traffic_has_a_plain_profile() {
    let found = surveyed("requests = 50_000\nread_share = 0.0\nsize = \"4KiB\"\ninter_arrival = \"10us\"");
    let profile = fit(&found, "plain", "", Channels::default()).unwrap();
    let s = profile.flow[0].synthetic.as_ref().unwrap();
    assert_eq!((s.addresses, s.channel_skew, s.write_sizes.len()), (Addresses::Uniform, None, 0));
    near(s.burstiness, 1.0, 0.05);
    assert!(s.sequential_share < 0.001 && s.recent_share < 0.001);
    // 383 GB: the trace is too short to tell how many.
    assert!(s.working_set_size.unwrap().0 > 10 << 30, "{:?}", s.working_set_size);
}

/// Also after rounding.
#[test]
fn every_profile_is_a_valid_workload() {
    for share in ["0.0074", "0.3333", "0.9"] {
        let keys = "requests = 5000\nread_share = 0.5\nsize = \"4KiB\"\ninter_arrival = \"10us\"\nburstiness = 900.0";
        let found = surveyed(&format!("{keys}\nsequential_share = {share}"));
        let text = toml::to_string(&fit(&found, "valid", "", Channels::default()).unwrap()).unwrap();
        load_workload("p.toml", Some(&text), &[]).unwrap_or_else(|error| panic!("{share}: {error}"));
    }
}

#[test]
fn a_trace_without_times_becomes_a_closed_loop_and_an_empty_one_is_refused() {
    let found = surveyed("requests = 1000\nread_share = 0.5\nsize = \"4KiB\"\nqueue_depth = 4");
    let profile = fit(&found, "none", "", Channels::default()).unwrap();
    let s = profile.flow[0].synthetic.as_ref().unwrap();
    assert_eq!((s.inter_arrival, s.queue_depth, s.origin["queue_depth"]), (None, Some(32), Origin::Assumed));
    let error = fit(&Survey::default().finish(), "empty", "", Channels::default()).unwrap_err();
    assert!(error.contains("no reads and no writes"), "{error}");
}

#[test]
fn a_trace_of_the_last_addresses_there_are_is_fitted() {
    let mut survey = Survey::new(None);
    for i in 0..60 {
        let offset_bytes = u64::MAX - 99_998 - i * 4096 * 9;
        let device = i as u32 % 3;
        survey.add(&Record { arrival_ns: i, device, offset_bytes, bytes: 512, kind: Kind::Read, ..Record::PLAIN });
    }
    let found = fit(&survey.finish(), "far", "", Channels::default()).unwrap();
    assert!(found.flow[0].synthetic.is_some());
}
