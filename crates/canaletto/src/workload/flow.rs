pub use crate::config::workload::Loop;
use crate::engine::time::Time;
use crate::host::request::Kind;
use crate::workload::external::External;
use crate::workload::fill::Fill;
use crate::workload::replay::Replay;
use crate::workload::synthetic::Generator;
pub use crate::workload::wanted::Wanted;
use crate::workload::zoned::Zoned;

pub enum Source {
    External(Box<External>),
    Synthetic(Box<Generator>),
    Zoned(Box<Zoned>),
    Tasks(Box<Generator>),
    Replay(Box<Replay>),
    Fill(Box<Fill>),
}

impl Source {
    /// On the flow's own clock; none without requests.
    pub fn first_arrival(&mut self) -> Result<Option<Time>, String> {
        match self {
            Source::Synthetic(generator) | Source::Tasks(generator) => Ok(generator.gap()),
            Source::Zoned(zoned) => Ok(zoned.generator.gap()),
            Source::Replay(replay) => replay.arrival(),
            // The engine asks for the time when it looks for what comes next.
            Source::Fill(_) | Source::External(_) => Ok(None),
        }
    }

    #[inline(always)]
    pub fn next(&mut self, now: Time) -> Result<Option<Wanted>, String> {
        match self {
            Source::Synthetic(generator) => Ok(generator.next(now)),
            Source::Zoned(zoned) => Ok(zoned.next(now)),
            Source::Tasks(generator) => Ok(generator.next(now).map(|wanted| Wanted { kind: Kind::Compute, ..wanted })),
            Source::Replay(replay) => replay.take(),
            Source::Fill(fill) => fill.next(now),
            Source::External(external) => Ok(external.take()),
        }
    }

    /// As far as that is known without looking for a request.
    pub fn may_go_on(&self, now: Time) -> bool {
        match self {
            Source::Synthetic(generator) | Source::Tasks(generator) => generator.goes_on(now),
            Source::Zoned(zoned) => zoned.generator.goes_on(now),
            _ => true,
        }
    }

    /// In an open loop, after [`Source::next`].
    pub fn following_arrival(&mut self, now: Time) -> Result<Option<Time>, String> {
        match self {
            Source::Synthetic(generator) | Source::Tasks(generator) => Ok(following(generator, now)),
            Source::Zoned(zoned) => Ok(following(&mut zoned.generator, now)),
            Source::Replay(replay) => replay.arrival(),
            // The engine asks for the time when it looks for what comes next.
            Source::Fill(_) | Source::External(_) => Ok(None),
        }
    }
}

#[inline]
fn following(generator: &mut Generator, now: Time) -> Option<Time> {
    generator.gap().map(|gap| now + gap).filter(|&next| generator.goes_on(next))
}
