//! A simulated drive that real programs use: they speak NBD to it, their data are stored, and the times are the engine's.
//!
//! ```text
//! clients ══ socket ══> connection ── order ──> driver ── submit ──> device (the engine)
//!    ▲                   │      ▲                 │ ▲                    │
//!    ║                   ▼      └──── reply ──────┘ └─── completion ─────┘
//!    ╚═══════════════ storage
//! ```
//! Threads and blocking sockets rather than an asynchronous runtime: connections are few and bounded, one thread has to own
//! the engine anyway, and a blocked thread is all the backpressure that a slow client needs.

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

/// Number of inputs of each test that makes them up.
#[cfg(test)]
fn fuzz_cases() -> u32 {
    std::env::var("CANALETTO_FUZZ_CASES").map_or(256, |cases| cases.parse().expect("a number of cases"))
}
