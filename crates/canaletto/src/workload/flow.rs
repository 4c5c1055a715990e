//! Flow: source of requests and their arrival.

use crate::config::units::Duration;
use crate::config::workload::{Addresses, Flow as FlowConfig, OutOfRange, Synthetic, Trace};
use crate::engine::time::Time;
use crate::host::request::Kind;
use crate::workload::external::External;
use crate::workload::fill::Fill;
use crate::workload::replay::Replay;
use crate::workload::synthetic::Generator;

/// Request of a flow, with sectors in the flow's own addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Wanted {
    /// Kind of the request.
    pub kind: Kind,
    /// Whether a write must be on flash before it is complete.
    pub fua: bool,
    /// Whether a write writes zeroes.
    pub zeroes: bool,
    /// First sector.
    pub lba: u64,
    /// Number of sectors.
    pub sectors: u32,
}

impl Wanted {
    /// Reads sectors.
    pub fn read(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Read, fua: false, zeroes: false, lba, sectors }
    }

    /// Writes sectors.
    pub fn write(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Write, ..Wanted::read(lba, sectors) }
    }

    /// Writes zeroes to sectors, without data on the link.
    pub fn write_zeroes(lba: u64, sectors: u32) -> Wanted {
        Wanted { zeroes: true, ..Wanted::write(lba, sectors) }
    }

    /// Forgets sectors.
    pub fn trim(lba: u64, sectors: u32) -> Wanted {
        Wanted { kind: Kind::Trim, ..Wanted::read(lba, sectors) }
    }

    /// Puts on flash what was written before.
    pub fn flush() -> Wanted {
        Wanted { kind: Kind::Flush, ..Wanted::read(0, 0) }
    }

    /// The same write, complete only once it is on flash.
    pub fn with_fua(self) -> Wanted {
        Wanted { fua: self.kind == Kind::Write, ..self }
    }
}

/// Source of requests.
#[derive(serde::Serialize, serde::Deserialize)]
pub enum Source {
    /// Whoever steps the simulation. The first, because serde counts variants that are skipped only when it writes.
    External(Box<External>),
    /// Generator.
    #[serde(skip)]
    Synthetic(Box<Generator>),
    /// Recorded traces.
    #[serde(skip)]
    Replay(Box<Replay>),
    /// Writes that prepare the drive before the run.
    #[serde(skip)]
    Fill(Box<Fill>),
}

/// Event that makes the next request arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Loop {
    /// Completion: this many requests are always outstanding.
    Closed(u32),
    /// Room in the submission queue: all requests arrive at the start.
    Unpaced,
    /// Arrival time.
    Open,
}

impl FlowConfig {
    /// Returns whether the validated flow is a closed or an open loop.
    pub fn looping(&self) -> Loop {
        let pace = self.trace.as_ref().map(Trace::pace).or(self.mix.as_ref().map(|mix| mix.pace()));
        if pace.is_some_and(|pace| pace.as_fast_as_possible) {
            return Loop::Unpaced;
        }
        let depth = self.synthetic.as_ref().and_then(|s| s.queue_depth).or(pace.and_then(|pace| pace.queue_depth));
        depth.map_or(Loop::Open, Loop::Closed)
    }

    /// Returns the start of the flow. A trace in an open loop counts from there by itself, as those of a mix do.
    pub fn start(&self) -> Time {
        let trace = self.trace.as_ref().filter(|_| self.looping() != Loop::Open).map(|trace| trace.start);
        self.synthetic.as_ref().map(|s| s.start).or(trace).map_or(Time::ZERO, Duration::time)
    }

    /// Returns the traces that the flow replays.
    pub fn traces(&self) -> &[Trace] {
        match (&self.trace, &self.mix) {
            (Some(trace), _) => std::slice::from_ref(trace),
            (None, Some(mix)) => &mix.trace,
            (None, None) => &[],
        }
    }

    /// Returns whether requests may run over the end of the flow's addresses, as MQSim's may.
    pub fn may_overrun(&self) -> bool {
        let hot_cold = |s: &Synthetic| s.mqsim_seed.is_some() && s.addresses == Addresses::HotCold;
        let traced = self.traces().iter().any(|trace| trace.out_of_range == OutOfRange::Mqsim);
        traced || self.synthetic.as_ref().is_some_and(hot_cold)
    }

    /// Returns the last of the flow's `sectors` sectors that a page of a request may begin at. Generated flows of MQSim end
    /// with their working set.
    pub fn last_start(&self, sectors: u64) -> u64 {
        let of_mqsim = self.synthetic.as_ref().filter(|s| s.mqsim_seed.is_some());
        of_mqsim.map_or(sectors - 1, |s| s.used_range(0, sectors - 1).1)
    }

    /// Returns the largest number of requests, if it is known beforehand.
    pub fn most_requests(&self) -> Option<u64> {
        let synthetic = self.synthetic.as_ref().map(|s| s.requests);
        let replayed = || self.trace.as_ref().map_or_else(|| self.mix.as_ref()?.most_requests(), Trace::most_requests);
        synthetic.or_else(replayed)
    }
}

impl Source {
    /// Returns the arrival of the first request of an open loop on the flow's own clock; none without requests.
    pub fn first_arrival(&mut self) -> Result<Option<Time>, String> {
        match self {
            Source::Synthetic(generator) => Ok(generator.gap()),
            Source::Replay(replay) => replay.arrival(),
            // The engine asks for the time when it looks for what comes next.
            Source::Fill(_) | Source::External(_) => Ok(None),
        }
    }

    /// Returns the request that arrives now.
    pub fn next(&mut self, now: Time) -> Result<Option<Wanted>, String> {
        match self {
            Source::Synthetic(generator) => Ok(generator.next(now)),
            Source::Replay(replay) => replay.take(),
            Source::Fill(fill) => fill.next(now),
            Source::External(external) => Ok(external.take()),
        }
    }

    /// Returns whether a request may follow at `now`, as far as that is known without looking for it.
    pub fn may_go_on(&self, now: Time) -> bool {
        !matches!(self, Source::Synthetic(generator) if !generator.goes_on(now))
    }

    /// Returns the arrival of the following request in an open loop, after [`Source::next`].
    pub fn following_arrival(&mut self, now: Time) -> Result<Option<Time>, String> {
        match self {
            Source::Synthetic(generator) => {
                Ok(generator.gap().map(|gap| now + gap).filter(|&next| generator.goes_on(next)))
            }
            Source::Replay(replay) => replay.arrival(),
            // The engine asks for the time when it looks for what comes next.
            Source::Fill(_) | Source::External(_) => Ok(None),
        }
    }
}
