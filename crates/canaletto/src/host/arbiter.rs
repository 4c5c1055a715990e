//! Arbitration among submission queues: NVM Express Base Specification 2.0 §3.4.4, round robin (Figure 84) and weighted
//! round robin with urgent priority class (Figure 85).

use crate::config::design::{Arbitration, ArbitrationMethod};
use crate::config::workload::Priority;
use crate::engine::ring::Ring;

struct Class {
    /// In a round.
    weight: u32,
    ready: Ring,
    /// At the queue served last while its burst lasts, else after it.
    turn: u32,
    served: u32,
    burst_left: u32,
}

pub struct Arbiter {
    free: u32,
    burst: u32,
    /// Urgent, then weighted. Without weights only urgent.
    classes: Vec<Class>,
    class_of: Vec<u8>,
    turn: usize,
    left: u32,
}

const URGENT: usize = 0;

impl Class {
    fn new(weight: u32, queues: u32) -> Class {
        Class { weight, ready: Ring::new(queues), turn: 0, served: 0, burst_left: 0 }
    }
}

impl Arbiter {
    pub fn new(config: &Arbitration, commands: u32, priorities: &[Priority]) -> Arbiter {
        let weighted = config.method == ArbitrationMethod::Weighted;
        let weights = if weighted { &[u32::MAX, config.high, config.medium, config.low][..] } else { &[u32::MAX] };
        let queues = priorities.len() as u32;
        Arbiter {
            free: commands,
            burst: if config.burst == 0 { u32::MAX } else { config.burst },
            classes: weights.iter().map(|&weight| Class::new(weight, queues)).collect(),
            class_of: priorities.iter().map(|&priority| if weighted { priority as u8 } else { 0 }).collect(),
            turn: 1,
            left: weights.get(1).copied().unwrap_or(0),
        }
    }

    pub fn set_ready(&mut self, queue: u16, ready: bool) {
        self.classes[usize::from(self.class_of[usize::from(queue)])].ready.set(queue.into(), ready);
    }

    /// And the most commands that it may start.
    pub fn grant(&mut self) -> Option<(u16, u32)> {
        if self.free == 0 {
            return None;
        }
        if !self.classes[URGENT].ready.is_empty() {
            return Some(self.turn_in(URGENT, self.free));
        }
        // And to the first again with its weight renewed.
        for _ in 0..self.classes.len() {
            let class = self.classes.get(self.turn)?;
            if self.left > 0 && !class.ready.is_empty() {
                return Some(self.turn_in(self.turn, self.free.min(self.left)));
            }
            self.turn = if self.turn + 1 == self.classes.len() { 1 } else { self.turn + 1 };
            self.left = self.classes[self.turn].weight;
        }
        None
    }

    fn turn_in(&mut self, class: usize, most: u32) -> (u16, u32) {
        let class = &mut self.classes[class];
        let queue = class.ready.next_from(class.turn).expect("a class with a queue that is ready");
        if queue != class.served || class.burst_left == 0 {
            (class.served, class.burst_left) = (queue, self.burst);
        }
        (queue as u16, most.min(class.burst_left))
    }

    pub fn started(&mut self, queue: u16, commands: u32) {
        self.free -= commands;
        let class = usize::from(self.class_of[usize::from(queue)]);
        if class != URGENT {
            self.left -= commands;
        }
        let class = &mut self.classes[class];
        class.burst_left -= commands;
        class.turn = u32::from(queue) + u32::from(class.burst_left == 0);
    }

    pub fn finished(&mut self) {
        self.free += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(config: &Arbitration, priorities: &[Priority], commands: u32) -> Vec<u32> {
        let mut arbiter = Arbiter::new(config, 1, priorities);
        (0..priorities.len()).for_each(|queue| arbiter.set_ready(queue as u16, true));
        let mut served = vec![0; priorities.len()];
        for _ in 0..commands {
            let (queue, most) = arbiter.grant().expect("work for one");
            assert_eq!(most, 1);
            arbiter.started(queue, 1);
            served[usize::from(queue)] += 1;
            arbiter.finished();
        }
        served
    }

    fn weighted(high: u32, medium: u32, low: u32) -> Arbitration {
        Arbitration { method: ArbitrationMethod::Weighted, high, medium, low, ..Arbitration::default() }
    }

    use Priority::{High, Low, Medium, Urgent};

    #[test]
    fn weights_are_shares() {
        assert_eq!(shares(&weighted(8, 4, 1), &[High, Medium, Low], 1300), [800, 400, 100]);
        // Classes without queues leave their share to others.
        assert_eq!(shares(&weighted(8, 4, 1), &[Low, High, High], 900), [100, 400, 400]);
    }

    #[test]
    fn urgent_goes_before_all() {
        assert_eq!(shares(&weighted(8, 4, 1), &[High, Urgent, Urgent], 100), [0, 50, 50]);
    }

    #[test]
    fn round_robin_knows_no_classes() {
        assert_eq!(shares(&Arbitration::default(), &[Low, Urgent, High], 300), [100, 100, 100]);
    }

    #[test]
    fn a_burst_ends_with_the_weight_and_the_free_commands() {
        let config = Arbitration { burst: 0, ..weighted(8, 4, 1) };
        let mut arbiter = Arbiter::new(&config, 10, &[High, Medium]);
        arbiter.set_ready(0, true);
        arbiter.set_ready(1, true);
        assert_eq!(arbiter.grant(), Some((0, 8)));
        arbiter.started(0, 8);
        assert_eq!(arbiter.grant(), Some((1, 2)), "two of ten are left");
        arbiter.started(1, 2);
        assert_eq!(arbiter.grant(), None);
        arbiter.finished();
        assert_eq!(arbiter.grant(), Some((1, 1)), "two of its four are left, but one command");
    }

    #[test]
    fn a_burst_goes_on_while_commands_come_free_one_by_one() {
        let config = Arbitration { burst: 3, ..Arbitration::default() };
        let mut arbiter = Arbiter::new(&config, 1, &[Low, Low]);
        arbiter.set_ready(0, true);
        arbiter.set_ready(1, true);
        let order = [0; 8].map(|_| {
            let (queue, most) = arbiter.grant().expect("work for one");
            arbiter.started(queue, most);
            arbiter.finished();
            queue
        });
        assert_eq!(order, [0, 0, 0, 1, 1, 1, 0, 0]);
        arbiter.set_ready(0, false);
        assert_eq!(arbiter.grant(), Some((1, 1)));
    }
}
