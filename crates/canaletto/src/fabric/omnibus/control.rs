//! The control plane: messages between flash controllers, one after the other over one medium.
//!
//! ```text
//! row's controller ── request ─▶ controller that drives the bus       a transfer over a column bus (Networked SSD §V-D)
//!                  ◀── grant ──
//! source ── request ─▶ driver ── request ─▶ destination               a copy from chip to chip (Fig. 11c)
//!        ◀── grant ──        ◀── grant ────
//!        ◀── status ─        ── status ──▶                            its page is in the other buffer: Fig. 11, "buffer status"
//! ```
//! A message waits until the medium is free. Nothing waits for a buffer's status, which only takes the medium.

use crate::config::design::ControlPlane as Config;
use crate::engine::time::{Time, TimeSum};

pub struct ControlPlane {
    message: Time,
    delay: Time,
    free_at: Time,
    messages: u64,
    delayed: u64,
    waits: TimeSum,
}

/// Assumed: 8 bytes for two controllers, a chip, a page's address and a kind.
const MESSAGE_BITS: u64 = 64;

impl ControlPlane {
    pub fn new(config: &Config) -> ControlPlane {
        let bits_a_second = config.rate.0.saturating_mul(u64::from(config.width));
        ControlPlane {
            message: Time::of_transfer(MESSAGE_BITS, bits_a_second),
            delay: config.delay.time(),
            free_at: Time::ZERO,
            messages: 0,
            delayed: 0,
            waits: TimeSum::ZERO,
        }
    }

    pub fn send(&mut self, now: Time) -> Time {
        let begins = self.free_at.max(now);
        self.messages += 1;
        self.delayed += u64::from(begins > now);
        self.waits += begins - now;
        self.free_at = begins + self.message;
        self.free_at + self.delay
    }

    pub fn least(&self) -> Time {
        self.message + self.delay
    }

    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        let waited = (self.waits.seconds() * 1e9).round() as u64;
        vec![
            ("control_messages", self.messages),
            ("control_messages_delayed", self.delayed),
            ("control_messages_waited_ns", waited),
        ]
    }
}
