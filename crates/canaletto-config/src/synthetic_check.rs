//! Rules between the keys of generated requests.

use serde_json::Value;

use crate::address::{GRAIN, SECTOR};
use crate::check::{Checked, require};
use crate::schema::{self, Kind};
use crate::units::{Duration, Size};
use crate::workload::{Addresses, ArrivalTimes, SizeShare, Synthetic};

pub(super) fn check_synthetic(s: &Synthetic, key: &str) -> Checked {
    check_loop(s, key)?;
    require(s.trim_share + s.flush_share <= 1.0, &format!("{key}.trim_share"), || {
        format!("got {} together with flush_share = {}, expected at most 1 together", s.trim_share, s.flush_share)
    })?;
    require(s.zones == 1 || s.zone_work.is_some(), &format!("{key}.zones"), || {
        format!("got {}, which needs zone_work: only commands to zones take turns", s.zones)
    })?;
    require(s.trim_share == 0.0 || s.zone_work.is_none(), &format!("{key}.trim_share"), || {
        format!("got {}, expected 0 with zone_work: zones are reset instead", s.trim_share)
    })?;
    require(s.read_share == 0.0 || s.zone_work.is_none(), &format!("{key}.read_share"), || {
        format!("got {}, expected 0 with zone_work: give reads their own flow", s.read_share)
    })?;
    check_grain(s, key)?;
    check_sizes(s, key)?;
    check_working_set(s, key)?;
    check_popularity(s, key)?;
    check_runs(s, key)?;
    check_skew(s, key)?;
    check_pace(s, key)?;
    check_mqsim(s, key)?;
    check_origin(s, key)
}

fn whole_sectors(key: &str, name: &str, size: Size) -> Checked {
    require(size.0 > 0 && size.0 % SECTOR == 0, &format!("{key}.{name}"), || {
        format!("got \"{size}\", expected a multiple of 512 B above 0")
    })
}

fn check_loop(s: &Synthetic, key: &str) -> Checked {
    require(s.queue_depth.is_some() || s.inter_arrival.is_some(), key, || {
        "got neither queue_depth (closed loop) nor inter_arrival (open loop), expected one".to_owned()
    })?;
    require(s.inter_arrival != Some(Duration(0)), &format!("{key}.inter_arrival"), || {
        "got 0, expected a time above 0".to_owned()
    })?;
    require(s.think_time.0 == 0 || s.inter_arrival.is_none(), &format!("{key}.think_time"), || {
        "needs queue_depth without inter_arrival: in an open loop nobody thinks about a completion".to_owned()
    })
}

fn check_sizes(s: &Synthetic, key: &str) -> Checked {
    let Some(size) = s.size else {
        require(!s.sizes.is_empty(), key, || "got neither size nor sizes, expected one of them".to_owned())?;
        require(s.size_deviation.0 == 0, &format!("{key}.size_deviation"), || {
            format!("got \"{}\" with sizes, expected size, about which it is", s.size_deviation)
        })?;
        check_mix(&s.sizes, &format!("{key}.sizes"))?;
        return check_mix(&s.write_sizes, &format!("{key}.write_sizes"));
    };
    require(s.sizes.is_empty(), key, || "got both size and sizes, expected one of them".to_owned())?;
    let whole = size.0 >= s.size_unit.0 || size.0 < SECTOR && size.0 % GRAIN == 0;
    require(size.0 > 0 && whole && size.0 <= 1 << 32, &format!("{key}.size"), || {
        format!(
            "got \"{size}\", expected from size_unit (\"{}\") to \"4GiB\", or below 512 B a multiple of 64 B",
            s.size_unit
        )
    })?;
    require(s.write_sizes.is_empty() || s.size_deviation.0 == 0, &format!("{key}.write_sizes"), || {
        format!("got a mix with size_deviation = \"{}\", expected one of them", s.size_deviation)
    })?;
    check_mix(&s.write_sizes, &format!("{key}.write_sizes"))
}

/// Of parts of sectors there are reads alone, and nothing that places pages or sectors.
fn check_grain(s: &Synthetic, key: &str) -> Checked {
    for (name, size) in [("size_unit", s.size_unit), ("alignment", s.alignment())] {
        require(size.0 > 0 && size.0 % GRAIN == 0, &format!("{key}.{name}"), || {
            format!("got \"{size}\", expected a multiple of 512 B above 0, or of 64 B for reads of a memory")
        })?;
    }
    let only_reads = s.read_share == 1.0 && s.trim_share + s.flush_share == 0.0 && s.zone_work.is_none();
    let by_sectors = s.size_deviation.0 > 0 || !s.write_sizes.is_empty() || s.mqsim_seed.is_some();
    let by_pages = s.channel_skew.is_some() || s.hot_spot.is_some();
    require(s.grain() == SECTOR || only_reads && !by_sectors && !by_pages, key, || {
        "got sizes or an alignment with parts of a sector of 512 B, expected them of reads alone (read_share = 1), without \
         size_deviation, write_sizes, channel_skew, hot_spot and mqsim_seed"
            .to_owned()
    })
}

fn check_mix(mix: &[SizeShare], key: &str) -> Checked {
    for (i, each) in mix.iter().enumerate() {
        require(
            each.size.0 > 0 && each.size.0 % GRAIN == 0 && each.size.0 <= 1 << 32,
            &format!("{key}.{i}.size"),
            || {
                format!(
                    "got \"{}\", expected a multiple of 512 B from 512 B to 4 GiB, or of 64 B for reads of a memory",
                    each.size
                )
            },
        )?;
    }
    require(mix.is_empty() || mix.iter().any(|each| each.share > 0.0), key, || {
        "got shares of 0 alone, expected one above 0".to_owned()
    })
}

fn check_working_set(s: &Synthetic, key: &str) -> Checked {
    require(s.working_set > 0.0, &format!("{key}.working_set"), || "got 0, expected a share above 0".to_owned())?;
    let offset = s.working_set_offset;
    require(offset.0 % SECTOR == 0, &format!("{key}.working_set_offset"), || {
        format!("got \"{offset}\", expected a multiple of 512 B")
    })?;
    let Some(size) = s.working_set_size else { return Ok(()) };
    whole_sectors(key, "working_set_size", size)?;
    require(s.working_set == 1.0, &format!("{key}.working_set"), || {
        format!("got {} together with working_set_size, expected one of them", s.working_set)
    })
}

fn check_popularity(s: &Synthetic, key: &str) -> Checked {
    let hot = matches!(s.addresses, Addresses::HotCold | Addresses::Pareto);
    require(hot || s.hot_share.is_none(), &format!("{key}.hot_share"), || {
        "needs addresses = \"hot-cold\" or \"pareto\"".to_owned()
    })?;
    let share = s.hot_share.unwrap_or(0.0);
    let name = if s.addresses == Addresses::Pareto { "pareto" } else { "hot-cold" };
    require(!hot || (share > 0.0 && share < 1.0), &format!("{key}.hot_share"), || {
        format!("got {share}, expected a share above 0 and below 1 for addresses = \"{name}\"")
    })?;
    require(s.addresses != Addresses::Pareto || share <= 0.5, &format!("{key}.hot_share"), || {
        format!("got {share}, expected at most 0.5 for addresses = \"pareto\": hot places receive more than others")
    })?;
    let zipf = s.addresses == Addresses::Zipf;
    require(zipf == s.zipf_exponent.is_some(), &format!("{key}.zipf_exponent"), || {
        if zipf {
            "got none, expected a number for addresses = \"zipf\"; around 1 is usual".to_owned()
        } else {
            "needs addresses = \"zipf\"".to_owned()
        }
    })
}

fn check_runs(s: &Synthetic, key: &str) -> Checked {
    let random = s.addresses != Addresses::Sequential;
    for (name, share) in [("sequential_share", s.sequential_share), ("recent_share", s.recent_share)] {
        require(random || share == 0.0, &format!("{key}.{name}"), || {
            format!("got {share}, expected 0 with addresses = \"sequential\", where every request follows another")
        })?;
    }
    let Some(length) = s.run_length else { return Ok(()) };
    require(s.sequential_share > 0.0, &format!("{key}.run_length"), || "needs sequential_share above 0".to_owned())?;
    let least = 1.0 / (1.0 - s.sequential_share);
    // As many digits as a person would write.
    require(length >= least * (1.0 - 1e-4), &format!("{key}.run_length"), || {
        format!("got {length}, expected at least {least:.4}: 1 / (1 - sequential_share), every request in a run")
    })
}

fn check_skew(s: &Synthetic, key: &str) -> Checked {
    require(s.hot_spot.is_none() || s.channel_skew.is_none(), &format!("{key}.hot_spot"), || {
        "got it together with channel_skew, expected one of them".to_owned()
    })?;
    require(s.hot_spot.is_none() || s.addresses != Addresses::Sequential, &format!("{key}.hot_spot"), || {
        "got one with addresses = \"sequential\", which visits all of the drive alike".to_owned()
    })?;
    let Some(skew) = s.channel_skew else { return Ok(()) };
    require(s.addresses != Addresses::Sequential, &format!("{key}.channel_skew"), || {
        "got one with addresses = \"sequential\", which visits all channels alike".to_owned()
    })?;
    require(skew.page.0 > 0 && skew.page.0 % s.alignment().0 == 0, &format!("{key}.channel_skew.page"), || {
        format!("got \"{}\", expected a multiple of alignment (\"{}\") above 0", skew.page, s.alignment())
    })?;
    require(skew.share * f64::from(skew.channels) >= 1.0, &format!("{key}.channel_skew.share"), || {
        format!("got {}, expected at least 1 / {}, the share of any channel without it", skew.share, skew.channels)
    })
}

fn check_pace(s: &Synthetic, key: &str) -> Checked {
    let given = [
        ("arrivals", s.arrivals != ArrivalTimes::default()),
        ("burstiness", s.burstiness != 1.0),
        ("burst_share", s.burst_share.is_some()),
        ("on_time", s.on_time.is_some()),
        ("off_time", s.off_time.is_some()),
        ("diurnal", s.diurnal.is_some()),
    ];
    for (name, given) in given {
        require(!given || s.inter_arrival.is_some(), &format!("{key}.{name}"), || {
            "needs inter_arrival: a closed loop has no arrival times".to_owned()
        })?;
    }
    let b = s.burstiness;
    require(s.arrivals == ArrivalTimes::Exponential || b == 1.0, &format!("{key}.burstiness"), || {
        format!("got {b} with arrivals = \"fixed\", which is a burstiness of 0; expected one of them")
    })?;
    if let Some(share) = s.burst_share {
        require(b > 1.0, &format!("{key}.burst_share"), || format!("got it with burstiness = {b}, expected above 1"))?;
        let least = (b - 1.0) / (b + 1.0);
        require(share >= least - 1e-9 && share < 1.0, &format!("{key}.burst_share"), || {
            format!("got {share}, expected from {least} = (burstiness - 1) / (burstiness + 1) to below 1")
        })?;
    }
    require(s.on_time.is_some() == s.off_time.is_some(), &format!("{key}.on_time"), || {
        "got one of on_time and off_time, expected both or none".to_owned()
    })?;
    require(s.on_time != Some(Duration(0)), &format!("{key}.on_time"), || "got 0, expected a time above 0".to_owned())?;
    require(s.diurnal.is_none_or(|d| d.period.0 > 0), &format!("{key}.diurnal.period"), || {
        "got 0, expected a time above 0".to_owned()
    })
}

fn check_mqsim(s: &Synthetic, key: &str) -> Checked {
    if s.mqsim_seed.is_none() {
        return Ok(());
    }
    let ours = [
        ("addresses", matches!(s.addresses, Addresses::Zipf | Addresses::Pareto)),
        ("sequential_share", s.sequential_share > 0.0),
        ("recent_share", s.recent_share > 0.0),
        ("channel_skew", s.channel_skew.is_some()),
        ("hot_spot", s.hot_spot.is_some()),
        ("working_set_offset", s.working_set_offset.0 > 0),
        ("sizes", !s.sizes.is_empty()),
        ("write_sizes", !s.write_sizes.is_empty()),
        ("arrivals", s.arrivals != ArrivalTimes::default()),
        ("burstiness", s.burstiness != 1.0),
        ("on_time", s.on_time.is_some()),
        ("diurnal", s.diurnal.is_some()),
    ];
    ours.into_iter().try_for_each(|(name, used)| {
        require(!used, &format!("{key}.{name}"), || {
            "got it with mqsim_seed, whose generator has no such thing".to_owned()
        })
    })
}

fn check_origin(s: &Synthetic, key: &str) -> Checked {
    if s.origin.is_empty() {
        return Ok(());
    }
    let schema = schema::of(Kind::Workload);
    let known = schema.pointer("/$defs/Synthetic/properties").and_then(Value::as_object).expect("it has fields");
    s.origin.keys().try_for_each(|name| {
        require(known.contains_key(name) && name != "origin", &format!("{key}.origin.{name}"), || {
            "got a name that is no key together with origin, expected one of them".to_owned()
        })
    })
}
