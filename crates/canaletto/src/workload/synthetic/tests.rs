use std::collections::HashMap;

use super::*;
use crate::config::load_workload;

fn generator(keys: &str, sectors: u64) -> Generator {
    let text = format!("name = \"t\"\n[[flow]]\nname = \"f\"\n[flow.synthetic]\nqueue_depth = 1\n{keys}\n");
    let workload = load_workload("t.toml", Some(&text), &[]).unwrap();
    Generator::new(workload.flow[0].synthetic.as_ref().unwrap(), "0", 5, 0, sectors - 1)
}

fn requests(keys: &str, sectors: u64) -> Vec<Wanted> {
    let mut generator = generator(keys, sectors);
    std::iter::from_fn(|| generator.next(Time::ZERO)).collect()
}

#[test]
fn short_ways_lead_where_the_long_ones_do() {
    for keys in [
        "size = \"4KiB\"",
        "size = \"1536B\"\nsize_unit = \"1536B\"\nalignment = \"1536B\"",
        "size = \"6KiB\"\nsize_unit = \"4KiB\"",
    ] {
        let keys = format!("requests = 2000\nread_share = 0.5\n{keys}");
        let (mut short, mut long) = (generator(&keys, 1 << 20), generator(&keys, 1 << 20));
        assert!(short.only_uniform && short.only_size.is_some() != keys.contains("6KiB"));
        (long.only_uniform, long.only_size) = (false, None);
        for _ in 0..2000 {
            assert_eq!(short.next(Time::ZERO), long.next(Time::ZERO), "{keys}");
        }
    }
}

fn share(requests: &[Wanted], wanted: impl Fn(&Wanted) -> bool) -> f64 {
    requests.iter().filter(|request| wanted(request)).count() as f64 / requests.len() as f64
}

#[test]
fn reads_and_writes_have_their_own_mixes_of_sizes() {
    let made = requests(
        "requests = 100_000\nread_share = 0.25\n\
         sizes = [{ size = \"4KiB\", share = 3 }, { size = \"64KiB\", share = 1 }]\n\
         write_sizes = [{ size = \"512B\", share = 0.9 }, { size = \"1MiB\", share = 0 }, { size = \"8KiB\", share = 0.1 }]",
        1 << 30,
    );
    let (reads, writes): (Vec<Wanted>, Vec<Wanted>) = made.into_iter().partition(|r| r.kind == Kind::Read);
    assert!((reads.len() as f64 / 1e5 - 0.25).abs() < 0.005);
    assert!((share(&reads, |r| r.sectors == 8) - 0.75).abs() < 0.01 && share(&reads, |r| r.sectors == 128) > 0.24);
    assert!((share(&writes, |r| r.sectors == 1) - 0.9).abs() < 0.005 && share(&writes, |r| r.sectors == 16) > 0.095);
    assert!(writes.iter().all(|r| r.sectors != 2048), "a share of 0 is none");
}

#[test]
fn runs_continue_where_a_request_of_their_kind_ended() {
    let made = requests(
        "requests = 50_000\nread_share = 0.5\nsequential_share = 0.6\nrun_length = 6\nalignment = \"4KiB\"\n\
         sizes = [{ size = \"512B\", share = 1 }, { size = \"12KiB\", share = 1 }]",
        1 << 34,
    );
    let mut ends = [None::<u64>; 2];
    let mut following = 0;
    for request in &made {
        let kind = usize::from(request.kind == Kind::Write);
        if ends[kind] == Some(request.lba) {
            following += 1;
            ends[kind] = Some(request.lba + u64::from(request.sectors));
        } else if request.lba % 8 == 0 {
            // A new run shows with the next request.
            let starts_run =
                made.iter().any(|r| r.kind == request.kind && r.lba == request.lba + u64::from(request.sectors));
            if starts_run {
                ends[kind] = Some(request.lba + u64::from(request.sectors));
            }
        } else {
            panic!("{request:?} begins neither aligned nor where a run goes on");
        }
        if following > 3000 {
            return;
        }
    }
    panic!("{following} requests continue a run");
}

#[test]
fn popular_places_are_asked_for_as_often_as_the_law_says() {
    let made = requests(
        "requests = 100_000\nread_share = 1.0\nsize = \"4KiB\"\naddresses = \"zipf\"\nzipf_exponent = 1.0\n\
         working_set_size = \"4MiB\"",
        1 << 30,
    );
    assert!(made.iter().all(|r| r.lba + 8 <= 8192 && r.lba % 8 == 0));
    let mut counts: HashMap<u64, u32> = HashMap::new();
    made.iter().for_each(|r| *counts.entry(r.lba).or_default() += 1);
    let mut counts: Vec<u32> = counts.into_values().collect();
    counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    let harmonic: f64 = (1..=1024).map(|k| 1.0 / f64::from(k)).sum();
    for (rank, count) in counts.iter().take(20).enumerate() {
        let expected = 1e5 / (rank + 1) as f64 / harmonic;
        assert!((f64::from(*count) / expected - 1.0).abs() < 0.15, "{rank}: {count} {expected}");
    }
}

/// By place.
fn counts(keys: &str, sectors: u64) -> Vec<usize> {
    let made = requests(&format!("requests = 64_000\nread_share = 1.0\nalignment = \"4KiB\"\n{keys}"), sectors);
    assert!(made.iter().all(|r| r.lba % 8 == 0 && r.lba + u64::from(r.sectors) <= sectors), "{keys}");
    let mut counts = vec![0; ((sectors - u64::from(made[0].sectors)) / 8 + 1) as usize];
    made.iter().for_each(|r| counts[r.lba as usize / 8] += 1);
    counts
}

#[test]
fn every_place_of_the_working_set_is_asked_for_alike() {
    for (keys, sectors, places) in [
        ("size = \"4KiB\"", 32, 4),
        ("size = \"64KiB\"", 2048, 241),
        ("size = \"4KiB\"", 37, 4),
        ("size = \"4KiB\"\naddresses = \"zipf\"\nzipf_exponent = 0.0", 128, 16),
        ("size = \"4KiB\"\naddresses = \"hot-cold\"\nhot_share = 0.5", 128, 16),
    ] {
        let found = counts(keys, sectors);
        assert_eq!(found.len(), places, "{keys}");
        let mean = 64_000.0 / places as f64;
        let most = found.iter().map(|&n| (n as f64 - mean).abs() / mean.sqrt()).fold(0.0, f64::max);
        assert!(most < 4.5, "{keys}: {found:?}");
    }
}

#[test]
fn a_large_request_near_the_end_is_not_sent_to_one_place() {
    let found = counts("size = \"128KiB\"\naddresses = \"zipf\"\nzipf_exponent = 0.0", 2048);
    assert!(found.iter().all(|&n| n > 150 && n < 620), "{found:?}");
}

#[test]
fn sequential_requests_go_round_their_working_set() {
    let made = requests("requests = 1000\nread_share = 1.0\nsize = \"64KiB\"\naddresses = \"sequential\"", 2048);
    let first = made.iter().position(|r| r.lba == 0).unwrap();
    for (number, request) in made[first..].iter().enumerate() {
        assert_eq!(request.lba, number as u64 % 16 * 128);
    }
}

#[test]
fn sizes_that_deviate_keep_their_mean() {
    let made = requests("requests = 40_000\nread_share = 1.0\nsize = \"16KiB\"\nsize_deviation = \"4KiB\"", 1 << 24);
    let mean = made.iter().map(|r| f64::from(r.sectors)).sum::<f64>() / made.len() as f64;
    let error = 8.0 / (made.len() as f64).sqrt();
    assert!((mean - 32.0).abs() < 4.0 * error, "{mean} sectors");
}

#[test]
fn a_skewed_channel_and_recent_places_show_in_the_addresses() {
    let keys = "requests = 50_000\nread_share = 1.0\nsize = \"4KiB\"\n";
    let skewed = requests(&format!("{keys}channel_skew = {{ share = 0.5, channels = 8 }}"), 1 << 34);
    assert!((share(&skewed, |r| r.lba / 8 % 8 == 0) - 0.5).abs() < 0.01);
    let again = requests(&format!("{keys}recent_share = 0.3"), 1 << 34);
    let distinct: std::collections::HashSet<u64> = again.iter().map(|r| r.lba).collect();
    assert!((distinct.len() as f64 / 5e4 - 0.7).abs() < 0.01, "{}", distinct.len());
}

#[test]
fn a_working_set_larger_than_the_drive_is_the_drive() {
    let made = requests("requests = 5000\nread_share = 0.5\nsize = \"64KiB\"\nworking_set_size = \"1TiB\"", 4096);
    assert!(made.iter().all(|r| r.lba + u64::from(r.sectors) <= 4096));
    assert!(made.iter().any(|r| r.lba > 3500));
}

#[test]
fn plain_traffic_stays_what_it_was() {
    let digest = |keys: &str| {
        let made = requests(keys, 1 << 24);
        made.iter().fold(0u64, |sum, r| {
            (sum ^ (r.lba << 12) ^ (u64::from(r.sectors) << 2) ^ r.kind as u64).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let plain = digest("requests = 2000\nread_share = 0.3\nsize = \"9kB\"\nsize_unit = \"4KiB\"\nalignment = \"4KiB\"");
    let hot = digest(
        "requests = 2000\nread_share = 0.7\nsize = \"6KiB\"\nsize_deviation = \"2KiB\"\naddresses = \"hot-cold\"\n\
         hot_share = 0.2\nalignment = \"512B\"\nworking_set = 0.4",
    );
    assert_eq!((plain, hot), (0x18f3_2042_b57b_305d, 0x7ab0_4e56_b264_14f5));
}

#[test]
fn a_working_set_may_begin_later() {
    let keys = "requests = 5000\nread_share = 0.5\nsize = \"4KiB\"\nworking_set_offset = \"1MiB\"\n";
    let made = requests(&format!("{keys}working_set_size = \"1MiB\""), 1 << 20);
    assert!(made.iter().all(|r| r.lba >= 2048 && r.lba + 8 <= 4096));
    let made = requests(&format!("{keys}working_set = 0.5"), 4096);
    assert!(made.iter().all(|r| r.lba >= 2048) && made.iter().any(|r| r.lba > 4000));
}

#[test]
fn requests_of_mqsim_to_hot_and_cold_data_may_run_over_the_end() {
    let keys = "requests = 2000\nread_share = 1\naddresses = \"hot-cold\"\nhot_share = 0.2\nsize = \"64KiB\"";
    let over = |made: Vec<Wanted>| made.iter().filter(|r| r.lba + u64::from(r.sectors) > 1000).count();
    assert_eq!(over(requests(keys, 1000)), 0);
    assert!(over(requests(&format!("{keys}\nmqsim_seed = 7"), 1000)) > 0);
    let uniform = "requests = 2000\nread_share = 1\nsize = \"64KiB\"\nmqsim_seed = 7";
    assert_eq!(over(requests(uniform, 1000)), 0, "only those");
}

/// Places and sizes of 64 B: each is drawn, none crosses what it is aligned to or leaves the range.
#[test]
fn reads_of_a_memory_are_of_bytes() {
    let of = |keys: &str| requests(&format!("requests = 20000\nread_share = 1.0\n{keys}"), 100);
    for size in [64, 128, 192, 256, 320, 448] {
        let found = of(&format!("size = \"{size}B\"\nalignment = \"64B\""));
        let places: std::collections::HashSet<u64> = found.iter().map(|read| read.first_byte() / 64).collect();
        assert_eq!(places.len(), 800 - size / 64 + 1, "{size} B");
        assert!(found.iter().all(|read| read.bytes() == size as u64 && read.first_byte() + read.bytes() <= 51_200));
    }
    assert!(of("size = \"256B\"").iter().all(|read| read.first_byte() % 256 == 0 && read.sectors == 1));
    let runs = of("size = \"64B\"\naddresses = \"sequential\"");
    assert!(runs.windows(2).all(|two| two[1].first_byte() == (two[0].first_byte() + 64) % 51_200));
    let mixed = of("sizes = [{ size = \"64B\", share = 3 }, { size = \"4KiB\", share = 1 }]\nalignment = \"64B\"");
    let small = share(&mixed, |read| read.bytes() == 64);
    assert!((0.73..0.77).contains(&small) && mixed.iter().all(|read| read.bytes() == 64 || read.bytes() == 4096));
    assert_eq!(of("size = \"576B\"\nsize_unit = \"64B\"")[0].bytes(), 576);
    let sectors = |bytes: u64| Wanted::read_bytes(448, bytes).sectors;
    assert_eq!((sectors(64), sectors(65), sectors(576), sectors(577)), (1, 2, 2, 3));
}
