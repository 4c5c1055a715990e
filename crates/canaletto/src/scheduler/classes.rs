//! Weighted round robin among priority classes.
//!
//! Urgent goes strictly first. High, medium and low take turns with weights 4 : 2 : 1: a class is served while its
//! weight is at least a credit that counts down from 4 (MQSim, FAST'18 §4.3).

use crate::config::workload::Priority;

pub const CLASSES: usize = Priority::COUNT;

const WEIGHT: [u8; CLASSES] = [u8::MAX, 4, 2, 1];
const URGENT: usize = Priority::Urgent as usize;
const HIGH: usize = Priority::High as usize;

#[derive(Clone, Copy)]
pub struct WeightedRoundRobin {
    class: u8,
    credit: u8,
}

impl WeightedRoundRobin {
    pub fn new() -> WeightedRoundRobin {
        WeightedRoundRobin { class: URGENT as u8, credit: WEIGHT[HIGH] }
    }

    /// None also, as in MQSim, if four rounds end before the only waiting class is eligible: a second look finds it.
    pub fn choose(&mut self, waiting: impl Fn(usize) -> bool) -> Option<usize> {
        if waiting(URGENT) {
            return Some(URGENT);
        }
        let mut rounds = 0;
        while rounds < WEIGHT[HIGH] {
            self.class += 1;
            if self.class as usize == CLASSES {
                self.class = HIGH as u8;
            }
            if self.class as usize == HIGH {
                rounds += 1;
                self.credit = if self.credit > 1 { self.credit - 1 } else { WEIGHT[HIGH] };
            }
            let class = self.class as usize;
            if WEIGHT[class] >= self.credit && waiting(class) {
                return Some(class);
            }
        }
        None
    }
}

impl Default for WeightedRoundRobin {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_four_two_one() {
        let mut turns = WeightedRoundRobin::new();
        let mut served = [0; CLASSES];
        for _ in 0..700 {
            served[turns.choose(|class| class != URGENT).unwrap()] += 1;
        }
        assert_eq!(served, [0, 400, 200, 100]);
    }

    #[test]
    fn a_second_look_finds_a_lone_low_class() {
        let mut turns = WeightedRoundRobin::new();
        assert_eq!(turns.choose(|class| class == 3), Some(3));
        assert_eq!(turns.choose(|class| class == 3), None);
        assert_eq!(turns.choose(|class| class == 3), Some(3));
    }

    #[test]
    fn urgent_is_always_first_and_nobody_waiting_is_nobody() {
        let mut turns = WeightedRoundRobin::new();
        assert_eq!(turns.choose(|_| true), Some(URGENT));
        assert_eq!(turns.choose(|_| false), None);
        assert_eq!(turns.choose(|class| class == 3), Some(3));
    }
}
