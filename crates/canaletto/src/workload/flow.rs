//! A flow: where its requests come from and when they arrive.

use crate::config::units::Duration;
use crate::config::workload::{Flow as FlowConfig, Trace};
use crate::host::request::Kind;
use crate::sim::time::Time;
use crate::workload::fill::Fill;
use crate::workload::replay::Replay;
use crate::workload::synthetic::Generator;

/// A request that a flow wants done: sectors in the flow's own addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// What is wanted.
    pub kind: Kind,
    /// For a write: whether it must be on flash before it is complete.
    pub fua: bool,
    /// For a write: whether it writes zeroes.
    pub zeroes: bool,
    /// First sector.
    pub lba: u64,
    /// Sectors.
    pub sectors: u32,
}

/// Where requests come from.
pub enum Source {
    /// A generator.
    Synthetic(Box<Generator>),
    /// Recorded traces.
    Replay(Box<Replay>),
    /// What is written before the run.
    Fill(Box<Fill>),
}

/// What makes the next request arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// A completion: this many are always outstanding.
    Closed(u32),
    /// Room in the submission queue: all requests are there from the start.
    Unpaced,
    /// Time.
    Open,
}

impl FlowConfig {
    /// Closed or open loop, as the validated flow says.
    pub fn looping(&self) -> Loop {
        let pace = self.trace.as_ref().map(Trace::pace).or(self.mix.as_ref().map(|mix| mix.pace()));
        if pace.is_some_and(|pace| pace.as_fast_as_possible) {
            return Loop::Unpaced;
        }
        let depth = self.synthetic.as_ref().and_then(|s| s.queue_depth).or(pace.and_then(|pace| pace.queue_depth));
        depth.map_or(Loop::Open, Loop::Closed)
    }

    /// When its time begins. A trace in an open loop counts from there by itself, as those of a mix do.
    pub fn start(&self) -> Time {
        let trace = self.trace.as_ref().filter(|_| self.looping() != Loop::Open).map(|trace| trace.start);
        self.synthetic.as_ref().map(|s| s.start).or(trace).map_or(Time::ZERO, Duration::time)
    }

    /// The traces it replays.
    pub fn traces(&self) -> &[Trace] {
        match (&self.trace, &self.mix) {
            (Some(trace), _) => std::slice::from_ref(trace),
            (None, Some(mix)) => &mix.trace,
            (None, None) => &[],
        }
    }

    /// How many requests it has at the most, if that is known beforehand.
    pub fn most_requests(&self) -> Option<u64> {
        let synthetic = self.synthetic.as_ref().map(|s| s.requests);
        let replayed = || self.trace.as_ref().map_or_else(|| self.mix.as_ref()?.most_requests(), Trace::most_requests);
        synthetic.or_else(replayed)
    }
}

impl Source {
    /// When the first request of an open loop arrives on the flow's own clock; none if there is none.
    pub fn first_arrival(&mut self) -> Result<Option<Time>, String> {
        match self {
            Source::Synthetic(generator) => Ok(generator.gap()),
            Source::Replay(replay) => replay.arrival(),
            Source::Fill(_) => Ok(None),
        }
    }

    /// The request that arrives now.
    pub fn next(&mut self, now: Time) -> Result<Option<Wanted>, String> {
        match self {
            Source::Synthetic(generator) => Ok(generator.next(now)),
            Source::Replay(replay) => replay.take(),
            Source::Fill(fill) => fill.next(now),
        }
    }

    /// After [`Source::next`] in an open loop: when the following request arrives.
    pub fn following_arrival(&mut self, now: Time) -> Result<Option<Time>, String> {
        match self {
            Source::Synthetic(generator) => Ok(generator.gap().map(|gap| now + gap)),
            Source::Replay(replay) => replay.arrival(),
            Source::Fill(_) => Ok(None),
        }
    }
}
