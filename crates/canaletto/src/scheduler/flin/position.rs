use crate::engine::time::Time;
use crate::scheduler::transaction::TransactionId;

#[derive(Clone, Copy)]
pub struct Waiting {
    pub id: TransactionId,
    flow: u16,
    is_tagged: bool,
    begins: Time,
    shared: Time,
    alone: Time,
    before: Range,
}

impl Waiting {
    pub fn new(
        id: TransactionId,
        flow: u16,
        is_tagged: bool,
        waited: Time,
        begins: Time,
        service: Time,
        alone: Time,
    ) -> Waiting {
        Waiting { id, flow, is_tagged, begins, shared: waited + begins + service, alone, before: Range::NONE }
    }
}

#[derive(Clone, Copy)]
struct Range {
    least: f64,
    most: f64,
}

impl Range {
    const NONE: Range = Range { least: f64::MAX, most: 0.0 };

    fn with(self, slowdown: f64) -> Range {
        Range { least: self.least.min(slowdown), most: self.most.max(slowdown) }
    }

    fn and(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    fn fairness(self) -> f64 {
        self.least / self.most
    }
}

/// A further transaction at the end would be slowed down by `own`. `means` is room for sums and numbers per flow.
pub fn is_worst_off(line: &[Waiting], flow: u16, own: f64, threshold: f64, means: &mut [(f64, f64)]) -> bool {
    means.fill((0.0, 0.0));
    means[usize::from(flow)] = (own, 1.0);
    for waiting in line {
        let (sum, number) = &mut means[usize::from(waiting.flow)];
        (*sum, *number) = (*sum + slowdown(waiting.shared, waiting.alone), *number + 1.0);
    }
    let waiting = means.iter().filter(|(_, number)| *number > 0.0);
    let range = waiting.fold(Range::NONE, |range, (sum, number)| range.with(sum / number));
    let (sum, number) = means[usize::from(flow)];
    sum / number >= range.most && range.fairness() < threshold
}

/// Time taken over time alone.
pub fn slowdown(shared: Time, alone: Time) -> f64 {
    shared.0 as f64 / alone.0 as f64
}

/// It overtakes neither its flow's nor tagged ones.
pub fn earliest(line: &[Waiting], flow: u16) -> usize {
    line.iter().rposition(|waiting| waiting.flow == flow || waiting.is_tagged).map_or(0, |last| last + 1)
}

/// From `first` on, with the largest ratio of least to largest slowdown.
pub fn fairest(line: &mut [Waiting], first: usize, begins: Time, service: Time, alone: Time) -> usize {
    let mut before = Range::NONE;
    for waiting in line.iter_mut() {
        waiting.before = before;
        before = before.with(slowdown(waiting.shared, waiting.alone));
    }
    let mut best = line.len();
    let mut best_fairness = before.with(slowdown(begins + service, alone)).fairness();
    let mut behind = Range::NONE;
    for (place, waiting) in line.iter().enumerate().skip(first).rev() {
        behind = behind.with(slowdown(waiting.shared + service, waiting.alone));
        let all = waiting.before.and(behind).with(slowdown(waiting.begins + service, alone));
        if all.fairness() > best_fairness {
            (best, best_fairness) = (place, all.fairness());
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const READ: Time = Time::from_us(50);

    fn waiting(flow: u16, place: u64, alone: u64) -> Waiting {
        Waiting::new(TransactionId(place as u32), flow, false, Time::ZERO, READ * place, READ, READ * alone)
    }

    #[test]
    fn one_read_goes_before_a_queue_of_another_flow() {
        // One that would not wait alone, behind ten that would.
        let mut line: Vec<_> = (0..10).map(|i| waiting(0, i, i + 1)).collect();
        let end = READ * 10;
        assert_eq!(fairest(&mut line, 0, end, READ, READ), 1, "two are slowed down twofold, or one elevenfold");
        assert_eq!(fairest(&mut line, 7, end, READ, READ), 7);
        assert_eq!(fairest(&mut line, 0, end, READ, READ * 11), 10, "what would wait alone stays at the end");
        assert_eq!(fairest(&mut [], 0, end, READ, READ), 0);
    }

    #[test]
    fn nothing_overtakes_its_own_flow_or_what_is_tagged() {
        let mut line: Vec<_> = [0, 1, 0, 2, 2].iter().zip(0..).map(|(&flow, i)| waiting(flow, i, 1)).collect();
        assert_eq!([0, 1, 2, 3].map(|flow| earliest(&line, flow)), [3, 2, 5, 0]);
        line[3].is_tagged = true;
        assert_eq!([0, 1, 2, 3].map(|flow| earliest(&line, flow)), [4, 4, 5, 4]);
    }

    proptest! {
        #[test]
        fn the_fairest_place_is_found(
            line in prop::collection::vec((1u64..300, 1u64..900, 0u64..500), 0..12),
            service in 1u64..300,
            alone in 1u64..900,
            first in 0usize..12,
        ) {
            let (us, first) = (Time::from_us, first.min(line.len()));
            let fairness = |place: usize| {
                let (mut at, mut all) = (0, Range::NONE);
                for i in 0..=line.len() {
                    if i == place {
                        at += service;
                        all = all.with(slowdown(us(at), us(alone)));
                    }
                    if let Some(&(service, alone, waited)) = line.get(i) {
                        at += service;
                        all = all.with(slowdown(us(waited + at), us(alone)));
                    }
                }
                all.fairness()
            };
            let mut begins = 0;
            let mut listed = Vec::new();
            for &(service, alone, waited) in &line {
                listed.push(Waiting::new(TransactionId(0), 0, false, us(waited), us(begins), us(service), us(alone)));
                begins += service;
            }
            let found = fairest(&mut listed, first, us(begins), us(service), us(alone));
            let best = (first..=line.len()).map(fairness).fold(0.0, f64::max);
            prop_assert!(found >= first && fairness(found) == best);
            prop_assert!((found + 1..=line.len()).all(|later| fairness(later) < best), "later ones that are as fair go first");
        }
    }
}
