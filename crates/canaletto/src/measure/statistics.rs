//! Statistics of requests while a run continues.

use crate::engine::time::Time;
use crate::host::request::Request;
use crate::measure::blame::{Account, Ledger};
use crate::measure::records::{Records, Row};
use crate::measure::report::Tally;

/// Counts of requests and pages by flow, and a row for each request if asked for.
pub struct Statistics {
    tallies: Vec<Tally>,
    records: Option<Records>,
    /// Requests left out: those completed first.
    warmup: u64,
    /// Requests generated.
    generated: u64,
    /// Requests completed, those of the warm-up included.
    completed: u64,
    first_arrival: Option<Time>,
    last_arrival: Time,
}

impl Statistics {
    /// Nothing counted, for this many flows.
    pub fn new(flows: usize, warmup: u64, records: bool) -> Statistics {
        Statistics {
            tallies: vec![Tally::default(); flows],
            records: records.then(Records::default),
            warmup,
            generated: 0,
            completed: 0,
            first_arrival: None,
            last_arrival: Time::ZERO,
        }
    }

    /// Counts a request that has arrived.
    #[inline]
    pub fn count_arrival(&mut self, flow: u16, arrival: Time) {
        self.generated += 1;
        self.first_arrival.get_or_insert(arrival);
        self.last_arrival = arrival;
        self.tallies[usize::from(flow)].generated += 1;
    }

    /// Whether the warm-up is over.
    #[inline]
    pub fn is_warm(&self) -> bool {
        self.completed >= self.warmup
    }

    /// Counts a page transaction of a request, and the time it lost to path conflicts.
    #[inline]
    pub fn count_page(&mut self, flow: u16, path_conflict: bool, lost: Time) {
        if self.is_warm() {
            self.tallies[usize::from(flow)].count_page(path_conflict, lost);
        }
    }

    /// Counts the root causes of a request that [`Statistics::count_request`] counts next.
    #[inline]
    pub fn count_root_causes(&mut self, request: &Request, account: &impl Account, now: Time) {
        debug_assert_eq!(
            Ledger::of(account).total(),
            now - request.arrival,
            "the root causes of a request do not add up"
        );
        if self.is_warm() {
            self.tallies[usize::from(request.flow)].count_root_causes(request, account, now);
            if let Some(records) = &mut self.records {
                records.push_root_causes(&Ledger::of(account));
            }
        }
    }

    /// Counts a request that the host has dealt with, with the account of its time.
    #[inline]
    pub fn count_request(&mut self, request: &Request, account: &impl Account, now: Time) {
        // Every picosecond is charged to one cause: a difference is a defect of the model.
        debug_assert_eq!(Ledger::of(account).total(), now - request.arrival, "the accounts of a request do not close");
        self.completed += 1;
        let tally = &mut self.tallies[usize::from(request.flow)];
        tally.completed += 1;
        if self.completed <= self.warmup {
            if self.is_warm() {
                self.tallies.iter_mut().for_each(|tally| tally.warm_since = now);
            }
            return;
        }
        tally.count(request, account, now);
        if let Some(records) = &mut self.records {
            records.push(&Row {
                request: request.number,
                flow: request.flow,
                kind: request.kind,
                failed: request.failed,
                lba: request.lba,
                sectors: request.sectors,
                arrival: request.arrival,
                enqueue: request.enqueue,
                complete: now,
                path_conflict: request.path_conflict,
                ledger: &Ledger::of(account),
            });
        }
    }

    /// Requests generated.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// Requests completed, those of the warm-up included.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// When the first request arrived.
    pub fn first_arrival(&self) -> Option<Time> {
        self.first_arrival
    }

    /// When the last request so far arrived.
    pub fn last_arrival(&self) -> Time {
        self.last_arrival
    }

    /// Counts by flow.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The rows so far, once there are at least `count`.
    pub fn take_rows(&mut self, count: usize) -> Option<Records> {
        self.records.as_mut().filter(|records| records.len() >= count).map(std::mem::take)
    }

    /// The rows so far, of statistics that keep them.
    ///
    /// # Panics
    /// If they were not asked for.
    pub fn rows(&mut self) -> &mut Records {
        self.records.as_mut().expect("rows were asked for")
    }

    /// A row for each request, if asked for.
    pub fn take_records(&mut self) -> Option<Records> {
        self.records.take()
    }
}
