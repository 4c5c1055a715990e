use crate::config::units::Rate;
use crate::engine::time::{Time, TimeSum};

pub struct Grants {
    message: Time,
    lines: Vec<Line>,
    sent: u64,
    delayed: u64,
    waits: TimeSum,
}

#[derive(Clone, Copy, Default)]
struct Line {
    free_at: Time,
    busy: Time,
}

pub fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

impl Grants {
    /// The rate is for eight pins.
    pub fn new(bits: u32, width: u32, rate: Rate, lines: u32) -> Grants {
        let edges = bits.div_ceil(width);
        Grants {
            message: Time::of_transfer(u64::from(edges), rate.0),
            lines: vec![Line::default(); lines as usize],
            sent: 0,
            delayed: 0,
            waits: TimeSum::ZERO,
        }
    }

    pub fn send(&mut self, line: u32, now: Time) -> (Time, Time) {
        let line = &mut self.lines[line as usize];
        let begins = line.free_at.max(now);
        line.free_at = begins + self.message;
        line.busy += self.message;
        self.sent += 1;
        self.delayed += u64::from(begins > now);
        self.waits += begins - now;
        (begins, line.free_at)
    }

    pub fn busy(&self) -> impl Iterator<Item = Time> + '_ {
        self.lines.iter().map(|line| line.busy)
    }

    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        let waited = (self.waits.seconds() * 1e9).round() as u64;
        vec![("grants", self.sent), ("grants_delayed", self.delayed), ("grants_waited_ns", waited)]
    }
}
