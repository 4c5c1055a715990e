//! Grants: the arbiter tells a switch which of its trunks to join with which of its inner buses, over pins of its own.
//!
//! ```text
//! transfer │ 0 │ way │ trunk   │ inner bus │ chip on it │           way: to the chip or from it
//! copy     │ 1 │ inner bus │ chip on it │ inner bus │ chip on it │ source, then destination
//! ```
//! Each field has as many bits as its numbers need. Switches have a line each, on which a grant waits for those before it. None is
//! sent at the end of a circuit: a switch counts the flits of the packets, whose headers tell their size, and gives it up by itself,
//! as long as the path is not held (`fabric.hold_path`).

use crate::config::design::Clusters as Keys;
use crate::engine::time::{Time, TimeSum};
use crate::fabric::clusters::tree::SwitchId;

/// The lines from the arbiter to the switches.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Grants {
    /// Time of a message.
    message: Time,
    lines: Vec<Line>,
    sent: u64,
    delayed: u64,
    waits: TimeSum,
}

#[derive(Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Line {
    free_at: Time,
    busy: Time,
}

/// Bits that tell so many things apart.
fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

/// Bits of a grant.
fn grant_bits(keys: &Keys, controllers: u32) -> u32 {
    let chip = bits(keys.inner_buses) + bits(keys.chips_per_bus());
    1 + (1 + bits(keys.trunks(controllers)) + chip).max(2 * chip)
}

impl Grants {
    /// Idle lines of a validated design.
    pub fn new(keys: &Keys, controllers: u32, switches: u32) -> Grants {
        let edges = grant_bits(keys, controllers).div_ceil(keys.grant_width);
        Grants {
            message: Time::of_transfer(u64::from(edges), keys.grant_rate.0),
            lines: vec![Line::default(); switches as usize],
            sent: 0,
            delayed: 0,
            waits: TimeSum::ZERO,
        }
    }

    /// Sends a grant. Returns from when until when it crosses.
    pub fn send(&mut self, switch: SwitchId, now: Time) -> (Time, Time) {
        let line = &mut self.lines[switch.index()];
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
