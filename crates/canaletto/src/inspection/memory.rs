//! Estimates from the sizes of the engine's structures and the first requests.

use serde::Serialize;

use super::{Bound, Limits};
use crate::cache::pages::CachedPage;
use crate::config::design::{Design, Policy, PreconditionKind, Protocol, UnwrittenReads};
use crate::config::workload::{Flow, Workload};
use crate::engine::run::TraceInput;
use crate::host::request::Request;
use crate::measure::blame::CAUSES;
use crate::scheduler::transaction::Transaction;
use crate::workload::flow::Loop;
use crate::workload::glance::{Glance, glance};

/// Python, its packages and the engine's code: measured.
const PROCESS: f64 = 85e6;

/// Of a memory without a limit.
const MOST_ACCESSES: u32 = 65_535;

/// With its share of LUN, chip and queues.
const PLANE: f64 = 700.0;

/// Without its pages, with its place among candidates.
const BLOCK: f64 = 72.0;

/// A logical page; and details, where unusual.
const PAGE: f64 = 8.0;
const DETAILS: f64 = 16.0;

/// The system's, taken where any group of the mapping table is in use.
const STRETCH: f64 = 4096.0;

/// In a list, whose capacity is a power of two.
const ENTRY: f64 = 12.0;

/// With its places in index and translation page.
const CACHED_ENTRY: f64 = 150.0;

/// Up to four places of the index.
const CACHED_PAGE_PLACES: f64 = 64.0;

/// Of a flow's reads and writes.
const FLOW_AT_LUN: f64 = 120.0;

/// Counters, place in the order, sums of valid pages.
const SEEDED_BLOCK: f64 = 120.0;

/// On their way to a file, and copies: in the engine, as Python's bytes, as a frame, and packed.
const ROWS: f64 = 45_000.0;
const COPIES: f64 = 4.0;

const ROOT_CAUSES: f64 = (CAUSES * 8) as f64;

/// Doings of LUNs and slots, for each of its pages.
const HISTORY: f64 = 80.0;

/// Per page ahead at the LUN: of reads, writes, cached writes. Measured for requests of 4 and 32 KiB that arrive
/// together on four presets, within a factor of two.
const PASSED_ON_READ: f64 = 60.0;
const PASSED_ON_WRITE: f64 = 150.0;
const PASSED_ON_CACHED: f64 = 20.0;

/// Share of the peak from which requests pile up.
const SATURATED: f64 = 0.9;

/// Memory that a run is expected to take, by what takes it, in 10^6 bytes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Memory {
    /// Interpreter and code.
    pub process_mb: f64,
    /// State of planes and LUNs, and of the drive before the run.
    pub planes_mb: f64,
    /// Mapping table, and cache of it.
    pub mapping_mb: f64,
    /// Contents of the blocks in use.
    pub blocks_mb: f64,
    /// Pages of the data cache.
    pub cache_mb: f64,
    /// Requests and their pages in flight.
    pub in_flight_mb: f64,
    /// Requests that wait at the host, because more arrive than the drive serves.
    pub waiting_mb: f64,
    /// Rows of requests on their way to a file.
    pub rows_mb: f64,
}

impl Memory {
    pub(super) fn of(
        design: &Design,
        workload: &Workload,
        limits: &Limits,
        traces: Vec<Option<TraceInput>>,
        bounds: [&[Bound]; 2],
        records: bool,
    ) -> Memory {
        let mut inputs = traces.into_iter();
        let flows = workload.flow.iter().zip(&limits.flows);
        let glances: Vec<Glance> =
            flows.map(|(flow, range)| glance(flow, range, &limits.layout, &mut inputs)).collect();
        let limits_gb_s = bounds.map(|bounds| bounds.first().map_or(f64::INFINITY, |b| b.limit_gb_s));
        let scale = clock_scale(workload, &glances);
        let load = load(workload, &glances, scale, limits_gb_s);
        let backlogs = glances.iter().map(|glance| backlog(glance, scale, limits_gb_s)).collect();
        let mb = |bytes: f64| bytes / 1e6;
        let made = Estimate { design, workload, limits, glances, load, backlogs };
        Memory {
            process_mb: mb(PROCESS),
            planes_mb: mb(made.planes()),
            mapping_mb: mb(made.mapping()),
            blocks_mb: mb(made.blocks()),
            cache_mb: mb(made.sum(|g| g.pages).min(limits.cache_pages as f64)
                * (size_of::<CachedPage>() as f64 + CACHED_PAGE_PLACES)),
            in_flight_mb: mb(made.in_flight()),
            waiting_mb: mb(made.waiting()),
            rows_mb: if records { mb(made.sum(|g| g.requests).min(ROWS) * row_bytes() * COPIES) } else { 0.0 },
        }
    }

    /// Sum of all parts, in 10^6 bytes.
    pub fn total_mb(&self) -> f64 {
        self.process_mb
            + self.planes_mb
            + self.mapping_mb
            + self.blocks_mb
            + self.cache_mb
            + self.in_flight_mb
            + self.waiting_mb
            + self.rows_mb
    }
}

fn row_bytes() -> f64 {
    45.0 + 2.0 * ROOT_CAUSES
}

fn paced<'a>(workload: &'a Workload, glances: &'a [Glance]) -> impl Iterator<Item = &'a Glance> {
    workload.flow.iter().zip(glances).filter(|(flow, _)| flow.looping() == Loop::Open).map(|(_, glance)| glance)
}

fn rate(glance: &Glance) -> f64 {
    glance.gap_s.filter(|gap| *gap > 0.0).map_or(0.0, |gap| 1.0 / gap)
}

fn clock_scale(workload: &Workload, glances: &[Glance]) -> f64 {
    let given: f64 = paced(workload, glances).map(rate).sum();
    match workload.inter_arrival {
        Some(gap) if given > 0.0 => 1.0 / gap.time().seconds() / given,
        _ => 1.0,
    }
}

fn work_s([read, written]: [f64; 2], limits_gb_s: [f64; 2]) -> f64 {
    (read / limits_gb_s[0] + written / limits_gb_s[1]) / 1e9
}

fn load(workload: &Workload, glances: &[Glance], scale: f64, limits_gb_s: [f64; 2]) -> f64 {
    let of = |glance: &Glance| work_s([glance.read_bytes, glance.written_bytes], limits_gb_s) * rate(glance) * scale;
    paced(workload, glances).map(of).sum()
}

/// If the drive serves many that arrive together at its peak.
fn backlog(glance: &Glance, scale: f64, limits_gb_s: [f64; 2]) -> f64 {
    let (mut now_s, mut left_s, mut most_s) = (0.0, 0.0_f64, 0.0_f64);
    for arriving in &glance.arrivals {
        left_s = (left_s - (arriving.at_s - now_s) / scale).max(0.0) + work_s(arriving.bytes, limits_gb_s);
        most_s = most_s.max(left_s);
        now_s = arriving.at_s;
    }
    let mean_s = work_s([glance.read_bytes, glance.written_bytes], limits_gb_s);
    if mean_s > 0.0 { most_s / mean_s } else { 0.0 }
}

fn request_bytes(glance: &Glance) -> f64 {
    size_of::<Request>() as f64 + ROOT_CAUSES + 16.0 + glance.pages_each * HISTORY
}

struct Estimate<'a> {
    design: &'a Design,
    workload: &'a Workload,
    limits: &'a Limits,
    glances: Vec<Glance>,
    load: f64,
    /// They arrive together.
    backlogs: Vec<f64>,
}

impl Estimate<'_> {
    fn sum(&self, of: impl Fn(&Glance) -> f64) -> f64 {
        self.glances.iter().map(of).sum()
    }

    fn planes(&self) -> f64 {
        let layout = &self.limits.layout;
        let planes = f64::from(layout.planes());
        let fairly = self.design.scheduler.policy == Policy::Flin;
        let told_apart = if fairly { f64::from(layout.luns()) * self.workload.flow.len() as f64 } else { 0.0 };
        let before = match self.design.precondition.kind {
            PreconditionKind::None => 0.0,
            PreconditionKind::Steady => planes * f64::from(layout.blocks_per_plane) * SEEDED_BLOCK,
            PreconditionKind::Replay => planes * f64::from(layout.blocks_per_plane) * BLOCK,
        };
        planes * PLANE + told_apart * FLOW_AT_LUN + before
    }

    /// At the end.
    fn mapped(&self) -> f64 {
        let all = self.limits.logical_pages as f64;
        match self.design.precondition.kind {
            PreconditionKind::Replay => all,
            _ => self.sum(|g| g.pages).min(all) + self.translation_pages(),
        }
    }

    fn translation_pages(&self) -> f64 {
        let all: f64 = self.limits.directories.iter().map(|directory| directory.translation_pages() as f64).sum();
        let looks = self.sum(|g| g.groups + g.trimmed);
        if all > 0.0 { all * (1.0 - (-looks / all).exp()) } else { 0.0 }
    }

    /// Pages of a group leave the cache together.
    fn translation_writes(&self) -> f64 {
        if self.limits.directories.is_empty() {
            return 0.0;
        }
        let is_written = self.design.precondition.kind != PreconditionKind::None;
        let changes = self.sum(|g| {
            let written = g.written * (g.groups / g.pages.max(1.0)).min(1.0);
            written + if is_written { g.trimmed } else { g.trimmed.min(g.written) }
        });
        (changes - self.cached_entries()).max(0.0)
    }

    fn cached_entries(&self) -> f64 {
        self.design.mapping.entries(1) as f64 * f64::from(self.limits.streams)
    }

    fn mapping(&self) -> f64 {
        let all = self.limits.logical_pages as f64 / 64.0;
        let replayed = self.design.precondition.kind == PreconditionKind::Replay;
        let groups = if replayed { all } else { self.sum(|g| g.groups).min(all) };
        let stretches = if replayed { all / 256.0 } else { self.sum(|g| g.stretches).min(all / 256.0 + 1.0) };
        // With so many pages to a group at random, that many groups have one.
        let mapped = self.mapped();
        let alone = groups * (1.0 - (mapped / groups.max(1.0) - 1.0)).clamp(0.0, 1.0);
        let looked_up = self.sum(|g| g.pages + g.trimmed);
        let table = stretches * STRETCH + (mapped - alone) * ENTRY + self.bits() * STRETCH;
        table + self.cached_entries().min(looked_up) * CACHED_ENTRY
    }

    fn bits(&self) -> f64 {
        let reads_find = self.design.ftl.unwritten_reads != UnwrittenReads::Zeroes;
        if reads_find || self.design.precondition.kind == PreconditionKind::Steady { self.sum(|g| g.bits) } else { 0.0 }
    }

    fn blocks(&self) -> f64 {
        let layout = &self.limits.layout;
        let (pages, planes) = (f64::from(layout.pages_per_block), f64::from(layout.planes()));
        let placed = match self.design.precondition.kind {
            PreconditionKind::None => self.sum(|g| g.pages.max(g.written)) + self.translation_pages(),
            PreconditionKind::Steady => self.sum(|g| g.written),
            PreconditionKind::Replay => layout.pages() as f64,
        };
        let padded = self.translation_writes() * f64::from(layout.pages_per_flash_page());
        let placed = (placed + padded).min(layout.pages() as f64);
        let begun = planes * (1.0 - (-placed / planes).exp());
        let blocks = (placed / pages + begun).min(planes * f64::from(layout.blocks_per_plane));
        let whole = 1.0 - self.sum(|g| g.partial * g.written) / self.sum(|g| g.written).max(1.0);
        // What is written of it is merged.
        let are_merged = self.design.ftl.unwritten_reads == UnwrittenReads::AssumePageWritten;
        let details = if are_merged { 0.0 } else { (1.0 - whole.powf(pages)) * DETAILS };
        blocks * (BLOCK + pages * (PAGE + details))
    }

    fn entries(&self) -> f64 {
        let host = &self.design.host;
        match host.protocol {
            Protocol::Nvme => f64::from(host.queues_per_flow) * f64::from(host.queue_entries),
            Protocol::Sata => f64::from(host.sata.slots),
            Protocol::Memory => f64::from(host.command_limit.unwrap_or(MOST_ACCESSES)),
        }
    }

    fn depths(&self, flow: &Flow, glance: &Glance, backlog: f64) -> (f64, f64) {
        let (entries, fetched) = (self.entries(), self.fetched());
        let outstanding = match flow.looping() {
            Loop::Closed(depth) | Loop::Limited(depth) => f64::from(depth),
            Loop::Unpaced => entries,
            Loop::Open if self.load >= SATURATED => entries,
            // A queue per plane, as long as a single server's.
            Loop::Open => {
                let queued = self.load / (1.0 - self.load) * f64::from(self.limits.layout.planes()) + 16.0;
                queued.max(backlog.min(entries))
            }
        };
        let outstanding = outstanding.min(glance.requests);
        (outstanding.min(fetched), outstanding)
    }

    /// At most.
    fn fetched(&self) -> f64 {
        let host = &self.design.host;
        let fetched = match host.protocol {
            Protocol::Nvme => f64::from(host.queues_per_flow) * f64::from(host.fetch_limit),
            Protocol::Sata | Protocol::Memory => self.entries(),
        };
        fetched.min(host.command_limit.map_or(f64::INFINITY, f64::from))
    }

    fn passed_on(&self, flow: &Flow, glance: &Glance) -> f64 {
        let before = self.fetched() * glance.pages_each / f64::from(self.limits.layout.luns());
        let is_cached = self.limits.cache_pages > 0 && flow.cache.unwrap_or(self.design.cache.mode).writes();
        let written = if is_cached { PASSED_ON_CACHED } else { PASSED_ON_WRITE };
        let sum = glance.read_bytes * PASSED_ON_READ + glance.written_bytes * written;
        before * sum / (glance.read_bytes + glance.written_bytes).max(1.0)
    }

    fn in_flight(&self) -> f64 {
        let several = if self.workload.flow.len() > 1 { 16.0 * self.workload.flow.len() as f64 } else { 0.0 };
        let page = size_of::<Transaction>() as f64 + ROOT_CAUSES + several + 16.0;
        let most = match self.design.controller.pages_in_flight {
            0 => f64::INFINITY,
            pages => f64::from(pages),
        };
        let flows = self.workload.flow.iter().zip(&self.glances).zip(&self.backlogs);
        flows
            .map(|((flow, glance), &backlog)| {
                let (fetched, outstanding) = self.depths(flow, glance, backlog);
                let waiting = (outstanding - fetched) * self.passed_on(flow, glance);
                let at_work = fetched * glance.pages_each.min(most) * page;
                outstanding * request_bytes(glance) + waiting + at_work
            })
            .sum()
    }

    fn waiting(&self) -> f64 {
        let flows = self.workload.flow.iter().zip(&self.glances).zip(&self.backlogs);
        let open = flows.filter(|((flow, _), _)| flow.looping() == Loop::Open);
        let share = (1.0 - SATURATED / self.load).max(0.0);
        let of = |flow: &Flow, glance: &Glance, backlog: f64| {
            let most = (glance.requests * share).max(backlog - self.entries());
            most * (request_bytes(glance) + self.passed_on(flow, glance))
        };
        open.map(|((flow, glance), &backlog)| of(flow, glance, backlog)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::glance::Arriving;

    #[test]
    fn requests_that_arrive_together_wait_together() {
        let read = |at_s: f64| Arriving { at_s, bytes: [1e6, 0.0] };
        // 1 ms each at 1 GB/s: 100 at once, 50 served in a pause, 30 more.
        let arrivals = (0..100).map(|_| read(1.0)).chain((0..30).map(|_| read(1.05))).collect();
        let glance = Glance { read_bytes: 1e6, arrivals, ..Glance::default() };
        assert!((backlog(&glance, 1.0, [1.0, 1.0]) - 100.0).abs() < 1e-6);
        assert!((backlog(&glance, 10.0, [1.0, 1.0]) - 125.0).abs() < 1e-6, "ten times as fast");
        assert!((backlog(&glance, 1.0, [10.0, 1.0]) - 100.0).abs() < 1e-6, "of a faster drive");
        assert_eq!(backlog(&Glance::default(), 1.0, [1.0, 1.0]), 0.0);
    }
}
