//! Recorded requests of one trace or several, merged in order of arrival.
//!
//! Records are read one batch at a time, so that a trace of any length replays in constant memory.

use crate::config::workload::Loop;
use crate::engine::time::Time;
use crate::measure::replay::{Pacing, ReplayReport};
use crate::workload::part::Part;
pub use crate::workload::record::{Record, RecordSource, Reopen, scaled};
use crate::workload::wanted::Wanted;

pub struct Replay {
    parts: Vec<Part>,
    factor: f64,
    left: u64,
    taken: u64,
    times: Option<(u128, u128)>,
}

impl Replay {
    pub fn new(parts: Vec<Part>, factor: f64, requests: u64) -> Replay {
        Replay { parts, factor, left: requests, taken: 0, times: None }
    }

    fn soonest(&mut self) -> Result<Option<(u128, usize)>, String> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut soonest = None;
        for (i, part) in self.parts.iter_mut().enumerate() {
            let arrival = part.arrival()?.map(|at| (at, i));
            soonest = soonest.into_iter().chain(arrival).min();
        }
        Ok(soonest.map(|(at, i)| (scaled(at, self.factor), i)))
    }

    /// # Errors
    /// A trace that cannot be read further, or is longer than a run can be.
    pub fn arrival(&mut self) -> Result<Option<Time>, String> {
        let Some((ps, _)) = self.soonest()? else {
            return Ok(None);
        };
        if ps > u128::from(Time::LATEST.0) {
            return Err(format!(
                "a request arrives {:.0} days into the trace, a run holds {:.0} days: expected a shorter trace, or \
                 --queue-depth to replay it without its times",
                ps as f64 / 86_400e12,
                Time::LATEST.seconds() / 86_400.0
            ));
        }
        Ok(Some(Time(ps as u64)))
    }

    /// # Errors
    /// A trace that cannot be read further, or a request that has no place on the drive.
    pub fn take(&mut self) -> Result<Option<Wanted>, String> {
        let Some(i) = self.count_next()? else {
            return Ok(None);
        };
        self.parts[i].take()
    }

    /// Returns whether there was one.
    pub fn pass_over(&mut self) -> Result<bool, String> {
        let Some(i) = self.count_next()? else {
            return Ok(false);
        };
        self.parts[i].pass_over().map(|()| true)
    }

    fn count_next(&mut self) -> Result<Option<usize>, String> {
        let Some((ps, i)) = self.soonest()? else {
            return Ok(None);
        };
        self.left -= 1;
        self.taken += 1;
        self.times = Some((self.times.map_or(ps, |times| times.0), ps));
        Ok(Some(i))
    }

    /// The least of several; none if any length is unknown.
    pub fn share_read(&self) -> Option<f64> {
        let shares = self.parts.iter().map(Part::share_read);
        shares.reduce(|a, b| Some(a?.min(b?))).flatten()
    }

    /// In picoseconds; none if all arrived at once.
    pub fn mean_gap(&self) -> Option<f64> {
        let (first, last) = self.times?;
        (last > first).then(|| (last - first) as f64 / (self.taken - 1) as f64)
    }

    /// `factor` is the workload's.
    pub fn report(&self, flow: &str, looping: Loop, factor: f64) -> ReplayReport {
        let open = looping == Loop::Open;
        ReplayReport {
            flow: flow.to_owned(),
            pace: match looping {
                Loop::Open if self.parts.iter().all(|part| part.is_as_recorded(self.factor * factor)) => {
                    Pacing::Recorded
                }
                Loop::Open => Pacing::Scaled,
                Loop::Closed(_) | Loop::Limited(_) => Pacing::ClosedLoop,
                Loop::Unpaced => Pacing::AsFastAsPossible,
            },
            queue_depth: if let Loop::Closed(depth) = looping { Some(depth) } else { None },
            requests: self.taken,
            inter_arrival_us: self.mean_gap().filter(|_| open).map(|ps| ps * factor / 1e6),
            traces: self.parts.iter().map(|part| part.report(self.factor * factor, open)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
