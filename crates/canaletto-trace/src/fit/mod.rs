//! A generator's keys, with traffic statistically like a trace.
//!
//! Everything comes from [`Findings`], from one pass in bounded memory. `docs/explanation/workloads.md` explains the
//! fits.

mod pace;
mod popularity;

use std::collections::BTreeMap;

use canaletto::config::units::{Duration, Size};
use canaletto::config::workload::{Addresses, ChannelSkew, Flow, Origin, SizeShare, Synthetic, Workload};

use crate::survey::{Findings, PAGE};

/// Others are grouped by powers of two.
const MOST_SIZES: usize = 24;

/// Of the drive that a profile is fitted for.
#[derive(Debug, Clone, Copy)]
pub struct Channels {
    /// Number of channels.
    pub count: u32,
    /// Size of a page in bytes.
    pub page_bytes: u64,
}

impl Default for Channels {
    /// Of the Venice paper's drives (Table 1).
    fn default() -> Self {
        Channels { count: 8, page_bytes: 4096 }
    }
}

/// Fits a profile for a drive with these channels.
///
/// # Errors
/// A trace with nothing to fit.
pub fn fit(found: &Findings, name: &str, about: &str, channels: Channels) -> Result<Workload, String> {
    let Some(read_share) = found.read_share else {
        return Err("no reads and no writes, expected some to fit a profile to".to_owned());
    };
    let all = found.requests as f64;
    let mut fitted = Synthetic {
        requests: found.requests,
        read_share,
        trim_share: found.trims as f64 / all,
        flush_share: found.flushes as f64 / all,
        ..Synthetic::default()
    };
    fit_sizes(&mut fitted, found);
    fit_places(&mut fitted, found, channels);
    pace::fit(&mut fitted, found);
    fitted.origin = origins(&fitted);
    Ok(Workload::of(name, about, vec![Flow::generated(name, fitted)]))
}

fn fit_sizes(fitted: &mut Synthetic, found: &Findings) {
    let [reads, writes] = &found.sizes;
    fitted.sizes = mix(if reads.is_empty() { writes } else { reads });
    if !reads.is_empty() && !writes.is_empty() {
        fitted.write_sizes = mix(writes);
    }
}

/// And the means of the others between powers of two, in whole sectors.
fn mix(sizes: &[(u64, u64)]) -> Vec<SizeShare> {
    let all: u64 = sizes.iter().map(|(_, count)| count).sum();
    let mut by_count = sizes.to_vec();
    by_count.sort_by_key(|(size, count)| (std::cmp::Reverse(*count), *size));
    // Size in sectors, so that those which become one are added up.
    let mut shares: BTreeMap<u64, u64> = BTreeMap::new();
    let (common, rare) = by_count.split_at(by_count.len().min(MOST_SIZES));
    let sectors = |bytes: u64| bytes.div_ceil(512);
    common.iter().for_each(|(size, count)| *shares.entry(sectors(*size)).or_default() += count);
    let mut groups: BTreeMap<u32, (u128, u64)> = BTreeMap::new();
    for (size, count) in rare {
        let group = groups.entry(size.ilog2()).or_default();
        group.0 += u128::from(*size) * u128::from(*count);
        group.1 += count;
    }
    for (bytes, count) in groups.into_values() {
        *shares.entry(sectors((bytes / u128::from(count)) as u64)).or_default() += count;
    }
    let share = |count: u64| rounded(count as f64 / all as f64);
    shares.into_iter().map(|(sectors, count)| SizeShare { size: Size(sectors * 512), share: share(count) }).collect()
}

fn fit_places(fitted: &mut Synthetic, found: &Findings, channels: Channels) {
    let starts = &found.starts;
    fitted.alignment = Some(Size(starts.alignment_bytes));
    fitted.sequential_share = rounded(found.sequential_share.unwrap_or(0.0)).min(0.999);
    if fitted.sequential_share > 0.0 {
        let least = 1.0 / (1.0 - fitted.sequential_share);
        // The survey does not count runs of one request, which geometric lengths include: longer runs are longer by
        // one.
        fitted.run_length = found.run_length.map(|length| rounded(length - 1.0).max(least));
    }
    let law = popularity::fit(&popularity::Seen {
        starts: starts.count as f64,
        pages: starts.pages as f64,
        hottest_10_percent: starts.hottest_10_percent,
        recent_share: starts.recent_share.unwrap_or(0.0),
        accesses: found.reuse.page_accesses as f64,
        footprint: (found.footprint_bytes / PAGE) as f64,
        most_pages: (found.end_bytes.div_ceil(PAGE) as f64 * found.devices.max(1) as f64).min(popularity::MOST_PAGES),
    });
    if law.exponent > 0.0 {
        fitted.addresses = Addresses::Zipf;
        fitted.zipf_exponent = Some(rounded(law.exponent));
    }
    fitted.recent_share = rounded(law.recent_share);
    let largest = fitted.largest_bytes();
    // The requested length must lie within, however few places there are.
    let bytes = ((law.pages.round() as u64) * PAGE).max(4 * largest.next_multiple_of(PAGE));
    fitted.working_set_size = Some(Size(bytes));
    fitted.channel_skew = skew(found, channels, fitted.alignment());
}

/// If it exceeds chance (three standard deviations).
fn skew(found: &Findings, channels: Channels, alignment: Size) -> Option<ChannelSkew> {
    let share = found.channels.as_ref()?.start_share?;
    let even = 1.0 / f64::from(channels.count);
    let chance = 3.0 * (even * (1.0 - even) / found.starts.count as f64).sqrt();
    let fits = channels.count > 1 && channels.page_bytes % alignment.0 == 0;
    (fits && share > even + chance).then(|| ChannelSkew {
        share: rounded(share),
        channels: channels.count,
        page: Size(channels.page_bytes),
    })
}

fn origins(fitted: &Synthetic) -> BTreeMap<String, Origin> {
    let from_trace = [
        "requests",
        "read_share",
        "trim_share",
        "flush_share",
        "sizes",
        "write_sizes",
        "addresses",
        "zipf_exponent",
        "working_set_size",
        "recent_share",
        "sequential_share",
        "run_length",
        "channel_skew",
        "alignment",
    ];
    let pace = ["inter_arrival", "burstiness", "burst_share"];
    let assumed = ["popular_regions", "fua_share", "write_zeroes_share", "on_time", "off_time", "diurnal"];
    let open = fitted.inter_arrival.is_some();
    let pace = pace.into_iter().filter(|_| open).map(|key| (key, Origin::Fitted));
    let depth = (!open).then_some(("queue_depth", Origin::Assumed));
    let all = from_trace.map(|key| (key, Origin::Fitted)).into_iter().chain(pace).chain(depth);
    all.chain(assumed.map(|key| (key, Origin::Assumed))).map(|(key, origin)| (key.to_owned(), origin)).collect()
}

/// To four significant digits.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10f64.powi(3 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

fn picoseconds(us: f64) -> Duration {
    Duration((us * 1e6).round() as u64)
}

#[cfg(test)]
mod tests;
