//! A flow's first requests: number, size, pages touched.
//!
//! Requests are made as for a run, without a drive. Beyond a glance, the number of different pages continues as a power
//! of the number of requests, with the exponent of the last doubling.

#![expect(clippy::disallowed_types, reason = "counted only, never iterated over")]

use std::collections::{HashMap, HashSet};

use crate::config::workload::Flow;
use crate::engine::run::TraceInput;
use crate::engine::time::Time;
use crate::flash::address::Layout;
use crate::host::request::Kind;
use crate::limits::FlowRange;
use crate::workload::flow::{Loop, Wanted};
use crate::workload::plan::Plan;
use crate::workload::synthetic::Generator;

/// And groups of pages: a fraction of a second.
const REQUESTS: u64 = 100_000;
const GROUPS: u64 = 500_000;

const GROUP: u64 = 64;

const STRETCH: u64 = 256;

/// Bits in a page of the system's memory.
const BITS: u64 = GROUP * 512;

#[derive(Debug, Clone, Copy)]
pub struct Arriving {
    pub at_s: f64,
    pub bytes: [f64; 2],
}

#[derive(Debug, Clone, Default)]
pub struct Glance {
    pub requests: f64,
    pub pages_each: f64,
    /// Per request.
    pub read_bytes: f64,
    pub written_bytes: f64,
    pub written: f64,
    /// Of the pages written.
    pub partial: f64,
    pub pages: f64,
    pub groups: f64,
    pub stretches: f64,
    /// As often as each is deallocated.
    pub trimmed: f64,
    /// In the system's memory.
    pub bits: f64,
    /// In seconds, for requests with their own times.
    pub gap_s: Option<f64>,
    pub arrivals: Vec<Arriving>,
}

#[derive(Clone, Copy, Default)]
struct Different {
    requests: u64,
    pages: u64,
    groups: u64,
    stretches: u64,
    bits: u64,
}

#[derive(Default)]
struct Seen {
    groups: HashMap<u64, u64>,
    stretches: HashSet<u64>,
    bits: HashSet<u64>,
    looks: u64,
    now: Different,
    earlier: Different,
    /// Of the last doubling.
    doubling: u64,
    pages: u64,
    read_bytes: u64,
    written_bytes: u64,
    written: u64,
    partial: u64,
    trimmed: u64,
    arrivals: Vec<Arriving>,
}

impl Seen {
    fn arrives(&mut self, wanted: &Wanted, at: Time) {
        let bytes = wanted.bytes() as f64;
        let of = |kind| if wanted.kind == kind { bytes } else { 0.0 };
        self.arrivals.push(Arriving { at_s: at.seconds(), bytes: [of(Kind::Read), of(Kind::Write)] });
    }

    fn add(&mut self, wanted: &Wanted, range: &FlowRange, layout: &Layout) {
        if self.now.requests >= self.doubling.max(64) {
            (self.earlier, self.doubling) = (self.now, 2 * self.now.requests);
        }
        self.now.requests += 1;
        let sectors = u64::from(wanted.sectors);
        if wanted.kind == Kind::Flush || sectors == 0 {
            return;
        }
        let per_page = u64::from(layout.sectors_per_page);
        let first = wanted.lba - range.first_sector;
        let end = (first + sectors).min(range.sectors).max(first + 1);
        let pages = first / per_page..end.div_ceil(per_page);
        let count = pages.end - pages.start;
        if wanted.kind == Kind::Trim {
            self.trimmed += count.div_ceil(GROUP);
            let bits = (range.first_page + pages.start) / BITS..=(range.first_page + pages.end - 1) / BITS;
            self.looks += bits.end() - bits.start() + 1;
            self.bits.extend(bits);
            self.now.bits = self.bits.len() as u64;
            return;
        }
        self.pages += count;
        let bytes = wanted.bytes();
        if wanted.kind == Kind::Write {
            self.written += count;
            self.written_bytes += bytes;
            self.partial += u64::from(first % per_page != 0) + u64::from(end % per_page != 0);
        } else {
            self.read_bytes += bytes;
        }
        let mut page = range.first_page + pages.start;
        let end = range.first_page + pages.end;
        while page < end {
            let group = page / GROUP;
            let until = end.min((group + 1) * GROUP);
            let mask = (u64::MAX >> (GROUP - (until - page))) << (page % GROUP);
            self.look(group, mask);
            page = until;
        }
    }

    fn look(&mut self, group: u64, mask: u64) {
        self.looks += 1;
        let known = self.groups.entry(group).or_insert(0);
        self.now.groups += u64::from(*known == 0);
        self.now.pages += u64::from((mask & !*known).count_ones());
        *known |= mask;
        self.now.stretches += u64::from(self.stretches.insert(group / STRETCH));
    }

    fn is_enough(&self) -> bool {
        self.now.requests >= REQUESTS || self.looks >= GROUPS
    }

    /// No more than `fresh` differ from those before.
    fn until(self, requests: f64, fresh: f64, gap_s: Option<f64>) -> Glance {
        let count = self.now.requests.max(1) as f64;
        let growth = requests.min(fresh) / count;
        let different = |now: u64, earlier: u64| {
            let doublings = (count / self.earlier.requests.max(1) as f64).log2();
            let exponent = match self.earlier.requests {
                0 => 1.0,
                _ => ((now as f64 / earlier.max(1) as f64).log2() / doublings.max(0.1)).clamp(0.0, 1.0),
            };
            now as f64 * growth.max(1.0).powf(exponent)
        };
        let (now, earlier) = (&self.now, &self.earlier);
        Glance {
            requests,
            pages_each: self.pages as f64 / count,
            read_bytes: self.read_bytes as f64 / count,
            written_bytes: self.written_bytes as f64 / count,
            written: self.written as f64 / count * requests,
            partial: self.partial as f64 / self.written.max(1) as f64,
            pages: different(now.pages, earlier.pages),
            groups: different(now.groups, earlier.groups),
            stretches: different(now.stretches, earlier.stretches),
            trimmed: self.trimmed as f64 / count * requests,
            bits: different(now.bits, earlier.bits),
            gap_s,
            arrivals: self.arrivals,
        }
    }
}

/// Unreadable traces count by what is known of them.
pub fn glance(
    flow: &Flow,
    range: &FlowRange,
    layout: &Layout,
    inputs: &mut dyn Iterator<Item = Option<TraceInput>>,
) -> Glance {
    let mut seen = Seen::default();
    if let Some(synthetic) = &flow.synthetic {
        inputs.next();
        let mut source = Generator::of(synthetic, "0", 1, range);
        let mut now = synthetic.start.time();
        while !seen.is_enough() {
            now += source.gap().unwrap_or(Time::ZERO);
            let Some(wanted) = source.next(now) else { break };
            seen.add(&wanted, range, layout);
            if flow.looping() == Loop::Open {
                seen.arrives(&wanted, now);
            }
        }
        let span = (now - synthetic.start.time()).seconds();
        let gap_s = (span > 0.0).then(|| span / seen.now.requests.max(1) as f64);
        let by_time = synthetic.stop.and_then(|stop| Some(stop.time().seconds() / gap_s?));
        let all = by_time.unwrap_or(f64::INFINITY).min(synthetic.requests as f64);
        let all = if seen.is_enough() { all } else { seen.now.requests as f64 };
        return seen.until(all, all, gap_s);
    }
    let known = flow.most_requests().map_or(f64::INFINITY, |most| most as f64);
    let mut wanted_inputs = inputs.take(flow.traces().len());
    let Ok((plan, sources)) = Plan::new(flow, 0, &mut wanted_inputs, range, 1, &mut |_| true) else {
        wanted_inputs.for_each(drop);
        let requests = if known.is_finite() { known } else { 0.0 };
        return Glance { requests, pages_each: 2.0, pages: 2.0 * requests, groups: requests, ..Glance::default() };
    };
    let mut replay = plan.start(sources);
    while !seen.is_enough() {
        let at = replay.arrival().ok().flatten();
        let Ok(Some(wanted)) = replay.take() else { break };
        seen.add(&wanted, range, layout);
        if let Some(at) = at.filter(|_| flow.looping() == Loop::Open) {
            seen.arrives(&wanted, at);
        }
    }
    let count = seen.now.requests as f64;
    let (all, pass) = match (seen.is_enough(), replay.share_read()) {
        (true, Some(share)) => (count / share * flow.traces()[0].repeat as f64, count / share),
        _ => (count, count),
    };
    let gap_s = replay.mean_gap().map(|ps| ps / 1e12);
    seen.until(all.min(known), pass, gap_s)
}
