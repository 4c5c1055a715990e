//! Gaps of a distribution, stretched by pauses and periodic variation.

use std::f64::consts::PI;

use crate::config::workload::{Diurnal, Synthetic};
use crate::engine::random::Stream;
use crate::engine::time::Time;

pub struct Arrivals {
    gaps: Gaps,
    random: Stream,
    pauses: Option<Pauses>,
    waves: Option<Waves>,
}

enum Gaps {
    /// In whole nanoseconds, MQSim's resolution.
    Mqsim {
        mean_ns: f64,
    },
    Steady {
        constant: f64,
        mean: f64,
    },
    /// Within a burst with probability `share`; both exponential.
    Bursts {
        share: f64,
        within: f64,
        between: f64,
    },
}

impl Arrivals {
    pub fn new(config: &Synthetic, random: Stream, pausing: Stream) -> Option<Arrivals> {
        let mean = config.inter_arrival?.0 as f64;
        let pauses =
            config.on_time.zip(config.off_time).map(|(on, off)| Pauses::new(on.0 as f64, off.0 as f64, pausing));
        let mean_on = mean * pauses.as_ref().map_or(1.0, |pauses| pauses.on / (pauses.on + pauses.off));
        let gaps = if config.mqsim_seed.is_some() {
            Gaps::Mqsim { mean_ns: (config.inter_arrival?.0 / 1000) as f64 }
        } else {
            Gaps::new(mean_on, config.variation(), config.burst_share)
        };
        Some(Arrivals { gaps, random, pauses, waves: config.diurnal.map(Waves::new) })
    }

    pub fn gap(&mut self) -> Time {
        let random = &mut self.random;
        let gap = match self.gaps {
            Gaps::Mqsim { mean_ns } => return Time::from_ns(random.exponential(mean_ns) as u64),
            Gaps::Steady { constant, mean } => constant + if mean > 0.0 { random.exponential(mean) } else { 0.0 },
            Gaps::Bursts { share, within, between } => {
                let burst = random.uniform() < share;
                random.exponential(if burst { within } else { between })
            }
        };
        let gap = self.pauses.as_mut().map_or(gap, |pauses| pauses.stretch(gap));
        let gap = self.waves.as_mut().map_or(gap, |waves| waves.stretch(gap));
        Time(gap as u64)
    }
}

impl Gaps {
    fn new(mean: f64, burstiness: f64, burst_share: Option<f64>) -> Gaps {
        if burstiness <= 1.0 {
            let exponential = mean * burstiness.sqrt();
            return Gaps::Steady { constant: mean - exponential, mean: exponential };
        }
        let (share, within, between) = two_phases(burstiness, burst_share);
        Gaps::Bursts { share, within: mean * within, between: mean * between }
    }
}

/// A hyperexponential distribution of mean 1 and squared coefficient of variation `burstiness` (above 1): share of the
/// first phase, means of both. Without a share, "balanced means" (A. O. Allen, "Probability, Statistics, and Queueing
/// Theory", section 3.2.9).
pub fn two_phases(burstiness: f64, share: Option<f64>) -> (f64, f64, f64) {
    let share = share.unwrap_or_else(|| (1.0 + ((burstiness - 1.0) / (burstiness + 1.0)).sqrt()) / 2.0);
    // A mixture's variance: mean of squared means, plus variance of means.
    let spread = (burstiness - 1.0) / 2.0;
    let first = (1.0 - (spread * (1.0 - share) / share).sqrt()).max(0.0);
    (share, first, (1.0 - share * first) / (1.0 - share))
}

struct Pauses {
    on: f64,
    off: f64,
    random: Stream,
    left: f64,
}

impl Pauses {
    fn new(on: f64, off: f64, mut random: Stream) -> Pauses {
        let left = random.exponential(on);
        Pauses { on, off, random, left }
    }

    /// It passes only in periods with arrivals.
    fn stretch(&mut self, mut gap: f64) -> f64 {
        let mut length = 0.0;
        while gap > self.left {
            gap -= self.left;
            length += self.left + self.random.exponential(self.off);
            self.left = self.random.exponential(self.on);
        }
        self.left -= gap;
        length + gap
    }
}

/// 1 + amplitude × sin(2π t / period).
struct Waves {
    period: f64,
    amplitude: f64,
    at: f64,
}

impl Waves {
    fn new(config: Diurnal) -> Waves {
        Waves { period: config.period.0 as f64, amplitude: config.amplitude, at: 0.0 }
    }

    fn passed(&self, at: f64) -> f64 {
        at + self.amplitude * self.period / (2.0 * PI) * (1.0 - (2.0 * PI * at / self.period).cos())
    }

    fn stretch(&mut self, gap: f64) -> f64 {
        // Every whole wave adds as much as it lasts.
        let whole = (gap / self.period).floor() * self.period;
        let wanted = self.passed(self.at) + (gap - whole);
        let (mut low, mut high) = (self.at, self.at + self.period);
        let mut guess = self.at + (gap - whole);
        // Newton's steps, halving outside the bracket; to the picosecond.
        for _ in 0..64 {
            let error = self.passed(guess) - wanted;
            if error.abs() < 0.5 || high - low < 0.5 {
                break;
            }
            if error > 0.0 {
                high = guess
            } else {
                low = guess
            }
            let rate = 1.0 + self.amplitude * (2.0 * PI * guess / self.period).sin();
            let next = guess - error / rate;
            guess = if next > low && next < high { next } else { (low + high) / 2.0 };
        }
        let length = whole + guess - self.at;
        self.at = guess % self.period;
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::units::Duration;

    fn us(us: u64) -> Option<Duration> {
        Some(Duration(us * 1_000_000))
    }

    fn arrivals(config: Synthetic) -> Arrivals {
        let config = Synthetic { inter_arrival: us(10), ..config };
        Arrivals::new(&config, Stream::named(1, "gap"), Stream::named(1, "pause")).unwrap()
    }

    fn moments(arrivals: &mut Arrivals, count: u32) -> (f64, f64) {
        let gaps: Vec<f64> = (0..count).map(|_| arrivals.gap().0 as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / f64::from(count);
        (mean, gaps.iter().map(|gap| (gap / mean - 1.0).powi(2)).sum::<f64>() / f64::from(count))
    }

    #[test]
    fn gaps_have_the_mean_and_variation_that_are_asked_for() {
        for (burstiness, burst_share) in
            [(0.0, None), (0.3, None), (1.0, None), (4.0, None), (20.0, None), (4.0, Some(0.7))]
        {
            let config = Synthetic { burstiness, burst_share, ..Synthetic::default() };
            let (mean, found) = moments(&mut arrivals(config), 400_000);
            assert!((mean / 10.0 - 1.0).abs() < 0.02, "{burstiness}: mean {mean}");
            assert!((found - burstiness).abs() <= 0.05 * burstiness, "{burstiness}: {found}");
        }
    }

    #[test]
    fn with_the_least_share_the_requests_of_a_burst_arrive_together() {
        let config = Synthetic { burstiness: 9.0, burst_share: Some(0.8), ..Synthetic::default() };
        let mut arrivals = arrivals(config);
        let together = (0..100_000).filter(|_| arrivals.gap() == Time(0)).count();
        assert!((79_000..81_000).contains(&together), "{together}");
    }

    #[test]
    fn pauses_keep_the_mean_and_have_the_length_that_is_asked_for() {
        let mut arrivals = arrivals(Synthetic { on_time: us(300), off_time: us(700), ..Synthetic::default() });
        let gaps: Vec<f64> = (0..400_000).map(|_| arrivals.gap().0 as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / 4e5;
        assert!((mean - 10.0).abs() < 0.2, "{mean}");
        // One gap in 100 spans a pause; others are 3 µs on average.
        let long = gaps.iter().filter(|gap| **gap > 50.0).count() as f64 / 4e5;
        assert!((long - 0.01 * (-47.0f64 / 700.0).exp()).abs() < 5e-4, "{long}");
        let short: Vec<f64> = gaps.into_iter().filter(|gap| *gap < 30.0).collect();
        assert!((short.iter().sum::<f64>() / short.len() as f64 - 3.0).abs() < 0.1);
    }

    #[test]
    fn waves_move_arrivals_to_their_crests() {
        for amplitude in [0.5, 1.0] {
            let waves = Some(Diurnal { period: Duration(1_000_000_000), amplitude });
            let mut arrivals = arrivals(Synthetic { diurnal: waves, ..Synthetic::default() });
            let (mut now, mut quarters) = (0, [0.0; 4]);
            for _ in 0..400_000 {
                now += arrivals.gap().0;
                quarters[(now % 1_000_000_000 / 250_000_000) as usize] += 1.0 / 4e5;
            }
            assert!((now as f64 / 4e12 - 1.0).abs() < 0.01, "the mean stays: {now}");
            // Over a quarter of a wave.
            let (more, less) = (0.25 + amplitude / (2.0 * PI), 0.25 - amplitude / (2.0 * PI));
            for (found, expected) in quarters.into_iter().zip([more, more, less, less]) {
                assert!((found - expected).abs() < 0.005, "{amplitude}: {found} {expected}");
            }
        }
    }
}
