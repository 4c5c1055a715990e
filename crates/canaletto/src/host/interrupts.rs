//! Interrupt coalescing (NVM Express Base Specification 2.0 §5.27.1.6).

use std::collections::VecDeque;

use crate::config::design::Interrupts as InterruptsConfig;
use crate::engine::time::Time;
use crate::host::request::RequestId;

#[derive(Debug, PartialEq, Eq)]
pub enum Notice {
    OfThis,
    /// With those kept before.
    Now,
    /// If not before.
    At(Time),
    WithOthers,
}

/// The host has not been told of them.
pub struct Interrupts {
    threshold: usize,
    time: Time,
    pending: VecDeque<(RequestId, u16)>,
    since: Time,
}

impl Interrupts {
    pub fn new(config: &InterruptsConfig) -> Interrupts {
        let time = config.time.time();
        let threshold = if time == Time::ZERO { 1 } else { config.threshold as usize };
        Interrupts { threshold, time, pending: VecDeque::new(), since: Time::ZERO }
    }

    #[inline(always)]
    pub fn post(&mut self, request: RequestId, head: u16, now: Time) -> Notice {
        if self.threshold <= 1 {
            return Notice::OfThis;
        }
        self.pending.push_back((request, head));
        if self.pending.len() >= self.threshold {
            return Notice::Now;
        }
        if self.pending.len() > 1 {
            return Notice::WithOthers;
        }
        self.since = now;
        Notice::At(now + self.time)
    }

    pub fn is_due(&self, now: Time) -> bool {
        !self.pending.is_empty() && self.since + self.time <= now
    }

    pub fn take(&mut self) -> Option<(RequestId, u16)> {
        self.pending.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units::Duration;

    fn interrupts(threshold: u32, time: Time) -> Interrupts {
        Interrupts::new(&InterruptsConfig { threshold, time: Duration(time.0) })
    }

    #[test]
    fn without_a_time_each_is_told_at_once() {
        assert_eq!(interrupts(8, Time::ZERO).post(RequestId(0), 0, Time::ZERO), Notice::OfThis);
    }

    #[test]
    fn company_or_time_ends_the_wait() {
        let us = Time::from_ns(1000);
        let mut waiting = interrupts(3, us * 100);
        assert_eq!(waiting.post(RequestId(0), 1, us), Notice::At(us * 101));
        assert_eq!(waiting.post(RequestId(1), 2, us * 5), Notice::WithOthers);
        assert!(!waiting.is_due(us * 100) && waiting.is_due(us * 101));
        assert_eq!(waiting.post(RequestId(2), 3, us * 6), Notice::Now);
        assert_eq!([0; 4].map(|_| waiting.take().map(|(id, _)| id.0)), [Some(0), Some(1), Some(2), None]);
        assert!(!waiting.is_due(us * 101), "the clock of those told before");
        assert_eq!(waiting.post(RequestId(3), 4, us * 50), Notice::At(us * 150));
        assert!(!waiting.is_due(us * 101) && waiting.is_due(us * 150));
    }
}
