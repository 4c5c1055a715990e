//! Statistics of a trace in one pass and bounded memory.

mod channels;
mod grid;
mod histogram;
mod pages;
mod starts;

use std::collections::HashMap;

use canaletto::host::request::Kind;
use canaletto::workload::replay::Record;
use serde::Serialize;

pub use channels::Striping;

use channels::Channels;
use grid::Grid;
use histogram::Histogram;
use pages::Pages;
use starts::Starts;

/// Size of a page of the footprint, in bytes.
pub const PAGE: u64 = 4096;
/// A sequential request may continue any of these.
const STREAMS: usize = 64;
const MOST_DEVICES: usize = 1 << 20;

/// End of a request, and whether it continued one before.
#[derive(Debug)]
struct End {
    device: u32,
    byte: u64,
    continues: bool,
}

/// Survey of a trace in progress.
#[derive(Debug, Default)]
pub struct Survey {
    requests: [u64; Kind::CLASSES],
    bytes: [u128; Kind::CLASSES],
    sizes: [Histogram; 2],
    size_range: Option<(u64, u64)>,
    first_ns: Option<u64>,
    last_ns: u64,
    gaps: Histogram,
    /// Of times between arrivals, in s².
    squares: f64,
    longest_gap_ns: u64,
    devices: HashMap<u32, ()>,
    end_bytes: u64,
    ends: Vec<End>,
    sequential: u64,
    runs: u64,
    starts: Starts,
    pages: Pages,
    grids: [Grid; 2],
    channels: Option<Channels>,
}

impl Survey {
    /// With the channel of each page on a drive.
    pub fn new(striping: Option<Striping>) -> Self {
        Self { channels: striping.map(Channels::new), ..Self::default() }
    }

    /// In order of arrival.
    pub fn add(&mut self, record: &Record) {
        self.requests[record.kind.class()] += 1;
        self.bytes[record.kind.class()] += u128::from(record.bytes);
        let since_first = self.time(record.arrival_ns);
        if self.devices.len() < MOST_DEVICES {
            self.devices.insert(record.device, ());
        }
        let write = match record.kind {
            Kind::Read => false,
            Kind::Write | Kind::Append => true,
            // They move no data.
            _ => return,
        };
        self.sizes[usize::from(write)].add(record.bytes, 1);
        let (least, most) = self.size_range.unwrap_or((u64::MAX, 0));
        self.size_range = Some((least.min(record.bytes), most.max(record.bytes)));
        let end = record.offset_bytes + record.bytes;
        self.end_bytes = self.end_bytes.max(end);
        self.order(record.device, record.offset_bytes, end);
        (record.offset_bytes / PAGE..=(end - 1) / PAGE).for_each(|page| self.pages.touch(record.device, page));
        self.grids[usize::from(write)].add(since_first, record.offset_bytes);
        if let Some(channels) = &mut self.channels {
            channels.add(record.offset_bytes, record.bytes, write);
        }
    }

    /// Since the first request, in ns.
    fn time(&mut self, arrival_ns: u64) -> u64 {
        let Some(first_ns) = self.first_ns else {
            (self.first_ns, self.last_ns) = (Some(arrival_ns), arrival_ns);
            return 0;
        };
        let gap = arrival_ns.saturating_sub(self.last_ns);
        self.gaps.add(gap, 1);
        self.squares += (gap as f64 / 1e9).powi(2);
        self.longest_gap_ns = self.longest_gap_ns.max(gap);
        self.last_ns = arrival_ns;
        arrival_ns.saturating_sub(first_ns)
    }

    /// A request that continues none of the last is a start.
    fn order(&mut self, device: u32, begin: u64, end: u64) {
        let known = self.ends.iter().rposition(|known| (known.device, known.byte) == (device, begin));
        if let Some(at) = known {
            self.sequential += 1;
            self.runs += u64::from(!self.ends.remove(at).continues);
        } else {
            self.starts.add(device, begin);
            if let Some(channels) = &mut self.channels {
                channels.start(begin);
            }
            if self.ends.len() == STREAMS {
                self.ends.remove(0);
            }
        }
        self.ends.push(End { device, byte: end, continues: known.is_some() });
    }

    /// Returns the findings.
    pub fn finish(self) -> Findings {
        let requests: u64 = self.requests.iter().sum();
        let [reads, writes, trims, flushes, _] = self.requests;
        let moved = self.bytes[0] + self.bytes[1];
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let mut both = self.sizes[0].clone();
        self.sizes[1].buckets().for_each(|(size, count)| both.add(size, count));
        let footprint = self.pages.finish();
        let starts = self.starts.finish();
        let us = |ns: u64| ns as f64 / 1e3;
        let gaps = requests.saturating_sub(1);
        let span_ns = self.last_ns - self.first_ns.unwrap_or(self.last_ns);
        let mean_s = span_ns as f64 / 1e9 / gaps as f64;
        let deviation = (self.squares / gaps as f64 - mean_s * mean_s).max(0.0).sqrt();
        Findings {
            requests,
            reads,
            writes,
            trims,
            flushes,
            read_share: share(reads, reads + writes),
            bytes_read: self.bytes[0] as f64,
            bytes_written: self.bytes[1] as f64,
            bytes_trimmed: self.bytes[Kind::Trim as usize] as f64,
            size_bytes: Sizes {
                mean: (reads + writes > 0).then(|| moved as f64 / (reads + writes) as f64),
                min: self.size_range.map(|range| range.0),
                p50: both.quantile(0.5),
                p99: both.quantile(0.99),
                max: self.size_range.map(|range| range.1),
            },
            sizes: self.sizes.map(|sizes| sizes.buckets().collect()),
            devices: self.devices.len() as u64,
            end_bytes: self.end_bytes,
            span_us: (requests > 0).then(|| us(span_ns)),
            mean_inter_arrival_us: (gaps > 0).then(|| us(span_ns) / gaps as f64),
            inter_arrival_us: InterArrival {
                p50: self.gaps.quantile(0.5).map(us),
                p90: self.gaps.quantile(0.9).map(us),
                p99: self.gaps.quantile(0.99).map(us),
                max: (gaps > 0).then(|| us(self.longest_gap_ns)),
                variation: (gaps > 0 && mean_s > 0.0).then(|| deviation / mean_s),
                zero_share: share(self.gaps.buckets().find(|(gap, _)| *gap == 0).map_or(0, |(_, count)| count), gaps),
            },
            inter_arrivals: self.gaps.buckets().map(|(gap, count)| (us(gap), count)).collect(),
            footprint_bytes: footprint.pages * PAGE,
            sequential_share: share(self.sequential, reads + writes),
            run_length: (self.runs > 0).then(|| 1.0 + self.sequential as f64 / self.runs as f64),
            starts: Starting {
                count: starts.count,
                pages: starts.pages,
                hottest_10_percent: starts.hottest_10_percent,
                recent_share: starts.recent_share,
                alignment_bytes: starts.alignment_bytes,
            },
            reuse: Reuse {
                page_accesses: footprint.accesses,
                share: share(footprint.again, footprint.accesses),
                hottest_1_percent: footprint.hottest[0],
                hottest_10_percent: footprint.hottest[1],
                hottest_20_percent: footprint.hottest[2],
                one_page_of: footprint.sampled,
                distances: footprint.gaps.buckets().collect(),
            },
            map: self.grids.map(|grid| Map { time_us: us(grid.time_ns), bytes: grid.bytes, cells: grid.cells() }),
            channels: self.channels.map(balance),
        }
    }
}

fn balance(channels: Channels) -> Balance {
    let (imbalance, imbalance_of_bursts) = channels.imbalance();
    let (page_bytes, start_share) = (channels.page_bytes(), channels.start_share());
    Balance { page_bytes, imbalance, imbalance_of_bursts, start_share, pages: channels.pages }
}

/// Statistics of a trace. Shares are of reads and writes unless said otherwise; figures of nothing are absent.
#[derive(Debug, Serialize)]
#[allow(missing_docs)] // Names say it, and `docs/reference/traces.md`.
pub struct Findings {
    pub requests: u64,
    pub reads: u64,
    pub writes: u64,
    pub trims: u64,
    pub flushes: u64,
    pub read_share: Option<f64>,
    pub bytes_read: f64,
    pub bytes_written: f64,
    pub bytes_trimmed: f64,
    pub size_bytes: Sizes,
    /// Sizes and counts of reads and of writes.
    pub sizes: [Vec<(u64, u64)>; 2],
    pub devices: u64,
    pub end_bytes: u64,
    pub span_us: Option<f64>,
    pub mean_inter_arrival_us: Option<f64>,
    pub inter_arrival_us: InterArrival,
    /// Times between arrivals in microseconds, and counts.
    pub inter_arrivals: Vec<(f64, u64)>,
    pub footprint_bytes: u64,
    /// Share of the requests that begin where one of the 64 before ended, on the same device.
    pub sequential_share: Option<f64>,
    /// Mean number of requests of a sequential run, of runs of at least two.
    pub run_length: Option<f64>,
    pub starts: Starting,
    pub reuse: Reuse,
    /// Requests by time and address, of reads and of writes.
    pub map: [Map; 2],
    pub channels: Option<Balance>,
}

/// Sizes of requests.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct Sizes {
    pub mean: Option<f64>,
    pub min: Option<u64>,
    pub p50: Option<u64>,
    pub p99: Option<u64>,
    pub max: Option<u64>,
}

/// Times between arrivals.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct InterArrival {
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    pub max: Option<f64>,
    /// Standard deviation over mean: 1 of a Poisson process, more of bursts.
    pub variation: Option<f64>,
    /// Share of times that are 0.
    pub zero_share: Option<f64>,
}

/// Starts of requests that do not continue a sequential run.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct Starting {
    pub count: u64,
    /// Number of pages of 4 KiB with a start.
    pub pages: u64,
    /// Share of starts in the hottest 10 % of these pages.
    pub hottest_10_percent: f64,
    /// Share of starts in a page with one of the 1,024 starts before.
    pub recent_share: Option<f64>,
    /// Alignment of starts: the largest of 512 B to 4 KiB of which nine starts in ten are multiples.
    pub alignment_bytes: u64,
}

/// Repeated accesses to pages of 4 KiB.
#[derive(Debug, Serialize)]
#[allow(missing_docs)]
pub struct Reuse {
    pub page_accesses: u64,
    /// Share of the page accesses that are to pages accessed before.
    pub share: Option<f64>,
    pub hottest_1_percent: f64,
    pub hottest_10_percent: f64,
    pub hottest_20_percent: f64,
    /// Sampling of the estimate: one page of that many.
    pub one_page_of: u64,
    /// Numbers of page accesses between two of the same page, and counts.
    pub distances: Vec<(u64, u64)>,
}

/// Requests by time and address.
#[derive(Debug, Serialize)]
pub struct Map {
    /// Time that a cell spans, in microseconds.
    pub time_us: f64,
    /// Range of addresses that a cell spans, in bytes.
    pub bytes: u64,
    /// Positions in time and address, and counts.
    pub cells: Vec<(usize, usize, u64)>,
}

/// Balance of the pages among the channels of a drive.
#[derive(Debug, Serialize)]
pub struct Balance {
    /// Size of the drive's pages, in bytes.
    pub page_bytes: u64,
    /// Pages on the busiest channel over the mean of all.
    pub imbalance: f64,
    /// Mean of that ratio over stretches of 64 pages per channel.
    pub imbalance_of_bursts: Option<f64>,
    /// Share of the starts (see `starts`) on the channel with most of them.
    pub start_share: Option<f64>,
    /// Pages read and written on each channel.
    pub pages: Vec<[u64; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(arrival_ns: u64, offset_bytes: u64, bytes: u64, kind: Kind) -> Record {
        Record { arrival_ns, device: 0, offset_bytes, bytes, kind, ..Record::PLAIN }
    }

    #[test]
    fn figures_of_a_small_trace() {
        let mut survey = Survey::default();
        survey.add(&record(1000, 0, 8192, Kind::Read));
        survey.add(&record(1000, 8192, 4096, Kind::Read));
        survey.add(&record(4000, 0, 512, Kind::Write));
        survey.add(&record(4000, 0, 0, Kind::Flush));
        survey.add(&record(9000, 1 << 30, 1 << 20, Kind::Trim));
        let found = survey.finish();
        assert_eq!((found.requests, found.reads, found.writes, found.trims, found.flushes), (5, 2, 1, 1, 1));
        assert_eq!((found.bytes_read, found.bytes_written, found.end_bytes), (12288.0, 512.0, 12288));
        assert_eq!(found.size_bytes.mean, Some(12800.0 / 3.0));
        assert_eq!(
            (found.size_bytes.min, found.size_bytes.p50, found.size_bytes.max),
            (Some(512), Some(4096), Some(8192))
        );
        assert_eq!((found.span_us, found.mean_inter_arrival_us), (Some(8.0), Some(2.0)));
        assert_eq!(found.inter_arrival_us.zero_share, Some(0.5));
        // Gaps of 0, 3, 0 and 5 µs: mean 2, deviation sqrt(34 / 4 - 4).
        assert!((found.inter_arrival_us.variation.unwrap() - 4.5f64.sqrt() / 2.0).abs() < 1e-9);
        assert_eq!((found.footprint_bytes, found.sequential_share), (12288, Some(1.0 / 3.0)));
        assert_eq!((found.reuse.page_accesses, found.reuse.share), (4, Some(0.25)));
        assert_eq!(found.map[0].cells, [(0, 0, 1), (0, 2, 1)]);
    }

    #[test]
    fn several_streams_are_each_in_sequence() {
        let mut survey = Survey::default();
        for i in 0..100 {
            (0..STREAMS as u64).for_each(|s| survey.add(&record(i, (s << 30) + i * 4096, 4096, Kind::Read)));
        }
        assert_eq!(survey.finish().sequential_share, Some(0.99));
        let empty = Survey::default().finish();
        assert_eq!((empty.requests, empty.read_share, empty.span_us), (0, None, None));
    }
}
