//! Flow: source of requests and their arrival.

pub use crate::config::workload::Loop;
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
    #[inline]
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
