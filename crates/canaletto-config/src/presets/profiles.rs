//! Workload profiles of `profiles.toml`, and mixes of them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use crate::presets::Listing;
use crate::reader::read_text;
use crate::workload::{Flow, Origin, Synthetic, Workload};

const PROFILES: &str = include_str!("profiles.toml");

/// Of a profile without `requests`; of a mix, all flows together.
const REQUESTS: u64 = 100_000;

/// Stated by Table 2 of the Venice paper.
const PUBLISHED: [&str; 3] = ["read_share", "size", "inter_arrival"];

/// Not stated there. The profile's file may.
const ASSUMED: [&str; 18] = [
    "requests",
    "trim_share",
    "flush_share",
    "fua_share",
    "write_zeroes_share",
    "addresses",
    "working_set",
    "alignment",
    "size_unit",
    "sizes",
    "write_sizes",
    "sequential_share",
    "recent_share",
    "channel_skew",
    "burstiness",
    "on_time",
    "off_time",
    "diurnal",
];

#[derive(Deserialize)]
struct Profile {
    about: String,
    #[serde(default)]
    of: Vec<String>,
    #[serde(flatten)]
    keys: Table,
}

fn table() -> BTreeMap<String, Profile> {
    read_text(PROFILES).expect("profiles are tested")
}

/// All workload profiles.
pub fn profiles() -> Vec<Listing> {
    table().into_iter().map(|(name, profile)| Listing { name, about: profile.about }).collect()
}

/// A profile as a workload.
pub fn profile(name: &str) -> Option<Workload> {
    let mut all = table();
    let Profile { about, of, keys } = all.remove(name)?;
    let flow = if of.is_empty() { vec![Flow::generated(name, synthetic(keys))] } else { mix(&mut all, &of) };
    Some(Workload::of(name, &about, flow))
}

/// At their own rates, with the numbers of requests that let all end together.
fn mix(all: &mut BTreeMap<String, Profile>, of: &[String]) -> Vec<Flow> {
    let mut part = |name: &String| (name.clone(), synthetic(all.remove(name).expect("mixes are tested").keys));
    let flows: Vec<(String, Synthetic)> = of.iter().map(&mut part).collect();
    let rate = |s: &Synthetic| 1.0 / s.inter_arrival.map_or(1.0, |gap| gap.0 as f64);
    let rates: f64 = flows.iter().map(|(_, s)| rate(s)).sum();
    let share = |s: Synthetic| Synthetic { requests: (REQUESTS as f64 * rate(&s) / rates).round() as u64, ..s };
    flows.into_iter().map(|(name, s)| Flow::generated(&name, share(s))).collect()
}

/// Other keys are assumed. The defaults are 100,000 requests, sizes in multiples of 4 KiB around a mean, and addresses
/// in multiples of 4 KiB.
fn synthetic(mut keys: Table) -> Synthetic {
    keys.entry("requests").or_insert(Value::Integer(REQUESTS as i64));
    let stated: Vec<String> = keys.keys().filter(|&key| key != "origin").cloned().collect();
    keys.entry("alignment").or_insert(Value::String("4KiB".to_owned()));
    if keys.contains_key("size") {
        keys.entry("size_unit").or_insert(Value::String("4KiB".to_owned()));
    }
    let mut made: Synthetic = keys.try_into().expect("profiles are tested");
    let published = PUBLISHED.map(|key| (key, Origin::Published));
    let mean = made.size.is_some();
    let given = |key: &str| match key {
        "size" | "size_unit" => mean,
        "sizes" | "write_sizes" => !mean,
        _ => true,
    };
    let assumed = ASSUMED.map(|key| (key, Origin::Assumed));
    for (key, origin) in published.into_iter().chain(assumed).filter(|(key, _)| given(key)) {
        made.origin.entry(key.to_owned()).or_insert(origin);
    }
    for key in stated {
        made.origin.entry(key).or_insert(Origin::Assumed);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Venice, Table 2: share of reads in percent, mean size in units of 100 bytes, mean time between arrivals in µs.
    const TABLE_2: [(&str, u32, u32, u32); 19] = [
        ("hm_0", 36, 88, 58),
        ("mds_0", 12, 96, 268),
        ("proj_3", 95, 96, 19),
        ("prxy_0", 3, 72, 242),
        ("rsrch_0", 9, 96, 129),
        ("src1_0", 56, 432, 49),
        ("src2_1", 98, 592, 50),
        ("usr_0", 40, 228, 98),
        ("wdev_0", 20, 92, 162),
        ("web_1", 54, 296, 67),
        ("YCSB_B", 99, 657, 13),
        ("YCSB_D", 99, 620, 14),
        ("jenkins", 94, 334, 615),
        ("postgres", 82, 133, 382),
        ("LUN0", 76, 204, 218),
        ("LUN2", 73, 160, 320),
        ("LUN3", 7, 77, 3127),
        ("ssd-00", 91, 900, 5),
        ("ssd-10", 99, 115, 2),
    ];

    #[test]
    fn profiles_have_the_means_of_table_2() {
        for (name, reads_percent, size, gap_us) in TABLE_2 {
            let workload = profile(name).unwrap();
            let s = workload.flow[0].synthetic.as_ref().unwrap();
            assert_eq!((s.read_share * 100.0).round() as u32, reads_percent, "{name}");
            assert_eq!(s.inter_arrival.unwrap().0, u64::from(gap_us) * 1_000_000, "{name}");
            let mean = s.read_share * s.mean_bytes(true) + (1.0 - s.read_share) * s.mean_bytes(false);
            assert!((mean / f64::from(size * 100) - 1.0).abs() < 1e-3, "{name}: {mean}");
            assert_eq!((s.origin["read_share"], s.origin["inter_arrival"]), (Origin::Published, Origin::Published));
            assert!(s.origin.values().any(|origin| *origin == Origin::Assumed), "{name}: a mean is not everything");
        }
    }

    #[test]
    fn profiles_say_where_each_value_is_from() {
        for (name, ..) in TABLE_2 {
            let workload = profile(name).unwrap();
            let s = workload.flow[0].synthetic.as_ref().unwrap();
            let given = &table()[name].keys;
            assert!(given.keys().all(|key| key == "origin" || s.origin.contains_key(key)), "{name}: {:?}", s.origin);
            let sourced = s.origin.iter().filter(|(_, origin)| **origin != Origin::Assumed);
            assert!(sourced.into_iter().all(|(key, _)| given.contains_key(key)), "{name}: {:?}", s.origin);
        }
    }

    #[test]
    fn profiles_have_places_of_their_own() {
        for (name, ..) in TABLE_2 {
            let workload = profile(name).unwrap();
            let s = workload.flow[0].synthetic.as_ref().unwrap();
            assert!(s.sequential_share > 0.0 || s.zipf_exponent.is_some(), "{name}");
        }
    }

    #[test]
    fn mixes_are_the_flows_of_table_3_at_their_own_rates() {
        let of = |name: &str| {
            let flows = profile(name).unwrap().flow;
            flows.iter().map(|flow| flow.name.clone()).collect::<Vec<_>>().join(" ")
        };
        let expected = [
            "src2_1 proj_3",
            "src2_1 proj_3 YCSB_D",
            "prxy_0 rsrch_0",
            "prxy_0 rsrch_0 mds_0",
            "prxy_0 src2_1",
            "prxy_0 src2_1 usr_0",
        ];
        assert_eq!([1, 2, 3, 4, 5, 6].map(|number| of(&format!("mix{number}"))), expected);
        let mix = profile("mix5").unwrap();
        let [proxy, source] = [0, 1].map(|flow| mix.flow[flow].synthetic.clone().unwrap());
        assert_eq!(proxy.inter_arrival, profile("prxy_0").unwrap().flow[0].synthetic.as_ref().unwrap().inter_arrival);
        // 242 µs and 50 µs: both take 4.14 s.
        assert_eq!((proxy.requests, source.requests), (17_123, 82_877));
    }
}
