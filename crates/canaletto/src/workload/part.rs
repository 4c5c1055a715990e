//! One trace of a replay, read one batch at a time.

use crate::config::workload::Trace;
use crate::measure::replay::TraceReport;
use crate::workload::record::{Record, RecordSource, Reopen, scaled};
use crate::workload::selection::{Choice, Selection};
use crate::workload::wanted::Wanted;
use crate::workload::window::{Placed, Window};

#[derive(Clone)]
pub struct PartPlan {
    pub trace: Trace,
    pub seed: u64,
    pub stream: String,
    pub again: Option<Reopen>,
    pub window: Window,
    pub factor: f64,
}

impl PartPlan {
    /// # Errors
    /// A trace that cannot be read, or only once.
    pub fn reopen(&self) -> Result<Box<dyn RecordSource>, String> {
        let Some(again) = &self.again else {
            return Err(format!("{}: cannot be read more than once", self.trace.file));
        };
        again()
    }

    fn selection(&self) -> Selection {
        Selection::new(&self.trace, self.seed, &self.stream)
    }
}

#[derive(Clone, Copy)]
struct Upcoming {
    record: Record,
    recorded: u128,
    /// In picoseconds.
    replayed: u128,
}

#[derive(Clone, Copy, Default)]
struct Pass {
    first_ns: Option<u64>,
    origin_ns: Option<u64>,
    /// In ns.
    replayed_ns: Option<(u64, u64)>,
    requests: u64,
    began: u128,
}

pub struct Part {
    plan: PartPlan,
    source: Box<dyn RecordSource>,
    batch: Vec<Record>,
    next: usize,
    selection: Selection,
    pass: Pass,
    passes_left: u64,
    upcoming: Option<Upcoming>,
    ended: bool,
    counts: Counts,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    read: u64,
    requests: u64,
    skipped: u64,
    not_sampled: u64,
    wrapped: u64,
    scaled: u64,
    passes: u64,
    /// Recorded times of the first and the last.
    recorded: Option<(u128, u128)>,
    /// On the part's own clock.
    replayed: Option<(u128, u128)>,
}

impl Part {
    pub fn new(plan: PartPlan, source: Box<dyn RecordSource>) -> Part {
        Part {
            selection: plan.selection(),
            pass: Pass { origin_ns: plan.trace.keep_start.then_some(0), ..Pass::default() },
            passes_left: plan.trace.repeat - 1,
            plan,
            source,
            batch: Vec::new(),
            next: 0,
            upcoming: None,
            ended: false,
            counts: Counts { passes: 1, ..Counts::default() },
        }
    }

    /// In picoseconds of the part's own clock.
    pub fn arrival(&mut self) -> Result<Option<u128>, String> {
        if self.upcoming.is_none() && !self.ended {
            self.upcoming = self.find()?;
            self.ended = self.upcoming.is_none();
        }
        Ok(self.upcoming.map(|upcoming| upcoming.replayed))
    }

    fn next_record(&mut self) -> Result<Option<Record>, String> {
        self.arrival()?;
        let Some(Upcoming { record, recorded, replayed }) = self.upcoming.take() else {
            return Ok(None);
        };
        let counts = &mut self.counts;
        counts.requests += 1;
        counts.recorded = Some((counts.recorded.map_or(recorded, |times| times.0), recorded));
        counts.replayed = Some((counts.replayed.map_or(replayed, |times| times.0), replayed));
        Ok(Some(record))
    }

    /// # Errors
    /// A trace that cannot be read further, or a request that has no place on the drive.
    pub fn take(&mut self) -> Result<Option<Wanted>, String> {
        let Some(record) = self.next_record()? else {
            return Ok(None);
        };
        let (wanted, placed) = self.plan.window.place(&record)?;
        match placed {
            Placed::AsRecorded => {}
            Placed::Wrapped => self.counts.wrapped += 1,
            Placed::Scaled => self.counts.scaled += 1,
        }
        Ok(Some(wanted))
    }

    /// Skips the next request, but counts it.
    pub fn pass_over(&mut self) -> Result<(), String> {
        self.next_record().map(|_| ())
    }

    fn find(&mut self) -> Result<Option<Upcoming>, String> {
        loop {
            let record = if self.selection.is_over() { None } else { self.read()? };
            let Some(record) = record else {
                if !self.begin_again()? {
                    return Ok(None);
                }
                continue;
            };
            let first_ns = *self.pass.first_ns.get_or_insert(record.arrival_ns);
            match self.selection.choose(record.arrival_ns - first_ns) {
                Choice::Replayed => return Ok(Some(self.timed(record))),
                Choice::Skipped => self.counts.skipped += 1,
                Choice::NotSampled => self.counts.not_sampled += 1,
                Choice::End => {
                    if !self.begin_again()? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn read(&mut self) -> Result<Option<Record>, String> {
        if self.next == self.batch.len() {
            self.next = 0;
            self.source.next_batch(&mut self.batch)?;
        }
        let record = self.batch.get(self.next).copied();
        self.next += 1;
        self.counts.read += u64::from(record.is_some());
        Ok(record)
    }

    fn timed(&mut self, record: Record) -> Upcoming {
        let pass = &mut self.pass;
        let ns = record.arrival_ns;
        pass.requests += 1;
        pass.replayed_ns = Some((pass.replayed_ns.map_or(ns, |times| times.0), ns));
        let recorded = pass.began + u128::from(ns - *pass.origin_ns.get_or_insert(ns)) * 1000;
        let replayed = u128::from(self.plan.trace.start.0) + scaled(recorded, self.plan.factor);
        Upcoming { record, recorded, replayed }
    }

    /// Its first request arrives a mean gap after the last of this pass.
    fn begin_again(&mut self) -> Result<bool, String> {
        let Pass { origin_ns, replayed_ns, requests, began, .. } = self.pass;
        let Some((first_ns, last_ns)) = replayed_ns else {
            return Err(self.nothing());
        };
        if self.passes_left == 0 {
            return Ok(false);
        }
        let gaps = u128::from(requests - 1).max(1);
        let mean_gap = (u128::from(last_ns - first_ns) * 1000 + gaps / 2) / gaps;
        let began = began + u128::from(last_ns - origin_ns.unwrap_or(first_ns)) * 1000 + mean_gap;
        self.source = self.plan.reopen()?;
        (self.next, self.batch) = (0, Vec::new());
        self.selection = self.plan.selection();
        self.pass = Pass { began, ..Pass::default() };
        self.passes_left -= 1;
        self.counts.passes += 1;
        Ok(true)
    }

    fn nothing(&self) -> String {
        format!(
            "{}: none of its {} requests is replayed: after, until, skip, every and sample leave all of them out",
            self.plan.trace.file, self.counts.read
        )
    }

    /// If its length is known.
    pub fn share_read(&self) -> Option<f64> {
        self.source.share_read()
    }

    /// `factor` is the scaling beyond its own.
    pub fn is_as_recorded(&self, factor: f64) -> bool {
        self.plan.factor * factor == 1.0
    }

    /// `factor` is the scaling beyond its own.
    pub fn report(&self, factor: f64, open: bool) -> TraceReport {
        let counts = &self.counts;
        let mean = |times: Option<(u128, u128)>| {
            let (first, last) = times.filter(|_| counts.requests > 1)?;
            Some((last - first) as f64 / (counts.requests - 1) as f64 / 1e6)
        };
        TraceReport {
            file: self.plan.trace.file.clone(),
            requests: counts.requests,
            passes: counts.passes,
            skipped: counts.skipped,
            not_sampled: counts.not_sampled,
            wrapped: counts.wrapped,
            scaled: counts.scaled,
            recorded_inter_arrival_us: mean(counts.recorded),
            inter_arrival_us: mean(counts.replayed).filter(|_| open).map(|us| us * factor),
            speed: open.then(|| 1.0 / (self.plan.factor * factor)),
        }
    }
}
