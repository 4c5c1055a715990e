//! Pages written recently, for MQSim's hot and cold data.

use crate::engine::index::Index;
use crate::engine::time::Time;

/// How long the set of a flow grows before it is forgotten (MQSim's `bloom_filter_reset_step`).
const WINDOW: Time = Time::from_us(1_000_000);

pub struct Recent {
    pages: Vec<Index>,
    due: Time,
}

impl Recent {
    pub fn new(flows: usize) -> Recent {
        Recent { pages: (0..flows).map(|_| Index::new()).collect(), due: Time::ZERO }
    }

    pub fn note(&mut self, flow: u16, lpa: u64) -> bool {
        self.pages[usize::from(flow)].insert(lpa, 0)
    }

    pub fn forget_if_due(&mut self, flow: u16, now: Time) {
        if now > self.due {
            self.pages[usize::from(flow)].clear();
            self.due = now + WINDOW;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_forgotten_after_a_second() {
        let mut recent = Recent::new(1);
        let write = |recent: &mut Recent, now| {
            let first = recent.note(0, 5);
            recent.forget_if_due(0, now);
            first
        };
        let second = Time::from_us(1_000_000);
        assert!(write(&mut recent, Time(1)));
        assert!(write(&mut recent, Time(2)));
        assert!(!write(&mut recent, Time(3)));
        assert!(!write(&mut recent, second + Time(1)));
        assert!(!write(&mut recent, second + Time(2)));
        assert!(write(&mut recent, second + Time(3)));
    }
}
