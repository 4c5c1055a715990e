//! Grants of a central arbiter: messages that tell switches or routers which of their wires to join, over pins of their own. A line
//! carries one at a time, in the order in which they are sent.

use crate::config::units::Rate;
use crate::engine::time::{Time, TimeSum};

/// The lines of an arbiter.
pub struct Grants {
    /// Time of a message.
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

/// Bits that tell that many things apart.
pub fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

impl Grants {
    /// So many idle lines, for messages of so many bits over so many pins; the rate is that of eight of them.
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

    /// Sends a grant. Returns from when until when it crosses.
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

    /// Time that each line was in use.
    pub fn busy(&self) -> impl Iterator<Item = Time> + '_ {
        self.lines.iter().map(|line| line.busy)
    }

    /// Grants sent, those of them that waited, and the time that they waited in nanoseconds.
    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        let waited = (self.waits.seconds() * 1e9).round() as u64;
        vec![("grants", self.sent), ("grants_delayed", self.delayed), ("grants_waited_ns", waited)]
    }
}
