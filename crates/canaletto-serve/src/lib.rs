//! A simulated drive that real programs use over NBD: their data are stored, and the times are the engine's.
//!
//! ```text
//! clients ══ socket ══> connection ── order ──> driver ── submit ──> device (the engine)
//!    ▲                   │      ▲                 │ ▲                    │
//!    ║                   ▼      └──── reply ──────┘ └─── completion ─────┘
//!    ╚═══════════════ storage
//! ```
//! Threads and blocking sockets rather than an asynchronous runtime: connections are few, one thread must own the
//! engine, and a blocked thread is all the backpressure that a slow client needs.

#![cfg(unix)]

pub mod clock;
mod connection;
pub mod device;
mod driver;
pub mod nbd;
mod recorder;
pub mod server;
mod socket;
pub mod statistics;
pub mod storage;
mod turns;

#[cfg(test)]
fn fuzz_cases() -> u32 {
    std::env::var("CANALETTO_FUZZ_CASES").map_or(256, |cases| cases.parse().expect("a number of cases"))
}
