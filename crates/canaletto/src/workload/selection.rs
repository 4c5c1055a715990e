use crate::config::workload::Trace;
use crate::engine::random::Stream;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Replayed,
    Skipped,
    NotSampled,
    End,
}

/// First by time, then by number, then by sample.
pub struct Selection {
    after_ns: u64,
    until_ns: u64,
    skip: u64,
    every: u64,
    /// Of every that many.
    wait: u64,
    sample: Option<(f64, Stream)>,
    left: u64,
}

impl Selection {
    /// From the stream `name`, so that each pass selects the same requests.
    pub fn new(trace: &Trace, seed: u64, name: &str) -> Selection {
        Selection {
            after_ns: trace.after.map_or(0, |after| after.0),
            until_ns: trace.until.map_or(u64::MAX, |until| until.0),
            skip: trace.skip,
            every: trace.every.unwrap_or(1),
            wait: 0,
            sample: trace.sample.map(|share| (share, Stream::named(seed, name))),
            left: trace.requests.unwrap_or(u64::MAX),
        }
    }

    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    pub fn choose(&mut self, since_first_ns: u64) -> Choice {
        if self.left == 0 || since_first_ns >= self.until_ns {
            return Choice::End;
        }
        if since_first_ns < self.after_ns {
            return Choice::Skipped;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return Choice::Skipped;
        }
        if self.wait > 0 {
            self.wait -= 1;
            return Choice::NotSampled;
        }
        self.wait = self.every - 1;
        if self.sample.as_mut().is_some_and(|(share, stream)| stream.uniform() >= *share) {
            return Choice::NotSampled;
        }
        self.left -= 1;
        Choice::Replayed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units::Span;

    fn replayed(trace: &Trace, seed: u64, count: u64) -> Vec<u64> {
        let mut selection = Selection::new(trace, seed, "a/sample");
        let choices = (0..count).map(|i| (i, selection.choose(i)));
        let open = choices.take_while(|(_, choice)| *choice != Choice::End);
        open.filter_map(|(i, choice)| (choice == Choice::Replayed).then_some(i)).collect()
    }

    #[test]
    fn times_come_first_then_numbers_then_the_sample() {
        let all = Trace::of_file("t");
        assert_eq!(replayed(&all, 1, 4), [0, 1, 2, 3]);
        let cut = Trace { after: Some(Span(10)), until: Some(Span(20)), ..all.clone() };
        assert_eq!(replayed(&cut, 1, 100), (10..20).collect::<Vec<_>>());
        let skipping = Trace { skip: 3, every: Some(3), ..cut };
        assert_eq!(replayed(&skipping, 1, 100), [13, 16, 19]);
        assert_eq!(replayed(&Trace { requests: Some(2), ..skipping }, 1, 100), [13, 16]);
    }

    #[test]
    fn a_sample_has_its_share_repeats_by_seed_and_differs_by_it() {
        let tenth = Trace { sample: Some(0.1), ..Trace::of_file("t") };
        let found = replayed(&tenth, 1, 100_000);
        // Five standard deviations: sqrt(100,000 × 0.1 × 0.9) = 95.
        assert!(found.len().abs_diff(10_000) < 475, "{}", found.len());
        assert_eq!(found, replayed(&tenth, 1, 100_000));
        assert_ne!(found, replayed(&tenth, 2, 100_000));
        assert_eq!(replayed(&Trace { sample: Some(1.0), ..tenth }, 1, 9).len(), 9);
    }
}
