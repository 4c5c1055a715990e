//! Simulated against real time.

use std::time::{Duration, Instant};

use canaletto::engine::time::Time;

/// Clock of a drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clock {
    /// Simulated time passes `factor` times as fast as real time.
    Paced {
        /// Simulated seconds per second, above zero.
        factor: f64,
    },
    /// Simulated time passes only while requests are outstanding, as fast as it can be simulated.
    Free,
}

/// Clock that has been started.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    start: Instant,
    factor: f64,
}

impl Pace {
    /// Starts a clock.
    pub fn start(factor: f64) -> Pace {
        Pace { start: Instant::now(), factor }
    }

    /// In whole nanoseconds.
    pub fn time(&self, at: Instant) -> Time {
        let ns = at.saturating_duration_since(self.start).as_nanos() as f64 * self.factor;
        // Conversion saturates: the engine ends a run that lasts too long.
        Time((ns as u64).saturating_mul(1000).min(Time::LATEST.0))
    }

    /// Real time of a simulated time.
    pub fn moment(&self, time: Time) -> Instant {
        const YEAR: f64 = 365.0 * 86_400.0;
        self.start + Duration::from_secs_f64((time.seconds() / self.factor).min(YEAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree() {
        for factor in [1e-6, 0.01, 1.0, 1000.0] {
            let pace = Pace::start(factor);
            for us in [0, 1, 1000, 1_000_000] {
                let time = Time::from_us(us);
                let found = pace.time(pace.moment(time));
                // Moments have nanoseconds.
                let error = found.0.abs_diff(time.0);
                assert!(error <= 1000 + (factor * 1000.0) as u64, "{factor} {us}: off by {error} ps");
            }
        }
    }

    #[test]
    fn what_is_far_away_does_not_overflow() {
        let pace = Pace::start(1e-300);
        assert!(pace.moment(Time::MAX) > Instant::now());
        assert_eq!(Pace::start(1e300).time(Instant::now() + Duration::from_secs(1)), Time::LATEST);
    }
}
