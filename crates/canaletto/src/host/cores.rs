//! The time that the host's software takes.

use crate::config::design::{Host, Protocol};
use crate::engine::time::Time;

/// Each core serves one queue, one request or completion at a time.
pub struct Cores {
    submit: Time,
    complete: Time,
    interrupt: Time,
    delay_completions: bool,
    free_at: Vec<Time>,
}

impl Cores {
    pub fn new(config: &Host, queues: usize, compute: bool) -> Cores {
        let cores = if config.protocol == Protocol::Sata { 1 } else { queues };
        Cores {
            submit: config.submit_time.time(),
            complete: config.complete_time.time(),
            interrupt: config.interrupt_latency.time(),
            delay_completions: config.complete_time.0 + config.interrupt_latency.0 > 0 || compute,
            free_at: vec![Time::ZERO; cores],
        }
    }

    #[inline]
    pub fn is_idle(&self, queue: u16, now: Time) -> bool {
        self.free_at[usize::from(queue)] <= now
    }

    #[inline]
    pub fn submit(&mut self, queue: u16, now: Time) -> Option<Time> {
        (self.submit > Time::ZERO).then(|| self.serve(queue, self.submit, now))
    }

    #[inline]
    pub fn delay_completions(&self) -> bool {
        self.delay_completions
    }

    #[inline]
    pub fn interrupted(&self, now: Time) -> Option<Time> {
        (self.interrupt > Time::ZERO).then(|| now + self.interrupt)
    }

    #[inline]
    pub fn complete(&mut self, queue: u16, now: Time) -> Option<Time> {
        (self.complete > Time::ZERO).then(|| self.serve(queue, self.complete, now))
    }

    fn serve(&mut self, queue: u16, time: Time, now: Time) -> Time {
        let free_at = &mut self.free_at[usize::from(queue)];
        *free_at = (*free_at).max(now) + time;
        *free_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units::Duration;

    #[test]
    fn one_after_the_other_on_each_core() {
        let us = Time::from_ns(1000);
        let config = Host { submit_time: Duration((us * 2).0), complete_time: Duration(us.0), ..Host::default() };
        let mut cores = Cores::new(&config, 2, false);
        assert_eq!(cores.submit(0, us), Some(us * 3));
        assert_eq!(cores.complete(0, us * 2), Some(us * 4));
        assert_eq!(cores.submit(1, us * 2), Some(us * 4));
        assert_eq!(Cores::new(&Host::default(), 1, false).submit(0, us), None);
    }
}
