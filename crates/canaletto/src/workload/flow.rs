//! A flow: where its requests come from and when they arrive.

use crate::config::workload::Flow as FlowConfig;
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
    /// First sector.
    pub lba: u64,
    /// Sectors.
    pub sectors: u32,
}

/// Where requests come from.
pub enum Source {
    /// A generator.
    Synthetic(Box<Generator>),
    /// A recorded trace.
    Replay(Box<Replay>),
    /// What is written before the run.
    Fill(Box<Fill>),
}

/// What makes the next request arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loop {
    /// A completion: this many are always outstanding.
    Closed(u32),
    /// Time.
    Open,
}

impl FlowConfig {
    /// Closed or open loop, as the validated flow says.
    pub fn looping(&self) -> Loop {
        let depth =
            self.synthetic.as_ref().map_or_else(|| self.trace.as_ref().and_then(|t| t.queue_depth), |s| s.queue_depth);
        depth.map_or(Loop::Open, Loop::Closed)
    }
}

impl Source {
    /// When the first request of an open loop arrives; none if there is none.
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
